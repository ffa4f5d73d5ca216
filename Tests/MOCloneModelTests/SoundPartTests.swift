import Testing

@testable import MOCloneModel
@testable import MOCloneYAML

@Suite("Findings beside errors, and about names, defaults, keys and delete rules")
struct SoundPartTests {
  private func report(_ entities: String) -> FileReport {
    FileReport(SourceFile(path: "m.yml", text: "version: 1\nname: Test\nentities:\n" + entities))
  }

  private func codes(_ entities: String) -> [DiagnosticCode] { report(entities).findings.map(\.code) }

  // MARK: All findings at once

  private static let faulty = """
      Note: {relationships: {items: {destination: Itm, toMany: true}}}
      Person:
        attributes: {uid: {type: UUID}}
        uniquenessConstraints: [[uid]]
        relationships: {team: {destination: Team}}
      Team: {attributes: {name: String}}

    """

  @Test("An error hides only what is said of the entities that it touches, and says so")
  func errorsHideLittle() {
    let report = report(Self.faulty)
    #expect(Set(report.findings.map(\.code)) == [.unknownDestination, .uniqueCopied, .missingInverse])
    #expect(report.findings.filter { $0.code == .missingInverse }.map(\.path.name) == ["Person.team"])
    #expect(report.unchecked == ["Note"])
    #expect(
      ReportSummary([report]).line.hasSuffix(
        "; what clones of Note contain was not checked, because of these errors"))
  }

  @Test("Errors that a comment allows are not called 'these', as the report shows none")
  func acceptedErrorsHideAsMuch() {
    var report = report(
      "  Note:\n    attributes:\n      # moclone:allow unknown-value later\n      n: {type: Strin}\n")
    report.applySuppressions(hasStore: false)
    #expect(report.findings.isEmpty && report.accepted.map(\.finding.code) == [.unknownValue])
    #expect(
      ReportSummary([report]).line
        == "no findings in 1 file; 1 allowed by comments; "
        + "what clones of Note contain was not checked, because of errors that a comment or the baseline accepts"
    )
  }

  @Test func aFileThatCannotBeReadHidesAll() {
    let report = FileReport(SourceFile(path: "m.yml", text: "version: 1\nentities: [\n"))
    #expect(report.unchecked == nil)
    #expect(ReportSummary([report]).line.contains("what clones contain was not checked"))
    #expect(self.report("  Note: {attributes: {name: String}}\n").unchecked == [])
  }

  @Test("Where only some codes are asked for, errors that hide them are reported")
  func onlySomeCodes() {
    var report = report(Self.faulty)
    report.keep { $0 == .oneSidedExclude }
    #expect(report.findings.map(\.code) == [.unknownDestination])
    var whole = self.report("  Note: {attributes: {stars: {type: Integer 16, min: 5, max: 1}}}\n")
    whole.keep { $0 == .oneSidedExclude }
    #expect(whole.findings.isEmpty)
  }

  // MARK: Defaults

  @Test(arguments: [
    ("{type: Integer 16, min: 1, default: 0}", true), ("{type: Integer 16, max: 5, default: 6}", true),
    ("{type: Integer 16, min: 0, max: 5, default: 0}", false), ("{type: String, min: 2, default: a}", true),
    ("{type: String, max: 2, default: abc}", true), ("{type: String, pattern: '[a-z]+', default: A}", true),
    ("{type: String, pattern: '[a-z]+', default: a}", false),
    ("{type: Decimal, max: 1, default: 1.01}", true),
    ("{type: Double, min: 0.5, default: 0.25}", true),
  ])
  func defaultsOutsideTheirOwnLimits(attribute: String, isFaulty: Bool) {
    #expect(codes("  Note: {attributes: {a: \(attribute)}}\n") == (isFaulty ? [.defaultOutsideLimits] : []))
  }

  // MARK: Names

  @Test(arguments: ["\"a \"", "\" a\"", "\"a.b\"", "\"a\\u202eb\"", "\"a\\u200bb\"", "\"\\ufeffa\""])
  func oddNamesAreWarnings(name: String) {
    let found = report("  Note: {attributes: {\(name): String}}\n").findings
    #expect(found.map(\.code) == [.invalidName])
    #expect(found.map(\.severity) == [.warning])
    #expect(found.allSatisfy { !$0.message.unicodeScalars.contains(where: \.isUnprintable) })
  }

  @Test func emptyNamesAreErrors() {
    let found = report("  \"\": {attributes: {\"\": String}}\n").findings
    #expect(found.map(\.code) == [.invalidName, .invalidName])
    #expect(found.allSatisfy { $0.severity == .error })
  }

  @Test(arguments: ["Größe", "二", "a b", "it's", "a\\\"b"])
  func namesOfOtherLanguagesAreFine(name: String) {
    #expect(codes("  Note: {attributes: {\"\(name)\": String}}\n").isEmpty)
  }

  // MARK: Keys and delete rules

  @Test("A part of a key that is no property's column is named with the column that was meant")
  func keyColumns() {
    func entities(_ key: String) -> String {
      """
        Order: {relationships: {lines: {destination: Line, toMany: true, inverse: order}}}
        Line:
          primaryKey: \(key)
          attributes: {number: Integer 32}
          relationships: {order: {destination: Order, inverse: lines}}

      """
    }
    #expect(codes(entities("[order_id, number]")).isEmpty)
    #expect(codes(entities("[order_id, {column: position, generate: max}]")).isEmpty)
    #expect(codes(entities("line_id")).isEmpty)
    let found = report(entities("[order_id, numbr]")).findings
    #expect(found.map(\.code) == [.unknownKeyColumn])
    #expect(found.first?.help == "did you mean 'number'?")
  }

  @Test("A reference that may be empty is not proposed as a part of a key")
  func keyColumnsOfReferences() {
    let found = report(
      """
        Node:
          primaryKey: [tree_id, seq]
          relationships:
            up: {destination: Node, optional: true, inverse: down, column: [tree_id, up_seq]}
            down: {destination: Node, toMany: true, inverse: up}

      """
    ).findings
    #expect(found.map(\.code) == [.unknownKeyColumn])
    #expect(found.first?.message.hasPrefix("part 'seq' of the key of 'Node' is not the column") == true)
    #expect(found.first?.help == "declare 'seq' as an attribute, or write '{column: seq, generate: max}'")
  }

  @Test("A written nullify is refused where the other side is required; the default is nobody's decision")
  func nullify() {
    func entities(_ rule: String, _ optional: Bool = false) -> String {
      """
        Note: {relationships: {items: {destination: Item, toMany: true, inverse: note\(rule)}}}
        Item: {relationships: {note: {destination: Note, optional: \(optional), inverse: items}}}

      """
    }
    #expect(codes(entities(", deleteRule: nullify")) == [.nullifyRequired])
    #expect(codes(entities(", deleteRule: nullify", true)).isEmpty)
    for rule in ["", ", deleteRule: deny", ", deleteRule: cascade"] { #expect(codes(entities(rule)).isEmpty) }
  }

  // MARK: Nearest names

  @Test(
    arguments: [
      ("skuCode", ["name", "sku"], "sku"), ("sku", ["name", "skuCode"], "skuCode"),
      ("customerName", ["name", "city"], "name"),
      ("order_number", ["number", "orderNumbers"], "orderNumbers"),
      ("note", ["item", "memo"], nil), ("id", ["idea", "uid"], "uid"),
    ] as [(String, [String], String?)])
  func namesByWordsInCommon(name: String, known: [String], nearest: String?) {
    #expect(nearestName(to: name, in: known) == nearest)
  }

  // MARK: Characters that steer

  @Test func reportsHoldNoCharactersThatSteer() {
    let source = SourceFile(
      path: "a\u{1B}[2J\u{202E}.yml", text: "version: 1\n\"na\u{202E}me\": x\nentities: {}\n")
    let text = TextReporter(source).report(ModelParser.parse(source).diagnostics)
    #expect(text.contains("[unknown-key]"))
    #expect(!text.unicodeScalars.contains { $0.isUnprintable && $0 != "\n" })
    let github = GitHubReporter.report([FileReport(source)], root: "/")
    #expect(!github.unicodeScalars.contains("\u{202E}"))
  }
}
