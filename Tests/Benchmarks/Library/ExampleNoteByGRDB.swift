import Foundation
import GRDB

/// The example's note cloned as a GRDB app does it by hand: row by row, every statement prepared once.
struct ExampleNoteByGRDB {
  let db: Database

  func clone(_ key: Int64) throws {
    let now = ISO8601DateFormatter.milliseconds.string(from: Date())
    let uuid = UUID().uuidString
    let note = try Row.fetchOne(
      db.cachedStatement(sql: "SELECT name, data FROM note WHERE pk = ?"), arguments: [key])!
    try insert(
      "INSERT INTO note(uuid, name, create_date, data, \"index\") VALUES (?, ?, ?, ?, 0)",
      [uuid, note["name"], now, note["data"]])
    let copy = db.lastInsertedRowID
    for row in try rows("SELECT content FROM note_description WHERE note_id = ?", key) {
      try insert("INSERT INTO note_description(content, note_id) VALUES (?, ?)", [row["content"], copy])
    }
    for row in try rows("SELECT pk, name, quantity FROM item WHERE note_id = ? ORDER BY pk", key) {
      try insert(
        "INSERT INTO item(name, quantity, note_uuid, note_name, note_id) VALUES (?, ?, ?, ?, ?)",
        [row["name"], row["quantity"], uuid, note["name"], copy])
      let item = db.lastInsertedRowID
      for data in try rows("SELECT value, text FROM item_data WHERE item_id = ? ORDER BY pk", row["pk"]) {
        try insert(
          "INSERT INTO item_data(create_date, value, text, item_id) VALUES (?, ?, ?, ?)",
          [now, data["value"], data["text"], item])
      }
    }
    for row in try rows("SELECT pk, text, note_id_order FROM memo WHERE note_id = ? ORDER BY pk", key) {
      try insert(
        "INSERT INTO memo(text, note_id, note_id_order) VALUES (?, ?, ?)",
        [row["text"], copy, row["note_id_order"]])
      let memo = db.lastInsertedRowID
      for tag in try rows("SELECT tag_id FROM memo_tag WHERE memo_id = ?", row["pk"]) {
        try insert("INSERT INTO memo_tag(memo_id, tag_id) VALUES (?, ?)", [memo, tag["tag_id"]])
      }
    }
  }

  private func rows(_ sql: String, _ key: Int64) throws -> [Row] {
    try Row.fetchAll(db.cachedStatement(sql: sql), arguments: [key])
  }

  private func insert(_ sql: String, _ arguments: StatementArguments) throws {
    try db.cachedStatement(sql: sql).execute(arguments: arguments)
  }
}

extension ISO8601DateFormatter {
  // It is only read, as its documentation allows from any thread.
  nonisolated(unsafe) fileprivate static let milliseconds: ISO8601DateFormatter = {
    let formatter = ISO8601DateFormatter()
    formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
    return formatter
  }()
}
