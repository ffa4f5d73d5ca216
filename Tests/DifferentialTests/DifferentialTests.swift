import MOCloneKit
import MOCloneTesting
import TestSupport
import Testing

private let seeds = Seeds.all(0..<300, long: 0..<5_000)

@Suite(
  "Clones of random graphs, held against those of the reference cloner",
  .tally { counts in
    for executor in Executor.allCases {
      // Most seeds must come to a clone, or the comparison proves little.
      #expect(counts["\(executor) cloned"] > seeds.count / 2, "\(counts)")
      #expect(counts["\(executor) refusedByRun"] > 0, "\(counts)")
      #expect(counts["\(executor) refusedByPlan"] < seeds.count / 4, "\(counts)")
    }
  })
struct DifferentialTests {
  @Test("The executors do the same as the reference cloner", arguments: Executor.allCases, seeds)
  func executorsAgreeWithTheReferenceCloner(_ executor: Executor, seed: UInt64) throws {
    let (outcome, differences) = try DifferentialCase(seed: seed).compare(executor.make)
    Tally.count("\(executor) \(outcome)")
    #expect(differences == [], "\(executor): seed \(seed)\n\(differences.joined(separator: "\n"))")
  }
}
