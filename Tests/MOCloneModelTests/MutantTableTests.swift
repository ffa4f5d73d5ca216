import Foundation
import Testing

@testable import MOCloneModel
@testable import MOCloneYAML

@Suite("The table of sample models with one edit each, and of what is advised")
struct MutantTableTests {
  /// What becomes of one mutant.
  private enum Outcome: String, CaseIterable {
    case silent = "without a finding"
    case told = "found, with advice in words"
    case settled = "found, and each proposed edit settles it"
    case unsettled = "found, but a proposed edit does not settle it"
  }

  /// With MOCLONE_TABLE=1 each mutant with what is found and the advice, else the counts of some.
  @Test(arguments: ["HealthNotes", "Northwind", "Chinook"])
  func table(name: String) throws {
    let printsAll = ProcessInfo.processInfo.environment["MOCLONE_TABLE"] == "1"
    let mutants = try Mutant.all(ofSample: name)
    var counts: [Mutant.Change: [Outcome: Int]] = [:]
    for i in stride(from: 0, to: mutants.count, by: printsAll ? 1 : 97) {
      let parsed = ProposedEdits.parse(mutants[i].root.flowText).withTriedAdvice
      let outcome = outcome(of: parsed)
      counts[mutants[i].change, default: [:]][outcome, default: 0] += 1
      #expect(outcome != .unsettled, "\(mutants[i].comment)")
      if printsAll { print(line(of: mutants[i], parsed, outcome)) }
    }
    for change in Mutant.Change.allCases {
      let parts = Outcome.allCases.compactMap { outcome in
        counts[change]?[outcome].map { "\($0) \(outcome.rawValue)" }
      }
      print("\(name), \(change.rawValue): \(parts.joined(separator: "; "))")
    }
  }

  private func outcome(of parsed: ParsedModel) -> Outcome {
    guard !parsed.diagnostics.isEmpty else { return .silent }
    var hasEdits = false
    for finding in parsed.diagnostics {
      for edit in finding.edits {
        hasEdits = true
        guard let root = parsed.root else { continue }
        let after = ProposedEdits.parse(root.applying(edit).flowText)
        if !ProposedEdits.unsettled(finding, parsed, after).isEmpty { return .unsettled }
      }
    }
    return hasEdits ? .settled : .told
  }

  private func line(of mutant: Mutant, _ parsed: ParsedModel, _ outcome: Outcome) -> String {
    let found = parsed.diagnostics.map { "\($0.code.rawValue) at \($0.path.name): \($0.help ?? "")" }
    return "\(mutant.comment) | \(outcome.rawValue) | \(found.joined(separator: " | "))"
  }
}
