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
  /// The join tables that are written beside those of the objects.
  let joins: [TableSchema]

  var restoring: Restoring {
    Restoring(
      layout.tablePlans.filter { !$0.isDirect }.flatMap { tablePlan in
        columns(of: tablePlan).compactMap { restoring($0, of: tablePlan) }
      }, tables: layout.tablePlans.map(\.table) + joins)
  }

  /// The columns that the insert of another row changes.
  private func columns(of tablePlan: CloneTablePlan) -> [ColumnSchema] {
    tablePlan.table.columns(
      changedByInsertsInto: layout.tablePlans.map(\.table) + joins, key: tablePlan.keyColumns.map(\.name))
  }

  private func restoring(_ column: ColumnSchema, of tablePlan: CloneTablePlan) -> String? {
    let dialect = layout.dialect
    let original = dialect.column("s", column.name)
    let changed = dialect.column("c", column.name)
    let writer = WriteRenderer(layout: layout, tablePlan: tablePlan)
    let counters = PartialCounters(layout: layout)
    func isSet(_ variant: Variant) -> Bool { writer.isSet(column.name, variant: variant) }
    let isReference = layout.references[tablePlan.index].flatMap(\.key.columns)
      .contains { $0.sqlName == column.name.sqlName }
    let isKept = tablePlan.any("m") {
      isSet($0) || isReference || counters.isWhole(column.name, of: $0, in: tablePlan)
        || writer.value(of: column.name, $0) == original ? .always : .never
    }
    let value = tablePlan.choose("m") {
      isReference || isSet($0) ? writer.value(of: column.name, $0) : original
    }
    guard isKept != .never, writer.columns.contains(column.name) else { return nil }
    let table = dialect.table(tablePlan.table.name)
    let clones = tablePlan.keyColumns.indices.map { tablePlan.newKey("m", part: $0) }
    let isOther = dialect.differentBytes(changed, b: value, column: nil)
    return Update(
      "\(table) AS c", assignments: [(dialect.name(column.name), value)],
      from: isReference
        ? writer.source
        : From(
          "\(dialect.temporary(tablePlan.map)) m",
          joins: [.ordered("\(table) s", on: .equal(tablePlan.key("s"), tablePlan.old("m")))])
    ).where(.equal(tablePlan.key("c"), clones) && isOther && isKept)
      .onConflict(tablePlan.table.conflict).text(dialect)
  }
}

extension TableSchema {
  /// The columns that triggers change where rows of some tables, other ones than the row itself, are inserted, be it by
  /// way of the triggers that run as rows of these tables are updated.
  package func columns(changedByInsertsInto tables: [TableSchema], key: [String]) -> [ColumnSchema] {
    let changed = Set(updates(byInsertsInto: tables, key: key).flatMap(\.columns))
    return columns.filter { changed.contains($0.name.sqlName) && !$0.isGenerated }
  }

  /// The columns that begin with their defaults where rows of some tables follow which triggers add up in them: what
  /// counts on from there is right then, be it a number that a trigger gives the next row or a total further up.
  ///
  /// Others hold their final values from the beginning, since a CHECK or a trigger that looks at them on the way may take
  /// what they are for what they stay.
  package func columns(begunByInsertsInto tables: [TableSchema], key: [String]) -> [ColumnSchema] {
    let follows = triggers.filter { $0.event == "UPDATE" }
    let looks = follows.contains { trigger in
      !trigger.assignedUnderConditions.isEmpty
        || trigger.updates.contains {
          $0.table.sqlName == name.sqlName && $0.formulas.count < $0.columns.count
        }
    }
    guard !looks else { return [] }
    let leadsOn = follows.flatMap(\.updates).contains { $0.table.sqlName != name.sqlName }
    let all = updates(byInsertsInto: tables, key: key)
    return columns.filter { column in
      let own = all.filter { $0.columns.contains(column.name.sqlName) }
      let isRead = leadsOn || own.contains { $0.readAgain.contains(column.name.sqlName) }
      return isRead && !own.isEmpty && own.allSatisfy { $0.added.contains(column.name.sqlName) }
        && !column.isChecked && !column.isGenerated && !isInUniqueIndex(column)
    }
  }

  private func isInUniqueIndex(_ column: ColumnSchema) -> Bool {
    indexes.contains { index in
      index.isUnique && index.columns.contains { $0.name.map { $0.sqlName == column.name.sqlName } ?? true }
    }
  }

  private func updates(byInsertsInto tables: [TableSchema], key: [String]) -> [TriggerUpdate] {
    tables.updates(byInsertsInto: tables) { update, source in
      update.table.sqlName != name.sqlName || source.name != name || !update.isOfNewRow(key: key)
    }.filter { $0.table.sqlName == name.sqlName }
  }
}

extension [TableSchema] {
  /// What triggers update where rows are inserted into some tables, those too that run as rows are updated so.
  ///
  /// - Parameter isMeant: whether an update by a trigger of a table counts.
  func updates(
    byInsertsInto sources: [TableSchema],
    where isMeant: (TriggerUpdate, TableSchema) -> Bool = { _, _ in true }
  ) -> [TriggerUpdate] {
    func updates(_ source: TableSchema, on event: String) -> [TriggerUpdate] {
      source.triggers.filter { $0.event == event }.flatMap(\.updates).filter { isMeant($0, source) }
    }
    var all = sources.flatMap { updates($0, on: "INSERT") }
    var pending = all
    var seen: Set<String> = []
    while let table = pending.popLast()?.table.sqlName {
      guard seen.insert(table).inserted, let source = first(where: { $0.name.sqlName == table })
      else { continue }
      let more = updates(source, on: "UPDATE")
      all += more
      pending += more
    }
    return all
  }
}
