import ArgumentParser
import Foundation
import MOCloneKit
import MOCloneSQL

struct Copy: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "copy",
    abstract: "Copies objects of one store into another that may already have some of them.",
    discussion: """
      An object is matched by its entity's first uniqueness constraint, or by the attributes of --by; objects \
      without either are always inserted. Named entities are copied with the objects that they own and reference.

      EXAMPLES:
        moclone copy --from a.sqlite --into b.sqlite
        moclone copy --from a.sqlite --into b.sqlite Customer --where Customer:city=Oslo
      """)

  @Option(
    help: ArgumentHelp("The store to copy from; it is only read.", valueName: "store"), completion: .file())
  var from: String

  @Option(help: ArgumentHelp("The store to copy into.", valueName: "store"), completion: .file())
  var into: String

  @Argument(help: "The entities to copy. Default: all.", completion: .entities)
  var entities: [String] = []

  @OptionGroup var identity: IdentityOptions

  @Option(
    help:
      "Leave out an attribute, or a relationship together with its inverse; NAME or ENTITY.NAME. Repeatable.",
    completion: .properties)
  var exclude: [String] = []

  @Flag(
    help:
      "Set the to-one relationships of existing objects as in the source, with nulls where neither side is required, and the order of their lists."
  )
  var overwrite = false

  @Flag(
    help:
      "Join objects of the source that have the same identity: the first one counts, with the to-many relationships of all."
  )
  var joinDuplicates = false

  @Option(
    name: .customLong("where"),
    help: ArgumentHelp(
      "Copy only objects with this value: ENTITY:attr=value. Repeatable.", valueName: "condition"))
  var conditions: [String] = []

  @Option(
    parsing: .unconditional, help: "The number of objects of each named entity, the first by key.")
  var limit: Int?

  @Option(
    help: ArgumentHelp(
      "The related objects to copy as well: owned (owned objects, and the objects that all of these reference), or all (every relationship in both directions).",
      valueName: "which"))
  var follow = CopyRequest.Follow.owned

  @Flag(help: "Copy the whole file to a new path: fast, without matching, joining or leaving out objects.")
  var whole = false

  @OptionGroup var once: OnceOptions
  @OptionGroup var moving: TransferArguments
  @OptionGroup var project: ModelOptions
  @OptionGroup var console: ConsoleOptions

  func run() throws {
    if whole { return try copyWhole() }
    let model = try project.loadModel()
    let request = try CopyRequest(
      entities: entities, identifiedBy: identity.request(), exclude: exclude, overwrites: overwrite,
      joinsDuplicates: joinDuplicates, filters: conditions.map { try CopyFilter(text: $0) }, limit: limit,
      follow: follow)
    _ = try CopyRules(request, in: model)
    let isFile = !ProjectOptions.isServer(from)
    // A server has no file to compare; its store is another one each time. A file that is closed loses its locks.
    let hash = once.once != nil && isFile ? (try? SHA256.text(ofFile: from)) : nil
    let source = try project.waiting.store(from, model, .reading)
    let target = try project.waiting.store(into, model, moving.use, coreData: moving.coreData)
    var once = once
    once.ask = once.ask && !moving.dryRun
    if let reason = try once.refusal(in: target, question: "Copy from '\(shown(from))' into '\(shown(into))'")
    {
      return try moving.format.printNothing(.copy, isDryRun: moving.dryRun, reason: reason)
    }
    Console.note(unnamedOf: source, in: target)
    let mark = once.once.map { OnceRequest($0, hash: hash) }
    try moving.perform(in: target) { options in
      var options = options
      options.once = mark
      return try target.copyObjects(from: source, request, options: options)
    }
  }

  private func shown(_ store: String) -> String { ProjectOptions.shown(store) }

  private func copyWhole() throws {
    guard entities.isEmpty, identity.by.isEmpty, exclude.isEmpty, conditions.isEmpty, limit == nil,
      !overwrite, !joinDuplicates, once.once == nil, !once.ask, follow == .owned, moving.how.newest == nil,
      !moving.how.coreData.writeCoreData
    else {
      throw UsageError(
        "--whole copies the whole file, so it can be used with --from, --into, --dry-run and --format only")
    }
    guard !ProjectOptions.isServer(from), !ProjectOptions.isServer(into) else {
      throw UsageError(
        "--whole copies a file of SQLite, and a store is a PostgreSQL database; copy without it")
    }
    try NeededFiles(StoreFile(from).files).refuse(writing: into)
    let isMade = try Interruption.making(moving.dryRun ? nil : "the store is copied") {
      try project.waiting.file(into).place(copyOf: from, isDryRun: moving.dryRun)
    }
    guard isMade else {
      throw CloneError(
        .storeExists,
        "'\(into)' already exists, but --whole copies to a new path",
        help: "remove it first (`moclone store reset`)")
    }
    Console.note(
      "'\(into)' \(moving.dryRun ? "would be" : "is") an exact copy of '\(from)': no objects were matched or left out, "
        + "and no dates of change were set"
    )
    guard moving.format == .json else { return }
    let report = TransferReport(.copy, isDryRun: moving.dryRun)
    try Interruption.afterCommit(report.done) { try moving.print(report) }
  }
}

extension CopyRequest.Follow: ExpressibleByArgument {}

extension Console {
  /// Says what a source holds that is not brought into another store.
  ///
  /// - Parameter target: nil for a store that is made from the model.
  static func note(unnamedOf source: any TransferStore, in target: (any TransferStore)?) {
    let shared = try? target?.sharedSchema(with: source)
    let names = (try? source.unnamedContents(sharing: shared)) ?? []
    if !names.isEmpty { note("not copied, because the model does not name it: \(names.listed())") }
  }
}
