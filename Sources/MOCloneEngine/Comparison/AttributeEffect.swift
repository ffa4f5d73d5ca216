import MOCloneModel

/// What a clone holds in an attribute.
indirect enum AttributeEffect: Sendable, Equatable {
  case copied
  case reset(AttributeValue)
  case rebuilt(RebuildRule)
  /// - Parameter ancestors: the entities that the nearest ancestor can be of, sorted.
  case followed(FollowSlot, ancestors: [String], otherwise: AttributeEffect?)
  case key(KeyPart.Source)
  case absent

  /// - Parameter ancestors: where objects find the value of a slot.
  init(_ rule: AttributeRule?, in plan: ClonePlan, ancestors: (FollowSlot) -> [String]) {
    switch rule {
    case .copy: self = .copied
    case .exclude(let value), .set(let value): self = .reset(value)
    case .rebuild(let rebuild): self = .rebuilt(rebuild)
    case .key(let source): self = .key(source)
    case .followParent(let slot, _, let fallback):
      let slot = plan.slots[slot]
      let otherwise: AttributeEffect? =
        if case .rule(let rule) = fallback {
          AttributeEffect(rule, in: plan, ancestors: ancestors)
        } else {
          nil
        }
      let found = ancestors(slot)
      self =
        found.isEmpty
        ? otherwise ?? .followed(slot, ancestors: [], otherwise: nil)
        : .followed(slot, ancestors: found, otherwise: otherwise)
    case nil: self = .absent
    }
  }

  /// What a change from one to the other is called; nil where nothing changes.
  static func change(from old: Self, to new: Self) -> CloneDifference.Kind? {
    switch (old, new) {
    case _ where old == new: nil
    case (.absent, .reset), (.reset, .absent): nil
    case (.key, .key) where old.words == new.words: nil
    case (.key(.uuid), _): .noLongerRebuilt
    case (.followed(let slot, let ancestors, _), .followed(let other, let others, _))
    where slot == other && !Set(ancestors).isSubset(of: others): .followsAnother
    case (.rebuilt, .rebuilt), (.followed, .followed): .ruleChanged
    case (.rebuilt, _): .noLongerRebuilt
    case (.followed, _): .noLongerFollowing
    case (.copied, .reset), (.copied, .absent): .noLongerCopied
    case (.reset, .copied), (.absent, .copied): .newlyCopied
    default: .ruleChanged
    }
  }

  var words: String {
    switch self {
    case .copied: "copied"
    case .reset(.null): "left empty"
    case .reset(let value): "set to the default \(value)"
    case .rebuilt(let rebuild): "rebuilt: \(rebuild.rawValue)"
    case .followed(let slot, let ancestors, let otherwise):
      "follows \(ancestors.isEmpty ? slot.attribute : ancestors.map { "\($0).\(slot.attribute)" }.alternatives)"
        + (otherwise.map { ", else \($0.words)" } ?? "")
    case .key(.rowid), .key(.max), .key(.automatic): "a new key"
    case .key(.uuid): "the key, a new UUID"
    case .key(.relationship(let name, _)): "a part of the key, from '\(name)'"
    case .key(.copied): "a part of the key, copied"
    case .key(.given): "the key, given by the caller"
    case .absent: "not in the model"
    }
  }
}
