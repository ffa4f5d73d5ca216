import MOCloneModel

/// Which duplicates are looked for, which object of a group stays, and what becomes of the others.
///
/// ```swift
/// let report = try graph.dedupe(DedupeRequest(entities: ["Item"], identifiedBy: ["Item": ["name"]]))
/// ```
public struct DedupeRequest: Sendable {
  /// Which object of a group survives.
  public enum Keep: Sendable {
    /// The one with the greatest date; on a tie the one with more values, then the one with the lesser values, each
    /// attribute in turn; the least key among objects that are equal in everything.
    case newest
    /// The one with the least date; then as above.
    case oldest
    /// The one with more values; then the newest, then as above.
    case fullest
    /// The one that a closure chooses among the objects of a group, the newest first; nil leaves the group alone.
    case chosen(@Sendable ([ManagedObject]) throws -> ManagedObject?)
  }

  /// What happens where date and number of values do not decide.
  public enum Tie: String, Sendable, CaseIterable {
    /// The lesser values survive, which every device knows; the least key among objects that are equal in everything.
    case leastKey = "key"
    /// The group is kept as it is, unless its objects belong to merged objects by a one-to-one relationship, or the merge
    /// itself made them equal.
    case skip
  }

  /// What becomes of the others.
  public enum Merge: String, Sendable, CaseIterable {
    /// What refers to them moves to the survivor, and so do the members of their to-many relationships.
    case merge
    /// They are deleted by the delete rules.
    case none
  }

  /// The entities, with those that inherit from them; empty for every entity that has an identity.
  public var entities: [String]
  /// What makes objects equal, in place of the first uniqueness constraint of their entity.
  public var identifiedBy: IdentityRequest
  /// Which object of a group survives.
  public var keep: Keep
  /// What happens where date and number of values do not decide.
  public var tie: Tie
  /// What becomes of the objects that do not survive.
  public var merge: Merge
  /// Whether nulls of the survivor take the values of the others, of the best one that has any.
  public var fills: Bool
  /// The date attribute that tells which object is newest.
  public var newest: String
  /// How many groups the report names; nil for all.
  public var listedGroups: Int?

  /// Creates a request; by default every entity with an identity is merged, and the newest object survives.
  public init(
    entities: [String] = [], identifiedBy: IdentityRequest = [:], keep: Keep = .newest,
    tie: Tie = .leastKey, merge: Merge = .merge, fills: Bool = true, newest: String = "modified",
    listedGroups: Int? = nil
  ) {
    self.entities = entities
    self.identifiedBy = identifiedBy
    self.keep = keep
    self.tie = tie
    self.merge = merge
    self.fills = fills
    self.newest = newest
    self.listedGroups = listedGroups
  }
}

/// A graph that merges duplicates and follows a full set of rows.
public protocol TransferGraph: MetadataGraph {
  /// Merges objects that share their identity into one of them, the same on every device.
  ///
  /// Entities that are identified by the merged ones are looked at too: what becomes equal by the merge is merged as well.
  ///
  /// - Throws: `CloneError` with everything that is wrong with the request; nothing has then changed.
  func dedupe(_ request: DedupeRequest, options: TransferOptions) throws -> TransferReport
}

extension TransferGraph {
  /// Merges the duplicates of every entity that has an identity.
  @discardableResult
  public func dedupe(_ request: DedupeRequest = DedupeRequest()) throws -> TransferReport {
    try dedupe(request, options: TransferOptions())
  }
}
