import MOCloneModel

/// Columns that the store's triggers keep, beside what the model says of them.
///
/// Only what inserting rows does is looked at, for only that happens in a copy: a trigger that sets a value when a row is
/// updated or deleted leaves copies alone.
extension StoreValidator {
  func keptColumns() -> [Diagnostic] {
    let missing = attributes.filter { stored in
      stored.attribute.isKeptByTriggers && stored.use.keyPart == nil && !stored.column.isGenerated
        && !writes.contains { $0.writes(stored.column, of: stored.table) }
    }
    let updates = InsertUpdates(into: schema.names.compactMap { schema[$0] })
    let written = written.map { stored, writes in
      Diagnostic.triggerColumn(
        stored, write: writes[0], isCounted: isChanged(stored, by: updates),
        isKept: writes.contains { !formulas($0, of: stored).isEmpty })
    }
    return written + missing.map { .triggerMissing($0) }
  }

  /// The attributes of which triggers make whatever their columns are to hold, as far as their bodies tell, with what
  /// asks existing rows whether it is so.
  package func keptAttributes(_ dialect: Dialect) -> [(AttributeDescription, [TriggerProof])] {
    written.compactMap { stored, writes in
      let start = stored.attribute.defaultValue.map { "\($0)" } ?? "0"
      let proofs = writes.flatMap { formulas($0, of: stored) }.map { source, formula, choosing in
        TriggerProof(source: source, choosing: choosing) {
          formula.proof(from: source, to: stored.table, start: start, rows: $0, dialect)
        }
      }
      return proofs.isEmpty ? nil : (stored.attribute, proofs)
    }
  }

  /// Those of some attributes whose triggers write nothing else to the rows that are inserted: a trigger runs as a whole or
  /// not at all, so in a new store, where it must run, it would change what else is copied there.
  package func keptWhole(_ attributes: [AttributeDescription]) -> [AttributeDescription] {
    let updates = InsertUpdates(into: schema.names.compactMap { schema[$0] })
    var kept = written.filter { attributes.contains($0.0.attribute) }
    while true {
      let whole = kept.filter { stored, own in
        let triggers = Set(own.map(\.trigger))
        let key = mapping[model.rootEntity(of: stored.attribute.entity)].keyColumns
        // What changes in rows that exist is written again behind the triggers.
        let again = updates.changed(in: stored.table, key: key)
        return writes.filter {
          $0.isByInsert && triggers.contains($0.trigger) && $0.table == stored.table.name.sqlName
        }.allSatisfy { write in
          again.contains { write.writes($0, of: stored.table) }
            || kept.contains { write.writes($0.0.column, of: $0.0.table) }
        }
      }
      if whole.count == kept.count { return kept.map(\.0.attribute) }
      kept = whole
    }
  }

  /// The attributes that are copied although triggers write them when rows are inserted, with what these write.
  private var written: [(StoredAttribute, [TriggerWrite])] {
    let made = Dictionary(grouping: writes.filter { $0.isByInsert && !isOwnUpdate($0) }, by: \.table)
    return attributes.compactMap { stored in
      let writes = (made[stored.table.name.sqlName] ?? []).filter {
        $0.writes(stored.column, of: stored.table)
      }
      guard !writes.isEmpty, !stored.attribute.isKeptByTriggers, !stored.column.isGenerated, mayBeKept(stored)
      else { return nil }
      return (stored, writes.sorted { $0.trigger < $1.trigger })
    }
  }

  /// Whether a trigger follows updates of the rows that it writes, as one does that counts their versions.
  private func isOwnUpdate(_ write: TriggerWrite) -> Bool {
    let events = (schema[write.table]?.triggers ?? []).filter { $0.name.sqlName == write.trigger }.map(
      \.event)
    return events.contains("UPDATE") && !events.contains("INSERT")
  }

  /// What a trigger counts, or makes for each new row whatever was given, with the table that it is on: a value that it sets
  /// now and then, or makes of the one that is there, is right as it is copied.
  private func formulas(
    _ write: TriggerWrite, of stored: StoredAttribute
  ) -> [(source: TableSchema, formula: TriggerFormula, choosing: [String])] {
    let (table, column) = (stored.table.name.sqlName, stored.column.name.sqlName)
    let key = mapping[model.rootEntity(of: stored.attribute.entity)].keyColumns
    return schema.names.compactMap { schema[$0] }.flatMap { home in
      home.writingTriggers(write.trigger).flatMap { trigger in
        let own: [(TriggerFormula, [String])] =
          home.name.sqlName == table ? trigger.formulas.map { ($0, []) } : []
        let updates = trigger.updates.filter { $0.table.sqlName == table }.flatMap {
          update -> [(TriggerFormula, [String])] in
          let isOfNewRow = home.name.sqlName == table && update.isOfNewRow(key: key)
          return update.formulas.filter {
            isOfNewRow ? $0.kind == .set : $0.kind != .set && stored.attribute.type.isNumber
          }.map { ($0, update.chosenBy) }
        }
        return (own + updates).filter { $0.0.column == column }.map { (home, $0, $1) }
      }
    }
  }

  /// Whether a trigger does nothing but keep columns of which the model says so, or another finding does.
  func keepsColumns(_ trigger: String) -> Bool {
    let own = writes.filter { $0.trigger == trigger.sqlName }
    return !own.isEmpty
      && own.allSatisfy { write in
        attributes.contains { stored in
          write.writes(stored.column, of: stored.table)
            && (stored.attribute.isDerived || mayBeKept(stored))
        }
      }
  }

  /// Dates are set and not counted, so one that is copied is right; what must be unique cannot be left to triggers.
  private func mayBeKept(_ stored: StoredAttribute) -> Bool {
    guard !stored.attribute.isDerived, stored.attribute.type != .date, stored.use.keyPart == nil else {
      return false
    }
    return !model.entities.contains { entity in
      entity.uniquenessConstraints.joined().contains(stored.attribute.name)
        && model.attribute(stored.attribute.name, of: entity.name) == stored.attribute
    }
  }

  /// Whether the column changes in rows that exist when others are inserted, and not in the new row alone.
  private func isChanged(_ stored: StoredAttribute, by updates: InsertUpdates) -> Bool {
    let key = mapping[model.rootEntity(of: stored.attribute.entity)].keyColumns
    return updates.changed(in: stored.table, key: key).contains { $0.name == stored.column.name }
  }
}

/// Asks existing rows whether they hold what a trigger would have made of them.
package struct TriggerProof {
  /// The table that the trigger is on, and its columns that choose the row.
  package let source: TableSchema
  let choosing: [String]
  /// Selects, of so many rows at most, how many hold something that is not the start, and how many something else than
  /// the trigger would have made; nil where that cannot be asked.
  package let query: (_ rows: Int) -> String?

  /// Whether the rows that choose a row are found without reading all.
  package var isIndexed: Bool {
    choosing.isEmpty || source.hasIndex(choosing) || choosing.contains { source.hasIndex([$0]) }
  }
}

extension TableSchema {
  /// A trigger as it runs for inserted rows, else for updated ones.
  fileprivate func writingTriggers(_ name: String) -> [TriggerSchema] {
    let own = triggers.filter { $0.name.sqlName == name && $0.event != "DELETE" }
    let onInsert = own.filter { $0.event == "INSERT" }
    return onInsert.isEmpty ? own : onInsert
  }
}

extension TriggerWrite {
  fileprivate func writes(_ column: ColumnSchema, of table: TableSchema) -> Bool {
    self.table == table.name.sqlName && kind == .update(column: column.name.sqlName)
  }
}

extension Diagnostic {
  fileprivate static func triggerColumn(
    _ stored: StoreValidator.StoredAttribute, write: TriggerWrite, isCounted: Bool, isKept: Bool
  ) -> Diagnostic {
    let name = "'\(stored.attribute.entity).\(stored.attribute.name)'"
    let needsDefault = !stored.attribute.isOptional && stored.attribute.defaultValue == nil
    return Diagnostic(
      .triggerColumn, at: .attribute(stored.attribute),
      "the trigger '\(write.trigger)' writes the column '\(stored.column.name)' of the table '\(stored.table.name)' when a row "
        + "is inserted, but the value of \(name) is copied"
        + (isCounted ? " where the copy has as many members" : ""),
      help: isKept
        ? "write 'derived: trigger'\(needsDefault ? " and a 'default'" : "") if the trigger makes all that the column holds; "
          + "if it has an opening value or is changed later, say that it is copied with 'moclone:allow trigger-column'"
        : "leave it where a copy is to have its original's value, and say so with 'moclone:allow trigger-column'; "
          + "'derived: trigger' would leave it to the trigger alone"
    )
  }

  fileprivate static func triggerMissing(_ stored: StoreValidator.StoredAttribute) -> Diagnostic {
    Diagnostic(
      .triggerMissing, at: .attribute(stored.attribute) / "derived",
      "no trigger of the store writes the column '\(stored.column.name)' of the table '\(stored.table.name)', so "
        + "'\(stored.attribute.entity).\(stored.attribute.name)' is the default in every copy",
      help: "create the trigger, or remove 'derived'")
  }
}
