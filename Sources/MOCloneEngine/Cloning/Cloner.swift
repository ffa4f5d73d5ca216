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
  public var generator: ValueGenerator
  /// Whether `CloneResult.mapping` is filled: one pair of keys an object.
  public var keepsMapping: Bool
  /// Whether `CloneResult.linked` is filled, which reads every key and join row that leads out of the subtree once more.
  public var countsLinks = true
  /// Told now and then how far a run is, on the thread of the run.
  public var progress: (@Sendable (CloneProgress) -> Void)?
  /// Told how long each phase of a run took.
  public var timer: CloneTimer?
  /// The plan that every clone of this cloner follows; nil where each makes its own.
  public let plan: ClonePlan?
  /// The model of the objects, where neither a graph nor a plan brings it.
  public let model: ObjectModel?

  /// A cloner that plans each clone anew.
  ///
  /// - Parameter model: what clones of records need to know; graphs have their own.
  public init(
    model: ObjectModel? = nil, generator: ValueGenerator = .system, keepsMapping: Bool = false,
    progress: (@Sendable (CloneProgress) -> Void)? = nil
  ) {
    self.init(plan: nil, model: model, generator, keepsMapping, progress)
  }

  /// A cloner that follows one plan, made once for many clones.
  public init(
    plan: ClonePlan, generator: ValueGenerator = .system, keepsMapping: Bool = false,
    progress: (@Sendable (CloneProgress) -> Void)? = nil
  ) {
    self.init(plan: plan, model: plan.model, generator, keepsMapping, progress)
  }

  private init(
    plan: ClonePlan?, model: ObjectModel?, _ generator: ValueGenerator, _ keepsMapping: Bool,
    _ progress: (@Sendable (CloneProgress) -> Void)?
  ) {
    self.plan = plan
    self.model = model
    self.generator = generator
    self.keepsMapping = keepsMapping
    self.progress = progress
  }

  public var run: CloneRun { run(countsLinks: countsLinks) }

  private func run(countsLinks: Bool) -> CloneRun {
    CloneRun(
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
  ///   - excludedRelationshipNames: names that are left out of the root, in addition to those annotated.
  ///   - passingExclusionList: whether these names hold for every object of the chain.
  ///   - saveBeforeReturn: false leaves the clone pending until the graph's `save()` or `rollback()`.
  ///   - config: the names of the annotation keys, where they are not the model's.
  /// - Returns: the new root.
  /// - Throws: `CloneError` with everything that was found; the graph is then as it was.
  @discardableResult
  public func clone(
    object: ManagedObject, excludedRelationshipNames: [String] = [], passingExclusionList: Bool = false,
    saveBeforeReturn: Bool = true, config: AnnotationKeys? = nil
  ) throws -> ManagedObject {
    if let plan { return try clone(object, plan, saveBeforeReturn) }
    let request = CloneRequest(
      exclude: passingExclusionList ? excludedRelationshipNames : [],
      excludeAtRoot: passingExclusionList ? [] : excludedRelationshipNames, annotationKeys: config)
    return try clone(object, object.graph.plan(object.entity, request), saveBeforeReturn)
  }

  private func clone(
    _ object: ManagedObject, _ plan: ClonePlan, _ saveBeforeReturn: Bool
  ) throws -> ManagedObject {
    var run = run(countsLinks: false)
    run.countsObjects = false
    let result = try object.graph.run(plan, roots: [object.id], run: run, saves: saveBeforeReturn)
    return ManagedObject(id: result.root, graph: object.graph)
  }

  /// Clones an object as a request says.
  @discardableResult
  public func clone(
    object: ManagedObject, request: CloneRequest, saveBeforeReturn: Bool = true
  ) throws -> CloneResult {
    let plan = try self.plan ?? object.graph.plan(object.entity, request)
    return try object.graph.run(plan, roots: [object.id], run: run, saves: saveBeforeReturn)
  }

  /// Clones the objects of an entity with the keys given, in one transaction.
  @discardableResult
  public func clone(
    _ entity: String, keys: [ObjectKey], in graph: any ObjectGraph, request: CloneRequest = CloneRequest(),
    saveBeforeReturn: Bool = true
  ) throws -> CloneResult {
    let plan = try self.plan ?? graph.plan(entity, request)
    let roots = try keys.map { try graph.object(entity, key: $0).id }
    return try graph.run(plan, roots: roots, run: run, saves: saveBeforeReturn)
  }
}
