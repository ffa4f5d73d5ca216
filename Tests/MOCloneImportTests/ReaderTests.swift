import Foundation
import MOCloneEngine
import MOCloneModel
import MOCloneYAML
import Testing

@testable import MOCloneImport

/// Writes down what a reader gives.
private final class Recorder: RowHandler {
  var rows: [String] = []
  var faults: [String] = []

  func row(_ record: Record) throws {
    rows.append(Self.text(record))
  }

  func fault(_ fault: RowFault) throws {
    faults.append("\(fault.place.line):\(fault.place.column): \(fault.message)")
  }

  static func text(_ record: Record) -> String {
    let fields = record.fields.map { field in
      switch field.kind {
      case .absent: "-"
      case .null: "null"
      case .text: "'\(field.string)'@\(field.place.line):\(field.place.column)"
      case .literal: "\(field.string)@\(field.place.line):\(field.place.column)"
      }
    }
    let nested = record.nested.map { rows in "[" + rows.map(text).joined(separator: ", ") + "]" }
    return (fields + nested).joined(separator: " ")
  }
}

/// The rows that a reader makes of a text, given in pieces of a size, so that every piece ends somewhere else.
private func read(
  _ bytes: [UInt8], _ format: FileFormat, _ shape: RecordShape, rows: String? = nil, delimiter: String? = nil
) throws -> Recorder {
  let file = try TestFile(bytes: bytes, format.rawValue)
  return try read(ByteSource(path: file.path), format, shape, rows: rows, delimiter: delimiter)
}

private func read(
  _ source: ByteSource, _ format: FileFormat, _ shape: RecordShape, rows: String? = nil,
  delimiter: String? = nil
) throws -> Recorder {
  let mapping = ImportMapping(rows: rows, entity: "E", delimiter: delimiter)
  let recorder = Recorder()
  try format.rowReader(source, mapping, shape).read(recorder)
  return recorder
}

/// The bytes of a file as they come through a pipe.
private func readPiped(_ bytes: [UInt8], _ format: FileFormat, _ shape: RecordShape) throws -> Recorder {
  let file = try TestFile(bytes: bytes, format.rawValue)
  let (cat, pipe) = (Process(), Pipe())
  cat.executableURL = URL(fileURLWithPath: "/bin/cat")
  cat.arguments = [file.path]
  cat.standardOutput = pipe
  try cat.run()
  defer {
    // Other signals may be blocked in the thread of a test, and so in what it starts.
    kill(cat.processIdentifier, SIGKILL)
    cat.waitUntilExit()
  }
  return try read(ByteSource(handle: pipe.fileHandleForReading, name: "pipe"), format, shape)
}

private func shape(_ paths: String...) -> RecordShape {
  var shape = RecordShape()
  for path in paths { _ = shape.field(path.split(separator: ".").map(String.init)) }
  return shape
}

@Suite("Readers of rows")
struct ReaderTests {
  private func csv(_ text: String, delimiter: String? = nil) throws -> Recorder {
    try read(Array(text.utf8), .csv, shape("a", "b"), delimiter: delimiter)
  }

  // MARK: CSV

  @Test("CSV: columns are found by the header, whatever their order; each value has its line and column")
  func csvPlaces() throws {
    let found = try csv("b,x,a\n1,2,3\r\n\nÄö,,\"q\"\n")
    #expect(found.rows == ["'3'@2:5 '1'@2:1", "'q'@4:5 'Äö'@4:1"])
  }

  @Test(
    "CSV: quotes hold delimiters, line ends and doubled quotes; empty is null, and empty in quotes is a text")
  func csvQuotes() throws {
    let found = try csv("a,b\n\"x,\"\"y\"\"\n,z\",\"\"\n,2\n")
    #expect(found.rows == ["'x,\"y\"\n,z'@2:1 ''@3:5", "null '2'@4:2"])
  }

  @Test("CSV: a byte order mark, another delimiter, and a last line without end")
  func csvVariants() throws {
    #expect(try csv("\u{FEFF}a;b\n1;2", delimiter: ";").rows == ["'1'@2:1 '2'@2:3"])
    #expect(try read(Array("a\tb\n1\t2".utf8), .tsv, shape("a", "b")).rows == ["'1'@2:1 '2'@2:3"])
    #expect(try csv("a,b\n").rows == [])
  }

  @Test("CSV: a bad row is said with its place, and the rows behind it are read")
  func csvFaults() throws {
    let found = try csv("a,b\n1,2,3\n\"x\"y,2\nx\"y,2\n1,2\n")
    #expect(
      found.faults == [
        "2:1: the row has 3 values, but the header names 2 columns",
        "3:4: there are characters after the closing quote; double a quote inside a value",
        "4:2: a value that does not begin with a quote contains one; put the whole value in quotes and double the inner quote",
      ])
    #expect(found.rows == ["'1'@5:1 '2'@5:3"])
  }

  @Test("CSV: invalid UTF-8 is a bad row, with the place of the byte")
  func csvUTF8() throws {
    let bytes = Array("a,b\nä".utf8) + [0xFF] + Array(",2\n1,2\n".utf8)
    let found = try read(bytes, .csv, shape("a", "b"))
    #expect(found.faults == ["2:2: the byte 0xFF is not valid UTF-8"])
    #expect(found.rows.count == 1)
    #expect(message { _ = try read([0xFF, 0xFE, 0x61, 0], .csv, shape("a")) }.contains("UTF-16"))
  }

  @Test("CSV: a quote that is never closed ends the reading, with the place where it begins")
  func csvOpenQuote() {
    let text = message { _ = try csv("a,b\n1,\"2\n3,4\n") }
    #expect(text.contains(":2:3: the quoted value that begins here is never closed"))
  }

  @Test("CSV: missing and double columns are all named, with the nearest name")
  func csvHeader() {
    let text = message { _ = try csv("A,c,c\n") }
    #expect(text.contains("the file has no column 'a'") && text.contains("the file has no column 'b'"))
    let other = message { _ = try csv("left,right\n") }
    #expect(other.contains("'b'; the mapping reads it as '@b'; correct the name there or in the file"))
    #expect(message { _ = try csv("b,a,a\n") }.contains("two columns have the name 'a'"))
    #expect(message { _ = try csv("") }.contains("the file is empty"))
    #expect(
      message { _ = try csv("a;b\n1;2\n") }.contains(
        "one column only, 'a;b'; if ';' divides its columns, write `delimiter: ';'` in the mapping"))
  }

  @Test("CSV: rows longer than a block of the file are read whole")
  func csvLong() throws {
    let long = String(repeating: "é,\"\"", count: 200_000)
    let found = try csv("a,b\n\"\(long)\",1\n2,3\n")
    #expect(found.rows.count == 2)
    #expect(found.rows[0].hasPrefix("'é,\"é,\"") && found.rows[0].hasSuffix("'1'@2:800004"))
  }

  @Test(
    "A row may be as long in a pipe as in a file, wherever it begins", arguments: [FileFormat.csv, .ndjson])
  func longRows(_ format: FileFormat) throws {
    func text(_ lengths: Int...) -> [UInt8] {
      let values = lengths.map { String(repeating: "x", count: $0 << 20) }
      let rows = format == .csv ? ["a"] + values : values.map { #"{"a": "\#($0)"}"# }
      return Array(rows.map { $0 + "\n" }.joined().utf8)
    }
    let rows = text(1, 9, 1)
    for found in try [read(rows, format, shape("a")), readPiped(rows, format, shape("a"))] {
      #expect(found.rows.map { $0.utf8.count >> 20 } == [1, 9, 1] && found.faults.isEmpty)
    }
    let tooLong = message { _ = try readPiped(text(17), format, shape("a")) }
    #expect(tooLong.contains("larger than the limit of 16 MB"), "\(tooLong)")
  }

  // MARK: JSON

  @Test("NDJSON: an object a line, values with their places, numbers and flags told from texts")
  func ndjson() throws {
    let found = try read(
      Array(
        "{\"a\": 1.5, \"b\": \"é\\u00e9\\ud83d\\ude00\\n\"}\n\n {\"b\":null,\"c\":[{}],\"a\":true}\n".utf8),
      .ndjson,
      shape("a", "b"))
    #expect(found.rows == ["1.5@1:7 'éé😀\n'@1:17", "true@3:25 null"])
  }

  @Test("NDJSON: a bad line is said with its place, and the lines behind it are read")
  func ndjsonFaults() throws {
    let lines = [
      "{\"a\": 01}", "{\"a\": tru}", "[1]", "{\"a\": 1} 2", "{\"a\": {}}", "{\"a\": \"\\x\"}",
      "{\"a\": \"\\ud800\"}",
      "{\"a\": 1, \"a\": 2}", "{\"a\" 1}", "{\"a\": \"\u{1}\"}", "{\"a\": 1}",
    ]
    let found = try read(Array(lines.joined(separator: "\n").utf8), .ndjson, shape("a"))
    #expect(found.rows == ["1@11:7"])
    #expect(found.faults.map { $0.split(separator: ":")[0] } == (1...10).map { "\($0)" })
    #expect(found.faults[2] == "3:1: expected an object, found a list")
    #expect(found.faults[3] == "4:10: there are characters after the row; each line must contain one row")
    #expect(found.faults[7] == "8:15: duplicate name 'a' in the row")
  }

  @Test("NDJSON: a row that is cut off takes nothing of the line behind it")
  func ndjsonTruncated() throws {
    for cut in [
      "{", "{\"a\"", "{\"a\":", "{\"a\": 1", "{\"a\": 1,", "{\"a\": \"x", "{\"a\": \"\\", "{\"a\": tr",
      "{\"b\": [",
    ] {
      let found = try read(Array("\(cut)\n{\"a\": 2}\n".utf8), .ndjson, shape("a"))
      #expect(found.rows == ["2@2:7"], "\(cut)")
      #expect(found.faults.count == 1 && found.faults[0].hasPrefix("1:"), "\(cut)")
    }
  }

  @Test("NDJSON: invalid UTF-8 is a bad row")
  func ndjsonUTF8() throws {
    let bytes = Array("{\"a\": \"x".utf8) + [0xC3, 0x28] + Array("\"}\n{\"a\":2}".utf8)
    let found = try read(bytes, .ndjson, shape("a"))
    #expect(
      found.faults == ["1:7: the string that begins here contains the byte 0xC3, which is not valid UTF-8"])
    #expect(found.rows == ["2@2:6"])
  }

  @Test("JSON: the rows are a list, wherever it lies; nested rows are objects, lists and plain values")
  func json() throws {
    var outer = shape("a", "b.c")
    _ = outer.nest(["rows"], shape: shape("x"))
    var plain = RecordShape()
    _ = plain.field([])
    _ = outer.nest(["tags"], shape: plain)
    let text = """
      {"skip": {"deep": [1, "]"]}, "data": {"items": [
        {"a": 1, "b": {"c": "d"}, "rows": [{"x": 1}, {"x": 2}], "tags": ["p", 3]},
        {"rows": {"x": 9}, "tags": null}
      ]}}
      """
    let found = try read(Array(text.utf8), .json, outer, rows: "data.items")
    #expect(
      found.rows == ["1@2:9 'd'@2:23 [1@2:44, 2@2:54] ['p'@2:68, 3@2:73]", "- - [9@3:18] []"])
    #expect(try read(Array("[]".utf8), .json, outer).rows == [])
  }

  @Test("JSON: what leads to no list of rows, and what is broken, is said with its place")
  func jsonFaults() {
    func text(_ json: String, rows: String? = nil) -> String {
      message { _ = try read(Array(json.utf8), .json, shape("a"), rows: rows) }
    }
    #expect(
      text("{\"x\": 1}", rows: "items").contains(
        ":1:1: the object has no 'items', which should contain the rows"))
    #expect(text("{}").contains(":1:1: expected the list of rows"))
    #expect(text("[{\"a\": 1}").contains("the file ends inside a value"))
    #expect(text("[{\"a\": \"x").contains(":1:8: the string that begins here has no closing quote"))
    #expect(text("[] 1").contains(":1:4: there are characters after the end of the JSON"))
    #expect(text(String(repeating: "[", count: 100)).contains("more than 64 levels deep"))
    #expect(text("").contains("the file is empty"))
  }

  // MARK: XML

  @Test("XML: signs that stand for others are what they stand for, in attributes and texts")
  func xmlReferences() throws {
    let text = #"<r a="&amp;&#38;&lt;&gt;&quot;&apos;&#233;&amp;amp;"><b>&amp;&#38;&lt;&amp;amp;</b></r>"#
    let found = try read(Array(text.utf8), .xml, shape("a", "b"), rows: "r")
    #expect(found.rows.count == 1)
    #expect(found.rows[0].contains(#"'&&<>"'é&amp;'@"#) && found.rows[0].contains("'&&<&amp;'@"))
    let entity = message { _ = try read(Array(#"<r a="&x;"/>"#.utf8), .xml, shape("a"), rows: "r") }
    #expect(entity.contains("Entity 'x' not defined"))
  }

  private func xml(_ text: String, _ shape: RecordShape, rows: String = "item") throws -> Recorder {
    try read(Array(text.utf8), .xml, shape, rows: rows)
  }

  @Test(
    "XML: attributes and child elements are values, with their places; CDATA and the entities of XML are text"
  )
  func xmlValues() throws {
    let text = """
      <?xml version="1.0"?>
      <list><!-- a comment -->
        <item a="1"
              b='&lt;é&gt;'/><item><a> x<![CDATA[ <y> ]]>z </a><other><b>no</b></other></item>
        <else a="3"/>
      </list>
      """
    let found = try xml(text, shape("a", "b"))
    #expect(found.rows.count == 2)
    #expect(found.rows[0].hasPrefix("'1'@3:12 '<é>'@4"))
    #expect(found.rows[1] == "' x <y> z '@4:30 -")
  }

  @Test("XML: nested rows, the row's own text, and a path from the root")
  func xmlNested() throws {
    var outer = shape("a", "part.id")
    var plain = RecordShape()
    _ = plain.field([])
    _ = outer.nest(["tag"], shape: plain)
    let text = "<r><x><item a='no'/></x><l><item a='1'><tag>p</tag><part id='7'/><tag/></item></l></r>"
    #expect(try xml(text, outer, rows: "r/l/item").rows == ["'1'@1:37 '7'@1:62 ['p'@1:40, ''@1:66]"])
  }

  @Test("XML: lines beyond 65,535 are counted on")
  func xmlLines() throws {
    let text = "<r>\n" + String(repeating: "<x/>\n", count: 70_000) + "<item a='1'/>\n</r>"
    #expect(try xml(text, shape("a")).rows == ["'1'@70002:10"])
  }

  @Test("XML: a DOCTYPE is refused, and so is what could fill the memory")
  func xmlHostile() {
    let bomb = """
      <?xml version="1.0"?>
      <!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>
      <r><item a="&b;"/></r>
      """
    #expect(message { _ = try xml(bomb, shape("a")) }.contains(":2:"))
    #expect(message { _ = try xml(bomb, shape("a")) }.contains("a DOCTYPE is not allowed"))
    let file = "<!DOCTYPE r SYSTEM \"file:///etc/passwd\"><r/>"
    #expect(message { _ = try xml(file, shape("a")) }.contains("a DOCTYPE is not allowed"))
    let deep = String(repeating: "<a>", count: 100)
    #expect(message { _ = try xml(deep, shape("a")) }.contains("more than 64 levels deep"))
    let long = "<r><item><a>\(String(repeating: "x", count: 17 << 20))</a></item></r>"
    #expect(message { _ = try xml(long, shape("a")) }.contains("16 MB"))
    let value = "<r><item a='\(String(repeating: "x", count: 11 << 20))'/></r>"
    #expect(message { _ = try xml(value, shape("a")) }.contains("a value is larger than the limit of 10 MB"))
    #expect(message { _ = try xml("<r><item a='&x;'/></r>", shape("a")) }.contains("the XML is broken"))
  }

  @Test("XML: the text of an element may be as long as a row of another format")
  func longText() throws {
    let text = "<r><item><a>\(String(repeating: "x", count: 11 << 20))</a></item></r>"
    #expect(try xml(text, shape("a")).rows.first?.utf8.count ?? 0 > 11 << 20)
  }

  @Test("XML: an element of very many attributes is refused at once; signs elsewhere do not count")
  func manyAttributes() throws {
    let many = (0...5_000).map { " a\($0)='='" }.joined()
    #expect(message { _ = try xml("<r><item\(many)/></r>", shape("a1")) }.contains("the limit of 5000"))
    let signs = String(repeating: "=\"'", count: 6_000)
    for text in ["<!-- <b \(signs) -->", "<![CDATA[<b \(signs)]]>", "<?b \(signs)?>", signs] {
      #expect(try xml("<r>\(text)<item a='1'/></r>", shape("a")).rows.count == 1)
    }
  }

  @Test("XML: a truncated file, unclosed elements and invalid UTF-8 are errors")
  func xmlBroken() throws {
    let whole = "<r><item a='1'/><item a='2'/></r>"
    for length in [3, 10, 16, 20, whole.count - 1] {
      #expect(message { _ = try xml(String(whole.prefix(length)), shape("a")) }.contains("the XML is broken"))
    }
    #expect(message { _ = try xml("<r><item></r>", shape("a")) }.contains("the XML is broken"))
    for blank in ["", "\n "] {
      #expect(message { _ = try xml(blank, shape("a")) }.contains("the file is empty"))
    }
    let bytes = Array("<r><item a='".utf8) + [0xFF] + Array("'/></r>".utf8)
    #expect(message { _ = try read(bytes, .xml, shape("a"), rows: "item") }.contains("the XML is broken"))
    #expect(try xml(whole, shape("a")).rows.count == 2)
  }

  @Test("A pipe that stays empty is not waited for once the run is cancelled")
  func emptyPipe() throws {
    let pipe = Pipe()
    let looks = Locked(0)
    let source = ByteSource(handle: pipe.fileHandleForReading, name: "pipe")
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 16, alignment: 1)
    defer { room.deallocate() }
    @Sendable func isAsked() -> Bool {
      looks.withLock { looks in
        looks += 1
        return looks > 2
      }
    }
    #expect(throws: CancellationError.self) {
      _ = try Cancellation.asking(isAsked) { try source.read(into: room) }
    }
    try pipe.fileHandleForWriting.close()
  }

  @Test("XML: a value that stands in a row twice is a bad row")
  func xmlTwice() throws {
    let found = try xml("<r><item a='1'><a>2</a></item><item a='3'/></r>", shape("a"))
    #expect(found.faults == ["1:16: duplicate name 'a' in the row"])
    #expect(found.rows.count == 1)
  }
}
