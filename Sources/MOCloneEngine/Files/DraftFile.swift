import Foundation

/// A file that is written beside its place and moved there when it is whole.
///
/// A run that fails before leaves an older file as it was. What is no regular file, such as a pipe, is written at once.
package final class DraftFile {
  /// As the caller names it.
  private let path: String
  /// Where links lead to, since a link stays a link.
  private let target: String
  private let handle: FileHandle
  /// Nil where the file is written at once, and when it is in its place.
  private var draft: String?

  package init(path: String) throws(CloneError) {
    self.path = path
    target = FileIdentity.target(of: path)
    var status = stat()
    let exists = stat(target, &status) == 0
    let isRegular = !exists || status.st_mode & S_IFMT == S_IFREG
    let folder = URL(fileURLWithPath: target).deletingLastPathComponent()
    if exists, isRegular { try Self.checkWritable(target, path) }
    guard FileManager.default.fileExists(atPath: folder.path) else {
      throw Self.failure(path, "its folder does not exist")
    }
    let name = URL(fileURLWithPath: target).lastPathComponent
    let place = isRegular ? folder.appendingPathComponent(".\(name).\(UUID())").path : target
    let descriptor = open(place, isRegular ? O_WRONLY | O_CREAT | O_EXCL : O_WRONLY, 0o666)
    guard descriptor >= 0 else { throw Self.failure(path, String(cString: strerror(errno))) }
    if isRegular, exists { fchmod(descriptor, status.st_mode & 0o7777) }
    handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    draft = isRegular ? place : nil
  }

  /// Replaces a file as a whole or not at all.
  package static func write(_ data: Data, to path: String) throws(CloneError) {
    let file = try DraftFile(path: path)
    try file.write(data)
    try file.moveIntoPlace()
  }

  deinit {
    if let draft { unlink(draft) }
  }

  package func write(_ data: Data) throws(CloneError) {
    do { try handle.write(contentsOf: data) } catch { throw Self.failure(path, error.plainReason) }
  }

  /// Ends the writing.
  ///
  /// - Throws: `CloneError` (`unwritable-file`), which names the place where the whole text lies instead.
  package func moveIntoPlace() throws(CloneError) {
    do { try handle.close() } catch { throw Self.failure(path, error.plainReason) }
    guard let draft else { return }
    self.draft = nil
    guard rename(draft, target) == 0 else {
      throw Self.failure(path, "\(String(cString: strerror(errno))); what it would hold is in '\(draft)'")
    }
  }

  /// A file that must not change is not replaced either.
  private static func checkWritable(_ target: String, _ path: String) throws(CloneError) {
    let descriptor = open(target, O_WRONLY)
    guard descriptor >= 0 else { throw failure(path, String(cString: strerror(errno))) }
    close(descriptor)
  }

  private static func failure(_ path: String, _ reason: String) -> CloneError {
    CloneError(.unwritableFile, "'\(path)' cannot be written: \(reason)")
  }
}
