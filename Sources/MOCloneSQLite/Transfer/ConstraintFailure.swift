import GRDB
import MOCloneModel
import MOCloneSQL

extension ConstraintFailure {
  /// The one place that reads what SQLite says of a constraint; nil where the error is of none.
  ///
  /// - Parameters:
  ///   - table: the one that was written; nil for a join table.
  ///   - entities: those whose objects lie there.
  init?(_ error: DatabaseError, writing table: TableSchema?, of entities: [String], mapping: SchemaMapping) {
    guard error.resultCode == .SQLITE_CONSTRAINT else { return nil }
    let message = error.message ?? "constraint failed"
    let codes: [ResultCode] = [
      .SQLITE_CONSTRAINT_UNIQUE, .SQLITE_CONSTRAINT_PRIMARYKEY, .SQLITE_CONSTRAINT_ROWID,
    ]
    let columns = table.map { Self.columns(of: $0, in: message) } ?? []
    // Columns of another table are written by a trigger.
    let isOfTrigger = table != nil && columns.isEmpty && !message.contains(": index '")
    let index = table.flatMap { Self.index(of: $0, columns, in: message) }
    self.init(
      isUnique: codes.contains(error.extendedResultCode) && !isOfTrigger,
      isOfNull: error.extendedResultCode == .SQLITE_CONSTRAINT_NOTNULL && !isOfTrigger, message: message,
      columns: columns.isEmpty ? index?.columns.compactMap(\.name) ?? [] : columns, index: index,
      of: entities, mapping)
  }

  /// SQLite names an index with expressions only: `UNIQUE constraint failed: index 'u'`. Of one with columns it tells these;
  /// it holds all rows, unless there is none but for a part of them.
  private static func index(of table: TableSchema, _ columns: [String], in message: String) -> IndexSchema? {
    let unique = table.indexes.filter(\.isUnique)
    guard !columns.isEmpty else { return unique.first { message.hasSuffix(": index '\($0.name)'") } }
    let same = unique.filter { $0.columns.map { $0.name ?? "" } == columns }
    return same.first { $0.condition == nil } ?? same.first
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
}
