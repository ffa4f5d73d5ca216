import MOCloneEngine
import MOCloneModel
import MOCloneSQL

extension PostgresGraph {
  /// Makes the tables of the model in the database, all or none.
  ///
  /// - Throws: `CloneError` (`store-mismatch`) where a table exists.
  public func createTables() throws {
    try write { access in
      for statement in try SchemaWriter(model, .postgres).statements() { try access.db.run(statement) }
    }
  }
}
