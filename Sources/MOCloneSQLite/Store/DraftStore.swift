import Foundation
import MOCloneEngine

/// A place beside a store where a new one is made, which nobody else takes, not even another task of the process.
///
/// A file beside it is locked as long as the store is made. The system ends the lock with the process, so what nobody has
/// locked was left by one that was killed; numbers of processes say nothing of other machines and containers.
struct DraftStore {
  /// The path of the store to make.
  let path: String
  private let lock: Int32

  /// Takes a new place, until `remove()`; nil where no file can be made there, as `errno` says.
  static func beside(_ store: String) -> DraftStore? {
    while true {
      let path = "\(store).\(UUID()).tmp"
      Leftovers.add(path) { DraftStore(path: path, lock: -1).remove() }
      let lock = open(path + "-lock", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
      guard lock >= 0 else {
        Leftovers.forget(path)
        return nil
      }
      // Where a file system knows no locks, nobody can tell that the place is free either.
      let isLocked = flock(lock, LOCK_EX | LOCK_NB) == 0 || errno != EAGAIN
      // Before it was locked, another one can have removed it as what a killed process left.
      if isLocked, FileManager.default.fileExists(atPath: path + "-lock") {
        return DraftStore(path: path, lock: lock)
      }
      close(lock)
      Leftovers.forget(path)
    }
  }

  /// Removes whatever is there, which has been moved away where the store was made.
  func remove() {
    ExternalFiles(of: path).removeAll()
    // The lock goes last: what has none is nobody's.
    for ending in ["", "-wal", "-shm", "-journal", "-lock"] { unlink(path + ending) }
    if lock >= 0 { close(lock) }
    Leftovers.forget(path)
  }

  // MARK: Leftovers

  /// Removes what processes have left that were killed while they made a store.
  static func removeLeftovers(beside store: String) {
    let file = URL(fileURLWithPath: store)
    let folder = file.deletingLastPathComponent()
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    for name in Set(files.compactMap { draft($0, of: file.lastPathComponent) }) {
      let path = folder.appendingPathComponent(name).path
      let lock = open(path + "-lock", O_RDWR | O_CLOEXEC)
      let isFree = lock >= 0 ? flock(lock, LOCK_EX | LOCK_NB) == 0 : errno == ENOENT
      if isFree {
        DraftStore(path: path, lock: lock).remove()
      } else if lock >= 0 {
        close(lock)
      }
    }
  }

  /// The name of the new store that a file belongs to; nil for other files.
  private static func draft(_ file: String, of store: String) -> String? {
    guard file.hasPrefix(store + ".") else { return nil }
    let rest = file.dropFirst(store.count + 1)
    guard UUID(uuidString: String(rest.prefix(36))) != nil, rest.dropFirst(36).hasPrefix(".tmp") else {
      return nil
    }
    return String(file.prefix(store.count + 1 + 36 + 4))
  }
}
