/// Which values and nested rows of a row are asked for: a tree of names, by which every reader looks them up.
package struct RecordShape: Sendable {
  struct Node: Sendable {
    var names: [(name: [UInt8], node: Int)] = []
    /// The number of the value that stands here.
    var field: Int?
    /// The number of the nested rows that stand here.
    var nested: Int?
  }

  /// The first one is the row itself.
  private(set) var nodes = [Node()]
  package private(set) var fieldCount = 0
  package private(set) var nested: [RecordShape] = []
  /// The paths of the values, for messages.
  package private(set) var paths: [[String]] = []

  package init() {}

  /// The number of the value at a path; the empty path is the row's own text.
  package mutating func field(_ path: [String]) -> Int {
    let node = node(path)
    if let field = nodes[node].field { return field }
    nodes[node].field = fieldCount
    paths.append(path)
    fieldCount += 1
    return fieldCount - 1
  }

  /// The number of the nested rows at a path.
  package mutating func nest(_ path: [String], _ shape: RecordShape) -> Int {
    let node = node(path)
    nodes[node].nested = nested.count
    nested.append(shape)
    return nested.count - 1
  }

  /// Whether rows of two kinds, or rows and a value, would stand at one path.
  package func isTaken(_ path: [String]) -> Bool {
    var node = 0
    for name in path {
      guard let next = nodes[node].names.first(where: { $0.name == Array(name.utf8) })?.node else {
        return false
      }
      node = next
    }
    return nodes[node].nested != nil || nodes[node].field != nil
  }

  private mutating func node(_ path: [String]) -> Int {
    path.reduce(0) { node, name in
      let name = Array(name.utf8)
      if let known = nodes[node].names.first(where: { $0.name == name })?.node { return known }
      nodes.append(Node())
      nodes[node].names.append((name, nodes.count - 1))
      return nodes.count - 1
    }
  }

  /// What stands at a name below a node; nil where nothing was asked for.
  func child(of node: Int, _ name: UnsafeBufferPointer<UInt8>) -> Int? {
    for known in nodes[node].names where known.name.count == name.count {
      if known.name.elementsEqual(name) { return known.node }
    }
    return nil
  }
}
