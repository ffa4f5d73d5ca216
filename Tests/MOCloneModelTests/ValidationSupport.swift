import Testing

@testable import MOCloneModel
@testable import MOCloneYAML

/// The findings about a model of some entities.
///
/// - Parameter inverses: whether relationships without inverse count; most tests are about other things.
func findings(
  _ entities: [EntityDescription], store: StoreOptions = StoreOptions(), keys: AnnotationKeys = .default,
  inverses: Bool = false
) -> [Diagnostic] {
  ModelValidator.validate(
    ObjectModel(unvalidated: "Test", userInfoKeys: keys, store: store, entities: entities)
  ).filter { inverses || $0.code != .missingInverse }
}

/// Asserts that a model has exactly these findings.
func expect(
  _ codes: [DiagnosticCode], _ severity: Severity = .error, of entities: [EntityDescription],
  store: StoreOptions = StoreOptions(), inverses: Bool = false,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  let found = findings(entities, store: store, inverses: inverses)
  let report = found.map { "\($0.code.rawValue): \($0.message)" }.joined(separator: "\n")
  #expect(found.map(\.code) == codes, "\(report)", sourceLocation: sourceLocation)
  #expect(found.allSatisfy { $0.severity == severity }, "\(report)", sourceLocation: sourceLocation)
}

func attribute(
  _ name: String, _ type: AttributeType = .string, optional: Bool = false,
  default value: AttributeValue? = nil,
  _ userInfo: [String: String] = [:], column: String? = nil, transient: Bool = false
) -> AttributeDescription {
  AttributeDescription(
    name: name, type: type, isOptional: optional, defaultValue: value, isTransient: transient,
    userInfo: userInfo, column: column)
}

/// A String with annotations.
func attribute(
  _ name: String, _ userInfo: [String: String], transient: Bool = false
) -> AttributeDescription {
  attribute(name, .string, userInfo, transient: transient)
}

func toOne(
  _ name: String, _ destination: String, inverse: String? = nil, optional: Bool = false,
  _ userInfo: [String: String] = [:], columns: [ForeignKeyColumn] = []
) -> RelationshipDescription {
  RelationshipDescription(
    name: name, destination: destination, isOptional: optional, inverse: inverse, userInfo: userInfo,
    columns: columns)
}

func toMany(
  _ name: String, _ destination: String, inverse: String? = nil, ordered: Bool = false,
  _ userInfo: [String: String] = [:], columns: [ForeignKeyColumn] = [], join: JoinTableDescription? = nil
) -> RelationshipDescription {
  RelationshipDescription(
    name: name, destination: destination, isToMany: true, isOrdered: ordered, inverse: inverse,
    userInfo: userInfo, columns: columns, joinTable: join)
}

/// An entity with the properties given, whichever they are.
func entity(
  _ name: String, parent: String? = nil, abstract: Bool = false, _ attributes: [AttributeDescription] = [],
  _ relationships: [RelationshipDescription] = [], unique: [[String]] = [], table: String? = nil,
  key: [KeyColumn] = [], discriminator: DiscriminatorDescription? = nil
) -> EntityDescription {
  EntityDescription(
    name: name, parent: parent, isAbstract: abstract, attributes: attributes, relationships: relationships,
    uniquenessConstraints: unique, table: table, primaryKey: key, discriminator: discriminator)
}

/// A note with items, where the item's attributes and the two relationships can be given.
func notes(
  _ item: [AttributeDescription] = [], items: [String: String] = [:], note: [String: String] = [:],
  noteIsOptional: Bool = false
) -> [EntityDescription] {
  [
    entity("Note", [attribute("uid", .uuid)], [toMany("items", "Item", inverse: "note", items)]),
    entity("Item", item, [toOne("note", "Note", inverse: "items", optional: noteIsOptional, note)]),
  ]
}
