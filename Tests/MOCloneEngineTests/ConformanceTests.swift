import MOCloneEngine
import MOCloneTesting
import Testing

struct ConformanceTests {
  @Test(arguments: ConformanceSuite.cases)
  func memoryGraphConforms(_ conformance: ConformanceCase) async throws {
    #expect(try conformance.run { MemoryGraph(model: $0) } == [])
  }
}
