import GRDB
import MOCloneEngine
import MOCloneSQL

extension SchemaWriter {
  /// Makes the tables.
  ///
  /// - Throws: `CloneError` where the database refuses, for instance because a table exists.
  public func create(in db: Database) throws {
    do {
      for statement in try statements() { try db.execute(sql: statement) }
    } catch let error as DatabaseError {
      throw StoreErrors.translated(error)
    }
  }
}
