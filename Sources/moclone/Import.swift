import ArgumentParser
import Foundation
import MOCloneKit

/// Named apart from the module's own `import`.
struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Makes or finds an object for every row of an XML, JSON, NDJSON or CSV file.",
    discussion: """
      A mapping file says which value goes into which attribute, and what is
      related to what. All rows are imported or none; --bad-rows skip leaves out
      those that do not fit, and writes them to a file that can be imported again.
      Prints the counts.
      """)

  @Argument(help: "The file, or - for standard input.")
  var file: String

  @Option(help: ArgumentHelp("The mapping file.", valueName: "file"))
  var mapping: String

  @OptionGroup var identity: IdentityOptions

  @Option(help: "What becomes of objects that exist: keep, update, or fill (only what is empty).")
  var existing = ExistingPolicy.keep

  @Option(
    help:
      "What becomes of rows that do not fit, or break a constraint of the store: stop (nothing is imported) or skip (the others are, and these are written to --rejects)."
  )
  var badRows = BadRowsPolicy.stop

  @Option(
    help: ArgumentHelp(
      "Where skipped rows are written, with their reasons, in the format of the file: to be imported again once they are right. Default FILE.rejects.",
      valueName: "file"))
  var rejects: String?

  @Option(help: ArgumentHelp("A name in the file that means nothing. Repeatable.", valueName: "name"))
  var ignore: [String] = []

  @Option(help: "csv, tsv, json, ndjson or xml, where the file's name does not say it.")
  var fileFormat: FileFormat?

  @OptionGroup var once: OnceOptions
  @OptionGroup var project: ProjectOptions

  @OptionGroup var how: RunOptions

  @Option(
    help: ArgumentHelp(
      "text or json: how the counts are printed.",
      valueName: "format"))
  var format: String?

  @Option(help: .hidden)
  var report: OutputFormat?

  func validate() throws {
    guard rejects == nil || badRows == .skip else {
      throw ValidationError("'--rejects' needs '--bad-rows skip'")
    }
  }

  func run() throws {
    let mapping = try ImportMapping(contentsOf: URL(fileURLWithPath: mapping), path: mapping)
    let graph = try project.openGraph(project.loadModel(), how.use)
    let store = try project.storePath()
    let (fileFormat, output) = try formats()
    if !how.dryRun, let reason = try once.refusal(in: graph, question: "Import '\(file)' into '\(store)'") {
      return try output.printNothing(.import, reason)
    }
    let line = ProgressLine.onTerminal()
    defer { line?.clear() }
    let run = try how.run(graph.model, shownBy: line)
    try Interruption.watching {
      let result = try graph.importFile(file, mapping: mapping, options: options(fileFormat), run: run)
      line?.clear()
      guard let result else {
        return try output.printNothing(
          .import, isDryRun: how.dryRun, "'\(once.once ?? "")' was done already; nothing was done")
      }
      try Interruption.afterCommit(result.done) {
        try graph.close()
        try Console.output.writeAll(output == .json ? result.json() : result.text())
      }
    }
  }
}

extension ImportCommand {
  private func options(_ format: FileFormat) throws -> ImportOptions {
    let rejects = self.rejects ?? (file == "-" ? "rejects.\(format)" : file + FileFormat.rejects)
    var options = ImportOptions(
      existing: existing, badRows: badRows == .stop ? .stop : .skip(rejects: rejects),
      identifiedBy: try identity.request(), format: format, once: once.once)
    options.keptFiles = project.files
    options.ignore = ignore
    return options
  }

  /// The format of the file and that of the counts: `--format` is the file's where its name does not tell.
  private func formats() throws -> (file: FileFormat, output: OutputFormat) {
    if let named = fileFormat {
      return (named, report ?? format.flatMap(OutputFormat.init(rawValue:)) ?? .text)
    }
    if let named = file == "-" ? nil : FileFormat(path: file) {
      if let output = format.flatMap(OutputFormat.init(rawValue:)) { return (named, report ?? output) }
      return (try format.map(fileFormat) ?? named, report ?? .text)
    }
    guard let format else {
      throw UsageError(
        "the name of '\(file)' does not say its format; add --file-format and one of "
          + FileFormat.allCases.map(\.rawValue).joined(separator: ", "))
    }
    return (try fileFormat(format), report ?? .text)
  }

  private func fileFormat(_ name: String) throws -> FileFormat {
    guard let format = FileFormat(rawValue: name) else {
      throw UsageError(
        "'--format \(name)' is none of " + FileFormat.allCases.map(\.rawValue).joined(separator: ", "))
    }
    return format
  }
}

/// What becomes of rows that do not fit.
enum BadRowsPolicy: String, ExpressibleByArgument, CaseIterable {
  case stop, skip
}

extension ExistingPolicy: ExpressibleByArgument {}
