import MOCloneEngine
import MOCloneTesting
import Testing

struct ConformanceTests {
  @Test(arguments: ConformanceSuite.cases)
  func memoryGraphConforms(_ conformance: ConformanceCase) async throws {
    let failures = try conformance.run { MemoryGraph(model: $0) }
    #expect(failures == [])
  }
}
