import MOCloneModel

/// How a subtree comes from one store into another.
public struct SubtreeRequest: Sendable, Equatable {
  /// What identifies linked objects outside the subtree, in place of their first uniqueness constraint.
  public var identifiedBy: IdentityRequest
  /// What becomes of links to objects that the other store does not have.
  public var missing: MissingPolicy
  /// Whether keys and values stay as they are: a copied subtree, not a copy by the annotations.
  public var keepsKeys: Bool
  /// Whether `SubtreeResult.mapping` is wanted, which a database is asked for object by object.
  public var keepsMapping: Bool

  /// Creates a request; by default missing links are refused, and clones get new keys.
  public init(
    identifiedBy: IdentityRequest = [:], missing: MissingPolicy = .fail, keepsKeys: Bool = false,
    keepsMapping: Bool = false
  ) {
    self.identifiedBy = identifiedBy
    self.missing = missing
    self.keepsKeys = keepsKeys
    self.keepsMapping = keepsMapping
  }
}

/// What a subtree became in another store.
public struct SubtreeResult: Sendable, Equatable {
  /// The roots there, in the order given.
  public var roots: [ObjectID]
  /// What was done to the other store, or would be in a dry run.
  public var report: TransferReport
  /// The original of every clone in the source, and the clone: 1 pair an object, if the request asks for them and the keys
  /// are new.
  public var mapping: [CloneResult.Pair]

  /// Creates a result from the new roots and the report.
  public init(roots: [ObjectID], report: TransferReport, mapping: [CloneResult.Pair] = []) {
    self.roots = roots
    self.report = report
    self.mapping = mapping
  }
}

extension CloneError.Failure {
  /// An object outside a subtree that the other store does not have, or that is not found there for want of an identity.
  ///
  /// - Parameter key: the attribute on the object's key, where that can be its identity.
  package static func missingLinked(_ object: ObjectID, identity: Identity?, key: String? = nil) -> Self {
    let linked = "\(object), which the subtree is linked to,"
    guard let identity else {
      let example = key.map { ", as in --by \(object.entity)=\($0)" } ?? ""
      return .init(
        .missingLinked,
        "\(linked) cannot be looked up in the store, because \(object.entity) has no identity",
        help: "name one by --by\(example), or pass --missing null or create", object: object)
    }
    return .init(
      .missingLinked,
      "\(linked) is not in the store: it was not found by its \(identity.names)",
      help: "pass --missing null or create, or copy it first", object: object)
  }
}
