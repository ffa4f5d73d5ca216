import MOCloneTesting
import Testing

@testable import MOClonePostgres

@Suite(.enabled(if: TestDatabase.isAvailable, "\(TestDatabase.comment)"))
struct ConformanceTests {
  @Test(arguments: ConformanceSuite.cloningCases)
  func postgresGraphClonesAsTheOthers(_ conformance: ConformanceCase) throws {
    let stores = TestStores()
    #expect(try conformance.run(stores.make) == [])
  }

  @Test(arguments: ConformanceSuite.graphCases)
  func postgresGraphReadsAndWritesAsTheOthers(_ conformance: ConformanceCase) throws {
    let stores = TestStores()
    #expect(try conformance.run(stores.make) == [])
  }
}
