import GRDB
import GRDBSQLite
import MOCloneKit
import MOCloneTesting

/// What else a store of another program has: triggers that count, that fill a full-text table, that refuse or ignore
/// rows; and whether it enforces its foreign keys. All of it comes after the rows.
struct MovingTriggers {
  private let store: MovingStore
  private let isCounting: Bool
  private let hasSearch: Bool
  private let isTallying: Bool
  /// Whether triggers keep what the model leaves to them.
  private var hasCounters: Bool { store.schema.shape.options.contains(.counters) }
  private let enforces: Bool
  private var guarded: Guard?

  /// A trigger that refuses rows or ignores them.
  private struct Guard {
    enum Event: String, CaseIterable { case insert, update, delete }

    var table: String
    var event: Event
    /// The last character of the marks of rows that it is about.
    var number: Int
    var ignores: Bool

    var sql: String {
      let row = event == .insert ? "new" : "old"
      return """
        CREATE TRIGGER guard BEFORE \(event.rawValue) ON \(table)
        WHEN substr(\(row).mark, 2) = '\(number)' BEGIN
          SELECT RAISE(\(ignores ? "IGNORE" : "ABORT, 'not this one'"));
        END
        """
    }
  }

  init(_ store: MovingStore, _ random: inout SplitMix64) throws {
    self.store = store
    isTallying = random.chance(30)
    isCounting = random.chance(30)
    hasSearch = random.chance(30)
    if random.chance(35) {
      guarded = Guard(
        table: random.pick(store.schema.shape.entities).lowercased(),
        event: random.pick(Guard.Event.allCases),
        number: random.number(0...6), ignores: random.chance(50))
      // It would be asked about the rows in which is counted, too.
      let counts = store.schema.shape.options.contains(.counters)
      if counts, guarded?.table == "card", guarded?.event == .update { guarded = nil }
    }
    enforces = random.chance(40)
    let (sql, enforces) = (statements, enforces)
    try store.queue.writeWithoutTransaction { db in
      for statement in sql { try db.execute(sql: statement) }
      if enforces { try db.execute(sql: "PRAGMA foreign_keys = ON") }
    }
  }

  // MARK: Statements

  private var statements: [String] {
    (hasCounters ? counters : []) + (isTallying ? tally : []) + (isCounting ? Self.counts : [])
      + (hasSearch ? Self.search : [])
      + (guarded.map { [$0.sql] } ?? [])
  }

  /// How many rows were ever added to each table.
  private var tally: [String] {
    ["CREATE TABLE tally(name TEXT, count INTEGER)"]
      + store.schema.shape.entities.map { $0.lowercased() }.flatMap { table in
        [
          "INSERT INTO tally VALUES ('\(table)', 0)",
          """
          CREATE TRIGGER tally_\(table) AFTER INSERT ON \(table) BEGIN
            UPDATE tally SET count = count + 1 WHERE name = '\(table)';
          END
          """,
        ]
      }
  }

  /// How many notes each card has, and in a tree how many cards below it, in its own row.
  private var counters: [String] {
    Self.counter("note_count", of: "note", by: "card_id")
      + (store.schema.shape.options.contains(.tree)
        ? Self.counter("below_count", of: "card", by: "above_id") : [])
  }

  private static func counter(_ counter: String, of table: String, by column: String) -> [String] {
    func add(_ number: String, _ row: String) -> String {
      "UPDATE card SET \(counter) = \(counter) \(number) WHERE id = \(row).\(column);"
    }
    return [
      "CREATE TRIGGER \(counter)_added AFTER INSERT ON \(table) BEGIN \(add("+ 1", "new")) END",
      "CREATE TRIGGER \(counter)_removed AFTER DELETE ON \(table) BEGIN \(add("- 1", "old")) END",
      "CREATE TRIGGER \(counter)_moved AFTER UPDATE OF \(column) ON \(table) BEGIN "
        + "\(add("- 1", "old")) \(add("+ 1", "new")) END",
    ]
  }

  /// Adds what these triggers count to what the rules say.
  func count(in picture: inout StorePicture, after before: StorePicture) {
    guard hasCounters else { return }
    picture.count("note", by: "card_id", in: "note_count", of: "card", after: before)
    guard store.schema.shape.options.contains(.tree) else { return }
    picture.count("card", by: "above_id", in: "below_count", of: "card", after: before)
  }

  /// How many notes each card has, in a table of its own.
  private static let counts = [
    "CREATE TABLE card_count(card_id, count INTEGER)",
    "INSERT INTO card_count SELECT card_id, count(*) FROM note WHERE card_id IS NOT NULL GROUP BY 1",
    "CREATE TRIGGER count_added AFTER INSERT ON note BEGIN \(count("new")) END",
    "CREATE TRIGGER count_removed AFTER DELETE ON note BEGIN \(discount) END",
    "CREATE TRIGGER count_moved AFTER UPDATE OF card_id ON note BEGIN \(discount) \(count("new")) END",
  ]
  private static let discount = "UPDATE card_count SET count = count - 1 WHERE card_id = old.card_id;"

  private static func count(_ row: String) -> String {
    """
    INSERT INTO card_count SELECT \(row).card_id, 0 WHERE \(row).card_id IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM card_count WHERE card_id = \(row).card_id);
    UPDATE card_count SET count = count + 1 WHERE card_id = \(row).card_id;
    """
  }

  private static let search = [
    "CREATE VIRTUAL TABLE note_search USING fts5(mark, content='note', content_rowid='id')",
    "INSERT INTO note_search(note_search) VALUES ('rebuild')",
    "CREATE TRIGGER search_added AFTER INSERT ON note BEGIN \(find) END",
    "CREATE TRIGGER search_removed AFTER DELETE ON note BEGIN \(forget) END",
    "CREATE TRIGGER search_changed AFTER UPDATE ON note BEGIN \(forget) \(find) END",
  ]
  private static let find = "INSERT INTO note_search(rowid, mark) VALUES (new.id, new.mark);"
  private static let forget =
    "INSERT INTO note_search(note_search, rowid, mark) VALUES ('delete', old.id, old.mark);"

  // MARK: Looking

  /// What the triggers kept wrongly.
  func problems(_ report: MoveReport?) throws -> [String] {
    try store.queue.writeWithoutTransaction { db in
      var problems: [String] = []
      if isCounting {
        let wrong = """
          SELECT group_concat(card_id) FROM (SELECT card_id, count(*) AS count FROM note WHERE card_id IS NOT NULL GROUP BY 1
          EXCEPT SELECT card_id, count FROM card_count)
          """
        if let cards = try String.fetchOne(db, sql: wrong) {
          problems.append("the notes of \(cards) are miscounted")
        }
      }
      if hasSearch {
        do {
          try db.execute(sql: "INSERT INTO note_search(note_search, rank) VALUES ('integrity-check', 1)")
        } catch { problems.append("the full-text table holds other texts: \(error)") }
      }
      if isTallying, let report {
        for entity in store.schema.shape.entities {
          let made = store.schema.shape.model.entities.map(\.name).filter {
            store.schema.shape.model.isKind($0, of: entity)
          }.reduce(0) { $0 + (report.created?[$1] ?? 0) }
          let count = try Int.fetchOne(
            db, sql: "SELECT count FROM tally WHERE name = ?", arguments: [entity.lowercased()])
          if count != made { problems.append("\(count!) rows of \(entity) were added for \(made) objects") }
        }
      }
      return problems
    }
  }

  /// A row that a trigger ignores or refuses, and that the operation must write, refuses the operation.
  ///
  /// - Throws: `ReferenceRefusal`.
  func refuse(_ picture: StorePicture, after before: StorePicture) throws {
    guard let guarded, !guardedRows(picture, before).isEmpty else { return }
    throw ReferenceRefusal(
      guarded.ignores ? .rowCount : .constraintFailed, "a trigger is against the \(guarded.event) of a row")
  }

  /// The rows of the guarded table that the trigger is asked about.
  private func guardedRows(_ picture: StorePicture, _ before: StorePicture) -> [Int] {
    guard let guarded else { return [] }
    return picture.tables[guarded.table]!.rows.enumerated().filter { index, row in
      let old = row.isNew ? nil : before.tables[guarded.table]!.rows[index]
      let isWritten =
        switch guarded.event {
        case .insert: row.isNew
        case .update: old != nil && !row.isGone && old!.values != row.values
        case .delete: old != nil && row.isGone
        }
      guard isWritten, case .text(let mark)? = (old ?? row).values["mark"] else { return false }
      return String(decoding: mark.dropFirst(), as: UTF8.self) == "\(guarded.number)"
    }.map(\.offset)
  }

  /// Whether the store may refuse what the rules allow: SQLite checks a foreign key that refers to its own table in every
  /// row that is updated, whatever changes in it.
  func mayRefuse(_ picture: StorePicture, after before: StorePicture) -> Bool {
    guard enforces, store.schema.declaresTree, let cards = picture.tables["card"],
      let old = before.tables["card"]
    else { return false }
    let keys = Set(cards.rows.filter { !$0.isGone }.map { $0.values["id"] })
    return zip(cards.rows, old.rows).contains { row, old in
      let above = row.values["above_id"] ?? .null
      return !row.isGone && row.values != old.values && above != .null && !keys.contains(above)
    }
  }
}

extension MovingStore {
  /// The store as it would lie in a file.
  func bytes() -> [UInt8] {
    queue.writeWithoutTransaction { db in
      var size: sqlite3_int64 = 0
      guard let bytes = sqlite3_serialize(db.sqliteConnection, "main", &size, 0) else { return [] }
      defer { sqlite3_free(bytes) }
      return Array(UnsafeBufferPointer(start: bytes, count: Int(size)))
    }
  }
}
