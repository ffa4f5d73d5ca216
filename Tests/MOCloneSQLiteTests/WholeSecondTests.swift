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
    try graph.update(
      SyncRequest(entity: "Note", deletes: false), from: [["name": "c", "made": "2024-01-31T10:00:00Z"]])
    #expect(try store.rows("SELECT DISTINCT typeof(made), typeof(modified) FROM note") == ["integer|integer"])
    #expect(try store.rows("SELECT made > 1700000000 FROM note WHERE name = 'b'") == ["1"])
  }
}
