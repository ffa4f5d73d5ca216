import Testing

@testable import MOCloneModel
@testable import MOCloneYAML

@Suite("Reports for GitHub workflows")
struct GitHubReporterTests {
  private func command(
    _ message: String, path: String = "/project/Models/m.yml", _ severity: Severity = .error,
    notes: [Diagnostic.Note] = [], range: SourceRange? = nil
  ) -> String {
    let finding = Diagnostic(
      .unknownKey, severity, at: .model, message, notes: notes, help: "mend it", range: range)
    return GitHubReporter.report(
      [FileReport(path: path, source: nil, findings: [finding])], root: "/project")
  }

  private func range(_ line: Int, _ column: Int, _ endLine: Int, _ endColumn: Int) -> SourceRange {
    SourceRange(start: .init(line: line, column: column), end: .init(line: endLine, column: endColumn))
  }

  @Test func areCommandsWithPlaces() {
    #expect(
      command("wrong", range: range(3, 5, 3, 9))
        == "::error file=Models/m.yml,line=3,endLine=3,col=5,endColumn=8,title=unknown-key::Wrong.%0Ahelp: mend it\n"
    )
    #expect(command("wrong", .warning).hasPrefix("::warning file=Models/m.yml,title=unknown-key::"))
    #expect(command("wrong", .note).hasPrefix("::notice "))
  }

  @Test func severalLinesHaveNoColumns() {
    #expect(command("wrong", range: range(3, 5, 4, 2)).contains("line=3,endLine=4,title="))
  }

  @Test func nothingInAMessageIsACommand() {
    let text = command("50% of\r\n::stop-commands::x", path: "/project/a:b,c%.yml")
    #expect(text.split(separator: "\n").count == 1)
    #expect(text.contains("::50%25 of%0D%0A::stop-commands::x.%0A"))
    #expect(text.contains("file=a%3Ab%2Cc%25.yml,"))
  }

  @Test func notesNameTheirPlace() {
    let note = Diagnostic.Note("the other side", at: .model, range: .point(line: 7, column: 2))
    #expect(command("wrong", notes: [note]).contains("%0AModels/m.yml:7:2: note: the other side%0A"))
  }
}
