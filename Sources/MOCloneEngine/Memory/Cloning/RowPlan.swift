import MOCloneModel

/// A clone plan by the numbers of a graph's layout.
struct RowPlan {
  let plan: ClonePlan
  let layout: GraphLayout
  /// The cloned relationships of each node.
  private(set) var edges: [[Edge]] = []
  /// Of each node: the rule of every relationship of the graph, nil where the entity does not have it.
  private(set) var rules: [[RelationshipRule?]] = []
  /// Of each entity number: the node that says how attributes of its objects, the root aside, are written.
  private(set) var nodeOfEntity: [Int: Int] = [:]
  /// Of each slot and entity number: whether an object of the entity can be followed there.
  private(set) var provides: [[Bool]] = []
  /// Whether an object's parent matters.
  private(set) var followsPath = false

  struct Edge {
    var relation: Int
    var side: RelationSide
    var table: Int
    /// The place of the relationship in the order of qualified names, from 1.
    var rank: Int32
    /// The node at which an object arrives, by its entity's number; -1 where none can.
    var targets: [Int]
  }

  /// - Throws: `CloneError` (`store-mismatch`) where the plan is one of another model.
  init(_ plan: ClonePlan, layout: GraphLayout) throws {
    self.plan = plan
    self.layout = layout
    let ranks = Self.ranks(layout)
    for node in plan.nodes {
      let number = try Self.entity(of: node, layout)
      var edges: [Edge] = []
      var rules: [RelationshipRule?] = Array(repeating: nil, count: layout.relations.count)
      for planned in node.relationships {
        guard let relation = layout.entities[number].relations[planned.relationship.name] else {
          throw Self.mismatch(planned.relationship.qualifiedName)
        }
        rules[relation] = planned.rule
        if planned.rule == .clone { edges.append(edge(relation, planned.targets, rank: ranks[relation])) }
      }
      self.edges.append(edges)
      self.rules.append(rules)
      if !node.isRoot, nodeOfEntity[number] == nil { nodeOfEntity[number] = node.id }
      followsPath = followsPath || node.attributes.contains { $0.rule.isCarried }
    }
    provides = plan.slots.map { slot in layout.entities.map { plan.model.provides(slot, $0.name) } }
  }

  private func edge(_ relation: Int, _ targets: [Int], rank: Int32) -> Edge {
    var nodes = Array(repeating: -1, count: layout.entities.count)
    for target in targets { nodes[layout.number[plan.nodes[target].entity]!] = target }
    return Edge(
      relation: relation, side: layout.relations[relation].side,
      table: layout.relations[relation].destinationTable, rank: rank,
      targets: nodes)
  }

  /// Bytes are compared, whatever the language.
  private static func ranks(_ layout: GraphLayout) -> [Int32] {
    let names = layout.relations.map { Array($0.description.qualifiedName.utf8) }
    let order = names.indices.sorted { names[$0].lexicographicallyPrecedes(names[$1]) }
    var ranks = Array(repeating: Int32(0), count: names.count)
    for (place, relation) in order.enumerated() { ranks[relation] = Int32(place) + 1 }
    return ranks
  }

  private static func entity(of node: PlanNode, _ layout: GraphLayout) throws -> Int {
    guard let number = layout.number[node.entity] else { throw mismatch(node.entity) }
    return number
  }

  private static func mismatch(_ name: String) -> CloneError {
    CloneError(.storeMismatch, "the plan was made for another model: this one does not have \(name)")
  }
}

extension AttributeRule {
  var isCarried: Bool {
    if case .followParent(_, .carried, _) = self { true } else { false }
  }
}

/// The sets of ways in which objects were reached, each set once and known by its number; 0 is the empty set.
struct WaySets {
  private let rules: [[RelationshipRule?]]
  private var nodes: [[Int]] = [[]]
  /// The set that a node makes of a set, -1 where not known yet.
  private var transitions: [Int32]
  /// Of each set: the rule of every relationship, the first of clone, link, incoming, exclude.
  private var merged: [[RelationshipRule?]] = [[]]
  private var numbers: [[Int]: Int32] = [[]: 0]

  init(_ plan: RowPlan) {
    rules = plan.rules
    transitions = Array(repeating: -1, count: plan.rules.count)
  }

  mutating func adding(_ node: Int, to set: Int32) -> Int32 {
    let place = Int(set) * rules.count + node
    if transitions[place] < 0 { transitions[place] = makeSet(node, set) }
    return transitions[place]
  }

  func rule(_ set: Int32, _ relation: Int) -> RelationshipRule? {
    set == 0 ? nil : merged[Int(set)][relation]
  }

  var sets: Range<Int32> { 0..<Int32(merged.count) }

  /// Of each set: whether objects reached in these ways want the pairs of a relationship.
  func asking(_ relation: Int?) -> [Bool] {
    sets.map { asks($0, relation) }
  }

  /// Whether objects reached in these ways want the pairs of a relationship; nil is asked by nobody.
  func asks(_ set: Int32, _ relation: Int?) -> Bool {
    guard let relation else { return false }
    return rule(set, relation)?.asks ?? false
  }

  private mutating func makeSet(_ node: Int, _ set: Int32) -> Int32 {
    let old = nodes[Int(set)]
    if old.contains(node) { return set }
    let new = (old + [node]).sorted()
    if let number = numbers[new] { return number }
    let number = Int32(nodes.count)
    numbers[new] = number
    nodes.append(new)
    transitions += Array(repeating: -1, count: rules.count)
    let sum = set == 0 ? rules[node] : zip(merged[Int(set)], rules[node]).map { Self.first($0, $1) }
    merged.append(sum)
    return number
  }

  private static func first(_ a: RelationshipRule?, _ b: RelationshipRule?) -> RelationshipRule? {
    for rule in [RelationshipRule.clone, .link, .incoming, .exclude] where a == rule || b == rule {
      return rule
    }
    return nil
  }
}
