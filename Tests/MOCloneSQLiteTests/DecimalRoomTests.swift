import Foundation
import GRDB
import MOCloneKit
import Testing

/// SQLite makes numbers with room for fifteen digits of decimals in columns that are declared as numbers.
@Suite("Decimals with more digits than their column holds")
struct DecimalRoomTests {
  private func store(_ type: String) throws -> StoreFixture {
    try StoreFixture(
      """
      entities:
        Account:
          attributes: {name: String, amount: Decimal?}
          uniquenessConstraints: [[name]]
      """,
      """
      CREATE TABLE account(id INTEGER PRIMARY KEY, name TEXT UNIQUE, amount \(type));
      INSERT INTO account VALUES (1, 'a', 1.5);
      """)
  }

  @Test("They are refused, with their row", arguments: ["DECIMAL(30,10)", "REAL", "INTEGER"])
  func refused(type: String) throws {
    for name: AttributeValue in ["a", "b"] {
      let whole: [AttributeValue] = type == "REAL" ? ["9007199254740993"] : []
      for amount in ["9007199254740993.25", "12345678901234567890.12"] + whole {
        let store = try store(type)
        let error = #expect(throws: CloneError.self) {
          try SQLiteGraph(store.writer, model: store.model).sync(
            SyncRequest(entity: "Account", overwriting: ["amount"], deletes: false),
            from: [["name": name, "amount": amount]])
        }
        #expect(error?.failures.map(\.code) == [.invalidValue])
        #expect(error?.failures.first?.message.contains("row 1") == true)
        #expect(try store.rows("SELECT name, amount FROM account") == ["a|1.5"])
      }
    }
  }

  @Test("Others are stored, and found again", arguments: ["DECIMAL(30,10)", "REAL", "TEXT", ""])
  func stored(type: String) throws {
    let store = try store(type)
    let amounts = [
      "2", "2.50", "0.1", "123456789012345", "1e3", "-7.000000000000001", "0.00000000000000000001",
    ]
    let rows = amounts.enumerated().map { number, amount -> [String: AttributeValue] in
      ["name": .string("n\(number)"), "amount": .string(amount)]
    }
    let graph = SQLiteGraph(store.writer, model: store.model)
    try graph.sync(SyncRequest(entity: "Account", overwriting: ["amount"], isConfirmed: true), from: rows)
    let report = try graph.sync(SyncRequest(entity: "Account", overwriting: ["amount"]), from: rows)
    #expect(report.unchanged == ["Account": amounts.count])
  }

  @Test("A clone and an object refuse them, too")
  func objects() throws {
    let digits: AttributeValue = "0.12345678901234567891"
    let store = try store("DECIMAL(30,20)")
    #expect(
      try store.refusal("Account", 1, CloneRequest(set: ["name": "b", "amount": digits]))?.failures.map(
        \.code)
        == [.invalidValue])
    let graph = SQLiteGraph(store.writer, model: store.model)
    let account = try graph.object("Account", key: 1)
    for change in [
      { try account.setValue(digits, for: "amount") },
      { _ = try graph.insert("Account", ["name": "c", "amount": digits]) },
    ] { #expect(throws: CloneError.self) { try change() } }
    #expect(try store.rows("SELECT name, amount FROM account") == ["a|1.5"])
    let texts = try self.store("TEXT")
    try texts.clone("Account", 1, CloneRequest(set: ["name": "b", "amount": digits]))
    #expect(try texts.rows("SELECT amount FROM account WHERE id = 2") == ["0.12345678901234567891"])
  }

  private static let parts = """
    entities:
      Part:
        attributes: {name: String, code: String?}
        uniquenessConstraints: [[name]]
    """

  private func parts(_ type: String) throws -> StoreFixture {
    try StoreFixture(
      Self.parts,
      "CREATE TABLE part(id INTEGER PRIMARY KEY, name TEXT UNIQUE, code \(type)); INSERT INTO part VALUES (1, 'a', 'x');"
    )
  }

  @Test("Texts that would become numbers are refused", arguments: ["NUMERIC", "STRING", "INTEGER", "REAL"])
  func texts(type: String) throws {
    for code: AttributeValue in ["42", "007", "1.10", "1e3", " 7", "7\n", "\t007"] {
      let store = try parts(type)
      let graph = SQLiteGraph(store.writer, model: store.model)
      for name: AttributeValue in ["a", "b"] {
        #expect(throws: CloneError.self) {
          try graph.sync(
            SyncRequest(entity: "Part", overwriting: ["code"], deletes: false),
            from: [["name": name, "code": code]])
        }
      }
      #expect(throws: CloneError.self) {
        try store.clone("Part", 1, CloneRequest(set: ["name": "b", "code": code]))
      }
      #expect(throws: CloneError.self) { try graph.insert("Part", ["name": "b", "code": code]) }
      #expect(try store.rows("SELECT name, code FROM part") == ["a|x"])
    }
  }

  @Test(
    "Texts that stay what they are do not matter",
    arguments: [("NUMERIC", "4-2"), ("STRING", "1.2.3"), ("TEXT", "007"), ("", "1.10")])
  func plainTexts(type: String, code: String) throws {
    let store = try parts(type)
    try SQLiteGraph(store.writer, model: store.model).sync(
      SyncRequest(entity: "Part", overwriting: ["code"], deletes: false),
      from: [["name": "a", "code": .string(code)]])
    try store.clone("Part", 1, CloneRequest(set: ["name": "b", "code": .string(code)]))
    #expect(try store.rows("SELECT name, code FROM part ORDER BY 1") == ["a|\(code)", "b|\(code)"])
  }

  @Test(
    "A text in a column without a type that would become a number is refused, and the column is called so")
  func untypedColumns() throws {
    func store(_ column: String, _ rows: String = "") throws -> StoreFixture {
      try StoreFixture(
        "entities: {Part: {attributes: {name: String, quantity: Integer 64?}}}",
        "CREATE TABLE part(id INTEGER PRIMARY KEY, name TEXT, \(column)); \(rows)")
    }
    let source = try store("quantity", "INSERT INTO part VALUES (1, 'a', '5')")
    let target = try store("quantity INTEGER")
    let error = #expect(throws: CloneError.self) {
      try SQLiteGraph(target.writer, model: target.model)
        .copy(from: SQLiteGraph(source.writer, model: source.model))
    }
    #expect(
      error?.failures.first?.message.contains("is without a type in the source and INTEGER in the store")
        == true
    )
  }

  @Test(
    "A copy refuses a whole number that a column of real numbers would round",
    arguments: ["Decimal", "Integer 64"], ["INTEGER", "NUMERIC"])
  func roundedIntegers(type: String, declared: String) throws {
    func store(_ column: String, _ rows: String) throws -> StoreFixture {
      try StoreFixture(
        """
        entities:
          Sum:
            attributes: {name: String, value: \(type)?}
        """,
        "CREATE TABLE sum(id INTEGER PRIMARY KEY, name TEXT, value \(column)); \(rows)")
    }
    let target = try store("REAL", "")
    let graph = SQLiteGraph(target.writer, model: target.model)
    for (number, isKept) in [("9007199254740993", false), ("-9007199254740992", true)] {
      let source = try store(declared, "INSERT INTO sum VALUES (1, 'a', \(number)), (2, 'b', NULL)")
      let from = SQLiteGraph(source.writer, model: source.model)
      if isKept {
        try graph.copy(from: from)
      } else {
        let error = #expect(throws: CloneError.self) { try graph.copy(from: from) }
        #expect(error?.failures.map(\.code) == [.storeMismatch])
        #expect(error?.failures.first?.message.contains("'\(number)' of Sum 1 would lose digits") == true)
      }
      #expect(
        try target.rows("SELECT CAST(value AS INTEGER) FROM sum WHERE name = 'a'") == (isKept ? [number] : [])
      )
    }
  }

  @Test("Whole numbers that a column of real numbers would round are refused, wherever they come from")
  func givenIntegers() throws {
    let store = try StoreFixture(
      """
      entities:
        Sum:
          attributes: {name: String, value: Integer 64?, share: Double?}
          uniquenessConstraints: [[name]]
      """,
      """
      CREATE TABLE sum(id INTEGER PRIMARY KEY, name TEXT UNIQUE, value REAL, share REAL);
      INSERT INTO sum VALUES (1, 'a', 5, 0.5);
      """)
    let graph = SQLiteGraph(store.writer, model: store.model)
    let mapping = try ImportMapping(
      yaml: "{entity: Sum, attributes: {name: '@name', value: '@value', share: '@share'}}")
    func changes(_ number: Int64) -> [() throws -> Void] {
      let value = AttributeValue.integer(number)
      let load: (String) throws -> Void = { name in
        _ = try graph.importData(
          Data("name,value,share\n\(name),\(number),9007199254740993\n".utf8), format: .csv, mapping: mapping,
          options: ImportOptions(existing: .update))
      }
      let sync: (String) throws -> Void = { name in
        _ = try graph.sync(
          SyncRequest(entity: "Sum", overwriting: ["value"], deletes: false),
          from: [["name": .string(name), "value": value]])
      }
      return [
        { try load("a") }, { try load("b\(number)") }, { try sync("a") }, { try sync("c\(number)") },
        {
          _ = try store.clone("Sum", 1, CloneRequest(set: ["name": .string("d\(number)"), "value": value]))
        },
        { _ = try graph.insert("Sum", ["name": .string("e\(number)"), "value": value]) },
        { try graph.object("Sum", key: 1).setValue(value, for: "value") },
      ]
    }
    for change in changes(9_007_199_254_740_993) {
      let error = #expect(throws: CloneError.self) { try change() }
      #expect(error?.failures.map(\.code) == [.invalidValue])
      #expect(error?.failures.first?.message.contains("declare the column INTEGER") == true)
    }
    #expect(try store.rows("SELECT name, value, share FROM sum") == ["a|5.0|0.5"])
    for number: Int64 in [7, -9_007_199_254_740_994] {
      for change in changes(number) { try change() }
      #expect(
        try store.rows("SELECT count(*) FROM sum WHERE CAST(value AS INTEGER) = \(number)") == ["5"])
    }
  }

  @Test("What no store gives back is refused")
  func unreadable() throws {
    let store = try StoreFixture(
      """
      store: {naming: snakeCase, dates: sqlite}
      entities:
        Day: {attributes: {at: Date?, share: Double?, amount: Decimal?, number: {type: Date, optional: true, storage: unix}}}
      """,
      "CREATE TABLE day(id INTEGER PRIMARY KEY, at TEXT, share REAL, amount NUMERIC, number REAL); INSERT INTO day(id) VALUES (1);"
    )
    let graph = SQLiteGraph(store.writer, model: store.model)
    let far = Date(timeIntervalSince1970: 253_402_300_800)
    let values: [(String, AttributeValue)] = [
      ("at", .date(far)), ("at", .date(Date(timeIntervalSince1970: .nan))), ("share", .double(.nan)),
      ("at", .date(Date(timeIntervalSince1970: .infinity))), ("amount", .decimal(.nan)),
    ]
    for (name, value) in values {
      #expect(throws: CloneError.self) { try graph.insert("Day", [name: value]) }
      #expect(throws: CloneError.self) { try store.clone("Day", 1, CloneRequest(set: [name: value])) }
    }
    try graph.insert("Day", ["number": .date(far), "share": .double(.infinity)])
    #expect(try store.rows("SELECT number FROM day WHERE id = 2") == ["253402300800.0"])
  }
}
