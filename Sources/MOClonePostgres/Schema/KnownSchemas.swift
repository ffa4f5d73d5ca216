import MOCloneSQL

/// What was read of tables of one database, each as long as no statement changes what the catalogue says of them.
struct KnownSchemas {
  private var known: [[String]: (schema: StoreSchema, state: PostgresTableState)] = [:]
  private static let capacity = 64

  /// One statement where they are known, eight where they are not.
  ///
  /// - Throws: `CloneError` where two names differ in letter case only.
  mutating func schema(of tables: [String], in connection: PostgresConnection) throws -> StoreSchema {
    if let known = known[tables], try known.state.isCurrent(in: connection) { return known.schema }
    let state = try PostgresTableState(of: tables, in: connection)
    let schema = try PostgresSchemaReader(connection).schema(of: tables)
    if known.count >= Self.capacity { known.removeAll(keepingCapacity: true) }
    known[tables] = (schema, state)
    return schema
  }
}
