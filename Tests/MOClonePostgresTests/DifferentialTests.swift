import MOCloneTesting
import TestSupport
import Testing

@testable import MOClonePostgres

@Suite(
  "Clones of random graphs in PostgreSQL, held against those of the reference cloner",
  .enabled(if: TestDatabase.isAvailable, "\(TestDatabase.comment)"))
struct DifferentialTests {
  @Test("Graphs of every kind", arguments: Seeds.all(0..<60, long: 0..<5_000))
  func agreesWithTheReferenceCloner(seed: UInt64) throws {
    let (_, differences) = try DifferentialCase(seed: seed).compare(TestStores().make)
    #expect(differences == [], "\(differences.joined(separator: "\n"))")
  }

  @Test(
    "Graphs of four shapes of models", arguments: RandomShape.allCases, Seeds.all(0..<25, long: 0..<1_700))
  func agreesWithTheReferenceCloner(_ shape: RandomShape, seed: UInt64) throws {
    let random = try DifferentialCase(seed: seed, shape: shape, hasColumns: false)
    // The layout of a Core Data store is one of SQLite's.
    guard random.model.store.naming != .coreData else { return }
    let (_, differences) = try random.compare(TestStores().make)
    #expect(differences == [], "\(differences.joined(separator: "\n"))")
  }
}
