import MOCloneEngine
import MOCloneModel

/// One seed: a model, a graph and a request, on which an executor and the reference cloner must agree.
///
/// ```swift
/// #expect(try DifferentialCase(seed: 7).differences { MemoryGraph(model: $0) } == [])
/// ```
public struct DifferentialCase {
  public let seed: UInt64
  public let model: ObjectModel

  /// How a comparison ended.
  public enum Outcome: String, Sendable, Hashable {
    case cloned, refusedByPlan, refusedByRun
  }

  public init(seed: UInt64) throws {
    self.seed = seed
    model = try RandomModel.make(seed: seed)
  }

  /// What the executor of a graph does otherwise than the reference cloner; empty where they agree.
  public func differences(_ make: GraphMaker) throws -> [String] {
    try compare(make).differences
  }

  /// The outcome of the executor, and what it does otherwise than the reference cloner.
  public func compare(_ make: GraphMaker) throws -> (outcome: Outcome, differences: [String]) {
    let tested = try Side(make(model), seed: seed)
    let reference = try Side(MemoryGraph(model: model), seed: seed)
    let before = try GraphSnapshot(tested.graph)
    let request = RandomRequest(seed: seed, model: model, objects: tested.objects)
    guard
      let plan = try? ClonePlan(
        model: model, entity: request.entity, request: request.request(objects: tested.objects))
    else { return (.refusedByPlan, []) }
    let found = tested.outcome { graph, root in
      try graph.run(
        plan, roots: [root], run: CloneRun(generator: fixedGenerator(), keepsMapping: true), saves: true)
    } of: {
      request.root
    }
    let expected = reference.outcome { graph, root in
      try ReferenceCloner(generator: fixedGenerator())
        .clone(root, request: request.request(objects: reference.objects), in: graph)
    } of: {
      request.root
    }
    let given = request.givenRelationships(model)
    var differences = try self.differences(tested, found, reference, expected, before, given)
    differences += try otherRunsDiffer(plan, request, make, tested, found)
    return (
      found.result == nil ? .refusedByRun : .cloned,
      differences.isEmpty ? [] : differences + report(request, before)
    )
  }

  /// A run that keeps no mapping and counts no links takes shorter ways to the same objects, keys included, and so
  /// does one that clones small closures as it clones large ones.
  private func otherRunsDiffer(
    _ plan: ClonePlan, _ request: RandomRequest, _ make: GraphMaker, _ tested: Side, _ found: Ending
  ) throws -> [String] {
    let plain = CloneRun(generator: fixedGenerator(), countsLinks: false)
    var large = CloneRun(generator: fixedGenerator(), keepsMapping: true)
    large.smallClosure = 0
    return try differences(of: plain, "without mapping", plan, request, make, tested, found)
      + differences(of: large, "as a large closure", plan, request, make, tested, found)
  }

  private func differences(
    of run: CloneRun, _ name: String, _ plan: ClonePlan, _ request: RandomRequest, _ make: GraphMaker,
    _ tested: Side, _ found: Ending
  ) throws -> [String] {
    let other = try Side(make(model), seed: seed)
    let ending = other.outcome { graph, root in
      try graph.run(plan, roots: [root], run: run, saves: true)
    } of: {
      request.root
    }
    let isSame =
      ending.error == found.error && ending.result?.roots == found.result?.roots
      && ending.result?.cloned == found.result?.cloned
      && (!run.countsLinks || ending.result?.linked == found.result?.linked)
      && (!run.keepsMapping || ending.result?.mapping == found.result?.mapping)
    let differences = try GraphSnapshot(other.graph).differences(from: GraphSnapshot(tested.graph))
    return (isSame ? [] : ["\(name): \(ending), otherwise: \(found)"])
      + differences.map { "\(name): " + $0 }
  }

  private struct Ending {
    var result: CloneResult?
    var error: String?
    var code: DiagnosticCode?
  }

  private struct Side {
    let graph: any ObjectGraph
    let objects: [ObjectID]

    init(_ graph: any ObjectGraph, seed: UInt64) throws {
      self.graph = graph
      objects = try RandomGraph.fill(graph, seed: seed)
    }

    func outcome(
      _ clone: (any ObjectGraph, ObjectID) throws -> CloneResult, of root: () -> Int
    ) -> Ending {
      do {
        return Ending(result: try clone(graph, objects[root()]))
      } catch {
        return Ending(error: "\(error)", code: (error as? CloneError)?.code)
      }
    }
  }

  private func differences(
    _ tested: Side, _ found: Ending, _ reference: Side, _ expected: Ending, _ before: GraphSnapshot,
    _ given: Set<String>
  ) throws -> [String] {
    let after = try GraphSnapshot(tested.graph)
    guard let result = found.result, let wanted = expected.result else {
      if found.error != nil, found.code == expected.code { return after.differences(from: before) }
      return ["tested: \(found.error ?? "cloned"), reference: \(expected.error ?? "cloned")"]
    }
    var differences = after.changedOriginals(since: before, model: model, given: given)
    if result.cloned != wanted.cloned { differences.append("cloned \(result.cloned), not \(wanted.cloned)") }
    if result.linked != wanted.linked { differences.append("linked \(result.linked), not \(wanted.linked)") }
    if result.roots.count != wanted.roots.count { differences.append("\(result.roots.count) roots") }
    let own = try CanonicalGraph(tested.graph, originals: tested.objects, mapping: result.mapping)
    let other = try CanonicalGraph(reference.graph, originals: reference.objects, mapping: wanted.mapping)
    return differences + own.differences(from: other)
  }

  private func report(_ request: RandomRequest, _ before: GraphSnapshot) -> [String] {
    let shape = model.entities.flatMap { entity in
      [
        "\(entity.name) parent=\(entity.parent ?? "-") abstract=\(entity.isAbstract) unique=\(entity.uniquenessConstraints)"
      ]
        + entity.attributes.map {
          "  \($0.name): \($0.type.rawValue) optional=\($0.isOptional) \($0.userInfo)"
        }
        + entity.relationships.map {
          "  \($0.name): \($0.destination) many=\($0.isToMany) optional=\($0.isOptional) ordered=\($0.isOrdered) "
            + "inverse=\($0.inverse ?? "-") \($0.userInfo)"
        }
    }
    return ["seed \(seed): \(request)"] + shape + [before.description]
  }
}
