import MOCloneKit
import Testing

/// Models with so many entities that a search among all of them for each would take minutes.
@Suite struct LargeModelStoreTests {
  @Test(.timeLimit(.minutes(1)))
  func membersOfHundredsOfEntitiesInOneTableAreCloned() throws {
    let places = 0..<400
    let entities = places.map {
      "  S\($0): {parent: Base, attributes: {a\($0): String?, b\($0): Integer 32?}}"
    }
    let columns = places.map { ", a\($0) TEXT, b\($0) INTEGER" }.joined()
    let rows = places.map {
      "INSERT INTO base(kind, owner_id, x, a\($0)) VALUES ('S\($0)', 1, 'x', 'v\($0)');"
    }
    let store = try StoreFixture(
      """
      entities:
        Owner:
          relationships: {members: {destination: Base, toMany: true, inverse: owner}}
        Base:
          discriminator: {column: kind}
          attributes: {x: String?}
          relationships: {owner: {destination: Owner, optional: true, inverse: members}}
      \(entities.joined(separator: "\n"))
      """,
      """
      CREATE TABLE owner(id INTEGER PRIMARY KEY);
      CREATE TABLE base(id INTEGER PRIMARY KEY, kind TEXT, owner_id INTEGER, x TEXT\(columns));
      INSERT INTO owner VALUES (1);
      \(rows.joined())
      """)
    try store.clone("Owner", 1)
    #expect(
      try store.rows("SELECT count(*), count(a7), max(a7), max(a399) FROM base WHERE owner_id = 2")
        == ["400|1|v7|v399"])
  }

  @Test(.timeLimit(.minutes(1)))
  func anObjectWithMembersInAThousandTablesIsCloned() throws {
    let places = 0..<1100
    let relationships = places.map { "m\($0): {destination: M\($0), toMany: true, inverse: owner}" }
    let entities = places.map {
      "  M\($0): {relationships: {owner: {destination: Owner, optional: true, inverse: m\($0)}}}"
    }
    let tables = places.map { "CREATE TABLE m\($0)(id INTEGER PRIMARY KEY, owner_id INTEGER);" }
    let store = try StoreFixture(
      """
      entities:
        Owner: {relationships: {\(relationships.joined(separator: ", "))}}
      \(entities.joined(separator: "\n"))
      """,
      """
      CREATE TABLE owner(id INTEGER PRIMARY KEY);
      \(tables.joined())
      INSERT INTO owner VALUES (1);
      INSERT INTO m0(owner_id) VALUES (1);
      INSERT INTO m1099(owner_id) VALUES (1), (2);
      """)
    #expect(try store.clone("Owner", 1).root.key == 3)
    #expect(try store.rows("SELECT owner_id FROM m0") == ["1", "3"])
    #expect(try store.rows("SELECT owner_id FROM m1099") == ["1", "2", "3"])
  }
}
