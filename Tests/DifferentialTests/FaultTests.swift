import MOCloneKit
import MOCloneTesting
import Testing

/// A proof that finds nothing when a rule is broken proves nothing.
struct FaultTests {
  private func maker(_ executor: Executor, _ fault: Fault?) -> GraphMaker {
    { FaultyGraph(try executor.make($0), fault) }
  }

  @Test(arguments: Executor.allCases, Fault.allCases)
  func differentialTestFindsABrokenRule(_ executor: Executor, _ fault: Fault) throws {
    let found = try (0..<200 as Range<UInt64>).first { seed in
      // A run that is refused would be noticed for its error, not for what the fault does.
      let (outcome, differences) = try DifferentialCase(seed: seed).compare(maker(executor, fault))
      return outcome == .cloned && differences != []
    }
    #expect(found != nil, "no seed finds \(fault)")
  }

  @Test(arguments: Executor.allCases, Fault.allCases)
  func conformanceSuiteFindsABrokenRule(_ executor: Executor, _ fault: Fault) throws {
    let red = ConformanceSuite.cloningCases.first { ((try? $0.run(maker(executor, fault))) ?? []) != [] }
    #expect(red != nil, "no case finds \(fault)")
  }

  @Test(arguments: Executor.allCases)
  func nothingIsFoundWithoutAFault(_ executor: Executor) throws {
    let red = try ConformanceSuite.cloningCases.filter { try $0.run(maker(executor, nil)) != [] }
    #expect(red.map(\.name) == [])
    for seed in 0..<20 as Range<UInt64> {
      #expect(try DifferentialCase(seed: seed).differences(maker(executor, nil)) == [])
    }
  }
}
