import MOCloneSQL

/// The rows that a statement reads: tables with what ties them, and conditions, as values that can be added to.
struct SourceRows {
  private var from: String
  private var conditions: [String]

  init(_ from: String, where conditions: [String] = []) {
    self.from = from
    self.conditions = conditions
  }

  /// The same with another table.
  func joined(_ table: String, on tie: String) -> SourceRows {
    SourceRows("\(from) CROSS JOIN \(table) ON \(tie)", where: conditions)
  }

  /// Those of them that meet more conditions.
  func and(_ more: String?...) -> SourceRows { and(more.compactMap { $0 }) }
  func and(_ more: [String]) -> SourceRows { SourceRows(from, where: conditions + more) }

  /// `FROM ... WHERE ...`
  var sql: String {
    "FROM \(from)" + (conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND "))
  }
}
