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
        guard try db.hasTable("Z_PRIMARYKEY") else { return .none }
        guard try db.hasTable("Z_MODELCACHE") else { return .store(archive: nil) }
        return .store(archive: try Data.fetchOne(db, sql: "SELECT Z_CONTENT FROM main.Z_MODELCACHE LIMIT 1"))
      }
    }
  }
}

extension Database {
  fileprivate func hasTable(_ name: String) throws -> Bool {
    let sql =
      "SELECT EXISTS (SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND lower(name) = lower(?))"
    return try Bool.fetchOne(self, sql: sql, arguments: [name]) ?? false
  }
}
