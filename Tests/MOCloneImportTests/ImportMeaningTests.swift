import Foundation
import GRDB
import MOCloneImport
import MOCloneKit
import TestSupport
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
    "A name that no row has is refused where rows have a similar one of the model that nothing takes",
    arguments: Backend.allCases)
  func unmatchedNames(_ backend: Backend) throws {
    let orders = "entity: Order\nattributes: {number: '@number', note: '@remark'}\n"
    let lines = "relationships: {lines: {rows: lins, attributes: {position: '@position'}}}"
    for (text, format, mapping, name) in [
      (#"{"number": 1, "note": "a"}"#, FileFormat.ndjson, orders, "'note', which is not mapped"),
      (
        #"[{"number": 1, "lines": [{"position": 1}]}]"#, .json, orders + lines, "'lines', which is not mapped"
      ),
      (
        "<a><order number='1'><lines><lins/></lines></order></a>", .xml, "rows: order\n" + orders + lines,
        "'lines'"
      ),
    ] {
      let graph = try backend.graph(shopModel())
      let error = message { try graph.importText(text, format, mapping) }
      #expect(error.contains(name) && error.contains("unknown-name"), "\(error)")
      #expect(try graph.count("Order") == 0)
      try graph.importText(text, format, mapping + "\nignore: [note, lines, lins]")
      #expect(try graph.count("Order") == 1)
    }
    let graph = try backend.graph(shopModel())
    try graph.importText(#"{"number": 1, "rush": true}"#, .ndjson, orders + lines)
    #expect(try graph.count("Order") == 1)
  }

  @Test(
    "A column that no row needs may be missing, as a member of JSON may; not one that identifies objects",
    arguments: Backend.allCases)
  func missingColumns(_ backend: Backend) throws {
    let mapping = "entity: Order\nattributes: {number: '@number', note: '@remark'}\n"
    for (text, format) in [("number\n1\n", FileFormat.csv), (#"{"number": 1}"#, .ndjson)] {
      let graph = try backend.shop()
      let report = try graph.importText(text, format, mapping)
      #expect(report.created == ["Order": 1])
      #expect(report.missingColumns == (format == .csv ? ["remark"] : nil))
    }
    for (text, problem) in [
      ("remark\na\n", "has no column 'number'"),
      ("number,remrk\n1,a\n", "has no column 'remark'; did you mean"),
      ("number,note\n1,a\n", "no row has 'remark', which 'note' is read from"),
    ] {
      let graph = try backend.shop()
      let error = message { try graph.importText(text, .csv, mapping) }
      #expect(error.contains(problem) && error.contains("unknown-name"), "\(error)")
      #expect(try graph.count("Order") == 0)
    }
  }

  @Test(
    "What to type so that a column is ignored works, whatever its name is",
    arguments: [
      ("", "''"), (" z", "' z'"), ("it's", #"'it'\''s'"#), ("2: [a]", "'2: [a]'"), ("colour", "colour"),
    ])
  func typedNames(_ name: String, _ word: String) throws {
    let csv = "name,\"\(name)\"\nx,1\n"
    let graph = try Backend.memory.shop()
    let error = message { try graph.importText(csv, .csv, Self.tags) }
    #expect(error.contains("`--ignore \(word)`"), "\(error)")
    let parts = error.split(separator: "`")
    let ignoring = try #require(parts.first(where: { $0.hasPrefix("ignore: ") }))
    #expect(try graph.importText(csv, .csv, "\(Self.tags)\n\(ignoring)").created == ["Tag": 1])
  }

  @Test("A name of the model that the mapping does not take is told", arguments: Backend.allCases)
  func forgottenNames(_ backend: Backend) throws {
    let mapping = "entity: Order\nattributes: {number: '@number'}"
    for (text, format) in [
      ("number,rush\n1,true\n", FileFormat.csv), (#"{"number": 1, "rush": true}"#, .ndjson),
    ] {
      let graph = try backend.shop()
      let report = try graph.importText(text, format, mapping)
      #expect(report.created == ["Order": 1])
      #expect(report.skipped?.count == 1 && report.skipped?.first?.reason.contains("have 'rush'") == true)
      #expect(try graph.importText(text, format, mapping + "\nignore: rush").skipped == nil)
    }
  }

  @Test(
    "Rows of one name within each other are refused, and so is a value where an object is asked for",
    arguments: Backend.allCases)
  func nestedNames(_ backend: Backend) throws {
    let orders = "rows: order\nentity: Order\nattributes: {number: '@number'}\n"
    let lines = "relationships: {lines: {rows: line, attributes: {position: '@position'}}}"
    for rows in [
      "<order number='1'><order number='2'/></order>",
      "<order number='1'><line position='1'><line position='2'/></line></order>",
    ] {
      let graph = try backend.graph(shopModel())
      let error = message { try graph.importText("<a>\(rows)</a>", .xml, orders + lines) }
      #expect(error.contains("unknown-name") && error.contains(":1:"), "\(error)")
      #expect(try graph.count("Order") == 0)
    }
    let graph = try backend.graph(shopModel())
    let mapping =
      "entity: Order\nattributes: {number: '@number'}\nrelationships: {customer: {attributes: {name: '@customer.name'}}}"
    try graph.importText(#"{"number": 1, "customer": null}"#, .ndjson, mapping)
    for value in [#""Ann""#, "[]", "5"] {
      let error = message {
        try graph.importText("{\"number\": 1, \"customer\": \(value)}", .ndjson, mapping)
      }
      #expect(error.contains("expected an object, found a") && error.contains("bad-row"), "\(error)")
    }
  }

  /// Boxes with slots, whose key is that of the box with some of their attributes.
  private func boxes(_ backend: Backend, key: String, _ attributes: String) throws -> any ImportingGraph {
    try backend.graph(
      ObjectModel(
        yaml: """
          version: 1
          name: Boxes
          entities:
            Box:
              attributes: {name: String}
              relationships: {slots: {destination: Slot, toMany: true, inverse: box}}
              uniquenessConstraints: [[name]]
            Slot:
              primaryKey: [box_id, \(key)]
              attributes: {\(attributes)}
              relationships: {box: {destination: Box, inverse: slots}}
              uniquenessConstraints: [[label]]
          """))
  }

  @Test(
    "A to-one in the key of an existing object is not updated: a row that gives another one is refused",
    arguments: Backend.allCases)
  func keysOfReferences(_ backend: Backend) throws {
    let graph = try boxes(backend, key: "code", "code: String, label: String")
    let mapping =
      "entity: Slot\nattributes: {code: '@code', label: '@label'}\n"
      + "relationships: {box: {attributes: {name: '@box'}}}"
    func importSlot(of box: String, _ existing: ExistingPolicy) throws {
      var options = ImportOptions()
      options.existing = existing
      try graph.importText("code,label,box\nb,L,\(box)\n", .csv, mapping, options)
    }
    try importSlot(of: "A", .keep)
    let before = try graph.lines()
    let error = message { try importSlot(of: "B", .update) }
    #expect(error.contains("'box' is in the key of Slot, which never changes, so it cannot be overwritten"))
    #expect(error.contains("invalid-value"), "\(error)")
    #expect(try graph.lines() == before)
    try importSlot(of: "A", .update)
    #expect(try graph.lines() == before)
    for existing in [ExistingPolicy.keep, .fill] { try importSlot(of: "B", existing) }
    #expect(try graph.lines().filter { $0.hasPrefix("Slot") } == before.filter { $0.hasPrefix("Slot") })
  }

  @Test(
    "An attribute in the key of an existing object is not updated: a row that gives another value is refused",
    arguments: Backend.allCases)
  func keysOfAttributes(_ backend: Backend) throws {
    let graph = try boxes(
      backend, key: "code, place", "code: UUID, place: Integer 32, label: String, note: String?")
    let mapping =
      "entity: Slot\nattributes: {code: '@code', place: '@place', label: '@label', note: '@note'}\n"
      + "relationships: {box: {attributes: {name: '@box'}}}"
    func importSlot(_ code: String, _ place: String, note: String, _ existing: ExistingPolicy) throws {
      var options = ImportOptions()
      options.existing = existing
      try graph.importText(
        "code,place,label,note,box\n\(code),\(place),L,\(note),A\n", .csv, mapping, options)
    }
    let (code, other) = ("9F8E7D6C-0000-4000-8000-00000000000A", "9F8E7D6C-0000-4000-8000-00000000000B")
    try importSlot(code, "7", note: "old", .keep)
    let before = try graph.lines()
    for (name, code, place) in [("code", other, "7"), ("place", code, "8")] {
      let error = message { try importSlot(code, place, note: "new", .update) }
      #expect(
        error.contains("'\(name)' is in the key of Slot, which never changes, so it cannot be overwritten"))
      #expect(error.contains("invalid-value"), "\(error)")
      #expect(try graph.lines() == before)
      for existing in [ExistingPolicy.keep, .fill] { try importSlot(code, place, note: "new", existing) }
      #expect(try graph.lines() == before)
    }
    try importSlot(code.lowercased(), "007", note: "new", .update)
    #expect(try graph.lines() == before.map { $0.replacing("old", with: "new") })
  }

  @Test("A required date of change that a row leaves out is the run's", arguments: Backend.allCases)
  func dateOfChange(_ backend: Backend) throws {
    let model = try ObjectModel(
      yaml:
        "version: 1\nname: T\nentities: {Tag: {attributes: {name: String, seen: Date}, uniquenessConstraints: [[name]]}}"
    )
    let graph = try backend.graph(model)
    let mapping = "entity: Tag\nattributes: {name: '@name', seen: '@seen'}"
    let rows = #"{"name": "a", "seen": "2025-01-31T00:00:00Z"}"# + "\n" + #"{"name": "b"}"#
    let error = message { try graph.importText(rows, .ndjson, mapping) }
    #expect(error.contains("requires 'seen'"))
    try graph.importText(rows, .ndjson, mapping, transferOptions: TransferOptions(modifiedName: "seen"))
    #expect(try graph.objects("Tag").filter { try !$0.value("seen").isNull }.count == 2)
  }

  @Test("A mapping gives no value to what the store computes")
  func computed() throws {
    let model = try ObjectModel(
      yaml:
        "version: 1\nname: T\nentities: {Tag: {attributes: {name: String, size: {type: Double, optional: true, derived: true}}}}"
    )
    let error = message {
      try MemoryGraph(model: model).importText(
        "name,size\na,1\n", .csv, "entity: Tag\nattributes: {name: '@name', size: '@size'}")
    }
    #expect(error.contains("'size' is derived, so the store computes it"))
  }

  @Test(
    "A required value is asked for only where a row makes a new object", arguments: Backend.allCases,
    [FileFormat.csv, .ndjson])
  func leftOut(_ backend: Backend, _ format: FileFormat) throws {
    let model = try ObjectModel(
      yaml: "version: 1\nname: Goods\n"
        + SharedModel.goods(attributes: ", price: Double, note: String?", hasUnit: true))
    let mapping = """
      entity: Item
      attributes: {name: '@name', price: '@price', note: '@note'}
      relationships: {unit: {attributes: {name: '@unit'}}}
      """
    func rows(_ rows: [[String?]]) -> String {
      let names = ["name", "price", "note", "unit"]
      if format == .csv {
        return ([names] + rows.map { $0.map { $0 ?? "" } }).map { $0.joined(separator: ",") }.joined(
          separator: "\n")
      }
      return rows.map { row in
        "{"
          + zip(names, row).compactMap { name, value in value.map { "\"\(name)\": \"\($0)\"" } }.joined(
            separator: ", ")
          + "}"
      }.joined(separator: "\n")
    }
    let graph = try backend.graph(model)
    try graph.importText(rows([["milk", "2", "a", "l"], ["salt", "1", "a", "kg"]]), format, mapping)
    for existing in ExistingPolicy.allCases {
      try graph.importText(
        rows([["milk", nil, "b", nil], ["salt", "3", nil, nil]]), format, mapping,
        ImportOptions(existing: existing))
    }
    #expect(try graph.objects("Item").map { try $0.value("price") } == [2.0, 3.0])
    #expect(try graph.objects("Item").map { try $0.value("note") } == ["b", "a"])
    let lacking = rows(
      [["milk", nil, nil, nil], ["tea", nil, nil, "g"], ["rye", "1", nil, "g"], ["jam", "1", nil, nil]]
        + (0..<1200).map { ["item \($0)", nil, nil, "g"] })
    let stopped = message { try graph.importText(lacking, format, mapping) }
    #expect(stopped.contains("the row inserts a new Item, which requires 'price'"), "\(stopped)")
    #expect(
      stopped.split(separator: "\n").count == 21 && stopped.contains(" more rows are refused"),
      "\(stopped.suffix(200))")
    let folder = try TemporaryFolder()
    let report = try graph.importText(
      lacking, format, mapping, ImportOptions(badRows: .skip(rejects: folder.file("rejects").path)))
    #expect(report.rejected?.rows == 1202 && report.created == ["Item": 1, "Unit": 1])
    #expect(try graph.count("Item") == 3)
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
    "XML: elements within the text of a value are a bad row, also where rows take their name elsewhere",
    arguments: Backend.allCases)
  func mixedTexts(_ backend: Backend) throws {
    let graph = try backend.shop()
    func mapping(_ attributes: String) -> String {
      "rows: p\nentity: Customer\nattributes: {\(attributes)}\n"
    }
    let (apart, within) = (mapping("name: '@name', mail: '@mail'"), mapping("name: '@', mail: '@mail'"))
    for (row, mapping, name) in [
      ("<p>\n<name>Ann <mail>no</mail> Lee</name></p><p><mail>m</mail></p>", apart, "3:1: 'name'"),
      ("<p>\n<name><mail>all</mail></name></p>", apart, "3:1: 'name'"),
      ("<p>Ann <mail>no</mail> Lee</p>", within, "2:1: the row"),
    ] {
      let error = message { try graph.importText("<a>\n\(row)</a>", .xml, mapping) }
      #expect(error.contains("\(name) has elements within its text"), "\(error)")
      #expect(error.contains("bad-row") && !error.contains("unknown-name"), "\(error)")
      #expect(try graph.count("Customer") == 0)
    }
    let rows = "<a><p><name>Ann</name><mail>m</mail></p></a>"
    try graph.importText(rows, .xml, apart)
    let ignored = "<a><p><name>Ben<mail>no</mail></name></p></a>"
    try graph.importText(ignored, .xml, mapping("name: '@name'") + "ignore: mail")
    #expect(try graph.objects("Customer").map { try $0.value("name") } == ["Ann", "Ben"])
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
    "Bytes can be empty, as texts can; an empty cell without quotes says nothing",
    arguments: Backend.allCases)
  func emptyBytes(_ backend: Backend) throws {
    let graph = try backend.graph(
      ObjectModel(
        yaml: """
          version: 1
          name: Events
          entities:
            Event:
              attributes: {code: String, data: Binary?, text: String?}
              uniquenessConstraints: [[code]]
            Packet:
              attributes: {code: String, data: Binary}
              uniquenessConstraints: [[code]]
          """))
    let mapping = "entity: Event\nattributes: {code: '@code', data: '@data', text: '@text'}"
    try graph.importText("code,data,text\na,\"\",\"\"\nb,,\n", .csv, mapping)
    let rows = #"{"code": "c", "data": "", "text": ""}"# + "\n" + #"{"code": "d", "data": null}"# + "\n"
    try graph.importText(rows, .ndjson, mapping)
    let events = try graph.objects("Event")
    #expect(try events.map { try $0.value("data") } == [.binary(Data()), .null, .binary(Data()), .null])
    #expect(try events.map { try $0.value("text") } == ["", .null, "", .null])
    let required = "entity: Packet\nattributes: {code: '@code', data: '@data'}"
    try graph.importText(#"{"code": "a", "data": ""}"#, .ndjson, required)
    #expect(try graph.objects("Packet").map { try $0.value("data") } == [.binary(Data())])
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
