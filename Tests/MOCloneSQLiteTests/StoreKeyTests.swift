import GRDB
import MOCloneKit
import Testing

/// Row numbers of tables whose declarations SQLite reads in a way of its own.
@Suite struct StoreKeyTests {
  private func notes(_ table: String, key: String = "id") throws -> StoreFixture {
    try StoreFixture(
      "entities: {Note: {primaryKey: \(key), attributes: {name: String?}}}",
      "CREATE TABLE note\(table); INSERT INTO note(name) VALUES ('a')")
  }

  @Test(arguments: [
    "(id INTEGER PRIMARY KEY, name TEXT) STRICT", "(name TEXT, id INTEGER, PRIMARY KEY(id))",
    "(id INTEGER PRIMARY KEY ASC ON CONFLICT REPLACE, name TEXT)",
    "(id integer primary key, name, UNIQUE (id))",
    "(id INTEGER, name TEXT, PRIMARY KEY (id AUTOINCREMENT))",
    "(id INTEGER PRIMARY KEY CHECK (id > 0), name TEXT DEFAULT 'x')",
  ])
  func declarationsThatAreTheRowNumber(table: String) throws {
    let store = try notes(table)
    #expect(try store.clone("Note", 1, CloneRequest(count: 2)).roots.map(\.key) == [2, 3])
    #expect(try store.rows("SELECT id, name FROM note") == ["1|a", "2|a", "3|a"])
  }

  @Test(arguments: ["(id INTEGER PRIMARY KEY DESC, name TEXT)", "(id BIGINT PRIMARY KEY, name TEXT)"])
  func declarationsThatAreNot(table: String) throws {
    let store = try notes(table)
    try store.execute("UPDATE note SET id = 7")
    #expect(try store.clone("Note", 7, CloneRequest(count: 2)).roots.map(\.key) == [8, 9])
    #expect(try store.rows("SELECT id, name FROM note ORDER BY id") == ["7|a", "8|a", "9|a"])
  }

  @Test(arguments: ["(id TEXT PRIMARY KEY, name TEXT)", "(id BLOB PRIMARY KEY, name TEXT)"])
  func declarationsThatHoldNoNumbers(table: String) throws {
    let store = try notes(table)
    try store.execute("UPDATE note SET id = '7'")
    #expect(try store.refusal("Note", "7")?.code == .storeMismatch)
  }

  @Test(arguments: ["rowid", "_rowid_", "oid"])
  func anUndeclaredRowNumberThatIsUnique(key: String) throws {
    let store = try notes("(name TEXT)", key: key)
    #expect(try store.clone("Note", 1).root.key == 2)
    try store.execute("CREATE UNIQUE INDEX u ON note(name) WHERE rowid > 1")
    let error = try store.refusal("Note", 2)
    #expect(error?.code == .uniqueValue)
    #expect(error?.failures.first?.property == "name")
  }

  @Test func aRowThatATriggerPutsInTheWay() throws {
    let store = try notes("(id INTEGER PRIMARY KEY, name TEXT)")
    try store.execute(
      "CREATE TRIGGER t BEFORE INSERT ON note WHEN new.name = 'a' "
        + "BEGIN INSERT INTO note VALUES (new.id, 'b'); END")
    #expect(try store.refusal("Note", 1)?.code == .uniqueValue)
  }
}
