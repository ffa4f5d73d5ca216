import MOCloneModel

/// A clone plan by the numbers of a graph's layout: made once for a plan and a graph, whatever either holds.
final class RowPlan {
  let plan: ClonePlan
  let identity: ClonePlan.Identity
  let layout: GraphLayout
  /// How many copies of each root are made.
  let copies: Int
  /// Of each node that was asked for: its cloned relationships. Where all entities are related, a plan has millions of them.
  private var edgesOfNode: [[Edge]?]
  /// The nodes that relationships lead to, which all access paths share.
  private var targets: [ObjectIdentifier: UnsafeMutablePointer<Int32>] = [:]
  /// Of each entity number: the node of a root of the entity; -1 where none can be.
  let rootNodes: [Int]
  /// Of each entity number: the destinations that the request gave a root, by relationship number.
  let given: [[(relation: Int, destination: GivenDestination)]]
  /// Of each entity number: what the clone of a root holds otherwise than its original.
  let rootWrites: [Writes]
  /// Of each entity number: what other clones hold otherwise than their originals.
  let writes: [Writes]
  /// The values that writes name by number.
  let values: [AttributeValue]
  /// The tables that a clone can add rows to.
  let tables: [Table]
  let tableNumbers: [Int]
  /// Of each slot and entity number: the column of the followed attribute; nil where the entity cannot be followed.
  let followed: [[Int?]]
  /// Whether an object's parent matters.
  let followsPath: Bool

  struct Edge {
    var side: RelationSide
    var table: Int
    /// The place of the relationship in the order of qualified names, from 1.
    var rank: Int32
    /// The node of an object that is reached, by its entity's number; -1 where none can. The plan keeps them.
    var targets: UnsafePointer<Int32>
  }

  /// What the clones of an entity's objects hold otherwise than their originals.
  struct Writes {
    /// In the order of the attributes.
    var settled: [Settled] = []
    /// Values that are carried down the path, from a slot, and what there is in place of those without an ancestor.
    var carried: [(column: Int, slot: Int, fallback: Fill?)] = []
  }

  typealias Settled = (column: Int, fill: Fill)

  /// What becomes of the cells of a column.
  enum Fill {
    /// One value, by its number.
    case value(Int)
    case rebuilt(RebuildRule)
    /// The number of the row.
    case number
    /// What the root's clone holds in the attribute of a slot.
    case ofRoot(slot: Int)
    /// There is no ancestor that has the attribute of a slot, so there can be no clone.
    case missing(slot: Int)

    /// Whether the value is one of an ancestor.
    var follows: Bool {
      if case .ofRoot = self { true } else { false }
    }

    /// Whether the value is one of the plan's own.
    var isValue: Bool {
      if case .value = self { true } else { false }
    }
  }

  struct Table {
    var number: Int
    /// The entities that are in it.
    var entities: [Int]
    /// Whether clones in it, the root aside, can be anything but copies.
    var isWritten: Bool
  }

  /// - Throws: `CloneError` (`store-mismatch`) where the plan is one of another model.
  init(_ plan: ClonePlan, layout: GraphLayout) throws {
    self.plan = plan
    identity = plan.identity
    self.layout = layout
    copies = plan.request.count
    var maker = RowPlanMaker(plan: plan, layout: layout)
    try plan.checkNames { name, property in
      guard let entity = layout.number[name].map({ layout.entities[$0] }) else { return false }
      return property.map { entity.relations[$0] != nil || entity.columns[$0] != nil } ?? true
    }
    edgesOfNode = Array(repeating: nil, count: plan.nodes.count)
    rootNodes = layout.entities.map { plan.root(of: $0.name)?.id ?? -1 }
    given = maker.given
    rootWrites = maker.writes { plan.root(of: $0) }
    // An entity's nodes agree on its attributes, the root aside.
    writes = maker.writes { [firstNodes = maker.firstNodes] in firstNodes[$0] }
    values = maker.values
    followsPath = writes.contains { !$0.carried.isEmpty }
    tables = maker.tables(writes)
    tableNumbers = tables.map(\.number)
    followed = maker.followed
  }

  deinit {
    for nodes in targets.values { nodes.deallocate() }
  }

  var nodeCount: Int { edgesOfNode.count }

  /// The cloned relationships of a node.
  func edges(of node: Int) -> [Edge] {
    if let known = edgesOfNode[node] { return known }
    let entity = entity(of: plan.nodes[node])
    let edges = plan.nodes[node].relationships.filter { $0.rule == .clone }.map { planned in
      let relation = entity.relations[planned.relationship.name]!
      return Edge(
        side: layout.relations[relation].side, table: layout.relations[relation].destinationTable,
        rank: layout.ranks[relation], targets: UnsafePointer(targets(of: planned)))
    }
    edgesOfNode[node] = edges
    return edges
  }

  private func targets(of planned: RelationshipPlan) -> UnsafeMutablePointer<Int32> {
    if let known = targets[planned.identity] { return known }
    let nodes = UnsafeMutablePointer<Int32>.allocate(capacity: layout.entities.count)
    nodes.initialize(repeating: -1, count: layout.entities.count)
    for target in planned.targets { nodes[layout.number[plan.nodes[target].entity]!] = Int32(target) }
    targets[planned.identity] = nodes
    return nodes
  }

  /// The rule of every relationship of the graph at a node, nil where the entity does not have it.
  func rules(of node: Int) -> [RelationshipRule?] {
    let entity = entity(of: plan.nodes[node])
    var rules: [RelationshipRule?] = Array(repeating: nil, count: layout.relations.count)
    for planned in plan.nodes[node].relationships {
      rules[entity.relations[planned.relationship.name]!] = planned.rule
    }
    return rules
  }

  private func entity(of node: PlanNode) -> EntityLayout {
    layout.entities[layout.number[node.entity]!]
  }

  func holdsRows(of table: Int) -> Bool {
    tableNumbers.contains(table)
  }
}

/// Looks up the numbers of what a plan names.
private struct RowPlanMaker {
  let plan: ClonePlan
  let layout: GraphLayout
  /// Of each entity that is reached over a relationship: the first of its nodes there.
  let firstNodes: [String: PlanNode]
  private(set) var values: [AttributeValue] = []

  init(plan: ClonePlan, layout: GraphLayout) {
    self.plan = plan
    self.layout = layout
    firstNodes = Dictionary(plan.nodes.filter { !$0.isRoot }.map { ($0.entity, $0) }) { first, _ in first }
  }

  var given: [[(relation: Int, destination: GivenDestination)]] {
    layout.entities.map { entity in
      (plan.root(of: entity.name)?.relationships ?? []).compactMap { planned in
        planned.given.map { (entity.relations[planned.relationship.name]!, $0) }
      }
    }
  }

  /// Of each entity: what clones hold at the node that represents it.
  mutating func writes(_ node: (_ entity: String) -> PlanNode?) -> [RowPlan.Writes] {
    layout.entities.map { entity in
      var writes = RowPlan.Writes()
      for planned in node(entity.name)?.attributes ?? [] {
        let column = entity.columns[planned.attribute.name]!
        if case .followParent(let slot, .carried, let fallback) = planned.rule {
          writes.carried.append((column, slot, fill(fallback, slot, planned.attribute)))
        } else if let fill = fill(planned.rule, planned.attribute) {
          writes.settled.append((column, fill))
        }
      }
      return writes
    }
  }

  /// Nil where the clone holds a copy.
  private mutating func fill(_ rule: AttributeRule, _ attribute: AttributeDescription) -> RowPlan.Fill? {
    switch rule {
    case .copy, .key(.relationship), .key(.copied), .key(.given): return nil
    case .exclude(let value), .set(let value):
      values.append(value)
      return .value(values.count - 1)
    case .rebuild(let rule): return .rebuilt(rule)
    case .key(.uuid): return .rebuilt(.uuid)
    case .key(.rowid), .key(.max), .key(.automatic): return attribute.type.isInteger ? .number : nil
    case .followParent(let slot, .root, _): return .ofRoot(slot: slot)
    case .followParent(let slot, .none, let fallback), .followParent(let slot, .carried, let fallback):
      return fill(fallback, slot, attribute)
    }
  }

  private mutating func fill(
    _ fallback: FollowFallback, _ slot: Int, _ attribute: AttributeDescription
  ) -> RowPlan.Fill? {
    switch fallback {
    case .rule(let rule): fill(rule, attribute)
    case .error: .missing(slot: slot)
    }
  }

  func tables(_ writes: [RowPlan.Writes]) -> [RowPlan.Table] {
    let used = Set(
      (plan.roots.map(\.entity) + firstNodes.keys).map { layout.entities[layout.number[$0]!].table })
    return used.sorted().map { table in
      let entities = layout.entities.indices.filter { layout.entities[$0].table == table }
      return RowPlan.Table(
        number: table, entities: entities,
        isWritten: entities.contains { !writes[$0].settled.isEmpty })
    }
  }

  var followed: [[Int?]] {
    plan.slots.map { slot in
      layout.entities.map { plan.model.provides(slot, entity: $0.name) ? $0.columns[slot.attribute] : nil }
    }
  }
}
