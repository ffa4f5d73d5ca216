import MOCloneModel

extension CoreDataMapping {
  /// The tables in which Core Data keeps what it knows of a store, as names are compared.
  package static let ownTables = ["z_primarykey", "z_metadata", "z_modelcache"]

  /// The columns of a table that a run keeps right without the model naming them.
  ///
  /// - Parameter named: the columns that the model names, as names are compared.
  package func columns(beside named: Set<String>, in table: TableSchema) -> [String] {
    guard tables[table.name.sqlName] != nil else { return [] }
    let all = [Self.versionColumn] + mirrors.map(\.column)
    let keys = named.union(mirrors.map(\.column.sqlName))
    return (all + keys.compactMap(table.entityColumn)).filter { table.column($0) != nil }
  }
}
