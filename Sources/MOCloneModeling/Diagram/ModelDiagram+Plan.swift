import MOCloneEngine
import MOCloneModel

extension ModelDiagram {
  /// The picture of what a clone does.
  ///
  /// - Parameters:
  ///   - plan: the plan of the clone.
  ///   - counts: what a run would copy and link, as `SQLiteGraph.preview` finds it; nil leaves the counts out.
  public init(_ plan: ClonePlan, counts: CloneResult? = nil) {
    self.init(plan.model)
    isOfClone = true
    let treatments = PlanTreatments(plan)
    for i in boxes.indices {
      let treatment = treatments.entity(boxes[i].name)
      boxes[i].treatment = treatment
      boxes[i].count = counts.flatMap { treatment.count(of: boxes[i].name, in: $0) }
      for j in boxes[i].attributes.indices {
        let attribute = boxes[i].attributes[j].name
        boxes[i].attributes[j].remarks += treatments.remarks(onAttribute: attribute, of: boxes[i].name)
      }
    }
    for i in lines.indices {
      let (source, target) = (boxes[lines[i].source], boxes[lines[i].target])
      switch lines[i].ends {
      case .inheritance: lines[i].treatment = target.treatment == .root ? .copied : target.treatment
      case .relationship(let name, let inverse, _, _):
        lines[i].treatment = treatments.relationship(name, of: source.name, inverse: inverse, of: target.name)
      }
    }
  }
}

extension ModelDiagram.Treatment {
  fileprivate func count(of entity: String, in result: CloneResult) -> Int? {
    switch self {
    case .root, .copied: result.cloned[entity] ?? 0
    case .linked: result.linked[entity] ?? 0
    case .leftOut: nil
    }
  }
}

/// What a plan does with entities and relationships, over all their access paths.
private struct PlanTreatments {
  private let plan: ClonePlan
  private var rules: [String: RelationshipRule] = [:]
  private var linked: Set<String> = []
  private let copied: Set<String>
  private let roots: Set<String>

  init(_ plan: ClonePlan) {
    self.plan = plan
    copied = Set(plan.nodes.map(\.entity))
    roots = Set(plan.roots.map(\.entity))
    for relationship in plan.nodes.flatMap(\.relationships) where relationship.rule.asks {
      let description = relationship.relationship
      let name = description.qualifiedName
      rules[name] = rules[name] == .clone ? .clone : relationship.rule
      if relationship.rule == .link {
        linked.formUnion(plan.model.concreteEntities(of: description.destination))
      }
    }
  }

  /// That of an abstract entity is the strongest of those that inherit from it.
  func entity(_ name: String) -> ModelDiagram.Treatment {
    let concrete = plan.model.concreteEntities(of: name)
    let isOwn = concrete.contains(name)
    func holds(_ entities: Set<String>) -> Bool {
      isOwn ? entities.contains(name) : concrete.contains(where: entities.contains)
    }
    return holds(roots) ? .root : holds(copied) ? .copied : holds(linked) ? .linked : .leftOut
  }

  /// A pair is written where either side asks for it.
  func relationship(
    _ name: String, of source: String, inverse: String?, of target: String
  ) -> ModelDiagram.Treatment {
    let names =
      [plan.model.relationship(name, of: source)]
      + [inverse.flatMap { plan.model.relationship($0, of: target) }]
    let found = names.compactMap { $0 }.compactMap { rules[$0.qualifiedName] }
    return found.contains(.clone) ? .copied : found.contains(.link) ? .linked : .leftOut
  }

  /// What the request alone asks for; annotations are said already.
  func remarks(onAttribute name: String, of entity: String) -> [String] {
    let concrete = Set(plan.model.concreteEntities(of: entity))
    let planned = plan.nodes.filter { concrete.contains($0.entity) }.flatMap(\.attributes)
      .filter { $0.attribute.name == name }
    let isAnnotated = planned.contains { $0.attribute.userInfo[plan.keys.exclude] != nil }
    return [
      planned.contains { $0.isExcluded } && !isAnnotated ? "excluded" : nil,
      planned.compactMap(\.given).first.map { "set: \($0)" },
    ].compactMap { $0 }
  }
}

extension ClonePlan {
  fileprivate var keys: AnnotationKeys { request.annotationKeys ?? model.userInfoKeys }
}

extension AttributePlan {
  fileprivate var isExcluded: Bool {
    if case .exclude = rule { true } else { false }
  }

  fileprivate var given: String? {
    if case .set(let value) = rule { value.description } else { nil }
  }
}
