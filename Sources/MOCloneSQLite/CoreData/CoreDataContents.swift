import Foundation
import GRDB

/// What a SQLite file is to Core Data.
package enum CoreDataContents: Equatable, Sendable {
  /// The file was not made by Core Data.
  case none
  /// The file is a store, with the compressed archive of its model; nil where it does not hold one.
  case store(archive: Data?)
}

extension StoreFile {
  /// Looks for the tables of Core Data, and for the model among them; the file is only read.
  ///
  /// - Throws: `CloneError` (`no-such-store`, `store-damaged`, `store-busy`, `store-failed`).
  package func coreDataContents() throws -> CoreDataContents {
    let queue = try openWithoutTrace()
    return try naming {
      defer { try? queue.close() }
      return try queue.read { db in
        guard try CoreDataStore.isOne(db) else { return .none }
        guard try db.tableExists("Z_MODELCACHE", in: "main") else { return .store(archive: nil) }
        return .store(archive: try Data.fetchOne(db, sql: "SELECT Z_CONTENT FROM main.Z_MODELCACHE LIMIT 1"))
      }
    }
  }
}
