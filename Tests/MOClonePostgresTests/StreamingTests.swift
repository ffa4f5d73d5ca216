import Foundation
import MOCloneSQL
import TestSupport
import Testing

@testable import MOClonePostgres

@Suite(.enabled(if: TestDatabase.isAvailable, "\(TestDatabase.comment)"))
struct StreamingTests {
  private let database: TestDatabase
  private let connection: PostgresConnection

  init() throws {
    database = try TestDatabase()
    connection = try database.connect()
    try connection.run("CREATE TABLE value(id bigint PRIMARY KEY, t text, r double precision, b bytea)")
  }

  // MARK: Pipelines

  @Test func aPipelineTellsWhatEachStatementWrote() throws {
    let insert = "INSERT INTO value(id, t) SELECT n, $t FROM generate_series($a::bigint, $b::bigint) n"
    for _ in 0..<3 {
      let counts = try connection.pipeline([
        (insert, ["a": .integer(1), "b": .integer(3), "t": .text("x")]),
        (insert, ["a": .integer(4), "b": .integer(5), "t": .null]),
        ("UPDATE value SET t = $t WHERE id > $id", ["t": .text("y"), "id": .integer(1)]),
        ("DELETE FROM value", [:]),
      ])
      #expect(counts == [3, 2, 4, 5])
    }
    #expect(try connection.pipeline([]) == [])
  }

  @Test func aPipelineStopsAtItsFirstErrorAndChangesNothing() throws {
    let insert = "INSERT INTO value(id) VALUES ($id)"
    let statements: [(sql: String, arguments: [String: StoredValue])] =
      [1, 2, 2, 3].map { (insert, ["id": .integer($0)]) } + [("SELECT nonsense", [:])]
    for _ in 0..<3 {
      let error = #expect(throws: PostgresError.self) { try connection.pipeline(statements) }
      #expect(error?.sqlState == "23505")
      #expect(try connection.rows("SELECT * FROM value") == [])
    }
    for id in 1...3 { #expect(try connection.execute(insert, ["id": .integer(Int64(id))]) == 1) }
  }

  @Test func aLongPipelineDoesNotWaitForItself() throws {
    let text = String(repeating: "x", count: 10_000)
    let statements = (1...2000).map { id in
      (
        sql: "INSERT INTO value(id, t) VALUES ($id, $t) RETURNING t",
        arguments: ["id": .integer(Int64(id)), "t": .text(text)] as [String: StoredValue]
      )
    }
    #expect(try connection.pipeline(statements) == Array(repeating: 1, count: 2000))
  }

  // MARK: COPY

  private static let texts = [
    "a\tb", "a\nb", "a\r\nb", "\\", "\\N", "\\.", "", "\u{8}\u{b}\u{c}", "ä☃\u{1F600}", "a\\tb", " ",
    String(repeating: "x\t\\\n", count: 250_000),
  ]

  @Test func whatCopyWritesIsWhatStatementsAndCopyRead() throws {
    let blob = Data((0...255).map { UInt8($0) })
    let buffer = CopyBuffer(connection, into: "value", columns: ["id", "t", "r", "b"])
    for (id, text) in Self.texts.enumerated() {
      try buffer.write([.integer(Int64(id)), .text(text), .real(0.1), .blob(blob)])
    }
    try buffer.write([.integer(100), .null, .real(-.infinity), .null])
    try buffer.finish()
    let rows = try connection.rows("SELECT t, r, b FROM value ORDER BY id")
    #expect(rows.dropLast() == Self.texts.map { [.text($0), .real(0.1), .blob(blob)] }[...])
    #expect(rows.last == [.null, .real(-.infinity), .null])
    var read: [[StoredValue]] = []
    try connection.stream("SELECT t, r, b FROM value ORDER BY id") { read.append($0) }
    #expect(read == rows)
  }

  @Test func aRowThatTheServerRefusesEndsTheCopyWithItsError() throws {
    let rows = (0..<100_000).map { "\($0 % 50_000)\t\\N\t\\N\t\\N\n" }.joined()
    let error = #expect(throws: PostgresError.self) {
      try connection.copyIn("COPY value FROM STDIN", rows: Array(rows.utf8))
    }
    #expect(error?.sqlState == "23505")
    #expect(try connection.rows("SELECT count(*) FROM value") == [[.integer(0)]])
  }

  @Test func aTextThatNoServerStoresIsNotSent() throws {
    let buffer = CopyBuffer(connection, into: "value", columns: ["id", "t"])
    #expect(throws: PostgresError.self) { try buffer.write([.integer(1), .text("a\0b")]) }
    #expect(try connection.rows("SELECT count(*) FROM value") == [[.integer(0)]])
  }

  private static let series = "SELECT n, repeat('x', 1000) FROM generate_series(1, 1000000) n"

  @Test func anErrorOfTheReaderLeavesTheConnectionUsable() throws {
    struct Stop: Error {}
    #expect(throws: Stop.self) { try connection.stream(Self.series) { _ in throw Stop() } }
    #expect(try connection.rows("SELECT 1") == [[.integer(1)]])
  }

  @Test func anErrorOfACopyIsThrown() throws {
    for sql in ["COPY nothing FROM STDIN", "SELECT 1", "COPY value TO STDOUT"] {
      #expect(throws: PostgresError.self) { try connection.copyIn(sql, rows: []) }
    }
    #expect(throws: PostgresError.self) { try connection.stream("SELECT nonsense") { _ in } }
    #expect(try connection.rows("SELECT 1") == [[.integer(1)]])
  }

  // MARK: Rows one by one

  @Test func rowsComeOneByOneInOrder() throws {
    var next: Int64 = 1
    try connection.stream("SELECT n, 't' AS t FROM generate_series(1, 100000) n") { row in
      #expect(row == [.integer(next), .text("t")])
      next += 1
    }
    #expect(next == 100_001)
  }

  @Test func anErrorBetweenRowsIsThrown() throws {
    var count = 0
    let error = #expect(throws: PostgresError.self) {
      try connection.stream("SELECT 1/(1000 - n) FROM generate_series(1, 2000) n") { _ in count += 1 }
    }
    #expect(error?.sqlState == "22012")
    #expect(count == 999)
  }

  @Test func noStatementIsSentWhileRowsAreRead() throws {
    let error = #expect(throws: PostgresError.self) {
      try connection.stream(Self.series) { _ in _ = try connection.rows("SELECT 2") }
    }
    #expect(error?.sqlState == "55006")
    #expect(try connection.rows("SELECT 1") == [[.integer(1)]])
  }
}
