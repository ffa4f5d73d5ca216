import MOCloneEngine
import MOCloneSQL

extension PostgresGraph {
  /// Refuses a source that is this database, however it was named.
  ///
  /// - Throws: `CloneError` (`invalid-value`) where a table of the model is the same in both.
  func refuseItself(_ source: any ObjectGraph) throws {
    guard let source = source as? PostgresGraph else { return }
    let (own, other) = (try tableIDs(), try source.tableIDs())
    guard own.database == other.database, !own.tables.isDisjoint(with: other.tables) else { return }
    throw CloneError(.invalidValue, "the database cannot be copied into itself")
  }

  /// The database, which a server that runs tells from every other one, and the numbers of the model's tables in it.
  private func tableIDs() throws -> (database: String, tables: Set<Int>) {
    try read { access in
      let tables = StoreCheck.tables(of: model.entities.map(\.name), model, mapping: mapping)
      let rows = try connection.rows(
        """
        SELECT pg_postmaster_start_time()::text || ' ' || d.oid, to_regclass(n.name)::oid
        FROM pg_catalog.pg_database d, unnest(ARRAY[\(PostgresTableState.texts(of: tables).list)]) AS n(name) WHERE d.datname = current_database()
        """)
      return (rows.first?[0].string ?? "", Set(rows.filter { !$0[1].isNull }.map(\.[1].number)))
    }
  }
}
