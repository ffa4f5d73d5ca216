import ArgumentParser
import Foundation
import MOCloneKit

struct Validate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "validate", abstract: "Checks models: structure and annotations.",
    discussion: """
      Exits with 0 where nothing is found, 1 where there are findings at or above
      --fail-on, 2 where a file cannot be read.

      A comment `# moclone:allow CODE reason` allows findings on the line below it;
      `severities: {CODE: error|warning|note|off}` in moclone.yml sets severities.
      """)

  enum FailOn: String, ExpressibleByArgument, CaseIterable {
    case error, warning, note, never

    func includes(_ severity: Severity) -> Bool {
      Severity(rawValue: rawValue).map { severity >= $0 } ?? false
    }
  }

  @Argument(
    help:
      "Model files, folders, or patterns such as 'Models/**/*.yml'; - is standard input. Without one, the project's model."
  )
  var files: [String] = []

  @Option(help: "text, json, github or sarif; github inside a GitHub workflow, else text.")
  var format: ReportFormat?

  @Option(help: "The least severity that fails: error, warning, note or never.")
  var failOn = FailOn.error

  @Option(help: ArgumentHelp("Reports only what this file does not hold.", valueName: "file"))
  var baseline: String?

  @Option(help: ArgumentHelp("Writes what is found to a file, to be given to --baseline.", valueName: "file"))
  var writeBaseline: String?

  @Flag(help: "Also reports, as notes, the entities whose objects nothing identifies in another store.")
  var identities = false

  @OptionGroup var fixing: FixOptions
  @OptionGroup var project: ProjectOptions

  func run() throws {
    if baseline != nil, writeBaseline != nil {
      throw UsageError("--write-baseline writes everything that is found; give it without --baseline")
    }
    try fixing.check(files)
    var validation = try validated()
    if fixing.fix, try fixing.run(validation.reports) { validation = try validated() }
    if let writeBaseline { try validation.write(baseline: writeBaseline) }
    let reports = validation.reports
    let format = format ?? .automatic
    try fixing.findings.writeAll(
      format.text(reports, isComplete: validation.isComplete, hasColour: fixing.findings.hasColour))
    summarize(ReportSummary(reports))
    if format == .text, validation.unidentified > 0 {
      let count = validation.unidentified
      Console.note(
        "nothing identifies the objects of \(count) \(count == 1 ? "entity" : "entities") in another store, so copies make "
          + "them anew (`--identities` lists them)")
    }
    if !validation.isComplete { throw ExitCode(2) }
    if reports.flatMap(\.findings).map(\.severity).contains(where: failOn.includes) { throw ExitCode(1) }
  }

  private func validated() throws -> ValidationRun {
    var validation = try ValidationRun(files, project, identities: identities)
    if let baseline { validation.accept(baseline: baseline) }
    return validation
  }

  /// The counts go to standard error, so that the report can be read by a program.
  private func summarize(_ summary: ReportSummary) {
    if summary.findings > 20 { Console.errors.write("\n" + summary.table + "\n") }
    let hint = summary.findings > 0 ? " (`moclone explain CODE` says why)" : ""
    Console.note(summary.line + hint)
  }
}
