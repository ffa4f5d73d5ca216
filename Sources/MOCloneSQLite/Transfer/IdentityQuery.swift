import GRDB
import MOCloneEngine

extension SQLiteGraph {
  /// The objects that have an identity; one query, which a unique index over its columns makes fast.
  public func objects(_ identity: Identity, _ key: [IdentityPart]) throws -> [ObjectID] {
    try read { access in
      try Functions.register(in: access.db)
      return try access.ids(identity, key: key)
    }
  }
}
