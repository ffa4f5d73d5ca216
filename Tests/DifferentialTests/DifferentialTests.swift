import Foundation
import MOCloneKit
import MOCloneTesting
import Testing

/// The executors under test: each with the store it works on.
let executors: [(name: String, make: @Sendable (ObjectModel) throws -> any ObjectGraph)] = [
  ("memory", { MemoryGraph(model: $0) }), ("sqlite", { try SQLiteGraph.temporary($0) }),
]

struct DifferentialTests {
  /// With MOCLONE_LONG=1 many more.
  static var seeds: Range<UInt64> {
    ProcessInfo.processInfo.environment["MOCLONE_LONG"] == "1" ? 0..<5_000 : 0..<300
  }

  @Test(arguments: executors.indices)
  func executorsAgreeWithTheReferenceCloner(_ executor: Int) throws {
    var outcomes: [DifferentialCase.Outcome: Int] = [:]
    for seed in Self.seeds {
      let (outcome, differences) = try DifferentialCase(seed: seed).compare(executors[executor].make)
      outcomes[outcome, default: 0] += 1
      #expect(
        differences == [], "\(executors[executor].name): seed \(seed)\n\(differences.joined(separator: "\n"))"
      )
    }
    // Most seeds must come to a clone, or the comparison proves little.
    #expect(outcomes[.cloned, default: 0] > Self.seeds.count / 2)
    #expect(outcomes[.refusedByRun, default: 0] > 0)
  }
}
