import Foundation
import Testing

@testable import MOCloneModel
@testable import MOCloneYAML

@Suite("SARIF reports")
struct SARIFReporterTests {
  private func run(_ reports: [FileReport], isComplete: Bool = true) throws -> [String: Any] {
    let text = try SARIFReporter.report(
      reports, root: "/project", toolVersion: "1.2.3", isComplete: isComplete)
    let log = try JSONSerialization.jsonObject(with: Data(text.utf8))
    #expect(SARIFRule.log.faults(log).isEmpty, "\(SARIFRule.log.faults(log))")
    let runs = try #require((log as? [String: Any])?["runs"] as? [[String: Any]])
    return try #require(runs.first)
  }

  private func results(_ reports: FileReport...) throws -> [[String: Any]] {
    try #require(run(reports)["results"] as? [[String: Any]])
  }

  /// A model with a fault in each of two entities, one of them allowed.
  private func report(_ above: String = "", path: String = "/project/Models/a b.yml") -> FileReport {
    let attribute = "{type: String, optional: true, userInfo: {exclude: \"false\"}}"
    var report = FileReport(
      SourceFile(
        path: path,
        text: """
          version: 1
          name: Test
          \(above)entities:
            Note: {attributes: {ü: \(attribute)}}
            # moclone:allow exclude-value the export needs it
            Item: {attributes: {name: \(attribute)}, relationships: {note: {destination: Nte}}}

          """))
    report.applySuppressions(hasStore: false)
    return report
  }

  @Test func followTheRulesOfTheFormat() throws {
    let unread = FileReport(
      path: "nope.yml", source: nil, findings: [Diagnostic(.unreadableFile, at: .model, "cannot be read")])
    let run = try run([report(), unread], isComplete: false)
    #expect(run["columnKind"] as? String == "unicodeCodePoints")
    #expect((run["invocations"] as? [[String: Any]])?.first?["executionSuccessful"] as? Bool == false)
    #expect(try self.run([])["results"] as? [String] == [])
  }

  @Test func everyCodeIsARuleWithHelp() throws {
    let all = FileReport(
      path: "m.yml", source: nil,
      findings: DiagnosticCode.allCases.map { Diagnostic($0, at: .model, "found") })
    let run = try run([all])
    let driver = (run["tool"] as? [String: [String: Any]])?["driver"]
    let rules = try #require(driver?["rules"] as? [[String: Any]])
    #expect(rules.compactMap { $0["id"] as? String }.count == DiagnosticCode.allCases.count)
    for rule in rules {
      let help = try #require(rule["help"] as? [String: String])
      #expect(help["text"]?.isEmpty == false && help["markdown"]?.isEmpty == false)
    }
    for result in try #require(run["results"] as? [[String: Any]]) {
      let index = try #require(result["ruleIndex"] as? Int)
      #expect(rules[index]["id"] as? String == result["ruleId"] as? String)
    }
    #expect(driver?["version"] as? String == "1.2.3")
  }

  @Test func placesAreRelativeAndCountCodePoints() throws {
    let first = try #require(try results(report()).first)
    let places = try #require(first["locations"] as? [[String: Any]])
    let place = try #require(places.first?["physicalLocation"] as? [String: [String: Any]])
    #expect(
      place["artifactLocation"] as? [String: String] == ["uri": "Models/a%20b.yml", "uriBaseId": "%SRCROOT%"])
    #expect(
      place["region"] as? [String: Int] == ["startLine": 4, "startColumn": 77, "endLine": 4, "endColumn": 84])
    let logical = try #require(places.first?["logicalLocations"] as? [[String: String]])
    #expect(logical == [["fullyQualifiedName": "Note.ü"]])
  }

  @Test func whatLiesElsewhereIsNamedInFull() throws {
    for (path, uri) in [("/other/a.yml", "file:///other/a.yml"), ("<stdin>", "%3Cstdin%3E")] {
      let first = try #require(try results(report(path: path)).first)
      let places = try #require(first["locations"] as? [[String: Any]])
      let place = try #require(places.first?["physicalLocation"] as? [String: [String: Any]])
      #expect(place["artifactLocation"] as? [String: String] == ["uri": uri])
    }
  }

  @Test func notesAreRelatedPlaces() throws {
    let model =
      "version: 1\nname: T\nentities: {A: {relationships: {b: {destination: Z}, c: {destination: Z}}}}\n"
    let result = try #require(try results(FileReport(SourceFile(path: "m.yml", text: model))).first)
    let related = try #require(result["relatedLocations"] as? [[String: Any]])
    #expect((related.first?["message"] as? [String: String])?["text"] == "it is also named here")
  }

  @Test func aPlaceIsRelatedOnce() throws {
    let notes = Array(repeating: Diagnostic.Note("see here", at: .entity("Note")), count: 3)
    let finding = Diagnostic(.unknownKey, at: .model, "found", notes: notes)
    let result = try #require(try results(FileReport(path: "m.yml", source: nil, findings: [finding])).first)
    #expect((result["relatedLocations"] as? [Any])?.count == 1)
  }

  @Test func acceptedFindingsAreSuppressed() throws {
    let results = try results(report())
    let accepted = results.compactMap { $0["suppressions"] as? [[String: String]] }
    #expect(accepted.count == results.count)
    #expect(
      accepted.filter { !$0.isEmpty } == [[["kind": "inSource", "justification": "the export needs it"]]])
    var reports = [
      FileReport(path: "m.yml", source: nil, findings: [Diagnostic(.unknownKey, at: .model, "found")])
    ]
    let baseline = Baseline(of: reports, folder: "/")
    _ = baseline.accept(&reports, hasStore: false)
    let held = try #require(try self.results(reports[0])[0]["suppressions"] as? [[String: String]])
    #expect(held.map { $0["kind"] } == ["external"])
  }

  private func fingerprints(_ report: FileReport) throws -> [String] {
    try results(report).compactMap { ($0["partialFingerprints"] as? [String: String])?["moclone/v1"] }
  }

  @Test func fingerprintsStayWhereLinesMove() throws {
    let before = try fingerprints(report())
    let after = try fingerprints(report("# a\n\n# comment\nstore: {naming: snakeCase}\n"))
    #expect(before.count == 3)
    #expect(before == after)
    #expect(Set(before).count == before.count)
  }

  @Test func fingerprintsOfEqualFindingsDiffer() throws {
    let twice = Array(repeating: Diagnostic(.unknownKey, at: .model, "found"), count: 3)
    let found = try fingerprints(FileReport(path: "m.yml", source: nil, findings: twice))
    #expect(Set(found).count == 3)
  }

  @Test func theRulesOfTheFormatFindFaults() {
    let faulty: [(Any, String)] = [
      (["version": "2.0.0", "runs": []], "version"), (["version": "2.1.0"], "lacks runs"),
      (["version": "2.1.0", "runs": [["tool": ["driver": [:]]]]], "lacks name"),
      (["version": "2.1.0", "runs": [], "extra": 1], "cannot have extra"),
    ]
    for (log, words) in faulty {
      #expect(SARIFRule.log.faults(log).contains { $0.contains(words) }, "\(words)")
    }
    #expect(!SARIFRule.result.faults(["message": [:]]).isEmpty)
    #expect(!SARIFRule.region.faults(["startLine": 0]).isEmpty)
    #expect(!SARIFRule.artifactLocation.faults(["uri": "a b"]).isEmpty)
  }
}
