import ArgumentParser
import Foundation
import MOCloneKit

struct Dedupe: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dedupe", abstract: "Merges objects that share their identity into one of them.",
    discussion: """
      The newest stays, by its date `modified`; on a tie the one with more values, then the one with the lesser
      values, each attribute in turn, so that every device chooses the same. What refers to the others moves to it. An object whose identity is null
      or empty is nobody's duplicate.
      """)

  enum Kept: String, ExpressibleByArgument, CaseIterable {
    case newest, oldest, fullest
  }

  @Argument(
    help: "The entities, with their sub-entities; every one that has an identity where none is named.")
  var entities: [String] = []

  @OptionGroup var identity: IdentityOptions

  @Option(help: "newest, oldest or fullest: which object of a group stays.")
  var keep = Kept.newest

  @Option(
    help:
      "key or skip: whether values, then keys, decide where nothing else does, or the group is left alone.")
  var onTie = DedupeRequest.Tie.leastKey

  @Option(help: "merge, or none: the others are deleted by the delete rules with what belongs to them.")
  var merge = DedupeRequest.Merge.merge

  @Flag(inversion: .prefixedNo, help: "Fills nulls of the object that stays with values of the others.")
  var fill = true

  @OptionGroup var moving: MovingOptions
  @OptionGroup var project: ProjectOptions

  /// So many groups are read on a terminal.
  private static let listed = 20

  func run() throws {
    let model = try project.loadModel()
    let request = DedupeRequest(
      entities, identifiedBy: try identity.request(), keep: kept, tie: onTie, merge: merge, fills: fill,
      newest: moving.how.newest ?? "modified", listedGroups: moving.format == .json ? nil : Self.listed)
    let graph = try project.openGraph(model, moving.use)
    try moving.perform(in: graph) { try graph.dedupe(request, run: $0) }
    try graph.close()
  }

  private var kept: DedupeRequest.Keep {
    switch keep {
    case .newest: .newest
    case .oldest: .oldest
    case .fullest: .fullest
    }
  }
}

extension DedupeRequest.Tie: ExpressibleByArgument {}
extension DedupeRequest.Merge: ExpressibleByArgument {}
