import MOCloneEngine
import MOCloneModel

/// The entities of a model that are worth cloning: they own others, and no other entity owns them.
///
/// Where each one is owned, as in a cycle, all that own others count.
package struct CloneRoots: Sendable {
  /// An entity with those that a clone of it takes along.
  package struct Root: Sendable, Equatable {
    package let entity: String
    /// In the order in which they are reached.
    package let copied: [String]
    /// How many entities have no other owner.
    fileprivate let soleOwned: Int
  }

  /// Those whose clones take most entities along come first, then those that own most on their own.
  package let roots: [Root]

  package init(_ model: ObjectModel) {
    let plans = model.entities.filter { !$0.isAbstract }.compactMap { entity in
      try? ClonePlan(model: model, entity: entity.name)
    }
    var owners: [String: Set<String>] = [:]
    for plan in plans {
      for owned in plan.directlyCopied { owners[owned, default: []].insert(plan.entity) }
    }
    let all = plans.compactMap { plan -> Root? in
      let owned = plan.directlyCopied
      guard !owned.isEmpty else { return nil }
      return Root(
        entity: plan.entity, copied: plan.copied, soleOwned: owned.count { owners[$0] == [plan.entity] })
    }
    let free = all.filter { owners[$0.entity] == nil }
    roots = (free.isEmpty ? all : free).enumerated().sorted {
      ($1.element.copied.count, $1.element.soleOwned, $0.offset)
        < ($0.element.copied.count, $0.element.soleOwned, $1.offset)
    }.map(\.element)
  }
}

extension ClonePlan {
  /// The entities of other tables that a root owns itself.
  fileprivate var directlyCopied: Set<String> {
    let targets = nodes[..<rootCount].flatMap(\.relationships).flatMap(\.targets).map { nodes[$0].entity }
    let home = model.rootEntity(of: entity)
    return Set(targets.filter { model.rootEntity(of: $0) != home })
  }

  /// The other entities of a clone.
  fileprivate var copied: [String] {
    var seen: Set<String> = [entity]
    return nodes.map(\.entity).filter { seen.insert($0).inserted }
  }
}
