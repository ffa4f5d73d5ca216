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
        try DraftFile.write(fixed.data, to: report.path)
        let count = fixed.fixes.count
        Console.note("\(report.path): \(count) misspelt \(count == 1 ? "key" : "keys") mended")
        hasMended = true
      }
    }
    return hasMended
  }
}
