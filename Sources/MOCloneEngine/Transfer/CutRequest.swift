import MOCloneModel

/// How a subtree comes from one store into another.
public struct CutRequest: Sendable, Equatable {
  /// What identifies linked objects outside the subtree, in place of their first uniqueness constraint.
  public var identifiedBy: IdentityRequest
  /// What becomes of links to objects that the other store does not have.
  public var missing: MissingPolicy
  /// Whether keys and values stay as they are: a cut-out, not a copy by the annotations.
  public var keepsKeys: Bool

  /// Creates a request; by default missing links are refused, and clones get new keys.
  public init(
    identifiedBy: IdentityRequest = [:], missing: MissingPolicy = .fail, keepsKeys: Bool = false
  ) {
    self.identifiedBy = identifiedBy
    self.missing = missing
    self.keepsKeys = keepsKeys
  }
}

/// What a subtree became in another store.
public struct CutResult: Sendable, Equatable {
  /// The roots there, in the order given.
  public var roots: [ObjectID]
  /// What was done to the other store, or would be in a dry run.
  public var report: MoveReport

  /// Creates a result from the new roots and the report.
  public init(roots: [ObjectID], report: MoveReport) {
    self.roots = roots
    self.report = report
  }
}

extension CloneError.Failure {
  /// An object outside a subtree that the other store does not have.
  package static func missingLinked(_ object: ObjectID, identity: Identity?) -> Self {
    let how = identity.map { "by its \($0.names)" } ?? "because it has no identity (name one by --by)"
    return .init(
      .missingLinked,
      "\(object), which the subtree is linked to, is not in the store: it was not found \(how); pass --missing null or "
        + "create, or copy it first", object: object)
  }
}
