import MOCloneEngine
import MOCloneModel

extension StoreSchema {
  /// References that are written in other letters than the keys that they lead to, which only the keys' collation takes for
  /// equal: a query for each foreign key where there can be some, of which a row has the reference and the key.
  func otherSpellings(
    to destinations: Set<String>?, named sql: (String) -> String
  ) -> [(table: String, column: String, query: Select)] {
    names.flatMap { name in
      self[name]!.foreignKeys.compactMap { key in
        guard let there = self[key.table], destinations?.contains(there.name.sqlName) != false else {
          return nil
        }
        let references = key.references(in: there)
        guard let place = references.firstIndex(where: { there.column($0)?.comparesLetters == false }),
          references.count == key.columns.count
        else { return nil }
        let (own, other) = (dialect.columns("c", key.columns), dialect.columns("p", references))
        let rows = From("\(sql(name)) c", joins: [.ordered("\(sql(there.name)) p", on: .equal(other, own))])
        let differs = zip(other, own).map { dialect.differentBytes($0, b: $1, column: nil) }.any
        return (name, key.columns[place], Select([own[place], other[place]], from: rows).where(differs))
      }
    }
  }
}

extension ColumnSchema {
  /// Whether two texts of the column are equal only where every letter is.
  fileprivate var comparesLetters: Bool { kind != nil || collation == "BINARY" }
}

extension StatementRunning {
  /// Refuses tables whose rows could not be told by their keys.
  ///
  /// - Parameters:
  ///   - destinations: the tables of the keys that matter, by their names; nil for all.
  ///   - sql: what a table is called in a statement.
  func refuseOtherSpellings(
    in schema: StoreSchema, to destinations: Set<String>? = nil, named sql: (String) -> String
  ) throws {
    for (table, column, query) in schema.otherSpellings(to: destinations, named: sql) {
      guard let row = try row(query.limited(to: 1)) else { continue }
      let values = row.map { AttributeValue(raw: $0).description }
      throw CloneError(
        .storeMismatch,
        "the column '\(column)' of the table '\(table)' holds '\(values[0])' for the key '\(values[1])', which "
          + "only the key's collation takes for equal",
        help: "write both alike, since rows are moved by their keys")
    }
  }
}
