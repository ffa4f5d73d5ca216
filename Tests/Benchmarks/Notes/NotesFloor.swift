/// The rows of note 1 copied as they are into empty tables with the same indexes and foreign keys: no new keys, no
/// mapping, no rules. Less than that no clone can do.
struct NotesFloor {
  private let connection: Connection

  init(_ path: String) throws {
    connection = try Connection(path)
  }

  func copy() throws {
    try connection.execute(
      """
      BEGIN IMMEDIATE;
      INSERT INTO copy_note SELECT * FROM note WHERE id = 1;
      INSERT INTO copy_item SELECT * FROM item WHERE note_id = 1 ORDER BY id;
      INSERT INTO copy_item_data
        SELECT s.* FROM item o CROSS JOIN item_data s ON s.item_id = o.id WHERE o.note_id = 1 ORDER BY o.id;
      INSERT INTO copy_memo SELECT * FROM memo WHERE note_id = 1 ORDER BY id;
      INSERT INTO copy_memo_tag
        SELECT s.* FROM memo o CROSS JOIN memo_tag s ON s.memo_id = o.id WHERE o.note_id = 1 ORDER BY o.id;
      COMMIT
      """)
  }
}

extension Work {
  static let notesFloor = Work("notes-floor") { try NotesFloor($0.path).copy() }
}
