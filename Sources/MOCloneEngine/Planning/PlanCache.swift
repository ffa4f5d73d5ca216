import MOCloneModel

/// The plans that were asked for last: a request that is made anew for each clone is planned once.
///
/// Requests that set other values each time share a shape, so that their statements are rendered once.
package final class PlanCache: Sendable {
  private struct Key: Hashable {
    var model: ObjectIdentifier
    var entity: String
    var request: CloneRequest
  }

  private struct State {
    var plans: [Key: ClonePlan] = [:]
    var shapes: [Key: ClonePlan.Shape] = [:]
  }

  private let state = Locked(State())
  /// A program has a handful of requests; whoever sets another value each time must not fill the memory.
  private static let capacity = 32

  package init() {}

  /// - Throws: `CloneError`, as `ClonePlan` does.
  package func plan(_ model: ObjectModel, entity: String, request: CloneRequest) throws -> ClonePlan {
    // Plans and shapes hold their model, so no other model can get the same identifier meanwhile.
    let key = Key(model: ObjectIdentifier(model.memo), entity: entity, request: request)
    if let plan = state.withLock({ $0.plans[key] }) { return plan }
    let made = try ClonePlan(model: model, entity: entity, request: request)
    var common = key
    common.request = request.withoutValues
    return state.withLock { state in
      let plan = state.shapes[common].map(made.of) ?? made
      Self.add(plan, at: key, to: &state.plans)
      Self.add(plan.identity.shape, at: common, to: &state.shapes)
      return plan
    }
  }

  private static func add<Value>(_ value: Value, at key: Key, to values: inout [Key: Value]) {
    if values.count == capacity, values[key] == nil { values.removeAll(keepingCapacity: true) }
    values[key] = value
  }
}

extension CloneRequest {
  /// The request with the same value for all that it sets; null stays null, for it leaves a relationship empty.
  fileprivate var withoutValues: CloneRequest {
    var request = self
    request.set = set.mapValues { $0.isNull ? .null : .bool(true) }
    return request
  }
}
