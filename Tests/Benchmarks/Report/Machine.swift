import Foundation
import GRDBSQLite

/// What the numbers were measured on.
enum Machine {
  static func description(command: some Sequence<String>) -> String {
    let arguments = command.joined(separator: " ")
    return """
      `swift run -c release --static-swift-stdlib Benchmarks\(arguments.isEmpty ? "" : " " + arguments)`: \
      \(ProcessInfo.processInfo.activeProcessorCount) cores, \(build) build, \
      SQLite \(String(cString: sqlite3_libversion())), \
      WAL, foreign keys on, page caches of 12 MB, the rivals' maps in memory; medians of runs in turn, each on a fresh \
      store in a process of its own.

      """
  }

  private static var build: String {
    #if DEBUG
      "debug"
    #else
      "release"
    #endif
  }
}
