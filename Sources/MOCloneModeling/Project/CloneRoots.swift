import MOCloneEngine
import MOCloneModel

/// The entities of a model that are worth cloning: they own others or their own kind, and no other entity owns them. What an
/// object can be without, and outlives, takes it along and does not own it, as a genre its workspaces.
///
/// Where each one is owned, as in a cycle, all that own something count.
package struct CloneRoots: Sendable {
  /// An entity with those that a clone of it takes along.
  package struct Root: Sendable, Equatable {
    package let entity: String
    /// In the order in which they are reached.
    package let copied: [String]
    /// How many entities have no other owner.
    fileprivate let soleOwned: Int
    /// Whether it owns nothing, and takes along only what can be without it.
    fileprivate let isLoose: Bool

    fileprivate var worth: (Int, Int, Int) { (isLoose ? 0 : 1, copied.count, soleOwned) }
  }

  /// Those that own something come first; of these, those whose clones take most entities along, then those that own most on
  /// their own.
  package let roots: [Root]

  package init(_ model: ObjectModel) {
    let plans = model.entities.filter { !$0.isAbstract }.compactMap { entity in
      try? ClonePlan(model: model, entity: entity.name)
    }
    let owning = model.owningRelationships
    var owners: [String: Set<String>] = [:]
    for plan in plans {
      for owned in plan.directlyCopied(owning) { owners[owned, default: []].insert(plan.entity) }
    }
    let all = plans.compactMap { plan -> Root? in
      guard !plan.copied.isEmpty else { return nil }
      let owned = plan.directlyCopied(owning)
      return Root(
        entity: plan.entity, copied: plan.copied, soleOwned: owned.count { owners[$0] == [plan.entity] },
        isLoose: owned.isEmpty && plan.copied != [plan.entity])
    }
    let free = all.filter { owners[$0.entity] == nil }
    roots = (free.isEmpty ? all : free).enumerated().sorted { a, b in
      a.element.worth == b.element.worth ? a.offset < b.offset : a.element.worth > b.element.worth
    }.map(\.element)
  }
}

extension ClonePlan {
  /// The entities of other tables that a root owns itself. Over a one-to-one relationship it may clone its owner, which
  /// it does not own; nor does it own what can be without it and is kept when it is deleted.
  ///
  /// - Parameter owning: the relationships, as `Entity.name`, that lead from owners to what they own.
  fileprivate func directlyCopied(_ owning: Set<String>) -> Set<String> {
    let relationships = nodes[..<rootCount].flatMap(\.relationships).filter {
      guard let inverse = model.inverse(of: $0.relationship) else { return true }
      let isLoose = $0.relationship.isToMany && inverse.isOptional && !inverse.isToMany
      return !owning.contains(inverse.qualifiedName)
        && (!isLoose || owning.contains($0.relationship.qualifiedName))
    }
    let targets = relationships.flatMap(\.targets).map { nodes[$0].entity }
    let home = model.rootEntity(of: entity)
    return Set(targets.filter { model.rootEntity(of: $0) != home })
  }

  /// The entities that a root takes along, its own where it owns objects of its kind.
  fileprivate var copied: [String] { nodes[rootCount...].map(\.entity).uniqued() }
}
