import ArgumentParser
import Foundation
import MOCloneKit

/// What a clone leaves out and sets.
struct RequestOptions: ParsableArguments {
  @Option(
    help: "Leaves out a relationship or an attribute, along the whole chain; may be Entity.name. Repeatable.")
  var exclude: [String] = []

  @Option(help: "Gives the root NAME=VALUE: an attribute, or a to-one relationship by key. Repeatable.")
  var set: [String] = []

  @Option(help: "Empties an attribute or a to-one relationship of the root. Repeatable.")
  var unset: [String] = []

  @Option(help: "How many copies of each object.")
  var count = 1

  func request() throws -> CloneRequest {
    var values: [String: AttributeValue] = [:]
    for assignment in set {
      guard let equals = assignment.firstIndex(of: "=") else {
        throw UsageError("'--set \(assignment)' has no value; write --set NAME=VALUE")
      }
      let name = String(assignment[..<equals])
      guard
        values.updateValue(.string(String(assignment[assignment.index(after: equals)...])), forKey: name)
          == nil
      else { throw UsageError("'\(name)' is set twice") }
    }
    return CloneRequest(exclude: exclude, count: count, set: values, unset: unset)
  }

  /// Says of each exclusion that changes nothing that it changes nothing.
  func noteWithoutEffect(on plan: ClonePlan) throws {
    for name in exclude {
      var request = plan.request
      request.exclude.removeAll { $0 == name }
      let without = try ClonePlan(model: plan.model, entity: plan.entity, request: request)
      if without.hasSameEffect(as: plan) {
        Console.note("--exclude \(name) leaves nothing out: without it the clone would be the same")
      }
    }
  }
}

enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
  case text, json
}

struct Clone: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clone", abstract: "Copies objects with what belongs to them; the default command.",
    discussion: "Prints the keys of the new objects, one a line. All keys are copied in one transaction.")

  @OptionGroup var objects: ObjectOptions
  @OptionGroup var options: RequestOptions
  @OptionGroup var project: ProjectOptions

  @Option(help: ArgumentHelp("Writes the old and new key of every copied object.", valueName: "file"))
  var mapping: String?

  @Flag(help: "Says what would be copied, on a read-only connection.")
  var dryRun = false

  @Flag(
    help: "Says on standard error how long each phase took, and of how many statements the clone consisted.")
  var timing = false

  @Flag(name: .shortAndLong, help: "Says on standard error what exclusions leave nothing out.")
  var verbose = false

  @Option(help: "text or json.")
  var format = OutputFormat.text

  @OptionGroup(title: "Into another store") var cut: CutOptions

  func run() throws {
    guard !objects.keys.isEmpty || !objects.wholeKeys.isEmpty else { throw try noKey() }
    let model = try project.loadModel()
    let entity = try objects.entity(in: model)
    let plan = try ClonePlan(model: model, entity: entity, request: options.request())
    if verbose { try options.noteWithoutEffect(on: plan) }
    try cut.check(mapping: mapping, timing: timing)
    let file = try mapping.map { try MappingFile(path: $0, project) }
    let graph = try project.openGraph(model, use)
    Console.warn(of: try graph.check(plan))
    let roots = try objects.objects(entity, in: graph)
    if let into = cut.into {
      return try cut.clone(
        plan, roots, from: graph, into: into, isDryRun: dryRun, format, project)
    }
    if dryRun { return try preview(plan, roots, in: graph) }
    let line = ProgressLine.onTerminal()
    let run = CloneRun(
      keepsMapping: mapping != nil, countsLinks: format == .json, progress: line.map { $0.show },
      timer: timing ? CloneTimer() : nil)
    defer { line?.clear() }
    try Interruption.watching(graph) {
      let result = try graph.run(plan, roots: roots, run: run, saves: true)
      line?.clear()
      try Interruption.afterCommit(Self.done) {
        if let timer = run.timer { Console.note(TimingText(timer).text) }
        try graph.close()
        try file?.write(result.mapping)
        try Console.output.writeAll(ResultText(result).text(format))
      }
    }
  }

  static let done = "the objects are cloned and committed"

  /// With --into the store is only read, and the other one is written.
  private var use: StoreUse { cut.into != nil ? .reading : dryRun ? .dryRun : .writing }

  /// Without keys the word can be a mistyped command, and without a model nothing can be said of it.
  private func noKey() throws -> UsageError {
    let entity = try objects.entity(in: project.loadModel())
    return UsageError("which \(entity)? Name a key: moclone \(objects.entity) KEY")
  }

  private func preview(_ plan: ClonePlan, _ roots: [ObjectID], in graph: SQLiteGraph) throws {
    let counts = try graph.preview(plan, roots: roots)
    try Console.output.writeAll(ResultText(counts).counts(format))
  }
}

/// The file of old and new keys, begun before anything is cloned.
struct MappingFile {
  private let file: DraftFile

  init(path: String, _ project: ProjectOptions) throws {
    try NeededFiles(project.files).refuse(writing: path)
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
