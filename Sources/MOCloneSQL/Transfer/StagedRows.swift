import MOCloneModel

/// The temporary table that takes the rows of a file or of a program: `number`, their place; `line`, where they stand, for
/// messages; `a0...` their values; `r0...` the numbers of rows that they refer to; `m0...` a bit for each value that
/// a row does not give, 60 in a column.
package struct StagedRows: Sendable {
  package struct Column: Sendable {
    /// The column of the store that it is compared with.
    package let schema: ColumnSchema
    /// Nil for the key of another object.
    package let attribute: AttributeColumn?
    /// Whether that column takes it, of the table that the rows are for.
    package var isOwn = true

    /// The column of the rows themselves.
    var staged: ColumnSchema { schema.staged(for: attribute) }

    /// What becomes of a value in the column of the store; nil where that has the type of the staged one.
    func columnTransfer(_ dialect: Dialect) -> ColumnTransfer? {
      var staged = staged
      staged.type = dialect.columnType(staged)
      let isOther = dialect.hasTypes ? staged.type != schema.type : staged.affinity != schema.affinity
      return isOther ? ColumnTransfer(source: staged, target: schema, attribute: attribute) : nil
    }
  }

  package let table: TemporaryTable
  package let columns: [Column]
  package let referenceCount: Int
  /// The masks of all rows together, where they are staged.
  private var absent: [Int64]?

  /// - Parameters:
  ///   - purpose: what tells the table from others of its shape.
  ///   - found: columns for what is found by the rows' values.
  package init(
    _ purpose: String, columns: [Column], references: Int = 0,
    found: [(name: String, schema: ColumnSchema)] = [], dialect: Dialect
  ) {
    self.columns = columns
    referenceCount = references
    let values = columns.enumerated().map { dialect.definition("a\($0)", as: $1.staged) }
    let numbers =
      (0..<references).map { "r\($0) \(dialect.types.integer)" }
      + Self.masks(columns.count).map { "\($0) \(dialect.types.integer)" }
    table = TemporaryTable(
      purpose,
      columns: ["number \(dialect.numberKey)", "line \(dialect.types.integer)"] + values + numbers
        + found.map { dialect.definition($0.name, as: $0.schema) }, dialect: dialect)
  }

  private static func masks(_ columns: Int) -> [String] { (0..<((columns + 59) / 60)).map { "m\($0)" } }

  package var masks: [String] { Self.masks(columns.count) }
  package var values: [String] { columns.indices.map { "a\($0)" } }
  package var references: [String] { (0..<referenceCount).map { "r\($0)" } }

  /// The columns of a row in the order in which it is written, its number last.
  package var content: [String] { ["line"] + values + references + masks + ["number"] }

  /// The statement that writes rows which the table numbers itself, with a mark for each part of their content.
  package func insert(rows count: Int) -> String {
    let columns = content.dropLast()
    let row = "(\(columns.map { _ in "?" }.list))"
    return table.insert(
      Array(columns), rows: "VALUES \(Array(repeating: row, count: count).list)")
  }

  /// Whether a row gives a value.
  package func isGiven(_ column: Int, _ alias: String) -> Condition {
    if let absent, absent[column / 60] & Self.bit(column) == 0 { return .always }
    return .sql("(\(alias).m\(column / 60) & \(Self.bit(column))) = 0")
  }

  /// The same rows, of which it is known which values none leaves out: statements then ask no row.
  ///
  /// - Parameter masks: those of all rows together.
  func knowing(absent masks: [Int64]) -> StagedRows {
    var rows = self
    rows.absent = masks
    return rows
  }

  private static func bit(_ column: Int) -> Int64 { 1 << Int64(column % 60) }

  /// Gives rows a value where they give none.
  package func complete(_ column: Int, _ literal: String) -> Update {
    let mask = "m\(column / 60)"
    return Update(
      "\(table.sql) AS s", assignments: [("a\(column)", literal), (mask, "\(mask) & ~\(Self.bit(column))")]
    ).where(!isGiven(column, "s"))
  }
}
