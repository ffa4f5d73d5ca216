import MOCloneEngine
import MOCloneModel

/// One seed: a model, a graph and a request, on which an executor and the reference cloner must agree.
///
/// ```swift
/// #expect(try DifferentialCase(seed: 7).differences { MemoryGraph(model: $0) } == [])
/// ```
public struct DifferentialCase {
  /// What the model, the graph and the request are made from.
  public let seed: UInt64
  /// The random model.
  public let model: ObjectModel
  /// Whether the executor under test writes rows of a database, which can hold less than a graph in memory.
  private var hasColumns = false
  private var hasAnyRoot = false

  /// How a comparison ended.
  public enum Outcome: String, Sendable, Hashable {
    case cloned, refusedByPlan, refusedByRun
  }

  /// A case of any shape of models.
  ///
  /// - Throws: `ModelError` where the model made is faulty, which is a fault of the maker.
  public init(seed: UInt64) throws {
    self.seed = seed
    model = try RandomModel.leavingSomeToTriggers(RandomModel.make(seed: seed), seed: seed)
  }

  /// A case of a shape of models.
  public init(seed: UInt64, shape: RandomShape, hasColumns: Bool) throws {
    self.seed = seed
    self.hasColumns = hasColumns
    hasAnyRoot = true
    model = try RandomModel.leavingSomeToTriggers(shape.model(seed: seed), seed: seed)
  }

  /// A case of a given model, in the tables of a database.
  public init(seed: UInt64, model: ObjectModel) {
    self.seed = seed
    self.model = model
    hasColumns = true
  }

  /// What the executor of a graph does otherwise than the reference cloner; empty where they agree.
  public func differences(_ make: GraphMaker) throws -> [String] {
    try compare(make).differences
  }

  /// The outcome of the executor, and what it does otherwise than the reference cloner.
  public func compare(_ make: GraphMaker) throws -> (outcome: Outcome, differences: [String]) {
    let tested = try Side(make(model), seed: seed)
    let reference = try Side(MemoryGraph(model: model), seed: seed)
    let before = try tested.snapshot()
    let request = RandomRequest(
      seed: seed, model: model, objects: tested.objects, hasAnyRoot: hasAnyRoot)
    guard
      let plan = try? ClonePlan(
        model: model, entity: request.entity, request: request.request(objects: tested.objects))
    else { return (.refusedByPlan, []) }
    let found = tested.outcome(of: request.root) { graph, root in
      try graph.run(
        plan, roots: [root], options: CloneOptions(generator: fixedGenerator(), keepsMapping: true),
        saves: true)
    }
    let expected = reference.outcome(of: request.root) { graph, root in
      // Named by a base, the root is refused what its own entity is refused.
      _ = try ClonePlan(
        model: model, entity: root.entity, request: request.request(objects: reference.objects))
      return try ReferenceCloner(generator: fixedGenerator(), checksColumns: hasColumns)
        .clone(root, request: request.request(objects: reference.objects), in: graph)
    }
    let given = request.givenRelationships(model)
    var differences = try self.differences(tested, found, reference, expected, before, given)
    differences += try otherRunsDiffer(plan, request, make, tested, found)
    return (
      found.result == nil ? .refusedByRun : .cloned,
      differences.isEmpty ? [] : differences + report(request, before)
    )
  }

  /// In a database a run that keeps no mapping and counts no links takes shorter ways to the same objects, keys included,
  /// and so does one that clones small closures as it clones large ones; each seed tries one of the two.
  private func otherRunsDiffer(
    _ plan: ClonePlan, _ request: RandomRequest, _ make: GraphMaker, _ tested: Side, _ found: Ending
  ) throws -> [String] {
    if tested.graph is MemoryGraph { return [] }
    if seed.isMultiple(of: 2) {
      let plain = CloneOptions(generator: fixedGenerator(), countsLinks: false)
      return try differences(of: plain, "without mapping", plan, request, make, tested, found)
    }
    var large = CloneOptions(generator: fixedGenerator(), keepsMapping: true)
    large.smallClosure = 0
    return try differences(of: large, "as a large closure", plan, request, make, tested, found)
  }

  private func differences(
    of options: CloneOptions, _ name: String, _ plan: ClonePlan, _ request: RandomRequest, _ make: GraphMaker,
    _ tested: Side, _ found: Ending
  ) throws -> [String] {
    let other = try Side(make(model), seed: seed)
    let ending = other.outcome(of: request.root) { graph, root in
      try graph.run(plan, roots: [root], options: options, saves: true)
    }
    // In tables of every kind another statement can meet another one of several faults first.
    let isSame =
      (hasColumns ? ending.code == found.code : ending.error == found.error)
      && ending.result?.roots == found.result?.roots
      && ending.result?.cloned == found.result?.cloned
      && (!options.countsLinks || ending.result?.linked == found.result?.linked)
      && (!options.keepsMapping || ending.result?.mapping == found.result?.mapping)
    let differences = try other.snapshot().differences(from: tested.snapshot())
      .filter { !hasColumns || !isNewUUID($0) }
    return (isSame ? [] : ["\(name): \(ending), otherwise: \(found)"])
      + differences.map { "\(name): " + $0 }
  }

  /// Which of the new UUIDs a value is depends on the order in which a database reads rows.
  private func isNewUUID(_ difference: String) -> Bool {
    difference.ranges(of: "uuid(00000000-0000-4000-8000-").count == 2
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

    /// In one transaction, or a database would begin one for every call.
    func snapshot() throws -> GraphSnapshot {
      try graph.atomically { try GraphSnapshot(graph) }
    }

    func canonical(_ mapping: [CloneResult.Pair]) throws -> CanonicalGraph {
      try graph.atomically { try CanonicalGraph(graph, originals: objects, mapping: mapping) }
    }

    func outcome(of root: Int, _ clone: (any ObjectGraph, ObjectID) throws -> CloneResult) -> Ending {
      do {
        return Ending(result: try clone(graph, objects[root]))
      } catch {
        return Ending(error: "\(error)", code: (error as? CloneError)?.code)
      }
    }
  }

  private func differences(
    _ tested: Side, _ found: Ending, _ reference: Side, _ expected: Ending, _ before: GraphSnapshot,
    _ given: Set<String>
  ) throws -> [String] {
    let after = try tested.snapshot()
    guard let result = found.result, let wanted = expected.result else {
      if found.error != nil, isSame(found.code, expected.code) { return after.differences(from: before) }
      return ["tested: \(found.error ?? "cloned"), reference: \(expected.error ?? "cloned")"]
    }
    var differences = after.changedOriginals(since: before, model: model, given: given)
    if result.cloned != wanted.cloned { differences.append("cloned \(result.cloned), not \(wanted.cloned)") }
    if result.linked != wanted.linked { differences.append("linked \(result.linked), not \(wanted.linked)") }
    if result.roots.count != wanted.roots.count { differences.append("\(result.roots.count) roots") }
    let own = try tested.canonical(result.mapping)
    let other = try reference.canonical(wanted.mapping)
    return differences + own.differences(from: other)
  }

  /// Where rows are refused for several reasons, each may be met first.
  private func isSame(_ found: DiagnosticCode?, _ expected: DiagnosticCode?) -> Bool {
    let ofRows: Set<DiagnosticCode?> = [.uniqueValue, .constraintFailed, .invalidValue]
    return found == expected || hasColumns && ofRows.isSuperset(of: [found, expected])
  }

  private func report(_ request: RandomRequest, _ before: GraphSnapshot) -> [String] {
    return ["seed \(seed): \(request)"] + model.entities.flatMap(\.shape) + [before.description]
  }
}

extension EntityDescription {
  /// The entity and its properties, a line each.
  fileprivate var shape: [String] {
    let key = primaryKey.map { "\($0.column) \($0.generate?.rawValue ?? "")" }
    let head =
      "\(name) parent=\(parent ?? "-") abstract=\(isAbstract) unique=\(uniquenessConstraints) key=\(key)"
    return [head] + attributes.map(\.shape) + relationships.map(\.shape)
  }
}

extension AttributeDescription {
  fileprivate var shape: String {
    "  \(name): \(type.rawValue) optional=\(isOptional) column=\(column ?? "-") "
      + "\(derivation.map { "\($0) " } ?? "")\(userInfo)"
  }
}

extension RelationshipDescription {
  fileprivate var shape: String {
    let key = columns.map { "\($0.column)>\($0.references ?? "")" }
    return "  \(name): \(destination) many=\(isToMany) optional=\(isOptional) ordered=\(isOrdered) "
      + "inverse=\(inverse ?? "-") \(userInfo) \(key)"
  }
}
