import Foundation
import GRDB
import MOCloneKit
import Testing

/// Columns in which other programs write days without a time.
@Suite("Dates stored as days")
struct DayTests {
  private func store() throws -> StoreFixture {
    try StoreFixture(
      """
      store: {dates: iso8601}
      entities:
        Visit:
          attributes:
            name: String
            day: {type: Date, storage: day, userInfo: {rebuild: now}}
            paid: {type: Date?, storage: day}
            at: {type: Date?, userInfo: {rebuild: now}}
          uniquenessConstraints: [[name, day]]
      """,
      """
      CREATE TABLE visit(id INTEGER PRIMARY KEY, name TEXT, day DATE, paid DATE, at DATETIME);
      INSERT INTO visit VALUES (1, 'a', '2024-01-31', '2024-02-29', NULL);
      """)
  }

  private func graph(_ store: StoreFixture) -> SQLiteGraph { SQLiteGraph(store.writer, model: store.model) }

  private var instant: Date { Date(timeIntervalSince1970: 1_767_225_599) }

  @Test("A clone made now has the day of it, in UTC")
  func rebuilt() throws {
    let store = try store()
    try Cloner(generator: .fixed(now: instant)).clone("Visit", keys: [1], in: graph(store))
    #expect(
      try store.rows("SELECT day, paid, at FROM visit WHERE id = 2")
        == ["2025-12-31|2024-02-29|2025-12-31T23:59:59.000Z"])
  }

  @Test("Imported and synced values lose their time, and are found again")
  func moved() throws {
    let store = try store()
    let rows: [[String: AttributeValue]] = [
      ["name": "a", "day": "2024-01-31T10:00:00Z", "paid": "2024-03-01T00:30:00+01:00"],
      ["name": "b", "day": "2025-12-31 23:30:00-02", "paid": "2020-01-01T12:00:00Z"],
    ]
    for isFirst in [true, false] {
      let report = try graph(store).sync(SyncRequest(entity: "Visit"), from: rows)
      #expect(report.unchanged == (isFirst ? ["Visit": 1] : ["Visit": 2]))
      #expect(
        try store.rows("SELECT name, day, paid FROM visit ORDER BY id")
          == ["a|2024-01-31|2024-02-29", "b|2026-01-01|2020-01-01"])
    }
  }

  @Test("An object is found by its day, and a time that another program wrote is read")
  func read() throws {
    let store = try store()
    try store.execute("UPDATE visit SET paid = '2024-02-29T12:00:00Z'")
    let found = try graph(store).object("Visit", attribute: "day", equals: "2024-01-31")
    #expect(try found.value("paid") == AttributeType.date.value(from: "2024-02-29T12:00:00Z"))
  }

  @Test("Messages and reports tell a day without a time")
  func told() throws {
    let store = try store()
    try store.execute("INSERT INTO visit(id, name, day) VALUES (2, 'b', '2024-01-31')")
    let memory = MemoryGraph(model: store.model)
    let day = AttributeValue.date(Date(timeIntervalSince1970: 1_706_659_200))
    for name in ["a", "b"] { try memory.insert("Visit", ["name": .string(name), "day": day]) }
    let identity: IdentityRequest = ["Visit": ["day"]]
    let rows: [[String: AttributeValue]] = [["name": "a", "day": "2024-01-31"]]
    let sync = SyncRequest(entity: "Visit", identifiedBy: identity)
    let mapping = try ImportMapping(yaml: "{entity: Visit, attributes: {name: '@name', day: '@day'}}")
    let refusals = [
      #expect(throws: CloneError.self) { try graph(store).sync(sync, from: rows) },
      #expect(throws: CloneError.self) { try memory.sync(sync, from: rows) },
      #expect(throws: CloneError.self) {
        try graph(store).importData(
          Data("name,day\na,2024-01-31\n".utf8), format: .csv, mapping: mapping,
          options: ImportOptions(identifiedBy: identity))
      },
    ]
    for error in refusals { #expect("\(error!)".contains("2 objects have day '2024-01-31':"), "\(error!)") }
    let dedupe = DedupeRequest(entities: ["Visit"], identifiedBy: identity)
    for report in [try graph(store).dedupe(dedupe), try memory.dedupe(dedupe)] {
      #expect(report.groups?.map(\.identity) == [["2024-01-31"]])
    }
  }

  @Test("A store made from the model has texts in SQLite and days in PostgreSQL")
  func declared() throws {
    let model = try store().model
    let statements = { try SchemaWriter(model, dialect: $0).statements().joined() }
    #expect(try statements(.sqlite).contains("\"day\" TEXT NOT NULL"))
    #expect(try statements(.postgres).contains("\"day\" date NOT NULL"))
  }
}
