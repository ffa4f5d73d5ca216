import Foundation
import Testing

@testable import MOCloneModel
@testable import MOCloneYAML

@Suite("Sample models with one key left out, misspelt, or given a value of another kind")
struct MutantTests {
  struct Sample: CustomTestStringConvertible, Sendable {
    var name: String
    var mutants: [Mutant]
    var testDescription: String { name }

    /// With MOCLONE_LONG=1 every mutant, else some.
    init(_ name: String) {
      self.name = name
      let all = try! Mutant.all(ofSample: name)
      let step = ProcessInfo.processInfo.environment["MOCLONE_LONG"] == "1" ? 1 : 13
      mutants = stride(from: 0, to: all.count, by: step).map { all[$0] }
    }
  }

  private static let samples = ["HealthNotes", "Chinook"].map(Sample.init)

  private func parse(_ text: String) -> ParsedModel {
    ModelParser.parse(SourceFile(path: "mutant.yml", text: text))
  }

  @Test("There are mutants of each kind", arguments: samples)
  func count(_ sample: Sample) {
    for change in Mutant.Change.allCases {
      #expect(sample.mutants.count { $0.change == change } > 5, "\(change)")
    }
  }

  @Test("No mutant is taken for a model that says something else", arguments: samples)
  func meaning(_ sample: Sample) throws {
    var counts: [String: Int] = [:]
    for mutant in sample.mutants {
      let parsed = parse(mutant.root.flowText)
      let isRefused = parsed.diagnostics.contains(where: \.forbidsUse)
      #expect((parsed.model == nil) == isRefused, "\(mutant.comment)")
      #expect(parsed.diagnostics.allSatisfy { $0.range != nil && $0.help != nil }, "\(mutant.comment)")
      let outcome = parsed.model == nil ? "refused" : parsed.diagnostics.isEmpty ? "accepted" : "warned"
      counts["\(mutant.change) \(outcome)", default: 0] += 1
      guard let model = parsed.model else { continue }
      // Nothing refers to an attribute by need; any other name is missed.
      #expect(mutant.change != .misspelt || mutant.path.last == "attributes", "\(mutant.comment)")
      let (read, written) = (try WrittenFacts.of(model), WrittenFacts.of(mutant.root))
      let difference = read.symmetricDifference(written).sorted()
      #expect(difference.isEmpty, "\(mutant.comment)\n\(parsed.diagnostics.map(\.message))")
    }
    let summary = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
    print("\(sample.name): \(sample.mutants.count) mutants: \(summary.joined(separator: ", "))")
  }
}
