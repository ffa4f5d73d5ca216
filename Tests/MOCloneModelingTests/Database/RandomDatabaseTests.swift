import GRDB
import MOCloneKit
import MOCloneTesting
import TestSupport
import Testing

@Suite("Models of random databases")
struct RandomDatabaseTests {
  @Test(arguments: Seeds.all(0..<30, long: 0..<400) + [1023, 1113])
  func theModelIsValidAndObjectsAreClonedUnlessTheyAreUnique(seed: UInt64) throws {
    let schema = RandomSchema(seed: seed)
    let queue = try DatabaseQueue()
    try queue.writeWithoutTransaction { db in
      for statement in schema.definitions { try db.execute(sql: statement) }
      for statement in schema.inserts { try? db.execute(sql: statement) }
    }
    for isAnnotated in [false, true] {
      let database = try ImportedDatabase(
        queue, annotated: isAnnotated, options: .init(infersRelationships: isAnnotated))
      try database.check()
      let failures = try database.cloneEach().filter { !$0.value.contains("[unique-value]") }
      let wrong = failures.filter { !$0.value.contains("[key-needs-value]") }
      #expect(wrong.isEmpty, "\(schema.definitions)\n\(schema.inserts)\n\(database.draft.yaml)")
    }
  }
}
