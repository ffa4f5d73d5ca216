import MOCloneModel

/// The sets of ways in which objects were reached, each set once and known by its number; 0 is the empty set.
struct WaySets {
  /// Of each set: the rule of every relationship, the first of clone, link, incoming, exclude.
  private(set) var rules: Rules
  private let plan: RowPlan
  private var nodes: [[Int]] = [[]]
  /// The set that a node makes of a set, -1 where not known yet.
  private var transitions: [Int32]
  private var numbers: [[Int]: Int32] = [:]

  init(_ plan: RowPlan) {
    self.plan = plan
    rules = Rules(relations: plan.layout.relations.count)
    transitions = Array(repeating: -1, count: plan.nodeCount)
  }

  var count: Int { nodes.count }

  mutating func adding(_ node: Int, to set: Int32) -> Int32 {
    let place = Int(set) * plan.nodeCount + node
    if transitions[place] < 0 { transitions[place] = makeSet(node, set: set) }
    return transitions[place]
  }

  private mutating func makeSet(_ node: Int, set: Int32) -> Int32 {
    let old = nodes[Int(set)]
    if old.contains(node) { return set }
    let new = (old + [node]).sorted()
    if let number = numbers[new] { return number }
    let number = Int32(nodes.count)
    numbers[new] = number
    nodes.append(new)
    transitions += Array(repeating: -1, count: plan.nodeCount)
    rules.append(plan.rules(of: node), to: set)
    return number
  }

  /// The rules of sets, in one table.
  struct Rules {
    private let relations: Int
    /// Of each set: none, for the relationship that the model does not name, then those of its relationships.
    private var cells: [RelationshipRule?]

    fileprivate init(relations: Int) {
      self.relations = relations
      cells = Array(repeating: nil, count: relations + 1)
    }

    subscript(set: Int32, relation: Int?) -> RelationshipRule? {
      cells[Int(set) * (relations + 1) + (relation ?? -1) + 1]
    }

    /// Whether objects reached in these ways want the links of a relationship; nil is asked by nobody.
    func asks(_ set: Int32, _ relation: Int?) -> Bool {
      self[set, relation]?.asks ?? false
    }

    /// Adds the set that a node with rules of its own makes of a set.
    fileprivate mutating func append(_ rules: [RelationshipRule?], to set: Int32) {
      cells.append(nil)
      for (relation, rule) in rules.enumerated() { cells.append(Self.first(self[set, relation], rule)) }
    }

    private static func first(_ a: RelationshipRule?, _ b: RelationshipRule?) -> RelationshipRule? {
      for rule in [RelationshipRule.clone, .link, .incoming, .exclude] where a == rule || b == rule {
        return rule
      }
      return nil
    }
  }
}
