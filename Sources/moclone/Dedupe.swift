import ArgumentParser
import Foundation
import MOCloneKit

struct Dedupe: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dedupe", abstract: "Merges duplicates, which are objects with the same identity.",
    discussion: """
      The newest object stays, by its date `modified`; on a tie the one with more values, then the one with the \
      lesser values, attribute by attribute, so that every device chooses the same one. References to the \
      others then reference it. An object whose identity is null or empty has no duplicates.

      EXAMPLES:
        moclone dedupe
        moclone dedupe Item --by name --keep oldest --dry-run
      """)

  enum Kept: String, ExpressibleByArgument, CaseIterable {
    case newest, oldest, fullest
  }

  @Argument(
    help: "The entities, with their sub-entities. Default: all that have an identity.", completion: .entities)
  var entities: [String] = []

  @OptionGroup var identity: IdentityOptions

  @Option(help: "Which object of a group stays: newest, oldest or fullest.")
  var keep = Kept.newest

  @Option(
    help:
      "What happens on a tie: key (values, then keys decide) or skip (the group is not merged, unless the merge itself made its objects equal)."
  )
  var onTie = DedupeRequest.Tie.leastKey

  @Option(
    help:
      "What happens to related objects of the duplicates: merge, or none (they are deleted by the delete rules)."
  )
  var merge = DedupeRequest.Merge.merge

  @Flag(
    inversion: .prefixedNo, help: "Fill null values of the object that stays with values of its duplicates.")
  var fill = true

  @OptionGroup var moving: TransferArguments
  @OptionGroup var project: ProjectOptions
  @OptionGroup var console: ConsoleOptions

  /// The number of groups that are listed as text.
  private static let listed = 20

  func run() throws {
    let model = try project.loadModel()
    let request = DedupeRequest(
      entities: entities, identifiedBy: try identity.request(), keep: kept, tie: onTie, merge: merge,
      fills: fill,
      newest: moving.how.newest ?? "modified", listedGroups: moving.format == .json ? nil : Self.listed)
    let graph = try project.openStore(model, use: moving.use, coreData: moving.coreData)
    try moving.perform(in: graph) { try graph.dedupe(request, options: $0) }
    let identities = try Identities(model, identifiedBy: request.identifiedBy)
    if !model.entities.contains(where: { identities[$0.name] != nil }) {
      Console.note(
        "no entity has a uniqueness constraint, so nothing was compared; name what identifies objects, as in --by "
          + "ENTITY=NAME")
    }
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
