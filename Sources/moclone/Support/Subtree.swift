import MOCloneKit
import MOCloneSQL

/// An object and below it the objects that a plan clones; linked and repeated ones are only named.
///
/// Trees can be as deep as a store is large, so nothing here calls itself for what is below.
struct Subtree {
  /// An object of the tree.
  struct Node {
    var object: ObjectID
    var level: Int
    /// Its node of the plan; nil where it is only named.
    var planned: Int?
    /// Those of the planned attributes.
    var values: [AttributeValue] = []
    /// Where in the tree the destinations of the relationships are that the plan asks for.
    var destinations: [Range<Int>] = []
  }

  let plan: ClonePlan
  /// The root first.
  private(set) var nodes: [Node]

  /// - Parameter depth: how many levels below the root are read.
  init(_ root: ObjectID, plan: ClonePlan, in graph: any StoreGraph, depth: Int) throws {
    self.plan = plan
    nodes = [Node(object: root, level: 0)]
    let mapping = SchemaMapping(graph.model)
    var seen: Set<ObjectID> = []
    // What is to be read, the next one last.
    var open = [(place: 0, planned: plan.root(of: root.entity)!)]
    while let (place, planned) = open.popLast() {
      let (object, level) = (nodes[place].object, nodes[place].level)
      guard seen.insert(object).inserted, level <= depth else { continue }
      nodes[place].planned = planned.id
      nodes[place].values = try Self.values(of: object, at: planned, in: graph, mapping)
      var below: [(place: Int, planned: PlanNode)] = []
      for relationship in planned.askedRelationships {
        let start = nodes.count
        for destination in try graph.destinations(relationship.relationship.name, of: object) {
          if let target = relationship.targets.first(where: { plan.nodes[$0].entity == destination.entity }) {
            below.append((nodes.count, plan.nodes[target]))
          }
          nodes.append(Node(object: destination, level: level + 1))
        }
        nodes[place].destinations.append(start..<nodes.count)
      }
      open += below.reversed()
    }
  }

  /// An attribute that is a part of the key is shown as the key is: as the store writes it.
  private static func values(
    of object: ObjectID, at planned: PlanNode, in graph: any StoreGraph, _ mapping: SchemaMapping
  ) throws -> [AttributeValue] {
    let names = planned.attributes.map(\.attribute.name)
    let columns = names.map { mapping[object.entity].attributes[$0] }
    let others = zip(names, columns).filter { $1?.keyPart == nil }.map(\.0)
    var values = try graph.values(others, of: object)[...]
    return columns.map { column in
      let value = column?.keyPart.map { object.key.parts[$0] } ?? values.removeFirst()
      return column?.shown(value) ?? value
    }
  }

  /// The node of the plan of one of the tree; nil where that is only named.
  func planned(_ node: Node) -> PlanNode? { node.planned.map { plan.nodes[$0] } }

  /// So many levels are indented: in a deep tree the spaces would be more than all else.
  static let indentedLevels = 100
}

extension PlanNode {
  /// The relationships of which a clone gets something by itself.
  var askedRelationships: [RelationshipPlan] { relationships.filter { $0.rule.asks } }
}
