import Foundation

/// A store for Models/HealthNotes.yml with one small note, number 42, as `moclone store init` makes it.
struct SmallNote {
  static let model = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../../Models/HealthNotes.yml").standardized.path
  /// Of each table: the note's rows. Together they are twenty, links included.
  static let rows = [
    "note": 1, "note_description": 1, "item": 4, "item_data": 8, "memo": 3, "memo_tag": 3,
  ]

  static func make(at path: String) throws {
    _ = try Child(Program.moclone, ["store", "init", "--model", model, "--store", path])
    try Connection(path).execute(
      """
      BEGIN;
      INSERT INTO note(pk, uuid, name, create_date, "index")
        VALUES (42, '7D444840-9DC0-11D1-B245-5FFDCE74FAD2', 'Breakfast', '2025-01-31T12:34:56.789Z', 2);
      INSERT INTO note_description(pk, content, note_id) VALUES (1, 'What I ate this morning', 42);
      INSERT INTO item(pk, name, quantity, note_id)
        VALUES (1, 'Oats', 80, 42), (2, 'Milk', 200, 42), (3, 'Apple', 1, 42), (4, 'Tea', 2, 42);
      INSERT INTO item_data(create_date, value, text, item_id)
        SELECT '2025-01-31T12:35:00.000Z', 300 + i.pk, 'kcal', i.pk FROM item i, (VALUES (1), (2));
      INSERT INTO memo(pk, text, note_id, note_id_order) VALUES (1, 'hungry', 42, 1), (2, 'late', 42, 2), (3, 'fine', 42, 3);
      INSERT INTO tag(pk, name) VALUES (1, 'mood'), (2, 'morning');
      INSERT INTO memo_tag(memo_id, tag_id) VALUES (1, 1), (1, 2), (2, 1);
      COMMIT
      """)
  }

  static func clone(in path: String) throws -> Double {
    try Child(Program.moclone, ["note", "42", "--model", model, "--store", path]).seconds
  }

  static func check(_ path: String, _ name: String) throws {
    let checks = try StoreChecks(path, of: name)
    for (table, count) in rows { try checks.expect("SELECT count(*) FROM \(table)", 2 * count) }
    try checks.expect("SELECT count(*) FROM item WHERE note_id = 43", rows["item"]!)
    try checks.expectForeignKeysHold()
  }
}

extension Section {
  /// The command from its start to its end.
  static let smallNote = Section(name: "small-note") { setting in
    let comparison = try setting.store("small.sqlite", SmallNote.make)
    try comparison.verify(SmallNote.clone, "moclone note 42", SmallNote.check)
    let samples = try alternate(
      setting.runs * 10, [{ try comparison.onCopy(SmallNote.clone) }])
    return [
      TableRow("`moclone note 42`, 20 rows, no WAL, the whole process", samples[0], atMostMilliseconds: 18)
    ]
  }
}
