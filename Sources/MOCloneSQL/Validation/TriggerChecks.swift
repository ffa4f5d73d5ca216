import MOCloneModel

/// Columns that the store's triggers keep, beside what the model says of them.
///
/// Only what inserting rows does is looked at, for only that happens in a copy: a trigger that sets a value when a row is
/// updated or deleted leaves copies alone.
extension StoreValidator {
  func keptColumns() -> [Diagnostic] {
    attributes.filter { $0.use.keyPart == nil && !$0.column.isGenerated }.compactMap { stored in
      if stored.attribute.isKeptByTriggers {
        return writes.contains { $0.writes(stored.column, of: stored.table) } ? nil : .triggerMissing(stored)
      }
      let made = made(stored)
      guard let write = made.first else { return nil }
      return .triggerColumn(
        stored, write: write, isCounted: isChangedByOthers(stored),
        isKept: made.contains { isKeeping($0, stored) })
    }
  }

  /// The attributes of which triggers make whatever their columns are to hold, so that the model can leave them to these.
  package var keptAttributes: [AttributeDescription] {
    attributes.filter { stored in
      !stored.attribute.isKeptByTriggers && !stored.column.isGenerated
        && made(stored).contains { isKeeping($0, stored) }
    }.map(\.attribute)
  }

  /// What triggers write to a column when rows are inserted.
  private func made(_ stored: StoredAttribute) -> [TriggerWrite] {
    guard mayBeKept(stored) else { return [] }
    return writes.filter {
      $0.writes(stored.column, of: stored.table) && $0.isByInsert && !isOwnUpdate($0)
    }.sorted { $0.trigger < $1.trigger }
  }

  /// Whether a trigger follows updates of the rows that it writes, as one does that counts their versions.
  private func isOwnUpdate(_ write: TriggerWrite) -> Bool {
    let events = (schema[write.table]?.triggers ?? []).filter { $0.name.sqlName == write.trigger }.map(
      \.event)
    return events.contains("UPDATE") && !events.contains("INSERT")
  }

  /// Whether a trigger counts what it writes, or makes it for each new row whatever was given: a value that it sets now and
  /// then, or makes of the one that is there, is right as it is copied.
  private func isKeeping(_ write: TriggerWrite, _ stored: StoredAttribute) -> Bool {
    let (table, column) = (stored.table.name.sqlName, stored.column.name.sqlName)
    let key = mapping[model.rootEntity(of: stored.attribute.entity)].keyColumns
    return schema.names.compactMap { schema[$0] }.contains { home in
      home.triggers.filter { $0.name.sqlName == write.trigger }.contains { trigger in
        trigger.isOpaque || home.name.sqlName == table && trigger.assigned.contains(column)
          || trigger.updates.filter { $0.table.sqlName == table && $0.columns.contains(column) }.contains {
            $0.counted.contains(column) || $0.isOfNewRow(key: key) && !$0.adjusted.contains(column)
          }
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
            && (stored.attribute.isKeptByTriggers || mayBeKept(stored))
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
  private func isChangedByOthers(_ stored: StoredAttribute) -> Bool {
    let all = schema.names.compactMap { schema[$0] }
    let key = mapping[model.rootEntity(of: stored.attribute.entity)].keyColumns
    return stored.table.columns(changedByInsertsInto: all, key: key).contains {
      $0.name == stored.column.name
    }
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
        + (isCounted ? ", whatever members the copy has" : ""),
      help: isKept
        ? "write 'derived: trigger'\(needsDefault ? " and a 'default'" : ""), so that only the trigger maintains it"
        : "do nothing where a copy is to have the value of its original; 'derived: trigger' would leave it to the trigger alone"
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
