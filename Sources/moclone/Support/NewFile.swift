import Foundation
import MOCloneEngine
import MOCloneKit

/// A file that a command makes and never replaces.
struct NewFile {
  let path: String

  /// - Throws: `CloneError` (`store-exists`) where there is something at the path.
  init(_ path: String) throws {
    self.path = path
    guard !FileManager.default.fileExists(atPath: path) else {
      throw CloneError(
        .storeExists, "The file '\(path)' already exists", help: "remove it, or name another file with -o")
    }
  }

  /// - Throws: `CloneError`: `unwritable-file`; `store-exists` for what appeared there meanwhile.
  func write(_ data: Data) throws { try DraftFile.write(data, to: path, replacing: false) }
}
