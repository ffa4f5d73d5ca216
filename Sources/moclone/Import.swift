import ArgumentParser
import Foundation
import MOCloneKit

/// Named apart from the module's own `import`.
struct ImportCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Imports the rows of a CSV, JSON, NDJSON or XML file.",
    discussion: """
      A mapping file says which value goes into which attribute, and how the objects are related. Every row \
      matches an existing object or inserts one. All rows are imported or none; --bad-rows skip leaves out \
      the rows that are not valid and writes them to a file that can be corrected and imported again.

      EXAMPLES:
        moclone import items.csv --mapping items.map.yml
        moclone import items.json --mapping items.map.yml --existing update --dry-run
      """)

  @Argument(help: "The file, or - for standard input.", completion: .file())
  var file: String

  @Option(
    help: ArgumentHelp("The mapping file.", valueName: "file"),
    completion: .file(extensions: ["yml", "yaml"]))
  var mapping: String

  @OptionGroup var identity: IdentityOptions

  @Option(help: "What happens to existing objects: keep, update, or fill (only null values).")
  var existing = ExistingPolicy.keep

  @Option(
    help:
      "What happens if a row is not valid or violates a constraint of the store: stop (nothing is imported) or skip (such rows are written to --rejects)."
  )
  var badRows = BadRowsPolicy.stop

  @Option(
    help: ArgumentHelp(
      "The file for skipped rows and their reasons, in the format of the input. Default: FILE.rejects.",
      valueName: "file"), completion: .file())
  var rejects: String?

  @OptionGroup var reading: ReadingOptions

  @OptionGroup var once: OnceOptions
  @OptionGroup var project: ProjectOptions
  @OptionGroup var moving: TransferArguments
  @OptionGroup var console: ConsoleOptions

  func validate() throws {
    guard rejects == nil || badRows == .skip else {
      throw ValidationError("'--rejects' can be used with '--bad-rows skip' only")
    }
  }

  func run() throws {
    let format = try reading.format(of: file)
    let mapping = try ImportMapping(contentsOf: URL(fileURLWithPath: mapping), path: mapping)
    let graph = try project.openStore(
      project.loadModel(), use: moving.use, coreData: moving.coreData)
    let store = project.shownStore ?? ""
    if !moving.dryRun, let reason = try once.refusal(in: graph, question: "Import '\(file)' into '\(store)'")
    {
      return try moving.format.printNothing(.import, reason: reason)
    }
    let line = ProgressLine.onTerminal()
    defer { line?.clear() }
    let transferOptions = try moving.how.options(graph.model, shownBy: line)
    try Interruption.watching {
      let result = try graph.importFile(
        file, mapping: mapping, options: options(format), transferOptions: transferOptions)
      line?.clear()
      guard let result else {
        return try moving.format.printNothing(
          .import, isDryRun: moving.dryRun,
          reason: "'\(once.once ?? "")' was done before, so nothing was done")
      }
      noteMissingColumns(result)
      try Interruption.afterCommit(result.done) {
        try graph.close()
        try moving.print(result)
      }
    }
  }
}

extension ImportCommand {
  private func noteMissingColumns(_ report: TransferReport) {
    guard let columns = report.missingColumns else { return }
    let names = columns.map { "'\($0)'" }.listed()
    Console.note(
      "'\(file)' has no \(columns.count == 1 ? "column" : "columns") \(names), which the mapping reads; correct the "
        + "\(columns.count == 1 ? "name" : "names") if the file has such values")
  }

  private func options(_ format: FileFormat) throws -> ImportOptions {
    let rejects = self.rejects ?? (file == "-" ? "rejects.\(format)" : file + FileFormat.rejects)
    var options = ImportOptions(
      existing: existing, badRows: badRows == .stop ? .stop : .skip(rejects: rejects),
      identifiedBy: try identity.request(), format: format, once: once.once)
    options.keptFiles = project.files
    options.ignore = reading.ignore
    return options
  }
}

/// What happens to rows that are not valid.
enum BadRowsPolicy: String, ExpressibleByArgument, CaseIterable {
  case stop, skip
}

extension ExistingPolicy: ExpressibleByArgument {}
