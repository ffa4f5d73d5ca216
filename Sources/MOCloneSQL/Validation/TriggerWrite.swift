import MOCloneModel

/// Something that a trigger of a store writes.
package struct TriggerWrite: Hashable {
  package enum Kind: Hashable {
    case insert, delete
    case update(column: String)
  }

  /// The names of SQL are compared without case, so these are in lower case.
  package var trigger: String
  package var table: String
  package var kind: Kind
  /// Whether inserting a row is what runs the trigger, be it by way of another one.
  package var isByInsert: Bool

  package init(trigger: String, table: String, kind: Kind, isByInsert: Bool) {
    self.trigger = trigger
    self.table = table
    self.kind = kind
    self.isByInsert = isByInsert
  }
}

extension StoreSchema {
  /// What the bodies of the triggers say that they write, where the database itself cannot be asked.
  package var triggerWrites: Set<TriggerWrite> {
    let tables = names.compactMap { self[$0] }
    return Set(tables.flatMap { table in table.triggers.flatMap { $0.writes(on: table) } })
  }
}

extension TriggerSchema {
  fileprivate func writes(on table: TableSchema) -> [TriggerWrite] {
    let own = event == "DELETE" ? [] : assigned.map { (table.name, $0) }
    let columns = own + updates.flatMap { update in update.columns.map { (update.table, $0) } }
    return columns.map { table, column in
      TriggerWrite(
        trigger: name.sqlName, table: table.sqlName, kind: .update(column: column),
        isByInsert: event == "INSERT")
    }
  }
}
