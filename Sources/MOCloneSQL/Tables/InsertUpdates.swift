/// What triggers update where rows are inserted into some tables, those too that run as rows are updated so.
package struct InsertUpdates: Sendable {
  /// Updates, with the tables whose triggers they are, as names are compared.
  private let all: [(update: TriggerUpdate, source: String)]

  /// Those of the tables' own triggers.
  package init(into tables: [TableSchema]) {
    self.init(
      into: tables,
      among: Dictionary(tables.map { ($0.name.sqlName, $0) }, uniquingKeysWith: { first, _ in first }))
  }

  /// - Parameter tables: those whose triggers are looked at, by their names as these are compared.
  package init(into sources: [TableSchema], among tables: [String: TableSchema]) {
    func updates(_ source: TableSchema, on event: String) -> [(update: TriggerUpdate, source: String)] {
      source.triggers.filter { $0.event == event }.flatMap(\.updates).map { ($0, source.name.sqlName) }
    }
    var all = sources.flatMap { updates($0, on: "INSERT") }
    var pending = all
    var seen: Set<String> = []
    while let table = pending.popLast()?.update.table.sqlName {
      guard seen.insert(table).inserted, let source = tables[table] else { continue }
      let more = updates(source, on: "UPDATE")
      all += more
      pending += more
    }
    self.all = all
  }

  /// All of them, whatever they change.
  package var updates: [TriggerUpdate] { all.map(\.update) }

  /// Those of rows of a table that are other ones than the new row itself.
  private func updates(of table: TableSchema, key: [String]) -> [TriggerUpdate] {
    let name = table.name.sqlName
    return all.filter { update, source in
      update.table.sqlName == name && (source != name || !update.isOfNewRow(key: key))
    }.map(\.update)
  }

  /// The columns of a table that change where other rows than the row itself are inserted.
  package func changed(in table: TableSchema, key: [String]) -> [ColumnSchema] {
    let changed = Set(updates(of: table, key: key).flatMap(\.columns))
    return table.columns.filter { changed.contains($0.name.sqlName) && !$0.isGenerated }
  }

  /// The columns that begin with their defaults where rows follow which triggers add up in them: what counts on from
  /// there is right then, be it a number that a trigger gives the next row or a total further up.
  ///
  /// Others hold their final values from the beginning, since a CHECK or a trigger that looks at them on the way may take
  /// what they are for what they stay.
  package func begun(in table: TableSchema, key: [String]) -> [ColumnSchema] {
    let all = updates(of: table, key: key)
    guard !all.isEmpty, !table.looksAtUpdates else { return [] }
    let leadsOn = table.triggers.filter { $0.event == "UPDATE" }.flatMap(\.updates)
      .contains { $0.table.sqlName != table.name.sqlName }
    return table.columns.filter { column in
      let name = column.name.sqlName
      let own = all.filter { $0.columns.contains(name) }
      let isRead = leadsOn || own.contains { $0.readAgain.contains(name) }
      return isRead && !own.isEmpty && own.allSatisfy { $0.added.contains(name) }
        && !column.isChecked && !column.isGenerated && !table.isInUniqueIndex(column)
    }
  }
}

extension TableSchema {
  /// Whether a trigger that follows an update changes the row in some cases, as one that closes what is full.
  fileprivate var looksAtUpdates: Bool {
    triggers.filter { $0.event == "UPDATE" }.contains { trigger in
      !trigger.assignedUnderConditions.isEmpty
        || trigger.updates.contains {
          $0.table.sqlName == name.sqlName && $0.formulas.count < $0.columns.count
        }
    }
  }

  fileprivate func isInUniqueIndex(_ column: ColumnSchema) -> Bool {
    indexes.contains { index in
      index.isUnique && index.columns.contains { $0.name.map { $0.sqlName == column.name.sqlName } ?? true }
    }
  }
}
