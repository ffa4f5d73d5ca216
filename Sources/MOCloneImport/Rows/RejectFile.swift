import Foundation
import MOCloneEngine

/// The rows that were left out, one JSON object a line: place, reasons, and the row as it stood in the file.
///
/// They are gathered in a file beside it, which takes its place when the import is done; else all stays as it was.
final class RejectFile {
  /// As the caller names it.
  private let path: String
  /// Where links lead to; nil where it is no file that could be replaced, such as a pipe.
  private let target: String?
  private var temporary: String?
  private var handle: FileHandle?

  /// A file is made when there is something to write.
  init(path: String) {
    self.path = path
    var status = stat()
    let isOther = stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
    target = isOther ? nil : URL(fileURLWithPath: path).resolvingSymlinksInPath().path
  }

  deinit {
    if let temporary { unlink(temporary) }
  }

  private func opened() throws -> FileHandle {
    if let handle { return handle }
    let place = target.map { $0 + ".\(UUID().uuidString)" } ?? path
    guard target == nil || FileManager.default.createFile(atPath: place, contents: nil),
      let handle = FileHandle(forWritingAtPath: place)
    else { throw CloneError(.unreadableFile, "'\(path)' cannot be written") }
    if target != nil { temporary = place }
    self.handle = handle
    return handle
  }

  private struct Line: Encodable {
    var file: String
    var line: Int
    var column: Int
    var reasons: [String]
    var row: String?
  }

  func write(_ faults: [RowFault], text: String?, file: String) throws {
    let line = Line(
      file: file, line: faults[0].place.line, column: faults[0].place.column, reasons: faults.map(\.message),
      row: text)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    try opened().write(contentsOf: encoder.encode(line) + [0x0A])
  }

  /// Puts the rows in their place.
  ///
  /// - Throws: `CloneError` (`unreadable-file`) with the file that they lie in.
  func finish() throws {
    try handle?.close()
    guard let temporary, let target else { return }
    self.temporary = nil
    guard rename(temporary, target) == 0 else {
      throw CloneError(
        .unreadableFile,
        "the import is done, but '\(path)' cannot be written: the bad rows are in '\(temporary)'")
    }
  }
}
