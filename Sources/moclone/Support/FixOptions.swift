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

  func check(_ files: [String]) throws {
    if dryRun, !fix { throw UsageError("--dry-run belongs to --fix") }
    if fix, files.contains("-") { throw UsageError("--fix edits files; standard input is none") }
  }

  /// Mends what is reported, or says what would be mended.
  ///
  /// - Returns: whether files were changed.
  func run(_ reports: [FileReport]) throws -> Bool {
    var hasMended = false
    for report in reports {
      guard let source = report.source, let fixed = try FixedFile(source, findings: report.findings) else {
        continue
      }
      if dryRun {
        try Console.output.writeAll(fixed.unifiedDiff)
      } else {
        try AtomicFile(path: report.path).write(fixed.data)
        let count = fixed.fixes.count
        Console.note("\(report.path): \(count) misspelt \(count == 1 ? "key" : "keys") mended")
        hasMended = true
      }
    }
    return hasMended
  }
}

/// A file that is replaced as a whole or not at all.
struct AtomicFile {
  let path: String

  /// Writes beside the file, with its permissions, and takes its place; a link stays a link.
  ///
  /// - Throws: `RunFailure`.
  func write(_ data: Data) throws {
    let file = URL(fileURLWithPath: path).resolvingSymlinksInPath()
    let manager = FileManager.default
    guard manager.fileExists(atPath: file.deletingLastPathComponent().path) else {
      throw RunFailure("'\(path)' cannot be written: its folder does not exist")
    }
    let exists = manager.fileExists(atPath: file.path)
    guard !exists || manager.isWritableFile(atPath: file.path) else {
      throw RunFailure("'\(path)' cannot be written: it is read only")
    }
    let draft = file.deletingLastPathComponent().appendingPathComponent(
      ".\(file.lastPathComponent).\(UUID())")
    do {
      try data.write(to: draft)
      if exists {
        let permissions = try manager.attributesOfItem(atPath: file.path)[.posixPermissions]
        try manager.setAttributes([.posixPermissions: permissions as Any], ofItemAtPath: draft.path)
      }
      guard rename(draft.path, file.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
    } catch {
      try? manager.removeItem(at: draft)
      throw RunFailure("'\(path)' cannot be written: \(RunFailure.reason(error))")
    }
  }
}
