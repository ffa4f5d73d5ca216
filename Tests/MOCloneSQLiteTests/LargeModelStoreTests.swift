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

  /// Each entity needs the next one, and owns objects of another one.
  private func chain(of count: Int, _ rows: String = "") throws -> StoreFixture {
    let places = 0..<count
    let others = places.map { $0 * 7 % count }
    let entities = places.map { place in
      let next = place + 1 < count ? "next: {destination: E\(place + 1)}, " : ""
      let other = "other: {destination: E\(others[place]), optional: true, inverse: others}"
      let owned = others.firstIndex(of: place)!
      return "  E\(place): {attributes: {name: String?}, relationships: {\(next)\(other), "
        + "others: {destination: E\(owned), toMany: true, inverse: other}}}"
    }
    let tables = places.map {
      "CREATE TABLE e\($0)(id INTEGER PRIMARY KEY, name TEXT, next_id INTEGER, other_id INTEGER);"
    }
    return try StoreFixture("entities:\n" + entities.joined(separator: "\n"), tables.joined() + rows)
  }

  @Test(
    "What objects own and need comes along where the ways to it are more than a query can have parts",
    .timeLimit(.minutes(1)), arguments: [false, true])
  func moreWaysThanPartsOfAQuery(copiesSubtree: Bool) throws {
    let count = 260
    let rows = (0..<count).map { place in
      "INSERT INTO e\(place) VALUES (1, 'a', \(place + 1 < count ? "1" : "NULL"), NULL);"
    }
    let source = try chain(
      of: count, rows.joined() + "INSERT INTO e0 VALUES (2, 'owned', 1, 1), (3, 'beside', 1, NULL);")
    let target = try chain(of: count)
    let from = SQLiteGraph(source.writer, model: source.model)
    let into = SQLiteGraph(target.writer, model: target.model)
    if copiesSubtree {
      try into.clone(
        from.plan("E0", CloneRequest()), roots: [from.object("E0", key: 1).id], from: from,
        SubtreeRequest(missing: .create))
    } else {
      try into.copy(from: from, CopyRequest(entities: ["E0"], limit: 1))
    }
    #expect(try target.rows("SELECT name FROM e0 ORDER BY id") == ["a", "owned"])
    for place in 1..<count { #expect(try target.rows("SELECT count(*) FROM e\(place)") == ["1"]) }
  }

  @Test func aTreeIsDeletedBesideTablesWhoseKeysHaveMoreColumnsThanATableCanHave() throws {
    let columns = (0..<45).map { "c\($0)" }
    let key = columns.joined(separator: ", ")
    let attributes = columns.map { "\($0): Integer 64" }.joined(separator: ", ")
    let definitions = columns.map { "\($0) INTEGER NOT NULL" }.joined(separator: ", ")
    let others = (0..<45).map { "  K\($0): {primaryKey: [\(key)], attributes: {\(attributes)}}" }
    let tables = (0..<45).map { "CREATE TABLE k\($0)(\(definitions), PRIMARY KEY (\(key)));" }
    let store = try StoreFixture(
      """
      entities:
        Folder:
          attributes: {name: String}
          relationships:
            parent: {destination: Folder, optional: true, inverse: parts}
            parts: {destination: Folder, toMany: true, inverse: parent, deleteRule: cascade}
          uniquenessConstraints: [[name]]
      \(others.joined(separator: "\n"))
      """,
      """
      CREATE TABLE folder(id INTEGER PRIMARY KEY, name TEXT, parent_id INTEGER);
      \(tables.joined())
      INSERT INTO folder VALUES (1, 'a', NULL), (2, 'b', 1), (3, 'c', 2);
      """)
    try SQLiteGraph(store.writer, model: store.model).sync(
      SyncRequest(entity: "Folder", isConfirmed: true), from: [["name": "new"]])
    #expect(try store.rows("SELECT name FROM folder") == ["new"])
  }
}
