import ArgumentParser
import Foundation
import MOCloneKit
import MOCloneSQL

/// The attributes that identify objects.
struct IdentityOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The attributes or to-one relationships that identify objects, instead of the first uniqueness constraint; also a path such as article.name. Names alone hold for the entities that the call names, and for those without a constraint; for all, where it names none. Repeatable.",
      valueName: "[entity=]name[,name]"))
  var by: [String] = []

  func request() throws -> IdentityRequest { try IdentityRequest(texts: by) }
}

/// How a file of rows is read.
struct ReadingOptions: ParsableArguments {
  @Option(help: ArgumentHelp("A name in the file to ignore. Repeatable.", valueName: "name"))
  var ignore: [String] = []

  @Option(help: "The format of the file, if its name does not show it: csv, tsv, json, ndjson or xml.")
  var fileFormat: FileFormat?

  /// The format that the call names, else the one that the name of the file shows.
  func format(of file: String) throws -> FileFormat {
    if let format = fileFormat ?? FileFormat(path: file) { return format }
    throw UsageError(
      "the name of '\(file)' does not show its format; pass --file-format with one of "
        + FileFormat.words.joined(separator: ", "))
  }
}

extension FileFormat: ExpressibleByArgument {}

/// How a run that moves data is done.
struct RunOptions: ParsableArguments {
  @Flag(help: "Print what would be done, or why it would be refused; the run is rolled back.")
  var dryRun = false

  @Option(
    help: ArgumentHelp(
      "The Date attribute of the last change of an object. Default: modified.", valueName: "name"))
  var newest: String?

  @OptionGroup var coreData: CoreDataOptions

  var use: StoreUse { dryRun ? .trial : .writing }

  /// - Throws: `UsageError` where no entity has the date.
  func options(_ model: ObjectModel, shownBy line: ProgressLine?) throws -> TransferOptions {
    var options = TransferOptions(isDryRun: dryRun, shownBy: line)
    guard let newest else { return options }
    let dates = model.entities.flatMap { model.attributes(of: $0.name) }.filter { $0.type == .date }
    guard dates.contains(where: { $0.name == newest }) else {
      let near = nearestName(to: newest, in: Set(dates.map(\.name)).sorted()).map {
        "; did you mean '\($0)'?"
      }
      throw UsageError("no entity has a Date attribute '\(newest)'\(near ?? "")")
    }
    options.modifiedName = newest
    return options
  }
}

/// What every command that moves data takes.
struct TransferArguments: ParsableArguments {
  @OptionGroup var how: RunOptions

  @Option(help: "The format of the counts: text or json.")
  var format = OutputFormat.text

  var dryRun: Bool { how.dryRun }
  var use: StoreUse { how.use }
  var coreData: CoreDataWriting { how.coreData.writing }

  /// Runs an operation with its progress on the terminal and prints its report.
  func perform(in graph: any TransferStore, _ body: (TransferOptions) throws -> TransferReport) throws {
    let line = ProgressLine.onTerminal()
    defer { line?.clear() }
    try Interruption.watching {
      let report = try body(how.options(graph.model, shownBy: line))
      line?.clear()
      try Interruption.afterCommit(report.done) { try print(report) }
    }
  }

  func print(_ report: TransferReport) throws {
    try Console.output.writeAll(format == .json ? report.json() : report.text())
  }
}

extension OutputFormat {
  /// Says why nothing was done: to people on standard error, to programs in a report.
  func printNothing(_ operation: TransferReport.Operation, isDryRun: Bool = false, reason: String) throws {
    Console.note(reason)
    guard self == .json else { return }
    var report = TransferReport(operation, isDryRun: isDryRun)
    report.reason = reason
    try Console.output.writeAll(report.json())
  }
}

extension TransferReport {
  /// That the operation is done for good; nil where it changed nothing.
  var done: String? { dryRun || reason != nil ? nil : "the \(operation.rawValue) is done and committed" }
}

extension TransferOptions {
  /// A run of the command line, which a signal ends.
  init(isDryRun: Bool, shownBy line: ProgressLine?) {
    self.init(isDryRun: isDryRun, progress: line.map { $0.show })
    isCancelled = { Interruption.isCaught }
  }
}

/// The model alone, for commands that name their stores themselves.
struct ModelOptions: ParsableArguments {
  @Option(help: "The model file.", completion: .file(extensions: ["yml", "yaml", "json"]))
  var model: String?

  @OptionGroup var waiting: WaitingOptions

  func loadModel() throws -> ObjectModel {
    var project = ProjectOptions()
    project.model = model
    project.store = nil
    project.waiting = waiting
    return try project.loadModel()
  }
}
