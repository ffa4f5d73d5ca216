import MOCloneModel

// Values that Core Data may keep in files beside the store.
extension CoreDataUpkeep {
  /// A column whose values can name files.
  package struct ExternalColumn {
    /// Selects the keys of the rows that were given the name of a file, their values, and whether the file may be another
    /// row's as well.
    package var references: String
    /// Ends the noting of those rows.
    package var forget: String
    /// Selects all values that name files.
    package var all: String
    /// Gives the row of a key another value: `?` and `?`.
    package var update: String
  }

  package var externalColumns: [ExternalColumn] {
    let notes = dialect.temporary(Self.notes)
    return externals.map { table, column, number in
      let value = dialect.column("t", column)
      let other = dialect.column("o", column)
      let shared = Select([other], from: table.rows("o")).where(isFile(other))
        .grouped(by: [other]).having(.sql("count(*) > 1"))
      // What a new row names is its original's; the table is only searched for others.
      let isShared = Condition.sql("n.kind = \(Kind.inserted.rawValue)").choose(
        "1", else: Condition.among([value], query: shared, dialect: dialect).text)
      let rows = From("\(notes) n") + [table.row("t", of: ["n.pk"])]
      let references = Select([table.key("t")[0], value, isShared], from: rows)
        .where(.sql("n.t = \(number)") && isFile(value))
      let all = Select([value], from: table.rows("t")).where(isFile(value))
      let update = Update("\(table.sql) AS t", assignments: [(dialect.name(column), "?")]).where(
        .equal(table.key("t"), ["?"]))
      return ExternalColumn(
        references: references.text(dialect), forget: "DELETE FROM \(notes) WHERE t = \(number)",
        all: all.text(dialect), update: update.text(dialect))
    }
  }

  /// The columns, each with the number that its rows are noted by, behind those of the tables.
  private var externals: [(table: TablePlan, column: String, number: Int)] {
    let columns = store.tables.flatMap { table -> [(TablePlan, String)] in
      let all = table.entities.flatMap { store.mapping[$0].attributes.values }.filter(\.isExternal).map(
        \.column)
      return Set(all).sorted().filter { table.schema.column($0) != nil }.map { (table, $0) }
    }
    return columns.enumerated().map { (table: $1.0, column: $1.1, number: store.tables.count + $0) }
  }

  private func isFile(_ value: String) -> Condition {
    .sql("substr(\(value), 1, 1) = x'0\(ExternalMark.reference)'")
  }

  /// The triggers that note the rows which are given the name of a file.
  var fileTriggers: [Trigger] {
    externals.flatMap { table, column, number -> [Trigger] in
      let (new, key) = ("NEW." + dialect.name(column), "NEW." + dialect.name(key(of: table)))
      func body(_ kind: Kind, where condition: Condition) -> [String] {
        [note(key, number: number, kind, where: isFile(new) && condition)]
      }
      return triggers(
        "file\(number)", on: table.sql,
        [
          (.inserted, "INSERT", body(.inserted, where: .always)),
          (.changed, "UPDATE OF \(dialect.name(column))", body(.changed, where: changes([column]))),
        ])
    }
  }
}
