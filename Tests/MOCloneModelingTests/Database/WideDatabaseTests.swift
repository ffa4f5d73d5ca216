import GRDB
import MOCloneKit
import MOCloneModeling
import Testing

/// Databases of many tables, in which every table is looked at once and not once for each other one.
@Suite("Models of databases with many tables")
struct WideDatabaseTests {
  private static let count = 120

  /// Tables that reference the two before them, with two rows each.
  private static func sql(declared: Bool) -> String {
    (0..<count).map { i in
      let owners = [i - 1, i - 2].filter { $0 >= 0 }
      let columns = owners.map { "box_\($0)_id INTEGER" + (declared ? " REFERENCES box_\($0)" : "") }
      let all = ["id INTEGER PRIMARY KEY", "note TEXT"] + columns
      let rows = [1, 2].map { row in "(\(row), 'x'\(owners.map { _ in ", \(row)" }.joined()))" }
      return "CREATE TABLE box_\(i) (\(all.joined(separator: ", "))); "
        + "INSERT INTO box_\(i) VALUES \(rows.joined(separator: ", "));"
    }.joined(separator: "\n")
  }

  @Test func everyDeclaredReferenceIsARelationshipAndACloneReachesAllTables() throws {
    let database = try ImportedDatabase(Self.sql(declared: true))
    try database.check()
    let forward = database.model.entities.flatMap(\.relationships).filter { !$0.isToMany }
    #expect(database.model.entities.count == Self.count && forward.count == 2 * Self.count - 3)
    let cloned = try Cloner().clone("Box0", keys: [1], in: database.graph).cloned
    #expect(cloned.count == Self.count && cloned.values.allSatisfy { $0 == 1 })
  }

  @Test func everyReferenceThatIsNotDeclaredIsProposed() throws {
    let database = try ImportedDatabase(
      Self.sql(declared: false), options: ModelSourceOptions(infersRelationships: true))
    let proposals = database.draft.comments.values.joined().filter { $0.hasPrefix("Maybe a relationship") }
    #expect(proposals.count == 2 * Self.count - 3)
    #expect(proposals.contains { $0.contains("keys of 'Box7'") })
    try database.check()
  }
}
