import Foundation
import MOCloneKit
import Testing

/// Numbers at the ends of what a store can hold.
@Suite("Numbers near the greatest")
struct ExtremeNumberTests {
  private func notes(_ rows: String) throws -> StoreFixture {
    try StoreFixture(
      """
      entities:
        Note:
          attributes:
            at: {type: Date, optional: true, storage: unix}
          relationships: {items: {destination: Item, toMany: true, ordered: true, inverse: note}}
        Item:
          attributes:
            at: {type: Date, optional: true, storage: unixMilliseconds,
              userInfo: {followParent: at, withoutParent: keep}}
          relationships: {note: {destination: Note, optional: true, inverse: items}}
      """,
      """
      CREATE TABLE note(id INTEGER PRIMARY KEY, at REAL);
      CREATE TABLE item(id INTEGER PRIMARY KEY, at INTEGER, note_id INTEGER, note_id_order INTEGER);
      \(rows)
      """)
  }

  @Test(
    "A number too great for a date is copied as it is, and no date when it is read",
    arguments: ["9e999", "-9e999", "1e300", "-1e300", "9223372036854775807", "1e16", "-1e16"])
  func dates(stored: String) throws {
    let store = try notes("INSERT INTO note VALUES (1, \(stored)); INSERT INTO item VALUES (1, 5, 1, 1)")
    try store.clone("Note", 1)
    #expect(try store.rows("SELECT count(DISTINCT at), count(*) FROM note") == ["1|2"])
    let note = try SQLiteGraph(store.writer, model: store.model).object("Note", key: 1)
    #expect(throws: CloneError.self) { try note.value("at") }
    let far = AttributeValue.date(Date(timeIntervalSince1970: 1e300))
    try SQLiteGraph(store.writer, model: store.model).object("Item", key: 1).setValue(far, for: "at")
    #expect(try store.rows("SELECT at FROM item WHERE id = 1") == ["1e+303"])
  }

  @Test("Nothing is appended to a list behind the greatest position")
  func positions() throws {
    let store = try notes(
      "INSERT INTO note VALUES (1, 0); INSERT INTO item VALUES (1, 5, 1, 9223372036854775807), (2, 5, NULL, NULL)"
    )
    let graph = SQLiteGraph(store.writer, model: store.model)
    let note = try graph.object("Note", key: 1)
    let error = #expect(throws: CloneError.self) {
      try graph.object("Item", key: 2).set(note, for: "note")
    }
    #expect(error?.code == .noRoomForKeys)
  }
}
