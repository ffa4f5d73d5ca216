import Foundation
import MOCloneEngine

extension StoreFile {
  /// Runs a body with the path of an empty file for a database of its own, which goes with it.
  ///
  /// - Throws: `CloneError` (`store-failed`) where the folder for temporary files takes none; what the body throws.
  static func withTemporary<Result>(_ body: (String) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory
    let path = folder.appendingPathComponent("moclone-\(UUID().uuidString).sqlite").path
    let file = Foundation.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else {
      throw CloneError(
        .storeFailed,
        "no temporary file can be made in the folder '\(folder.path)': \(String(cString: strerror(errno)))",
        help: "set TMPDIR to a folder that can be written")
    }
    close(file)
    Leftovers.add(path) {
      ExternalFiles(of: path).unlink()
      for ending in ["", "-journal", "-wal", "-shm"] { unlink(path + ending) }
    }
    defer { Leftovers.remove(path) }
    return try body(path)
  }
}
