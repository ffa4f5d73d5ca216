import Foundation

/// A file as the file system knows it, whatever names and links lead to it.
package struct FileIdentity: Equatable {
  private let device: UInt64
  private let node: UInt64
  /// The name of a file that is not there yet, whose folder is told by the numbers.
  private let name: String?

  /// Nil if the folder does not exist either.
  package init?(_ path: String) {
    var status = stat()
    if stat(path, &status) == 0 {
      self.init(status, name: nil)
    } else {
      let file = URL(fileURLWithPath: Self.target(of: path))
      guard stat(file.deletingLastPathComponent().path, &status) == 0 else { return nil }
      self.init(status, name: file.lastPathComponent)
    }
  }

  package init?(of handle: FileHandle) {
    var status = stat()
    guard fstat(handle.fileDescriptor, &status) == 0 else { return nil }
    self.init(status, name: nil)
  }

  private init(_ status: stat, name: String?) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    node = UInt64(truncatingIfNeeded: status.st_ino)
    self.name = name
  }

  /// Where a path leads over symbolic links, also over one whose destination does not exist yet.
  package static func target(of path: String) -> String {
    var file = URL(fileURLWithPath: path)
    // As many as the system itself follows.
    for _ in 0..<40 {
      guard let link = try? FileManager.default.destinationOfSymbolicLink(atPath: file.path) else { break }
      file = URL(fileURLWithPath: link, relativeTo: file.deletingLastPathComponent()).absoluteURL
    }
    return file.path
  }
}
