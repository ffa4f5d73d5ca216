import MOCloneModel

/// What clones hold otherwise after a change of their model.
///
/// Compares plans, not files: each concrete entity of both models is a root in both, and what differs at the same way of
/// access path is one change, however many roots show it. A renamed thing is one that went and one that came, unless the new
/// model says what it was called.
///
/// ```swift
/// let difference = CloneDifference(from: old, to: new)
/// print(difference.text)
/// ```
package struct CloneDifference: Sendable, Equatable {
  /// Breaking changes first, then by subject.
  package let changes: [Change]

  package init(from old: ObjectModel, to new: ObjectModel) {
    changes = old == new ? [] : ModelComparison(old: old, new: new).changes()
  }

  private init(_ changes: [Change]) {
    self.changes = changes
  }

  /// The difference without some of its changes.
  package func filter(_ isKept: (Change) -> Bool) -> CloneDifference {
    CloneDifference(changes.filter(isKept))
  }

  /// Whether a clone lacks something that it had, or has a copy where it had a link.
  package var isBreaking: Bool { changes.contains(where: \.isBreaking) }

  /// One cause, and everything that follows from it.
  package struct Change: Sendable, Equatable {
    package var kind: Kind
    /// An attribute or relationship with the entity that declares it, or an entity.
    package var subject: String
    /// What happened to the subject, in words.
    package var before: String
    package var after: String
    /// The entities whose clones differ, in the order of the model.
    package var roots: [Root] = []

    package var isBreaking: Bool { kind.isBreaking }

    /// The entities of the objects that are copied, linked or left out otherwise, each once.
    package var objects: [String] { roots.flatMap(\.objects).map(\.entity).uniqued() }
  }

  /// An entity whose clones differ.
  package struct Root: Sendable, Equatable, Codable {
    package var entity: String
    /// The relationships that lead from the root to the object with the subject; of more than 16 the first three and
    /// the last twelve with `...` between them.
    package var path: [String]
    /// What is newly copied or linked there, or no longer.
    package var objects: [Reached]
  }

  /// An entity and the relationships that lead to it from the root, cut as the path of a root is.
  package struct Reached: Sendable, Equatable, Codable {
    package var entity: String
    package var path: [String]
  }

  /// What changed, breaking kinds first.
  package enum Kind: String, Sendable, Codable, CaseIterable {
    case entityRemoved = "entity-removed"
    case rootRefused = "root-refused"
    case constraintAdded = "constraint-added"
    case dataTightened = "data-tightened"
    case noLongerCloned = "no-longer-cloned"
    case copyBecameLink = "copy-became-link"
    case linkBecameCopy = "link-became-copy"
    case joinsOthers = "joins-others"
    case noLongerLinked = "no-longer-linked"
    case noLongerOrdered = "no-longer-ordered"
    case noLongerCopied = "no-longer-copied"
    case noLongerRebuilt = "no-longer-rebuilt"
    case noLongerFollowing = "no-longer-following"
    case followsAnother = "follows-another"
    case entityAdded = "entity-added"
    case rootAllowed = "root-allowed"
    case newlyCloned = "newly-cloned"
    case newlyLinked = "newly-linked"
    case newlyCopied = "newly-copied"
    case ruleChanged = "rule-changed"
    case renamed

    package var isBreaking: Bool {
      switch self {
      case .entityAdded, .rootAllowed, .newlyCloned, .newlyLinked, .newlyCopied, .ruleChanged, .renamed: false
      default: true
      }
    }
  }
}
