import MOCloneSQL
import MOCloneTesting
import TestSupport
import Testing

@testable import MOClonePostgres

@Suite(
  "Clones of random graphs in PostgreSQL, held against those of the reference cloner",
  .enabled(if: TestDatabase.isAvailable, "\(TestDatabase.comment)"))
struct DifferentialTests {
  @Test("Graphs of every kind", arguments: Seeds.all(0..<20, long: 0..<5_000))
  func agreesWithTheReferenceCloner(seed: UInt64) throws {
    let (_, differences) = try DifferentialCase(seed: seed).compare(TestStores().make)
    #expect(differences == [], "\(differences.joined(separator: "\n"))")
  }

  @Test(
    "Graphs of four shapes of models", arguments: RandomShape.allCases, Seeds.all(0..<6, long: 0..<1_700))
  func agreesWithTheReferenceCloner(_ shape: RandomShape, seed: UInt64) throws {
    let random = try DifferentialCase(seed: seed, shape: shape, hasColumns: true)
    // A Core Data store is one of SQLite's, and so is a column that holds keys of several types.
    guard random.model.store.naming != .coreData,
      (try? SchemaWriter(random.model, dialect: .postgres).statements()) != nil
    else { return }
    let (_, differences) = try random.compare(TestStores().make)
    #expect(differences == [], "\(differences.joined(separator: "\n"))")
  }
}
