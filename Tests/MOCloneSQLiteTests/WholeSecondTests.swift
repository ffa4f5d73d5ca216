import Foundation
import MOCloneKit
import Testing

@Suite("Instants in columns of whole numbers")
struct WholeSecondTests {
  private static let model = """
    store: {naming: snakeCase, dates: unix}
    entities:
      Note:
        attributes: {name: String, made: {type: Date, userInfo: {rebuild: now}}, modified: Date?}
        uniquenessConstraints: [[name]]
    """

  @Test("They are whole seconds, in clones and as dates of change", arguments: ["", "STRICT"])
  func instants(strict: String) throws {
    let store = try StoreFixture(
      Self.model,
      """
      CREATE TABLE note(id INTEGER PRIMARY KEY, name TEXT, made INTEGER, modified INTEGER) \(strict);
      INSERT INTO note VALUES (1, 'a', 1700000000, 1700000000);
      """)
    try store.clone("Note", 1, CloneRequest(set: ["name": "b"]))
    let graph = SQLiteGraph(store.writer, model: store.model)
    try graph.sync(
      SyncRequest(entity: "Note", deletes: false), from: [["name": "c", "made": "2024-01-31T10:00:00Z"]])
    #expect(try store.rows("SELECT DISTINCT typeof(made), typeof(modified) FROM note") == ["integer|integer"])
    #expect(try store.rows("SELECT made > 1700000000 FROM note WHERE name = 'b'") == ["1"])
  }

  /// An app looks for its own texts, `2024-01-31 10:00:00`, and keeps a time once.
  @Test(
    "Texts without fractions stay so in clones, imports and dates of change, and keep a fraction that is given",
    arguments: [
      ("sqliteSeconds", "????-??-?? ??:??:??", "2024-01-31 10:00:00", "2024-01-31 10:00:00.500"),
      ("iso8601Seconds", "????-??-??T??:??:??Z", "2024-01-31T10:00:00Z", "2024-01-31T10:00:00.500Z"),
    ])
  func texts(dates: String, pattern: String, whole: String, half: String) throws {
    let store = try StoreFixture(
      Self.model.replacing("unix", with: dates),
      """
      CREATE TABLE note(id INTEGER PRIMARY KEY, name TEXT, made TEXT NOT NULL, modified TEXT);
      INSERT INTO note VALUES (1, 'a', '\(whole)', '\(whole)');
      """)
    try store.clone("Note", 1, CloneRequest(set: ["name": "b"]))
    try store.clone("Note", 1, CloneRequest(set: ["name": "c", "made": "2024-01-31T10:00:00+00:00"]))
    let graph = SQLiteGraph(store.writer, model: store.model)
    try graph.sync(
      SyncRequest(entity: "Note", deletes: false),
      from: [["name": "d", "made": "2024-01-31T10:00Z"], ["name": "e", "made": "2024-01-31 10:00:00.5"]])
    #expect(try store.rows("SELECT DISTINCT modified GLOB '\(pattern)' FROM note") == ["1"])
    #expect(
      try store.rows("SELECT made GLOB '\(pattern)', made > '2025' FROM note WHERE name = 'b'") == ["1|1"])
    #expect(try store.rows("SELECT DISTINCT made FROM note WHERE name IN ('a', 'c', 'd')") == [whole])
    #expect(try store.rows("SELECT made FROM note WHERE name = 'e'") == [half])
    let copy = try SQLiteGraph.temporary(store.model)
    try copy.copy(from: graph)
    #expect(try copy.findOrCreate("Note", ["name": "a", "made": .string(whole)]).isNew == false)
  }
}
