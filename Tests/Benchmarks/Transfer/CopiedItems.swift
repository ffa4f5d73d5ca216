/// Notes with their items in one store, and another store that is empty or has half of them under other keys.
struct CopiedItems {
  let count: Int
  let hasHalf: Bool

  private var notes: Int { max(1, count / 10) }
  private var items: Int { notes * 9 }

  var title: String {
    "copy of \(Unit.count(notes + items)) objects into "
      + (hasHalf ? "a store that has half of them" : "an empty store")
  }
  var store: String { "copied-\(count)-\(hasHalf ? "half" : "empty").sqlite" }

  /// The store that is copied from, which lies beside the other one and is not changed by a run.
  static func source(of path: String) -> String {
    (path.hasSuffix(".copy") ? String(path.dropLast(5)) : path) + ".source"
  }

  static let model = """
    version: 1
    name: Copied
    entities:
      Note:
        attributes: {name: String, created: String?}
        relationships: {items: {destination: Item, toMany: true, inverse: note}}
        uniquenessConstraints: [[name]]
      Item:
        attributes: {name: String, payload: String?}
        relationships: {note: {destination: Note, inverse: items}}
        uniquenessConstraints: [[name]]
    """

  func make(at path: String) throws {
    let source = try Connection(Self.source(of: path))
    try source.execute("PRAGMA journal_mode = WAL; BEGIN")
    try source.makeTables(Self.model)
    let note = try source.prepare("INSERT INTO note(id, name, created) VALUES (?, ?, '2025-01-31')")
    for i in 1...notes { try note.run([.integer(Int64(i)), .text(name("note", i))]) }
    let item = try source.prepare("INSERT INTO item(id, name, payload, note_id) VALUES (?, ?, ?, ?)")
    for i in 1...items {
      try item.run([
        .integer(Int64(i)), .text(name("item", i)), .text("a payload of some forty letters and digits"),
        .integer(Int64((i - 1) / 9 + 1)),
      ])
    }
    try source.execute("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)")
    let target = try Connection(path)
    try target.execute("PRAGMA journal_mode = WAL")
    try target.makeTables(Self.model)
    guard hasHalf else { return }
    try target.execute("ATTACH '\(Self.source(of: path))' AS s")
    try target.execute(
      """
      BEGIN;
      INSERT INTO note(id, name, created) SELECT id / 2, name, created FROM s.note WHERE id % 2 = 0;
      INSERT INTO item(id, name, payload, note_id)
        SELECT row_number() OVER (ORDER BY id), name, payload, note_id / 2 FROM s.item WHERE note_id % 2 = 0;
      COMMIT;
      PRAGMA wal_checkpoint(TRUNCATE)
      """)
  }

  /// Names in no order of the keys, as names are.
  private func name(_ kind: String, _ i: Int) -> String { "\(kind) \(i * 7919 % 1_000_003)-\(i)" }

  func check(_ path: String, _ name: String) throws {
    let connection = try Connection(path)
    try connection.execute("ATTACH '\(Self.source(of: path))' AS s")
    let content =
      "SELECT i.name, i.payload, n.name, n.created FROM %.item i CROSS JOIN %.note n ON n.id = i.note_id"
    let (here, there) = (content.replacing("%", with: "main"), content.replacing("%", with: "s"))
    let numbers = try [
      connection.number("SELECT count(*) FROM main.note"),
      connection.number("SELECT count(*) FROM main.item"),
      connection.number("SELECT count(*) FROM (\(here) EXCEPT \(there))"),
      connection.number("SELECT count(*) FROM (\(there) EXCEPT \(here))"),
    ]
    guard numbers == [Int64(notes), Int64(items), 0, 0] else {
      throw BenchmarkError("\(name): the copy is not the source: \(numbers)")
    }
    try StoreChecks(path, of: name).expectForeignKeysHold()
  }
}
