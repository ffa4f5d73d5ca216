import Foundation

/// The files that a run reads or writes as its own, which no result of it may be written over.
package struct NeededFiles {
  private let paths: [String]
  private let handle: FileHandle?

  /// - Parameter handle: a file that is read already, under whatever name.
  package init(_ paths: [String], readBy handle: FileHandle? = nil) {
    self.paths = paths
    self.handle = handle
  }

  /// Refuses a file to write that is one of them, also through links and other spellings of its path.
  ///
  /// - Throws: `CloneError` (`needed-file`).
  package func refuse(writing path: String) throws {
    guard let file = FileIdentity(path) else { return }
    if let same = paths.first(where: { FileIdentity($0) == file }) {
      throw refusal(
        path,
        reason: same == path ? "this run needs it" : "it is the same file as '\(same)', which this run needs")
    }
    if let handle, file == FileIdentity(of: handle) {
      throw refusal(path, reason: "it is the input of this run")
    }
  }

  private func refusal(_ path: String, reason: String) -> CloneError {
    CloneError(.neededFile, "'\(path)' cannot be written: \(reason)", help: "name another file")
  }
}
