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

  struct Way {
    var from: String
    /// The same for a search by what rows refer to, which begins there.
    var lookup: String
    var old: [String]
    var new: [String]
  }

  /// From the map to what rows refer to: `old` and `new` are the referenced values of what goes and of what stays.
  func way(_ references: [String]) -> Way {
    let map = "\(map.sql) m"
    if let places = table.keyPlaces(of: references) {
      return Way(
        from: map, lookup: map, old: places.map { "m.o\($0)" }, new: places.map { "m.n\($0)" })
    }
    let tie = SQL.equal(table.key("l"), table.keys("m.o"))
    let there = "CROSS JOIN \(table.sql) t ON \(SQL.equal(table.key("t"), table.keys("m.n")))"
    return Way(
      from: "\(map) CROSS JOIN \(table.sql) l ON \(tie) \(there)",
      lookup: "\(table.sql) l CROSS JOIN \(map) ON \(tie) \(there)",
      old: references.map { SQL.column("l", $0) }, new: references.map { SQL.column("t", $0) })
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
        let references = key.references.isEmpty ? table.schema.primaryKey : key.references
        return redirect(SQL.main(other.name), key.columns, way(references), [])
      }
    }
  }

  /// Leads a table's rows `x` that refer to what goes to what stays, and assigns more to them.
  func redirect(_ table: String, _ columns: [String], _ way: Way, _ more: [String]) -> String {
    let own = columns.map { SQL.column("x", $0) }
    let new = "(SELECT \(SQL.list(way.new)) FROM \(way.lookup) WHERE \(SQL.equal(way.old, own)))"
    return "UPDATE \(table) AS x SET \(SQL.list(["(\(SQL.list(columns.map(SQL.name)))) = \(new)"] + more)) "
      + "WHERE (\(SQL.list(own))) IN (SELECT \(SQL.list(way.old)) FROM \(way.from))"
  }
}
