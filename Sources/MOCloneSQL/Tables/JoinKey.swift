import MOCloneModel

/// The key that the rows of a join table have of their own: the model does not name it, so nothing refers to it, and rows
/// that are copied need not keep it.
package struct JoinKey: Equatable, Sendable {
  package let column: String
  private let schema: ColumnSchema
  private let table: TableSchema

  /// Nil where a table has no such key, or where that is counted without being named.
  ///
  /// - Parameter columns: those that the model does not name.
  package init?(_ table: TableSchema, among columns: [String]) {
    guard table.primaryKey.count == 1,
      let column = columns.first(where: { $0.sqlName == table.primaryKey[0].sqlName }),
      let schema = table.column(column),
      !table.foreignKeys.contains(where: { $0.columns.contains { $0.sqlName == column.sqlName } })
    else { return nil }
    (self.column, self.schema, self.table) = (column, schema, table)
  }

  /// Whether new keys are numbers, in the order of those of the rows that are copied.
  package var isNumber: Bool { schema.affinity == "INTEGER" }

  /// The key of a new row: the next number, or a UUID where the own one may not stay; nil where the database counts.
  ///
  /// - Parameters:
  ///   - own: the key of the row that is copied, in SQL.
  ///   - order: what the new rows are counted by.
  ///   - keeps: whether a key stays that no row of the store has.
  package func value(_ own: String, order: [String], keeps: Bool, uuids: UUIDStorage, dialect: Dialect)
    -> String?
  {
    if table.countedKey?.sqlName == column.sqlName { return nil }
    if let next = schema.next { return dialect.newKey(next) }
    if isNumber {
      let last = dialect.end(of: column, in: table.name, where: .always)
      return "\(last) + row_number() OVER (ORDER BY \(order.list))"
    }
    guard takesUUIDs else { return own }
    let new = newUUID(own, uuids: uuids, dialect: dialect)
    guard keeps else { return new }
    let isTaken = Condition.exists(
      in: From("\(dialect.table(table.name)) t"), where: .equal([dialect.column("t", column)], [own]), dialect
    )
    return isTaken.choose(new, else: own)
  }

  /// Whether the column is made for texts or bytes, with room for a UUID.
  private var takesUUIDs: Bool {
    switch schema.base {
    case "uuid", "text": true
    case "varchar", "bpchar": schema.limits.first.map { $0 >= 36 } ?? true
    case nil: !schema.type.isEmpty && ["TEXT", "BLOB"].contains(schema.affinity)
    default: false
    }
  }

  /// A UUID in the form that the own one has, as far as it tells.
  private func newUUID(_ own: String, uuids: UUIDStorage, dialect: Dialect) -> String {
    let text = dialect.cast(dialect.newUUID(uuids, schema), as: schema)
    guard !dialect.hasTypes, uuids != .blob else { return text }
    return Condition.sql("typeof(\(own)) = 'blob'").choose(dialect.newUUID(.blob, schema), else: text)
  }
}

/// What the rows of a join table hold beside their ends and positions.
package struct JoinExtras {
  package let key: JoinKey?
  /// The columns that are copied unchanged.
  package let copied: [String]

  package init(_ table: TableSchema, model: ObjectModel, mapping: SchemaMapping) {
    let unmapped = model.store.unmapped == .copy ? table.unmappedColumns(mapping).map(\.name) : []
    let key = JoinKey(table, among: unmapped)
    self.key = key
    copied = unmapped.filter { $0 != key?.column && !table.isRowid($0) }
  }
}
