import MOCloneKit
import MOCloneTesting
import Testing

/// Objects that come from a graph of one kind into one of another.
struct TransferConformanceTests {
  @Test(arguments: ConformanceSuite.transferCases)
  func fromMemoryIntoSQLite(_ transfer: TransferCase) throws {
    let failures = try transfer.run(
      from: { MemoryGraph(model: $0) }, into: { try SQLiteGraph.temporary($0) })
    #expect(failures == [])
  }

  @Test(arguments: ConformanceSuite.transferCases)
  func fromSQLiteIntoMemory(_ transfer: TransferCase) throws {
    let failures = try transfer.run(
      from: { try SQLiteGraph.temporary($0) }, into: { MemoryGraph(model: $0) })
    #expect(failures == [])
  }
}
