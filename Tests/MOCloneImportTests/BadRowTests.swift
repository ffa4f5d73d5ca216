import Foundation
import GRDB
import MOCloneKit
import TestSupport
import Testing

@Suite("Bad rows")
struct BadRowTests {
  private let mapping = """
    entity: Order
    attributes: {number: '@number', note: '@note', rush: '@rush', modified: '@modified'}
    relationships: {lines: {attributes: {position: '@number', quantity: '@quantity'}}}
    """

  private static let csv = """
    number,note,rush,modified,quantity
    1,fine,true,2025-01-31,2
    x,many,maybe,2025-02-30,-1
    99999999999,y,,,
    ,y,true,,
    5,ok,no,2025-01-31T12:00:00Z,1.5
    """

  private func place(_ text: String, _ line: Int, _ column: Int) -> Bool {
    text.contains(".csv:\(line):\(column): ")
  }

  @Test(
    "Each names file, line, column, attribute and what was expected, all at once; nothing is imported",
    arguments: Backend.allCases)
  func stop(_ backend: Backend) throws {
    let graph = try backend.shop()
    let before = try graph.lines()
    let text = message { try graph.importText(Self.csv, .csv, mapping) }
    #expect(
      place(text, 3, 1) && text.contains("'x' in '@number' is not a valid Integer 32 for 'number' of Order"))
    #expect(
      place(text, 3, 8)
        && text.contains(
          "'maybe' in '@rush' is not a valid Boolean for 'rush' of Order; expected true or false")
    )
    #expect(
      place(text, 3, 14)
        && text.contains("for 'modified' of Order; expected a date such as 2025-01-31T12:34:56.789Z"))
    #expect(
      place(text, 3, 25) && text.contains("'quantity' of Line is '-1', below its minimum 0"))
    #expect(place(text, 4, 1) && text.contains("'99999999999' in"))
    #expect(
      text.contains("5:1: Order is identified by number, which is null or empty, so no object is inserted"))
    #expect(try graph.lines() == before)
  }

  @Test func whatToDoAboutARowIsTheSuggestion() throws {
    let mapping = "entity: Order\nattributes: {number: '@number', rush: '@rush'}"
    for (text, advice) in [
      ("number,rush\n1,maybe\n", "expected true or false"),
      ("number,rush\n1,\"true\"x\n", "double a quote inside a value"),
      ("numbr,rush\n1,true\n", "did you mean 'numbr'?"),
    ] {
      let graph = try Backend.memory.shop()
      let error = #expect(throws: CloneError.self) { try graph.importText(text, .csv, mapping) }
      #expect(error?.recoverySuggestion == advice)
      #expect(error?.failures.first?.message.hasSuffix("; " + advice) == true)
    }
  }

  @Test(
    "With skip the others are imported, and these are written down as they were", arguments: Backend.allCases)
  func skip(_ backend: Backend) throws {
    let graph = try backend.shop()
    let rejects = try TestFile("", "ndjson")
    let options = ImportOptions(badRows: .skip(rejects: rejects.path))
    let planned = try graph.importText(
      Self.csv, .csv, mapping, options, transferOptions: TransferOptions(isDryRun: true))
    #expect(planned.skipped?.isEmpty == false)
    #expect(try String(contentsOfFile: rejects.path, encoding: .utf8) == "")
    let report = try graph.importText(Self.csv, .csv, mapping, options)
    #expect(report.created == ["Order": 2, "Line": 2])
    #expect(
      Set(report.skipped!.map { $0.place.split(separator: ":").dropFirst().first! }) == ["3", "4", "5"])
    let lines = try String(contentsOfFile: rejects.path, encoding: .utf8).split(separator: "\n")
    #expect(lines.count == 4 && lines[0] == "number,note,rush,modified,quantity,moclone_reasons")
    #expect(
      lines[1].hasPrefix("x,many,maybe,2025-02-30,-1,\"") && lines[1].contains("for 'number' of Order"))
    #expect(!lines[1].contains("is identified by"))
  }

  @Test(
    "What keeps the rest of a file from being read ends an import even with skip", arguments: Backend.allCases
  )
  func broken(_ backend: Backend) throws {
    let graph = try backend.shop()
    let rejects = try TestFile("", "ndjson")
    let options = ImportOptions(badRows: .skip(rejects: rejects.path))
    let flat = "entity: Tag\nattributes: {name: '@name'}"
    for (text, format) in [
      ("name\na\n\"b\n", FileFormat.csv), ("[{\"name\": \"a\"}, {\"name\": ", .json),
      ("<r><t name='a'/><t name='b'", .xml),
    ] {
      let mapping = format == .xml ? "rows: t\n" + flat : flat
      let error = #expect(throws: CloneError.self) { try graph.importText(text, format, mapping, options) }
      #expect(error?.code == .brokenFile)
      #expect(try graph.count("Tag") == 0)
    }
  }

  @Test("Types of JSON: numbers are no texts, flags no numbers, texts are read")
  func literals() throws {
    let graph = try Backend.memory.shop()
    let mapping = "entity: Article\nattributes: {name: '@name', price: '@price'}"
    let text = message {
      try graph.importText(
        "{\"name\": 5}\n{\"name\": \"a\", \"price\": true}\n{\"name\": \"b\", \"price\": \"1.5\"}", .ndjson,
        mapping)
    }
    #expect(text.contains("5 in '@name' is not a valid String for 'name' of Article"))
    #expect(text.contains("true in '@price' is not a valid Double for 'price' of Article"))
    #expect(!text.contains(":3:"))
  }

  @Test("Numbers are decimal: no words, no hexadecimal ones, none too great", arguments: Backend.allCases)
  func numbers(_ backend: Backend) throws {
    let graph = try backend.shop()
    let mapping = "entity: Article\nattributes: {name: '@name', price: '@price'}"
    for text in ["nan", "inf", "infinity", "0x10", "1e999", "1,5", "1.2.3", "--1", "1e", "."] {
      let error = message {
        try graph.importText("name;price\na;\(text)\n", .csv, "delimiter: ;\n" + mapping)
      }
      #expect(
        error.contains("'\(text)' in '@price' is not a valid Double for 'price' of Article"), "\(error)")
    }
    try graph.importText("name,price\na,-1.5e2\nb,+.5\nc,7\n", .csv, mapping)
    #expect(try graph.objects("Article").map { try $0.value("price") } == [-150.0, 0.5, 7.0])
  }

  @Test("Bad rows are never written into the file that is read")
  func ownFile() throws {
    let file = try TestFile("number\nx\n1\n", "csv")
    let graph = try Backend.memory.shop()
    let mapping = try ImportMapping(yaml: "entity: Order\nattributes: {number: '@number'}")
    let options = ImportOptions(badRows: .skip(rejects: file.path))
    let text = message { try graph.importFile(file.path, mapping: mapping, options: options) }
    #expect(text.contains("it is the input of this run"))
    #expect(try String(contentsOfFile: file.path, encoding: .utf8) == "number\nx\n1\n")
  }

  @Test("Bad rows are never written into the store, the mapping or another file that must stay")
  func keptFiles() throws {
    let folder = try TemporaryFolder()
    let store = folder.url.appendingPathComponent("shop.sqlite").path
    let model = try shopModel()
    let queue = try DatabaseQueue(path: store)
    try queue.write { try SchemaWriter(model).create(in: $0) }
    let graph = SQLiteGraph(queue, model: model)
    let text = "entity: Order\nattributes: {number: '@number'}"
    let mapping = try folder.write(text.utf8, to: "map.yml")
    let other = try folder.write("other".utf8, to: "other").path
    let link = folder.url.appendingPathComponent("link").path
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: store)
    let rows = try folder.write("number\nx\n1\n".utf8, to: "rows.csv").path
    for path in [store, store + "-wal", link, mapping.path, other] {
      let bytes = FileManager.default.contents(atPath: path)
      var options = ImportOptions(badRows: .skip(rejects: path))
      options.keptFiles = [other]
      let error = #expect(throws: CloneError.self) {
        try graph.importFile(rows, mapping: ImportMapping(contentsOf: mapping), options: options)
      }
      #expect(error?.code == .neededFile && "\(error!)".contains("this run needs"), "\(path)")
      #expect(FileManager.default.contents(atPath: path) == bytes)
    }
    #expect(try graph.count("Order") == 0)
  }

  @Test(
    "The rejects of an import that fails leave those of an earlier one alone", arguments: Backend.allCases)
  func failing(_ backend: Backend) throws {
    let folder = try TemporaryFolder()
    let rejects = try folder.write("earlier".utf8, to: "rejects")
    let graph = try backend.shop()
    let options = ImportOptions(badRows: .skip(rejects: rejects.path))
    let flat = "entity: Order\nattributes: {number: '@number'}"
    #expect(throws: CloneError.self) { try graph.importText("number\nx\n\"1\n", .csv, flat, options) }
    #expect(try String(contentsOf: rejects, encoding: .utf8) == "earlier")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["rejects"])
    try graph.importText("number\nx\n1\n", .csv, flat, options)
    #expect(try String(contentsOf: rejects, encoding: .utf8).contains("\nx,\"'x' in '@number'"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["rejects"])
  }

  @Test(
    "A dry run meets a file for bad rows that cannot be written, as the run does", arguments: Backend.allCases
  )
  func unwritableFile(_ backend: Backend) throws {
    let folder = try TemporaryFolder()
    let graph = try backend.shop()
    let flat = "entity: Order\nattributes: {number: '@number'}"
    let file = try folder.write("".utf8, to: "file").path
    for path in [folder.url.path, folder.url.path + "/missing/rejects", file + "/rejects"] {
      let options = ImportOptions(badRows: .skip(rejects: path))
      func refusal(_ transferOptions: TransferOptions) -> String {
        message {
          try graph.importText("number\nx\n1\n", .csv, flat, options, transferOptions: transferOptions)
        }
      }
      let planned = refusal(TransferOptions(isDryRun: true))
      #expect(
        planned.contains("'\(path)' cannot be written") && planned.contains("unwritable-file"), "\(planned)")
      #expect(refusal(TransferOptions()) == planned)
      // No file is asked for where no row is bad.
      try graph.importText(
        "number\n1\n", .csv, flat, options, transferOptions: TransferOptions(isDryRun: true))
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["file"])
    #expect(try graph.count("Order") == 0)
  }

  @Test("The list of rows twice is an error with its place", arguments: Backend.allCases)
  func listTwice(_ backend: Backend) throws {
    let graph = try backend.shop()
    let text = message {
      try graph.importText(
        "{\"tags\": [{\"name\": \"a\"}],\n \"tags\": [{\"name\": \"b\"}]}", .json,
        "rows: tags\nentity: Tag\nattributes: {name: '@name'}")
    }
    #expect(text.contains("rows.json:2:10: duplicate key 'tags' in the object that contains the rows"))
    #expect(try graph.count("Tag") == 0)
  }

  @Test("A required relationship whose key is empty is a bad row")
  func required() throws {
    let graph = try Backend.memory.shop()
    let mapping = """
      entity: Line
      attributes: {position: '@p'}
      relationships: {order: {attributes: {number: '@o'}}}
      """
    let options = ImportOptions(identifiedBy: ["Line": ["position"]])
    let null = message {
      try graph.importText("{\"p\": 1, \"o\": 2}\n{\"p\": 1, \"o\": null}", .ndjson, mapping, options)
    }
    #expect(null.contains(":2:1: 'order' of Line is required, but number of Order is null or empty"))
    let text = message { try graph.importText("{\"p\": 1, \"o\": 2}\n{\"p\": 2}", .ndjson, mapping, options) }
    #expect(text.contains(":2: the row inserts a new Line, which requires 'order'"))
  }

  @Test(
    "A row that says nothing of an optional object lacks nothing that the object would require",
    arguments: Backend.allCases)
  func optionalObject(_ backend: Backend) throws {
    let model = try ObjectModel(
      yaml: """
        version: 1
        name: Notes
        entities:
          Note:
            attributes: {text: String}
            relationships: {author: {destination: Author, optional: true, inverse: notes}}
          Author:
            attributes: {code: {type: String, optional: true}, name: String}
            relationships: {notes: {destination: Note, toMany: true, inverse: author}}
            uniquenessConstraints: [[code]]
        """)
    let mapping = """
      entity: Note
      attributes: {text: '@text'}
      relationships: {author: {attributes: {code: '@author.code', name: '@author.name'}}}
      """
    let graph = try backend.graph(model)
    try graph.importText(
      #"{"text": "a"}"# + "\n" + #"{"text": "b", "author": {"code": "x", "name": "X"}}"#, .ndjson, mapping)
    #expect(try [graph.count("Note"), graph.count("Author")] == [2, 1])
    let text = message { try graph.importText(#"{"text": "c", "author": {"code": "y"}}"#, .ndjson, mapping) }
    #expect(
      text.contains(":1: the row inserts a new Author, which requires 'name', but gives no value for it"))
  }

  @Test("No more than twenty failures are gathered, and the other bad rows are counted")
  func many() throws {
    let graph = try Backend.memory.shop()
    let csv = "name\n" + String(repeating: "\"a\"b\n", count: 100)
    let error = #expect(throws: CloneError.self) {
      try graph.importText(csv, .csv, "entity: Tag\nattributes: {name: '@name'}")
    }
    #expect(error?.failures.count == 21)
    #expect(error?.failures.last?.message.hasSuffix(": 80 more rows are refused") == true)
  }
}
