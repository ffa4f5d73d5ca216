import ArgumentParser
import Foundation
import MOCloneKit
import MOCloneSQL

struct Show: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Prints an object and the objects that a clone would copy with it.",
    usage: "moclone show [<options>] <entity> [<keys> ...]",
    discussion: """
      EXAMPLES:
        moclone show note 42
        moclone show note 42 --format json
      """)

  @OptionGroup var objects: ObjectOptions
  @OptionGroup var project: ProjectOptions

  @Option(help: "The format of the output: text (a tree) or json.")
  var format = OutputFormat.text

  @Option(parsing: .unconditional, help: "The number of levels to print below the object.")
  var depth = 32

  @OptionGroup var console: ConsoleOptions

  func validate() throws {
    guard depth < 0 else { return }
    throw ValidationError("'--depth \(depth)' is not valid; expected a number of at least 0")
  }

  func run() throws {
    let model = try project.loadModel()
    let entity = try objects.entity(in: model)
    guard !objects.keys.isEmpty || !objects.wholeKeys.isEmpty else {
      throw UsageError("no key of \(entity) is given; expected `moclone show \(objects.entity) KEY`")
    }
    let graph = try project.openStore(model, use: .reading)
    let plan = try ClonePlan(model: model, entity: entity)
    try graph.check(plan)
    for root in try objects.objects(entity, in: graph) {
      let node = try graph.inOneState {
        var tree = Subtree(graph: graph, plan: plan, depth: depth)
        return try tree.node(root, at: plan.root(of: root.entity)!)
      }
      try Console.output.writeAll(format == .json ? node.json() + "\n" : node.text())
    }
  }
}

/// Reads an object and below it the objects that a plan clones; linked and repeated ones are only named.
struct Subtree {
  let graph: any StoreGraph
  let plan: ClonePlan
  let depth: Int
  private let mapping: SchemaMapping
  private var seen: Set<ObjectID> = []

  init(graph: any StoreGraph, plan: ClonePlan, depth: Int) {
    self.graph = graph
    self.plan = plan
    self.depth = depth
    mapping = SchemaMapping(graph.model)
  }

  mutating func node(_ object: ObjectID, at planned: PlanNode, level: Int = 0) throws -> TreeNode {
    var node = TreeNode(object: object)
    guard seen.insert(object).inserted, level <= depth else { return node }
    node.attributes = try planned.attributes.map { ($0.attribute, try value($0.attribute, of: object)) }
    for relationship in planned.relationships where relationship.rule.asks {
      let name = relationship.relationship.name
      let destinations = try graph.destinations(name, of: object)
      node.relationships.append(
        (name, try destinations.map { try child($0, relationship: relationship, level: level + 1) }))
    }
    return node
  }

  /// An attribute that is a part of the key is shown as the key is: as the store writes it.
  private func value(_ attribute: AttributeDescription, of object: ObjectID) throws -> AttributeValue {
    if let part = mapping[object.entity].attributes[attribute.name]?.keyPart { return object.key.parts[part] }
    return try graph.value(attribute.name, of: object)
  }

  private mutating func child(_ object: ObjectID, relationship: RelationshipPlan, level: Int) throws
    -> TreeNode
  {
    let target = relationship.targets.first { plan.nodes[$0].entity == object.entity }
    guard let target else { return TreeNode(object: object) }
    return try node(object, at: plan.nodes[target], level: level)
  }
}

/// An object of a printed tree; without attributes it is only named.
struct TreeNode {
  var object: ObjectID
  var attributes: [(attribute: AttributeDescription, value: AttributeValue)] = []
  var relationships: [(name: String, destinations: [TreeNode])] = []

  func text(indent: String = "") -> String {
    let values = attributes.map { "  \($0.attribute.name)=\(Self.short($0.value, of: $0.attribute.type))" }
      .joined()
    var text = "\(object)\(values)".printable + "\n"
    for relationship in relationships {
      for destination in relationship.destinations {
        text += "\(indent)  \(relationship.name): \(destination.text(indent: indent + "  "))"
      }
    }
    return text
  }

  private static func short(_ value: AttributeValue, of type: AttributeType) -> String {
    switch value {
    case .string(let text) where type != .uuid:
      "\"\(text.count > 40 ? String(text.prefix(40)) + "…" : text)\""
    case .binary(let bytes): "\(bytes.count) bytes"
    default: value.description
    }
  }

  func json() throws -> String {
    let data = try JSONSerialization.data(
      withJSONObject: dictionary(), options: [.sortedKeys, .prettyPrinted])
    return String(decoding: data, as: UTF8.self)
  }

  private func dictionary() -> [String: Any] {
    var json: [String: Any] = ["entity": object.entity, "key": object.key.description]
    if !attributes.isEmpty {
      json["attributes"] = Dictionary(
        uniqueKeysWithValues: attributes.map { ($0.attribute.name, Self.json($0.value)) })
    }
    for relationship in relationships {
      var all = json["relationships"] as? [String: Any] ?? [:]
      all[relationship.name] = relationship.destinations.map { $0.dictionary() }
      json["relationships"] = all
    }
    return json
  }

  private static func json(_ value: AttributeValue) -> Any {
    switch value {
    case .null: NSNull()
    case .bool(let value): value
    case .integer(let value): value
    case .double(let value) where value.isFinite: value
    default: value.description
    }
  }
}
