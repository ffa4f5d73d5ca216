import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// The triggers of a store that keep values which its model leaves to triggers.
///
/// A new store holds a part of the objects, so such a value is neither the source's nor the default, but what the triggers
/// make of the rows that come: they are there before the rows. What they do besides must not be seen in the new store,
/// which holds what was put in: dates and other values are written again after them, tables that the model does not name
/// are emptied. A row that they add to a table of the model could not be told from one that was put in, so there the store
/// is not made.
struct KeepingTriggers {
  private let names: Set<String>
  /// Tables beside the model's that they write, in lower case.
  let others: [String]

  /// - Parameter whole: tables beside the model's that come whole.
  /// - Throws: `CloneError` (`store-mismatch`) where such a trigger does what cannot be taken back.
  init(_ db: Database, in model: ObjectModel, whole: [String]) throws {
    let mapping = SchemaMapping(model)
    let kept = KeptColumns(model, mapping: mapping)
    guard !kept.isEmpty else {
      (names, others) = ([], [])
      return
    }
    let mapped = StoreCheck.tables(of: model.entities.map(\.name), model, mapping: mapping)
    let filled = Set((mapped + whole).map(\.sqlName))
    let writes = try TriggerWrites.all(in: db).filter(\.isByInsert)
    let tables = try Self.tables(db)
    var names = Set(writes.filter { kept.attribute(written: $0) != nil }.map(\.trigger))
    // A trigger can be run by what another one writes to a table that is not filled otherwise.
    while true {
      let run = Set(names.compactMap { tables[$0] }).subtracting(filled)
      let more = Set(writes.filter { run.contains($0.table) }.map(\.trigger)).subtracting(names)
      guard !more.isEmpty else { break }
      names.formUnion(more)
    }
    let own = writes.filter { names.contains($0.trigger) }
    others = Set(own.map(\.table)).subtracting(mapped.map(\.sqlName)).sorted()
    self.names = names
    // What such a trigger adds to a table that comes whole would be counted with what comes.
    let lastingTables = Set(mapped.map(\.sqlName)).union(filled.intersection(names.compactMap { tables[$0] }))
    let schema = try SchemaReader(db: db).schema(of: mapped)
    let lasting = own.filter {
      lastingTables.contains($0.table) && kept.attribute(written: $0) == nil
        && !Self.isWrittenAgain($0, in: model, mapping: mapping, schema: schema)
    }
    if let write = lasting.min(by: { ($0.trigger, $0.table) < ($1.trigger, $1.table) }) {
      throw CloneError.lastingWrite(write)
    }
  }

  func contains(_ trigger: String) -> Bool { names.contains(trigger.sqlName) }

  /// The tables of the triggers.
  private static func tables(_ db: Database) throws -> [String: String] {
    let rows = try Row.fetchAll(
      db, sql: "SELECT name, tbl_name FROM main.sqlite_schema WHERE type = 'trigger'")
    return Dictionary(
      rows.map { (($0[0] as String).sqlName, ($0[1] as String).sqlName) }, uniquingKeysWith: { $1 })
  }

  /// Whether the transfer gives a column the value again that it was to have.
  private static func isWrittenAgain(
    _ write: TriggerWrite, in model: ObjectModel, mapping: SchemaMapping, schema: StoreSchema
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
  fileprivate static func lastingWrite(_ write: TriggerWrite) -> CloneError {
    let what =
      switch write.kind {
      case .insert: "inserts into the table '\(write.table)'"
      case .delete: "deletes from the table '\(write.table)'"
      case .update(let column): "writes the column '\(column)' of the table '\(write.table)'"
      }
    return CloneError(
      .storeMismatch,
      "the trigger '\(write.trigger)' maintains a value that the model leaves to triggers, so it must run while the new store is "
        + "filled, but it also \(what), which would then differ from the source; split it into two triggers")
  }
}
