import ArgumentParser
import Foundation
import MOCloneKit

struct Seed: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "seed", abstract: "Merges a local store into another one, then merges duplicates.",
    discussion: """
      Objects are copied as `copy` does; those that are new get the present instant as their date of change. Asks
      first on a terminal. Without a source file there is nothing to do.
      """)

  @Option(help: ArgumentHelp("The local store.", valueName: "store"))
  var from: String

  @Option(help: ArgumentHelp("The store that it is merged into.", valueName: "store"))
  var into: String

  @Flag(
    help:
      "Removes the local store, with its -wal and -shm, once every object in it is known to have its counterpart."
  )
  var removeSource = false

  @Flag(help: "Does it without asking.")
  var yes = false

  @OptionGroup var identity: IdentityOptions

  @Option(
    help: ArgumentHelp(
      "Runs only if the store's metadata has no mark of this name yet, and sets it.", valueName: "name"))
  var once: String?

  @OptionGroup var moving: MovingOptions
  @OptionGroup var project: ModelOptions

  func run() throws {
    let model = try project.loadModel()
    let request = try identity.request()
    _ = try CopyRules(CopyRequest(identifiedBy: request), model)
    guard FileManager.default.fileExists(atPath: from) else {
      return try moving.format.printNothing(
        .seed, isDryRun: moving.dryRun, "there is no '\(from)', so there is nothing to seed")
    }
    let target = try project.waiting.graph(into, model, moving.use)
    if let reason = try refusal(target) {
      return try moving.format.printNothing(.seed, isDryRun: moving.dryRun, reason)
    }
    let source = try project.waiting.graph(from, model, .reading)
    let mark = try once.map { OnceRequest($0, hash: try SHA256.text(ofFile: from)) }
    Console.note(unnamedOf: source, from, in: target)
    var report = MoveReport(.seed)
    try moving.perform(in: target) { run in
      var run = run
      run.once = mark
      report = try target.seed(from: source, identifiedBy: request, run: run)
      return report
    }
    guard removeSource, !moving.dryRun, report.reason == nil else { return }
    try remove(source, target, request, report)
  }

  private func refusal(_ target: SQLiteGraph) throws -> String? {
    var options = OnceOptions()
    options.once = once
    options.ask = !yes && !moving.dryRun
    return try options.refusal(in: target, question: "Merge '\(from)' into '\(into)'")
  }

  private func remove(
    _ source: SQLiteGraph, _ target: SQLiteGraph, _ request: IdentityRequest, _ report: MoveReport
  ) throws {
    do {
      let lacking = try target.lacking(of: source, identifiedBy: request, seeded: report)
      guard lacking.isEmpty else {
        Console.note(
          "'\(from)' is kept: not everything in it is in '\(into)', too; what was copied stays\n"
            + text(lacking))
        throw ExitCode(1)
      }
      try source.close()
      try project.waiting.file(from).remove()
    } catch let error where !(error is ExitCode) {
      Console.note(
        "'\(from)' is kept, but its objects are copied into '\(into)' and committed: do not seed them again")
      throw error
    }
    Console.note("'\(from)' is removed: every object in it has its counterpart in '\(into)'")
  }

  /// So many lines as people read.
  private func text(_ lines: [String], listed: Int = 20) -> String {
    let rest = lines.count > listed ? ["and \(lines.count - listed) more"] : []
    return (lines.prefix(listed) + rest).map { "  " + $0 }.joined(separator: "\n")
  }
}
