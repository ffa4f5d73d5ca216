import Foundation
import MOCloneKit
import MOCloneYAML
import TestSupport
import Testing

/// What other programs write, and how their tables resolve conflicts.
@Suite("Values and tables of other programs, matched and changed by moves")
struct ForeignNotationTests {
  private func graph(_ store: StoreFixture) -> SQLiteGraph { SQLiteGraph(store.writer, model: store.model) }

  private static let codes = """
    entities:
      Code:
        attributes: {code: String, mark: String?}
        uniquenessConstraints: [[code], [mark]]
    """

  private func codes(onConflict clause: String) throws -> StoreFixture {
    try StoreFixture(
      Self.codes,
      """
      CREATE TABLE code(id INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE, mark TEXT UNIQUE ON CONFLICT \(clause));
      INSERT INTO code VALUES (1, 'one', 'a'), (2, 'two', 'b');
      """)
  }

  @Test(
    "A change that would repeat a unique value is refused, whatever the table does with conflicts",
    arguments: ["REPLACE", "IGNORE", "FAIL"])
  func conflicts(clause: String) throws {
    let store = try codes(onConflict: clause)
    let error = #expect(throws: CloneError.self) {
      try graph(store).sync(
        SyncRequest(entity: "Code", overwriting: ["mark"], deletes: false),
        from: [["code": "one", "mark": "b"]])
    }
    #expect(error?.code == .uniqueValue)
    #expect(try store.rows("SELECT * FROM code ORDER BY id") == ["1|one|a", "2|two|b"])
  }

  @Test(
    "Unique values are swapped, whatever the table does with conflicts", arguments: ["REPLACE", "IGNORE"])
  func swaps(clause: String) throws {
    let store = try codes(onConflict: clause)
    try graph(store).sync(
      SyncRequest(entity: "Code", overwriting: ["mark"]),
      from: [["code": "one", "mark": "b"], ["code": "two", "mark": "a"]])
    #expect(try store.rows("SELECT * FROM code ORDER BY id") == ["1|one|b", "2|two|a"])
  }

  @Test(
    "What refers to unique values follows while they are swapped and handed on, also where a column takes few values",
    arguments: ["", "NOT NULL", "CHECK (length(mark) < 3)"])
  func references(constraint: String) throws {
    let store = try StoreFixture(
      Self.codes,
      """
      CREATE TABLE code(id INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE, mark TEXT \(constraint) UNIQUE);
      CREATE TABLE note(text TEXT, mark TEXT \(constraint.hasPrefix("CHECK") ? "" : "REFERENCES code(mark) ON UPDATE CASCADE"));
      INSERT INTO code VALUES (1, 'one', 'a'), (2, 'two', 'b'), (3, 'three', 'c');
      INSERT INTO note SELECT code, mark FROM code;
      """)
    try graph(store).sync(
      SyncRequest(entity: "Code", overwriting: ["mark"]),
      from: [["code": "one", "mark": "b"], ["code": "two", "mark": "a"], ["code": "three", "mark": "d"]])
    #expect(try store.rows("SELECT * FROM code ORDER BY id") == ["1|one|b", "2|two|a", "3|three|d"])
    let followed = "SELECT text FROM note JOIN code ON code.mark = note.mark WHERE text = code ORDER BY 1"
    #expect(try store.rows(followed) == (constraint.hasPrefix("CHECK") ? [] : ["one", "three", "two"]))
  }

  private func things(_ type: String, _ column: String, _ rows: String, store: String = "") throws
    -> StoreFixture
  {
    try StoreFixture(
      """
      \(store)
      entities:
        Thing:
          attributes: {name: String?, value: \(type)}
          uniquenessConstraints: [[value]]
      """,
      """
      CREATE TABLE thing(id INTEGER PRIMARY KEY, name TEXT, value \(column) NOT NULL);
      INSERT INTO thing(id, value) VALUES \(rows);
      """)
  }

  @Test("Dates: seconds since 1970 are the numbers next to the times, before and after 2001")
  func unixDates() throws {
    let store = try things(
      "Date", "REAL", "(1, 1706659200.123), (2, 157766400.123)", store: "store: {dates: unix}")
    for (text, id) in [("2024-01-31T00:00:00.123Z", "1"), ("1975-01-01T00:00:00.123Z", "2")] {
      let date = try #require(AttributeType.date.value(from: text))
      let (thing, isNew) = try graph(store).findOrCreate("Thing", ["value": date])
      #expect(!isNew && thing.id.key.description == id)
      #expect(try store.rows("SELECT count(*) FROM thing") == ["2"])
    }
  }

  @Test(
    "An object is named by a value in any notation",
    arguments: [
      ("UUID", "TEXT", "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'", "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"),
      ("Decimal", "TEXT", "'1.50'", "1.5"), ("Boolean", "INTEGER", "2", "true"),
      ("Double", "REAL", "100", "1e2"),
      ("Date", "TEXT", "'2024-01-31T12:34:56+10:00'", "2024-01-31T02:34:56Z"),
    ])
  func named(type: String, column: String, stored: String, given: String) throws {
    let store = try things(type, column, "(1, \(stored))")
    #expect(try graph(store).object("Thing", attribute: "value", equals: given).id.key == 1)
  }

  @Test("Dates: every digit of a second counts, and none of the time zone")
  func longSeconds() throws {
    let same = try things(
      "Date", "TEXT", "(1, '2024-01-31T12:34:56.1234+10:00'), (2, '2024-01-31T02:34:56.1234Z')")
    try graph(same).dedupe()
    #expect(try same.rows("SELECT count(*) FROM thing") == ["1"])
    let other = try things(
      "Date", "TEXT", "(1, '2024-01-31T12:34:56.1234561Z'), (2, '2024-01-31T12:34:56.1234569Z')")
    try graph(other).dedupe()
    #expect(try other.rows("SELECT count(*) FROM thing") == ["2"])
  }

  @Test(
    "Dates are read as other programs write them",
    arguments: [
      "2024-01-31 12:34", "2024-01-31T12:34Z", "2024-01-31T12:34", "2024-01-31 13:34:00+01",
      "2024-01-31 13:34:00.000+0100", "2024-01-31 12:34:00.000 +00:00", "2024-01-31 13:34:00 +0100",
      "2024-01-31 07:04:00.0-0530", "2024-01-31 12:34:00 Z", "2024-01-31 13:34+01",
    ])
  func dateNotations(written: String) throws {
    let date = "2024-01-31T12:34:00.000Z"
    let store = try things("Date", "TEXT", "(1, '\(written)'), (2, '2000-01-01')")
    let object = try graph(store).object("Thing", attribute: "value", equals: date)
    #expect(object.id.key == 1)
    #expect(try object.value("value") == AttributeType.date.value(from: date))
    try store.execute(
      "INSERT INTO thing(id, value) VALUES (3, '\(date)'), (4, '2024-01-31T12:34:00.0000001Z')")
    try graph(store).dedupe()
    #expect(try store.rows("SELECT count(*) FROM thing") == ["3"])
  }

  @Test("Every digit of a date counts, whatever form its zone has")
  func longSecondsInOtherZones() throws {
    let store = try things(
      "Date", "TEXT",
      """
      (1, '2024-01-31 13:34:56.1234567+01'), (2, '2024-01-31 13:34:56.1234567+0100'),
      (3, '2024-01-31T12:34:56.1234567Z'), (4, '2024-01-31 13:34:56.1234568+01')
      """)
    try graph(store).dedupe()
    #expect(try store.rows("SELECT count(*) FROM thing") == ["2"])
  }

  @Test("Decimals: numbers with more digits than fit are no duplicates, and are not read cut off")
  func longDecimals() throws {
    let digits = "0.1234567890123456789012345678901234567891"
    let store = try things("Decimal", "TEXT", "(1, '\(digits)1'), (2, '\(digits)2')")
    try graph(store).dedupe()
    #expect(try store.rows("SELECT count(*) FROM thing") == ["2"])
    #expect(AttributeType.decimal.value(from: digits + "1") == nil)
    #expect(AttributeType.decimal.value(from: "0.5" + String(repeating: "0", count: 60)) == .decimal(0.5))
  }

  @Test(
    "Floats: the number as it was written is the one that a Float holds",
    arguments: [("0.10000000149011612", 0.1), ("3.4028234663852886e38", 3.4028235e38)])
  func floats(stored: String, given: Double) throws {
    let store = try StoreFixture(
      """
      entities:
        Thing:
          attributes: {name: String, value: Float}
          uniquenessConstraints: [[name]]
      """,
      """
      CREATE TABLE thing(id INTEGER PRIMARY KEY, name TEXT, value REAL);
      INSERT INTO thing VALUES (1, 'a', \(stored));
      """)
    let report = try graph(store).sync(
      SyncRequest(entity: "Thing", overwriting: ["value"]), from: [["name": "a", "value": .double(given)]])
    #expect(report.unchanged == ["Thing": 1])
  }

  @Test(
    "Values that are no other ones stay apart",
    arguments: [
      ("Float", "REAL", ["1e39", "2e39", "9e999", "-9e999"]), ("Float", "REAL", ["1e-50", "2e-50", "0"]),
      ("Decimal", "NUMERIC", ["-9e999", "0", "9e999"]),
      ("Date", "TEXT", ["'2025-02-30'", "'2025-03-02'", "'2025-03-01 24:00'", "'2025-03-02 '"]),
      ("Date", "TEXT", ["'12:00'", "'2000-01-01 12:00'", "'2000-01-01T 12:00'", "'2451545.0'"]),
      ("Date", "TEXT", ["'2023-02-29'", "'2023-03-01'", "CAST('2023-03-01' AS BLOB)"]),
    ])
  func apart(type: String, column: String, values: [String]) throws {
    let rows = values.enumerated().map { "(\($0 + 1), \($1))" }.joined(separator: ", ")
    let store = try things(type, column, rows)
    try graph(store).dedupe()
    #expect(try store.rows("SELECT count(*) FROM thing") == ["\(values.count)"])
  }

  @Test(
    "The last days of months are dates", arguments: ["2024-02-29", "2000-02-29", "2025-01-31", "2025-04-30"])
  func lastDays(date: String) throws {
    let store = try things("Date", "TEXT", "(1, '\(date)'), (2, '\(date)T00:00:00Z'), (3, '\(date) 00:00 ')")
    try graph(store).dedupe()
    #expect(try store.rows("SELECT count(*) FROM thing") == ["1"])
  }

  @Test("A number that is not finite is no Decimal", arguments: ["9e999", "-9e999"])
  func infiniteDecimals(stored: String) throws {
    let store = try things("Decimal", "NUMERIC", "(1, \(stored))")
    let thing = try graph(store).object("Thing", key: 1)
    let error = #expect(throws: CloneError.self) { try thing.value("value") }
    #expect(error?.code == .storeMismatch)
  }

  @Test("An identity over a relationship compares by the collation of the column at its end")
  func collations() throws {
    let yaml = """
      entities:
        Article:
          attributes: {name: String}
          relationships: {texts: {destination: Text, toMany: true, inverse: article}}
          uniquenessConstraints: [[name]]
        Text:
          attributes: {language: String, text: String?}
          relationships: {article: {destination: Article, inverse: texts}}
      """
    let tables = """
      CREATE TABLE article(id INTEGER PRIMARY KEY, name TEXT NOT NULL COLLATE NOCASE UNIQUE);
      CREATE TABLE text(id INTEGER PRIMARY KEY, language TEXT, text TEXT, article_id INTEGER REFERENCES article);
      """
    let source = try StoreFixture(
      yaml, tables + "INSERT INTO article VALUES (1, 'Milk'); INSERT INTO text VALUES (1, 'de', 'source', 1);"
    )
    let target = try StoreFixture(
      yaml, tables + "INSERT INTO article VALUES (5, 'MILK'); INSERT INTO text VALUES (7, 'de', 'target', 5);"
    )
    try graph(target).copy(
      from: graph(source), CopyRequest(identifiedBy: ["Text": ["article.name", "language"]]))
    #expect(try target.rows("SELECT * FROM text") == ["7|de|target|5"])
  }

  @Test("A UUID is taken as a key in whatever letters it is written", arguments: [true, false])
  func keys(keepsKeys: Bool) throws {
    let yaml = """
      entities:
        Thing:
          primaryKey: {column: id, generate: uuid}
          attributes: {name: String?}
      """
    func store(_ key: String, _ name: String) throws -> StoreFixture {
      try StoreFixture(
        yaml,
        "CREATE TABLE thing(id TEXT NOT NULL PRIMARY KEY, name TEXT); INSERT INTO thing VALUES ('\(key)', '\(name)');"
      )
    }
    let source = try store("AAAAAAAA-0000-4000-8000-000000000001", "source")
    let target = try store("aaaaaaaa-0000-4000-8000-000000000001", "target")
    if keepsKeys {
      let from = graph(source)
      let error = #expect(throws: CloneError.self) {
        try graph(target).clone(
          from.plan("Thing", CloneRequest()), roots: from.objectIDs("Thing"), from: from,
          SubtreeRequest(keepsKeys: true))
      }
      #expect(error?.code == .uniqueValue)
    } else {
      try graph(target).copy(from: graph(source))
    }
    #expect(try target.rows("SELECT count(DISTINCT upper(id)) FROM thing") == [keepsKeys ? "1" : "2"])
  }

  // MARK: What the store removes itself

  @Test(
    "A sync reports rows that cascades of the store remove, also of tables that the model does not name, and nulls"
  )
  func cascades() throws {
    let store = try StoreFixture(
      SharedModel.shelves,
      """
      CREATE TABLE shelf(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
      CREATE TABLE book(id INTEGER PRIMARY KEY, title TEXT NOT NULL, shelf_id INTEGER REFERENCES shelf ON DELETE CASCADE);
      CREATE TABLE page(id INTEGER PRIMARY KEY, book INTEGER REFERENCES Book ON DELETE CASCADE);
      CREATE TABLE other(id INTEGER PRIMARY KEY, page INTEGER REFERENCES page ON DELETE SET NULL);
      INSERT INTO shelf VALUES (1, 'A'), (2, 'B'), (3, 'C');
      INSERT INTO book VALUES (1, 'a', 1), (2, 'c', 3), (3, 'c', 3);
      INSERT INTO page VALUES (1, 1), (2, 2), (3, 2), (4, 3);
      INSERT INTO other VALUES (1, 4);
      """)
    let rows: [[String: AttributeValue]] = [["name": "A"], ["name": "B"]]
    for isDryRun in [true, false] {
      let report = try graph(store).sync(
        SyncRequest(entity: "Shelf"), from: rows, options: TransferOptions(isDryRun: isDryRun))
      #expect(report.deleted == ["Shelf": 1])
      #expect(report.cascaded == ["book": 2, "page": 3])
      #expect(report.nullified == nil)
    }
    #expect(try store.rows("SELECT count(*) FROM page") == ["1"])
    try store.writer.write {
      try $0.execute(
        sql: """
          CREATE TABLE b(id INTEGER PRIMARY KEY, title TEXT NOT NULL, shelf_id INTEGER REFERENCES shelf ON DELETE SET NULL);
          INSERT INTO b SELECT * FROM book; DROP TABLE book; ALTER TABLE b RENAME TO book;
          """)
    }
    let report = try graph(store).sync(
      SyncRequest(entity: "Shelf", isConfirmed: true), from: [["name": "B"]])
    #expect(report.nullified == ["Book.shelf": 1] && report.cascaded == nil)
  }

  @Test(
    "New objects that a trigger deletes again or stores under another key are no made ones: the run is refused",
    arguments: ["DELETE FROM code WHERE id = new.id", "UPDATE code SET id = 5000 WHERE id = new.id"])
  func goneAgain(body: String) throws {
    let table = "CREATE TABLE code(id INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE, mark TEXT);"
    let store = try StoreFixture(
      Self.codes, table + "CREATE TRIGGER t AFTER INSERT ON code WHEN new.code <> 'kept' BEGIN \(body); END;")
    let source = try StoreFixture(
      Self.codes, table + "INSERT INTO code VALUES (1, 'kept', NULL), (2, 'lost', NULL);")
    let graph = graph(store)
    let mapping = try ImportMapping(yaml: "{entity: Code, attributes: {code: '@code'}}")
    let runs: [() throws -> Void] = [
      { try graph.copy(from: SQLiteGraph(source.writer, model: source.model)) },
      { _ = try graph.importData(Data("code\nkept\nlost\n".utf8), format: .csv, mapping: mapping) },
      { try graph.sync(SyncRequest(entity: "Code"), from: [["code": "kept"], ["code": "lost"]]) },
    ]
    for run in runs {
      let error = #expect(throws: CloneError.self) { try run() }
      #expect(error?.code == .rowCount, "\(String(describing: error))")
      #expect(try store.rows("SELECT count(*) FROM code") == ["0"])
    }
    try graph.sync(SyncRequest(entity: "Code"), from: [["code": "kept"]])
    #expect(try store.rows("SELECT code FROM code") == ["kept"])
  }

  @Test("A text with the character U+0000 is written, found and copied whole")
  func zeros() throws {
    let (yaml, table) = (
      Self.codes, "CREATE TABLE code(id INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE, mark TEXT)"
    )
    let store = try StoreFixture(yaml, table)
    let text = AttributeValue.string("a\u{0}b")
    try graph(store).insert("Code", ["code": text])
    #expect(try !graph(store).findOrCreate("Code", ["code": text]).1)
    try store.clone("Code", 1, CloneRequest(set: ["code": "second", "mark": text]))
    let memory = MemoryGraph(model: store.model)
    try memory.copy(from: graph(store))
    #expect(try memory.objects("Code").map { try $0.value("code") } == [text, "second"])
    let other = try StoreFixture(yaml, table)
    try graph(other).copy(from: memory)
    for store in [store, other] {
      #expect(
        try store.rows("SELECT hex(code), hex(mark) FROM code ORDER BY id") == [
          "610062|", "7365636F6E64|610062",
        ])
    }
  }
}
