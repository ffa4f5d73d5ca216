import GRDB
import GRDBSQLite
import MOCloneKit
import MOCloneTesting

/// A store of another program that can be given triggers.
protocol TriggeredStore {
  var schema: TransferSchema { get }
  /// Whether it is a database of a PostgreSQL server.
  var isServer: Bool { get }
  func run(_ statements: [String]) throws
  /// The first value of the first row, as a text.
  func text(_ sql: String) throws -> String?
}

/// What else a store of another program has: triggers that count, that fill a full-text table, that refuse or ignore
/// rows; and whether it enforces its foreign keys. All of it comes after the rows.
struct TransferTriggers {
  private let store: any TriggeredStore
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

    func statements(isServer: Bool) -> [String] {
      let row = event == .insert ? "new" : "old"
      let event = "BEFORE \(event.rawValue) ON \(table)"
      let condition = "substr(\(row).mark, 2) = '\(number)'"
      guard isServer else {
        let act = "SELECT RAISE(\(ignores ? "IGNORE" : "ABORT, 'not this one'"));"
        return ["CREATE TRIGGER guard \(event) WHEN \(condition) BEGIN \(act) END"]
      }
      return [
        "CREATE FUNCTION guard() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
          + "\(ignores ? "RETURN NULL;" : "RAISE EXCEPTION 'not this one';") END $$",
        "CREATE TRIGGER guard \(event) FOR EACH ROW WHEN (\(condition)) EXECUTE FUNCTION guard()",
      ]
    }
  }

  init(_ store: any TriggeredStore, _ random: inout SplitMix64) throws {
    self.store = store
    isTallying = random.chance(30)
    isCounting = random.chance(30)
    hasSearch = random.chance(30) && !store.isServer && !store.schema.shape.uuidTables.contains("note")
    if random.chance(35) {
      guarded = Guard(
        table: random.pick(store.schema.shape.entities).lowercased(),
        event: random.pick(Guard.Event.allCases),
        number: random.number(0...6), ignores: random.chance(50))
      // It would be asked about the rows in which is counted, too.
      let counts = store.schema.shape.options.contains(.counters)
      if counts, guarded?.table == "card", guarded?.event == .update { guarded = nil }
    }
    enforces = random.chance(40) && !store.isServer
    try store.run(statements + (enforces ? ["PRAGMA foreign_keys = ON"] : []))
  }

  // MARK: Statements

  private var statements: [String] {
    (hasCounters ? counters : []) + (isTallying ? tally : []) + (isCounting ? counts : [])
      + (hasSearch ? search : []) + (guarded?.statements(isServer: store.isServer) ?? [])
  }

  /// A trigger that does something after each row that an event writes.
  private func trigger(_ name: String, after event: String, on table: String, _ body: String) -> [String] {
    guard store.isServer else {
      return ["CREATE TRIGGER \(name) AFTER \(event) ON \(table) BEGIN \(body) END"]
    }
    return [
      "CREATE FUNCTION \(name)() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \(body) RETURN NULL; END $$",
      "CREATE TRIGGER \(name) AFTER \(event) ON \(table) FOR EACH ROW EXECUTE FUNCTION \(name)()",
    ]
  }

  /// How many rows were ever added to each table.
  private var tally: [String] {
    ["CREATE TABLE tally(name TEXT, count INTEGER)"]
      + store.schema.shape.entities.map { $0.lowercased() }.flatMap { table in
        ["INSERT INTO tally VALUES ('\(table)', 0)"]
          + trigger(
            "tally_\(table)", after: "INSERT", on: table,
            "UPDATE tally SET count = count + 1 WHERE name = '\(table)';")
      }
  }

  /// How many notes each card has, and in a tree how many cards below it, in its own row.
  private var counters: [String] {
    counter("note_count", of: "note", by: "card_id")
      + (store.schema.shape.options.contains(.tree)
        ? counter("below_count", of: "card", by: "above_id") : [])
  }

  private func counter(_ counter: String, of table: String, by column: String) -> [String] {
    func add(_ number: String, _ row: String) -> String {
      "UPDATE card SET \(counter) = \(counter) \(number) WHERE id = \(row).\(column);"
    }
    return trigger("\(counter)_added", after: "INSERT", on: table, add("+ 1", "new"))
      + trigger("\(counter)_removed", after: "DELETE", on: table, add("- 1", "old"))
      + trigger(
        "\(counter)_moved", after: "UPDATE OF \(column)", on: table,
        add("- 1", "old") + " " + add("+ 1", "new"))
  }

  /// Adds what these triggers count to what the rules say.
  func count(in picture: inout StorePicture, after before: StorePicture) {
    guard hasCounters else { return }
    picture.count("note", by: "card_id", in: "note_count", of: "card", after: before)
    guard store.schema.shape.options.contains(.tree) else { return }
    picture.count("card", by: "above_id", in: "below_count", of: "card", after: before)
  }

  private var keyOfCards: String {
    let isUUID = store.schema.shape.uuidTables.contains("card")
    return store.isServer && isUUID ? "uuid" : store.schema.shape.type(ofKeysOf: "card")
  }

  /// How many notes each card has, in a table of its own.
  private var counts: [String] {
    let discount = "UPDATE card_count SET count = count - 1 WHERE card_id = old.card_id;"
    return [
      "CREATE TABLE card_count(card_id \(keyOfCards), count INTEGER)",
      "INSERT INTO card_count SELECT card_id, count(*) FROM note WHERE card_id IS NOT NULL GROUP BY 1",
    ] + trigger("count_added", after: "INSERT", on: "note", count("new"))
      + trigger("count_removed", after: "DELETE", on: "note", discount)
      + trigger("count_moved", after: "UPDATE OF card_id", on: "note", discount + " " + count("new"))
  }

  private func count(_ row: String) -> String {
    """
    INSERT INTO card_count SELECT \(row).card_id, 0 WHERE \(row).card_id IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM card_count WHERE card_id = \(row).card_id);
    UPDATE card_count SET count = count + 1 WHERE card_id = \(row).card_id;
    """
  }

  private var search: [String] {
    let find = "INSERT INTO note_search(rowid, mark) VALUES (new.id, new.mark);"
    let forget = "INSERT INTO note_search(note_search, rowid, mark) VALUES ('delete', old.id, old.mark);"
    return [
      "CREATE VIRTUAL TABLE note_search USING fts5(mark, content='note', content_rowid='id')",
      "INSERT INTO note_search(note_search) VALUES ('rebuild')",
    ] + trigger("search_added", after: "INSERT", on: "note", find)
      + trigger("search_removed", after: "DELETE", on: "note", forget)
      + trigger("search_changed", after: "UPDATE", on: "note", forget + " " + find)
  }

  // MARK: Looking

  /// Whether rows can be missing without a word from the store.
  var ignoresRows: Bool { guarded?.ignores == true }

  /// What the triggers kept wrongly.
  func problems(_ report: TransferReport?) throws -> [String] {
    var problems: [String] = []
    if isCounting {
      let wrong = """
        SELECT min(CAST(card_id AS TEXT)) FROM (SELECT card_id, count(*) AS count FROM note WHERE card_id IS NOT NULL GROUP BY 1
        EXCEPT SELECT card_id, count FROM card_count) AS wrong
        """
      if let card = try store.text(wrong) { problems.append("the notes of \(card) are miscounted") }
    }
    if hasSearch {
      do {
        try store.run(["INSERT INTO note_search(note_search, rank) VALUES ('integrity-check', 1)"])
      } catch { problems.append("the full-text table holds other texts: \(error)") }
    }
    if isTallying, let report {
      for entity in store.schema.shape.entities {
        let made = store.schema.shape.model.entities.map(\.name).filter {
          store.schema.shape.model.isKind($0, of: entity)
        }.reduce(0) { $0 + (report.created?[$1] ?? 0) }
        let count = try store.text("SELECT count FROM tally WHERE name = '\(entity.lowercased())'")
        if count != "\(made)" {
          problems.append("\(count ?? "no") rows of \(entity) were added for \(made) objects")
        }
      }
    }
    return problems
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

extension TransferStore: TriggeredStore {
  var isServer: Bool { false }

  func run(_ statements: [String]) throws {
    try queue.writeWithoutTransaction { db in
      for statement in statements { try db.execute(sql: statement) }
    }
  }

  func text(_ sql: String) throws -> String? {
    try queue.writeWithoutTransaction { try String.fetchOne($0, sql: sql) }
  }

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
