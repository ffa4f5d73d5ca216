import Foundation
import MOCloneModel
import MOCloneYAML
import TestSupport
import Testing

/// Texts that nobody wrote in good faith: each gives a finding, none a crash.
struct HostileInputTests {
  private func findings(_ data: Data) -> [Diagnostic] {
    do {
      return ModelParser.parse(try SourceFile(path: "hostile.yml", data: data)).diagnostics
    } catch {
      return error.diagnostics
    }
  }

  private func findings(_ text: String) -> [Diagnostic] {
    findings(Data(text.utf8))
  }

  private static let hostile: [(String, String, DiagnosticCode)] = [
    ("open brackets", String(repeating: "[", count: 100_000), .nestedTooDeep),
    ("open braces", String(repeating: "{a: ", count: 100_000), .nestedTooDeep),
    ("dashes", String(repeating: "- ", count: 100_000), .nestedTooDeep),
    ("alias bomb", "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n", .unsupportedYAML),
    ("alias of itself", "a: &a [*a]\n", .unsupportedYAML),
    ("alias of nothing", "a: *nothing\n", .unsupportedYAML),
    ("quotes", String(repeating: "\"", count: 1_000_001), .syntax),
    ("control character", "version: 1\nname: a\u{1}b\n", .syntax),
    ("null character", "version: 1\nname: a\u{0}b\n", .syntax),
    ("directive", "%FOO bar\n---\nversion: 1\n", .syntax),
    ("empty", "", .emptyModel),
    ("comment", "# nothing\n", .emptyModel),
    ("text", "hello", .wrongKind),
    ("values", "[" + String(repeating: "a,", count: 500_000) + "]", .tooManyValues),
  ]

  @Test(arguments: hostile)
  func hostileTextsGiveAFinding(_ name: String, _ text: String, _ code: DiagnosticCode) {
    let found = findings(text)
    #expect(
      found.contains { $0.code == code && $0.severity == .error && $0.range != nil }, "\(name): \(found)")
  }

  @Test func bytesThatAreNotUTF8AreNamedByTheirPlace() throws {
    let found = findings(Data("version: 1\nname: ".utf8) + [0xFF, 0x0A])
    #expect(found.map(\.code) == [.notUTF8])
    #expect(found[0].message.contains("offset 17, line 2, column 7"))
    let overlong = findings(Data("name: ".utf8) + [0xC0, 0x80])
    #expect(overlong.map(\.code) == [.notUTF8])
  }

  @Test func otherEncodingsAreNamed() {
    #expect(findings("version: 1\n".data(using: .utf16)!).map(\.code) == [.notUTF8])
    #expect(findings("version: 1\n".data(using: .utf32LittleEndian)!).map(\.code) == [.notUTF8])
  }

  @Test func aByteOrderMarkIsNoFinding() {
    #expect(findings("\u{FEFF}version: 1\nname: x\nentities: {}\n").isEmpty)
  }

  @Test func aFileOver8MBIsRefusedByItsSize() throws {
    let folder = try TemporaryFolder()
    let url = try folder.write(Data(), to: "m.yml")
    let handle = try FileHandle(forWritingTo: url)
    try handle.truncate(atOffset: 1 << 40)  // sparse: reading it would take hours
    try handle.close()
    #expect(throws: ModelError.self) { try SourceFile(contentsOf: url) }
  }

  @Test func aStreamOver8MBIsRefusedWithoutReadingOn() throws {
    let pipe = Pipe()
    let writer = Thread {
      let part = Data(repeating: 0x20, count: 1 << 20)
      while (try? pipe.fileHandleForWriting.write(contentsOf: part)) != nil {}
    }
    signal(SIGPIPE, SIG_IGN)
    writer.start()
    #expect(throws: ModelError.self) { try SourceFile(reading: pipe.fileHandleForReading) }
    try pipe.fileHandleForReading.close()
  }

  @Test func ancestriesWithoutEndAreRefused() {
    let entities = (0..<1_000).map { "  E\($0): {parent: E\($0 + 1), attributes: {a\($0): String}}\n" }
      .joined()
    let found = findings("version: 1\nname: x\nentities:\n" + entities + "  E1000: {}\n")
    #expect(found.map(\.code) == [.tooManyValues])
  }
}
