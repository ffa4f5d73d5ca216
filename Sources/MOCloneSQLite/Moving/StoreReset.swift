import Foundation
import GRDB
import MOCloneEngine

extension StoreFile {
  /// Removes the database with its -wal and -shm, and a symbolic link that led to it.
  ///
  /// - Returns: false where there is no store.
  /// - Throws: `CloneError`: `store-busy` where somebody writes it, `store-damaged` where the file is no database and so
  ///   is left alone.
  @discardableResult
  public func remove() throws -> Bool {
    guard exists else { return false }
    guard isDatabase else {
      throw CloneError(.storeDamaged, "'\(path)' is no SQLite database, so it is not removed")
    }
    try waitUntilUnused()
    // The database goes first: without the others it would be an older one.
    for file in [realPath] + StoreFile(realPath).companions + [path] where isThere(file) {
      guard unlink(file) == 0 || errno == ENOENT else {
        throw CloneError(
          .storeFailed, "'\(file)' cannot be removed: \(String(cString: strerror(errno)))")
      }
    }
    return true
  }

  /// Whether a path names something, were it a link that leads nowhere.
  private func isThere(_ file: String) -> Bool {
    (try? FileManager.default.attributesOfItem(atPath: file)) != nil
  }

  /// A damaged store can be removed too; one that is being written or read cannot.
  private func waitUntilUnused() throws {
    do {
      let queue = try open(isReadOnly: false)
      defer { try? queue.close() }
      try naming {
        try queue.writeWithoutTransaction { try $0.execute(sql: "BEGIN EXCLUSIVE; ROLLBACK") }
      }
    } catch let error as CloneError where error.code != .storeBusy {}
  }
}
