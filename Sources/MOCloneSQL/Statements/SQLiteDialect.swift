import Foundation
import MOCloneModel

extension Dialect {
  /// SQLite's, with the functions that each connection registers.
  package static let sqlite: Dialect = {
    var dialect = Dialect(
      id: "sqlite",
      isNoInteger: { "typeof(\($0)) = 'real'" },
      literal: { literal($0) },
      newUUID: { "moclone_uuid(:run, \(UUIDStorage.allCases.firstIndex(of: $0)!))" },
      convert: { "moclone_convert(\($0), '\($1.name)', '\($2.name)')" },
      collate: { "\($0) COLLATE \"\($1.replacing("\"", with: "\"\""))\"" },
      rowNumber: "moclone_number()")
    dialect.schemas = ("main.", "temp.")
    dialect.comparisons = ("IS", "IS NOT")
    dialect.orderedJoin = "CROSS JOIN"
    dialect.insertOrFail = "INSERT OR ABORT INTO"
    dialect.insertOrSkip = ("INSERT OR IGNORE INTO", "")
    dialect.createTemporaryTable = "CREATE TEMP TABLE IF NOT EXISTS"
    dialect.countingKey = "INTEGER PRIMARY KEY"
    dialect.greatest = "max"
    dialect.byBytes = " COLLATE BINARY"
    dialect.unlimited = "LIMIT -1 "
    return dialect
  }()

  private static func literal(_ value: StoredValue) -> String {
    switch value {
    case .null: "NULL"
    case .integer(let number): String(number)
    case .real(let number): number.isFinite ? String(number) : number > 0 ? "9e999" : "-9e999"
    case .text(let text): sqlite.text(text)
    case .blob(let bytes): "x'" + bytes.map { String(format: "%02X", $0) }.joined() + "'"
    }
  }
}
