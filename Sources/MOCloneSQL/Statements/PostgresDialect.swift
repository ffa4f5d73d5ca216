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
      newUUID: { $0 == .blob ? "uuid_send(gen_random_uuid())" : "gen_random_uuid()" },
      convert: { value, _, _ in value },
      collate: { sql, collation in
        collation == "BINARY" ? sql : "\(sql) COLLATE \"\(collation.replacing("\"", with: "\"\""))\""
      },
      rowNumber: "row_number() OVER ()")
    dialect.schemas = ("", "pg_temp.", "")
    dialect.parameterSign = "$"
    dialect.insertsTogether = true
    dialect.endOfTemporaryTable = " ON COMMIT DROP"
    dialect.overriding = "OVERRIDING SYSTEM VALUE "
    return dialect
  }()

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
