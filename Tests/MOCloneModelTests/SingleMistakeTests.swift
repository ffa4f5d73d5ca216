import Foundation
import MOCloneYAML
import Testing

@testable import MOCloneModel

@Suite("Single mistakes in correct models")
struct SingleMistakeTests {
  static let correct: [String] = {
    let folder = SingleMistake.table.deletingLastPathComponent().appendingPathComponent("Correct")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return [
      "Models/HealthNotes.yml", "Models/Northwind.yml", "Models/Chinook.yml",
      "Examples/App/Sources/Tracker/Tracker.moclone.yml", "Examples/Groceries/Groceries.yml",
    ] + names.sorted().map { "Fixtures/Correct/\($0)" }
  }()

  @Test("A correct model has no finding but those that it accepts", arguments: correct)
  func nothingIsFoundInCorrectModels(file: String) throws {
    var report = FileReport(SourceFile(path: file, text: try SingleMistake.model(file)))
    report.applySuppressions(hasStore: false)
    #expect(report.findings.isEmpty, "\(report.findings.map { "\($0.code.rawValue): \($0.message)" })")
  }

  @Test("A mistake gives its finding, at its line, and no other one", arguments: SingleMistake.all)
  func mistake(_ mistake: SingleMistake) {
    #expect(mistake.line > 0, "what is written must be in the model once")
    let findings = mistake.findings
    let found = findings.map { "\($0.range?.start.line ?? 0): \($0.code.rawValue) \($0.path.name)" }
    #expect([.right, .note].contains(mistake.place(in: findings)), "line \(mistake.line); found \(found)")
    #expect(findings.count == 1, "found \(found)")
    #expect(findings.allSatisfy { $0.help != nil })
  }

  /// With MOCLONE_TABLE=1 each mistake with what is found, where, and the advice.
  @Test func countsOfMistakes() {
    #expect(Self.correct.count >= 15 && SingleMistake.all.count >= 100)
    var places: [SingleMistake.Place: Int] = [:]
    for mistake in SingleMistake.all {
      let findings = mistake.findings
      let place = mistake.place(in: findings)
      places[place, default: 0] += 1
      guard ProcessInfo.processInfo.environment["MOCLONE_TABLE"] == "1" else { continue }
      let found = findings.first { $0.code.rawValue == mistake.code }
      print("\(mistake.file):\(mistake.line): \(mistake.code): \(place.rawValue): \(found?.help ?? "")")
    }
    let counts = SingleMistake.Place.allCases.map { "\(places[$0] ?? 0) \($0.rawValue)" }
    print("\(SingleMistake.all.count) single mistakes: \(counts.joined(separator: ", "))")
  }
}
