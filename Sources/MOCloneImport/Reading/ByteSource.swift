import Foundation
import MOCloneEngine

/// The bytes of a file or of standard input, read in large blocks.
package final class ByteSource {
  /// What the file is called in messages.
  package let name: String
  /// How many bytes there are in all, where that is known: a pipe does not tell.
  package let size: Int?
  package private(set) var bytesRead = 0
  /// Told of every block that was read.
  package var observer: ((UnsafeRawBufferPointer) -> Void)?
  private let handle: FileHandle

  /// - Parameter path: `-` stands for standard input.
  /// - Throws: `CloneError` (`unreadable-file`).
  package convenience init(path: String) throws {
    guard path != "-" else {
      self.init(handle: .standardInput, name: "<stdin>")
      return
    }
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue,
      let handle = FileHandle(forReadingAtPath: path)
    else { throw ImportFault.unreadable(path) }
    self.init(handle: handle, name: path)
  }

  package init(handle: FileHandle, name: String) {
    self.handle = handle
    self.name = name
    var status = stat()
    let isFile = fstat(handle.fileDescriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    size = isFile ? Int(status.st_size) : nil
  }

  /// What no result may be written over: the file that is read, and others.
  package func needed(with others: [String]) -> NeededFiles { NeededFiles(others, readBy: handle) }

  /// Reads as much as there is, up to the room given.
  ///
  /// - Returns: 0 at the end.
  func read(into room: UnsafeMutableRawBufferPointer) throws -> Int {
    try Task.checkCancellation()
    while true {
      let count = Foundation.read(handle.fileDescriptor, room.baseAddress, room.count)
      if count >= 0 {
        bytesRead += count
        observer?(UnsafeRawBufferPointer(rebasing: room[..<count]))
        return count
      }
      guard errno == EINTR else { throw ImportFault.unreadable(name) }
      try Task.checkCancellation()
    }
  }
}
