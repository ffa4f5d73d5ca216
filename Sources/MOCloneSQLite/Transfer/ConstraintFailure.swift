import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// What a constraint of the store has refused, in the model's words: the one place that reads what SQLite says of it.
struct ConstraintFailure {
  /// Whether two rows would have the same values in columns that are unique.
  let isUnique: Bool
  let message: String
  /// The columns of the table that SQLite names, in its order.
  let columns: [String]
  /// The properties that lie in them, or the columns.
  let properties: [String]

  /// Nil where the error is none of a constraint.
  ///
  /// - Parameters:
  ///   - table: the one that was written; nil for a table of pairs.
  ///   - entities: those whose objects lie there.
  init?(_ error: DatabaseError, writing table: TableSchema?, of entities: [String], _ mapping: SchemaMapping)
  {
    guard error.resultCode == .SQLITE_CONSTRAINT else { return nil }
    let message = error.message ?? "constraint failed"
    let codes: [ResultCode] = [
      .SQLITE_CONSTRAINT_UNIQUE, .SQLITE_CONSTRAINT_PRIMARYKEY, .SQLITE_CONSTRAINT_ROWID,
    ]
    let columns = table.map { Self.columns(of: $0, in: message) } ?? []
    // Columns of another table are written by a trigger.
    let isOfTrigger = table != nil && columns.isEmpty && !message.contains(": index '")
    isUnique = codes.contains(error.extendedResultCode) && !isOfTrigger
    self.message = message
    self.columns = columns
    properties = columns.map { Self.property(in: $0, of: entities, mapping) }
  }

  /// SQLite names them: `UNIQUE constraint failed: item.code, item.note_id`. Names can hold every one of these signs,
  /// so those of the table are looked for and the text is not taken apart.
  private static func columns(of table: TableSchema, in message: String) -> [String] {
    let list = message.split(separator: ": ", maxSplits: 1).last.map { $0 + ", " } ?? ""
    let found = table.columns.map(\.name).compactMap { name in
      list.range(of: "\(table.name).\(name), ").map { (name, $0.lowerBound) }
    }
    return found.sorted { $0.1 < $1.1 }.map(\.0)
  }

  private static func property(in column: String, of entities: [String], _ mapping: SchemaMapping) -> String {
    for entity in entities {
      let map = mapping[entity]
      if let name = map.attributes.filter({ $0.value.column.sqlName == column.sqlName }).keys.min() {
        return name
      }
      if let name = map.foreignKeys.first(where: { $0.key.columns.contains(column) })?.relationship {
        return name
      }
    }
    return column
  }

  /// `'name' and 'unit'`, or what SQLite says.
  var names: String {
    properties.isEmpty ? message : properties.map { "'\($0)'" }.joined(separator: " and ")
  }

  /// - Parameter advice: what can be done about a value that is there already.
  func error(of entity: String, advice: String? = nil) -> CloneError {
    let text =
      isUnique
      ? "\(names) of \(entity) is unique, but another object already has the same value"
        + (properties.isEmpty ? "" : " (\(message))") + (advice.map { "; \($0)" } ?? "")
      : "the store refused a row of \(entity): \(message)"
    return CloneError(
      isUnique ? .uniqueValue : .constraintFailed, text, entity: entity,
      property: properties.first)
  }
}
