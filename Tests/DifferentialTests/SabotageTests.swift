import MOCloneEngine
import MOCloneTesting
import Testing

/// A proof that finds nothing when a rule is broken proves nothing.
struct SabotageTests {
  @Test(arguments: Sabotage.allCases)
  func differentialTestFindsABrokenRule(_ sabotage: Sabotage) throws {
    let found = Sabotage.$current.withValue(sabotage) {
      (0..<200 as Range<UInt64>).first { seed in
        let differences = try? DifferentialCase(seed: seed).differences { MemoryGraph(model: $0) }
        return differences != []
      }
    }
    #expect(found != nil, "no seed finds \(sabotage)")
  }

  @Test(arguments: Sabotage.allCases)
  func conformanceSuiteFindsABrokenRule(_ sabotage: Sabotage) throws {
    let red = Sabotage.$current.withValue(sabotage) {
      ConformanceSuite.cases(chainLength: 10).filter { conformance in
        (try? conformance.run { MemoryGraph(model: $0) }) != []
      }
    }
    #expect(!red.isEmpty, "no case finds \(sabotage)")
  }

  @Test func nothingIsFoundWithoutSabotage() throws {
    let red = try ConformanceSuite.cases(chainLength: 10).filter { conformance in
      try conformance.run { MemoryGraph(model: $0) } != []
    }
    #expect(red.map(\.name) == [])
  }
}
