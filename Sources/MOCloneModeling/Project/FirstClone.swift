import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// An object of a store whose clone shows what a clone is, and is known to succeed.
package struct FirstClone: Sendable, Equatable {
  package let root: ObjectID
  /// How many objects a clone takes along, the root included.
  package let count: Int

  /// How many objects of each entity are looked at.
  private static let candidates = 20

  /// Looks for an object that owns others, entity by entity, else for any; the clone is made in a temporary copy of the
  /// store.
  ///
  /// - Parameter canRehearse: whether the store is small enough to be copied; otherwise only reading finds faults.
  /// - Returns: nil where the entities have no objects, or none can be cloned.
  package init?(in graph: any StoreGraph, of entities: [String], canRehearse: Bool) {
    let plans = entities.compactMap { try? ClonePlan(model: graph.model, entity: $0) }
      .filter { (try? graph.check($0)) != nil }
    for least in [2, 1] {
      for plan in plans {
        guard let found = Self.first(of: plan, in: graph, atLeast: least, canRehearse: canRehearse) else {
          continue
        }
        self = found
        return
      }
    }
    return nil
  }

  private init(root: ObjectID, count: Int) {
    (self.root, self.count) = (root, count)
  }

  private static func first(
    of plan: ClonePlan, in graph: any StoreGraph, atLeast least: Int, canRehearse: Bool
  ) -> FirstClone? {
    let objects = (try? graph.objectIDs(plan.entity, limit: candidates)) ?? []
    let counted = objects.compactMap { object -> FirstClone? in
      guard let counts = try? graph.preview(plan, roots: [object]) else { return nil }
      return FirstClone(root: object, count: counts.cloned.values.reduce(0, +))
    }
    return counted.first { clone in
      clone.count >= least && (!canRehearse || (try? graph.rehearse(plan, roots: [clone.root])) != nil)
    }
  }
}
