import MOCloneEngine
import MOCloneModel

/// What can be filled.
extension FillRenderer {
  static func columns(_ merge: MergeRenderer) -> [Fill] {
    let (layout, table) = (merge.layout, merge.table)
    // The operation sets dates of change itself.
    let dates = Set(merge.dates.columns(table))
    return attributes(layout, table).filter { !dates.contains($0.columns[0]) } + unmapped(layout, table)
      + layout.references(in: table).filter { !table.isInKey($0.key.columns) }.map { reference($0, merge) }
  }

  private static func fill(_ columns: [String], _ dialect: Dialect) -> Fill {
    let values = dialect.columns("l", columns)
    return Fill(columns: columns, values: values, condition: .isNotNull(values[0]))
  }

  private static func attributes(_ layout: StoreLayout, _ table: TablePlan) -> [Fill] {
    let columns = table.entities.flatMap { entity in
      layout.model.attributes(of: entity).compactMap { attribute -> String? in
        guard !attribute.isDerived, let column = layout.mapping[entity].attributes[attribute.name],
          column.keyPart == nil, let schema = table.schema.column(column.column),
          !schema.isGenerated && !schema.isRequired
        else { return nil }
        return column.column
      }
    }
    return Set(columns).sorted().map { fill([$0], layout.dialect) }
  }

  /// Columns that the model does not name; those of one foreign key belong together.
  private static func unmapped(_ layout: StoreLayout, _ table: TablePlan) -> [Fill] {
    let mapped = MappedColumns(table: table.schema, model: layout.model, mapping: layout.mapping)
    let free = table.schema.columns.filter {
      !mapped.contains($0.name) && !$0.isGenerated && !$0.isRequired && !table.schema.isRowid($0.name)
    }
    var rest = free.map(\.name)
    var groups: [[String]] = []
    for key in table.schema.foreignKeys.map(\.columns) where key.count > 1 && key.allSatisfy(rest.contains) {
      groups.append(key)
      rest.removeAll(where: key.contains)
    }
    return (groups + rest.map { [$0] }).map { fill($0, layout.dialect) }
  }

  /// What goes refers to what may go itself: what stays takes the reference to what that is merged into.
  private static func reference(_ reference: RowReference, _ merge: MergeRenderer) -> Fill {
    let (layout, table) = (merge.layout, merge.table)
    let dialect = layout.dialect
    let destination = layout.table(of: reference.key.destination)
    var fill = fill(reference.key.columns, dialect)
    fill.isAlone = reference.isOneToOne
    fill.orderColumn = reference.orderColumn
    guard merge.merged.contains(destination.index) else { return fill }
    let map = merge.maps[destination.index]
    let referenced = Condition.equal(dialect.columns("r", reference.key.references), fill.values)
    fill.joins = [
      .left("\(destination.sql) r", on: referenced),
      .left("\(map.sql) w", on: .equal(map.key("w"), destination.key("r"))),
      .left("\(destination.sql) t", on: destination.isRow("t", destination.keys("w.n"))),
    ]
    fill.values = zip(fill.values, dialect.columns("t", reference.key.references)).map {
      Condition.isNull("w.k0").choose($0, else: $1)
    }
    if destination == table {
      let settled = zip(destination.keys("w.n"), destination.key("r")).map { "coalesce(\($0), \($1))" }
      fill.condition = fill.condition && !.equal(settled, table.key("s"))
    }
    return fill
  }
}
