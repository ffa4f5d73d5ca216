import Foundation

enum Console {
  /// A line of the result.
  static func print(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }

  /// A line about what is going on, for somebody who watches.
  static func note(_ line: String) {
    guard isatty(STDERR_FILENO) == 1 else { return }
    FileHandle.standardError.write(Data((line + "\n").utf8))
  }
}

/// A result that is not what it must be, or a call that failed.
struct BenchmarkError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
