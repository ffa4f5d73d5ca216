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

  // MARK: Counting

  // Only a trigger can ignore a row without an error, so only then rows are counted.

  /// Counts what a statement writes into a table.
  ///
  /// - Parameters:
  ///   - expected: counts the rows that it is to write, before it does; nil where nobody knows.
  ///   - what: the rows in a message, as in `new rows`.
  /// - Returns: how many rows it wrote.
  /// - Throws: `CloneError` (`row-count`) where a trigger of the store has ignored some.
  @discardableResult
  func counting(
    _ expected: Select?, writing table: TableSchema, what: String, write: () throws -> Int
  ) throws -> Int {
    guard let expected, !table.triggers.isEmpty else { return try write() }
    let total = try number(expected)
    let count = try write()
    if count != total { throw CloneError.ignored(count, of: total, what: what, by: table.name) }
    return count
  }

  /// The same of rows of which none is to be left, whoever has written them.
  func expectNone(_ left: Select, of all: Select, writing table: TableSchema, what: String) throws {
    guard !table.triggers.isEmpty else { return }
    let count = try number(left)
    guard count > 0 else { return }
    let total = try number(all)
    throw CloneError.ignored(total - count, of: total, what: what, by: table.name)
  }
}
