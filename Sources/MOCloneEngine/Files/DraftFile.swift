import Foundation
import MOCloneModel

/// A file that is written beside its place and moved there when it is whole.
///
/// A run that fails before leaves an older file as it was. What is no regular file, such as a pipe, gets everything then.
package final class DraftFile {
  /// As the caller names it.
  private let path: String
  /// Where links lead to, since a link stays a link.
  private let target: String
  private let handle: FileHandle
  /// What is no regular file, which is held open.
  private let special: FileHandle?
  /// Nil when it is in its place.
  private var draft: String?

  package init(path: String) throws(CloneError) {
    self.path = path
    target = FileIdentity.target(of: path)
    var status = stat()
    let exists = stat(target, &status) == 0
    let isRegular = !exists || status.isRegularFile
    let folder = URL(fileURLWithPath: target).deletingLastPathComponent()
    try Self.check(path)
    let name = URL(fileURLWithPath: target).lastPathComponent
    special = isRegular ? nil : try Self.handle(target, use: O_WRONLY, path: path)
    let around = isRegular ? folder : FileManager.default.temporaryDirectory
    let place = around.appendingPathComponent(".\(name).\(UUID())").path
    Leftovers.add(place) { _ = unlink(place) }
    do { handle = try Self.handle(place, use: O_RDWR | O_CREAT | O_EXCL, path: path) } catch {
      Leftovers.forget(place)
      throw error
    }
    if isRegular, exists { fchmod(handle.fileDescriptor, status.st_mode & 0o7777) }
    draft = place
  }

  /// A folder is never made for a file: its name may be misspelt.
  ///
  /// - Throws: `CloneError` (`unwritable-file`) where the folder does not exist.
  package static func checkFolder(of path: String) throws(CloneError) {
    let folder = URL(fileURLWithPath: FileIdentity.target(of: path)).deletingLastPathComponent()
    guard !FileManager.default.fileExists(atPath: folder.path) else { return }
    throw failure(path, reason: "its folder does not exist")
  }

  /// Refuses a file that cannot be written, and makes and opens none.
  ///
  /// - Throws: `CloneError` (`unwritable-file`).
  package static func check(_ path: String) throws(CloneError) {
    try checkFolder(of: path)
    let target = FileIdentity.target(of: path)
    var status = stat()
    let exists = stat(target, &status) == 0
    if exists, status.st_mode & S_IFMT == S_IFDIR {
      throw failure(path, reason: String(cString: strerror(EISDIR)))
    }
    // A file that must not change is not replaced either.
    if exists { try checkAccess(target, W_OK, path: path) }
    guard !exists || status.isRegularFile else { return }
    let folder = URL(fileURLWithPath: target).deletingLastPathComponent().path
    try checkAccess(folder + "/.", W_OK | X_OK, path: path)
  }

  private static func checkAccess(_ file: String, _ use: Int32, path: String) throws(CloneError) {
    guard access(file, use) == 0 else { throw failure(path, reason: String(cString: strerror(errno))) }
  }

  private static func handle(_ file: String, use: Int32, path: String) throws(CloneError) -> FileHandle {
    let descriptor = open(file, use, 0o666)
    guard descriptor >= 0 else { throw failure(path, reason: String(cString: strerror(errno))) }
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  /// Replaces a file as a whole or not at all.
  package static func write(_ data: Data, to path: String, replacing: Bool = true) throws(CloneError) {
    let file = try DraftFile(path: path)
    try file.write(data)
    try file.moveIntoPlace(replacing: replacing)
  }

  deinit {
    if let draft { Leftovers.remove(draft) }
  }

  package func write(_ data: Data) throws(CloneError) {
    do { try handle.write(contentsOf: data) } catch { throw Self.failure(path, reason: error.plainReason) }
  }

  /// Ends the writing.
  ///
  /// - Parameter replacing: whether a file that is in the place by now is replaced.
  /// - Throws: `CloneError`: `unwritable-file`, which names the place where the whole text lies instead; `store-exists`.
  package func moveIntoPlace(replacing: Bool = true) throws(CloneError) {
    if let special { return try copy(to: special) }
    do { try handle.close() } catch { throw Self.failure(path, reason: error.plainReason) }
    guard let draft else { return }
    if !replacing {
      // Unlike a rename it does not replace what another process has put there meanwhile.
      if link(draft, target) == 0 {
        self.draft = nil
        return Leftovers.remove(draft)
      }
      if errno == EEXIST {
        throw CloneError(
          .storeExists, "the file '\(path)' already exists", help: "remove it, then run this again")
      }
    }
    self.draft = nil
    defer { Leftovers.forget(draft) }
    guard rename(draft, target) == 0 else {
      throw Self.failure(path, reason: "\(String(cString: strerror(errno))); its contents are in '\(draft)'")
    }
  }

  private func copy(to special: FileHandle) throws(CloneError) {
    do {
      try handle.seek(toOffset: 0)
      while let block = try handle.read(upToCount: 1 << 16), !block.isEmpty {
        try special.write(contentsOf: block)
      }
    } catch { throw Self.failure(path, reason: error.plainReason) }
  }

  private static func failure(_ path: String, reason: String) -> CloneError {
    CloneError(.unwritableFile, "'\(path)' cannot be written: \(reason)")
  }
}
