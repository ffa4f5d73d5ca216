import Foundation
import Testing

@testable import MOCloneModel
@testable import MOCloneYAML

@Suite("Misspelt keys are mended and nothing else")
struct FixTests {
  /// The text after fixing, or nil where nothing is fixed.
  private func mended(_ text: String) throws -> String? {
    try fixed(SourceFile(path: "m.yml", text: text)).map { String(decoding: $0.data, as: UTF8.self) }
  }

  private func fixed(_ source: SourceFile) throws -> FixedFile? {
    try FixedFile(source, findings: ModelParser.parse(source).diagnostics)
  }

  private func sample(_ name: String) throws -> String {
    try String(
      contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../Models/\(name).yml"), encoding: .utf8)
  }

  @Test(
    "A sample with hundreds of misspelt keys becomes the sample again, byte for byte",
    arguments: ["HealthNotes", "Chinook", "Northwind"])
  func samples(_ name: String) throws {
    let text = try sample(name)
    let words = [
      "entities", "attributes", "relationships", "type", "column", "userInfo", "optional", "destination",
      "toMany",
      "inverse", "deleteRule", "uniquenessConstraints", "primaryKey", "rebuild", "followParent",
      "withoutParent",
    ]
    var broken = text
    for word in words {
      // The last two letters change places.
      let slip = word.dropLast(2) + word.suffix(1) + word.suffix(2).prefix(1)
      broken = broken.replacing("\(word):", with: "\(slip):")
    }
    #expect(broken.split(separator: "\n").count { !text.contains($0) } > 20)
    let fixed = try mended(broken)
    #expect(fixed == text)
    #expect(ModelParser.parse(SourceFile(path: "m.yml", text: fixed ?? "")).model != nil)
  }

  @Test("Comments, quotes, line ends, a byte order mark and letters before the key stay as they are")
  func layout() throws {
    let text =
      "\u{FEFF}version: 1 # atributes: are attributes\r\nentities:\r\n  \"Übung 🇩🇪\": {'atributes': {a: Date},   "
      + "\"relationshps\" : {  }, tabel : t}   # tabel\r\n"
    let expected =
      "\u{FEFF}version: 1 # atributes: are attributes\r\nentities:\r\n  \"Übung 🇩🇪\": {'attributes': {a: Date},   "
      + "\"relationships\" : {  }, table : t}   # tabel\r\n"
    #expect(try mended(text).map { Array($0.utf8) } == Array(expected.utf8))
  }

  @Test("Annotation keys are mended under the names that the model gives them")
  func annotations() throws {
    let text = """
      version: 1
      userInfoKeys: {rebuild: renew}
      entities:
        E: {attributes: {id: {type: UUID, column: u, userInfo: {rennew: uuid, Exclude: x, other: rennew}}}}

      """
    let expected = text.replacing("{rennew", with: "{renew").replacing("Exclude", with: "exclude")
    #expect(try mended(text) == expected)
  }

  @Test("A key whose right form is there already is left to a person")
  func taken() throws {
    let both = "version: 1\nentities: {E: {attributes: {}, atributes: {a: Date}}}\n"
    #expect(try mended(both) == nil)
    let twice = "version: 1\nentities: {E: {atributes: {a: Date}, attribuets: {b: Date}}}\n"
    #expect(try mended(twice) == twice.replacing("atributes", with: "attributes"))
    let annotation =
      "version: 1\nentities: {E: {attributes: {a: {type: UUID, userInfo: {rebuild: uuid, rebuid: uuid}}}}}\n"
    #expect(try mended(annotation) == nil)
  }

  @Test(
    "What is written otherwise than its letters, and what is not close to any key, is left to a person",
    arguments: [
      "\"atri\\x62utes\": {}", "&a atributes: {}", "? {a: b}\n    : c", "wholly: {}", "!t atributes: {}",
    ])
  func left(_ entry: String) throws {
    let text = "version: 1\nentities:\n  E:\n    \(entry)\n"
    #expect(!ModelParser.parse(SourceFile(path: "m.yml", text: text)).diagnostics.isEmpty)
    #expect(try mended(text) == nil)
  }

  @Test("A name of an annotation that would need quotes is no edit")
  func unsafeName() throws {
    let text = """
      version: 1
      userInfoKeys: {rebuild: "re: build"}
      entities: {E: {attributes: {id: {type: UUID, column: u, userInfo: {"re:build": uuid}}}}}

      """
    let codes = ModelParser.parse(SourceFile(path: "m.yml", text: text)).diagnostics.map(\.code)
    #expect(codes == [.misspeltAnnotation])
    #expect(try mended(text) == nil)
  }

  @Test("Edits after which the file could not be read are refused")
  func refused() throws {
    let source = SourceFile(path: "m.yml", text: "version: 1\nentities: {}\n")
    for replacement in ["{", "version", "*a", "a\nb: ["] {
      let fix = Diagnostic.Fix(bytes: 11..<19, replacement: replacement)
      #expect(throws: ModelError.self) { try FixedFile(source, fixes: [fix]) }
    }
    let harmless = Diagnostic.Fix(bytes: 11..<19, replacement: "others")
    #expect(
      try FixedFile(source, fixes: [harmless]).map { String(decoding: $0.data, as: UTF8.self) }
        == "version: 1\nothers: {}\n")
  }

  @Test("The unified diff has a hunk for edits that lie apart, and knows a last line without an end")
  func unifiedDiff() throws {
    let text =
      "version: 1\nentites:\n  A:\n    atributes: {a: Date}\n" + String(repeating: "# more\n", count: 8)
      + "  B: {tabel: b}"
    let fixed = try #require(try fixed(SourceFile(path: "my models/m.yml", text: text)))
    let expected = [
      "--- my models/m.yml\t", "+++ my models/m.yml\t", "@@ -1,7 +1,7 @@", " version: 1", "-entites:",
      "+entities:",
      "   A:", "-    atributes: {a: Date}", "+    attributes: {a: Date}", " # more", " # more", " # more",
      "@@ -10,4 +10,4 @@", " # more", " # more", " # more", "-  B: {tabel: b}",
      "\\ No newline at end of file",
      "+  B: {table: b}", "\\ No newline at end of file", "",
    ]
    #expect(
      fixed.unifiedDiff.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) == expected)
  }

  @Test("A byte order mark stays where it is, in the file and in the patch")
  func byteOrderMark() throws {
    let bytes = Data([0xEF, 0xBB, 0xBF]) + Data("vresion: 1\nname: x\nentities: {}\n".utf8)
    let fixed = try #require(try fixed(SourceFile(path: "m.yml", data: bytes)))
    #expect(fixed.data == Data([0xEF, 0xBB, 0xBF]) + Data("version: 1\nname: x\nentities: {}\n".utf8))
    #expect(fixed.unifiedDiff.contains("-\u{FEFF}vresion: 1\n+\u{FEFF}version: 1\n"))
  }

  @Test("A misspelt key beside the one that it could mean is not mended, and the advice is to remove one")
  func besideTheRightOne() throws {
    let text =
      "version: 1\nname: x\nentities:\n  A: {attributes: {n: {type: String, optional: true, optionl: true}}}\n"
    let source = SourceFile(path: "m.yml", text: text)
    #expect(try fixed(source) == nil)
    #expect(
      ModelParser.parse(source).diagnostics.map(\.help) == [
        "'optional' is already present; remove one of the two"
      ])
  }
}
