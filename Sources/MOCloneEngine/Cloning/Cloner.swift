import MOCloneModel

/// Copies an object and what belongs to it, by the annotations of its model.
///
/// ```swift
/// let copy = try Cloner().clone(object: note)
/// let made = try Cloner().clone(object: note, request: CloneRequest(count: 3, set: ["name": "Copy"]))
/// ```
///
/// A failed clone leaves its store as it was.
public struct Cloner: Sendable {
  /// The source of new UUIDs and of the instant of a clone.
  public var generator: ValueGenerator
  /// Whether `CloneResult.mapping` is filled: one pair of keys an object.
  public var keepsMapping: Bool
  /// Whether `CloneResult.linked` is filled, which reads every key and join row that leads out of the subtree once more.
  public var countsLinks = true
  /// Told now and then how far a run is, on the thread of the run; it cannot change the graph.
  public var progress: (@Sendable (CloneProgress) -> Void)?
  /// Told how long each phase of a run took.
  package var timer: CloneTimer?
  /// The plan that every clone of this cloner follows; nil where each makes its own.
  public let plan: ClonePlan?
  /// The model of the objects, where neither a graph nor a plan brings it.
  public let model: ObjectModel?

  /// A cloner that plans each clone anew.
  ///
  /// - Parameters:
  ///   - model: what clones of records need to know; graphs have their own.
  ///   - generator: the source of new UUIDs and of the present instant.
  ///   - keepsMapping: whether `CloneResult.mapping` is filled.
  ///   - progress: told now and then how far a run is.
  public init(
    model: ObjectModel? = nil, generator: ValueGenerator = .system, keepsMapping: Bool = false,
    progress: (@Sendable (CloneProgress) -> Void)? = nil
  ) {
    self.init(plan: nil, model: model, generator, keepsMapping: keepsMapping, progress: progress)
  }

  /// A cloner that follows one plan, made once for many clones.
  ///
  /// Its clones can be given what varies from one to the next: `set`, `unset` and `count` (1 means as many as the plan's).
  /// What the plan has settled,
  /// the entity, exclusions and annotation keys, cannot be asked for otherwise.
  public init(
    plan: ClonePlan, generator: ValueGenerator = .system, keepsMapping: Bool = false,
    progress: (@Sendable (CloneProgress) -> Void)? = nil
  ) {
    self.init(plan: plan, model: plan.model, generator, keepsMapping: keepsMapping, progress: progress)
  }

  private init(
    plan: ClonePlan?, model: ObjectModel?, _ generator: ValueGenerator, keepsMapping: Bool,
    progress: (@Sendable (CloneProgress) -> Void)?
  ) {
    self.plan = plan
    self.model = model
    self.generator = generator
    self.keepsMapping = keepsMapping
    self.progress = progress
  }

  /// What each run of this cloner is given beside its plan.
  public var options: CloneOptions { options(countsLinks: countsLinks) }

  private func options(countsLinks: Bool) -> CloneOptions {
    CloneOptions(
      generator: generator, keepsMapping: keepsMapping, countsLinks: countsLinks, progress: progress,
      timer: timer)
  }
}

extension Cloner {
  /// Clones an object with the defaults.
  ///
  /// - Throws: as ``clone(object:excludedRelationshipNames:passingExclusionList:saveBeforeReturn:config:)``.
  @discardableResult
  public static func clone(object: ManagedObject) throws -> ManagedObject {
    try Cloner().clone(object: object)
  }

  /// Clones an object.
  ///
  /// - Parameters:
  ///   - object: the root to clone.
  ///   - excludedRelationshipNames: names that are left out of the root, in addition to those annotated.
  ///   - passingExclusionList: whether these names hold for every object of the chain.
  ///   - saveBeforeReturn: false leaves the clone pending until the graph's `save()` or `rollback()`, and what the graph writes
  ///     meanwhile with it; true saves what is pending, too. Within a transaction of the caller's, which the clone is a part
  ///     of either way, it makes no difference.
  ///   - config: the names of the annotation keys, where they are not the model's.
  /// - Returns: the new root.
  /// - Throws: `CloneError` with everything that was found; the graph is then as it was.
  @discardableResult
  public func clone(
    object: ManagedObject, excludedRelationshipNames: [String] = [], passingExclusionList: Bool = false,
    saveBeforeReturn: Bool = true, config: AnnotationKeys? = nil
  ) throws -> ManagedObject {
    let request = CloneRequest(
      exclude: passingExclusionList ? excludedRelationshipNames : [],
      excludeAtRoot: passingExclusionList ? [] : excludedRelationshipNames, annotationKeys: config)
    return try clone(object, plan(object.entity, request: request, in: object.graph), saveBeforeReturn)
  }

  private func clone(
    _ object: ManagedObject, _ plan: ClonePlan, _ saveBeforeReturn: Bool
  ) throws -> ManagedObject {
    var options = options(countsLinks: false)
    options.countsObjects = false
    let result = try object.graph.run(plan, roots: [object.id], options: options, saves: saveBeforeReturn)
    return ManagedObject(id: result.root, graph: object.graph)
  }

  /// Clones an object as a request says.
  @discardableResult
  public func clone(
    object: ManagedObject, request: CloneRequest, saveBeforeReturn: Bool = true
  ) throws -> CloneResult {
    let plan = try plan(object.entity, request: request, in: object.graph)
    return try clone([object.id], plan, in: object.graph, saveBeforeReturn)
  }

  /// Clones the objects of an entity with the keys given, in one transaction. Each brings along what it would alone: one that
  /// belongs to another is cloned with it and for itself.
  @discardableResult
  public func clone(
    _ entity: String, keys: [ObjectKey], in graph: any ObjectGraph, request: CloneRequest = CloneRequest(),
    saveBeforeReturn: Bool = true
  ) throws -> CloneResult {
    let plan = try plan(entity, request: request, in: graph)
    let roots = try keys.map { try graph.object(entity, key: $0).id }
    return try clone(roots, plan, in: graph, saveBeforeReturn)
  }

  private func clone(
    _ roots: [ObjectID], _ plan: ClonePlan, in graph: any ObjectGraph, _ saveBeforeReturn: Bool
  ) throws -> CloneResult {
    var result = try graph.run(plan, roots: roots, options: options, saves: saveBeforeReturn)
    if keepsMapping { result.model = plan.model }
    return result
  }

  /// The plan of a request; the cloner's own, with the values of the request, where it has one.
  ///
  /// - Throws: `CloneError` (`invalid-value`) where the request contradicts the cloner's plan.
  private func plan(
    _ entity: String, request: CloneRequest, in graph: any ObjectGraph
  ) throws -> ClonePlan {
    guard let plan else { return try graph.plan(entity, request) }
    // Objects of a base can be the plan's; a run looks at each.
    guard
      plan.model.isKind(plan.entity, of: entity)
        || plan.model.concreteEntities(of: entity).allSatisfy({ plan.root(of: $0) != nil })
    else {
      throw CloneError(
        .invalidValue, "the cloner follows a plan for \(plan.entity), so it cannot clone a \(entity)",
        entity: entity)
    }
    if request == CloneRequest() { return plan }
    let varied = try plan.request.varied(by: request)
    // A graph keeps the plans of its own model.
    return try plan.model == graph.model
      ? graph.plan(plan.entity, varied) : ClonePlan(model: plan.model, entity: plan.entity, request: varied)
  }
}

extension CloneRequest {
  /// The request with the values and the count of another one.
  ///
  /// - Throws: `CloneError` (`invalid-value`) where the other one asks for what a plan has settled.
  fileprivate func varied(by other: CloneRequest) throws -> CloneRequest {
    let names = [
      other.exclude.isEmpty || other.exclude == exclude ? nil : "exclude",
      other.excludeAtRoot.isEmpty || other.excludeAtRoot == excludeAtRoot ? nil : "excludeAtRoot",
      other.annotationKeys == nil || other.annotationKeys == annotationKeys ? nil : "annotationKeys",
    ].compactMap { $0.map { "'\($0)'" } }
    guard names.isEmpty else {
      throw CloneError(
        .invalidValue,
        "the cloner follows a plan, which settles \(names.joined(separator: " and ")) already",
        help: "make the plan with them, or use a cloner without a plan")
    }
    var varied = self
    varied.set.merge(other.set) { $1 }
    varied.unset = unset.filter { other.set[$0] == nil } + other.unset.filter { !unset.contains($0) }
    for name in other.unset { varied.set[name] = nil }
    if other.count != 1 { varied.count = other.count }
    return varied
  }
}
