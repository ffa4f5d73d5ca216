import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// Puts what SQLite says of a row that it refuses into the model's words.
struct ImportConstraint {
  let table: StagedTable
  let model: ObjectModel

  func translated(_ error: DatabaseError) -> any Error {
    let message = error.message ?? "constraint failed"
    let names = properties(message)
    let which = names.map { "'\($0)'" }.joined(separator: " and ")
    let entity = table.entity.name
    switch error.extendedResultCode {
    case .SQLITE_CONSTRAINT_UNIQUE, .SQLITE_CONSTRAINT_PRIMARYKEY, .SQLITE_CONSTRAINT_ROWID:
      return CloneError(
        .uniqueValue, "two objects would have the same \(which) of \(entity), which is unique (\(message))",
        entity: entity, property: names.first)
    case .SQLITE_CONSTRAINT_NOTNULL, .SQLITE_CONSTRAINT_CHECK, .SQLITE_CONSTRAINT_FOREIGNKEY,
      .SQLITE_CONSTRAINT_TRIGGER:
      return CloneError(
        .constraintFailed, "the store refused a row of \(entity): \(message)", entity: entity,
        property: names.first)
    default: return error
    }
  }

  /// The properties whose columns SQLite names, or the columns.
  private func properties(_ message: String) -> [String] {
    let list = (message.split(separator: ": ", maxSplits: 1).last ?? "") + ", "
    let columns = table.table.columns.map(\.name).filter { list.contains("\(table.table.name).\($0), ") }
    return columns.map { column in
      let attribute = table.mapping.attributes.first { $0.value.column.sqlName == column.sqlName }
      return attribute?.key ?? table.mapping.foreignKeys.first { $0.key.columns.contains(column) }?
        .relationship
        ?? column
    }
  }
}
