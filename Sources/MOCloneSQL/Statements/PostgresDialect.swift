import Foundation
import MOCloneModel

extension Dialect {
  /// PostgreSQL's: typed columns, keys from sequences, temporary tables that end with their transaction.
  package static let postgres: Dialect = {
    var dialect = Dialect(
      id: "postgresql",
      // A number that is too great is an error there.
      isNoInteger: { _ in "FALSE" },
      literal: { literal($0) },
      newUUID: { _ in "gen_random_uuid()" },
      convert: { value, _, _ in value },
      collate: { sql, collation in
        ["BINARY", "citext"].contains(collation)
          ? sql : "\(sql) COLLATE \"\(collation.replacing("\"", with: "\"\""))\""
      },
      rowNumber: "row_number() OVER ()")
    dialect.schemas = ("", "pg_temp.", "")
    dialect.parameterSign = "$"
    dialect.insertsTogether = true
    dialect.endOfTemporaryTable = " ON COMMIT DROP"
    dialect.overriding = "OVERRIDING SYSTEM VALUE "
    return dialect
  }()

  /// The same with UUIDs that the client makes: `$uuids` is an array of them, and a sequence of the session counts those
  /// that were taken.
  package static let postgresWithGivenUUIDs: Dialect = {
    var dialect = postgres
    dialect.id += " with given UUIDs"
    dialect.newUUID = { _ in "(CAST($uuids AS uuid[]))[nextval('\(uuidSequence)')]" }
    return dialect
  }()

  /// The same for what only looks: no sequence is moved on, as a read-only server could not.
  package static let postgresForLooking: Dialect = {
    var dialect = postgres
    dialect.id += " for looking"
    dialect.nextValue = { _ in "0" }
    return dialect
  }()

  /// What counts the given UUIDs that were taken.
  package static let uuidSequence = "pg_temp.moclone_uuids"

  private static func literal(_ value: StoredValue) -> String {
    switch value {
    case .null: "NULL"
    case .integer(let number): String(number)
    case .real(let number): "CAST('\(number)' AS double precision)"
    case .text(let text): postgres.text(text)
    case .blob(let bytes): "CAST('\\x" + bytes.map { String(format: "%02x", $0) }.joined() + "' AS bytea)"
    }
  }
}
