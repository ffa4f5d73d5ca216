import MOCloneEngine
import MOCloneModel

/// A plan laid over the tables of a store: its families, the relationships cloned between them, and their order.
package struct CloneLayout: Sendable {
  package let plan: ClonePlan
  package let mapping: SchemaMapping
  package let schema: StoreSchema
  package private(set) var families: [Family]
  /// The families in the order in which their closures can be found; those of a cycle stand together.
  package let components: [[Int]]
  /// The foreign keys in the rows of each family.
  package private(set) var references: [[RowReference]]
  /// The columns whose new values are settled after the closure, in order.
  let settling: [SettlingOrder.Slot]
  /// Whether triggers keep values of some clones.
  let hasKeptColumns: Bool

  /// - Parameter keepsMapping: whether the keys of every object are read after the run.
  /// - Parameter form: where statements find the maps; as rows only with `keepsMapping`.
  package init(
    plan: ClonePlan, mapping: SchemaMapping, schema: StoreSchema, keepsMapping: Bool,
    form: MapForm = .table
  ) throws {
    self.plan = plan
    self.mapping = mapping
    self.schema = schema
    hasKeptColumns = plan.nodes.contains { $0.attributes.contains { $0.attribute.isKeptByTriggers } }
    try StoreCheck(model: plan.model, mapping: mapping, schema: schema, entities: plan.entities).check()
    var families = try FamilyBuilder(plan: plan, mapping: mapping, schema: schema).families()
    components = Self.components(of: families, plan: plan)
    for component in components where Self.isCycle(component, families, plan) {
      for i in component { families[i].isCyclic = true }
    }
    references = families.map { RowReference.all(in: $0, plan: plan, mapping: mapping) }
    holders = ReferenceHolders(
      model: plan.model, mapping: mapping,
      known: Dictionary(uniqueKeysWithValues: zip(families.map(\.name), references)), dialect: schema.dialect)
    FamilyNeeds(plan: plan, mapping: mapping, references: references, keepsMapping: keepsMapping)
      .gather(&families, components: components)
    for i in families.indices { families[i].form = form }
    let order = try SettlingOrder(families, references, model: plan.model)
    settling = order.slots
    for slot in order.slots {
      families[slot.family].waiting[slot.column] = order.waiting[slot]
      guard families[slot.family].keyPart(slot.column) == nil else { continue }
      families[slot.family].settled.append(slot.column)
    }
    self.families = families
    self.families = families.map(settled)
  }

  /// What depends on more than the family itself.
  private func settled(_ family: Family) -> Family {
    var family = family
    let needs = CarriedValues(plan: plan)
    family.hasGeneration = families.contains { $0.isStaged }
    family.hasCopy = plan.request.count > 1
    // What a family without a map follows is read from the map of the parents.
    family.stored =
      family.isDirect ? [] : needs.stored(in: family, mapping: mapping, references: references.flatMap { $0 })
    markLateFollowers(in: &family)
    family.slots = needs.slots(in: family)
    family.hasParent = !family.isDirect && parentReference(of: family) != nil
    family.ranks = references[family.index].indices.filter { i in
      references[family.index][i].orderColumn != nil
        && !copiesPositions(references[family.index][i], in: family)
    }
    return family
  }

  /// The forms in which the run's instant is written.
  package var instants: [DateStorage] {
    let forms = plan.nodes.flatMap { node in
      node.attributes.filter { $0.rule.isInstant }.map {
        mapping[node.entity].attributes[$0.attribute.name]!.dates
      }
    }
    return DateStorage.allCases.filter(forms.contains)
  }

  /// An attribute that others read, and that follows a part of the root's key, is found before that is settled.
  private func markLateFollowers(in family: inout Family) {
    let root = families.first { $0.hasRoot }!
    for i in family.stored.indices {
      let rules = family.nodes.compactMap { $0.rule(ofAttribute: family.stored[i].name) }
      let isLate = rules.contains { rule in
        guard case .followParent(let slot, .root, _) = rule else { return false }
        return root.isLate(slot, in: self)
      }
      if isLate { family.stored[i].hasKind = true }
    }
  }

  /// Whether parts of keys are settled after the closure, so that followers of them are known only then.
  package var hasLateKeys: Bool {
    families.contains { family in family.keyColumns.indices.contains(where: family.isLate) }
  }

  package let holders: ReferenceHolders

  package var dialect: Dialect { schema.dialect }

  package func family(of entity: String) -> Family? {
    let root = plan.model.rootEntity(of: entity)
    return families.first { $0.name == root }
  }

  /// The reference over which every object of a family was reached, if there is just one and it tells the parent; of
  /// a tree the root may have none.
  package func parentReference(of family: Family) -> Int? {
    guard !family.hasRoot || family.isTree, family.gathering == .single, let arrival = family.arrivals.first
    else {
      return nil
    }
    return references[family.index].firstIndex { $0.backward?.qualifiedName == arrival.qualifiedName }
  }

  /// Whether positions can be copied as they are: the new keys keep the order of the originals' where positions
  /// are equal, and no list outside is added to.
  package func copiesPositions(_ reference: RowReference, in family: Family) -> Bool {
    family.hasRowidKey && !family.hasRoot
      && parentReference(of: family).map { references[family.index][$0] == reference } == true
  }
}

// MARK: - Order

extension CloneLayout {
  /// Strongly connected components in topological order, by plain reachability: families are few.
  private static func components(of families: [Family], plan: ClonePlan) -> [[Int]] {
    let edges = edges(families, plan)
    let reach = families.indices.map { reachable(from: $0, edges) }
    var order: [[Int]] = []
    var done: Set<Int> = []
    while done.count < families.count {
      for i in families.indices where !done.contains(i) {
        let component = families.indices.filter {
          $0 == i || (reach[i].contains($0) && reach[$0].contains(i))
        }
        let sources = families.indices.filter { source in
          !component.contains(source) && component.contains { edges[source].contains($0) }
        }
        guard sources.allSatisfy(done.contains) else { continue }
        order.append(component)
        done.formUnion(component)
      }
    }
    return order
  }

  private static func isCycle(_ component: [Int], _ families: [Family], _ plan: ClonePlan) -> Bool {
    component.count > 1 || edges(families, plan)[component[0]].contains(component[0])
  }

  private static func edges(_ families: [Family], _ plan: ClonePlan) -> [Set<Int>] {
    var edges: [Set<Int>] = Array(repeating: [], count: families.count)
    for family in families {
      for arrival in family.arrivals {
        let source = plan.model.rootEntity(of: arrival.entity)
        edges[families.firstIndex { $0.name == source }!].insert(family.index)
      }
    }
    return edges
  }

  private static func reachable(from start: Int, _ edges: [Set<Int>]) -> Set<Int> {
    var found: Set<Int> = []
    var pending = Array(edges[start])
    while let next = pending.popLast() {
      guard found.insert(next).inserted else { continue }
      pending += edges[next]
    }
    return found
  }
}
