import Foundation
import MOCloneModel
import MOCloneYAML
import Testing

/// Every key of the format has its effect.
struct ModelFileTests {
  private func model(_ entities: String, store: String = "{}", more: String = "") throws -> ObjectModel {
    try ObjectModel(yaml: "version: 1\nname: T\nstore: \(store)\n\(more)entities:\n\(entities)")
  }

  @Test func attributesInTheirLongForm() throws {
    let note = try model(
      """
        Note:
          attributes:
            text:
              type: String
              optional: true
              default: "017"
              min: 1
              max: 80
              pattern: "[0-9]+"
              renamedFrom: old
              column: t
              userInfo: {a: no, b: 017, c: "", d: ~, e: ' x '}
            day: {type: Date, storage: unix, derived: true, optional: true}
            mark: {type: Boolean, transient: true, optional: true}
            count: {type: Integer 64, default: 0, derived: trigger}
            plain: {type: Integer 64, derived: false}
      """
    ).entity("Note")!
    let text = note.attributes[0]
    #expect(text.isOptional && text.defaultValue == "017" && text.minimum == 1 && text.maximum == 80)
    #expect(text.pattern == "[0-9]+" && text.renamedFrom == "old" && text.column == "t")
    #expect(text.userInfo == ["a": "no", "b": "017", "c": "", "d": "~", "e": " x "])
    #expect(note.attributes[1].storage == .date(.unix) && note.attributes[1].isDerived)
    #expect(note.attributes[2].isTransient)
    #expect(note.attributes[3...].map(\.derivation) == [.trigger, nil])
  }

  @Test(arguments: [
    ("String", "a", AttributeValue.string("a")), ("Boolean", "true", .bool(true)),
    ("Integer 16", "-5", .integer(-5)), ("Integer 64", "9223372036854775807", .integer(.max)),
    ("Double", "1e3", .double(1000)), ("Float", "0.5", .double(0.5)),
    ("Decimal", "1.10", .decimal(Decimal(string: "1.10")!)),
    ("Date", "2025-01-31T12:34:56.789Z", .date(Date(timeIntervalSince1970: 1_738_326_896.789))),
    ("Date", "2025-01-31", .date(Date(timeIntervalSince1970: 1_738_281_600))),
    (
      "UUID", "7D444840-9DC0-11D1-B245-5FFDCE74FAD2",
      .uuid(UUID(uuidString: "7D444840-9DC0-11D1-B245-5FFDCE74FAD2")!)
    ),
    ("Binary", "AAE=", .binary(Data([0, 1]))), ("URI", "http://a/b", .string("http://a/b")),
  ])
  func defaultsOfEveryType(_ type: String, _ text: String, _ value: AttributeValue) throws {
    let note = try model("  Note: {attributes: {a: {type: \(type), default: \"\(text)\"}}}").entity("Note")!
    #expect(note.attributes[0].defaultValue == value)
  }

  @Test func entitiesAndRelationshipsInTheirLongForm() throws {
    let model = try model(
      """
        Base: {abstract: true, table: things, primaryKey: [{column: a}, {column: b, generate: uuid}], discriminator: {column: kind, value: "0"}}
        Note:
          parent: Base
          discriminator: {value: "1"}
          configurations: [Default, Local]
          renamedFrom: Memo
          userInfo: {k: v}
          attributes: {name: String}
          uniquenessConstraints: [[name]]
          relationships:
            items:
              destination: Item
              toMany: true
              ordered: true
              inverse: note
              deleteRule: deny
              minCount: 1
              maxCount: 9
              orderColumn: place
        Item:
          relationships:
            note: {destination: Note, optional: true, inverse: items, column: [x, {column: y, references: b}]}
      """)
    let note = model.entity("Note")!
    #expect(
      note.parent == "Base" && note.configurations == ["Default", "Local"] && note.renamedFrom == "Memo")
    #expect(note.userInfo == ["k": "v"] && note.uniquenessConstraints == [["name"]])
    let items = note.relationships[0]
    #expect(items.isOrdered && items.deleteRule == .deny && items.minCount == 1 && items.maxCount == 9)
    #expect(!items.isOptional)
    let mapping = SchemaMapping(model)
    #expect(mapping["Note"].table == "things" && mapping["Note"].keyColumns == ["a", "b"])
    #expect(mapping["Note"].key[1].source == .uuid(.text))
    #expect(mapping["Note"].discriminator?.column == "kind" && mapping["Note"].discriminator?.value == "1")
    guard case .foreignKey(let key) = mapping["Item"].relationships["note"] else {
      Issue.record("no foreign key")
      return
    }
    #expect(key.columns == ["x", "y"] && key.references == ["a", "b"] && key.orderColumn == "place")
  }

  @Test(arguments: [
    "column: c, references: code", "column: {column: c, references: code}",
    "column: [{column: c, references: code}]",
  ])
  func aForeignKeyToAUniqueColumnInEveryForm(_ column: String) throws {
    let model = try model(
      """
        Note: {attributes: {code: String}, uniquenessConstraints: [[code]]}
        Item: {relationships: {note: {destination: Note, \(column)}}}
      """)
    #expect(model.entity("Item")!.relationships[0].columns == [ForeignKeyColumn("c", references: "code")])
  }

  @Test func storeOptionsAndTheirDefaults() throws {
    let all = try model(
      "  A: {}",
      store: "{naming: asWritten, schema: app, primaryKey: pk, dates: unix, uuids: blob, unmapped: refuse}")
    #expect(
      all.store
        == StoreOptions(
          naming: .asWritten, primaryKey: "pk", dates: .unix, uuids: .blob, unmapped: .refuse, schema: "app"))
    let grdb = try model("  A: {}", store: "{naming: grdb}").store
    #expect(grdb.dates == .sqlite && grdb.uuids == .blob && grdb.primaryKey == "id" && grdb.unmapped == .copy)
    let none = try model("  A: {}").store
    #expect(none.naming == .snakeCase && none.dates == .iso8601 && none.uuids == .text)
  }

  @Test func renamedAnnotationKeys() throws {
    let model = try model(
      "  A: {attributes: {id: {type: UUID, userInfo: {fresh: uuid}}}}",
      more: "userInfoKeys: {rebuild: fresh}\n")
    #expect(model.userInfoKeys == AnnotationKeys(rebuild: "fresh"))
  }

  @Test(arguments: ["nan", "inf", "-infinity", "1e999", "1_000", "", "0x"])
  func aLimitIsANumberThatCanBeWritten(_ text: String) {
    let error = #expect(throws: ModelError.self) {
      try model("  A: {attributes: {a: {type: Double, min: '\(text)'}}}")
    }
    #expect(error?.diagnostics.map(\.code) == [.wrongKind])
  }

  // MARK: Names in SQL

  /// The words are those of JSONEncoder, which this compares with.
  @Test(arguments: [
    "note", "itemData", "noteID", "aB", "URLForItem", "myURLProperty", "x1Y2", "already_snake", "HTTP",
    "nameOfURL", "a", "A", "AB", "aBC", "aBCd", "ABc", "Ab", "URLItem", "_private", "trailing_", "a1B2C3",
    "x_Y", "éÀÖb",
    "größeInÜbergang", "日本Name", "aBcDeFg",
  ])
  func snakeCaseIsJSONEncoders(_ name: String) throws {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    let data = try encoder.encode(OneKey(name: name))
    let words = try #require((try JSONSerialization.jsonObject(with: data) as? [String: Any])?.keys.first)
    let model = try model("  E: {attributes: {\(name): String}}")
    #expect(SchemaMapping(model)["E"].attributes[name]?.column == words)
  }

  private let joined = """
      ItemData: {relationships: {tags: {destination: Tag, toMany: true, inverse: datas}, one: {destination: Tag}}}
      Tag: {relationships: {datas: {destination: ItemData, toMany: true, ordered: true, inverse: tags}}}
    """

  @Test(arguments: [
    ("snakeCase", "item_data", "one_id", "item_data_tag", ["item_data_id"], ["tag_id"]),
    ("grdb", "itemData", "oneId", "itemDataTag", ["itemDataId"], ["tagId"]),
    ("asWritten", "ItemData", "one", "ItemData_Tag", ["ItemData"], ["Tag"]),
  ])
  func tablesKeysAndJoins(
    _ naming: String, _ table: String, _ key: String, _ join: String, _ columns: [String], _ others: [String]
  ) throws {
    let mapping = SchemaMapping(try model(joined, store: "{naming: \(naming)}"))
    #expect(mapping["ItemData"].table == table)
    #expect(mapping["ItemData"].foreignKeys.map(\.key.columns) == [[key]])
    guard case .join(let found) = mapping["ItemData"].relationships["tags"] else {
      Issue.record("no join table")
      return
    }
    #expect(found.table == join && found.columns == columns && found.destinationColumns == others)
    #expect(found.orderColumn == nil && found.inverseOrderColumn == columns[0] + "_order")
  }

  @Test(arguments: [
    ("", "", "B"), ("optional: true", "", "B"), ("", "optional: true", "A"),
    ("optional: true, column: x", "", "A"), ("", "column: x", "B"),
  ])
  func theSideOfAOneToOne(_ a: String, _ b: String, _ owner: String) throws {
    let mapping = SchemaMapping(
      try model(
        """
          A: {relationships: {b: {destination: B, inverse: a\(a.isEmpty ? "" : ", " + a)}}}
          B: {relationships: {a: {destination: A, inverse: b\(b.isEmpty ? "" : ", " + b)}}}
        """))
    #expect(mapping["A"].foreignKeys.isEmpty == (owner == "B"))
    #expect(mapping["B"].foreignKeys.isEmpty == (owner == "A"))
  }

  // MARK: JSON

  @Test(arguments: ["HealthNotes", "Chinook", "Northwind"])
  func sampleModelsAreValidAndSurviveJSON(_ name: String) throws {
    let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../Models/\(name).yml")
    let parsed = ModelParser.parse(try SourceFile(contentsOf: url))
    #expect(parsed.diagnostics == [])
    let model = try #require(parsed.model)
    let json = try JSONEncoder().encode(model)
    #expect(try JSONDecoder().decode(ObjectModel.self, from: json) == model)
    #expect(try ObjectModel(yaml: String(decoding: json, as: UTF8.self)) == model)
  }

  @Test func faultyJSONIsRefusedWithFindings() {
    let json = #"{"version": 1, "name": "x", "entities": {"A": {"parent": "B"}}}"#
    #expect(throws: ModelError.self) { try JSONDecoder().decode(ObjectModel.self, from: Data(json.utf8)) }
  }
}

/// An object with one key, which JSONEncoder's strategy turns into words.
private struct OneKey: Encodable {
  var name: String

  private struct Key: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(1, forKey: Key(stringValue: name))
  }
}
