import MOCloneModel

/// One end of the rows of a join table.
struct JoinEnd: Sendable {
  private let columns: [String]
  private let originals: [String]
  private let notations: [ReferenceNotation]
  private let dialect: Dialect

  /// - Parameters:
  ///   - entity: what the end is the key of.
  ///   - originals: the columns of a selection that hold the original's end.
  init(
    _ columns: [String], references: [String], of entity: String, in table: TableSchema,
    originals: [String], layout: CloneLayout
  ) {
    self.columns = columns
    self.originals = originals
    dialect = layout.dialect
    notations = zip(columns, references).map {
      ReferenceNotation($0, in: table, to: $1, of: entity, layout: layout)
    }
  }

  /// The original's end, comparable with those of rows that write it otherwise.
  var original: [String] { zip(notations, originals).map { $0.asReferenced($1) } }

  /// The same of a row `alias` of the table.
  func key(of alias: String) -> [String] {
    zip(notations, columns).map { $0.asReferenced(dialect.column(alias, $1)) }
  }
}
