import ArgumentParser
import MOCloneKit

/// Whether something is done again, and whether it is done at all.
struct OnceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Runs only if the store's metadata has no mark of this name yet, and sets it.", valueName: "name"))
  var once: String?

  @Flag(help: "Asks first on a terminal; with --once a no is kept too.")
  var ask = false

  /// Runs something, marked in the same transaction where it is to happen once.
  ///
  /// - Parameters:
  ///   - input: the file whose hash the mark holds.
  ///   - question: what is asked, without its question mark.
  /// - Returns: nil where nothing was done.
  func run<Result>(
    in graph: some MetadataGraph, input: String?, question: String, _ body: () throws -> Result
  ) throws -> Result? {
    guard try mayRun(in: graph, question: question) else { return nil }
    guard let once else { return try body() }
    let result = try graph.runOnce(once, hash: input.map { try SHA256.text(ofFile: $0) }, body)
    if result == nil { Console.note("'\(once)' was done by another process; nothing was done") }
    return result
  }

  /// Whether there is no mark and nobody says no; a no is marked.
  func mayRun(in graph: some MetadataGraph, question: String) throws -> Bool {
    if let once, let mark = try graph.onceMark(once) {
      Console.note(
        "'\(once)' was \(mark.answer.rawValue) before; nothing was done "
          + "(`moclone store metadata remove '\(once)'` takes that back)")
      return false
    }
    guard ask, Question.isPossible, !Question.ask(question + "?") else { return true }
    if let once { try graph.declineOnce(once) }
    Console.note("nothing was done" + (once.map { ", and '\($0)' will not be asked again" } ?? ""))
    return false
  }
}
