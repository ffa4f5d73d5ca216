import Foundation
import Testing

@testable import MOCloneModel

@Suite("Hostile input")
struct HostileInputTests {
  struct Input: CustomTestStringConvertible {
    var testDescription: String
    var codes: [DiagnosticCode]
    var text: String

    init(_ name: String, _ codes: [DiagnosticCode], _ text: String) {
      (testDescription, self.codes, self.text) = (name, codes, text)
    }
  }

  static func entities(_ count: Int, _ line: (Int) -> String) -> String {
    "version: 1\nentities:\n" + (0..<count).map { "  E\($0): \(line($0))\n" }.joined()
  }

  static let inputs: [Input] = [
    Input("nothing", [.emptyModel], ""),
    Input("comments", [.emptyModel], String(repeating: "# nothing\n", count: 1000)),
    Input("scalar", [.wrongKind], "hello"),
    Input("list", [.wrongKind], "- version: 1"),
    Input("two documents", [.severalDocuments], "version: 1\nentities: {}\n---\nversion: 1\n"),
    Input("flow depth", [.nestedTooDeep], "a: " + String(repeating: "[", count: 300_000)),
    Input("map depth", [.nestedTooDeep], String(repeating: "{a: ", count: 100_000)),
    Input("recursive alias", [.unsupportedYAML], "version: 1\nentities: &e {A: *e}"),
    Input("merge key", [.unsupportedYAML], "version: 1\nentities: {A: {<<: {table: t}}}"),
    Input("tag", [.unsupportedYAML], "version: 1\nname: !!binary aGVsbG8=\nentities: {}"),
    Input("map as key", [.wrongKind], "version: 1\nentities: {}\n? {a: 1}\n: 2\n"),
    Input("duplicate key", [.duplicateKey], "version: 1\nentities: {A: {}, B: {}, A: {}}"),
    Input("tab", [.syntax], "version: 1\nentities:\n\tA: {}\n"),
    Input("unclosed", [.syntax], "version: 1\nentities: {A: {\n"),
    Input("control character", [.syntax], "version: 1\nname: a\u{7}b\nentities: {}"),
    Input("long key", [.syntax], "version: 1\n" + String(repeating: "k", count: 100_000) + ": 1"),
    Input("many values", [.tooManyValues], entities(100_001) { _ in "" }),
    Input("many entities", [.tooManyValues], entities(2001) { _ in "" }),
    Input("long lineage", [.tooManyValues], entities(1000) { "{parent: E\($0 + 1)}" } + "  E1000: {}\n"),
    Input(
      "much inherited", [.tooManyValues],
      "version: 1\nentities:\n  R: {attributes: {\((0..<1000).map { "a\($0): String" }.joined(separator: ", "))}}\n"
        + (0..<1000).map { "  E\($0): {parent: R}\n" }.joined()),
  ]

  @Test(arguments: inputs)
  func isOneFinding(input: Input) throws {
    let clock = ContinuousClock()
    var found: [Diagnostic] = []
    let time = clock.measure { found = parse(input.text).diagnostics }
    #expect(found.map(\.code) == input.codes, "\(found.prefix(5).map(\.message))")
    #expect(found.allSatisfy { $0.range != nil })
    // Far more than it takes, for a busy machine and a build without optimization.
    #expect(time < .seconds(5))
  }

  @Test func aliasBombsAreNotFollowed() {
    let lines = (1...30).map { "x\($0): &x\($0) [*x\($0 - 1), *x\($0 - 1)]" }
    let found = parse("version: 1\nentities: {}\nx0: &x0 [a]\n" + lines.joined(separator: "\n")).diagnostics
    #expect(found.count { $0.code == .unsupportedYAML } == 60)
  }

  @Test func theByteThatIsNotUTF8IsNamed() throws {
    let data = Data("version: 1\nname: ö".utf8) + [0xFF, 0x61]
    let error = try #require(throws: ModelError.self) { try SourceFile(path: "m.yml", data: data) }
    let finding = try #require(error.diagnostics.first)
    #expect(finding.code == .notUTF8)
    #expect(finding.message.contains("offset 19"))
    #expect(finding.range?.start == SourceRange.Position(line: 2, column: 8))
  }

  @Test(arguments: [String.Encoding.utf16, .utf16BigEndian, .utf16LittleEndian, .utf32])
  func otherEncodingsAreRefused(encoding: String.Encoding) throws {
    let data = try #require("version: 1\n".data(using: encoding))
    let error = try #require(throws: ModelError.self) { try SourceFile(path: "m.yml", data: data) }
    #expect(error.diagnostics.map(\.code) == [.notUTF8])
  }

  @Test func aByteOrderMarkIsNoPartOfTheText() throws {
    let source = try SourceFile(path: "m.yml", data: Data([0xEF, 0xBB, 0xBF]) + Data("vers: 1".utf8))
    let found = ModelParser.parse(source).diagnostics
    #expect(found.first { $0.code == .unknownKey }?.range?.start == .init(line: 1, column: 1))
  }

  @Test func aLargeFileIsRefusedByItsSize() throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).yml")
    defer { try? FileManager.default.removeItem(at: url) }
    FileManager.default.createFile(atPath: url.path, contents: nil)
    let handle = try FileHandle(forWritingTo: url)
    try handle.truncate(atOffset: 1 << 40)
    try handle.close()
    let error = try #require(throws: ModelError.self) { try ObjectModel(contentsOf: url) }
    #expect(error.diagnostics.map(\.code) == [.fileTooLarge])
  }

  @Test func aStreamIsNotReadBeyondItsLimit() throws {
    let zeros = try #require(FileHandle(forReadingAtPath: "/dev/zero"))
    let error = try #require(throws: ModelError.self) { try SourceFile(reading: zeros) }
    #expect(error.diagnostics.map(\.code) == [.fileTooLarge])
  }

  @Test(arguments: ["/nowhere/m.yml", "/"])
  func whatCannotBeReadIsNamed(path: String) throws {
    let url = URL(fileURLWithPath: path)
    let error = try #require(throws: ModelError.self) { try ObjectModel(contentsOf: url) }
    #expect(error.diagnostics.map(\.code) == [.unreadableFile])
  }
}
