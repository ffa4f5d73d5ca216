import Foundation
import GRDB
import MOCloneKit
import Testing

/// SQLite counts milliseconds; other programs write more digits.
@Suite("Dates with more digits than milliseconds")
struct LongDateTests {
  private func store(_ rows: [(code: String, at: String)], index: String? = nil, identity: String = "at")
    throws
    -> StoreFixture
  {
    let values = rows.map { "('\($0.code)', '\($0.at)')" }.joined(separator: ", ")
    return try StoreFixture(
      """
      entities:
        Event:
          attributes: {code: String?, at: Date?, modified: Date?, note: String?}
          uniquenessConstraints: [[\(identity)]]
      """,
      "CREATE TABLE event(id INTEGER PRIMARY KEY, code TEXT, at TEXT, modified TEXT, note TEXT);"
        + (index.map { "CREATE INDEX event_i ON event(\($0));" } ?? "")
        + (rows.isEmpty ? "" : "INSERT INTO event(code, at) VALUES \(values);"))
  }

  private func graph(_ store: StoreFixture) -> SQLiteGraph { SQLiteGraph(store.writer, model: store.model) }

  @Test(
    "The newest of two objects stays, whichever of them has more digits",
    arguments: [
      ("2000-01-01T00:00:00.1234Z", "2025-01-01T00:00:00.000Z"),
      ("2025-01-01T00:00:00.123456Z", "2025-01-01T00:00:00.5Z"),
      ("2025-01-01T00:00:00.124Z", "2025-01-01T00:00:00.1241Z"),
      ("2025-01-01T00:00:00.1239Z", "2025-01-01T00:00:00.1241Z"),
      ("2025-01-01T00:00:00.9999999Z", "2025-01-01T00:00:01.000000001Z"),
      ("2025-01-01T00:00:01.999999Z", "2025-01-01T00:00:02.000499Z"),
      ("1899-12-31T12:00:00.000001-12:00", "2000-02-28T12:00:00-12:00"),
      ("2025-01-01T12:00:00.12345+01:00", "2025-01-01T11:00:00.123451Z"),
      ("2025-01-01", "2025-01-01T00:00:00.0000001Z"),
    ])
  func newest(_ dates: (older: String, newer: String)) throws {
    for (keep, left) in [(DedupeRequest.Keep.newest, dates.newer), (.oldest, dates.older)] {
      for rows in [[dates.older, dates.newer], [dates.newer, dates.older]] {
        let store = try store([])
        for date in rows { try store.execute("INSERT INTO event(code, modified) VALUES ('a', '\(date)')") }
        var request = DedupeRequest(entities: ["Event"], identifiedBy: ["Event": ["code"]])
        request.keep = keep
        try graph(store).dedupe(request)
        #expect(try store.rows("SELECT modified FROM event") == [left])
      }
    }
  }

  @Test("Values decide a tie in the order of the instants")
  func ties() throws {
    for rows in [[".1239Z", ".1241Z", ".124Z"], [".124Z", ".1241Z", ".1239Z"]] {
      let store = try store(rows.map { ("a", "2025-01-01T00:00:00" + $0) })
      try graph(store).dedupe(DedupeRequest(entities: ["Event"], identifiedBy: ["Event": ["code"]]))
      #expect(try store.rows("SELECT at FROM event") == ["2025-01-01T00:00:00.1239Z"])
    }
  }

  @Test("Instants that differ behind the milliseconds are identities of their own, to the tenth of one")
  func everyInstant() throws {
    let dates = (0..<20_000).map { String(format: "2025-01-01T00:00:%02d.%04dZ", $0 / 10_000, $0 % 10_000) }
    let store = try store(dates.map { ("a", $0) })
    try graph(store).dedupe()
    #expect(try store.rows("SELECT count(*) FROM event") == ["20000"])
    let again = try graph(store).copy(from: graph(try self.store(dates.map { ("b", $0 + "") })))
    #expect(again.found == ["Event": 20_000] && again.created ?? [:] == [:])
  }

  @Test("Equal instants are one identity in any notation, at the end of the last year, too")
  func equal() throws {
    let store = try store([
      ("a", "9999-12-31T23:59:59.9996Z"), ("b", "9999-12-31 23:59:59.99960"),
      ("c", "2025-01-01T00:00:00.4995Z"), ("d", "2025-01-01T01:00:00.499500+01:00"),
      ("e", "2025-01-01T00:00:00.5005Z"), ("f", "2025-01-01T00:00:00.500Z"), ("g", "2025-01-01T00:00:00.5Z"),
    ])
    try graph(store).dedupe()
    #expect(try store.rows("SELECT count(DISTINCT id), count(*) FROM event") == ["4|4"])
  }

  @Test(
    "An import, a sync and a copy find an object again, whatever index serves",
    arguments: [nil, "at", "code", "code, at", "at, code"])
  func found(index: String?) throws {
    let date = "2025-01-01T00:00:00.123456Z"
    let mapping = try ImportMapping(
      yaml: "{entity: Event, attributes: {code: '@code', at: '@at', note: '@note'}}")
    for existing in ExistingPolicy.allCases {
      let store = try store([], index: index, identity: "code, at")
      let file = Data("code,at,note\na,\(date),x\nb,\(date),y\n".utf8)
      for _ in 0..<3 {
        _ = try graph(store).importData(
          file, format: .csv, mapping: mapping, options: ImportOptions(existing: existing))
      }
      #expect(try store.rows("SELECT count(*) FROM event") == ["2"])
      let other = try self.store(
        [("a", date), ("b", "2025-01-01 01:00:00.1234560+01:00")], identity: "code, at")
      #expect(try graph(store).copy(from: graph(other)).found == ["Event": 2])
    }
  }

  @Test("A sync writes the digit that differs, and deletes what has another one")
  func synced() throws {
    let (before, after) = ("2025-01-01T00:00:00.4995Z", "2025-01-01T00:00:00.5005Z")
    let store = try store([("a", before)], identity: "code")
    let value = try #require(AttributeType.date.value(from: after))
    let changed = try graph(store).sync(
      SyncRequest(entity: "Event", overwriting: ["at"]), from: [["code": "a", "at": value]])
    #expect(changed.updated == ["Event": 1])
    let other = try self.store([("a", before)])
    let report = try graph(other).sync(
      SyncRequest(entity: "Event", isConfirmed: true), from: [["code": "b", "at": value]])
    #expect(report.created == ["Event": 1] && report.deleted == ["Event": 1])
  }

  @Test("Digits that a Date does not hold come in with a file, and a sync finds them again")
  func inFiles() throws {
    let store = try store([], identity: "code")
    let mapping = try ImportMapping(yaml: "{entity: Event, attributes: {code: '@code', at: '@at'}}")
    let rows = Data(
      "code,at\na,9999-12-31 23:59:59.999999+00\nb,1700-01-31 13:34:56.7891235+01:00\n".utf8)
    _ = try graph(store).importData(rows, format: .csv, mapping: mapping)
    #expect(
      try store.rows("SELECT at FROM event ORDER BY code") == [
        "9999-12-31T23:59:59.999999Z", "1700-01-31T12:34:56.7891235Z",
      ])
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).csv")
    defer { try? FileManager.default.removeItem(at: file) }
    try rows.write(to: file)
    let report = try graph(store).sync(
      SyncRequest(entity: "Event", overwriting: ["at"]), fromFile: file.path)
    #expect(report.unchanged == ["Event": 2])
  }

  @Test("A column of milliseconds holds the one at such a date or before, never that of the next year")
  func inMilliseconds() throws {
    let model = "entities: {Event: {attributes: {at: {type: Date, storage: unixMilliseconds}}}}"
    let store = try StoreFixture(model, "CREATE TABLE event(id INTEGER PRIMARY KEY, at INTEGER NOT NULL)")
    let mapping = try ImportMapping(yaml: "{entity: Event, attributes: {at: '@at'}}")
    let rows = Data("at\n9999-12-31T23:59:59.999999Z\n2300-12-31T23:59:59.9999Z\n".utf8)
    _ = try graph(store).importData(rows, format: .csv, mapping: mapping)
    #expect(try store.rows("SELECT at FROM event ORDER BY id") == ["253402300799999", "10445327999999"])
  }

  @Test("Where a Date has to hold them, the message says which digits are too many")
  func tooManyDigits() throws {
    let store = try store([("a", "2025-01-01T00:00:00Z")])
    let request = CloneRequest(set: ["at": "2300-01-31T12:34:56.789123Z"])
    let error = #expect(throws: CloneError.self) {
      try Cloner().clone("Event", keys: [1], in: graph(store), request: request)
    }
    #expect(error?.failures.first?.help?.contains("leave out the digits after the third") == true)
  }

  @Test("Where objects are looked up by them, the message says what to look for instead")
  func lookedUp() throws {
    let date = "2300-01-31T12:34:56.789123Z"
    let store = try store([("a", date)])
    let graph = graph(store)
    let named = #expect(throws: CloneError.self) { try graph.object("Event", attribute: "at", equals: date) }
    #expect(named?.failures.first?.code == .invalidKey)
    #expect(named?.failures.first?.help?.hasSuffix("so name the object by its key") == true)
    let request = CopyRequest(filters: [CopyFilter("Event", "at", .string(date))])
    let target = try self.store([])
    let chosen = #expect(throws: CloneError.self) { try self.graph(target).copy(from: graph, request) }
    #expect(chosen?.failures.first?.code == .invalidValue)
    #expect(chosen?.failures.first?.help?.hasSuffix("so choose by another attribute") == true)
  }

  @Test("What is merged is shown by its date")
  func shown() throws {
    let store = try store([("a", "2025-01-01T00:00:00.1234Z"), ("a", "2025-01-01 00:00:00.1234")])
    let report = try graph(store).dedupe()
    #expect(report.groups?.map(\.identity) == [["2025-01-01T00:00:00.1234Z"]])
    let plain = try self.store([("a", "2025-01-01T00:00:00Z"), ("a", "2025-01-01 00:00:00")])
    #expect(try graph(plain).dedupe().groups?.map(\.identity) == [["2025-01-01T00:00:00.000Z"]])
  }
}
