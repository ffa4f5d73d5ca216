import Foundation
import TestSupport
import Testing

@testable import MOCloneModel
@testable import MOCloneYAML

@Suite("Reports")
struct ReporterTests {
  private let source = SourceFile(path: "Models/m.yml", text: "a: 1\n\tkey:\tvalue # c\n")

  private func finding(_ range: SourceRange?) -> Diagnostic {
    Diagnostic(
      .unknownKey, .warning, at: .entity("Note") / "relationships" / "items", "something is wrong",
      notes: [
        Diagnostic.Note(
          "the other end", at: .entity("Item"), range: range.map { _ in .point(line: 1, column: 1) })
      ],
      help: "mend it", range: range)
  }

  private let range = SourceRange(
    start: SourceRange.Position(line: 2, column: 7), end: SourceRange.Position(line: 2, column: 12))

  @Test func theRangeIsUnderlinedBelowTabs() {
    #expect(
      TextReporter(source).report([finding(range)]) == """
        Models/m.yml:2:7: warning: Something is wrong. [unknown-key]
            \tkey:\tvalue # c
            \t    \t^~~~~
        Models/m.yml:1:1: note: the other end
            a: 1
            ^
            help: mend it

        """)
  }

  /// The caret's line of a report about the file's first key that is unknown.
  private func marks(_ text: String) -> (line: Substring, marks: Substring)? {
    let source = SourceFile(path: "m.yml", text: text)
    let report = TextReporter(source).report(
      ModelParser.parse(source).diagnostics.filter { $0.code == .unknownKey })
    let lines = report.split(separator: "\n").dropFirst()
    return lines.count < 2 ? nil : (lines.first!, lines.dropFirst().first!)
  }

  @Test(arguments: [
    "x-é: ü, 日本: a", "\"x-👩‍👩‍👧\": a, 日本: a", "x-\u{0301}: a, 日本: a",
  ])
  func lettersBeyondASCIICountOnce(_ entries: String) throws {
    let found = try #require(marks("{version: 1, entities: {}, \(entries)}"))
    let letters = Array(found.line.unicodeScalars)
    let marked = zip(letters, found.marks.unicodeScalars).filter { $1 == "^" || $1 == "~" }.map(\.0)
    #expect(String(String.UnicodeScalarView(marked)) == "日本")
    #expect(found.marks.hasSuffix("^~"))
  }

  @Test(arguments: ["\n", "\r", "\r\n", "\u{85}", "\u{2028}", "\u{2029}"])
  func everyLineEndOfYAMLEndsALine(_ end: String) throws {
    let found = try #require(marks(["version: 1", "x-a: b", "", "wrong: 1", ""].joined(separator: end)))
    #expect(found == ("    wrong: 1", "    ^~~~~"))
  }

  @Test func theLastLineNeedsNoEnd() throws {
    #expect(try #require(marks("version: 1\nwrong: 1")) == ("    wrong: 1", "    ^~~~~"))
  }

  @Test func aLineThatNobodyReadsIsNotShown() {
    let source = SourceFile(path: "m.yml", text: "{a: 1, \(String(repeating: "b", count: 500)): 2}")
    let report = TextReporter(source).report([finding(.point(line: 1, column: 2))])
    #expect(report.hasPrefix("m.yml:1:2: warning: "))
    #expect(!report.contains("bbb"))
  }

  @Test func aModelMadeInCodeIsNamedByItsPath() {
    #expect(
      TextReporter(nil).report([finding(nil)]) == """
        Note.items: warning: Something is wrong. [unknown-key]
        Item: note: the other end
            help: mend it

        """)
  }

  @Test func aFindingWithoutPlaceNamesTheFile() {
    let text = TextReporter(source).report([finding(nil)])
    #expect(text.hasPrefix("Models/m.yml: warning: Something is wrong"))
  }

  @Test func colourIsOnlyUsedWhereAskedFor() {
    #expect(!TextReporter(source).report([finding(range)]).contains("\u{1B}"))
    #expect(TextReporter(source, hasColour: true).report([finding(range)]).contains("\u{1B}[1;35mwarning"))
  }

  @Test func textsOfAModelCannotSteerATerminal() {
    let text = #"version: 1\#nentities: {A: {"\e[31mtable\n": t}}"#
    let source = SourceFile(path: "m.yml", text: text)
    let report = TextReporter(source).report(ModelParser.parse(source).diagnostics)
    #expect(!report.contains("\u{1B}"))
    #expect(report.split(separator: "\n").count == 4)
  }

  @Test func jsonHasPlacesFromOne() throws {
    let text = try JSONReporter.report([FileReport(path: "m.yml", source: nil, findings: [finding(range)])])
    let report = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    let found = try #require((report["findings"] as? [[String: Any]])?.first)
    #expect(report["version"] as? Int == 1)
    #expect(found["path"] as? String == "m.yml")
    #expect(["line", "column", "endLine", "endColumn"].map { found[$0] as? Int } == [2, 7, 2, 12])
    #expect(found["code"] as? String == "unknown-key")
    #expect(found["severity"] as? String == "warning")
    #expect((found["notes"] as? [[String: Any]])?.first?["message"] as? String == "the other end")
  }
}

@Suite("Nearest names")
struct NearestNameTests {
  @Test(arguments: [
    ("atributes", "attributes"), ("Inverse", "inverse"), ("tabel", "table"),
    ("realtionships", "relationships"),
  ])
  func aSlipOfThePenIsFound(name: String, meant: String) {
    #expect(nearestName(to: name, in: ["inverse", "table", "attributes", "relationships"]) == meant)
  }

  @Test func aDistantNameIsNoSuggestion() {
    #expect(nearestName(to: "colour", in: ["table", "parent"]) == nil)
    #expect(nearestName(to: "", in: ["a"]) == nil)
    #expect(nearestName(to: String(repeating: "a", count: 5000), in: ["a"]) == nil)
  }

  @Test func theNearestOfSeveralIsChosen() {
    #expect(nearestName(to: "notes", in: ["note", "nodes", "notess", "Notes"]) == "Notes")
  }
}

@Suite("Project settings")
struct ProjectSettingsTests {
  private func settings(_ text: String) throws -> ProjectSettings? {
    let folder = try TemporaryFolder()
    try folder.write(text.utf8, to: "moclone.yml")
    return try ProjectSettings.nearest(
      to: folder.write(Data(), to: "below/m.yml").deletingLastPathComponent().path)
  }

  @Test func areFoundInAFolderAbove() throws {
    let settings = try #require(try settings("version: 1\nmodel: m.yml\nstore: /s.sqlite\n"))
    #expect(settings.model?.hasSuffix("/m.yml") == true)
    #expect(settings.store == "/s.sqlite")
  }

  @Test(arguments: [
    "", "[a]", "version: 2", "version: 1\nmodle: a", "version: 1\nmodel: [a]", "version: 1\na: {",
  ])
  func faultsAreReported(text: String) {
    #expect(throws: ModelError.self) { try settings(text) }
  }
}
