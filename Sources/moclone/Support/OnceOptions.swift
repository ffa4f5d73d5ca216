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

  func validate() throws {
    if once?.isEmpty == true { throw ValidationError("'--once' needs a name") }
  }

  /// Why nothing is to be done: there is a mark, or somebody says no, which is marked; nil where something is.
  func refusal(in graph: some MetadataGraph, question: String) throws -> String? {
    if let once, let mark = try graph.onceMark(once) {
      return "'\(once)' was \(mark.answer.rawValue) before; nothing was done "
        + "(`moclone store metadata remove '\(once)'` takes that back)"
    }
    guard ask, Question.isPossible, !Question.ask(question + "?") else { return nil }
    if let once { try graph.declineOnce(once) }
    return "nothing was done" + (once.map { ", and '\($0)' will not be asked again" } ?? "")
  }
}
