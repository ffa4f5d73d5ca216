import Foundation
import MOCloneSQL

/// Says whether clones stay on one machine, and what keeps them from it.
struct DistributionText {
  let check: DistributionCheck
  private var column: String { "'\(check.column)'" }

  var text: String {
    let tables = check.tables.map { ["table \($0.name)", $0.role.words, words(for: $0)] }
    let joins = check.joins.map {
      [
        "join \($0.from) - \($0.to)", $0.relationship,
        $0.namesColumn ? "names \(column)" : "does not name \(column): \($0.columns.joined(separator: ", "))",
      ]
    }
    let lines = TextTable(indent: 0, width: .max, rows: tables + joins).lines { $1 }
    return (lines + [verdict]).joined(separator: "\n").printableLines + "\n"
  }

  private var verdict: String {
    check.staysTogether
      ? "A clone by this plan stays within the rows of one \(column)."
      : "A clone by this plan does not stay within the rows of one \(column)."
  }

  private func words(for table: DistributionCheck.Table) -> String {
    switch (table.role, table.hasColumn, table.hasKey) {
    case (.linked, false, _): "lacks \(column), so it must be a reference table"
    case (_, false, _): "lacks \(column)"
    case (.cloned, true, false): "has \(column), but not in its key"
    case (.joinRows, _, _), (.linked, _, _): "has \(column)"
    case (.cloned, true, true):
      table.change.map { "has \(column), but a clone gets another value: \($0)" }
        ?? "has \(column) in its key"
    }
  }

  func json() throws -> String {
    let tables = check.tables.map { table in
      [
        "table": table.name, "role": table.role.rawValue, "hasColumn": table.hasColumn,
        "keyNamesColumn": table.hasKey, "isKept": table.change == nil, "breaks": table.isBreaking,
      ] as [String: Any]
    }
    let joins = check.joins.map { join in
      [
        "relationship": join.relationship, "from": join.from, "to": join.to, "columns": join.columns,
        "namesColumn": join.namesColumn,
      ] as [String: Any]
    }
    let object: [String: Any] = [
      "version": 1, "column": check.column, "staysTogether": check.staysTogether, "tables": tables,
      "joins": joins,
    ]
    let data = try JSONSerialization.data(withJSONObject: object, options: [.sortedKeys, .prettyPrinted])
    return String(decoding: data, as: UTF8.self) + "\n"
  }
}
