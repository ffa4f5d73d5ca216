import MOCloneKit
import Testing

/// Foreign keys that share a column, and keys that depend on keys.
@Suite struct TenantTests {
  @Test func aChainOfKeysThatAreReferences() throws {
    let store = try StoreFixture(
      """
      entities:
        A:
          attributes: {name: String?}
          relationships: {bs: {destination: B, toMany: true, inverse: a}}
        B:
          primaryKey: [a_id, b]
          attributes: {b: Integer 64}
          relationships:
            a: {destination: A, inverse: bs}
            cs: {destination: C, toMany: true, inverse: parent}
        C:
          primaryKey: [a_id, b, c]
          attributes: {c: Integer 64}
          relationships:
            parent: {destination: B, inverse: cs, column: [a_id, b], references: [a_id, b]}
            ds: {destination: D, toMany: true, inverse: parent}
        D:
          attributes: {name: String?}
          relationships:
            parent: {destination: C, inverse: ds, column: [a, b, c], references: [a_id, b, c]}
      """,
      """
      CREATE TABLE a(id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE b(a_id INTEGER REFERENCES a(id), b INTEGER, PRIMARY KEY(a_id, b));
      CREATE TABLE c(a_id INTEGER, b INTEGER, c INTEGER, PRIMARY KEY(c, b, a_id),
        FOREIGN KEY(a_id, b) REFERENCES b(a_id, b)) WITHOUT ROWID;
      CREATE TABLE d(id INTEGER PRIMARY KEY, a INTEGER, b INTEGER, c INTEGER, name TEXT,
        FOREIGN KEY(a, b, c) REFERENCES c(a_id, b, c));
      INSERT INTO a VALUES (1, 'x'), (2, 'y');
      INSERT INTO b VALUES (1, 7), (1, 8), (2, 7);
      INSERT INTO c VALUES (1, 7, 70), (1, 7, 71), (1, 8, 70), (2, 7, 70);
      INSERT INTO d VALUES (1, 1, 7, 70, 'p'), (2, 1, 8, 70, 'q'), (3, 2, 7, 70, 'r'), (4, 1, 7, 71, 's');
      """)
    #expect(try store.clone("A", 1, CloneRequest(count: 2)).cloned == ["A": 2, "B": 4, "C": 6, "D": 6])
    #expect(
      try store.rows("SELECT a, b, c, name FROM d WHERE id > 4 ORDER BY a, name")
        == ["3|7|70|p", "3|8|70|q", "3|7|71|s", "4|7|70|p", "4|8|70|q", "4|7|71|s"])
    #expect(try store.rows("SELECT * FROM c WHERE a_id = 4 ORDER BY b, c") == ["4|7|70", "4|7|71", "4|8|70"])
  }

  @Test func aTreeWhoseKeyHoldsItsParentIsRefused() throws {
    let store = try StoreFixture(
      """
      entities:
        Node:
          primaryKey: [parent_id, place]
          attributes: {place: Integer 64}
          relationships:
            parent: {destination: Node, optional: true, inverse: nodes, column: [parent_id, up], references: [parent_id, place]}
            nodes: {destination: Node, toMany: true, inverse: parent}
      """,
      "CREATE TABLE node(parent_id INTEGER, place INTEGER, up INTEGER, PRIMARY KEY(parent_id, place)); "
        + "INSERT INTO node VALUES (1, 1, NULL)")
    #expect(try store.refusal("Node", [1, 1])?.code == .storeMismatch)
  }

  @Test func aLinkedPartOfTheKeyMeetsItsOriginal() throws {
    let store = try StoreFixture(CompositeKeyTests.orders, CompositeKeyTests.tables)
    let error = try store.refusal("Detail", [10, 2], CloneRequest(set: ["quantity": 3]))
    #expect(error?.code == .uniqueValue)
    #expect(error?.failures.first?.object == ObjectID("Detail", key: [10, 2]))
  }

  @Test func oneRowOfEveryWayOfArriving() throws {
    // A person is reached as the owner and as members: one clone, and every reference meets it.
    let store = try StoreFixture(
      """
      entities:
        Club:
          relationships:
            owner: {destination: Person, optional: true, inverse: owned, userInfo: {onClone: clone}}
            members: {destination: Person, toMany: true, inverse: club}
            first: {destination: Person, optional: true, inverse: firstOf, column: first_code, references: code}
        Person:
          attributes: {code: {type: UUID, userInfo: {rebuild: uuid}}}
          relationships:
            owned: {destination: Club, toMany: true, inverse: owner, userInfo: {exclude: ""}}
            club: {destination: Club, optional: true, inverse: members}
            firstOf: {destination: Club, toMany: true, inverse: first, userInfo: {exclude: ""}}
          uniquenessConstraints: [[code]]
      """,
      """
      PRAGMA defer_foreign_keys = ON;
      CREATE TABLE club(id INTEGER PRIMARY KEY, owner_id INTEGER REFERENCES person(id),
        first_code TEXT REFERENCES person(code));
      CREATE TABLE person(id INTEGER PRIMARY KEY, code TEXT UNIQUE, club_id INTEGER REFERENCES club(id));
      INSERT INTO club VALUES (1, 1, 'A0000000-0000-4000-8000-000000000002');
      INSERT INTO person VALUES (1, 'A0000000-0000-4000-8000-000000000001', 1),
        (2, 'A0000000-0000-4000-8000-000000000002', 1);
      """)
    #expect(try store.clone("Club", 1, CloneRequest(count: 2)).cloned == ["Club": 2, "Person": 4])
    #expect(
      try store.rows(
        "SELECT c.id, o.id, o.club_id, f.id, f.club_id FROM club c JOIN person o ON o.id = c.owner_id "
          + "JOIN person f ON f.code = c.first_code ORDER BY 1")
        == ["1|1|1|2|1", "2|3|2|4|2", "3|5|3|6|3"])
  }

  @Test func aKeyColumnThatIsAlsoAPartOfAnotherReference() throws {
    let yaml = """
      entities:
        Tenant:
          attributes: {name: String?}
        Note:
          primaryKey: [tenant_id, {column: id, generate: uuid}]
          attributes: {name: String?}
          relationships:
            tenant: {destination: Tenant, userInfo: {onClone: link}}
            items: {destination: Item, toMany: true, inverse: note}
        Item:
          primaryKey: [tenant_id, {column: id, generate: uuid}]
          relationships:
            note: {destination: Note, optional: true, inverse: items, column: [tenant_id, note_id], references: [tenant_id, id]}
      """
    let store = try StoreFixture(
      yaml,
      """
      CREATE TABLE tenant(id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE note(tenant_id INTEGER NOT NULL REFERENCES tenant(id), id TEXT NOT NULL, name TEXT,
        PRIMARY KEY(tenant_id, id));
      CREATE TABLE item(tenant_id INTEGER NOT NULL, id TEXT NOT NULL, note_id TEXT,
        PRIMARY KEY(tenant_id, id), FOREIGN KEY(tenant_id, note_id) REFERENCES note(tenant_id, id));
      INSERT INTO tenant VALUES (1, 't'), (2, 'u');
      INSERT INTO note VALUES (1, 'n', 'N'), (2, 'n', 'M');
      INSERT INTO item VALUES (1, 'i', 'n'), (1, 'j', 'n'), (2, 'i', 'n'), (1, 'k', NULL);
      """)
    #expect(try store.clone("Note", [1, "n"]).cloned == ["Note": 1, "Item": 2])
    #expect(
      try store.rows(
        "SELECT i.tenant_id, n.name FROM item i JOIN note n ON n.id = i.note_id AND n.tenant_id = i.tenant_id WHERE i.note_id <> 'n'"
      )
        == ["1|N", "1|N"])
    // Moved to another tenant, the items follow their note.
    try store.clone("Note", [1, "n"], CloneRequest(set: ["tenant": 2, "name": "Moved"]))
    #expect(
      try store.rows(
        "SELECT i.tenant_id FROM item i JOIN note n ON n.id = i.note_id AND n.tenant_id = i.tenant_id WHERE n.name = 'Moved'"
      )
        == ["2", "2"])
    // An item without a note keeps its tenant.
    try store.clone("Item", [1, "k"])
    #expect(try store.rows("SELECT tenant_id FROM item WHERE note_id IS NULL") == ["1", "1"])
  }
}
