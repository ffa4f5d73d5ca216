import MOCloneModel

/// The plans that were asked for last: a request that is made anew for each clone is planned once.
package final class PlanCache: Sendable {
  private struct Key: Hashable {
    var model: ObjectIdentifier
    var entity: String
    var request: CloneRequest
  }

  private let plans = Locked<[Key: ClonePlan]>([:])
  /// A program has a handful of requests; whoever sets another value each time must not fill the memory.
  private static let capacity = 32

  package init() {}

  /// - Throws: `CloneError`, as `ClonePlan` does.
  package func plan(_ model: ObjectModel, _ entity: String, _ request: CloneRequest) throws -> ClonePlan {
    // The plan holds its model, so no other model can get the same identifier meanwhile.
    let key = Key(model: ObjectIdentifier(model.memo), entity: entity, request: request)
    if let plan = plans.withLock({ $0[key] }) { return plan }
    let plan = try ClonePlan(model: model, entity: entity, request: request)
    plans.withLock { plans in
      if plans.count == Self.capacity { plans.removeAll(keepingCapacity: true) }
      plans[key] = plan
    }
    return plan
  }
}
