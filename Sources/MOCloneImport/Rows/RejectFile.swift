import Foundation
import MOCloneEngine

/// The rows that were left out as they are in their file, each with its reasons: a file that can be imported again.
///
/// The file takes its place when the import is done.
final class RejectFile {
  private let path: String
  /// Whether the file is only checked, since nothing will be written.
  private let isTrial: Bool
  private var isChecked = false
  private var draft: DraftFile?
  /// What stands around the rows of the file that is read.
  var frame = FileFrame()

  /// A file is made when there is something to write.
  init(path: String, isTrial: Bool) {
    self.path = path
    self.isTrial = isTrial
  }

  func write(_ row: RowText, _ reasons: [String]) throws {
    guard !isTrial else { return try check() }
    if let draft {
      try draft.write(Data(frame.separator.utf8))
    } else {
      draft = try DraftFile(path: path)
      try draft?.write(Data(frame.head.utf8))
    }
    try draft?.write(Data(row.with(reasons)))
  }

  private func check() throws {
    guard !isChecked else { return }
    try DraftFile.check(path)
    isChecked = true
  }

  /// Puts the rows in their place.
  ///
  /// - Throws: `CloneError` (`unwritable-file`) with the file that they are in.
  func finish() throws {
    do throws(CloneError) {
      try draft?.write(Data(frame.tail.utf8))
      try draft?.moveIntoPlace()
    } catch {
      let first = error.failures[0]
      throw CloneError(
        first.code, "the import is done and committed, but \(first.problem)", help: first.help)
    }
  }
}
