import MOCloneEngine
import MOCloneModel

/// A store that rows are taken out of, on its connection, in one state of it.
package struct SourceRows {
  let db: any TransferConnection
  let store: StoreLayout
  let reader: any ObjectReading
  /// An object of a root entity, from its mark and its key.
  let object: (_ row: [StoredValue], _ root: String) throws -> ObjectID
  /// Finds the closures of a plan, and hands out their objects.
  package typealias Closures = (
    ClonePlan, _ roots: [ObjectID], _ body: ([ClosurePart]) throws -> Void
  ) throws -> Void
  let closures: Closures

  /// - Throws: `CloneError` (`store-mismatch`) with everything that is missing.
  package init<Connection: TransferConnection>(
    _ access: RowAccess<Connection>, closures: @escaping Closures
  ) throws {
    db = access.db
    store = try access.storeLayout()
    reader = access
    object = { try access.id($0, of: $1) }
    self.closures = closures
  }
}

/// The objects of a closure in one table.
package struct ClosurePart {
  /// Their root entity.
  let entity: String
  let keys: Select
  /// The keys of those that ask for a relationship for which others do not, by its qualified name.
  let asking: [String: Select]
}
