import Foundation
import GRDB
import MOCloneEngine

extension StoreFile {
  /// Removes the database with its -wal and -shm, and a symbolic link that led to it.
  ///
  /// - Returns: false where there is no store.
  /// - Throws: `CloneError`: `store-busy` where another process has it open, `store-damaged` where the file is no database and so
  ///   is left alone.
  @discardableResult
  public func remove() throws -> Bool {
    guard exists else { return false }
    guard isDatabase else {
      throw CloneError(.storeDamaged, "'\(path)' is not a SQLite database, so it is not removed")
    }
    try withExclusiveLock {
      // The database goes first: without the others it would be an older one.
      for file in [realPath] + StoreFile(realPath).companions + [path] where exists(file) {
        guard unlink(file) == 0 || errno == ENOENT else {
          throw CloneError(
            .storeFailed, "'\(file)' cannot be removed: \(String(cString: strerror(errno)))")
        }
      }
    }
    return true
  }

  /// Removes a store that was seeded into another one, with the files of its large values that were copied.
  package func remove(seededInto target: StoreFile) throws {
    let files = ExternalFiles(of: path)
    if try remove() { files.removeCopied(to: ExternalFiles(of: target.path)) }
  }

  /// Whether a path names something, even a symbolic link to a missing file.
  private func exists(_ file: String) -> Bool {
    (try? FileManager.default.attributesOfItem(atPath: file)) != nil
  }
}
