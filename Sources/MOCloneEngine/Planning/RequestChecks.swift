import MOCloneModel

/// What is wrong with a request, as model and request alone show it.
struct RequestChecks {
  let planner: ClonePlanner
  private var model: ObjectModel { planner.model }
  private var request: CloneRequest { planner.request }

  /// What must hold before a plan can be made.
  func check() throws {
    guard model.entity(planner.entity) != nil else {
      throw CloneError.unknownEntity(planner.entity, in: model)
    }
    try annotationErrors().throwIfAny()
    try (unknownExclusions(of: planner.entity) + valueErrors() + countErrors()).throwIfAny()
  }

  /// What the rules of a plan show.
  func check(_ plan: ClonePlan) throws {
    let failures = plan.roots.map { excludedAttributes(plan, root: $0) }
    let excluded = failures.contains { $0.isEmpty } ? [] : failures.flatMap { $0 }
    try (excluded + missingAncestors(plan)).uniqued().throwIfAny()
  }

  /// With other names of the annotation keys other annotations take effect, which nobody has checked yet.
  private func annotationErrors() -> [CloneError.Failure] {
    guard planner.keys != model.userInfoKeys else { return [] }
    return ModelValidator.annotationFindings(model, keys: planner.keys)
      .filter(\.forbidsUse)
      .map { CloneError.Failure($0.code, $0.message) }
  }

  private func countErrors() -> [CloneError.Failure] {
    if (1...CloneRequest.mostCopies).contains(request.count) { return [] }
    let message =
      "the number of copies is \(request.count), but it must be at least 1 and at most \(CloneRequest.mostCopies)"
    return [CloneError.Failure(.invalidValue, message)]
  }

  /// Exclusions that name nothing of a root's entity or of what is cloned with it.
  private func unknownExclusions(of root: String) -> [CloneError.Failure] {
    let exclusions = Exclusions(request: request, model: model)
    let names = exclusions.everywhere + exclusions.atRoot
    guard !names.isEmpty else { return [] }
    let nodes = planner.relationshipNodes(
      exclusions: .none(model), from: model.concreteEntities(of: root))
    let entities = nodes.map(\.entity).uniqued()
    let properties = entities.flatMap { entity in model.propertyNames(of: entity).map { (entity, $0) } }
    return names.filter { name in
      !properties.contains { exclusions.matches(name, property: $0.1, entity: $0.0) }
    }.map {
      name in
      let known = properties.map { name.entity == nil ? $0.1 : "\($0.0).\($0.1)" }
      return CloneError.Failure(
        .unknownName,
        "neither \(root) nor an entity that is cloned with it has a relationship or attribute '\(name.text)'",
        help: didYouMean(name.text, known: known))
    }
  }

  /// What `set` and `unset` say of the root.
  private func valueErrors() -> [CloneError.Failure] {
    let both = Set(request.unset).intersection(request.set.keys).sorted().map {
      CloneError.Failure(.invalidValue, "'\($0)' is both set and unset", entity: planner.entity, property: $0)
    }
    let roots = model.concreteEntities(of: planner.entity)
    return both + givenNames.flatMap { name in whereAllFail(roots) { failure(of: name, root: $0) } }
  }

  private var givenNames: [String] { request.set.keys.sorted() + request.unset }

  /// A failure that every root would have; one of some entities only is found when the root is known.
  private func whereAllFail<Root>(
    _ roots: some Collection<Root>, failure: (Root) -> CloneError.Failure?
  ) -> [CloneError.Failure] {
    let failures = roots.compactMap(failure)
    return failures.count == roots.count ? Array(failures.prefix(1)) : []
  }

  private func failure(of name: String, root: String) -> CloneError.Failure? {
    if let attribute = model.attribute(name, of: root) { return failure(of: attribute, root: root) }
    if let relationship = model.relationship(name, of: root) {
      return failure(of: relationship, root: root)
    }
    return CloneError.Failure(
      .unknownName,
      "\(root) has no attribute or relationship '\(name)'",
      help: didYouMean(name, known: model.propertyNames(of: root)),
      entity: root, property: name)
  }

  private func failure(of attribute: AttributeDescription, root: String) -> CloneError.Failure? {
    let value = request.set[attribute.name] ?? .null
    let fitted = attribute.type.value(fitting: value)
    if attribute.isTransient {
      return .init(
        .invalidValue, "'\(attribute.name)' of \(root) is transient, so it is not stored and cannot be set",
        entity: root, property: attribute.name)
    }
    // Core Data's triggers keep whatever is derived.
    if attribute.isKeptByTriggers || attribute.isDerived && planner.mapping.coreData != nil {
      return .keptByTriggers(attribute, of: root)
    }
    if fitted == nil { return .notValid(value.description, for: attribute, of: root) }
    if fitted != .null {
      do { _ = try attribute.checked(value, for: root) } catch {
        return (error as? CloneError)?.failures.first
      }
      return nil
    }
    let isKey = planner.mapping[root].attributes[attribute.name]?.keyPart != nil
    guard isKey || !attribute.isOptional else { return nil }
    return .init(
      .invalidValue,
      "'\(attribute.name)' of \(root) is \(isKey ? "part of its key" : "required") and cannot be unset",
      entity: root, property: attribute.name)
  }

  private func failure(of relationship: RelationshipDescription, root: String) -> CloneError.Failure? {
    let name = relationship.name
    func failure(_ problem: String, help: String? = nil) -> CloneError.Failure {
      CloneError.Failure(.invalidValue, problem, help: help, entity: root, property: name)
    }
    if relationship.isToMany {
      return failure("'\(name)' of \(root) is to-many; only attributes and to-one relationships can be set")
    }
    guard case .foreignKey = planner.mapping[root].relationships[name] else {
      return failure(
        "'\(name)' of \(root) is stored in \(relationship.destination), so setting it would change that object",
        help: "exclude it")
    }
    let isUnset = request.unset.contains(name) || request.set[name] == .null
    return isUnset && !relationship.isOptional
      ? failure("'\(name)' of \(root) is required and cannot be unset") : nil
  }

  /// Exclusions of attributes that clones need, of one root or of what is cloned with it.
  private func excludedAttributes(_ plan: ClonePlan, root: PlanNode) -> [CloneError.Failure] {
    let exclusions = Exclusions(request: request, model: model)
    if exclusions.everywhere.isEmpty, exclusions.atRoot.isEmpty { return [] }
    var seen: Set<String> = []
    return plan.nodes(from: root).flatMap { node in
      node.attributes.compactMap { planned in
        let attribute = planned.attribute
        guard let name = exclusions.name(excluding: attribute.name, of: node.entity, isRoot: node.isRoot),
          seen.insert(node.entity + "." + attribute.name).inserted
        else { return nil }
        return failure(ofExcluding: planned, named: name, entity: node.entity)
      }
    }
  }

  private func failure(
    ofExcluding planned: AttributePlan, named name: String, entity: String
  ) -> CloneError.Failure? {
    let attribute = planned.attribute
    if case .key = planned.rule {
      return CloneError.Failure(
        .invalidValue, "'\(name)' cannot be excluded: '\(attribute.name)' of \(entity) is part of its key",
        entity: entity, property: attribute.name)
    }
    guard case .exclude(.null) = planned.rule, !attribute.isOptional else { return nil }
    return CloneError.Failure(
      .requiredLeftEmpty,
      "'\(name)' cannot be excluded: '\(attribute.name)' of \(entity) is required and has no default",
      help: "give it one, or set it",
      entity: entity, property: attribute.name)
  }

  private func missingAncestors(_ plan: ClonePlan) -> [CloneError.Failure] {
    let failures = plan.roots.map { missingAncestors(plan, root: $0) }
    return failures.contains { $0.isEmpty } ? [] : failures.flatMap { $0 }
  }

  private func missingAncestors(_ plan: ClonePlan, root: PlanNode) -> [CloneError.Failure] {
    if request.keepsValues { return [] }
    return root.attributes.compactMap { planned in
      guard case .followParent(let slot, _, .error) = planned.rule else { return nil }
      return CloneError.Failure.missingAncestor(
        planned.attribute.name, of: root.entity, slot: plan.slots[slot], object: nil)
    }
  }

  /// What is wrong with the request for a root of one concrete entity.
  func check(_ plan: ClonePlan, root: PlanNode) throws {
    let given = givenNames.compactMap { failure(of: $0, root: root.entity) }
    let excluded = unknownExclusions(of: root.entity) + excludedAttributes(plan, root: root)
    try (given + excluded + missingAncestors(plan, root: root)).throwIfAny()
  }
}

extension ClonePlan {
  /// Checks what the request means for objects of the entities given, which a plan for their base leaves open.
  ///
  /// - Throws: `CloneError` with everything that is wrong.
  package func check(roots: [ObjectID]) throws {
    for entity in roots.map(\.entity).uniqued() {
      guard let root = root(of: entity) else {
        throw CloneError(
          .unknownEntity, "the plan is for \(self.entity), but the object is \(entity)", entity: entity)
      }
      // A plan for one entity has been checked when it was made.
      guard rootCount > 1 else { continue }
      let planner = ClonePlanner(model: model, entity: self.entity, request: request)
      try RequestChecks(planner: planner).check(self, root: root)
    }
  }

  /// The nodes that a clone reaches from one, in the order of the plan.
  package func nodes(from node: PlanNode) -> [PlanNode] {
    if node.isRoot, rootCount == 1 { return nodes }
    var isReached = Array(repeating: false, count: nodes.count)
    var pending = [node.id]
    while let id = pending.popLast() {
      if isReached[id] { continue }
      isReached[id] = true
      for relationship in nodes[id].relationships { pending += relationship.targets }
    }
    return nodes.filter { isReached[$0.id] }
  }
}

extension CloneError.Failure {
  /// A value for an attribute that is the triggers' alone.
  package static func keptByTriggers(_ attribute: AttributeDescription, of entity: String) -> Self {
    .init(
      .invalidValue,
      "'\(attribute.name)' of \(entity) is derived and maintained by the store's triggers, so it cannot be given a value",
      entity: entity, property: attribute.name)
  }

  /// A value for an attribute that the store computes, by the model's word or by its own.
  package static func computed(_ attribute: AttributeDescription, of entity: String) -> Self {
    .init(
      .generatedColumn,
      "'\(attribute.name)' of \(entity) cannot be given a value, because the store computes it",
      help: "leave it out", entity: entity, property: attribute.name)
  }

  /// A followed attribute without an ancestor that has it, and no `withoutParent`.
  package static func missingAncestor(
    _ attribute: String, of entity: String, slot: FollowSlot, object: ObjectID?
  ) -> CloneError.Failure {
    CloneError.Failure(
      .missingAncestor,
      "'\(attribute)' of \(object?.description ?? entity) follows '\(slot.text)', but no ancestor in this clone "
        + "has that attribute",
      help: "add 'withoutParent: keep' or 'withoutParent: blank', or give a value with --set",
      entity: entity, property: attribute, object: object)
  }
}

extension CloneError {
  /// The error that a model has no entity of a name, with the nearest name that it has.
  public static func unknownEntity(_ name: String, in model: ObjectModel) -> CloneError {
    CloneError(
      .unknownEntity,
      "the model has no entity '\(name)'",
      help: didYouMean(name, known: model.entities.map(\.name)), entity: name)
  }
}

extension [CloneError.Failure] {
  func throwIfAny() throws {
    if !isEmpty { throw CloneError(self) }
  }

  /// What a step returns; nil where it is refused, and its failures are added.
  mutating func gather<Result>(_ step: () throws -> Result) throws -> Result? {
    do { return try step() } catch let error as CloneError {
      self += error.failures
      return nil
    }
  }
}

extension ObjectModel {
  /// The names of an entity's attributes and relationships.
  public func propertyNames(of entity: String) -> [String] {
    attributes(of: entity).map(\.name) + relationships(of: entity).map(\.name)
  }
}

/// `did you mean 'items'?`, or nil where none is like the name.
package func didYouMean(_ name: String, known: [String]) -> String? {
  didYouMean(nearestName(to: name, in: known))
}
