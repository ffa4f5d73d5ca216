import MOCloneEngine
import MOCloneModel

/// The statements that merge the rows of one table that go into those that stay.
struct MergeRenderer {
  let layout: MoveLayout
  let table: ObjectTable
  let maps: [TemporaryTable]
  /// Tables that have rows to be merged.
  let merged: Set<Int>
  let modified: ModifiedRule
  var map: TemporaryTable { maps[table.index] }

  /// From the map to what rows refer to: `old` and `new` are the referenced values of what goes and of what stays.
  func way(_ references: [String]) -> (from: String, old: [String], new: [String]) {
    if let places = table.keyPlaces(of: references) {
      return ("\(map.sql) m", places.map { "m.o\($0)" }, places.map { "m.n\($0)" })
    }
    let from =
      "\(map.sql) m CROSS JOIN \(table.sql) l ON \(SQL.equal(table.key("l"), table.keys("m.o"))) "
      + "CROSS JOIN \(table.sql) t ON \(SQL.equal(table.key("t"), table.keys("m.n")))"
    return (from, references.map { SQL.column("l", $0) }, references.map { SQL.column("t", $0) })
  }

  /// Leads rows of other tables that refer to what goes by a foreign key of the database to what stays.
  ///
  /// - Parameter schema: every table of the database.
  func moveUnknown(in schema: StoreSchema) -> [String] {
    schema.names.compactMap { schema[$0] }.flatMap { other -> [String] in
      let mapped = MappedColumns(table: other, model: layout.model, mapping: layout.mapping)
      return other.foreignKeys.filter { key in
        key.table.lowercased() == table.schema.name.lowercased() && !key.columns.allSatisfy(mapped.contains)
      }.map { key in
        let way = way(key.references.isEmpty ? table.schema.primaryKey : key.references)
        let columns = key.columns.map { SQL.column("x", $0) }
        return "UPDATE \(SQL.main(other.name)) AS x SET (\(SQL.list(key.columns.map(SQL.name)))) = "
          + "(SELECT \(SQL.list(way.new)) FROM \(way.from) WHERE \(SQL.equal(way.old, columns))) "
          + "WHERE (\(SQL.list(columns))) IN (SELECT \(SQL.list(way.old)) FROM \(way.from))"
      }
    }
  }
}
