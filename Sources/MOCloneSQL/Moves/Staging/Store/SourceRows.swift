import MOCloneEngine
import MOCloneModel

/// A store that rows are taken out of, on its connection, in one state of it.
package struct SourceRows {
  let db: any MovingConnection
  let store: StoreLayout
  let reader: any ObjectReading
  /// An object of a root entity, from its mark and its key.
  let object: (_ row: [StoredValue], _ root: String) throws -> ObjectID
  /// Finds the closures of a plan, and hands out the keys of their objects, by root entities.
  package typealias Closures = (
    ClonePlan, _ roots: [ObjectID], _ body: ([(entity: String, keys: Select)]) throws -> Void
  ) throws -> Void
  let closures: Closures

  /// - Throws: `CloneError` (`store-mismatch`) with everything that is missing.
  package init<Connection: MovingConnection>(
    _ access: RowAccess<Connection>, closures: @escaping Closures
  ) throws {
    db = access.db
    store = try access.storeLayout()
    reader = access
    object = { try access.id($0, of: $1) }
    self.closures = closures
  }
}
