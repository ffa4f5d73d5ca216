import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// The statements that merge the rows of one table that go into those that stay.
struct MergeRenderer {
  let layout: MoveLayout
  let table: ObjectTable
  let maps: [TemporaryTable]
  /// Tables that have rows to be merged.
  let merged: Set<Int>
  let modified: ModifiedRule
  let dates: DatesBefore
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

  /// Rows of another table that refer to what goes by a foreign key of the database.
  struct Unknown {
    var table: String
    /// Leads them to what stays, those that are not there already.
    var move: String
    /// How many are left.
    var count: String
    var hasTriggers: Bool
  }

  /// - Parameter schema: every table of the database.
  func unknown(in schema: StoreSchema) -> [Unknown] {
    schema.names.compactMap { schema[$0] }.flatMap { other -> [Unknown] in
      let mapped = MappedColumns(table: other, model: layout.model, mapping: layout.mapping)
      let keys = other.foreignKeys.filter { key in
        key.table.sqlName == table.schema.name.sqlName && !key.columns.allSatisfy(mapped.contains)
      }
      return keys.map { key in
        let way = way(key.references.isEmpty ? table.schema.primaryKey : key.references)
        let name = SQL.main(other.name)
        return Unknown(
          table: other.name, move: redirect("OR IGNORE \(name)", key.columns, way, []),
          count: "SELECT count(*) FROM \(name) x WHERE \(refers(key.columns, way))",
          hasTriggers: !other.triggers.isEmpty)
      }
    }
  }

  /// Leads a table's rows `x` that refer to what goes to what stays, and assigns more to them.
  func redirect(_ table: String, _ columns: [String], _ way: Way, _ more: [String]) -> String {
    let own = columns.map { SQL.column("x", $0) }
    let new = "(SELECT \(SQL.list(way.new)) FROM \(way.lookup) WHERE \(SQL.equal(way.old, own)))"
    return "UPDATE \(table) AS x SET \(SQL.list(["(\(SQL.list(columns.map(SQL.name)))) = \(new)"] + more)) "
      + "WHERE \(refers(columns, way))"
  }

  func refers(_ columns: [String], _ way: Way) -> String {
    "(\(SQL.list(columns.map { SQL.column("x", $0) }))) IN (SELECT \(SQL.list(way.old)) FROM \(way.from))"
  }
}
