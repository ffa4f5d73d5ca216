import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// SQL for what identifies the rows `s` of an entity, so that equal identities are equal values.
struct IdentityRenderer {
  struct Part {
    var sql: String
    /// How a column that holds it is declared, so that it compares as the original does.
    var definition: String
    /// A condition that holds where the part identifies something.
    var isThere: String
    /// The column itself, where nothing is computed.
    var column: String?
  }

  /// One for each attribute, and one for each part of the key of an object.
  private(set) var parts: [Part] = []
  /// Joins that lead from `s` to other tables.
  private(set) var joins = ""
  private let layout: MoveLayout
  /// Maps of tables whose objects are merged: what they lead to counts in place of what goes.
  private let maps: [Int: TemporaryTable]

  init(_ identity: Identity, of entity: String, layout: MoveLayout, maps: [Int: TemporaryTable] = [:]) {
    self.layout = layout
    self.maps = maps
    for (number, path) in identity.paths.enumerated() { add(path, entity, prefix: "p\(number)") }
  }

  /// The columns of the row, where the identity is nothing else.
  var plainColumns: [String]? {
    let columns = parts.compactMap(\.column)
    return columns.count == parts.count && joins.isEmpty ? columns : nil
  }

  private mutating func add(_ path: IdentityPath, _ entity: String, prefix: String) {
    var place = "s"
    var entity = entity
    for (i, step) in path.steps.enumerated() {
      let isEnd = i == path.steps.count - 1 && path.attribute == nil
      let next = "\(prefix)d\(i)"
      let key = follow(step, from: place, entity, to: next, isEnd: isEnd)
      if isEnd { return addKey(key, layout.table(of: step.destination)) }
      place = next
      entity = step.destination
    }
    let column = layout.mapping[entity].attributes[path.attribute!.name]!
    let plain = SQL.column(place, column.column)
    let sql = column.canonical(plain)
    let schema = layout.table(of: entity).schema.column(column.column)
    let isText = column.type == .string || column.type == .uri
    parts.append(
      Part(
        sql: sql,
        definition: sql == plain
          ? schema.map { "\($0.affinity) COLLATE \(SQL.name($0.collation))" } ?? "INTEGER" : "",
        isThere: "\(sql) IS NOT NULL" + (isText ? " AND \(sql) <> ''" : ""),
        column: sql == plain && place == "s" ? column.column : nil))
  }

  private mutating func addKey(_ key: [String], _ table: ObjectTable) {
    for (sql, column) in zip(key, table.keyColumns) {
      let own = sql.hasPrefix("s.") ? String(sql.dropFirst(3).dropLast()) : nil
      parts.append(
        Part(
          sql: sql, definition: "\(column.affinity) COLLATE \(SQL.name(column.collation))",
          isThere: "\(sql) IS NOT NULL", column: own))
    }
  }

  /// Joins the destination of a step.
  ///
  /// - Returns: its key.
  private mutating func follow(
    _ step: RelationshipDescription, from place: String, _ entity: String, to next: String, isEnd: Bool
  ) -> [String] {
    let table = layout.table(of: step.destination)
    let map = maps[table.index]
    let relationship = layout.mapping[entity].relationships[step.name]!
    if case .foreignKey(let key) = relationship, let places = table.keyPlaces(of: key.references) {
      var columns = table.key(next)
      for (column, place_) in zip(key.columns, places) { columns[place_] = SQL.column(place, column) }
      let settled = settled(columns, table, map, next)
      if !isEnd { joins += " JOIN \(table.sql) \(next) ON \(SQL.equal(table.key(next), settled))" }
      return settled
    }
    let found = map == nil ? next : next + "f"
    switch relationship {
    case .foreignKey(let key): join(table, found, key.references, place, key.columns)
    case .inverseForeignKey(let key): join(table, found, key.columns, place, key.references)
    case .join(let pairs):
      let alias = next + "j"
      joins +=
        " JOIN \(SQL.main(pairs.table)) \(alias) ON "
        + SQL.equal(
          pairs.columns.map { SQL.column(alias, $0) }, pairs.references.map { SQL.column(place, $0) })
      join(table, found, pairs.destinationReferences, alias, pairs.destinationColumns)
    }
    guard map != nil else { return table.key(next) }
    let settled = settled(table.key(found), table, map, next)
    if !isEnd { joins += " JOIN \(table.sql) \(next) ON \(SQL.equal(table.key(next), settled))" }
    return settled
  }

  private mutating func join(
    _ table: ObjectTable, _ alias: String, _ columns: [String], _ place: String, _ values: [String]
  ) {
    joins +=
      " JOIN \(table.sql) \(alias) ON "
      + SQL.equal(columns.map { SQL.column(alias, $0) }, values.map { SQL.column(place, $0) })
  }

  /// The key that a key is merged into.
  private mutating func settled(
    _ key: [String], _ table: ObjectTable, _ map: TemporaryTable?, _ next: String
  ) -> [String] {
    guard let map else { return key }
    let alias = next + "m"
    joins += " LEFT JOIN \(map.sql) \(alias) ON \(SQL.equal(table.keys(alias + ".o"), key))"
    return zip(table.keys(alias + ".n"), key).map { "coalesce(\($0), \($1))" }
  }
}
