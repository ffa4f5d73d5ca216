import MOCloneEngine
import MOCloneModel

/// SQL for what identifies the rows `s` of an entity, so that equal identities are equal values: joins, which leave out
/// rows without one and follow what is merged. `IdentityColumns` are subqueries of a row.
package struct IdentityRenderer {
  struct Part {
    var sql: String
    /// Nil for the key of an object.
    var attribute: AttributeColumn?
    /// What a column that holds it is declared as, so that it compares as the original does; nil where it is computed.
    var column: ColumnSchema?
    /// Holds where the part identifies something.
    var exists: Condition
    /// The column of the row itself, where the part is nothing else.
    var own: String?

    func definition(_ name: String, dialect: Dialect) -> String {
      column.map { dialect.definition(name, as: $0) } ?? name
    }
  }

  /// One for each attribute, and one for each part of the key of an object.
  private(set) var parts: [Part] = []
  /// Joins that lead from `s` to other tables.
  private(set) var joins: [From.Join] = []
  private let layout: StoreLayout
  /// Maps of tables whose objects are merged: what they lead to counts in place of what goes.
  private let maps: [Int: RowSet]
  private var dialect: Dialect { layout.dialect }

  init(_ identity: Identity, of entity: String, layout: StoreLayout, maps: [Int: RowSet]) {
    self.layout = layout
    self.maps = maps
    for (number, path) in identity.paths.enumerated() { add(path, entity, prefix: "p\(number)") }
  }

  /// The columns of the row, where the identity is nothing else.
  var ownColumns: [String]? {
    let columns = parts.compactMap(\.own)
    return columns.count == parts.count && joins.isEmpty ? columns : nil
  }

  private mutating func add(_ path: IdentityPath, _ entity: String, prefix: String) {
    var place = "s"
    var entity = entity
    for (i, step) in path.steps.enumerated() {
      let isEnd = i == path.steps.count - 1 && path.attribute == nil
      let next = "\(prefix)d\(i)"
      let key = follow(step, from: place, entity: entity, to: next, isEnd: isEnd)
      if isEnd {
        return add(key, layout.table(of: step.destination), exists: leads(step, from: place, entity: entity))
      }
      place = next
      entity = step.destination
    }
    add(layout.mapping[entity].attributes[path.attribute!.name]!, of: entity, at: place)
  }

  private mutating func add(_ column: AttributeColumn, of entity: String, at place: String) {
    let sql = dialect.canonical(dialect.column(place, column.column), column)
    let schema = layout.table(of: entity).schema.column(column.column)
    let isPlain = !dialect.hasNotations(column)
    parts.append(
      Part(
        sql: sql, attribute: column,
        column: isPlain || dialect.hasTypes ? schema ?? .rowid(named: column.column) : nil,
        exists: .isNotNull(sql) && (column.isText ? !dialect.isEmpty(text: sql) : .always),
        own: isPlain && place == "s" ? column.column : nil))
  }

  private mutating func add(_ key: [KeyValue], _ table: TablePlan, exists: Condition) {
    for (value, column) in zip(key, table.keyColumns) {
      parts.append(
        Part(sql: value.sql, column: column, exists: .isNotNull(value.sql) && exists, own: value.own))
    }
  }

  /// Whether a foreign key leads to a row: a dangling one identifies nothing.
  private func leads(_ step: RelationshipDescription, from place: String, entity: String) -> Condition {
    guard let key = layout.mapping[entity].foreignKey(step.name) else { return .always }
    let rows = layout.table(of: step.destination).rows("x")
    return .exists(in: rows, where: key.leads(from: place, to: "x", in: dialect), dialect)
  }

  /// A part of the key of what a step leads to.
  private struct KeyValue {
    var sql: String
    /// The column of `s` that holds it.
    var own: String?
  }

  /// Joins the destination of a step.
  ///
  /// - Returns: its key.
  private mutating func follow(
    _ step: RelationshipDescription, from place: String, entity: String, to next: String, isEnd: Bool
  ) -> [KeyValue] {
    let table = layout.table(of: step.destination)
    let relationship = layout.mapping[entity].relationships[step.name]!
    if case .foreignKey(let key) = relationship, let parts = table.keys.places(of: key.references) {
      var values = table.key(next).map { KeyValue(sql: $0) }
      for (column, part) in zip(key.columns, parts) {
        values[part] = KeyValue(sql: dialect.column(place, column), own: place == "s" ? column : nil)
      }
      return settled(values, table: table, next: next, isJoined: !isEnd)
    }
    let isMerged = maps[table.index] != nil
    let found = isMerged ? next + "f" : next
    let (pairs, tie) = relationship.way(from: place, to: found, over: next + "j", in: dialect)
    if let pairs { joins.append(.inner("\(dialect.table(pairs.table)) \(next)j", on: pairs.tie)) }
    joins.append(.inner("\(table.sql) \(found)", on: tie))
    return settled(
      table.key(found).map { KeyValue(sql: $0) }, table: table, next: next, isJoined: isMerged && !isEnd)
  }

  /// The key that a key is merged into.
  ///
  /// - Parameter isJoined: whether its row is joined as well.
  private mutating func settled(
    _ key: [KeyValue], table: TablePlan, next: String, isJoined: Bool
  ) -> [KeyValue] {
    var key = key
    if let map = maps[table.index] {
      let alias = next + "m"
      joins.append(.left("\(map.sql) \(alias)", on: .equal(map.key(alias), key.map(\.sql))))
      key = zip(table.keys(alias + ".n"), key).map { KeyValue(sql: "coalesce(\($0), \($1.sql))") }
    }
    if isJoined { joins.append(.inner("\(table.sql) \(next)", on: table.isRow(next, key.map(\.sql)))) }
    return key
  }
}
