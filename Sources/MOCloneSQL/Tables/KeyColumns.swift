/// The columns that tell the rows of a table apart, and those of temporary tables that hold such keys.
package struct KeyColumns: Sendable, Equatable {
  package let columns: [ColumnSchema]
  /// Whether the key is the row's number.
  package let isNumber: Bool
  private let dialect: Dialect

  package init(_ names: [String], of table: TableSchema, dialect: Dialect) {
    columns = table.columns(named: names)
    isNumber = names.count == 1 && table.isRowid(names[0])
    self.dialect = dialect
  }

  /// The key of rows that are numbered as they are staged.
  package init(numbered name: String, _ dialect: Dialect) {
    columns = [.rowid(named: name)]
    isNumber = true
    self.dialect = dialect
  }

  /// The columns in a row of the table.
  package func of(_ alias: String) -> [String] { columns.map { dialect.column(alias, $0.name) } }

  /// Columns of a temporary table that hold keys.
  package func parts(_ prefix: String) -> [String] { columns.indices.map { "\(prefix)\($0)" } }

  /// Their definitions: they compare as the table's own do.
  package func definitions(_ prefix: String) -> [String] {
    zip(parts(prefix), columns).map { dialect.definition($0, as: $1) }
  }

  /// The definitions of a temporary table that holds each object once.
  ///
  /// - Parameter columns: the definitions of what it holds beside the key.
  package func unique(_ prefix: String, beside columns: [String]) -> [String] {
    isNumber
      ? ["\(prefix)0 \(dialect.numberKey)"] + columns
      : definitions(prefix) + columns + ["UNIQUE (\(parts(prefix).list))"]
  }

  /// The place in the key of each of some columns; nil where they are not the key's, each once.
  package func places(of names: [String]) -> [Int]? {
    let places = names.compactMap { name in columns.firstIndex { $0.name.sqlName == name.sqlName } }
    return places.count == names.count && Set(places).count == columns.count ? places : nil
  }
}
