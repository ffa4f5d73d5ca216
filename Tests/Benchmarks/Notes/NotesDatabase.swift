import GRDBSQLite
import MOCloneKit

/// A store with two notes of the same size, whose rows lie between each other; note 1 is the one to clone.
struct NotesDatabase {
  static let tags = 100
  static let datasOfItem = 5
  let items: Int
  var memos: Int { items / 2 }
  var datas: Int { items * Self.datasOfItem }
  var links: Int { memos * 2 }
  /// Rows of one note: itself, items, data, memos and links.
  var rows: Int { 1 + items + datas + memos + links }

  /// As many items as make that many rows, at least two.
  init(rows: Int) {
    items = max(2, rows * 2 / 15)
  }

  /// Makes the store, in WAL, with empty copies of its tables for the floor.
  func make(at path: String) throws {
    let connection = try Connection(path)
    try connection.execute("PRAGMA journal_mode = WAL; BEGIN")
    for prefix in ["", "copy_"] {
      for statement in try SchemaWriter(NotesModel.model(prefix: prefix)).statements() {
        try connection.execute(statement)
      }
    }
    try fill(connection)
    try connection.execute("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)")
  }

  private func fill(_ connection: Connection) throws {
    let tag = try connection.prepare("INSERT INTO tag(id, name) VALUES (?, ?)")
    for i in 1...Self.tags { try tag.run([.integer(Int64(i)), .text("tag \(i)")]) }
    try connection.execute("INSERT INTO copy_tag SELECT * FROM tag")
    let note = try connection.prepare("INSERT INTO note(id, uuid, name, create_date) VALUES (?, ?, ?, ?)")
    for i in 1...2 {
      try note.run([.integer(Int64(i)), .text(noteUUID(i)), .text("Note \(i)"), .text(Self.date)])
    }
    try fillItems(connection)
    try fillMemos(connection)
  }

  private func fillItems(_ connection: Connection) throws {
    let item = try connection.prepare(
      "INSERT INTO item(id, uuid, note_uuid, name, payload, note_id) VALUES (?, ?, ?, ?, ?, ?)")
    let data = try connection.prepare(
      "INSERT INTO item_data(create_date, value, text, item_id) VALUES (?, ?, ?, ?)")
    var next: Int64 = 1
    for i in 0..<items {
      for note in 1...2 {
        let id = next + Int64(note) - 1
        try item.run([
          .integer(id), .text(uuid(2, Int(id))), .text(noteUUID(note)), .text("Item \(i)"), .blob(payload(i)),
          .integer(Int64(note)),
        ])
      }
      for k in 0..<Self.datasOfItem {
        for note in 1...2 {
          try data.run([
            .text(Self.date), .double(Double(i) + Double(k) / 8), .text("text \(i % 1000)"),
            .integer(next + Int64(note) - 1),
          ])
        }
      }
      next += 2
    }
  }

  private func fillMemos(_ connection: Connection) throws {
    let memo = try connection.prepare("INSERT INTO memo(id, text, note_id) VALUES (?, ?, ?)")
    let link = try connection.prepare("INSERT INTO memo_tag(memo_id, tag_id) VALUES (?, ?)")
    var next: Int64 = 1
    for i in 0..<memos {
      for note in 1...2 {
        try memo.run([.integer(next), .text("Memo \(i)"), .integer(Int64(note))])
        for shift in [0, 37] {
          try link.run([.integer(next), .integer(Int64((i + shift) % Self.tags + 1))])
        }
        next += 1
      }
    }
  }

  static let date = "2025-01-31T12:34:56.789Z"

  private func noteUUID(_ note: Int) -> String { uuid(1, note) }

  private func uuid(_ kind: Int, _ number: Int) -> String {
    let digits = String(number)
    return "0000000\(kind)-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
  }

  private func payload(_ number: Int) -> [UInt8] {
    (0..<60).map { UInt8(truncatingIfNeeded: number &* 31 &+ $0 &* 7) }
  }
}
