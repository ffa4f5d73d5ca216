import Foundation
import MOCloneModel

extension Dialect {
  /// SQLite's, with the functions that each connection registers.
  package static let sqlite = Dialect(.sqlite)
}

extension SQLSpelling {
  fileprivate static let sqlite: SQLSpelling = {
    var spelling = SQLSpelling(
      id: "sqlite",
      isNoInteger: { "typeof(\($0)) = 'real'" },
      literal: { literal($0) },
      newUUID: { storage, _ in "moclone_uuid(:run, \(UUIDStorage.allCases.firstIndex(of: storage)!))" },
      convert: { "moclone_convert(\($0), '\($1.name)', '\($2.name)')" },
      collate: { "\($0) COLLATE \"\($1.replacing("\"", with: "\"\""))\"" },
      rowNumber: "moclone_number()")
    spelling.schemas = ("main.", "temp.", "moclone_source.")
    spelling.comparisons = ("IS", "IS NOT")
    spelling.orderedJoin = "CROSS JOIN"
    spelling.insertOrFail = "INSERT OR ABORT INTO"
    spelling.insertOrSkip = ("INSERT OR IGNORE INTO", "")
    spelling.updateOrFail = "UPDATE OR ABORT"
    spelling.updateOrSkip = "UPDATE OR IGNORE"
    spelling.joinsLaterally = false
    spelling.hasTypes = false
    spelling.qualifiesIndexes = true
    spelling.countRows = { "SELECT moclone_count_from(\($0))" }
    spelling.null = { _ in "NULL" }
    spelling.createTemporaryTable = "CREATE TEMP TABLE IF NOT EXISTS"
    spelling.countingKey = "INTEGER PRIMARY KEY"
    spelling.greatest = "max"
    spelling.byBytes = " COLLATE BINARY"
    spelling.unlimited = "LIMIT -1 "
    spelling.cascades = { _ in
      "SELECT f.\"table\", m.name, 'main.\"' || replace(m.name, '\"', '\"\"') || '\"', 1 "
        + "FROM main.sqlite_schema m, pragma_foreign_key_list(m.name, 'main') f "
        + "WHERE m.type = 'table' AND f.on_delete = 'CASCADE' AND (SELECT foreign_keys FROM pragma_foreign_keys)"
    }
    spelling.numberKey = "INTEGER PRIMARY KEY"
    spelling.orderedTable = " WITHOUT ROWID"
    spelling.columnType = { $0.affinity }
    spelling.notations = .sqlite
    spelling.types = .sqlite
    spelling.unusedValue = { unused($0) }
    spelling.columnTransfer = { columnTransfer($0, columnTransfer: $1) }
    return spelling
  }()

  private static func literal(_ value: StoredValue) -> String {
    switch value {
    case .null: "NULL"
    case .integer(let number): String(number)
    case .real(let number): number.isFinite ? String(number) : number > 0 ? "9e999" : "-9e999"
    case .text(let text): Dialect.sqlite.text(text)
    case .blob(let bytes): "x'" + bytes.map { String(format: "%02X", $0) }.joined() + "'"
    }
  }

  private static func unused(_ column: ColumnSchema) -> String {
    switch column.affinity {
    case "TEXT": "'moclone ' || hex(randomblob(16))"
    case "BLOB": "randomblob(16)"
    default: "random()"
    }
  }

  /// Text has room for all digits of a number; a column of numbers makes a number of every text that looks like one, and a
  /// column of real numbers has room for fifteen digits of an integer.
  private static func columnTransfer(_ value: String, columnTransfer: ColumnTransfer) -> (
    value: String, isLost: Condition
  )? {
    let isDecimal = columnTransfer.attribute?.type == .decimal
    switch columnTransfer.target.affinity {
    case "BLOB": return nil
    case "TEXT":
      let text = isDecimal ? "moclone_decimal(\(value))" : "printf('%!.17g', \(value))"
      return ("CASE typeof(\(value)) WHEN 'real' THEN \(text) ELSE \(value) END", .never)
    default:
      let isReal = columnTransfer.target.affinity == "REAL"
      let number = "CAST(\(value) AS \(isReal ? "REAL" : "NUMERIC"))"
      func changes(_ type: String, where differs: String) -> Condition {
        let isChanged =
          isDecimal
          ? "(length(\(value)) > 15 OR \(value) GLOB '*[eE]*') AND moclone_decimal(\(number)) IS NOT moclone_decimal(\(value))"
          : differs
        return .sql("typeof(\(value)) = '\(type)'") && .sql(isChanged)
      }
      // A text that is no number stays one, and then differs from every number.
      let text = changes("text", where: "\(number) = \(value)")
      return (value, isReal ? text || changes("integer", where: "\(number) <> \(value)") : text)
    }
  }
}
