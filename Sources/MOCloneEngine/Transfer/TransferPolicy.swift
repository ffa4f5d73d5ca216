import MOCloneModel

/// What an operation that moves data does with its rows: the operations differ in nothing else.
///
/// Every operation takes the same five steps: it reads rows, decides which of them it is about (reach), finds the objects
/// that they are (match), writes, and removes what is left over.
package struct TransferPolicy: Sendable {
  /// What becomes of several rows that have one identity.
  package enum Repeated: Sendable {
    /// The operation is refused with their list.
    case refused
    /// The first counts.
    case joined
    /// What they say is put together, as `existing` has it.
    case folded
    /// Each is an object of its own.
    case apart
  }

  /// What becomes of a row whose identity is null or empty.
  package enum Unidentified: Sendable {
    /// It is left out and reported, and so is what refers to it.
    case skipped
    case made
    /// It is a bad row.
    case refused
  }

  /// What becomes of a one-to-one relationship whose other side belongs to another object.
  package enum RelatedObjects: Sendable {
    /// The operation is refused.
    case refused
    /// The other object keeps it; what cannot be without it is refused.
    case kept
    /// The other object loses it, where it can be without.
    case taken
    /// The same for given rows: the other object loses it, unless its own row gives it that one or it is identified by it;
    /// what cannot be without it must get another one from its row.
    case replaced
  }

  package var operation: TransferReport.Operation
  /// What becomes of the attributes of an object that is there, where its row gives them.
  package var existing = ExistingPolicy.keep
  /// The same for what refers to other objects.
  package var references = ExistingPolicy.keep
  /// The properties that `existing` and `references` are about; nil for all that rows give and that identify nothing.
  package var written: Set<String>?
  /// Whether what lists of objects that are there had already takes the order of its rows.
  package var ordersLists = false
  package var repeated = Repeated.refused
  package var unidentified = Unidentified.skipped
  package var relatedObjects = RelatedObjects.kept
  /// What becomes of rows that others are only linked to and that the target does not have; nil where all rows are wanted.
  package var missing: MissingPolicy?
  /// Whether new objects keep the keys of their rows.
  package var keepsKeys = false
  /// Whether new objects get the operation's instant as their date of change although their rows give one.
  package var datesNewObjects = false
  /// Whether the call leaves out what a relationship leads to.
  package var excludes: @Sendable (RelationshipDescription) -> Bool = { _ in false }

  package init(_ operation: TransferReport.Operation) {
    self.operation = operation
  }

  /// Whether what a list had already takes the order of its rows; nil stands for one that the model does not name.
  package func orders(_ list: RelationshipDescription?) -> Bool {
    guard let list else { return false }
    return ordersLists && list.isOrdered && !excludes(list)
  }

  /// What a copy between stores does, and a merge of one store into another.
  package static func copy(_ rules: CopyRules, seeding: Bool = false) -> TransferPolicy {
    var policy = TransferPolicy(seeding ? .seed : .copy)
    policy.references = rules.overwrites ? .update : .fill
    policy.ordersLists = rules.overwrites
    policy.existing = seeding ? .fill : .keep
    policy.relatedObjects = rules.overwrites ? .taken : .kept
    policy.repeated = rules.joinsDuplicates ? .joined : .refused
    policy.datesNewObjects = seeding
    policy.excludes = { rules.excludes($0) }
    return policy
  }

  /// What a subtree that comes from another store does with what it is linked to.
  package static func subtree(_ subtree: CopiedSubtree) -> TransferPolicy {
    var policy = TransferPolicy(.clone)
    policy.repeated = subtree.keepsKeys ? .apart : .joined
    policy.unidentified = subtree.missing == .create ? .made : .skipped
    policy.keepsKeys = subtree.keepsKeys
    policy.missing = subtree.missing
    return policy
  }

  package static func `import`(_ plan: ImportPlan) -> TransferPolicy {
    var policy = TransferPolicy(.import)
    policy.existing = plan.existing
    policy.references = plan.existing
    policy.repeated = .folded
    policy.unidentified = .refused
    policy.relatedObjects = plan.existing == .update ? .replaced : .refused
    return policy
  }

  package static func sync(_ plan: SyncPlan) -> TransferPolicy {
    var policy = TransferPolicy(.sync)
    policy.written = Set(plan.overwriting.map { plan.columns[$0].name })
    policy.existing = .update
    policy.references = .update
    policy.unidentified = .refused
    policy.relatedObjects = .replaced
    return policy
  }
}
