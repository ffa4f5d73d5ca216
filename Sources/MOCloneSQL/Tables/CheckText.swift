import MOCloneModel

/// What no PRAGMA tells of a table: the conditions of its CHECK constraints.
package struct CheckText {
  private let conditions: [(text: String, names: Set<String>)]

  /// - Parameter sql: the table's CREATE TABLE.
  package init(_ sql: String) {
    let tokens = SQLToken.all(in: sql)
    conditions = tokens.indices.dropLast().compactMap { place in
      let (word, start) = (tokens[place], tokens[place + 1])
      guard word.isWord("CHECK"), word.depth > 0, start.text == "(",
        let end = tokens[(place + 1)...].firstIndex(where: { $0.text == ")" && $0.depth == start.depth })
      else { return nil }
      let inner = tokens[(place + 2)..<end]
      guard let first = inner.first, let last = inner.last else { return nil }
      return (String(sql[first.text.startIndex..<last.text.endIndex]), Set(inner.map(\.name)))
    }
  }

  /// The columns that a condition keeps from being null, and does nothing else, as SQL compares names.
  package var filledColumns: Set<String> {
    conditions.reduce(into: []) { $0.formUnion(SQLToken.filledColumns(in: $1.text) ?? []) }
  }

  /// The other columns that conditions read beside one.
  package func columns(beside column: String, among columns: [String]) -> [String] {
    let names = conditions.map(\.names).filter { $0.contains(column.sqlName) }
    guard !names.isEmpty else { return [] }
    return columns.filter { other in
      other.sqlName != column.sqlName && names.contains { $0.contains(other.sqlName) }
    }
  }

  /// The conditions that read one column and no other one.
  package func conditions(onlyOf column: String, among columns: [String]) -> [String] {
    let others = Set(columns.map(\.sqlName)).subtracting([column.sqlName])
    return conditions.filter { $0.names.contains(column.sqlName) && $0.names.isDisjoint(with: others) }.map(
      \.text)
  }
}
