import Foundation
import MOCloneEngine

/// The rows that were left out, one JSON object a line: place, reasons, and the row as it stood in the file.
///
/// The file takes its place when the import is done.
final class RejectFile {
  private let path: String
  private var draft: DraftFile?

  /// A file is made when there is something to write.
  init(path: String) {
    self.path = path
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
    let draft = try draft ?? DraftFile(path: path)
    self.draft = draft
    try draft.write(encoder.encode(line) + [0x0A])
  }

  /// Puts the rows in their place.
  ///
  /// - Throws: `CloneError` (`unwritable-file`) with the file that they lie in.
  func finish() throws {
    do throws(CloneError) { try draft?.moveIntoPlace() } catch {
      throw CloneError(error.code, "the import is done and committed, but \(error.failures[0].message)")
    }
  }
}
