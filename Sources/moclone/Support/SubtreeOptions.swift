import ArgumentParser
import Foundation
import MOCloneKit
import MOCloneSQL

extension MissingPolicy: ExpressibleByArgument {}

/// How a clone comes into another store.
struct SubtreeOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Clone into another store; if it does not exist, it is created with the source's tables, indexes and triggers. A new file out of a Core Data store needs no --write-core-data; Apple supports no other writer there either.",
      valueName: "store"), completion: .file())
  var into: String?

  @Option(
    help: ArgumentHelp("The store to clone out of, as --store names it.", valueName: "store"),
    completion: .file())
  var from: String?

  @Option(
    help:
      "What happens to links to objects that the other store lacks: fail (default), null, or create (default with --keep-keys into a new store)."
  )
  var missing: MissingPolicy?

  @Flag(
    help:
      "Keep all keys and values, also those that annotations would change, save a key's part that refers to an object found by its identity; relationships that the model excludes stay behind."
  )
  var keepKeys = false

  @Option(
    help: ArgumentHelp(
      "A table outside the model to copy whole into a new store. Repeatable.",
      valueName: "name"))
  var withTable: [String] = []

  @OptionGroup var identity: IdentityOptions

  func check(mapping: String?, timing: Bool) throws {
    if into == nil {
      guard from == nil, missing == nil, !keepKeys, identity.by.isEmpty, withTable.isEmpty else {
        throw UsageError(
          "--from, --missing, --keep-keys, --with-table and --by can be used with --into only")
      }
    } else if timing {
      throw UsageError("--timing cannot be used with --into")
    } else if mapping != nil, keepKeys {
      throw UsageError("--mapping cannot be used with --keep-keys, with which keys are not renewed")
    }
  }

  /// The options of the project, with the store to clone out of.
  func project(_ project: ProjectOptions) throws -> ProjectOptions {
    guard let from else { return project }
    guard project.store == nil else {
      throw UsageError("--from and --store both name the store to clone out of; give one of them")
    }
    var project = project
    project.store = from
    return project
  }

  private func noteLeftBehind(by plan: ClonePlan, _ roots: [ObjectID], in source: any TransferStore) {
    let mapping = SchemaMapping(plan.model)
    let excluded = plan.ends { $0.reason == .excludedByAnnotation }
    let linked = plan.ends { $0.rule == .link && mapping.isInOtherRows($0.relationship) }
    guard !excluded.isEmpty || !linked.isEmpty else { return }
    // Where nobody can look, each may leave something behind.
    let left = try? source.leavingBehind(excluded + linked, by: plan, roots)
    func note(_ reason: String, _ ends: [OpenEnd]) {
      let names = ends.map(\.relationship.qualifiedName).filter { left?.contains($0) ?? true }
      guard !names.isEmpty else { return }
      Console.note("not taken along, because \(reason): \(names.map { "'\($0)'" }.listed())")
    }
    note("the model excludes it", excluded)
    note("the model says 'onClone: link', and the foreign key is in the related object", linked)
  }

  func clone(
    _ plan: ClonePlan, roots: [ObjectID], from source: any TransferStore, into path: String, isDryRun: Bool,
    mapping: MappingFile?, coreData: CoreDataWriting, format: OutputFormat, project: ProjectOptions
  ) throws {
    if !withTable.isEmpty, !(source is SQLiteGraph) {
      throw UsageError("--with-table copies tables of SQLite only")
    }
    let isServer = ProjectOptions.isServer(path)
    let file = project.waiting.file(path)
    let exists = isServer || (file.exists && !file.isEmpty)
    if exists && !withTable.isEmpty {
      throw UsageError("--with-table can be used with a new store only, but '\(path)' exists")
    }
    if !exists { try NeededFiles(project.files).refuse(writing: path) }
    // No store is made for nothing.
    let isMade = !isDryRun && !roots.isEmpty
    // A new store has nothing that could be linked to.
    let request = try SubtreeRequest(
      identifiedBy: identity.request(), missing: missing ?? (keepKeys && !exists ? .create : .fail),
      keepsKeys: keepKeys, keepsMapping: mapping != nil)
    if keepKeys { noteLeftBehind(by: plan, roots, in: source) }
    let line = ProgressLine.onTerminal()
    defer { line?.clear() }
    let options = TransferOptions(isDryRun: isDryRun, shownBy: line)
    func fill(_ target: any TransferStore) throws -> SubtreeResult {
      try target.clone(plan, roots: roots, from: source, request, options: options)
    }
    try Interruption.watching {
      let result: SubtreeResult
      if exists {
        let target = try project.waiting.store(
          path, source.model, isDryRun ? .trial : .writing, coreData: coreData)
        Console.note(unnamedOf: source, in: target)
        result = try fill(target)
      } else if let source = source as? SQLiteGraph {
        let unfilled = try source.unfilledTables().filter { table in
          !withTable.contains { $0.lowercased() == table }
        }
        if !unfilled.isEmpty {
          Console.note(
            "left empty, because no trigger of the store fills it: \(unfilled.map { "'\($0)'" }.listed())")
        }
        result = try source.makeStore(at: path, withTables: withTable, isDryRun: !isMade, fill)
      } else {
        Console.note(unnamedOf: source, in: nil)
        result = try file.place(filled: source.model, isDryRun: !isMade, fill)
      }
      line?.clear()
      if !exists, isMade, let source = source as? SQLiteGraph, try source.isCoreDataStore {
        Console.note(
          "'\(path)' is a Core Data store that Core Data did not write, which Apple does not support; try it in the app first"
        )
      }
      let dangling = (result.report.dangling ?? [:]).sorted { $0.key < $1.key }
      if !isDryRun, !dangling.isEmpty {
        let counts = dangling.map { "\($0.value) of '\($0.key)'" }.joined(separator: ", ")
        Console.note("references to missing rows were left out: \(counts)")
      }
      for skipped in format == .text ? result.report.skipped ?? [] : [] {
        Console.note("left out: \(skipped.place): \(skipped.reason)")
      }
      try Interruption.afterCommit(isMade ? Clone.done : nil) {
        if !isDryRun { try mapping?.write(result.mapping) }
        let text = ResultText(result)
        try Console.output.writeAll(isDryRun ? text.counts(format) : text.text(format))
      }
    }
  }
}

extension ClonePlan {
  /// Some relationships of the objects of a subtree, each once.
  fileprivate func ends(where isMeant: (RelationshipPlan) -> Bool) -> [OpenEnd] {
    let asked = askedNames
    return nodes.flatMap(\.relationships).filter(isMeant).map(\.relationship).uniqued(by: \.qualifiedName).map
    { relationship in
      let sides = [relationship, model.inverse(of: relationship)].compactMap { $0?.qualifiedName }
      return OpenEnd(relationship, isKeptInside: !asked.isDisjoint(with: sides))
    }
  }
}
