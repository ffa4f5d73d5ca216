import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// The statements that write the pairs of one relationship which lies in no row: pure text.
struct ImportPairs {
  let number: Int
  let pairs: ImportPlan.Pairs
  let join: JoinTableMapping
  let table: TableSchema
  let source: StagedTable
  let destination: StagedTable
  let keepsExisting: Bool

  init(
    _ number: Int, _ plan: ImportPlan, _ mapping: SchemaMapping, _ all: [StagedTable], _ schema: StoreSchema
  ) {
    self.number = number
    pairs = plan.pairs[number]
    guard
      case .join(let join) = mapping[pairs.relationship.entity].relationships[pairs.relationship.name]
    else { preconditionFailure("'\(pairs.relationship.name)' has no table of pairs") }
    self.join = join
    table = schema[join.table]!
    source = all[pairs.source]
    destination = all[pairs.destination]
    keepsExisting = plan.existing == .keep
  }

  static func name(_ number: Int, run: Int) -> String { "moclone_import\(run)_pairs\(number)" }

  var name: String { Self.name(number, run: source.run) }

  var create: String { "CREATE TEMP TABLE \(name)(source INTEGER, destination INTEGER)" }

  private func keys(_ staged: StagedTable, _ references: [String], _ map: String) -> [String] {
    references.map { column in
      if let part = staged.mapping.keyPart(of: column) { return "\(map).k\(part)" }
      let isKey = SQL.equal(
        staged.mapping.keyColumns.map { SQL.column("t", $0) }, staged.keyParts.map { "\(map).\($0)" })
      return "(SELECT \(SQL.column("t", column)) FROM \(SQL.main(staged.table.name)) t WHERE \(isKey))"
    }
  }

  /// The pairs that are not there yet, each once, in the order of the rows.
  private var new: String {
    let own = keys(source, join.references, "a").enumerated().map { "\($1) AS a\($0)" }
    let other = keys(destination, join.destinationReferences, "b").enumerated().map { "\($1) AS b\($0)" }
    let all = ownNames + otherNames
    // Objects that were there before keep what they have.
    let kept = keepsExisting ? " WHERE a.made OR b.made" : ""
    let isThere = SQL.equal(
      (join.columns + join.destinationColumns).map { SQL.column("j", $0) }, all.map { "p.\($0)" })
    return "(SELECT \(SQL.list(all)), min(n) AS n FROM (SELECT \(SQL.list(own + other)), p.rowid AS n "
      + "FROM temp.\(name) p CROSS JOIN temp.\(source.map) a ON a.number = p.source "
      + "CROSS JOIN temp.\(destination.map) b ON b.number = p.destination\(kept)) GROUP BY \(SQL.list(all))) p "
      + "WHERE NOT EXISTS (SELECT 1 FROM \(SQL.main(join.table)) j WHERE \(isThere))"
  }

  var count: String { "SELECT count(*) FROM \(new)" }

  private var ownNames: [String] { join.columns.indices.map { "a\($0)" } }
  private var otherNames: [String] { join.destinationColumns.indices.map { "b\($0)" } }

  var insert: String {
    var columns = join.columns + join.destinationColumns
    var values = (ownNames + otherNames).map { "p.\($0)" }
    for (column, keys, names) in [
      (join.orderColumn, join.columns, ownNames),
      (join.inverseOrderColumn, join.destinationColumns, otherNames),
    ] {
      guard let column else { continue }
      let owner = names.map { "p.\($0)" }
      let end = ImportWriting.end(of: column, in: join.table, keys, owner)
      columns.append(column)
      values.append("\(end) + row_number() OVER (PARTITION BY \(SQL.list(owner)) ORDER BY p.n)")
    }
    return
      "\(table.insertInto)(\(SQL.list(columns.map(SQL.name)))) SELECT \(SQL.list(values)) FROM \(new) ORDER BY p.n"
  }
}
