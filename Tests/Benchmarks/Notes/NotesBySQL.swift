import Foundation
import GRDBSQLite

/// The notes cloned by set SQL for just their schema, through the C API.
///
/// New keys ascend, maps are temporary tables that start at the first new key, and leaves have none.
struct NotesBySQL {
  private let connection: Connection

  init(_ path: String) throws {
    connection = try Connection(path)
    try RandomUUID.register(in: connection)
  }

  func clone(_ root: Int64) throws {
    let now = NotesBySQL.now()
    try connection.execute("BEGIN IMMEDIATE")
    let note = try connection.number("SELECT max(id) + 1 FROM note")
    try connection.execute(
      """
      INSERT INTO note(id, uuid, name, create_date) SELECT ?1, random_uuid(), name, ?2 FROM note WHERE id = ?3
      """, .integer(note), .text(now), .integer(root))
    try map("items", of: "item", root)
    try connection.execute(
      """
      INSERT INTO item(id, uuid, note_uuid, name, payload, note_id)
        SELECT m.new, random_uuid(), (SELECT uuid FROM note WHERE id = ?1), s.name, s.payload, ?1
        FROM items m CROSS JOIN item s ON s.id = m.old
      """, .integer(note))
    try connection.execute(
      """
      INSERT INTO item_data(create_date, value, text, item_id)
        SELECT ?1, s.value, s.text, m.new FROM items m CROSS JOIN item_data s ON s.item_id = m.old
      """, .text(now))
    try map("memos", of: "memo", root)
    try connection.execute(
      """
      INSERT INTO memo(id, text, note_id)
        SELECT m.new, s.text, ?1 FROM memos m CROSS JOIN memo s ON s.id = m.old
      """, .integer(note))
    try connection.execute(
      """
      INSERT INTO memo_tag(memo_id, tag_id)
        SELECT m.new, s.tag_id FROM memos m CROSS JOIN memo_tag s ON s.memo_id = m.old
      """)
    try connection.execute("COMMIT")
  }

  /// New and old keys of the rows that belong to the root.
  private func map(_ name: String, of table: String, _ root: Int64) throws {
    try connection.makeMap(name, startingAbove: table)
    try connection.execute(
      "INSERT INTO \(name)(old) SELECT id FROM \(table) WHERE note_id = ? ORDER BY id", .integer(root))
    try connection.endSeed(of: name)
  }

  static func now() -> String {
    Date().formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }
}

extension Connection {
  /// A map whose row numbers, the new keys, go on from the greatest key of a table.
  func makeMap(_ name: String, startingAbove table: String) throws {
    try execute("CREATE TEMP TABLE \(name)(new INTEGER PRIMARY KEY, old INTEGER)")
    try execute("INSERT INTO \(name) SELECT coalesce(max(id), 0), -1 FROM \(table)")
  }

  /// Takes out the row that started the numbers.
  func endSeed(of name: String) throws {
    try execute("DELETE FROM \(name) WHERE old = -1 AND new = (SELECT min(new) FROM \(name))")
  }
}

extension Work {
  static let notesBySQL = Work("notes-sql") { try NotesBySQL($0.path).clone(1) }
}
