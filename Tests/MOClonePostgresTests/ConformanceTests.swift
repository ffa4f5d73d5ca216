import MOCloneEngine
import MOCloneSQLite
import MOCloneTesting
import TestSupport
import Testing

@testable import MOClonePostgres

@Suite(.enabled(if: TestDatabase.isAvailable, "\(TestDatabase.comment)"))
struct ConformanceTests {
  @Test(arguments: ConformanceSuite.cases(chainLength: 300))
  func postgresGraphConforms(_ conformance: ConformanceCase) throws {
    let stores = TestStores()
    let failures = try conformance.run(stores.make)
    #expect(failures == [], "\(failures.joined(separator: "\n"))")
  }

  @Test(arguments: ConformanceSuite.transferCases)
  func postgresGraphTakesObjectsOfSQLite(_ transfer: TransferCase) throws {
    let stores = TestStores()
    let failures = try transfer.run(from: { try SQLiteGraph.temporary($0) }, into: stores.make)
    #expect(failures == [], "\(failures.joined(separator: "\n"))")
  }

  @Test(arguments: ConformanceSuite.transferCases)
  func postgresGraphTakesObjectsOfMemory(_ transfer: TransferCase) throws {
    let stores = TestStores()
    let failures = try transfer.run(from: { MemoryGraph(model: $0) }, into: stores.make)
    #expect(failures == [], "\(failures.joined(separator: "\n"))")
  }

  @Test(arguments: ConformanceSuite.transferCases)
  func memoryTakesObjectsOfPostgres(_ transfer: TransferCase) throws {
    let stores = TestStores()
    let failures = try transfer.run(from: stores.make, into: { MemoryGraph(model: $0) })
    #expect(failures == [], "\(failures.joined(separator: "\n"))")
  }

  @Test(arguments: ConformanceSuite.transferCases)
  func sqliteGraphTakesObjectsOfPostgres(_ transfer: TransferCase) throws {
    let stores = TestStores()
    let failures = try transfer.run(from: stores.make, into: { try SQLiteGraph.temporary($0) })
    #expect(failures == [], "\(failures.joined(separator: "\n"))")
  }
}
