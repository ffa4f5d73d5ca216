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
    let written = written.map { stored, writes in
      Diagnostic.triggerColumn(
        stored, write: writes[0], isCounted: isChangedByOthers(stored),
        isKept: writes.contains { isKeeping($0, stored) })
    }
    return written + missing.map { .triggerMissing($0) }
  }

  /// The attributes of which triggers make whatever their columns are to hold, so that the model can leave them to these.
  package var keptAttributes: [AttributeDescription] {
    written.filter { stored, writes in writes.contains { isKeeping($0, stored) } }.map(\.0.attribute)
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

  /// Whether a trigger counts what it writes, or makes it for each new row whatever was given: a value that it sets now and
  /// then, or makes of the one that is there, is right as it is copied.
  private func isKeeping(_ write: TriggerWrite, _ stored: StoredAttribute) -> Bool {
    let (table, column) = (stored.table.name.sqlName, stored.column.name.sqlName)
    let key = mapping[model.rootEntity(of: stored.attribute.entity)].keyColumns
    let homes = schema.names.compactMap { schema[$0] }
    return homes.contains { home in
      home.triggers.filter { $0.name.sqlName == write.trigger && $0.event != "DELETE" }.contains { trigger in
        home.name.sqlName == table && trigger.made.contains(column)
          || trigger.updates.filter { $0.table.sqlName == table && $0.columns.contains(column) }.contains {
            let isOfNewRow = home.name.sqlName == table && $0.isOfNewRow(key: key)
            return isOfNewRow
              ? $0.made.contains(column) : $0.counted.contains(column) && stored.attribute.type.isNumber
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

extension AttributeType {
  fileprivate var isNumber: Bool { isInteger || [.decimal, .double, .float].contains(self) }
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
