import Foundation

/// JSON in the shape of the model file's long form, so that the one can be read as the other.
extension ObjectModel: Codable {
  public func encode(to encoder: any Encoder) throws {
    try ModelForm(self).encode(to: encoder)
  }

  /// - Throws: `ModelError` with every finding where the model is faulty, `DecodingError` where the JSON is.
  public init(from decoder: any Decoder) throws {
    let form = try ModelForm(from: decoder)
    guard form.version == 1 else {
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: decoder.codingPath, debugDescription: "version \(form.version) of a model is not known")
      )
    }
    let entities = try form.entities.sorted { $0.key < $1.key }.map { try $0.value.entity(named: $0.key) }
    try self.init(
      name: form.name, userInfoKeys: form.userInfoKeys ?? .default,
      store: form.store?.options ?? StoreOptions(), entities: entities)
  }
}

private struct ModelForm: Codable {
  var version = 1
  var name: String
  var userInfoKeys: AnnotationKeys?
  var store: StoreForm?
  var entities: [String: EntityForm]

  init(_ model: ObjectModel) {
    name = model.name
    userInfoKeys = model.userInfoKeys == .default ? nil : model.userInfoKeys
    store = model.store == StoreOptions() ? nil : StoreForm(model.store)
    entities = Dictionary(uniqueKeysWithValues: model.entities.map { ($0.name, EntityForm($0)) })
  }
}

private struct StoreForm: Codable {
  var naming: NamingConvention?
  var primaryKey: String?
  var dates: DateStorage?
  var uuids: UUIDStorage?
  var unmapped: UnmappedColumns?

  init(_ store: StoreOptions) {
    naming = store.naming
    primaryKey = store.primaryKey
    dates = store.dates
    uuids = store.uuids
    unmapped = store.unmapped
  }

  var options: StoreOptions {
    StoreOptions(
      naming: naming ?? .snakeCase, primaryKey: primaryKey ?? "id", dates: dates, uuids: uuids,
      unmapped: unmapped ?? .copy)
  }
}

private struct EntityForm: Codable {
  var parent: String?
  var abstract: Bool?
  var attributes: [String: AttributeForm]?
  var relationships: [String: RelationshipForm]?
  var uniquenessConstraints: [[String]]?
  var configurations: [String]?
  var renamedFrom: String?
  var userInfo: [String: String]?
  var table: String?
  var primaryKey: [KeyColumnForm]?
  var discriminator: DiscriminatorForm?

  init(_ entity: EntityDescription) {
    parent = entity.parent
    abstract = entity.isAbstract ? true : nil
    attributes =
      Dictionary(uniqueKeysWithValues: entity.attributes.map { ($0.name, AttributeForm($0)) }).nonEmpty
    relationships =
      Dictionary(uniqueKeysWithValues: entity.relationships.map { ($0.name, RelationshipForm($0)) }).nonEmpty
    uniquenessConstraints = entity.uniquenessConstraints.nonEmpty
    configurations = entity.configurations.nonEmpty
    renamedFrom = entity.renamedFrom
    userInfo = entity.userInfo.nonEmpty
    table = entity.table
    primaryKey = entity.primaryKey.map { KeyColumnForm(column: $0.column, generate: $0.generate) }.nonEmpty
    discriminator = entity.discriminator.map { DiscriminatorForm(column: $0.column, value: $0.value) }
  }

  func entity(named name: String) throws -> EntityDescription {
    EntityDescription(
      name: name, parent: parent, isAbstract: abstract ?? false,
      attributes: try (attributes ?? [:]).sorted { $0.key < $1.key }.map {
        try $0.value.attribute(named: $0.key)
      },
      relationships: (relationships ?? [:]).sorted { $0.key < $1.key }.map {
        $0.value.relationship(named: $0.key)
      },
      uniquenessConstraints: uniquenessConstraints ?? [], configurations: configurations ?? [],
      renamedFrom: renamedFrom, userInfo: userInfo ?? [:], table: table,
      primaryKey: (primaryKey ?? []).map { KeyColumn($0.column, generate: $0.generate) },
      discriminator: discriminator.map { DiscriminatorDescription(column: $0.column, value: $0.value) })
  }
}

private struct AttributeForm: Codable {
  var type: AttributeType
  var optional: Bool?
  var `default`: String?
  var transient: Bool?
  var derived: Bool?
  var min: Double?
  var max: Double?
  var pattern: String?
  var renamedFrom: String?
  var userInfo: [String: String]?
  var column: String?
  var storage: String?

  init(_ attribute: AttributeDescription) {
    type = attribute.type
    optional = attribute.isOptional ? true : nil
    self.default = attribute.defaultValue.flatMap { $0.isNull ? nil : $0.description }
    transient = attribute.isTransient ? true : nil
    derived = attribute.isDerived ? true : nil
    min = attribute.minimum
    max = attribute.maximum
    pattern = attribute.pattern
    renamedFrom = attribute.renamedFrom
    userInfo = attribute.userInfo.nonEmpty
    column = attribute.column
    storage =
      switch attribute.storage {
      case .date(let dates): dates.rawValue
      case .uuid(let uuids): uuids.rawValue
      case nil: nil
      }
  }

  func attribute(named name: String) throws -> AttributeDescription {
    AttributeDescription(
      name: name, type: type, isOptional: optional ?? false, defaultValue: try defaultValue(of: name),
      isTransient: transient ?? false, isDerived: derived ?? false, minimum: min, maximum: max,
      pattern: pattern,
      renamedFrom: renamedFrom, userInfo: userInfo ?? [:], column: column, storage: try storage(of: name))
  }

  private func defaultValue(of name: String) throws -> AttributeValue? {
    guard let text = self.default else { return nil }
    guard let value = type.value(from: text) else { throw invalid("default", text, name) }
    return value
  }

  private func storage(of name: String) throws -> ValueStorage? {
    guard let storage else { return nil }
    if type == .date, let dates = DateStorage(rawValue: storage) { return .date(dates) }
    if type == .uuid, let uuids = UUIDStorage(rawValue: storage) { return .uuid(uuids) }
    throw invalid("storage", storage, name)
  }

  private func invalid(_ key: String, _ text: String, _ name: String) -> DecodingError {
    .dataCorrupted(
      .init(
        codingPath: [], debugDescription: "'\(text)' is no '\(key)' of '\(name)', which is \(type.rawValue)"))
  }
}

private struct RelationshipForm: Codable {
  var destination: String
  var toMany: Bool?
  var optional: Bool?
  var ordered: Bool?
  var inverse: String?
  var deleteRule: DeleteRule?
  var minCount: Int?
  var maxCount: Int?
  var userInfo: [String: String]?
  var column: [ForeignKeyColumnForm]?
  var orderColumn: String?
  var joinTable: JoinTableForm?

  init(_ relationship: RelationshipDescription) {
    destination = relationship.destination
    toMany = relationship.isToMany ? true : nil
    optional = relationship.isOptional && !relationship.isToMany ? true : nil
    ordered = relationship.isOrdered ? true : nil
    inverse = relationship.inverse
    deleteRule = relationship.deleteRule == .nullify ? nil : relationship.deleteRule
    minCount = relationship.minCount
    maxCount = relationship.maxCount
    userInfo = relationship.userInfo.nonEmpty
    column =
      relationship.columns.map { ForeignKeyColumnForm(column: $0.column, references: $0.references) }.nonEmpty
    orderColumn = relationship.orderColumn
    joinTable = relationship.joinTable.map(JoinTableForm.init)
  }

  func relationship(named name: String) -> RelationshipDescription {
    RelationshipDescription(
      name: name, destination: destination, isToMany: toMany ?? false, isOptional: optional ?? false,
      isOrdered: ordered ?? false, inverse: inverse, deleteRule: deleteRule ?? .nullify, minCount: minCount,
      maxCount: maxCount, userInfo: userInfo ?? [:],
      columns: (column ?? []).map { ForeignKeyColumn($0.column, references: $0.references) },
      orderColumn: orderColumn, joinTable: joinTable?.description)
  }
}

private struct KeyColumnForm: Codable {
  var column: String
  var generate: KeyGeneration?
}

private struct ForeignKeyColumnForm: Codable {
  var column: String
  var references: String?
}

private struct DiscriminatorForm: Codable {
  var column: String?
  var value: String?
}

private struct JoinTableForm: Codable {
  var table: String?
  var column: [String]?
  var inverseColumn: [String]?
  var orderColumn: String?

  init(_ join: JoinTableDescription) {
    table = join.table
    column = join.columns.nonEmpty
    inverseColumn = join.inverseColumns.nonEmpty
    orderColumn = join.orderColumn
  }

  var description: JoinTableDescription {
    JoinTableDescription(
      table: table, columns: column ?? [], inverseColumns: inverseColumn ?? [], orderColumn: orderColumn)
  }
}

extension Collection {
  /// Nil where there is nothing, so that nothing is written.
  fileprivate var nonEmpty: Self? { isEmpty ? nil : self }
}
