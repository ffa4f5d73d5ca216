import MOCloneKit
import Testing

/// Keys that nothing generates.
@Suite struct GivenKeyTests {
  private func customers(_ column: String) throws -> StoreFixture {
    try StoreFixture(
      """
      entities:
        Customer:
          primaryKey: {column: code, generate: none}
          attributes: {code: String, name: String?}
          relationships:
            orders: {destination: Order, toMany: true, inverse: customer}
        Order:
          attributes: {name: String?}
          relationships:
            customer: {destination: Customer, optional: true, inverse: orders, column: customer}
      """,
      """
      CREATE TABLE customer(code \(column), name TEXT);
      CREATE TABLE "order"(id INTEGER PRIMARY KEY, name TEXT, customer TEXT REFERENCES customer(code));
      INSERT INTO customer VALUES ('ALFKI', 'A'), ('BLAUS', 'B');
      INSERT INTO "order" VALUES (1, 'x', 'ALFKI'), (2, 'y', 'BLAUS'), (3, 'z', 'ALFKI');
      """)
  }

  @Test(arguments: ["TEXT PRIMARY KEY", "TEXT NOT NULL PRIMARY KEY COLLATE NOCASE"])
  func aTextKeyIsGivenByAnAttribute(column: String) throws {
    let store = try customers(column)
    let result = try store.clone("Customer", "ALFKI", CloneRequest(set: ["code": "NEWCO"]))
    #expect(result.root.key == "NEWCO")
    #expect(
      try store.rows("SELECT * FROM \"order\" WHERE id > 3 ORDER BY id") == ["4|x|NEWCO", "5|z|NEWCO"])
  }

  @Test func aTextKeyThatIsNotGivenIsRefused() throws {
    let store = try customers("TEXT PRIMARY KEY")
    #expect(try store.refusal("Customer", "ALFKI")?.code == .keyNeedsValue)
    #expect(
      try store.refusal("Customer", "ALFKI", CloneRequest(set: ["code": "BLAUS"]))?.code == .uniqueValue)
    #expect(
      try store.refusal("Customer", "ALFKI", CloneRequest(count: 3, set: ["code": "NEWCO"])) != nil)
  }

  @Test func aCaselessKeyReachesRowsWrittenInAnotherCase() throws {
    let store = try customers("TEXT NOT NULL PRIMARY KEY COLLATE NOCASE")
    try store.execute("INSERT INTO \"order\" VALUES (4, 'w', 'alfki')")
    try store.clone("Customer", "ALFKI", CloneRequest(set: ["code": "NEWCO"]))
    #expect(
      try store.rows("SELECT name, customer FROM \"order\" WHERE id > 4 ORDER BY id")
        == ["x|NEWCO", "z|NEWCO", "w|NEWCO"])
    #expect(try store.refusal("Customer", "ALFKI", CloneRequest(set: ["code": "alfki"])) != nil)
  }

  @Test func anIntPrimaryKeyIsCountedUnlessItIsGiven() throws {
    let yaml = { (key: String) in
      """
      entities:
        Note:
          primaryKey: \(key)
          attributes: {number: {type: Integer 64, column: id}, name: String?}
      """
    }
    let sql = """
      CREATE TABLE note(id INT PRIMARY KEY, name TEXT);
      INSERT INTO note VALUES (5, 'a');
      """
    #expect(try StoreFixture(yaml("id"), sql).clone("Note", 5).root.key == 6)
    #expect(
      try StoreFixture(yaml("{column: id, generate: rowid}"), sql).refusal("Note", 5)?.code == .storeMismatch)
    let given = try StoreFixture(yaml("{column: id, generate: none}"), sql)
    #expect(try given.refusal("Note", 5)?.code == .keyNeedsValue)
    try given.clone("Note", 5, CloneRequest(set: ["number": 77]))
    #expect(try given.rows("SELECT * FROM note ORDER BY id") == ["5|a", "77|a"])
  }

  @Test func aCountedKeyThatIsGivenToTwoCopiesIsTheRequestsFault() throws {
    let store = try StoreFixture(
      """
      entities:
        Note:
          primaryKey: id
          attributes: {number: {type: Integer 64, column: id}, name: String?}
      """, "CREATE TABLE note(id INT PRIMARY KEY, name TEXT); INSERT INTO note VALUES (5, 'a')")
    for request in [CloneRequest(count: 2, set: ["number": 100]), CloneRequest(set: ["number": 5])] {
      let error = try store.refusal("Note", 5, request)
      #expect(error?.code == .uniqueValue)
      #expect(error?.failures.first?.property == "number")
      #expect(error?.failures.first?.message.contains("--set gives a new root one") == true)
    }
  }

  @Test func anIntegerKeyOfATableWithoutRowidIsCounted() throws {
    let store = try StoreFixture(
      "entities: {Note: {attributes: {name: String?}}}",
      "CREATE TABLE note(id INTEGER PRIMARY KEY, name TEXT) WITHOUT ROWID; INSERT INTO note VALUES (1, 'a')")
    #expect(try store.clone("Note", 1).root.key == 2)
  }

  @Test func aRowidCanBeGiven() throws {
    let store = try StoreFixture(
      """
      entities:
        Note:
          attributes: {number: {type: Integer 64, column: id}, name: String?}
          relationships:
            parent: {destination: Note, optional: true, inverse: notes}
            notes: {destination: Note, toMany: true, inverse: parent}
      """,
      """
      CREATE TABLE note(id INTEGER PRIMARY KEY, name TEXT, parent_id INTEGER REFERENCES note(id));
      INSERT INTO note VALUES (1, 'a', NULL), (2, 'b', 1), (3, 'c', 2);
      """)
    let result = try store.clone("Note", 1, CloneRequest(set: ["number": 100]))
    #expect(result.root.key == 100)
    #expect(
      try store.rows("SELECT c.name, p.name FROM note c JOIN note p ON p.id = c.parent_id WHERE c.id > 3")
        == ["b|a", "c|b"])
    #expect(try store.rows("SELECT count(*), count(DISTINCT id) FROM note") == ["6|6"])
  }
}
