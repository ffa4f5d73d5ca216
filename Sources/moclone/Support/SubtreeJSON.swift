import Foundation
import MOCloneKit
import MOCloneSQL

/// Writes a subtree as `JSONSerialization` writes nested dictionaries, which it would do level within level.
struct SubtreeJSON {
  private let tree: Subtree
  /// The spaces before each line but the first.
  private let margin: Int
  /// By node of the plan.
  private var members: [Int: Members] = [:]

  /// The members of an object of JSON, in their order: each with its place, and its name as JSON.
  private struct Members {
    var attributes: [(place: Int, name: String)]
    var relationships: [(place: Int, name: String)]
  }

  init(_ tree: Subtree, margin: Int) throws {
    self.tree = tree
    self.margin = margin
    for node in tree.plan.nodes {
      members[node.id] = Members(
        attributes: try Self.ordered(node.attributes.map(\.attribute.name)),
        relationships: try Self.ordered(node.askedRelationships.map(\.relationship.name)))
    }
  }

  private func members(of node: Subtree.Node) -> Members? { node.planned.flatMap { members[$0] } }

  private static func ordered(_ names: [String]) throws -> [(place: Int, name: String)] {
    let options: NSString.CompareOptions = [.numeric, .caseInsensitive, .forcedOrdering]
    return try names.enumerated().sorted {
      NSString(string: $0.element).compare($1.element, options: options) == .orderedAscending
    }.map { (place: $0.offset, name: try json($0.element)) }
  }

  private enum Part {
    case object(Int)
    case text(String)
  }

  /// Without the end of its last line.
  func write(to write: (String) throws -> Void) throws {
    // What is to be written, the next one last.
    var open = [Part.object(0)]
    while let part = open.popLast() {
      switch part {
      case .text(let text): try write(text)
      case .object(let place):
        let node = tree.nodes[place]
        try write(head(of: node))
        open += relationships(of: node).reversed()
      }
    }
  }

  /// An object has several lines, so deep ones begin at the margin.
  private func space(_ node: Subtree.Node) -> String {
    String(repeating: " ", count: node.level > Subtree.indentedLevels ? 0 : margin + 6 * node.level)
  }

  /// The object without its relationships and its end.
  private func head(of node: Subtree.Node) throws -> String {
    let space = space(node)
    var text = "{\n"
    let attributes = members(of: node)?.attributes ?? []
    if !attributes.isEmpty {
      let lines = try attributes.map { place, name in
        let value = try Self.json(node.values[place])
        return "\(space)    \(name) : \(value)"
      }
      text += "\(space)  \"attributes\" : {\n" + lines.joined(separator: ",\n") + "\n\(space)  },\n"
    }
    let (entity, key) = (try Self.json(node.object.entity), try Self.json(node.object.key.description))
    return text + "\(space)  \"entity\" : \(entity),\n\(space)  \"key\" : \(key)"
  }

  /// The object's relationships and its end.
  private func relationships(of node: Subtree.Node) -> [Part] {
    let space = space(node)
    var parts: [Part] = []
    for (place, name) in members(of: node)?.relationships ?? [] {
      let start = parts.isEmpty ? ",\n\(space)  \"relationships\" : {\n" : ",\n"
      parts.append(.text("\(start)\(space)    \(name) : [\n"))
      for (i, destination) in node.destinations[place].enumerated() {
        parts.append(.text((i > 0 ? ",\n" : "") + "\(space)      "))
        parts.append(.object(destination))
      }
      parts.append(.text("\n\(space)    ]"))
    }
    return parts + [.text((parts.isEmpty ? "" : "\n\(space)  }") + "\n\(space)}")]
  }

  // MARK: Values

  private static func json(_ value: AttributeValue) throws -> String {
    switch value {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .integer(let value): String(value)
    case .double(let value) where value.isFinite: try single(value)
    default: try json(value.description)
    }
  }

  private static func json(_ text: String) throws -> String {
    let isPlain = text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && !escaped.contains($0) }
    return isPlain ? "\"\(text)\"" : try single(text)
  }

  /// Visible characters that are written with a backslash.
  private static let escaped = Set("\"\\/".utf8)

  /// A value that is not simply its own text, as an array of it alone tells.
  private static func single(_ value: Any) throws -> String {
    let array = try JSONSerialization.data(withJSONObject: [value], options: [])
    return String(decoding: array.dropFirst().dropLast(), as: UTF8.self)
  }
}
