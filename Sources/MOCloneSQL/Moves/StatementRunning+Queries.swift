import MOCloneEngine
import MOCloneModel

extension StatementRunning {
  func rows(_ query: Select) throws -> [[StoredValue]] { try answers(query.text(dialect)) }

  func row(_ query: Select) throws -> [StoredValue]? { try answer(query.text(dialect)) }

  /// The number that a query selects; 0 where it selects nothing.
  func number(_ query: Select) throws -> Int { try count(query.text(dialect)) }

  /// - Returns: how many rows the last one changed.
  @discardableResult
  func execute(_ statements: [String], scanning entity: String? = nil) throws -> Int {
    try statements.reduce(0) { try execute($1, scanning: entity) }
  }

  /// How many objects of each entity a query counts: marks, and numbers beside them.
  func counts(_ query: Select, of table: TablePlan) throws -> [String: Int] {
    let counted = try rows(query).filter { $0[1].number > 0 }
    return Dictionary(
      counted.map { (table.entity($0), $0[1].number) }, uniquingKeysWith: +)
  }
}
