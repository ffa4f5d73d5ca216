import ArgumentParser
import Foundation
import MOCloneKit

/// Mends what needs no thought: keys that are misspelt.
struct FixOptions: ParsableArguments {
  @Flag(help: "Writes misspelt keys as they are meant; nothing else of a file changes.")
  var fix = false

  @Flag(
    help: "With --fix: prints the edits for `patch` and writes nothing; the findings go to standard error.")
  var dryRun = false

  /// Where the findings go.
  var findings: Console { fix && dryRun ? .errors : .output }

  /// Mends the files, or says what would be mended.
  func run(_ paths: [String]) throws {
    if dryRun, !fix { throw UsageError("--dry-run belongs to --fix") }
    guard fix else { return }
    if paths.contains("-") { throw UsageError("--fix edits files; standard input is none") }
    for path in paths { try mend(path) }
  }

  private func mend(_ path: String) throws {
    // A file that cannot be read is a finding of the validation that follows.
    guard let source = try? SourceFile(contentsOf: URL(fileURLWithPath: path), path: path),
      let fixed = try FixedFile(source)
    else { return }
    if dryRun { return try Console.output.writeAll(fixed.unifiedDiff) }
    try AtomicFile(path: path).write(fixed.data)
    let count = fixed.fixes.count
    Console.note("\(path): \(count) misspelt \(count == 1 ? "key" : "keys") mended")
  }
}

/// A file that is replaced as a whole or not at all.
struct AtomicFile {
  let path: String

  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  /// Writes beside the file, with its permissions, and takes its place; a link stays a link.
  func write(_ data: Data) throws {
    let file = URL(fileURLWithPath: path).resolvingSymlinksInPath()
    let manager = FileManager.default
    guard manager.isWritableFile(atPath: file.path) else {
      throw Failure(description: "'\(path)' cannot be written")
    }
    let draft = file.deletingLastPathComponent().appendingPathComponent(
      ".\(file.lastPathComponent).\(UUID())")
    do {
      try data.write(to: draft)
      let permissions = try manager.attributesOfItem(atPath: file.path)[.posixPermissions]
      try manager.setAttributes([.posixPermissions: permissions as Any], ofItemAtPath: draft.path)
      guard rename(draft.path, file.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
    } catch {
      try? manager.removeItem(at: draft)
      throw Failure(description: "'\(path)' cannot be written: \(error.localizedDescription)")
    }
  }
}
