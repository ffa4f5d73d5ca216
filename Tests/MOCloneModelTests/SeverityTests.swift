import Foundation
import TestSupport
import Testing

@testable import MOCloneModel
@testable import MOCloneYAML

@Suite("Severities of a project")
struct SeverityTests {
  private func read(_ text: String) throws -> (settings: ProjectSettings, report: FileReport) {
    let folder = try TemporaryFolder()
    return ProjectSettings.read(try folder.write(text.utf8, to: "moclone.yml"), path: "moclone.yml")
  }

  @Test func areReadForEachCode() throws {
    let (settings, report) = try read(
      "version: 1\nseverities:\n  unknown-key: warning\n  exclude-value: off\n  rebuild-type: info\n"
        + "  link-leaves-out: error\n  x-ours: anything\n")
    #expect(report.findings.isEmpty)
    #expect(
      settings.severities == [
        .unknownKey: .warning, .excludeValue: .off, .rebuildType: .info, .linkLeavesOut: .error,
      ])
  }

  @Test func replaceThoseOfTheFindings() {
    var report = FileReport(
      path: "m.yml", source: nil,
      findings: [.unknownKey, .excludeValue, .rebuildType, .sharedTable].map {
        Diagnostic($0, at: .model, "")
      })
    report.apply([.unknownKey: .warning, .excludeValue: .off, .rebuildType: .info])
    #expect(report.findings.map(\.code) == [.unknownKey, .rebuildType, .sharedTable])
    #expect(report.findings.map(\.severity) == [.warning, .note, .error])
  }

  // MARK: What makes clones fail

  private static let items = """
    version: 1
    entities:
      Note:
        relationships: {items: {destination: Item, toMany: true, inverse: note}}
      Item:
        attributes: {code: String}
        relationships: {note: {destination: Note, inverse: items}}
        uniquenessConstraints: [[code]]

    """

  private func weighed(_ text: String) -> [Diagnostic] {
    var report = FileReport(SourceFile(path: "m.yml", text: text))
    report.weighRefusals()
    return report.findings
  }

  @Test(
    "A required unique value that is copied below a root is an error for who checks the model, which can be used"
  )
  func uniqueValues() throws {
    #expect(throws: Never.self) { try ObjectModel(yaml: Self.items) }
    #expect(weighed(Self.items).map(\.code) == [.uniqueCopied])
    #expect(weighed(Self.items).map(\.severity) == [.error])
    let optional = Self.items.replacing("{code: String}", with: "{code: {type: String, optional: true}}")
    #expect(weighed(optional).map(\.severity) == [.warning])
    // By itself an item is given another code by --set.
    let root = Self.items.replacing("inverse: note}", with: "inverse: note, userInfo: {exclude: \"\"}}")
    #expect(weighed(root).map(\.severity) == [.warning])
  }

  @Test("A key that people give is an error below a root, and none at the root")
  func keys() throws {
    let given = Self.items.replacing(
      "uniquenessConstraints: [[code]]", with: "primaryKey: {column: code, generate: none}")
    let found = weighed(given)
    #expect(found.map(\.code) == [.uniqueCopied])
    #expect(found.map(\.severity) == [.error])
    #expect(found.map(\.path) == [.entity("Item") / "primaryKey"])
    #expect(
      weighed(given.replacing("inverse: note}", with: "inverse: note, userInfo: {exclude: \"\"}}")).isEmpty)
  }

  @Test("What can only be cloned by itself, and then lacks what it needs, is an error")
  func requiredRelationships() throws {
    let excluded = """
      version: 1
      entities:
        Note:
          relationships: {items: {destination: Item, toMany: true, inverse: note, userInfo: {exclude: ""}}}
        Item:
          relationships: {note: {destination: Note, inverse: items, userInfo: {exclude: ""}}}

      """
    #expect(weighed(excluded).map(\.code) == [.requiredRelationshipExcluded])
    #expect(weighed(excluded).map(\.severity) == [.error])
  }

  @Test(
    "A required relationship that some clones leave empty is an error, and the model can be used otherwise")
  func relationshipsLeftEmpty() throws {
    let shop = """
      version: 1
      entities:
        Order:
          relationships: {lines: {destination: Line, toMany: true, inverse: order}}
        Line:
          relationships:
            order: {destination: Order, inverse: lines}
            tax: {destination: Tax, inverse: lines, userInfo: {exclude: ""}}
        Tax:
          relationships: {lines: {destination: Line, toMany: true, inverse: tax, userInfo: {exclude: ""}}}

      """
    #expect(throws: Never.self) { try ObjectModel(yaml: shop) }
    #expect(weighed(shop).map(\.code) == [.requiredRelationshipExcluded])
    #expect(weighed(shop).map(\.severity) == [.error])
    #expect(throws: ModelError.self) {
      try ObjectModel(yaml: shop.replacing("inverse: order}", with: "inverse: ordr}"))
    }
  }

  @Test("What makes clones fail is accepted by a comment as any finding is")
  func accepted() throws {
    var report = FileReport(
      SourceFile(
        path: "m.yml",
        text: Self.items.replacing(
          "    attributes: {code",
          with: "    # moclone:allow unique-copied items are cloned in memory only\n    attributes: {code")))
    report.weighRefusals()
    report.applySuppressions(hasStore: false)
    #expect(report.findings.isEmpty && report.accepted.map(\.finding.severity) == [.error])
  }

  @Test func anUnknownCodeHasAPlaceAndASuggestion() throws {
    let (settings, report) = try read(
      "version: 1\nmodel: m.yml\nseverities:\n  unknown-kee: off\n  shared-table: warning\n")
    let finding = try #require(report.findings.first)
    #expect(report.findings.count == 1)
    #expect((finding.range?.start.line, finding.range?.start.column) == (4, 3))
    #expect(finding.help == "did you mean 'unknown-key'?")
    #expect(settings.severities == [.sharedTable: .warning])
    #expect(settings.model?.hasSuffix("/m.yml") == true)
  }

  @Test(arguments: [
    ("severities: {unknown-key: fatal}", DiagnosticCode.unknownValue), ("severities: [off]", .wrongKind),
    ("severities: {syntax: warning}", .unknownValue), ("severities: {unreadable-file: off}", .unknownValue),
    ("severitys: {unknown-key: off}", .unknownKey),
    ("severities: {unknown-key: off, unknown-key: error}", .duplicateKey),
  ])
  func faultsAreReported(line: String, code: DiagnosticCode) throws {
    #expect(try read("version: 1\n\(line)\n").report.findings.map(\.code) == [code])
  }
}
