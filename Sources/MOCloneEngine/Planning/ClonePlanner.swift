import MOCloneModel

/// Makes a plan: settles the rules of every access path, then follows the cloned relationships to the next.
struct ClonePlanner {
  let model: ObjectModel
  let entity: String
  let request: CloneRequest
  let mapping: SchemaMapping
  let keys: AnnotationKeys

  /// - Parameter mapping: the model's own, where many plans of it are made.
  init(model: ObjectModel, entity: String, request: CloneRequest, mapping: SchemaMapping? = nil) {
    self.model = model
    self.entity = entity
    self.request = request
    self.mapping = mapping ?? SchemaMapping(model)
    keys = request.annotationKeys ?? model.userInfoKeys
  }

  func plan() throws -> ClonePlan {
    try RequestChecks(planner: self).check()
    var nodes = relationshipNodes(exclusions: Exclusions(request: request, model: model))
    let rootCount = nodes.prefix { $0.isRoot }.count
    let follow = FollowAnalysis(model: model, keys: keys, nodes: nodes)
    let rules = AttributeRules(planner: self, slots: follow.slots, sources: follow.sources)
    rules.settle(&nodes)
    let plan = ClonePlan(
      model: model, entity: entity, request: request, nodes: nodes, rootCount: rootCount,
      slots: follow.slots)
    try RequestChecks(planner: self).check(plan)
    return plan
  }

  /// Every access path with the rules of its relationships, breadth first.
  ///
  /// - Parameter roots: the concrete entities to begin at; those of the entity asked for, if none are given.
  func relationshipNodes(exclusions: Exclusions, from roots: [String]? = nil) -> [PlanNode] {
    var plans = EntityPlans(RelationshipRules(planner: self, exclusions: exclusions), in: model)
    var nodes: [PlanNode] = []
    var found: [PlanNode.AccessKey: Int] = [:]
    func node(_ entity: String, over relationship: RelationshipDescription? = nil) -> Int {
      let accessKey = PlanNode.AccessKey(entity: entity, relationship: relationship?.qualifiedName)
      if let id = found[accessKey] { return id }
      let id = nodes.count
      found[accessKey] = id
      nodes.append(
        PlanNode(id: id, entity: entity, accessPath: relationship, attributes: [], relationships: []))
      return id
    }
    for concrete in roots ?? model.concreteEntities(of: entity) { _ = node(concrete) }
    var next = 0
    while next < nodes.count {
      nodes[next].relationships = plans.relationships(of: nodes[next]) { relationship in
        model.concreteEntities(of: relationship.destination).map { node($0, over: relationship) }
      }
      next += 1
    }
    return nodes
  }
}
