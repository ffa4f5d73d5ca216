import MOCloneKit
import MOCloneTesting
import Testing

struct ConformanceTests {
  @Test(arguments: ConformanceSuite.cases)
  func sqliteGraphConforms(_ conformance: ConformanceCase) throws {
    let failures = try conformance.run { try SQLiteGraph.temporary($0) }
    #expect(failures == [])
  }
}
