import ArgumentParser
import Foundation
import MOCloneKit
import MOCloneSQL

/// What a clone leaves out and sets.
struct RequestOptions: ParsableArguments {
  @Option(
    help: "Leave out a relationship or an attribute of any cloned object; NAME or ENTITY.NAME. Repeatable.",
    completion: .properties)
  var exclude: [String] = []

  @Option(
    help: "Set a value of the root, NAME=VALUE: an attribute, or a to-one relationship by key. Repeatable.")
  var set: [String] = []

  @Option(
    help: "Set an attribute or a to-one relationship of the root to null. Repeatable.",
    completion: .properties)
  var unset: [String] = []

  @Option(parsing: .unconditional, help: "The number of copies of each object.")
  var count = 1

  func request() throws -> CloneRequest {
    CloneRequest(
      exclude: exclude, count: count, set: try Assignments("--set", set).values, unset: unset)
  }

  /// Names each exclusion that has no effect.
  func noteWithoutEffect(on plan: ClonePlan) throws {
    for name in exclude {
      var request = plan.request
      request.exclude.removeAll { $0 == name }
      let without = try ClonePlan(model: plan.model, entity: plan.entity, request: request)
      if without.hasSameEffect(as: plan) {
        Console.note("'--exclude \(name)' has no effect: the clone would be the same without it")
      }
    }
  }
}

enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
  case text, json

  /// Writes a result to standard output in this format, JSON as one line.
  func write(_ result: some Encodable, text: @autoclosure () -> String) throws {
    try Console.output.writeAll(self == .json ? result.jsonText() + "\n" : text())
  }
}

struct Clone: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clone",
    abstract: "Copies objects together with the objects that belong to them (the default command).",
    discussion: """
      Prints the keys of the new objects, one per line. All objects are copied in one transaction.

      EXAMPLES:
        moclone note 42 --exclude memos
        moclone clone note 42 43 --set name=Copy --count 3
        moclone clone customer 7 --into new.sqlite --keep-keys
      """)

  @OptionGroup var objects: ObjectOptions
  @OptionGroup var options: RequestOptions
  @OptionGroup var project: ProjectOptions

  @Option(
    help: ArgumentHelp("Write the old and the new key of every copied object to a file.", valueName: "file"),
    completion: .file())
  var mapping: String?

  @Flag(
    help:
      "Only count what would be copied, on a read-only connection; what only the database refuses when it is written, such as a unique value that is taken, is not found."
  )
  var dryRun = false

  @Flag(help: "Print on standard error how long each phase took and how many statements it ran.")
  var timing = false

  @Option(help: "The format of the output: text or json.")
  var format = OutputFormat.text

  @OptionGroup var coreData: CoreDataOptions
  @OptionGroup(title: "Into another store") var subtree: SubtreeOptions
  @OptionGroup var console: ConsoleOptions

  func run() throws {
    guard !objects.keys.isEmpty || !objects.wholeKeys.isEmpty else { throw try noKey() }
    let project = try subtree.project(self.project)
    let model = try project.loadModel()
    let entity = try objects.entity(in: model)
    var request = try options.request()
    request.keepsValues = subtree.keepKeys
    let plan = try ClonePlan(model: model, entity: entity, request: request)
    if console.verbose { try options.noteWithoutEffect(on: plan) }
    try subtree.check(mapping: mapping, timing: timing)
    let stores = subtree.into.map { ProjectOptions.isServer($0) ? [] : StoreFile($0).files } ?? []
    let file = try mapping.map { try MappingFile(path: $0, besides: project.files + stores) }
    let graph = try project.openStore(model, use: use, coreData: coreData.writing)
    try Console.warn(of: plan, in: graph)
    let roots = try objects.objects(entity, in: graph)
    if let into = subtree.into {
      return try subtree.clone(
        plan, roots: roots, from: graph, into: into, isDryRun: dryRun, mapping: file,
        coreData: coreData.writing, format: format, project: project)
    }
    if dryRun { return try preview(plan, roots: roots, in: graph) }
    let line = ProgressLine.onTerminal()
    let cloneOptions = CloneOptions(
      keepsMapping: mapping != nil, countsLinks: format == .json, progress: line.map { $0.show },
      timer: timing ? CloneTimer() : nil)
    defer { line?.clear() }
    try Interruption.watching(graph) {
      let result = try graph.run(plan, roots: roots, options: cloneOptions, saves: true)
      line?.clear()
      try Interruption.afterCommit(Self.done) {
        if let timer = cloneOptions.timer {
          Console.errors.write("moclone: \(TimingText(timer: timer).text)\n")
        }
        try graph.close()
        try file?.write(result.mapping)
        try Console.output.writeAll(ResultText(result).text(format))
      }
    }
  }

  static let done = "the objects are cloned and committed"

  /// With --into the store is only read, and the other one is written; a dry run only counts.
  private var use: StoreUse { subtree.into != nil || dryRun ? .reading : .writing }

  /// Without keys the word can be a mistyped command, which only the model can tell from an entity.
  private func noKey() throws -> UsageError {
    let entity = try objects.entity(in: project.loadModel())
    return UsageError("no key of \(entity) is given; expected `moclone \(objects.entity) KEY`")
  }

  private func preview(_ plan: ClonePlan, roots: [ObjectID], in graph: any StoreGraph) throws {
    let counts = try graph.preview(plan, roots: roots)
    do { try (graph as? SQLiteGraph)?.checkWritable() } catch let error as CloneError {
      Console.note("the clone itself would be refused: \(error.failures[0].message)")
    }
    try Console.output.writeAll(ResultText(counts).counts(format))
  }
}

/// The file of old and new keys, begun before anything is cloned.
struct MappingFile {
  private let file: DraftFile

  /// - Parameter files: those that must not be written over.
  init(path: String, besides files: [String]) throws {
    try NeededFiles(files).refuse(writing: path)
    file = try DraftFile(path: path)
  }

  /// One line an object, divided by tabs: entity, original, clone.
  func write(_ mapping: [CloneResult.Pair]) throws {
    var lines = "entity\toriginal\tclone\n"
    for pair in mapping { lines += "\(pair.original.entity)\t\(pair.original.key)\t\(pair.clone.key)\n" }
    try file.write(Data(lines.utf8))
    try file.moveIntoPlace()
  }
}
