import Foundation
import MOCloneSQL
import TestSupport
import Testing

@testable import MOClonePostgres

@Suite(.enabled(if: TestDatabase.isAvailable, "\(TestDatabase.comment)"))
struct ConnectionTests {
  private let database: TestDatabase
  private let connection: PostgresConnection

  init() throws {
    database = try TestDatabase()
    connection = try database.connect()
  }

  // MARK: Values

  @Test func valuesOfEachTypeComeBackAsTheyWere() throws {
    try connection.run("CREATE TABLE value(i bigint, r double precision, t text, b bytea, n int)")
    let row: [String: StoredValue] = [
      "i": .integer(.min), "r": .real(0.1 + 0.2), "t": .text("ä 'q' \\ \"d\"\n\t$x ☃"),
      "b": .blob(Data([0, 1, 92, 120, 255])), "n": .null,
    ]
    #expect(try connection.execute("INSERT INTO value VALUES ($i, $r, $t, $b, $n)", row) == 1)
    let names = ["i", "r", "t", "b", "n"]
    #expect(try connection.rows("SELECT * FROM value") == [names.map { row[$0]! }])
  }

  @Test func typesOfResultsDecideWhatTheyAreReadAs() throws {
    let values = try connection.rows(
      """
      SELECT true, false, 1::smallint, 2::int, 3::bigint, 4::oid, 0.1::real, 1.50::numeric, '\\x00ff'::bytea, NULL,
        '00000000-0000-0000-0000-00000000ABCD'::uuid, '2025-01-31 12:00+02'::timestamptz, '{1,2}'::int[],
        '{"a": 1}'::jsonb, 'P1D'::interval, 'NaN'::float8, '-Infinity'::float8
      """)[0]
    #expect(
      values.prefix(15) == [
        .integer(1), .integer(0), .integer(1), .integer(2), .integer(3), .integer(4), .real(0.1),
        .text("1.50"),
        .blob(Data([0, 255])), .null, .text("00000000-0000-0000-0000-00000000abcd"),
        .text("2025-01-31 10:00:00+00"), .text("{1,2}"), .text("{\"a\": 1}"), .text("P1D"),
      ])
    guard case .real(let number) = values[15] else { return #expect(Bool(false)) }
    #expect(number.isNaN)
    #expect(values[16] == .real(-.infinity))
  }

  @Test func theSessionsOwnSettingsDoNotChangeHowValuesAreWritten() throws {
    try connection.run(
      """
      ALTER ROLE moclone IN DATABASE \(database.name) SET bytea_output = 'escape';
      ALTER ROLE moclone IN DATABASE \(database.name) SET DateStyle = 'German';
      ALTER ROLE moclone IN DATABASE \(database.name) SET TimeZone = 'Asia/Tokyo'
      """)
    let values = try database.connect().rows("SELECT '\\x41'::bytea, '2025-01-31 12:00Z'::timestamptz")
    #expect(values == [[.blob(Data([0x41])), .text("2025-01-31 12:00:00+00")]])
  }

  @Test func textTakesTheTypeThatItsPlaceHas() throws {
    try connection.run(
      "CREATE TYPE mood AS ENUM ('sad', 'glad'); CREATE TABLE t(u uuid, d date, m mood, j jsonb)")
    try connection.execute(
      "INSERT INTO t VALUES ($u, $d, $m, $j)",
      [
        "u": .text("00000000-0000-0000-0000-000000000001"), "d": .text("2025-01-31"), "m": .text("glad"),
        "j": .text("[1]"),
      ])
    #expect(
      try connection.execute("UPDATE t SET m = $m WHERE d > $d", ["m": .null, "d": .text("2024-01-01")]) == 1)
  }

  @Test func aZeroInATextIsRefusedInsteadOfCutOff() throws {
    #expect(throws: PostgresError.self) { try connection.rows("SELECT $t::text", ["t": .text("a\0b")]) }
    #expect(throws: PostgresError.self) { try connection.rows("SELECT 'a\0b'") }
  }

  @Test func aParameterWithoutAValueIsAnErrorThatNamesIt() throws {
    #expect { try connection.rows("SELECT $key0", ["key1": .null]) } throws: {
      "\($0)".contains("'$key0'")
    }
  }

  // MARK: Names of parameters

  @Test func parametersAreNumberedByName() {
    let parsed = NamedParameters("SELECT $b, $key0 + $set1_0, $b::text, a$b, $1")
    #expect(parsed.text == "SELECT $1, $2 + $3, $1::text, a$b, $1")
    #expect(parsed.names == ["b", "key0", "set1_0"])
  }

  @Test(arguments: [
    "'it''s $a'", "E'a\\'$a'", "e'\\\\'", "\"x\"\"$a\"", "$$ $a $$", "$tag$ $a $$ $tag$", "-- $a\n",
    "/* $a /* $b */ $c */", "$ä$ $a $ä$", "U&'$a'", "'open $a", "$t$ open $a", "/* open $a", "x'$a'",
  ])
  func whatLooksLikeAParameterInAStringNameOrCommentIsNone(_ sql: String) {
    let parsed = NamedParameters("SELECT \(sql)")
    #expect(parsed.text == "SELECT \(sql)")
    #expect(parsed.names.isEmpty)
  }

  @Test func aParameterBehindAStringIsFound() {
    #expect(NamedParameters("'a'||$x||E'\\''||$y||$q$'$q$||$z--$no").names == ["x", "y", "z"])
  }

  // MARK: Prepared statements

  @Test func aStatementIsPreparedWhenItIsSentForTheSecondTime() throws {
    let count = "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE 'SELECT $1 + 1%'"
    for (sent, prepared) in [(1, 0), (2, 1), (3, 1)] {
      #expect(
        try connection.rows("SELECT $a + 1", ["a": .integer(Int64(sent))]) == [[.integer(Int64(sent + 1))]])
      #expect(try PostgresConnection.prepared(connection, count) == prepared)
    }
    _ = try connection.rows("SELECT $a + 1", ["a": .real(1)])
    #expect(try connection.rows("SELECT $a + 1", ["a": .real(1)]) == [[.real(2)]])
    #expect(try PostgresConnection.prepared(connection, count) == 2)
  }

  @Test func onlySoManyStatementsStayPrepared() throws {
    for number in 0..<300 {
      for _ in 0..<2 { _ = try connection.rows("SELECT \(number) + $a", ["a": .integer(1)]) }
    }
    #expect(try PostgresConnection.prepared(connection, "SELECT count(*) FROM pg_prepared_statements") <= 257)
  }

  @Test func withoutPreparedStatementsNoneIsMade() throws {
    let connection = try PostgresConnection(database.location, ownsSession: false)
    for _ in 0..<3 { _ = try connection.rows("SELECT $a + 1", ["a": .integer(1)]) }
    try connection.pipeline(Array(repeating: ("SELECT $a + 1", ["a": .integer(1)]), count: 3))
    #expect(try PostgresConnection.prepared(connection, "SELECT count(*) FROM pg_prepared_statements") == 0)
  }

  @Test func aPreparedStatementSurvivesAChangeOfItsTable() throws {
    try connection.run("CREATE TABLE t(a int); INSERT INTO t VALUES (1)")
    for _ in 0..<3 { #expect(try connection.rows("SELECT * FROM t") == [[.integer(1)]]) }
    try connection.run("ALTER TABLE t ADD b int")
    #expect(try connection.rows("SELECT * FROM t") == [[.integer(1), .null]])
  }

  // MARK: Errors

  @Test func anErrorHasTheServersFields() throws {
    try connection.run(
      "CREATE TABLE t(a int CONSTRAINT positive CHECK (a > 0), \"ö\"\"\" int CONSTRAINT ü UNIQUE)")
    let check = #expect(throws: PostgresError.self) { try connection.execute("INSERT INTO t VALUES (0)") }
    #expect(check?.sqlState == "23514")
    #expect(check?.schema == "public")
    #expect(check?.table == "t")
    #expect(check?.constraint == "positive")
    try connection.execute("INSERT INTO t VALUES (1, 1)")
    let unique = #expect(throws: PostgresError.self) { try connection.execute("INSERT INTO t VALUES (1, 1)") }
    #expect(unique?.constraint == "ü")
    let syntax = #expect(throws: PostgresError.self) { try connection.rows("SELECT oops") }
    #expect(syntax?.sqlState == "42703")
    #expect(syntax?.position == 8)
    #expect(try connection.rows("SELECT 1") == [[.integer(1)]])
  }

  @Test func errorsAreTranslatedIntoCodesAndWhatToDo() throws {
    func code(_ sql: String) -> DiagnosticCode? {
      do {
        try connection.run(sql)
        return nil
      } catch {
        return (PostgresErrors.translated(error) as? CloneError)?.code
      }
    }
    try connection.run("CREATE TABLE t(a int PRIMARY KEY); INSERT INTO t VALUES (1)")
    #expect(code("INSERT INTO t VALUES (1)") == .constraintFailed)
    #expect(code("SELECT * FROM nothing") == .storeMismatch)
    #expect(code("SELECT nothing FROM t") == .storeMismatch)
    #expect(code("SELECT 1/0") == .storeFailed)
    let other = try database.connect()
    try other.run("BEGIN; LOCK TABLE t")
    #expect(code("BEGIN READ WRITE; LOCK TABLE t NOWAIT") == .storeBusy)
    try other.run("ROLLBACK")
    #expect(code("ROLLBACK; SET default_transaction_read_only = on") == nil)
    #expect(code("DELETE FROM t") == .storeReadOnly)
  }

  @Test func aStatementThatOnlyCopyInCanServeIsRefusedAndLeavesTheConnectionUsable() throws {
    try connection.run("CREATE TABLE t(a int)")
    #expect(throws: PostgresError.self) { try connection.execute("COPY t FROM STDIN") }
    #expect(throws: PostgresError.self) { try connection.execute("COPY t TO STDOUT") }
    #expect(try connection.rows("SELECT 1") == [[.integer(1)]])
  }

  // MARK: Opening

  @Test func openingTellsWhatIsWrongWithoutThePassword() throws {
    let bad = [
      "dbname=nothing", "host=/nowhere", "user=nobody password=secret",
      "host=localhost port=1 password=secret",
    ]
    for options in bad {
      let location = try database.location(options)
      #expect { try PostgresConnection(location) } throws: { error in
        guard let error = error as? PostgresError, error.kind == .connection else { return false }
        let text = "\(error) \(PostgresErrors.translated(error)) \(location)"
        return !text.contains("secret")
          && (PostgresErrors.translated(error) as? CloneError)?.code
            == (options == "dbname=nothing" ? .noSuchStore : .storeFailed)
      }
    }
  }

  @Test func theApplicationIsNamedUnlessTheLocationNamesIt() throws {
    let name = "SELECT current_setting('application_name')"
    #expect(try connection.rows(name) == [[.text("moclone")]])
    let other = try PostgresConnection(database.location("application_name=mine"))
    #expect(try other.rows(name) == [[.text("mine")]])
  }

  @Test func noticesAreNotPrinted() throws {
    try connection.run("DROP TABLE IF EXISTS nothing; DO $$ BEGIN RAISE WARNING 'seen'; END $$")
  }
}

extension PostgresConnection {
  /// The count that a statement asks for.
  static func prepared(_ connection: PostgresConnection, _ sql: String) throws -> Int {
    guard case .integer(let count)? = try connection.rows(sql).first?.first else { return -1 }
    return Int(count)
  }
}
