import MOCloneModel

/// What becomes of a relationship at one access path.
///
/// All access paths of an entity share the contents: a model in which all entities are related has millions of plans.
package struct RelationshipPlan: Sendable, Equatable {
  private final class Contents: Sendable {
    let relationship: RelationshipDescription
    let rule: RelationshipRule
    let reason: RuleReason
    let targets: [Int]
    let given: GivenDestination?

    init(
      _ relationship: RelationshipDescription, rule: RelationshipRule, reason: RuleReason,
      targets: [Int], given: GivenDestination?
    ) {
      (self.relationship, self.rule, self.reason) = (relationship, rule, reason)
      (self.targets, self.given) = (targets, given)
    }
  }

  private var contents: Contents

  init(
    relationship: RelationshipDescription, rule: RelationshipRule, reason: RuleReason,
    given: GivenDestination? = nil
  ) {
    contents = Contents(relationship, rule: rule, reason: reason, targets: [], given: given)
  }

  package var relationship: RelationshipDescription { contents.relationship }
  package var reason: RuleReason { contents.reason }

  package var rule: RelationshipRule {
    get { contents.rule }
    set { contents = Contents(relationship, rule: newValue, reason: reason, targets: targets, given: given) }
  }

  /// The nodes that a cloned relationship reaches, one for each concrete entity of its destination.
  package var targets: [Int] {
    get { contents.targets }
    set { contents = Contents(relationship, rule: rule, reason: reason, targets: newValue, given: given) }
  }

  /// What the request gave the root here.
  package var given: GivenDestination? {
    get { contents.given }
    set { contents = Contents(relationship, rule: rule, reason: reason, targets: targets, given: newValue) }
  }

  /// The same for two plans that share their contents.
  var identity: ObjectIdentifier { ObjectIdentifier(contents) }

  package static func == (a: Self, b: Self) -> Bool {
    a.contents === b.contents
      || a.rule == b.rule && a.relationship == b.relationship && a.reason == b.reason
        && a.targets == b.targets && a.given == b.given
  }
}
