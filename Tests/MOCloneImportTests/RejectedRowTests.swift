import Foundation
import MOCloneKit
import TestSupport
import Testing

/// Rows that were left out are a file of the same format, which is imported again once its values are right.
@Suite("Rejected rows")
struct RejectedRowTests {
  /// Five rows of which the second has a bad value, and the fourth several.
  private struct Case: CustomTestStringConvertible {
    var format: FileFormat
    var rows: String
    var mapping: String
    /// What is in the file for the bad values, and what is meant.
    var mended = [("many", "1"), ("-2", "2"), ("maybe", "true")]
    var testDescription: String { format.rawValue }
  }

  private static let lines = """
    entity: Order
    attributes: {number: '@number', rush: '@rush'}
    relationships: {lines: {attributes: {position: '@position', quantity: '@quantity'}}}
    """

  private static let cases = [
    Case(
      format: .csv,
      rows: #"""
        number,rush,note,position,quantity
        1,true,"a, ""b""",1,1.5
        2,false,"two
        lines",1,many
        3,true,,1,2
        4,maybe, ä ,1,-2
        5,,,,
        """#, mapping: lines + "\nignore: note"),
    Case(
      format: .tsv,
      rows: "number\trush\tposition\tquantity\r\n1\ttrue\t1\t1\r\n2\tfalse\t1\tmany\r\n4\tmaybe\t1\t-2",
      mapping: lines),
    Case(
      format: .ndjson,
      rows: #"""
        {"number": 1, "rush": true, "position": 1, "quantity": 1.5}
        { "note": "a\"}", "number": 2, "rush": false, "position": 1, "quantity": "many"}
        {"number": 3}
        {"number": 4, "rush": "maybe", "position": 1, "quantity": "-2", "note": {"x": []}}
        """#, mapping: lines + "\nignore: [note, x]"),
    Case(
      format: .json,
      rows: #"""
        {"all": {"title": "x", "orders": [
          {"number": 1, "rush": true, "lines": [{"position": 1, "quantity": 1}]},
          {"number": 2,
           "rush": false, "lines": [{"position": 1, "quantity": 1}, {"position": 2, "quantity": "many"}]},
          {"number": 4, "rush": "maybe", "lines": [{"position": 1, "quantity": "-2"}, {"position": 2, "quantity": "many"}]}
        ]}}
        """#,
      mapping: """
        rows: all.orders
        entity: Order
        attributes: {number: '@number', rush: '@rush'}
        relationships: {lines: {rows: lines, attributes: {position: '@position', quantity: '@quantity'}}}
        """),
    Case(
      format: .xml,
      rows: """
        <?xml version="1.0"?>
        <all xmlns="http://a.example" xmlns:x="http://x.example"><orders>
          <order number="1" rush="true"><line position="1" quantity="1"/></order>
          <order number="2" rush="false" x:note="&lt;&amp;&quot;&#10;"><!-- one --><line position="1" quantity="1"/>
            <line position="2"><quantity><![CDATA[many]]></quantity></line></order>
          <order number="4" rush="maybe"><line position="1" quantity="-2"/><line position="2" quantity="many"/></order>
        </orders></all>
        """,
      mapping: """
        rows: all/orders/order
        entity: Order
        attributes: {number: '@number', rush: '@rush'}
        relationships: {lines: {rows: line, attributes: {position: '@position', quantity: '@quantity'}}}
        ignore: 'x:note'
        """),
  ]

  @Test(
    "Are counted once each, are rejected again as they are, and imported once their values are right",
    arguments: cases, Backend.allCases)
  private func again(_ given: Case, _ backend: Backend) throws {
    let all = try backend.graph(shopModel())
    try all.importText(mended(given.rows, given), given.format, given.mapping)
    let graph = try backend.graph(shopModel())
    let folder = try TemporaryFolder()
    let first = try folder.write(given.rows.utf8, to: "rows.\(given.format)").path
    let report = try skip(first, given.mapping, in: graph)
    #expect(report.rejected == .init(rows: 2, file: first + ".rejects"))
    #expect(report.skipped?.count == (given.format == .json || given.format == .xml ? 4 : 3))
    #expect(
      try String(contentsOfFile: first + ".rejects", encoding: .utf8).contains("is not a valid Boolean"))
    let before = try graph.lines()
    let second = try skip(first + ".rejects", given.mapping, in: graph)
    #expect(second.rejected?.rows == 2 && second.created == nil && second.found == nil)
    #expect(try graph.lines() == before)
    let rejects = try String(contentsOfFile: first + ".rejects.rejects", encoding: .utf8)
    #expect(rejects.matches(of: /moclone_reasons/).count <= 2, "\(rejects)")
    let fixed = try folder.write(mended(rejects, given).utf8, to: "right.\(given.format)").path
    try graph.importFile(fixed, mapping: ImportMapping(yaml: given.mapping))
    #expect(try undated(graph) == undated(all))
  }

  /// The lines of a graph without dates of change.
  private func undated(_ graph: any ImportingGraph) throws -> [String] {
    try graph.lines().map { $0.replacing(/modified: [^,)]*/, with: "") }.sorted()
  }

  private func skip(_ path: String, _ mapping: String, in graph: any ImportingGraph) throws -> TransferReport
  {
    let options = ImportOptions(badRows: .skip(rejects: path + ".rejects"))
    return try #require(
      try graph.importFile(path, mapping: ImportMapping(yaml: mapping), options: options))
  }

  /// The text with right values; what the reasons say of them may change, too.
  private func mended(_ text: String, _ given: Case) -> String {
    given.mended.reduce(text) { $0.replacing($1.0, with: $1.1) }
  }

  @Test("Rows that cannot be understood are written byte by byte, and stay bad", arguments: Backend.allCases)
  func broken(_ backend: Backend) throws {
    let cases: [(FileFormat, [UInt8])] = [
      (.csv, Array("name\na,b\n\"c\"d\n".utf8) + [0x78, 0xFF, 0x0A]),
      (
        .ndjson,
        Array("{\"name\": \"a\"\n5\n{\"name\": \"b\"} c\n".utf8) + Array("{\"name\": \"".utf8) + [
          0xFF, 0x22, 0x7D,
        ]
      ),
    ]
    for (format, bytes) in cases {
      let graph = try backend.graph(shopModel())
      let folder = try TemporaryFolder()
      let mapping = "entity: Tag\nattributes: {name: '@name'}"
      var path = try folder.write(bytes, to: "rows.\(format)").path
      for _ in 0..<3 {
        let report = try skip(path, mapping, in: graph)
        #expect(report.rejected?.rows == (format == .csv ? 3 : 4), "\(format)")
        path += ".rejects"
        let written = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        #expect(written.contains(0xFF))
      }
      #expect(try graph.count("Tag") == 0)
    }
  }

  @Test("Many that are left out are counted beyond those that are listed")
  func unlisted() throws {
    let graph = MemoryGraph(model: try shopModel())
    let folder = try TemporaryFolder()
    let rows = "number\n" + String(repeating: "x\n", count: 1500)
    let path = try folder.write(rows.utf8, to: "rows.csv").path
    let report = try skip(path, "entity: Order\nattributes: {number: '@number'}", in: graph)
    #expect(report.rejected?.rows == 1500 && report.skipped?.count == 1000)
    #expect(report.unlisted == 500)
    #expect(
      report.text().hasSuffix("left out  1480 more\nrejected  1500 rows, written to \(path).rejects\n"))
    #expect(try report.json().contains(#""rejected":{"file":""#))
  }

  @Test("Rows of a pipe are rejected, too")
  func pipe() throws {
    let graph = MemoryGraph(model: try shopModel())
    let folder = try TemporaryFolder()
    let pipe = Pipe()
    pipe.fileHandleForWriting.write(Data("number\nx\n1\n".utf8))
    try pipe.fileHandleForWriting.close()
    let rejects = folder.file("rejects.csv").path
    let report = try graph.importFile(
      reading: pipe.fileHandleForReading, name: "<stdin>", format: .csv,
      mapping: ImportMapping(yaml: "entity: Order\nattributes: {number: '@number'}"),
      options: ImportOptions(badRows: .skip(rejects: rejects)))
    #expect(report?.created == ["Order": 1])
    #expect(
      try String(contentsOfFile: rejects, encoding: .utf8).hasPrefix(
        "number,moclone_reasons\nx,\"'x' in '@number'"))
  }
}

/// Rows that the graph refuses are bad rows.
@Suite("Rows that break a constraint")
struct RefusedRowTests {
  private static let model = """
    version: 1
    name: Goods
    entities:
      Article:
        attributes: {name: String, code: Integer 32?, price: Double?}
        relationships:
          maker: {destination: Maker, optional: true, inverse: articles}
          parts: {destination: Part, toMany: true, inverse: article}
        uniquenessConstraints: [[name], [code]]
      Maker:
        attributes: {name: String, city: String}
        relationships: {articles: {destination: Article, toMany: true, inverse: maker}}
        uniquenessConstraints: [[name]]
      Part:
        attributes: {serial: Integer 32}
        relationships: {article: {destination: Article, inverse: parts}}
        uniquenessConstraints: [[article, serial]]
    """
  private static let mapping = """
    entity: Article
    attributes: {name: '@name', code: '@code'}
    relationships: {parts: {rows: parts, attributes: {serial: '@serial'}}}
    """

  private func options(_ folder: TemporaryFolder) -> ImportOptions {
    ImportOptions(badRows: .skip(rejects: folder.file("rejects").path))
  }

  @Test(
    "Are left out and named by their places, also where several stand in one line",
    arguments: Backend.allCases, [true, false])
  func unique(_ backend: Backend, isFilled: Bool) throws {
    let graph = try backend.graph(ObjectModel(yaml: Self.model))
    if isFilled {
      try graph.importText(
        "name,code\nzero,9\n", .csv, "entity: Article\nattributes: {name: '@name', code: '@code'}")
    }
    let rows =
      #"[{"name": "a", "code": 1, "parts": [{"serial": 1}]}, {"name": "b", "code": 1, "parts": [{"serial": 2}]}, {"name": "c"},"#
      + "\n" + #"{"name": "d", "code": 2}, {"name": "e", "code": 2}, {"name": 7}]"#
    let folder = try TemporaryFolder()
    for isDryRun in [true, false] {
      let report = try graph.importText(
        rows, .json, Self.mapping, options(folder), transferOptions: TransferOptions(isDryRun: isDryRun))
      #expect(report.created == ["Article": 3, "Part": 1])
      #expect(report.rejected?.rows == 3)
      let places = report.skipped?.map { $0.place.split(separator: "/").last! } ?? []
      #expect(places == ["rows.json:1:54", "rows.json:2:27", "rows.json:2:62"])
      #expect(report.skipped?.first?.reason.contains("code") == true, "\(report.text())")
    }
    let rejects = try String(contentsOf: folder.file("rejects"), encoding: .utf8)
    let mended = rejects.replacing(": 1,", with: ": 3,").replacing(": 2}", with: ": 4}").replacing(
      "7}", with: "\"f\"}")
    try graph.importText(mended, .json, Self.mapping)
    #expect(try graph.count("Article") == (isFilled ? 7 : 6))
    #expect(try graph.count("Part") == 2)
  }

  @Test("A row that changes an object against a constraint is left out", arguments: Backend.allCases)
  func update(_ backend: Backend) throws {
    guard backend == .memory else { return }
    let graph = try backend.graph(ObjectModel(yaml: Self.model))
    let mapping = "entity: Article\nattributes: {name: '@name', code: '@code'}"
    try graph.importText("name,code\na,1\nb,2\n", .csv, mapping)
    let folder = try TemporaryFolder()
    var options = options(folder)
    options.existing = .update
    let report = try graph.importText("name,code\na,3\nb,3\nc,4\n", .csv, mapping, options)
    #expect(
      report.rejected?.rows == 1 && report.created == ["Article": 1] && report.updated == ["Article": 1])
    #expect(report.skipped?.first?.place.hasSuffix("rows.csv:3:1") == true)
  }

  @Test("So are rows whose new object lacks what it must have", arguments: Backend.allCases)
  func lacking(_ backend: Backend) throws {
    let graph = try backend.graph(ObjectModel(yaml: Self.model))
    let mapping =
      "entity: Article\nattributes: {name: '@name'}\nrelationships: {maker: {attributes: {name: '@maker'}}}"
    try graph.importText(
      "name,city\nM,Bern\n", .csv, "entity: Maker\nattributes: {name: '@name', city: '@city'}")
    let rows = "name,maker\na,M\nb,N\nc,\nd,N\n"
    let stopped = message { try graph.importText(rows, .csv, mapping) }
    #expect(stopped.contains("rows.csv:3: the row inserts a new Maker, which requires 'city'"), "\(stopped)")
    let folder = try TemporaryFolder()
    let report = try graph.importText(rows, .csv, mapping, options(folder))
    #expect(report.created == ["Article": 2] && report.rejected?.rows == 2, "\(report.text())")
  }

  @Test(
    "So are rows that mean an object of another sub-entity, itself or by a relationship",
    arguments: Backend.allCases)
  func otherEntity(_ backend: Backend) throws {
    let graph = try backend.graph(
      ObjectModel(
        yaml: """
          version: 1
          name: T
          entities:
            Place:
              abstract: true
              attributes: {name: String}
              relationships: {items: {destination: Item, toMany: true, inverse: place}}
              uniquenessConstraints: [[name]]
            Home: {parent: Place}
            Shop: {parent: Place}
            Item:
              attributes: {name: String}
              relationships: {place: {destination: Place, optional: true, inverse: items}}
              uniquenessConstraints: [[name]]
          """))
    _ = try graph.insert("Shop", ["name": "fridge"])
    let mapping =
      "entity: Item\nattributes: {name: '@name'}\nrelationships: {place: {entity: Home, attributes: {name: '@place'}}}"
    let rows = "name,place\na,shelf\nb,fridge\nc,box\nd,fridge\n"
    let stopped = message { try graph.importText(rows, .csv, mapping) }
    #expect(stopped.contains("rows.csv:3: Shop 1 has name 'fridge', but is not Home"), "\(stopped)")
    let folder = try TemporaryFolder()
    let report = try graph.importText(rows, .csv, mapping, options(folder))
    #expect(report.created == ["Item": 2, "Home": 2] && report.rejected?.rows == 2, "\(report.text())")
    let homes = try graph.importText(
      "name\nfridge\nattic\n", .csv, "entity: Home\nattributes: {name: '@name'}", options(folder))
    #expect(homes.created == ["Home": 1] && homes.rejected?.rows == 1, "\(homes.text())")
  }

  @Test("What is wrong in the store itself is no fault of a row", arguments: Backend.allCases)
  func ambiguous(_ backend: Backend) throws {
    let graph = try backend.graph(
      ObjectModel(yaml: "version: 1\nname: T\nentities: {Tag: {attributes: {name: String}}}"))
    for _ in 0..<2 { _ = try graph.insert("Tag", ["name": "a"]) }
    var options = options(try TemporaryFolder())
    options.identifiedBy = ["Tag": ["name"]]
    let error = message {
      try graph.importText("name\nb\na\n", .csv, "entity: Tag\nattributes: {name: '@name'}", options)
    }
    #expect(error.contains("ambiguous-identity"))
    #expect(try graph.count("Tag") == 2)
  }
}
