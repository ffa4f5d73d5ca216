import MOCloneModel

/// What the clone holds in an attribute.
package indirect enum AttributeRule: Sendable, Equatable {
  /// The original's value, bit for bit.
  case copy
  /// The default, else null.
  case exclude(AttributeValue)
  case rebuild(RebuildRule)
  /// The value of the nearest ancestor, by the plan's slot; `fallback` where no ancestor has it.
  case followParent(slot: Int, sources: FollowSources, fallback: FollowFallback)
  /// A value that the request gave for the root.
  case set(AttributeValue)
  /// The attribute is another name for a part of the key, whose new value it is.
  case key(KeyPart.Source)
}

extension AttributeRule {
  var isFollowing: Bool {
    if case .followParent = self { true } else { false }
  }

  /// Whether each clone gets a value of the run's generator that no other has.
  var isGenerated: Bool {
    switch self {
    case .rebuild(.uuid), .key(.uuid): true
    default: false
    }
  }
}

/// What a followed attribute gets where no ancestor has it.
package enum FollowFallback: Sendable, Equatable {
  /// What the attribute would get without `followParent`, or the default.
  case rule(AttributeRule)
  /// The run is refused.
  case error
}

/// Where the nearest ancestor that has a followed attribute can be, as far as the plan can tell.
package enum FollowSources: Sendable, Equatable {
  /// No path to the object has one.
  case none
  /// On every path it is the root.
  case root
  /// It differs by object: the run carries the value down.
  case carried
}

/// An attribute that others follow.
package struct FollowSlot: Sendable, Hashable {
  package var attribute: String
  package var type: AttributeType
  /// The entity that the ancestor must be; nil for any.
  package var entity: String?

  /// `Product.name`, as an annotation has it.
  var text: String { (entity.map { $0 + "." } ?? "") + attribute }
}

/// What becomes of a relationship, seen from an object that was reached in one way.
package enum RelationshipRule: String, Sendable, Hashable, CaseIterable {
  case clone, link, incoming, exclude

  /// Whether the clone's relationship holds what the original's holds.
  package var asks: Bool { self == .clone || self == .link }
}

/// Why a relationship has its rule.
package enum RuleReason: Sendable, Equatable {
  case excludedByAnnotation
  case excludedByRequest(String)
  /// The request gave the root's destination.
  case setByRequest
  /// The object was reached over the inverse.
  case inverseOfAccessPath
  case onClone
  case inverseIsToMany
  case ownsDestination

  /// Whether a name or an annotation leaves out what would be followed.
  var isExclusion: Bool {
    switch self {
    case .excludedByAnnotation, .excludedByRequest: true
    default: false
    }
  }
}

/// The destination that a request gave the root's to-one relationship.
package enum GivenDestination: Sendable, Equatable {
  case none
  case object(ObjectKey)
}
