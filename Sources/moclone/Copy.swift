import ArgumentParser
import Foundation
import MOCloneKit

struct Copy: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "copy", abstract: "Copies objects of one store into another, each found there or made.",
    discussion: """
      With objects that are named comes what they own, and what all of these refer to. An object is found by its
      entity's first uniqueness constraint, or by what --by names; objects of an entity without either are always
      made.
      """)

  @Option(help: ArgumentHelp("The store to copy from; it is only read.", valueName: "store"))
  var from: String

  @Option(help: ArgumentHelp("The store to copy into.", valueName: "store"))
  var into: String

  @Argument(help: "The entities whose objects are copied; all where none is named.")
  var entities: [String] = []

  @OptionGroup var identity: IdentityOptions

  @Option(help: "Leaves out a relationship or an attribute; may be Entity.name. Repeatable.")
  var exclude: [String] = []

  @Flag(help: "Sets to-one relationships of objects that are there already anew.")
  var overwrite = false

  @Flag(
    help:
      "Makes one of objects of the source that have one identity: the first counts, with the relationships to many of all."
  )
  var joinDuplicates = false

  @Option(
    name: .customLong("where"),
    help: ArgumentHelp("Only objects with a value: ENTITY:attr=value. Repeatable.", valueName: "condition"))
  var conditions: [String] = []

  @Option(help: "How many objects of each named entity, the first by key.")
  var limit: Int?

  @Option(
    help: ArgumentHelp(
      "What comes along with named objects: owned (what they own, and what all of these refer to), or all (every relationship in every direction).",
      valueName: "which"))
  var follow = CopyRequest.Follow.owned

  @Flag(help: "Copies the file as it is to a new place: fast, and nothing is found, joined or left out.")
  var whole = false

  @OptionGroup var once: OnceOptions
  @OptionGroup var moving: MovingOptions
  @OptionGroup var project: ModelOptions

  func run() throws {
    if whole { return try copyWhole() }
    let model = try project.loadModel()
    let request = try CopyRequest(
      entities: entities, identifiedBy: identity.request(), exclude: exclude, overwrites: overwrite,
      joinsDuplicates: joinDuplicates, filters: conditions.map { try CopyFilter(text: $0) }, limit: limit,
      follow: follow)
    _ = try CopyRules(request, model)
    let source = try project.waiting.graph(from, model, .reading)
    let target = try project.waiting.graph(into, model, moving.use)
    var once = once
    once.ask = once.ask && !moving.dryRun
    if let reason = try once.refusal(in: target, question: "Copy from '\(from)' into '\(into)'") {
      return try moving.format.printNothing(.copy, isDryRun: moving.dryRun, reason)
    }
    Console.note(unnamedOf: source, from, in: target)
    let mark = try once.once.map { OnceRequest($0, hash: try SHA256.text(ofFile: from)) }
    try moving.perform(in: target) { run in
      var run = run
      run.once = mark
      return try target.copy(from: source, request, run: run)
    }
  }

  private func copyWhole() throws {
    guard entities.isEmpty, identity.by.isEmpty, exclude.isEmpty, conditions.isEmpty, limit == nil,
      !overwrite, !joinDuplicates, !moving.dryRun, once.once == nil, !once.ask
    else {
      throw UsageError("--whole copies a store as it is; it takes --from and --into and no other option")
    }
    try NeededFiles(StoreFile(from).files).refuse(writing: into)
    guard try project.waiting.file(into).place(copyOf: from) else {
      throw CloneError(
        .storeExists,
        "'\(into)' exists already; a whole store is copied to a new place (`moclone store reset` makes room)")
    }
    Console.note(
      "'\(into)' is '\(from)' as it was: no object was looked for, joined or left out, and no date of change was set"
    )
  }
}

extension CopyRequest.Follow: ExpressibleByArgument {}

extension Console {
  /// Says what of a source no copy takes along.
  static func note(unnamedOf source: SQLiteGraph, _ path: String, in target: SQLiteGraph) {
    guard let names = try? target.unnamedContents(of: source), !names.isEmpty else { return }
    note("'\(path)' holds what the model does not name, which is not copied: \(names.listed())")
  }
}
