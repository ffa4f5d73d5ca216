import MOCloneModel

// Values that Core Data may keep in files beside the store.
extension CoreDataUpkeep {
  /// A column whose values can name files.
  package struct ExternalColumn {
    /// Selects the keys of new rows, and their values that name files.
    package var references: String
    /// Selects all values that name files.
    package var all: String
    /// Gives the row of a key another value: `?` and `?`.
    package var update: String
  }

  package var externalColumns: [ExternalColumn] {
    store.tables.flatMap { table in
      let columns = table.entities.flatMap { store.mapping[$0].attributes.values }.filter(\.isExternal).map(
        \.column)
      return Set(columns).sorted().map { externalColumn($0, in: table) }
    }
  }

  private func externalColumn(_ column: String, in table: TablePlan) -> ExternalColumn {
    let value = dialect.column("t", column)
    let inserted = noted(table, condition: .sql("n.kind = \(Kind.inserted.rawValue)"))
    let isFile = Condition.sql("substr(\(value), 1, 1) = x'02'")
    let rows = Select([table.key("t")[0], value], from: table.rows("t"))
      .where(.among(table.key("t"), query: inserted, dialect: dialect) && isFile)
    let all = Select([value], from: table.rows("t")).where(isFile)
    let update = Update("\(table.sql) AS t", assignments: [(dialect.name(column), "?")]).where(
      .equal(table.key("t"), ["?"]))
    return ExternalColumn(
      references: rows.text(dialect), all: all.text(dialect), update: update.text(dialect))
  }
}
