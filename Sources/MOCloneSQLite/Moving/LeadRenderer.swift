import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// SQL that finds the object that a new one of a sync belongs to, by values of its row.
struct LeadRenderer {
  let lead: SyncLead
  /// `v0...` the values that objects are found by, `k0...` what a reference to them holds.
  let table: TemporaryTable
  private let reference: RowReference
  private let columns: [SyncRenderer.Column]
  /// Fills the table.
  let fill: String

  init(
    _ lead: SyncLead, number: Int, of entity: String, _ columns: [SyncRenderer.Column], _ layout: MoveLayout
  ) {
    self.lead = lead
    self.columns = lead.places.map { columns[$0] }
    guard case .foreignKey(let key) = layout.mapping[entity].relationships[lead.relationship.name] else {
      preconditionFailure("'\(lead.relationship.name)' lies in no row")
    }
    reference = layout.references.first { $0.key == key }!
    let destination = lead.relationship.destination
    let there = layout.table(of: destination)
    let values = lead.paths.map {
      IdentityColumns($0, of: destination, mapping: layout.mapping, alias: "s").values[0]
    }
    let canonical = zip(self.columns, values).map { $0.canonical($1) }
    let definitions = self.columns.enumerated().map { i, column in
      let isPlain = canonical[i] == values[i]
      return "v\(i)"
        + (isPlain ? " \(column.schema.affinity) COLLATE \(SQL.name(column.schema.collation))" : "")
    }
    table = TemporaryTable("lead\(number)", definitions + key.columns.indices.map { "k\($0)" })
    let references = key.references.map { SQL.column("s", $0) }
    fill =
      "INSERT INTO \(table.sql) SELECT \(SQL.list(canonical + references)) FROM \(there.sql) s"
      + (layout.kind(of: destination, "s").map { " WHERE \($0)" } ?? "")
  }

  var index: String { table.index(columns.indices.map { "v\($0)" }) }

  /// Ties the objects found to the row `r`.
  private var tie: String {
    SQL.equal(
      zip(columns, lead.places).map { $0.canonical("r.a\($1)") }, columns.indices.map { "l.v\($0)" })
  }

  /// New rows for which there is not just one object: line, number of objects, values.
  func unfound(_ renderer: SyncRenderer) -> String {
    let count = "(SELECT count(*) FROM \(table.sql) l WHERE \(tie))"
    return
      "SELECT * FROM (SELECT r.line, \(count) AS n, \(SQL.list(lead.places.map { "r.a\($0)" })) FROM "
      + "\(renderer.fresh.sql) f CROSS JOIN \(renderer.rows.sql) r ON r.number = f.number) WHERE n <> 1 ORDER BY 1 LIMIT 20"
  }

  /// What new rows hold, with their place in the list that they come into.
  func columns(of own: ObjectTable) -> [(name: String, value: String)] {
    let names = reference.key.columns
    let values = names.indices.map { "(SELECT l.k\($0) FROM \(table.sql) l WHERE \(tie))" }
    guard let order = reference.orderColumn else { return Array(zip(names, values)) }
    let list = SQL.equal(names.map { SQL.column("y", $0) }, values)
    let end = "(SELECT coalesce(max(\(SQL.column("y", order))), 0) + 1 FROM \(own.sql) y WHERE \(list))"
    return Array(zip(names, values)) + [(order, end)]
  }
}
