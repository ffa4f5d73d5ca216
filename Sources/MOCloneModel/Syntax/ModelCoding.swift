import Foundation

/// JSON in the shape of the model file's long form, so that the one can be read as the other.
extension ObjectModel: Codable {
  public func encode(to encoder: any Encoder) throws {
    try ModelForm(self).encode(to: encoder)
  }

  /// - Throws: `ModelError` with every finding where the model is faulty, `DecodingError` where the text is no JSON.
  public init(from decoder: any Decoder) throws {
    let context = ReadingContext()
    let parsed = ModelParser.parse(try SyntaxNode(from: decoder), context)
    guard let model = parsed.model else {
      throw ModelError(diagnostics: parsed.diagnostics.map { $0.withoutPlaces() })
    }
    self = model
  }
}

private struct ModelForm: Encodable {
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

private struct StoreForm: Encodable {
  var naming: NamingConvention?
  var primaryKey: String?
  var dates: DateStorage?
  var uuids: UUIDStorage?
  var unmapped: UnmappedColumns?

  init(_ store: StoreOptions) {
    let usual = StoreOptions(naming: store.naming)
    naming = store.naming == .snakeCase ? nil : store.naming
    primaryKey = store.primaryKey == usual.primaryKey ? nil : store.primaryKey
    dates = store.dates == usual.dates ? nil : store.dates
    uuids = store.uuids == usual.uuids ? nil : store.uuids
    unmapped = store.unmapped == usual.unmapped ? nil : store.unmapped
  }
}

private struct EntityForm: Encodable {
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
}

private struct AttributeForm: Encodable {
  var type: AttributeType
  var optional: Bool?
  var `default`: String?
  var transient: Bool?
  var derived: DerivationForm?
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
    derived = attribute.derivation.map { DerivationForm(derivation: $0) }
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
}

/// `true`, or the word for what keeps the value.
private struct DerivationForm: Encodable {
  var derivation: Derivation

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch derivation {
    case .computed: try container.encode(true)
    case .trigger: try container.encode(derivation.rawValue)
    }
  }
}

private struct RelationshipForm: Encodable {
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
}

private struct KeyColumnForm: Encodable {
  var column: String
  var generate: KeyGeneration?
}

private struct ForeignKeyColumnForm: Encodable {
  var column: String
  var references: String?
}

private struct DiscriminatorForm: Encodable {
  var column: String?
  var value: String?
}

private struct JoinTableForm: Encodable {
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
}

extension Collection {
  /// Nil where there is nothing, so that nothing is written.
  fileprivate var nonEmpty: Self? { isEmpty ? nil : self }
}
