import Testing

@testable import MOCloneModel
@testable import MOCloneYAML

@Suite("Comments that allow findings")
struct SuppressionTests {
  private func report(_ entities: String, hasStore: Bool = false) -> FileReport {
    var report = FileReport(
      SourceFile(path: "m.yml", text: "version: 1\nname: Test\nentities:\n" + entities))
    report.applySuppressions(hasStore: hasStore)
    return report
  }

  /// A note whose attribute on line 6 has the finding `exclude-value`, below some lines.
  private func note(_ lines: String...) -> String {
    "  Note:\n    attributes:\n" + lines.map { "      \($0)\n" }.joined()
      + "      name: {type: String, optional: true, userInfo: {exclude: \"false\"}}\n"
  }

  @Test func allowTheFindingBelow() throws {
    let report = report(note("# moclone:allow exclude-value the export writes it"))
    #expect(report.findings.isEmpty)
    let accepted = try #require(report.accepted.first)
    #expect(accepted.finding.code == .excludeValue)
    #expect(accepted.reason == .comment("the export writes it"))
  }

  @Test(arguments: [
    "#moclone:allow exclude-value reason", "#   moclone:allow   exclude-value   a reason",
    "# moclone:allow exclude-value: because", "# moclone:allow exclude-value — weil es so ist",
    "# moclone:allow exclude-value, follow-without-fallback reason",
    "# moclone:allow follow-without-fallback,exclude-value reason",
  ])
  func areWrittenFreely(comment: String) {
    #expect(report(note(comment)).accepted.map(\.finding.code) == [.excludeValue])
  }

  @Test func standAboveOtherComments() {
    let report = report(note("# moclone:allow exclude-value the export", "# writes it, see there"))
    #expect(report.findings.isEmpty)
  }

  @Test func reachTheNextLineOnly() {
    let report = report(note("# moclone:allow exclude-value reason", "other: String"))
    #expect(report.findings.map(\.code) == [.unusedSuppression, .excludeValue])
    #expect(self.report(note("# moclone:allow exclude-value reason", "")).accepted.isEmpty)
  }

  @Test func allowNothingWithoutAReason() throws {
    for comment in ["# moclone:allow exclude-value", "# moclone:allow exclude-value --"] {
      let report = report(note(comment))
      #expect(report.findings.map(\.code) == [.invalidSuppression, .excludeValue])
      #expect(report.accepted.isEmpty)
      let range = try #require(report.findings.first?.range)
      #expect((range.start.line, range.start.column, range.end.column) == (6, 23, 36))
    }
  }

  @Test func nameKnownCodes() {
    let report = report(note("# moclone:allow exclude-value, exclude-valeu both are fine"))
    #expect(report.findings.map(\.code) == [.invalidSuppression])
    #expect(report.findings.first?.help == "did you mean 'exclude-value'?")
    #expect(report.findings.first?.range?.start.column == 38)
    #expect(report.accepted.count == 1)
  }

  @Test(arguments: ["# moclone:allow", "# moclone:alow exclude-value reason", "# moclone:deny x y"])
  func areSpeltRight(comment: String) {
    #expect(report(note(comment)).findings.map(\.code) == [.invalidSuppression, .excludeValue])
  }

  @Test func standBeforeTheLineNotBehindIt() {
    let report = report(note("other: String  # moclone:allow exclude-value reason"))
    #expect(report.findings.map(\.code) == [.invalidSuppression, .excludeValue])
  }

  @Test func allowWhatIsThere() throws {
    let report = report(note("# moclone:allow exclude-value, follow-without-fallback reason"))
    let unused = try #require(report.findings.first)
    #expect(report.findings.count == 1)
    #expect(unused.code == .unusedSuppression)
    #expect((unused.range?.start.column, unused.range?.end.column) == (38, 61))
  }

  @Test func twiceTheSameIsOneTooMany() {
    let comment = "# moclone:allow exclude-value reason"
    #expect(report(note(comment, comment)).findings.map(\.code) == [.unusedSuppression])
  }

  @Test func allowEveryFindingOfALine() {
    let attribute = "{type: String, optional: true, userInfo: {exclude: \"false\"}}"
    let report = report(
      "  # moclone:allow exclude-value both\n  Note: {attributes: {a: \(attribute), b: \(attribute)}}\n")
    #expect(report.findings.isEmpty)
    #expect(report.accepted.count == 2)
  }

  @Test(arguments: [
    "a: {type: String, default: 'x # moclone:allow exclude-value y'}",
    "a: {type: String, default: \"x\n        # moclone:allow exclude-value y\"}",
    "a:\n        type: String\n        default: |\n          # moclone:allow exclude-value y",
    "a:\n        type: String\n        default: >-\n          b\n\n          # moclone:allow exclude-value y",
    "'# moclone:allow exclude-value y': String",
    "a: {type: String, default: x#moclone:allow}",
  ])
  func textsAreNoComments(attribute: String) {
    #expect(report(note(attribute)).findings.map(\.code) == [.excludeValue])
  }

  @Test func aCommentBehindABlockScalarIsOne() {
    let attribute = "a:\n        type: String\n        default: |\n          text"
    let report = report(note(attribute, "# moclone:allow exclude-value reason"))
    #expect(report.findings.isEmpty)
  }

  @Test(arguments: [
    "# see moclone:allow in the manual", "# moclone: our own note", "# a # moclone:allow b c",
  ])
  func otherCommentsMeanNothing(comment: String) {
    #expect(report(note(comment)).findings.map(\.code) == [.excludeValue])
  }

  @Test(arguments: ["\r\n", "\r", "\u{2028}"])
  func linesEndAsInYAML(end: String) {
    let text = "version: 1\nname: Test\nentities:\n" + note("# moclone:allow exclude-value ü 日本")
    var report = FileReport(
      SourceFile(
        path: "m.yml", text: text.split(separator: "\n").joined(separator: end) + end))
    report.applySuppressions(hasStore: false)
    #expect(report.findings.isEmpty)
    #expect(report.accepted.count == 1)
  }

  @Test func whatOnlyADatabaseShowsIsNotMissedWithoutOne() {
    let entities = note("# moclone:allow exclude-value, store-mismatch the table comes later")
    #expect(report(entities).findings.isEmpty)
    #expect(report(entities, hasStore: true).findings.map(\.code) == [.unusedSuppression])
  }

  @Test func aFaultThatHidesFindingsMakesNoCommentUnused() {
    let hiding =
      "  Note:\n    # moclone:allow follow-without-fallback reason\n    atributes: {name: String}\n"
    #expect(report(hiding).findings.map(\.code) == [.unknownKey])
  }

  @Test func atTheEndOfAFileTheyAllowNothing() {
    let report = report("  Note: {}\n# moclone:allow exclude-value reason")
    #expect(report.findings.map(\.code) == [.unusedSuppression])
  }

  @Test func errorsCanBeAllowedToo() {
    let report = report("  # moclone:allow unknown-key another tool reads it\n  Note: {colour: red}\n")
    #expect(report.findings.isEmpty)
  }

  @Test func aFileThatIsNotUnderstoodHasNoOtherFinding() {
    #expect(report("  # moclone:allow syntax reason\n  Note: {a: [}\n").findings.map(\.code) == [.syntax])
  }

  @Test(arguments: ["# moclone: allow exclude-value reason", "# Moclone:Allow exclude-value reason"])
  func areReportedWhereTheyAreNearlyRight(comment: String) {
    let report = report(note(comment))
    #expect(report.findings.map(\.code) == [.invalidSuppression, .excludeValue])
    #expect(report.accepted.isEmpty)
  }

  @Test func ofAValueBesideAMisspeltAnnotationAreNotCalledUnused() {
    let text =
      "  Note:\n    attributes:\n      # moclone:allow exclude-value the export writes it\n"
      + "      name: {type: String, optional: true, userInfo: {exclude: \"no\", Rebuild: now}}\n"
    #expect(report(text).findings.map(\.code) == [.misspeltAnnotation])
  }
}
