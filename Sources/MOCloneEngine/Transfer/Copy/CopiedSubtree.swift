import MOCloneModel

/// A subtree that is cut out of one store for another: its members are always made, what it is linked to is found.
package struct CopiedSubtree {
  package var members: Members
  /// The entity of the subtree's root, whose values the request can set; nil where nothing can be set.
  package var root: String?
  /// Objects outside that it will be linked to.
  package var given: [ObjectID] = []
  /// The roots for which the request sets the number in their keys.
  package var numbered: [ObjectID] = []
  /// The attributes and relationships of the roots that the request sets.
  package var set: [String] = []
  /// The attributes that the objects' own store computed, by `Entity.name`, where they have passed through another one.
  package var computed: Set<String>?
  /// The request, where what it sets is the same in several roots.
  package var repeated: CloneRequest?
  /// What members follow of the objects that they were reached from.
  package var followers: [Follower] = []
  package var missing: MissingPolicy
  /// Whether keys stay what they are.
  package var keepsKeys: Bool
  /// The relationships that the members ask for, by qualified name; nil for all.
  package var asked: Set<String>?
  /// The members that ask for a relationship, by its qualified name, where others do not; nothing where it does not matter,
  /// or is known before.
  package var asking: [String: Set<ObjectID>] = [:]
  /// Required relationships that clones may leave empty, by qualified name. Members bring what these lead to into a
  /// store that is only passed through, so that it is seen there that their clones would lose it.
  package var required: Set<String> = []
  /// Whether objects that are linked to come with all their values and nothing is looked for, as in a store that is
  /// only passed through.
  package var isPassing = false

  /// Which objects a subtree is.
  package enum Members {
    case objects(any ObjectList)
    /// What a plan clones with some roots, for the source to find.
    case closure(ClonePlan, roots: [ObjectID])

    package var objects: any ObjectList {
      guard case .objects(let objects) = self else { return Set<ObjectID>() }
      return objects
    }
  }

  /// An attribute of members that has the value of what it follows.
  package struct Follower: Hashable, Sendable {
    package var attribute: AttributeDescription
    /// How members are reached from what they follow.
    package var relationship: RelationshipDescription
    package var slot: FollowSlot

    /// Whether this is about an attribute, and an object of an entity over whose relationship its own is reached.
    package func isAbout(
      _ attribute: AttributeDescription, over relationship: RelationshipDescription?, of entity: String,
      in model: ObjectModel
    ) -> Bool {
      self.attribute == attribute && self.relationship.qualifiedName == relationship?.qualifiedName
        && model.provides(slot, entity: entity)
    }
  }

  package init(
    members: Members, root: String? = nil, given: [ObjectID] = [], missing: MissingPolicy, keepsKeys: Bool,
    asked: Set<String>? = nil, isPassing: Bool = false
  ) {
    self.members = members
    self.root = root
    self.given = given
    self.missing = missing
    self.keepsKeys = keepsKeys
    self.asked = asked
    self.isPassing = isPassing
  }

  /// The same with each member by its key.
  package func found(in source: any ObjectGraph) throws -> CopiedSubtree {
    guard case .closure(let plan, let roots) = members, let source = source as? any SubtreeGraph else {
      return self
    }
    var subtree = self
    subtree.members = .objects(try source.members(of: plan, roots))
    let partly = subtree.askedPartly(by: plan)
    guard !partly.isEmpty else { return subtree }
    subtree.asking = subtree.notingWhoAsks(by: plan).asking
    for root in roots {
      let root = try source.find(root.entity, key: root.key) ?? root
      let closure = try WalkedClosure(of: root, by: plan, in: source)
      for relationship in partly {
        subtree.asking[relationship.qualifiedName]?.formUnion(closure.objects(asking: relationship))
      }
    }
    return subtree
  }

  /// The same for a source that notes itself which members ask for a relationship.
  package func notingWhoAsks(by plan: ClonePlan) -> CopiedSubtree {
    var subtree = self
    subtree.asking = Dictionary(
      uniqueKeysWithValues: askedPartly(by: plan).map { ($0.qualifiedName, Set<ObjectID>()) })
    return subtree
  }

  /// Clones in a store that is only passed through ask for themselves.
  private func askedPartly(by plan: ClonePlan) -> [RelationshipDescription] {
    isPassing ? [] : plan.askedPartly
  }

  /// Whether a member asks for what a relationship leads to; one that the model does not name is not asked for.
  ///
  /// - Parameter member: one that is to ask itself, by the ways in which it was reached.
  package func asks(_ relationship: RelationshipDescription?, of member: ObjectID? = nil) -> Bool {
    guard let name = relationship?.qualifiedName,
      (asked?.contains(name) ?? true) || requires(relationship)
    else { return false }
    return member.map { asking[name]?.contains($0) ?? true } ?? true
  }

  /// Whether a relationship is one of those that clones may leave empty although they require it.
  package func requires(_ relationship: RelationshipDescription?) -> Bool {
    relationship.map { required.contains($0.qualifiedName) } ?? false
  }
}

extension CopyRules {
  /// Whether an object outside a subtree brings the destination of a to-one along: it is identified by it, or it is
  /// made and requires it.
  package func copies(_ relationship: RelationshipDescription, creates: Bool) -> Bool {
    if creates && !relationship.isToMany && !relationship.isOptional { return true }
    return concreteEntities.contains { entity in
      guard model.isKind(entity, of: relationship.entity) else { return false }
      return identities[entity]?.paths.contains { path in
        path.steps.contains { $0.qualifiedName == relationship.qualifiedName }
      } ?? false
    }
  }
}

extension ClonePlan {
  /// The attributes that follow others, by the ways in which their objects are reached.
  var followers: [CopiedSubtree.Follower] {
    nodes.flatMap { node -> [CopiedSubtree.Follower] in
      guard let relationship = node.accessPath else { return [] }
      return node.attributes.compactMap { planned in
        guard case .followParent(let slot, _, _) = planned.rule else { return nil }
        return CopiedSubtree.Follower(
          attribute: planned.attribute, relationship: relationship, slot: slots[slot])
      }
    }
  }

  /// The many-to-many relationships that some objects of a subtree ask for and others do not, by the way in which each was
  /// reached. What others lead to where nothing is asked for is a member anyway.
  package var askedPartly: [RelationshipDescription] {
    let planned = nodes.flatMap(\.relationships).filter {
      $0.relationship.isToMany && model.inverse(of: $0.relationship)?.isToMany == true
    }
    let silent = Set(planned.filter { !$0.rule.asks }.map(\.relationship.qualifiedName))
    return planned.filter { $0.rule.asks && silent.contains($0.relationship.qualifiedName) }
      .map(\.relationship).uniqued(by: \.qualifiedName)
  }
}
