import ArgumentParser
import MOCloneKit

/// Whether something is done again, and whether it is done at all.
struct OnceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Run only if the store's metadata has no marker of this name yet, and set the marker.",
      valueName: "name"))
  var once: String?

  @Flag(help: "Ask first on a terminal; with --once the answer no is remembered as well.")
  var ask = false

  func validate() throws {
    if once?.isEmpty == true { throw ValidationError("'--once' has no name; expected '--once NAME'") }
  }

  /// Why nothing should be done: a marker exists, or the user says no, which sets it; nil to go on.
  func refusal(in graph: some MetadataGraph, question: String) throws -> String? {
    if let once, let mark = try graph.onceMark(once) {
      return "'\(once)' was \(mark.answer.rawValue) before, so nothing was done "
        + "(`moclone store metadata remove '\(once)'` lets it run again)"
    }
    guard ask, Question.isPossible, !Question.ask(question + "?") else { return nil }
    if let once { try graph.declineOnce(once) }
    return "nothing was done" + (once.map { ", and '\($0)' will not be asked again" } ?? "")
  }
}
