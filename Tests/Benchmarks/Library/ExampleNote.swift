import Foundation
import GRDB
import MOCloneKit

/// A store for Models/HealthNotes.yml with the example's note 42, its lists made longer by a factor.
struct ExampleNote {
  let factor: Int
  var items: Int { 3 * factor }
  var memos: Int { 2 * factor }
  /// Rows of the note: itself, its description, items, data, memos and links to tags.
  var rows: Int { 2 + 2 * items + memos + 3 * factor }

  static func model() throws -> ObjectModel {
    try ObjectModel(contentsOf: URL(fileURLWithPath: SmallNote.model))
  }

  func make(at path: String) throws {
    let queue = try DatabaseQueue(path: path)
    try queue.write { db in
      try SchemaWriter(Self.model()).create(in: db)
      try db.execute(
        sql: """
          INSERT INTO note(pk, uuid, name, create_date, "index")
            VALUES (42, '7D444840-9DC0-11D1-B245-5FFDCE74FAD2', 'Breakfast', '2025-01-31T12:34:56.789Z', 2);
          INSERT INTO note_description(pk, content, note_id) VALUES (1, 'What I ate this morning', 42);
          WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < \(items))
            INSERT INTO item(pk, name, quantity, note_uuid, note_name, note_id)
            SELECT n, 'Oats ' || n, n * 1.5, '7D444840-9DC0-11D1-B245-5FFDCE74FAD2', 'Breakfast', 42 FROM c;
          INSERT INTO item_data(pk, create_date, value, text, item_id)
            SELECT pk, '2025-01-31T12:35:00.000Z', 300 + pk, 'kcal ' || pk, (pk + 1) / 2 FROM item;
          WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < \(memos))
            INSERT INTO memo(pk, text, note_id, note_id_order) SELECT n, 'hungry ' || n, 42, n FROM c;
          INSERT INTO tag(pk, name) VALUES (1, 'mood'), (2, 'morning');
          INSERT INTO memo_tag(memo_id, tag_id) SELECT pk, 1 FROM memo UNION ALL SELECT pk, 2 FROM memo WHERE pk % 2;
          """)
    }
    try queue.close()
  }

  /// Checks that there are so many clones, each with everything, and that the last holds what the note holds.
  func check(_ path: String, _ name: String, copies: Int) throws {
    let checks = try StoreChecks(path, of: name)
    for (table, count) in [
      ("note", 1), ("note_description", 1), ("item", items), ("item_data", items), ("memo", memos),
      ("memo_tag", 3 * factor),
    ] {
      try checks.expect("SELECT count(*) FROM \(table)", (1 + copies) * count)
    }
    func expectCopies(_ rows: Int, _ query: (String) -> String) throws {
      try checks.expectEqual(query("42"), query("(SELECT max(pk) FROM note)"), rows: rows)
    }
    try expectCopies(items) { "SELECT name, quantity, note_name FROM item WHERE note_id = \($0) ORDER BY pk" }
    try expectCopies(items) {
      "SELECT d.value, d.text FROM item i JOIN item_data d ON item_id = i.pk WHERE note_id = \($0) ORDER BY d.pk"
    }
    try expectCopies(memos) { "SELECT text, note_id_order FROM memo WHERE note_id = \($0) ORDER BY pk" }
    try expectCopies(3 * factor) {
      "SELECT text, tag_id FROM memo m JOIN memo_tag ON memo_id = m.pk WHERE note_id = \($0) ORDER BY 1, 2"
    }
    try checks.expect("SELECT count(DISTINCT uuid) FROM note", 1 + copies)
    try checks.expect(
      "SELECT count(*) FROM note n JOIN item i ON i.note_id = n.pk WHERE i.note_uuid = n.uuid",
      (1 + copies) * items)
    try checks.expectForeignKeysHold()
  }
}
