import ArgumentParser
import Foundation
import MOCloneKit

struct Validate: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "validate", abstract: "Checks models, and with --store a database against them.",
    discussion: """
      The exit status is 0 without findings, 1 with findings at or above --fail-on, 66 if there is no such file or \
      store, or a file cannot be read, 75 if the store is locked, and 2 on any other failure. In folders only the project's own files are checked: models, mapping files of \
      imports, and moclone.yml, whose 'include' and 'exclude' name further models and what is left out.

      The comment `# moclone:allow CODE reason` allows findings on the line below it; \
      `severities: {CODE: error|warning|note|off}` in moclone.yml sets severities.

      EXAMPLES:
        moclone validate
        moclone validate 'Models/**/*.yml' --format github
        moclone validate Notes.xcdatamodeld
        moclone validate Models --strict --only unique-copied
        moclone validate --store notes.sqlite
        moclone validate --store postgresql://localhost/notes
        moclone validate --simulate Product --seed 7
      """)

  @Argument(
    help:
      "Model files, Xcode models, folders, or patterns such as 'Models/**/*.yml'; - is standard input. Default: the project's models.",
    completion: .file(extensions: ["yml", "yaml", "json"])
  )
  var files: [String] = []

  @Option(
    help:
      "The format of the report: \(ReportFormat.list), or with --simulate mermaid. Default: github in a GitHub workflow, else text."
  )
  var format: ReportFormat?

  @Option(help: "The lowest severity that fails: error, warning, note or never. Default: error.")
  var failOn: FailOn?

  @Flag(help: "Warnings fail as errors do; the same as --fail-on warning.")
  var strict = false

  @Option(
    help: ArgumentHelp(
      "Report only findings of this code (repeatable), and files that cannot be read.", valueName: "code"))
  var only: [String] = []

  @Option(
    help: ArgumentHelp("Report only findings that this baseline does not list.", valueName: "file"),
    completion: .file())
  var baseline: String?

  @Option(
    help: ArgumentHelp("Write the findings to a file that --baseline reads.", valueName: "file"),
    completion: .file())
  var writeBaseline: String?

  @Flag(help: "Also report, as notes, the entities without a uniqueness constraint.")
  var identities = false

  @OptionGroup var simulating: SimulationOptions
  @OptionGroup var fixing: FixOptions
  @OptionGroup var project: ProjectOptions
  @OptionGroup var console: ConsoleOptions

  func run() throws {
    if baseline != nil, writeBaseline != nil {
      throw UsageError("--write-baseline writes all findings, so it cannot be used with --baseline")
    }
    if strict, failOn != nil {
      throw UsageError("--strict is the same as --fail-on warning, so the two cannot be used together")
    }
    if !only.isEmpty, writeBaseline != nil {
      throw UsageError("--write-baseline writes all findings, so it cannot be used with --only")
    }
    let format = format ?? .automatic
    let (files, simulation) = try simulating.split(files, hasNotes: format != .text)
    if format == .mermaid, simulation == nil {
      throw UsageError("--format mermaid can be used with --simulate only")
    }
    try fixing.check(files)
    var validation = try validated(files, simulation: simulation)
    if fixing.fix, try fixing.run(validation.reports) {
      validation = try validated(files, simulation: simulation)
    }
    if let writeBaseline { try validation.write(baseline: writeBaseline) }
    let reports = validation.reports
    try fixing.findings.writeAll(
      format.text(
        reports, isComplete: validation.isComplete, hasColour: fixing.findings.hasColour,
        violations: simulation?.violations(in: reports) ?? [], fails: fails))
    summarize(ReportSummary(reports))
    if format == .text, validation.unidentified > 0 {
      let count = validation.unidentified
      Console.note(
        "\(count) \(count == 1 ? "entity has" : "entities have") no uniqueness constraint, so 'copy' will insert "
          + "\(count == 1 ? "its" : "their") objects again each time.")
      Console.detail("`moclone validate --identities` lists the entities without a uniqueness constraint")
    }
    if !validation.isComplete { throw ExitCode(ValidationRun.status(of: reports)) }
    if reports.flatMap(\.findings).map(\.severity).contains(where: fails) { throw ExitCode(1) }
  }

  private func validated(_ files: [String], simulation: SimulationRun?) throws -> ValidationRun {
    var validation = try ValidationRun(
      files, project: project, identities: identities, simulation: simulation)
    if let baseline { validation.accept(baseline: baseline) }
    if !only.isEmpty { validation.keep(try codes()) }
    return validation
  }

  private func fails(_ severity: Severity) -> Bool {
    (failOn ?? (strict ? .warning : .error)).includes(severity)
  }

  /// - Throws: `UsageError` for a code that no finding has.
  private func codes() throws -> Set<DiagnosticCode> {
    Set(
      try only.map { name in
        if let code = DiagnosticCode(rawValue: name) { return code }
        let nearest = nearestName(to: name, in: DiagnosticCode.words)
        throw UsageError(
          "no finding has the code '\(name)'; \(didYouMean(nearest) ?? "`moclone explain` lists all codes")")
      })
  }

  /// The counts go to standard error, so that the report can be read by a program.
  private func summarize(_ summary: ReportSummary) {
    if summary.findings > 20 { Console.errors.write("\n" + summary.table + "\n") }
    let hint = summary.findings > 0 ? " (`moclone explain CODE` gives the reason)" : ""
    Console.note(summary.line + hint)
  }
}
