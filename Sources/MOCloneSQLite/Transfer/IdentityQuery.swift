import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

extension SQLiteGraph {
  /// The objects that have an identity; one query, which a unique index over its columns makes fast.
  public func objects(_ identity: Identity, _ key: [IdentityPart]) throws -> [ObjectID] {
    try read { try $0.ids(identity, key) }
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
      let columns = IdentityColumns(path, of: identity.scope, mapping: mapping, alias: "s", .sqlite)
      let first = arguments.count + 1
      let column = column(path, identity.scope)
      conditions.append(
        columns.condition { columns in
          column.map { Dialect.sqlite.equal($0, columns[0], "?\(first)") }
            ?? .equal(columns, columns.indices.map { "?\(first + $0)" })
        }.text)
      arguments += values
    }
    try Functions.register(in: db)
    return try ids(
      identity.scope, where: conditions.joined(separator: " AND "), StatementArguments(arguments))
  }

  private func column(_ path: IdentityPath, _ scope: String) -> AttributeColumn? {
    path.attribute.flatMap { mapping[path.steps.last?.destination ?? scope].attributes[$0.name] }
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
