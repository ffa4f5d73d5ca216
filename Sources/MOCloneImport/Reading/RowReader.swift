import MOCloneEngine
import MOCloneModel

/// Reads a file row by row, in memory that does not grow with the file.
package protocol RowReader {
  /// Calls with every row.
  ///
  /// - Throws: `CloneError` where the file is broken so that reading cannot go on; what the handler throws.
  func read(_ handler: some RowHandler) throws
}

/// Gets the rows of a file.
package protocol RowHandler {
  /// Whether rows are wanted as they are in the file, too.
  var wantsText: Bool { get }
  /// Gets what stands around the rows, before the first one.
  func begin(_ frame: FileFrame)
  func row(_ record: Record) throws
  /// Gets what is wrong with a row that cannot be understood; the next one can.
  func fault(_ fault: RowFault) throws
}

extension RowHandler {
  package var wantsText: Bool { false }
  package func begin(_ frame: FileFrame) {}
}

/// What is wrong in a row, and where.
package struct RowFault: Sendable, Hashable {
  package var problem: String
  /// What to do about it.
  package var help: String?
  package var place: Place
  /// The row as it is in the file.
  package var text: RowText?

  package init(_ problem: String, help: String? = nil, at place: Place, text: RowText? = nil) {
    self.problem = problem
    self.help = help
    self.place = place
    self.text = text
  }

  /// What is wrong, and what to do.
  package var message: String { problem.advised(help) }

  /// The failure of a run that it stops.
  ///
  /// - Parameter code: `broken-file` where no row after it can be read.
  func failure(_ code: DiagnosticCode = .badRow, in file: String) -> CloneError.Failure {
    .init(code, "\(file):\(place.line):\(place.column): \(problem)", help: help)
  }
}

/// Reasons why a file cannot be read to its end.
enum ImportFault {
  static func broken(_ file: String, place: Place, message: String, help: String? = nil) -> CloneError {
    broken(file, RowFault(message, help: help, at: place))
  }

  static func broken(_ file: String, _ fault: RowFault) -> CloneError {
    CloneError([fault.failure(.brokenFile, in: file)])
  }

  static func unreadable(_ path: String) -> CloneError {
    CloneError(.unreadableFile, "'\(path)' cannot be read")
  }

  static func noRoom(_ file: String, _ reason: String) -> CloneError {
    CloneError(.unwritableFile, "'\(file)' cannot be copied to a temporary file: \(reason)")
  }

  static func otherEncoding(_ file: String) -> CloneError {
    CloneError(.brokenFile, "'\(file)' is UTF-16", help: "write it as UTF-8")
  }

  static func rowTooLong(_ file: String) -> CloneError {
    CloneError(
      .brokenFile,
      "a row of '\(file)' is larger than the limit of \(ByteWindow.longestRow >> 20) MB",
      help: "check for a quote that is never closed"
    )
  }
}
