import Foundation
import GRDB
import MOCloneImport
import MOCloneKit
import Testing

/// What the values and names of a file mean.
@Suite("Names, texts and notations of imports")
struct ImportMeaningTests {
  private static let tags = "entity: Tag\nattributes: {name: '@name'}"

  private static let unknown: [(text: String, format: FileFormat, mapping: String)] = [
    ("name,colour\nx,red\n", .csv, tags), ("[{\"name\": \"x\", \"colour\": \"red\"}]", .json, tags),
    ("{\"name\": \"x\"}\n{\"name\": \"y\", \"colour\": \"red\"}\n", .ndjson, tags),
    ("<a><tag name='x' colour='red'/></a>", .xml, "rows: tag\n" + tags),
    ("<a><tag name='x'><colour>red</colour></tag></a>", .xml, "rows: tag\n" + tags),
  ]

  @Test(
    "A name that neither mapping nor model knows is refused in every format, unless it is ignored",
    arguments: Backend.allCases)
  func unknownNames(_ backend: Backend) throws {
    for (text, format, mapping) in Self.unknown {
      let graph = try backend.shop()
      let error = message { try graph.importText(text, format, mapping) }
      #expect(error.contains("'colour'") && error.contains("unknown-name"), "\(format): \(error)")
      #expect(try graph.count("Tag") == 0)
      try graph.importText(text, format, mapping + "\nignore: colour")
      #expect(try graph.count("Tag") > 0)
      var options = ImportOptions()
      options.ignore = ["colour"]
      try graph.importText(text, format, mapping, options)
    }
  }

  @Test(
    "XML text is kept as it is; blanks go where that is asked for; text that goes nowhere is a bad row",
    arguments: Backend.allCases)
  func texts(_ backend: Backend) throws {
    let graph = try backend.shop()
    let mapping = "rows: tag\n" + Self.tags
    try graph.importText("<a><tag><name> x\n y </name></tag></a>", .xml, mapping)
    try graph.importText("<a><tag><name> z </name></tag></a>", .xml, mapping + "\ntrim: true")
    #expect(try graph.objects("Tag").map { try $0.value("name") } == [" x\n y ", "z"])
    let mixed = message { try graph.importText("<a><tag>lost <name>v</name></tag></a>", .xml, mapping) }
    #expect(mixed.contains("bad-row"))
    let none = message { try graph.importText("<a><tga name='x'/></a>", .xml, mapping) }
    #expect(none.contains("'tag'"))
  }

  @Test(
    "An empty cell changes nothing, the text for null does; a mark is set only where rows came",
    arguments: Backend.allCases)
  func emptyCells(_ backend: Backend) throws {
    let graph = try backend.shop()
    let mapping = "null: NULL\nentity: Order\nattributes: {number: '@number', note: '@note'}"
    try graph.importText("number,note\n1,a\n2,b\n", .csv, mapping)
    try graph.importText("number,note\n1,\n2,NULL\n", .csv, mapping, ImportOptions(existing: .update))
    #expect(try graph.objects("Order").map { try $0.value("note") } == ["a", .null])
    let empty = message {
      try graph.importText("number,note\n", .csv, mapping, ImportOptions(once: "orders"))
    }
    #expect(empty.contains("empty-input"))
    try graph.importText("number,note\n3,c\n", .csv, mapping, ImportOptions(once: "orders"))
    #expect(try graph.count("Order") == 3)
  }

  @Test(
    "An object is found in whatever notation the store holds its identity, by an index or without one",
    arguments: [true, false])
  func notations(hasIndex: Bool) throws {
    let id = "7D444840-9DC0-11D1-B245-5FFDCE74FAD2"
    let identities = [
      ("code", "UUID", "'\(id.lowercased())'", id),
      ("code", "UUID", "x'7D4448409DC011D1B2455FFDCE74FAD2'", id),
      ("code", "Decimal", "'1.50'", "1.5"), ("code", "Decimal", "1.5", "1.500"),
      ("code", "Date", "'2025-01-31 12:34:56'", "2025-01-31T12:34:56Z"), ("code", "Boolean", "5", "true"),
    ]
    for (name, type, stored, given) in identities {
      let model = try ObjectModel(
        yaml:
          "version: 1\nname: T\nentities: {Reading: {attributes: {code: \(type), note: String?}, uniquenessConstraints: [[code]]}}"
      )
      let queue = try DatabaseQueue()
      try queue.write { db in
        try db.execute(
          sql:
            "CREATE TABLE reading(id INTEGER PRIMARY KEY, code, note TEXT); INSERT INTO reading VALUES (7, \(stored), 'old');"
        )
        if hasIndex { try db.execute(sql: "CREATE INDEX by_code ON reading(code)") }
      }
      let report = try SQLiteGraph(queue, model: model).importText(
        "code,note\n\(given),new\n", .csv, "entity: Reading\nattributes: {\(name): '@code', note: '@note'}",
        ImportOptions(existing: .update))
      #expect(report.updated == ["Reading": 1], "\(type) \(stored)")
      #expect(try queue.read { try String.fetchAll($0, sql: "SELECT id || note FROM reading") } == ["7new"])
    }
  }
}
