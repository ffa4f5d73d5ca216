import MOCloneEngine
import MOCloneModel

/// Columns of the clones that triggers of other rows change, such as a counter that an owner keeps of its members.
///
/// A clone has the counter of its original already; its members, inserted after it, would count a second time. So a
/// column that is copied gets the original's value again when everything is written, and a reference, or what the request
/// sets, gets what it is to be. One whose value a rule makes, such as the default of an excluded attribute, is left to the triggers.
///
/// ```sql
/// UPDATE main."board" AS c SET "cards" = s."cards" FROM temp."moclone_map_x" m CROSS JOIN main."board" s
///   WHERE s."id" = m.o0 AND c."id" = m.seq + :keyOffset0 AND c."cards" IS NOT s."cards" COLLATE BINARY
/// ```
struct TriggeredColumns {
  let layout: CloneLayout
  private let written: [TableSchema]
  private let updates: InsertUpdates

  /// - Parameter joins: the join tables that are written beside those of the objects.
  init(layout: CloneLayout, joins: [TableSchema]) {
    self.layout = layout
    written = layout.tablePlans.map(\.table) + joins
    updates = InsertUpdates(into: written)
  }

  var restoring: Restoring {
    Restoring(
      layout.tablePlans.filter { !$0.isDirect }.flatMap { tablePlan in
        columns(of: tablePlan).compactMap { restoring($0, of: tablePlan) }
      }, tables: written)
  }

  /// The columns that the insert of another row changes.
  private func columns(of tablePlan: CloneTablePlan) -> [ColumnSchema] {
    updates.changed(in: tablePlan.table, key: tablePlan.keyColumns.map(\.name))
  }

  private func restoring(_ column: ColumnSchema, of tablePlan: CloneTablePlan) -> String? {
    let dialect = layout.dialect
    let original = dialect.column("s", column.name)
    let changed = dialect.column("c", column.name)
    let writer = WriteRenderer(layout: layout, tablePlan: tablePlan)
    let written = writer.value(of: column.name)
    let counters = PartialCounters(layout: layout)
    func isSet(_ variant: Variant) -> Bool { writer.isSet(column.name, variant: variant) }
    let isReference = layout.references[tablePlan.index].flatMap(\.key.columns)
      .contains { $0.sqlName == column.name.sqlName }
    let isKept = tablePlan.any {
      isSet($0) || isReference || written($0) == original
        ? .always : counters.isWhole(column.name, of: $0, in: tablePlan)
    }
    let value = tablePlan.choose { isReference || isSet($0) ? written($0) : original }
    guard isKept != .never, writer.columns.contains(column.name) else { return nil }
    let table = dialect.table(tablePlan.table.name)
    let isOther = dialect.differentBytes(changed, b: value, column: nil)
    return Update(
      "\(table) AS c", assignments: [(dialect.name(column.name), value)],
      from: isReference
        ? writer.source
        : From(
          "\(dialect.temporary(tablePlan.map)) m",
          joins: [.ordered("\(table) s", on: .equal(tablePlan.key("s"), tablePlan.old("m")))])
    ).where(.equal(tablePlan.key("c"), tablePlan.newKey("m")) && isOther && isKept)
      .onConflict(tablePlan.table.conflict).text(dialect)
  }
}
