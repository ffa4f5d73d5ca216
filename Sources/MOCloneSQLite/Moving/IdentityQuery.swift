import GRDB
import MOCloneEngine
import MOCloneModel

extension SQLiteGraph {
  public func objects(_ identity: Identity, _ key: [IdentityPart]) throws -> [ObjectID] {
    try read { try $0.ids(identity, key) }
  }

  public func atomically<Result>(_ body: (any ObjectGraph) throws -> Result) throws -> Result {
    try write { access in try SQLiteGraph.with(access.db, model: model) { try body($0) } }
  }
}

extension RowAccess {
  /// The objects of an identity's scope that hold a key.
  func ids(_ identity: Identity, _ key: [IdentityPart]) throws -> [ObjectID] {
    var conditions: [String] = []
    var arguments: [DatabaseValue] = []
    for (path, part) in zip(identity.paths, key) {
      let values = try self.part(path, part)
      guard !values.contains(.null) else { return [] }
      let columns = IdentityColumns(path, of: identity.scope, mapping: mapping, alias: "s")
      conditions.append(columns.condition { columns in SQL.equal(columns, columns.map { _ in "?" }) })
      arguments += values
    }
    return try ids(
      identity.scope, where: conditions.joined(separator: " AND "), StatementArguments(arguments))
  }

  /// What the columns at the end of a path hold for a part of a key.
  private func part(_ path: IdentityPath, _ part: IdentityPart) throws -> [DatabaseValue] {
    switch part {
    case .value(let value):
      guard let attribute = path.attribute else { return [.null] }
      let entity = path.steps.last?.destination ?? attribute.entity
      return [ValueCoding(mapping[entity].attributes[attribute.name]!).encode(value)]
    case .object(let object):
      guard case .foreignKey(let key) = mapping[path.steps.last!.entity].relationships[path.steps.last!.name]
      else {
        let columns = mapping[object.entity].keyColumns
        return try self.columns(columns, of: object)
      }
      return try columns(key.references, of: object)
    }
  }
}

/// The columns that a part of an identity lies in, and how they are reached from a row.
struct IdentityColumns {
  /// The columns at the end.
  private let columns: [String]
  /// Tables on the way, each with what ties it to the one before; the innermost last.
  private let way: [(from: String, tie: String)]

  init(_ path: IdentityPath, of entity: String, mapping: SchemaMapping, alias: String) {
    var place = alias
    var entity = entity
    var way: [(String, String)] = []
    for (i, step) in path.steps.enumerated() {
      let isLast = i == path.steps.count - 1
      let relationship = mapping[entity].relationships[step.name]!
      if isLast, path.attribute == nil, case .foreignKey(let key) = relationship {
        columns = key.columns.map { SQL.column(place, $0) }
        self.way = way
        return
      }
      let next = "\(alias)\(i + 1)"
      let destination = mapping[step.destination]
      switch relationship {
      case .foreignKey(let key):
        let tie = SQL.equal(
          key.references.map { SQL.column(next, $0) }, key.columns.map { SQL.column(place, $0) })
        way.append(("\(SQL.main(destination.table)) \(next)", tie))
      case .inverseForeignKey(let key):
        let tie = SQL.equal(
          key.columns.map { SQL.column(next, $0) }, key.references.map { SQL.column(place, $0) })
        way.append(("\(SQL.main(destination.table)) \(next)", tie))
      case .join(let join):
        let pairs = "\(next)j"
        let own = SQL.equal(
          join.columns.map { SQL.column(pairs, $0) }, join.references.map { SQL.column(place, $0) })
        let other = SQL.equal(
          join.destinationReferences.map { SQL.column(next, $0) },
          join.destinationColumns.map { SQL.column(pairs, $0) })
        way.append(
          (
            "\(SQL.main(join.table)) \(pairs) CROSS JOIN \(SQL.main(destination.table)) \(next)",
            "\(own) AND \(other)"
          ))
      }
      place = next
      entity = step.destination
    }
    columns =
      path.attribute.map { [SQL.column(place, mapping[entity].attributes[$0.name]!.column)] }
      ?? mapping[entity].keyColumns.map { SQL.column(place, $0) }
    self.way = way
  }

  /// A condition on the columns, from the row that the path begins at.
  func condition(_ body: ([String]) -> String) -> String {
    guard !way.isEmpty else { return body(columns) }
    return way.reversed().reduce(body(columns)) { inner, step in
      "EXISTS (SELECT 1 FROM \(step.from) WHERE \(step.tie) AND \(inner))"
    }
  }
}
