import Foundation
import MOCloneModel
import MOCloneYAML
import Testing

/// Model files whose last lines hold the report they must give, each behind `#! `; without such lines they are valid.
///
/// UPDATE_FIXTURES=1 rewrites the lines and fails the test, so that nobody takes a recorded report for a checked one.
struct FixtureTests {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Fixtures")

  static var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).filter {
      $0.hasSuffix(".yml")
    }
    .sorted()
  }

  @Test(arguments: names)
  func theReportIsTheExpectedOne(_ name: String) throws {
    let url = Self.folder.appendingPathComponent(name)
    let text = try String(contentsOf: url, encoding: .utf8)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let expected = lines.filter { $0.hasPrefix("#!") }.map { String($0.dropFirst(3)) }.joined(separator: "\n")
    let source = try SourceFile(contentsOf: url, path: name)
    let report = TextReporter(source).report(ModelParser.parse(source).diagnostics)
      .trimmingCharacters(in: .newlines)
    if ProcessInfo.processInfo.environment["UPDATE_FIXTURES"] == "1", report != expected {
      let body = lines.filter { !$0.hasPrefix("#!") }.joined(separator: "\n").trimmingCharacters(
        in: .newlines)
      let marks = report.isEmpty ? "" : report.split(separator: "\n").map { "#! \($0)\n" }.joined()
      try (body + "\n" + marks).write(to: url, atomically: true, encoding: .utf8)
    }
    #expect(report == expected)
  }

  @Test func fixturesAreFound() {
    #expect(Self.names.count > 20)
  }
}
