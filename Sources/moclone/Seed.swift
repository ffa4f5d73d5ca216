import ArgumentParser
import Foundation
import MOCloneKit
import MOCloneSQL

struct Seed: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "seed", abstract: "Merges a whole store into another one.",
    discussion: """
      Objects are copied as by `copy`; new ones get the current time as their date of change. Then \
      objects of the target that share an identity are merged as by `dedupe`; if one of the source has the same \
      identity, the seed is refused. On a terminal a confirmation is asked first. If the source does not exist, \
      nothing is done.

      EXAMPLES:
        moclone seed --from local.sqlite --into shared.sqlite
        moclone seed --from local.sqlite --into shared.sqlite --yes --remove-source
      """)

  @Option(help: ArgumentHelp("The local store.", valueName: "store"), completion: .file())
  var from: String

  @Option(help: ArgumentHelp("The store to merge it into.", valueName: "store"), completion: .file())
  var into: String

  @Flag(
    help:
      "Remove the local store with its -wal and -shm files, if the other store has each of its objects and each name of its metadata."
  )
  var removeSource = false

  @Flag(help: "Do it without asking.")
  var yes = false

  @OptionGroup var identity: IdentityOptions

  @Option(
    help: ArgumentHelp(
      "Run only if the store's metadata has no marker of this name yet, and set the marker.",
      valueName: "name"))
  var once: String?

  @OptionGroup var moving: TransferArguments
  @OptionGroup var project: ModelOptions
  @OptionGroup var console: ConsoleOptions

  func validate() throws { try marking.validate() }

  func run() throws {
    let model = try project.loadModel()
    let request = try identity.request()
    _ = try CopyRules(CopyRequest(identifiedBy: request), in: model)
    let isFile = !ProjectOptions.isServer(from)
    guard isFile || !removeSource else {
      throw UsageError("--remove-source removes a file, and the source is a PostgreSQL database")
    }
    guard !isFile || FileManager.default.fileExists(atPath: from) else {
      return try moving.format.printNothing(
        .seed, isDryRun: moving.dryRun, reason: "'\(from)' does not exist, so nothing was done")
    }
    let target = try project.waiting.store(into, model, moving.use, coreData: moving.coreData)
    if let reason = try refusal(target) {
      return try moving.format.printNothing(.seed, isDryRun: moving.dryRun, reason: reason)
    }
    // A server has no file to compare; its store is another one each time. A file that is closed loses its locks.
    let mark = try once.map { OnceRequest($0, hash: isFile ? try SHA256.text(ofFile: from) : nil) }
    let source = try project.waiting.store(from, model, .reading)
    Console.note(unnamedOf: source, in: target)
    var report = TransferReport(.seed)
    var lacking: [String] = []
    try moving.perform(in: target) { options in
      var options = options
      options.once = mark
      if removeSource, moving.dryRun {
        (report, lacking) = try tried(options, from: source, into: target, request: request)
      } else {
        report = try target.seed(from: source, identifiedBy: request, options: options)
      }
      return report
    }
    guard removeSource, report.reason == nil else { return }
    guard !moving.dryRun else { return try tell(lacking) }
    try remove(source, target: target, request: request, report: report)
  }

  /// What a seed would do, and what of the source the target would lack then: both in one transaction, which is taken back.
  private func tried(
    _ options: TransferOptions, from source: any TransferStore, into target: any TransferStore,
    request: IdentityRequest
  ) throws -> (TransferReport, [String]) {
    try target.trying(from: source, options: options) {
      var trial = options
      trial.isDryRun = false
      var report = try target.seed(from: source, identifiedBy: request, options: trial)
      let lacking =
        try report.reason == nil
        ? target.lacking(of: source, identifiedBy: request, seeded: report) : []
      report.dryRun = true
      return (report, lacking)
    }
  }

  /// Says what a dry run found of the removal.
  ///
  /// - Throws: `ExitCode` where the source would be kept.
  private func tell(_ lacking: [String]) throws {
    guard lacking.isEmpty else {
      Console.complain(
        "'\(from)' would be kept, because '\(shown(into))' would lack some of its contents; the copied objects would stay:"
      )
      Console.errors.write(text(lacking) + "\n")
      throw ExitCode(1)
    }
    Console.note("'\(from)' would be removed, because '\(shown(into))' would have each of its objects")
  }

  private func shown(_ store: String) -> String { ProjectOptions.shown(store) }

  private func refusal(_ target: any TransferStore) throws -> String? {
    try marking.refusal(in: target, question: "Merge '\(shown(from))' into '\(shown(into))'")
  }

  /// A seed asks unless it is told not to.
  private var marking: OnceOptions {
    var options = OnceOptions()
    options.once = once
    options.ask = !yes && !moving.dryRun
    return options
  }

  private func remove(
    _ source: any TransferStore, target: any TransferStore, request: IdentityRequest, report: TransferReport
  ) throws {
    do {
      let lacking = try target.lacking(of: source, identifiedBy: request, seeded: report)
      guard lacking.isEmpty else {
        Console.complain(
          "'\(from)' is kept, because '\(shown(into))' lacks some of its contents; the copied objects stay:")
        Console.errors.write(text(lacking) + "\n")
        throw ExitCode(1)
      }
      try source.close()
      try project.waiting.file(from).remove(seededInto: project.waiting.file(into))
    } catch let error where !(error is ExitCode) {
      Console.complain(
        "'\(from)' is kept, but its objects are copied into '\(shown(into))' and committed; do not seed them again"
      )
      throw error
    }
    Console.note("'\(from)' was removed, because '\(shown(into))' has each of its objects")
  }

  /// The first lines, and how many more there are.
  private func text(_ lines: [String]) -> String {
    let listed = 20
    let rest = lines.count > listed ? ["and \(lines.count - listed) more"] : []
    return (lines.prefix(listed) + rest).map { "  " + $0 }.joined(separator: "\n")
  }
}
