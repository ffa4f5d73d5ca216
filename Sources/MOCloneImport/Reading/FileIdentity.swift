import Foundation

/// A file as the file system knows it, whatever names and links lead to it.
struct FileIdentity: Equatable {
  private let device: UInt64
  private let node: UInt64
  /// The name of a file that is not there yet, whose folder is told by the numbers.
  private let name: String?

  /// Nil where not even the folder is there.
  init?(_ path: String) {
    var status = stat()
    if stat(path, &status) == 0 {
      self.init(status, name: nil)
    } else {
      let file = URL(fileURLWithPath: path)
      guard stat(file.deletingLastPathComponent().path, &status) == 0 else { return nil }
      self.init(status, name: file.lastPathComponent)
    }
  }

  init?(of handle: FileHandle) {
    var status = stat()
    guard fstat(handle.fileDescriptor, &status) == 0 else { return nil }
    self.init(status, name: nil)
  }

  private init(_ status: stat, name: String?) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    node = UInt64(truncatingIfNeeded: status.st_ino)
    self.name = name
  }
}
