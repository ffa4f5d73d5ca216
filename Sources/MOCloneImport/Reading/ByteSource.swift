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

  /// Refuses a file to write that is the one which is read, or another one that must stay.
  ///
  /// - Throws: `CloneError` (`invalid-value`).
  package func refuseToWrite(_ path: String, orAnyOf kept: [String]) throws {
    guard let file = FileIdentity(path) else { return }
    func refusal(_ reason: String) -> CloneError {
      CloneError(.invalidValue, "bad rows cannot be written into '\(path)', which is \(reason)")
    }
    if file == FileIdentity(of: handle) { throw refusal("the file that is read") }
    if let same = kept.first(where: { FileIdentity($0) == file }) {
      throw refusal("'\(same)', which the import needs; name another file")
    }
  }

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
