import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// The triggers of a store that keep values which its model leaves to triggers.
///
/// A new store holds a part of the objects, so such a value is neither the source's nor the default, but what the triggers
/// make of the rows that come: they are there before the rows. What they do besides must not be seen in the new store,
/// which holds what was put in: dates and other values are written again after them, tables that the model does not name
/// are emptied. A row that they add to a table of the model could not be told from one that was put in, so a store with
/// rows for which such a trigger should have run is not made.
struct KeepingTriggers {
  private let names: Set<String>
  /// Those that must not run, by the tables that they are on, with what is said where these have rows.
  private let refused: [(table: String, error: CloneError)]
  /// Tables beside the model's that they write, in lower case.
  let others: [String]

  /// - Parameter whole: tables beside the model's that come whole.
  /// - Throws: `CloneError` (`store-mismatch`) where such a trigger of a table that comes whole does what cannot be taken
  ///   back.
  init(_ db: Database, in model: ObjectModel, whole: [String]) throws {
    let mapping = SchemaMapping(model, in: .sqlite)
    let kept = KeptColumns(model, mapping: mapping)
    guard !kept.isEmpty else {
      (names, refused, others) = ([], [], [])
      return
    }
    let mapped = StoreCheck.tables(of: model.entities.map(\.name), model, mapping: mapping)
    let filled = Set((mapped + whole).map(\.sqlName))
    let writes = try TriggerWrites.all(in: db).filter(\.isByInsert)
    let triggers = try Self.triggers(db)
    var names = Set(writes.filter { kept.attribute(written: $0) != nil }.map(\.trigger))
    func tables() -> Set<String> { Set(names.compactMap { triggers[$0]?.table.sqlName }) }
    // A trigger can be run by what another one writes to a table that is not filled otherwise.
    while true {
      let run = tables().subtracting(filled)
      let more = Set(writes.filter { run.contains($0.table) }.map(\.trigger)).subtracting(names)
      guard !more.isEmpty else { break }
      names.formUnion(more)
    }
    let own = writes.filter { names.contains($0.trigger) }
    others = Set(own.map(\.table)).subtracting(mapped.map(\.sqlName)).sorted()
    // What such a trigger adds to a table that comes whole would be counted with what comes.
    let lastingTables = Set(mapped.map(\.sqlName)).union(filled.intersection(tables()))
    let schema = try SchemaReader(db: db).schema(of: mapped)
    let lasting = own.filter {
      lastingTables.contains($0.table) && kept.attribute(written: $0) == nil
        && !Self.isWrittenAgain($0, mapping: mapping, schema: schema)
    }.sorted { ($0.trigger, $0.table, "\($0.kind)") < ($1.trigger, $1.table, "\($1.kind)") }
    let spelled = Dictionary(
      try SchemaReader(db: db).tableNames().map { ($0.sqlName, $0) }, uniquingKeysWith: { $1 })
    let refused = lasting.map { write -> (table: String, error: CloneError) in
      let maintained = own.filter { $0.trigger == write.trigger }.compactMap { kept.attribute(written: $0) }
      let trigger = triggers[write.trigger] ?? (name: write.trigger, table: write.table)
      let error = CloneError.lastingWrite(
        write, of: trigger.name, to: spelled[write.table] ?? write.table, schema[write.table],
        maintaining: maintained.isEmpty ? own.compactMap { kept.attribute(written: $0) } : maintained)
      return (trigger.table, error)
    }
    let isWhole = Set(whole.map(\.sqlName))
    if let first = refused.first(where: { isWhole.contains($0.table.sqlName) }) { throw first.error }
    self.refused = refused
    self.names = names.subtracting(lasting.map(\.trigger))
  }

  func contains(_ trigger: String) -> Bool { names.contains(trigger.sqlName) }

  /// Looks at the rows that the new store was filled with.
  ///
  /// - Throws: `CloneError` (`store-mismatch`) where a trigger that does what cannot be taken back should have run.
  func check(_ db: Database) throws {
    for (table, error) in refused {
      let sql = "SELECT EXISTS (SELECT 1 FROM \(Dialect.sqlite.table(table)))"
      if try Bool.fetchOne(db, sql: sql) == true { throw error }
    }
  }

  /// The names of the triggers and of their tables, as the store writes them.
  private static func triggers(_ db: Database) throws -> [String: (name: String, table: String)] {
    let rows = try Row.fetchAll(
      db, sql: "SELECT name, tbl_name FROM main.sqlite_schema WHERE type = 'trigger'")
    return Dictionary(
      rows.map { (($0[0] as String).sqlName, (name: $0[0] as String, table: $0[1] as String)) },
      uniquingKeysWith: { $1 })
  }

  /// Whether the transfer gives a column the value again that it was to have.
  private static func isWrittenAgain(
    _ write: TriggerWrite, mapping: SchemaMapping, schema: StoreSchema
  ) -> Bool {
    guard case .update(let column) = write.kind, let table = schema[write.table] else { return false }
    let key = mapping.entities.values.first { $0.table.sqlName == write.table }?.keyColumns ?? []
    return InsertUpdates(into: schema.names.compactMap { schema[$0] }).changed(in: table, key: key)
      .contains { $0.name.sqlName == column }
  }
}

/// The columns that the model leaves to triggers.
struct KeptColumns {
  private var attributes: [String: [String: AttributeDescription]] = [:]

  init(_ model: ObjectModel, mapping: SchemaMapping) {
    for attribute in model.entities.flatMap(\.attributes) where attribute.isKeptByTriggers {
      guard let column = mapping[attribute.entity].attributes[attribute.name] else { continue }
      attributes[mapping[attribute.entity].table.sqlName, default: [:]][column.column.sqlName] = attribute
    }
  }

  var isEmpty: Bool { attributes.isEmpty }

  /// The attribute whose column a trigger writes; nil where it writes another one.
  func attribute(written write: TriggerWrite) -> AttributeDescription? {
    guard case .update(let column) = write.kind else { return nil }
    return attributes[write.table]?[column]
  }
}

extension CloneError {
  /// - Parameter maintained: the attributes that the trigger keeps, or those that lead to it.
  fileprivate static func lastingWrite(
    _ write: TriggerWrite, of trigger: String, to table: String, _ schema: TableSchema?,
    maintaining maintained: [AttributeDescription]
  ) -> CloneError {
    let what =
      switch write.kind {
      case .insert: "inserts into the table '\(table)'"
      case .delete: "deletes from the table '\(table)'"
      case .update(let column):
        "writes the column '\(schema?.column(column)?.name ?? column)' of the table '\(table)'"
      }
    let names = Set(maintained.map { "'\($0.entity).\($0.name)'" }).sorted().joined(separator: ", ")
    return CloneError(
      .storeMismatch,
      "the trigger '\(trigger)' must run while the new store is filled, since the model leaves \(names) to "
        + "triggers, but it also \(what), which would then differ from the source",
      help: "remove 'derived: trigger' from \(names), so that the values are copied")
  }
}
