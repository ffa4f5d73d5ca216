import Foundation
import MOCloneEngine
import MOCloneModel

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
  /// Where the reading began.
  private let start: off_t

  /// - Parameter path: `-` means standard input.
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

  /// Bytes in memory, by way of a file without a name.
  package convenience init(data: Data, name: String) throws {
    let file = try Self.unnamedFile(for: name)
    do { try file.write(contentsOf: data) } catch { throw ImportFault.noRoom(name, error.plainReason) }
    lseek(file.fileDescriptor, 0, SEEK_SET)
    self.init(handle: file, name: name)
  }

  package init(handle: FileHandle, name: String) {
    self.handle = handle
    self.name = name
    var status = stat()
    let isFile = fstat(handle.fileDescriptor, &status) == 0 && status.isRegularFile
    size = isFile ? Int(status.st_size) : nil
    start = isFile ? lseek(handle.fileDescriptor, 0, SEEK_CUR) : 0
  }

  /// The same bytes where they can be read again: a pipe is read to its end into a file without a name.
  func rereadable() throws -> ByteSource {
    guard size == nil else { return self }
    let file = try Self.unnamedFile(for: name)
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 1)
    defer { block.deallocate() }
    while true {
      let count = try read(into: block)
      guard count > 0 else { break }
      do { try file.write(contentsOf: Data(block[..<count])) } catch {
        throw ImportFault.noRoom(name, error.plainReason)
      }
    }
    lseek(file.fileDescriptor, 0, SEEK_SET)
    return ByteSource(handle: file, name: name)
  }

  private static func unnamedFile(for name: String) throws -> FileHandle {
    var path = Array((FileManager.default.temporaryDirectory.path + "/moclone.XXXXXX").utf8CString)
    let descriptor = mkstemp(&path)
    guard descriptor >= 0 else { throw ImportFault.noRoom(name, String(cString: strerror(errno))) }
    unlink(path)
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  /// Goes back to where the reading began, where that is possible.
  func rewind() throws {
    guard bytesRead > 0, size != nil else { return }
    guard lseek(handle.fileDescriptor, start, SEEK_SET) == start else { throw ImportFault.unreadable(name) }
    bytesRead = 0
  }

  /// Runs a body that reads all bytes; where they can be read again, once more after a conflict with another transaction.
  /// What it throws tells the rows by their places.
  func repeating<Result>(_ options: TransferOptions, _ body: () throws -> Result) throws -> Result {
    do {
      guard size != nil else { return try body() }
      return try options.repeating {
        try rewind()
        return try body()
      }
    } catch let error as CloneError { throw error.located(in: name) }
  }

  /// What no result may be written over: the file that is read, and others.
  package func needed(with others: [String]) -> NeededFiles { NeededFiles(others, readBy: handle) }

  /// Reads as much as there is, up to the room given.
  ///
  /// - Returns: 0 at the end.
  func read(into room: UnsafeMutableRawBufferPointer) throws -> Int {
    try Cancellation.check()
    while true {
      try waitForBytes()
      let count = Foundation.read(handle.fileDescriptor, room.baseAddress, room.count)
      if count >= 0 {
        bytesRead += count
        observer?(UnsafeRawBufferPointer(rebasing: room[..<count]))
        return count
      }
      guard errno == EINTR else { throw ImportFault.unreadable(name) }
    }
  }

  /// Waits until a pipe has more, or is at its end: nothing ends the wait of a reader.
  private func waitForBytes() throws {
    guard size == nil else { return }
    var descriptor = pollfd(fd: handle.fileDescriptor, events: Int16(POLLIN), revents: 0)
    while true {
      let ready = poll(&descriptor, 1, 20)
      let isInterrupted = ready < 0 && errno == EINTR
      try Cancellation.check()
      guard ready == 0 || isInterrupted else { return }
    }
  }
}
