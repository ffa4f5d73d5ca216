import ArgumentParser
import Foundation
import MOCloneKit

/// Fixes that need no decision: misspelt keys.
struct FixOptions: ParsableArguments {
  @Flag(help: "Correct misspelt keys in the files; nothing else changes.")
  var fix = false

  @Flag(
    help: "With --fix: print the edits as a patch without writing them; the findings go to standard error.")
  var dryRun = false

  /// Where the findings go.
  var findings: Console { fix && dryRun ? .errors : .output }

  func check(_ files: [String]) throws {
    if dryRun, !fix { throw UsageError("--dry-run can be used with --fix only") }
    if fix, files.contains("-") { throw UsageError("--fix cannot be used with standard input") }
  }

  /// Applies the fixes of the reports, or prints them.
  ///
  /// - Returns: whether files were changed.
  func run(_ reports: [FileReport]) throws -> Bool {
    var hasFixed = false
    for report in reports {
      guard let source = report.source, let fixed = try FixedFile(source, findings: report.findings) else {
        continue
      }
      if dryRun {
        try Console.output.writeAll(fixed.unifiedDiff)
      } else {
        try DraftFile.write(fixed.data, to: report.path)
        let count = fixed.fixes.count
        Console.note("\(report.path): \(count) misspelt \(count == 1 ? "key was" : "keys were") fixed")
        hasFixed = true
      }
    }
    return hasFixed
  }
}
