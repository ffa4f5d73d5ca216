import MOCloneEngine
import MOCloneModel

extension FillRenderer {
  static func columns(_ merge: MergeRenderer) -> [Fill] {
    let (layout, table) = (merge.layout, merge.table)
    // The operation sets dates of change itself.
    let dates = Set(merge.dates.columns(table))
    return attributes(layout, table: table).filter { !dates.contains($0.columns[0]) }
      + unmapped(layout, table: table)
      + layout.references(in: table).filter { !table.isInKey($0.key.columns) && !merge.isComputed($0) }
      .map { reference($0, merge: merge) }
  }

  private static func fill(_ columns: [String], dialect: Dialect) -> Fill {
    let values = dialect.columns("l", columns)
    return Fill(
      columns: columns, isOpen: .isNull(dialect.column("s", columns[0])), values: values,
      condition: .isNotNull(values[0]))
  }

  private static func attributes(_ layout: StoreLayout, table: TablePlan) -> [Fill] {
    let columns = table.entities.flatMap { entity in
      layout.model.attributes(of: entity).compactMap { attribute -> String? in
        guard !attribute.isDerived, let column = layout.mapping[entity].attributes[attribute.name],
          column.keyPart == nil, let schema = table.schema.column(column.column),
          !schema.isGenerated && !schema.isRequired
        else { return nil }
        return column.column
      }
    }
    return Set(columns).sorted().map { fill([$0], dialect: layout.dialect) }
  }

  /// Columns that the model does not name; those of one foreign key belong together.
  private static func unmapped(_ layout: StoreLayout, table: TablePlan) -> [Fill] {
    let free = table.schema.unmappedColumns(layout.mapping).filter {
      !$0.isRequired && !table.schema.isRowid($0.name)
    }
    var rest = free.map(\.name)
    var groups: [[String]] = []
    for key in table.schema.foreignKeys.map(\.columns) where key.count > 1 && key.allSatisfy(rest.contains) {
      groups.append(key)
      rest.removeAll(where: key.contains)
    }
    return (groups + rest.map { [$0] }).map { columns in
      var fill = fill(columns, dialect: layout.dialect)
      fill.isForeignKey = table.schema.foreignKeys.contains { $0.columns.contains(columns[0]) }
      return fill
    }
  }

  private static func reference(_ reference: RowReference, merge: MergeRenderer) -> Fill {
    let (layout, table, key) = (merge.layout, merge.table, reference.key)
    let destination = layout.table(of: key.destination)
    var fill = fill(key.columns, dialect: layout.dialect)
    (fill.reference, fill.isForeignKey) = (reference, true)
    let own = merge.ownColumns(of: reference)
    fill.isOpen = .isNull(layout.dialect.column("s", own[0]))
    fill.condition =
      fill.values.map(Condition.isNotNull).all
      && key.columns.filter { !own.contains($0) }.map { fits($0, merge: merge) }.all
    if merge.merged.contains(destination.index), destination == table || reference.isOneToOne {
      settle(&fill, reference: reference, merge: merge)
    } else {
      // It follows to what its destination is merged into as others do.
      fill.condition = fill.condition && layout.leads(reference, alias: "l")
    }
    fill.isOpen = fill.isOpen && layout.holds(reference, "s")
    return fill
  }

  /// Whether a row `l` of what goes holds in a column that references share what the row `s` of what stays will hold.
  private static func fits(_ column: String, merge: MergeRenderer) -> Condition {
    let (own, other) = (merge.dialect.column("s", column), merge.dialect.column("l", column))
    let filled = value(other, fill: fill([column], dialect: merge.dialect), merge: merge)
    return .equal([other], ["coalesce(\(own), \(filled))"])
  }

  /// What goes refers to what may go itself: what stays takes the reference to what that is merged into.
  private static func settle(_ fill: inout Fill, reference: RowReference, merge: MergeRenderer) {
    let (table, dialect) = (merge.table, merge.dialect)
    let destination = merge.layout.table(of: reference.key.destination)
    let referenced = Condition.equal(dialect.columns("r", reference.key.references), fill.values)
    fill.joins = merge.settled(destination, as: "r", survivor: "t", on: referenced)
    fill.values = zip(fill.values, dialect.columns("t", reference.key.references)).map {
      Condition.isNull("w.k0").choose($0, else: $1)
    }
    fill.condition = fill.condition && !merge.isOutranked(reference, "l")
    guard destination == table else { return }
    let settled = zip(destination.keys("w.n"), destination.key("r")).map { "coalesce(\($0), \($1))" }
    fill.condition = fill.condition && !.equal(settled, table.key("s"))
    if !reference.isRequired { fill.isOpen = fill.isOpen || leadsToDouble(reference, merge: merge) }
  }

  /// Whether a row `s` of what stays refers to what goes in its favour: such a reference becomes none.
  private static func leadsToDouble(_ reference: RowReference, merge: MergeRenderer) -> Condition {
    let (table, dialect) = (merge.table, merge.dialect)
    let own = reference.key.leads(from: "s", to: "x", in: dialect)
    let doubles = merge.map.rows("o") + [table.row("x", of: merge.map.key("o"))]
    return .exists(in: doubles, where: .equal(table.keys("o.n"), table.key("s")) && own, dialect)
  }
}
