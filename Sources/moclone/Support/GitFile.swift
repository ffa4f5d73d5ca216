import Foundation
import MOCloneKit

/// A model file as it was in another commit.
struct GitFile {
  let path: String
  let commit: String

  /// Reads it with `git`; a file that was moved since is read from where it was.
  ///
  /// - Throws: `UsageError` for a name that cannot be a commit, `MissingFile` with git's words where it has no such file.
  func read() throws -> SourceFile {
    guard !commit.isEmpty, !commit.hasPrefix("-") else { throw UsageError("'\(commit)' is not a git commit") }
    let run = try git("show", "\(commit):./\(file.lastPathComponent)")
    if run.isDone { return try SourceFile(path: "\(commit):\(path)", data: run.output) }
    if let former = try formerPath() {
      let moved = try git("show", "\(commit):\(former)")
      if moved.isDone { return try SourceFile(path: "\(commit):\(former)", data: moved.output) }
    }
    throw MissingFile("'\(path)' cannot be read at '\(commit)': \(run.words)")
  }

  /// Where the file was in the commit, from the top of the repository; nil where git knows of no move.
  private func formerPath() throws -> String? {
    let name = try git("ls-files", "-z", "--full-name", "--", file.lastPathComponent)
    let moves = try git("diff", "--find-renames", "--diff-filter=R", "--name-status", "-z", commit, "--")
    guard name.isDone, moves.isDone, let here = name.fields.first else { return nil }
    // Each move has three fields: how alike the files are, the old path, the new one.
    let fields = moves.fields
    let places = stride(from: 0, to: fields.count - 2, by: 3)
    return places.first { fields[$0 + 2] == here }.map { fields[$0 + 1] }
  }

  private var file: URL { URL(fileURLWithPath: path).resolvingSymlinksInPath() }

  private struct Run {
    var isDone: Bool
    var output: Data
    var words: String
    /// What stands between the zero bytes of the output.
    var fields: [String] { output.split(separator: 0).map { String(decoding: $0, as: UTF8.self) } }
  }

  private func git(_ arguments: String...) throws -> Run {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["git", "-C", file.deletingLastPathComponent().path] + arguments
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    let words = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return Run(
      isDone: process.terminationStatus == 0, output: data,
      words: words.trimmingCharacters(in: .whitespacesAndNewlines))
  }
}
