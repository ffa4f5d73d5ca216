import GRDB
import MOCloneKit
import Testing

/// People who are told apart by their names, and documents that refer to them by their logins.
@Suite("Rows of a file that refer to a unique value")
struct ReferencedValueTests {
  private static let mapping = """
    entity: D
    attributes: {t: '@t'}
    relationships: {u: {attributes: {name: '@name', login: '@login'}}}
    """

  private static let plainMapping = """
    entity: D
    attributes: {t: '@t'}
    relationships: {u: {attributes: {name: '@name'}}}
    """

  private func queue(_ rows: String) throws -> DatabaseQueue {
    let queue = try DatabaseQueue()
    try queue.write {
      try $0.execute(
        sql: """
          CREATE TABLE u(id INTEGER PRIMARY KEY, name TEXT NOT NULL, login TEXT UNIQUE);
          CREATE TABLE d(id INTEGER PRIMARY KEY, t TEXT NOT NULL UNIQUE, login TEXT REFERENCES u(login));
          \(rows)
          """)
    }
    return queue
  }

  private func graph(_ queue: DatabaseQueue) throws -> SQLiteGraph {
    let model = try ObjectModel(
      yaml: """
        version: 1
        name: Documents
        entities:
          U:
            attributes: {name: String, login: String?}
            relationships: {ds: {destination: D, toMany: true, inverse: u}}
            uniquenessConstraints: [[name], [login]]
          D:
            attributes: {t: String}
            relationships: {u: {destination: U, optional: true, inverse: ds, column: [{column: login, references: login}]}}
            uniquenessConstraints: [[t]]
        """)
    return SQLiteGraph(queue, model: model)
  }

  private func links(_ queue: DatabaseQueue) throws -> [String] {
    try queue.read {
      try String.fetchAll(
        $0, sql: "SELECT t || '=' || coalesce(name, '-') FROM d LEFT JOIN u USING (login) ORDER BY 1")
    }
  }

  @Test("They refer to what was there by the value that it gets", arguments: ["NULL", "'old'"])
  func written(stored: String) throws {
    let queue = try queue("INSERT INTO u VALUES (1, 'Zoe', 'zoe'), (2, 'Ann', \(stored));")
    let report = try graph(queue).importText(
      "t,name,login\nof Ann,Ann,ann\n", .csv, Self.mapping, ImportOptions(existing: .update))
    #expect(report.updated == ["U": 1] && report.created == ["D": 1])
    #expect(try links(queue) == ["of Ann=Ann"])
  }

  @Test("They are refused where that has none and gets none, and lead to no other object that has it")
  func refused() throws {
    let rows =
      "INSERT INTO u VALUES (2, 'Ann', NULL), (3, 'Other', 'ann'); INSERT INTO d VALUES (1, 'one', 'ann');"
    let queue = try queue(rows)
    let texts: [(String, String, ExistingPolicy)] = [
      ("t,name,login\nnew,Ann,ann\n", Self.mapping, .keep),
      ("t,name\nnew,Ann\n", Self.plainMapping, .update),
      ("t,name\none,Ann\n", Self.plainMapping, .update),
      ("t,name\nnew,Dan\n", Self.plainMapping, .update),
    ]
    for (text, mapping, existing) in texts {
      let error = message {
        try graph(queue).importText(text, .csv, mapping, ImportOptions(existing: existing))
      }
      #expect(error.contains(":2: 'u' of D refers to its object by the column 'login', which is empty there"))
      #expect(try links(queue) == ["one=Other"])
    }
  }
}
