import MOCloneModel

extension ClonePlan: CustomStringConvertible {
  /// The plan for people: for each access path every attribute and relationship with its rule and why.
  public var description: String {
    nodes.map(describe).joined(separator: "\n\n")
  }

  /// One access path with its rules.
  func describe(_ node: PlanNode) -> String {
    let lines =
      node.attributes.map { ($0.attribute.name, describe($0)) }
      + node.relationships.map { ($0.relationship.name, describe($0)) }
    let width = lines.map(\.0.count).max() ?? 0
    let title =
      node.accessPath.map { "\(node.entity), over \($0.qualifiedName)" } ?? "\(node.entity), the root"
    return ([title] + lines.map { "  " + $0.0.padded(to: width) + "  " + $0.1 }).joined(separator: "\n")
  }

  private func describe(_ planned: AttributePlan) -> String {
    planned.attribute.isKeptByTriggers
      ? "maintained by triggers: \(planned.attribute.blank)" : describe(planned.rule)
  }

  private func describe(_ rule: AttributeRule) -> String {
    switch rule {
    case .copy: "copy"
    case .exclude(let value): "exclude: \(value)"
    case .rebuild(let rebuild): "rebuild: \(rebuild.rawValue)"
    case .set(let value): "set: \(value)"
    case .key: "part of the key"
    case .followParent(let slot, let sources, let fallback):
      "followParent: \(slots[slot].text), \(describe(sources))\(describe(fallback))"
    }
  }

  private func describe(_ sources: FollowSources) -> String {
    switch sources {
    case .none: "which no ancestor has"
    case .root: "of the root"
    case .carried: "of the nearest ancestor"
    }
  }

  private func describe(_ fallback: FollowFallback) -> String {
    switch fallback {
    case .rule(let rule): ", else \(describe(rule))"
    case .error: ""
    }
  }

  private func describe(_ planned: RelationshipPlan) -> String {
    let relationship = planned.relationship
    let arrow = "\(planned.rule.rawValue.padded(to: 8)) \(relationship.destination)"
    return "\(arrow)  (\(describe(planned.reason, relationship: relationship)))"
  }

  func describe(_ reason: RuleReason, relationship: RelationshipDescription) -> String {
    switch reason {
    case .excludedByAnnotation: "excluded by its annotation"
    case .excludedByRequest(let name): "excluded by '\(name)'"
    case .setByRequest: "set by the request"
    case .inverseOfAccessPath: "the access path, reversed"
    case .onClone: "by its annotation onClone"
    case .inverseIsToMany: "\(relationship.destination).\(relationship.inverse ?? "") is to-many"
    case .ownsDestination: relationship.inverse == nil ? "no inverse" : "its own"
    }
  }
}

extension ClonePlan {
  /// Whether a run of another plan has the same result, whatever the reasons.
  public func hasSameEffect(as other: ClonePlan) -> Bool {
    nodes.map(Effect.init) == other.nodes.map(Effect.init)
  }

  private struct Effect: Equatable {
    var accessKey: PlanNode.AccessKey
    var attributes: [AttributePlan]
    /// An excluded relationship and one that leads back both ask for nothing.
    var asked: [RelationshipRule?]
    var given: [GivenDestination?]

    init(_ node: PlanNode) {
      accessKey = node.accessKey
      attributes = node.attributes
      asked = node.relationships.map { $0.rule.asks ? $0.rule : nil }
      given = node.relationships.map(\.given)
    }
  }
}

extension String {
  package func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}
