import MOCloneModel

/// What clones hold otherwise after a change of their model.
///
/// Compares plans, not files: each concrete entity of both models is a root in both, and what differs at the same way of
/// access path is one change, however many roots show it. A renamed thing is one that went and one that came.
///
/// ```swift
/// let difference = CloneDifference(from: old, to: new)
/// print(difference.text)
/// ```
public struct CloneDifference: Sendable, Equatable {
  /// Breaking changes first, then by subject.
  public let changes: [Change]

  public init(from old: ObjectModel, to new: ObjectModel) {
    changes = old == new ? [] : ModelComparison(old: old, new: new).changes()
  }

  /// Whether a clone lacks something that it had, or has a copy where it had a link.
  public var isBreaking: Bool { changes.contains(where: \.isBreaking) }

  /// One cause, and everything that follows from it.
  public struct Change: Sendable, Equatable {
    public var kind: Kind
    /// An attribute or relationship with the entity that declares it, or an entity.
    public var subject: String
    /// What happened to the subject, in words.
    public var before: String
    public var after: String
    /// The entities whose clones differ, in the order of the model.
    public var roots: [Root]

    public var isBreaking: Bool { kind.isBreaking }

    /// The entities of the objects that are copied, linked or left out otherwise, each once.
    public var objects: [String] { roots.flatMap(\.objects).map(\.entity).uniqued() }
  }

  /// An entity whose clones differ.
  public struct Root: Sendable, Equatable, Codable {
    public var entity: String
    /// The relationships that lead from the root to the object with the subject; of more than 16 the first three and
    /// the last twelve with `...` between them.
    public var path: [String]
    /// What is newly copied or linked there, or no longer.
    public var objects: [Reached]
  }

  /// An entity and the relationships that lead to it from the root, cut as the path of a root is.
  public struct Reached: Sendable, Equatable, Codable {
    public var entity: String
    public var path: [String]
  }

  /// What changed, breaking kinds first.
  public enum Kind: String, Sendable, Codable, CaseIterable {
    case entityRemoved = "entity-removed"
    case rootRefused = "root-refused"
    case noLongerCloned = "no-longer-cloned"
    case copyBecameLink = "copy-became-link"
    case linkBecameCopy = "link-became-copy"
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

    public var isBreaking: Bool {
      switch self {
      case .entityAdded, .rootAllowed, .newlyCloned, .newlyLinked, .newlyCopied, .ruleChanged: false
      default: true
      }
    }
  }
}
