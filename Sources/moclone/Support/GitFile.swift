import Foundation
import MOCloneKit

/// A model file as it was in another commit.
struct GitFile {
  let path: String
  let commit: String

  /// Reads it with `git`.
  ///
  /// - Throws: `UsageError` for a name that cannot be a commit, `MissingFile` with git's words where it has no such file.
  func read() throws -> SourceFile {
    guard !commit.isEmpty, !commit.hasPrefix("-") else { throw UsageError("'\(commit)' is not a git commit") }
    let file = URL(fileURLWithPath: path).resolvingSymlinksInPath()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "git", "-C", file.deletingLastPathComponent().path, "show", "\(commit):./\(file.lastPathComponent)",
    ]
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    let words = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      let words = words.trimmingCharacters(in: .whitespacesAndNewlines)
      throw MissingFile("'\(path)' cannot be read at '\(commit)': \(words)")
    }
    return try SourceFile(path: "\(commit):\(path)", data: data)
  }
}
