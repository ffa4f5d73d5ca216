import Foundation
import MOCloneKit
import MOCloneModeling
import Testing

@Suite("The model that a Core Data store holds")
struct ArchivedModelTests {
  /// The archive of a model of one entity with some properties.
  private func archive(_ properties: [(String, Archived)], entity: [(String, Archived)] = []) -> Data {
    let entity = Archived.object(
      "NSEntityDescription",
      [
        ("NSEntityName", .string("Note")), ("NSClassNameForEntity", .string("CDNote")),
        ("NSProperties", .map(properties)),
      ] + entity)
    return ArchiveBuilder.data(
      .object(
        "NSManagedObjectModel",
        [("NSEntities", .map([("Note", entity)])), ("NSVersionIdentifiers", .list([.string("7")]))]))
  }

  private func draft(_ properties: [(String, Archived)], entity: [(String, Archived)] = []) throws
    -> ModelDraft
  {
    try ModelDraft(storeAt: "Notes.sqlite", archive: archive(properties, entity: entity))
  }

  private func attribute(_ type: Int, _ entries: [(String, Archived)]) throws -> AttributeDescription {
    let attribute = Archived.object(
      "NSAttributeDescription",
      [("NSPropertyName", .string("a")), ("NSAttributeType", .plain(type))] + entries)
    return try #require(try draft([("a", attribute)]).entities.first?.attributes.first)
  }

  @Test func anEntityHasItsNamesAndUserInfo() throws {
    let draft = try draft(
      [],
      entity: [
        ("NSIsAbstract", .boolean(true)), ("NSRenamingIdentifier", .string("Memo")),
        ("NSUserInfo", .map([("key", .string("vålue")), ("number", .integer(1))])),
        ("NSUniqueTuples", .list([.list([.string("a"), .string("b")])])), ("NSNew", .string("?")),
      ])
    let note = draft.entities[0]
    #expect(draft.name == "Notes")
    #expect(note.name == "Note" && note.isAbstract && note.renamedFrom == "Memo")
    #expect(note.userInfo == ["key": "vålue"] && note.uniquenessConstraints == [["a", "b"]])
    #expect(kept(note.extensions) == ["representedClassName": .text("CDNote")])
    #expect(kept(draft.extensions) == ["userDefinedModelVersionIdentifier": .text("7")])
    #expect(
      draft.omissions == [
        "Left out: the 'NSNew' of the entity 'Note' in the archive.",
        "Left out: the userInfo 'number' of 'Note', which is no string.",
      ])
  }

  @Test(arguments: [
    (100, AttributeType.integer16), (200, .integer32), (300, .integer64), (400, .decimal), (500, .double),
    (600, .float),
    (700, .string), (800, .boolean), (900, .date), (1000, .binary), (1100, .uuid), (1200, .uri),
    (1800, .transformable),
  ])
  func everyTypeIsKnown(number: Int, type: AttributeType) throws {
    let attribute = try attribute(number, [("NSIsOptional", .boolean(true))])
    #expect(attribute.type == type && attribute.isOptional && attribute.defaultValue == nil)
  }

  static let decimal = Archived.object(
    "NSDecimalNumber",
    [
      ("NS.mantissa", .data([0x40, 0xE2, 0x01, 0x00, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])),
      ("NS.exponent", .plain(-3)),
      ("NS.length", .plain(2)), ("NS.negative", .boolean(true)), ("NS.mantissa.bo", .plain(1)),
    ])

  @Test func defaultsAreOfTheirType() throws {
    func value(_ type: Int, _ value: Archived) throws -> AttributeValue? {
      try attribute(type, [("NSDefaultValue", value)]).defaultValue
    }
    #expect(try value(100, .integer(-3)) == .integer(-3))
    #expect(try value(500, .integer(2)) == .double(2))
    #expect(try value(500, .object("NSNumber", [])) == nil)
    #expect(try value(600, .real(Double(Float(0.1)))) == .double(0.1))
    #expect(try value(700, .object("NSMutableString", [("NS.string", .string("text"))])) == .string("text"))
    #expect(try value(800, .integer(1)) == .bool(true))
    let date = Archived.object("NSDate", [("NS.time", .real(388_411_200.5))])
    #expect(try value(900, date) == .date(Date(timeIntervalSinceReferenceDate: 388_411_200.5)))
    let uuid = UUID()
    let bytes = withUnsafeBytes(of: uuid.uuid) { Array($0) }
    #expect(try value(1100, .object("NSUUID", [("NS.uuidbytes", .data(bytes))])) == .uuid(uuid))
    #expect(try value(1200, .object("NSURL", [("NS.relative", .string("a:b"))])) == .string("a:b"))
    #expect(try value(400, Self.decimal) == .decimal(Decimal(string: "-123.456")!))
  }

  private func comparison(_ kind: Int, _ constant: Archived) -> Archived {
    .object(
      "NSComparisonPredicate",
      [
        ("NSLeftExpression", .object("NSSelfExpression", [("NSExpressionType", .plain(1))])),
        (
          "NSRightExpression",
          .object(
            "NSConstantValueExpression", [("NSExpressionType", .plain(0)), ("NSConstantValue", constant)])
        ), ("NSPredicateOperator", .object("NSPredicateOperator", [("NSOperatorType", .plain(kind))])),
      ])
  }

  @Test func limitsArePredicates() throws {
    let limits = Archived.list([comparison(3, .integer(2)), comparison(1, .integer(9))])
    let number = try attribute(200, [("NSValidationPredicates", limits)])
    #expect(number.minimum == 2 && number.maximum == 9)
    let text = try attribute(
      700,
      [("NSValidationPredicates", .list([comparison(6, .string("[a-z]+")), comparison(1, .integer(5))]))])
    #expect(text.pattern == "[a-z]+" && text.maximum == 5)
    let other = Archived.object(
      "NSAttributeDescription",
      [
        ("NSPropertyName", .string("a")), ("NSAttributeType", .plain(700)),
        ("NSValidationPredicates", .list([comparison(5, .integer(5))])),
      ])
    #expect(
      try draft([("a", other)]).omissions == [
        "Left out: a rule of 'Note.a' that is neither a limit nor a pattern."
      ])
  }

  @Test func aDerivedAttributeHasItsExpression() throws {
    let path = Archived.object("NSKeyPathExpression", [("NSKeyPath", .string("items.@count"))])
    let derived = Archived.object(
      "NSDerivedAttributeDescription",
      [
        ("NSPropertyName", .string("a")), ("NSAttributeType", .plain(300)), ("NSDerivationExpression", path),
        ("NSFlagsKey", .plain(20)),
      ])
    let attribute = try #require(try draft([("a", derived)]).entities[0].attributes.first)
    #expect(attribute.derivation == .computed)
    #expect(
      kept(attribute.extensions) == [
        "derivationExpression": .text("items.@count"), "allowsExternalBinaryDataStorage": .text("YES"),
        "preserveAfterDeletion": .text("YES"),
      ])
  }

  @Test func inheritedPropertiesAreNotRepeated() throws {
    let property = Archived.object(
      "NSAttributeDescription", [("NSPropertyName", .string("a")), ("NSAttributeType", .plain(700))])
    let parent = Archived.object(
      "NSEntityDescription", [("NSEntityName", .string("Parent")), ("NSProperties", .map([("a", property)]))])
    let note = try #require(
      try draft([("a", property)], entity: [("NSSuperentity", parent)]).entities.first { $0.name == "Note" })
    #expect(note.parent == "Parent" && note.attributes.isEmpty)
  }

  @Test func relationshipsHaveTheirInverseCountsOrderAndRule() throws {
    let relationship = Archived.object(
      "NSRelationshipDescription",
      [
        ("NSPropertyName", .string("items")), ("NSIsOptional", .boolean(true)),
        ("NSIsOrdered", .boolean(true)),
        ("NSMinCount", .plain(2)), ("NSMaxCount", .plain(0)), ("NSDeleteRule", .plain(3)),
        ("_NSDestinationEntityName", .string("Item")), ("_NSInverseRelationshipName", .string("note")),
      ])
    let items = try #require(try draft([("items", relationship)]).entities[0].relationships.first)
    #expect(items.isToMany && items.isOrdered && items.minCount == 2 && items.maxCount == nil)
    #expect(items.deleteRule == .deny && items.destination == "Item" && items.inverse == "note")
  }

  @Test func anArchiveOfSomethingElseIsRefused() {
    let others = [
      Data(), Data("bplist00".utf8), Data(repeating: 7, count: 100), ArchiveBuilder.data(.string("x")),
      ArchiveBuilder.data(.object("NSManagedObjectModel", [])),
    ]
    for data in others {
      #expect {
        try ModelDraft(storeAt: "Notes.sqlite", archive: data)
      } throws: {
        ($0 as? CloneError)?.failures.first?.code == .unsupportedModelSource
      }
    }
  }

  @Test func cyclesEnd() throws {
    // Its superentity, its properties and the expression of one are the entity itself.
    let data = ArchiveBuilder.data(
      .object(
        "NSManagedObjectModel",
        [
          (
            "NSEntities",
            .list([
              .object(
                "NSEntityDescription",
                [
                  ("NSEntityName", .string("Note")), ("NSSuperentity", .reference(4)),
                  ("NSProperties", .reference(4)),
                  ("NSCoreSpotlightDisplayName", .reference(4)),
                ])
            ])
          )
        ]))
    _ = try? ModelDraft(storeAt: "Notes.sqlite", archive: data)
  }
}
