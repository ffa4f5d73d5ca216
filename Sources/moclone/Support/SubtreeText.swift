import MOCloneKit
import MOCloneSQL

extension Subtree {
  /// A line for each object, indented by its level; what is deeper than that goes begins with the number of its level.
  func writeText(to write: (String) throws -> Void) throws {
    // What is to be written, the next one last.
    var open: [(place: Int, relationship: String?)] = [(0, nil)]
    while let (place, relationship) = open.popLast() {
      let node = nodes[place]
      try write(Self.beginning(of: node, relationship))
      try write("\(node.object)\(values(of: node))".printable + "\n")
      let names = planned(node)?.askedRelationships.map(\.relationship.name) ?? []
      for (name, places) in zip(names, node.destinations).reversed() {
        for place in places.reversed() { open.append((place, name)) }
      }
    }
  }

  private static func beginning(of node: Node, _ relationship: String?) -> String {
    guard let relationship else { return "" }
    let level = node.level > indentedLevels ? "(\(node.level)) " : ""
    return String(repeating: "  ", count: min(node.level, indentedLevels)) + level + "\(relationship): "
  }

  private func values(of node: Node) -> String {
    zip(planned(node)?.attributes ?? [], node.values).map {
      "  \($0.attribute.name)=\(Self.short($1, of: $0.attribute.type))"
    }.joined()
  }

  private static func short(_ value: AttributeValue, of type: AttributeType) -> String {
    switch value {
    case .string(let text) where ![.uuid, .date].contains(type):
      "\"\(text.count > 40 ? String(text.prefix(40)) + "…" : text)\""
    case .binary(let bytes): "\(bytes.count) bytes"
    default: value.description
    }
  }
}
