import MOCloneEngine
import MOCloneModel

extension RowAccess {
  /// The objects of an identity's scope that hold a key.
  package func ids(_ identity: Identity, key: [IdentityPart]) throws -> [ObjectID] {
    var condition = Condition.always
    var arguments = Arguments()
    for (path, part) in zip(identity.paths, key) {
      let values = try self.part(path, part: part)
      guard !values.contains(.null) else { return [] }
      let columns = IdentityColumns(path, of: identity.scope, mapping: mapping, alias: "s", dialect: dialect)
      let given = arguments.add(values, dialect)
      let column = try column(path, scope: identity.scope)
      condition =
        condition
        && columns.condition { columns in
          column.map { dialect.equal($0, columns[0], given[0]) } ?? .equal(columns, given)
        }
    }
    return try ids(identity.scope, where: condition, arguments: arguments)
  }

  private func column(_ path: IdentityPath, scope: String) throws -> AttributeColumn? {
    let entity = path.steps.last?.destination ?? scope
    return try path.attribute.flatMap { mapping[entity].attributes[$0.name] }.map {
      try typed($0, of: entity)
    }
  }

  /// A column with its type, where that decides which notations it can hold.
  private func typed(_ column: AttributeColumn, of entity: String) throws -> AttributeColumn {
    // Texts and integers have one notation in every type; asking for it would cost each look-up a question.
    guard dialect.hasTypes, !Self.plainTypes.contains(column.type) else { return column }
    var column = column
    let table = mapping[entity].table
    column.base = try db.schema(of: [table], mapping)[table]?.column(column.column)?.base
    return column
  }

  private static var plainTypes: Set<AttributeType> { [.string, .uri, .integer16, .integer32, .integer64] }

  /// What the columns at the end of a path hold for a part of a key.
  private func part(_ path: IdentityPath, part: IdentityPart) throws -> [StoredValue] {
    switch part {
    case .value(let value):
      guard let attribute = path.attribute else { return [.null] }
      let entity = path.steps.last?.destination ?? attribute.entity
      return [ValueCoding(mapping[entity].attributes[attribute.name]!).encode(value)]
    case .object(let object):
      guard let key = mapping[path.steps.last!.entity].foreignKey(path.steps.last!.name) else {
        let columns = mapping[object.entity].keyColumns
        return try self.columns(columns, of: object)
      }
      return try columns(key.references, of: object)
    }
  }

  /// The one object whose attribute has a value.
  ///
  /// - Throws: `CloneError`: `no-such-object` for none, `invalid-key` for several.
  package func object(_ entity: String, attribute name: String, equals text: String) throws -> ObjectID {
    let (attribute, column) = try attribute(name, of: entity)
    guard let value = attribute.type.value(from: text) else {
      throw CloneError([
        .notValid(
          text, for: attribute, of: entity, code: .invalidKey, lookingUp: "name the object by its key")
      ])
    }
    var arguments = Arguments()
    let given = arguments.add(ValueCoding(column).encode(value), dialect)
    let isEqual = dialect.equal(try typed(column, of: entity), dialect.column("s", column.column), given)
    let found = try ids(entity, where: isEqual, arguments: arguments)
    guard let id = found.first else {
      throw CloneError(.noSuchObject, "the store has no \(entity) with the \(name) '\(text)'", entity: entity)
    }
    guard found.count == 1 else {
      throw CloneError(
        .invalidKey, "\(found.count) objects of \(entity) have the \(name) '\(text)'",
        help: "name one by its key",
        entity: entity)
    }
    return id
  }
}
