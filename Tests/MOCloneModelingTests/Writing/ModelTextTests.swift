import Foundation
import MOCloneKit
import MOCloneModeling
import MOCloneTesting
import TestSupport
import Testing

@Suite("The YAML text of a model")
struct ModelTextTests {
  @Test(arguments: ["HealthNotes", "Chinook", "Northwind"])
  func aModelIsReadBackAsItWas(name: String) throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let model = try ObjectModel(contentsOf: root.appendingPathComponent("Models/\(name).yml"))
    #expect(try ObjectModel(yaml: ModelDraft(model).yaml) == model)
  }

  @Test(arguments: 0..<100)
  func aRandomModelIsReadBackAsItWas(seed: Int) throws {
    let model = try DifferentialCase(seed: UInt64(seed)).model
    #expect(try ObjectModel(yaml: ModelDraft(model).yaml) == model)
  }

  static let hostile = [
    "", " ", "no", "null", "~", "1:30", "017", "a: b", "a #b", "- a", "[a]", "{a}", "*a", "&a", "!a", "'",
    "\"", "\\",
    "a\nb", "a\tb", "\u{0}", "\u{7F}", "\u{85}", "\u{A0}", "\u{2028}", "\u{202E}", "\u{FEFF}", "é",
    "e\u{301}", "日本",
    "🌲", "%a", "@a", "`a", "a,b", "x-a", "a ", "?", "a?", ":", "-", "true", "1e3", "0x1F", ".5", "=", "<<",
    "---", "...",
  ]

  @Test(arguments: hostile)
  func anyStringIsReadBackAsItWas(text: String) throws {
    var draft = ModelDraft(name: text, extensions: ["x-\(text)": .map([text: .list([.text(text)])])])
    draft.entities = [
      EntityDescription(
        name: "Note",
        attributes: [
          AttributeDescription(
            name: "name", type: .string, defaultValue: .string(text),
            userInfo: [text: text, "note": text], extensions: ["x-a": .text(text)]),
          AttributeDescription(
            name: "day", type: .date, isOptional: true, defaultValue: .date(Date(timeIntervalSince1970: 0.5))),
          AttributeDescription(
            name: "price", type: .decimal, defaultValue: .decimal(Decimal(string: "1.10")!)),
          AttributeDescription(
            name: "ratio", type: .double, defaultValue: .double(-0.5), minimum: -1, maximum: 1e20),
        ])
    ]
    draft.comments = [.model: [text], .entity("Note") / "attributes" / "name": [text, "two\nlines"]]
    draft.suggestions = [
      .init(at: .entity("Note") / "attributes" / "name", .annotate(key: text, value: text), reason: text)
    ]
    let read = ModelParser.parse(SourceFile(path: "x.yml", text: draft.yaml))
    #expect(read.model == draft.unvalidated, "\(draft.yaml)\n\(read.diagnostics)")
  }

  @Test func aShortFormIsUsedWhereItSaysTheSame() {
    var draft = ModelDraft(name: "Notes", store: StoreOptions(naming: .grdb))
    draft.comments = [
      .model: ["Read from notes.sqlite."], .entity("Note"): ["A note."],
      .entity("Note") / "relationships" / "items": ["What it owns."],
    ]
    draft.suggestions = [
      .init(
        at: .entity("Note") / "attributes" / "uuid", .annotate(key: "rebuild", value: "uuid"),
        reason: "every value is another UUID")
    ]
    draft.entities = [
      EntityDescription(
        name: "Note",
        attributes: [
          AttributeDescription(name: "text", type: .string, isOptional: true),
          AttributeDescription(name: "size", type: .integer64),
          AttributeDescription(name: "uuid", type: .uuid, userInfo: ["for": "sync"]),
        ],
        relationships: [
          RelationshipDescription(
            name: "items", destination: "Item", isToMany: true, inverse: "note", deleteRule: .cascade)
        ],
        uniquenessConstraints: [["uuid"]], primaryKey: [KeyColumn("note_id")]),
      EntityDescription(
        name: "Item",
        relationships: [
          RelationshipDescription(
            name: "note", destination: "Note", isOptional: true, inverse: "items",
            columns: [ForeignKeyColumn("note_no")])
        ],
        primaryKey: [KeyColumn("a"), KeyColumn("b", generate: .max)]),
    ]
    #expect(
      draft.yaml == """
        # Read from notes.sqlite.
        version: 1
        name: Notes

        store:
          naming: grdb

        entities:

          # A note.
          Note:
            primaryKey: note_id
            attributes:
              text: String?
              size: Integer 64
              # Suggested: userInfo: {rebuild: uuid} (every value is another UUID)
              uuid: {type: UUID, userInfo: {for: sync}}
            relationships:
              # What it owns.
              items: {destination: Item, toMany: true, inverse: note, deleteRule: cascade}
            uniquenessConstraints: [[uuid]]

          Item:
            primaryKey: [a, {column: b, generate: max}]
            relationships:
              note: {destination: Note, optional: true, inverse: items, column: note_no}

        """)
    draft.applySuggestions()
    #expect(
      draft.yaml.contains(
        "# every value is another UUID\n      uuid: {type: UUID, userInfo: {for: sync, rebuild: uuid}}"))
  }
}
