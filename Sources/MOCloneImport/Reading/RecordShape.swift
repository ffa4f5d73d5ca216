import MOCloneEngine
import MOCloneModel

/// A name in a file that neither the mapping nor the model knows: nobody can say what it means, so nothing is read.
struct UnknownName: Error {
  var what: String
  var name: String
  var known: [String]
  /// What rows are of where there is no mapping.
  var entity: String?

  func failure(_ file: String, _ place: Place) -> CloneError.Failure {
    let near = byKey ?? didYouMean(name, known: known)
    return .init(
      .unknownName,
      "\(file):\(place.line):\(place.column): \(problem)" + (near == nil ? ". \(advice)" : ""),
      help: near.map { "\($0) \(advice)" }, property: name)
  }

  private var problem: String {
    entity.map { "the file has the \(what) '\(name)', but \($0) has no attribute of that name" }
      ?? "neither the mapping nor the model has a name for the \(what) '\(name)'"
  }

  /// What is said of a value of a related object, which rows without a mapping name by its key.
  private var byKey: String? {
    guard entity != nil, let dot = name.firstIndex(of: "."), known.contains(String(name[..<dot])) else {
      return nil
    }
    return "rows of a sync give '\(name[..<dot])' itself, a related object by its key; an import with "
      + "--existing update finds it by other values."
  }

  private var advice: String {
    entity == nil
      ? "Map it, or ignore it with \(name.ignoring)"
      : "To ignore the \(what), pass --ignore \(ShellWord(name).text)"
  }
}

extension String {
  /// What ignores this name in rows, as it is typed.
  var ignoring: String {
    "`ignore: [\(YAMLScalar.text(self))]` in the mapping or `--ignore \(ShellWord(self).text)`"
  }
}

/// Which values and nested rows of a row are asked for: a tree of names, by which every reader looks them up.
package struct RecordShape {
  struct Node {
    var names: [(name: [UInt8], node: Int)] = []
    /// The number of the value that is here.
    var field: Int?
    /// The number of the nested rows that are here.
    var nested: Int?
  }

  /// The first one is the row itself.
  private(set) var nodes = [Node()]
  package private(set) var fieldCount = 0
  package private(set) var nested: [RecordShape] = []
  /// The paths of the values, for messages.
  package private(set) var paths: [[String]] = []

  /// The values that a table must have a column for.
  private(set) var required: Set<Int> = []

  /// Names that may be in a row though nobody asks for them; nil where any may.
  private var others: RowNames?
  /// What the row and those around it are called.
  private var rows: Set<[UInt8]> = []

  package init() {}

  /// Lets no other names than those that are asked for and some more be in a row.
  ///
  /// - Parameter rows: what rows are called.
  mutating func allow(_ others: RowNames, rows: Set<[UInt8]>) {
    self.others = others
    self.rows = rows
    for node in nodes {
      for (name, child) in node.names {
        guard let nested = nodes[child].nested else { continue }
        self.nested[nested].allow(others, rows: rows.union([name]))
      }
    }
  }

  func allows(_ name: UnsafeBufferPointer<UInt8>) -> Bool { others?.allows(name, in: rows) ?? true }

  /// Whether a call says that a name means nothing.
  func ignores(_ name: UnsafeBufferPointer<UInt8>) -> Bool { others?.ignores(name) ?? false }

  /// The names that can be in a row.
  var names: [String] {
    let asked = nodes.flatMap(\.names).map { String(decoding: $0.name, as: UTF8.self) }
    return Set(asked + (others?.all ?? [])).sorted()
  }

  /// What is said of a name that nothing is called by.
  func unknown(_ name: UnsafeBufferPointer<UInt8>, what: String) -> UnknownName {
    unknown(String(decoding: name, as: UTF8.self), what: what)
  }

  /// - Parameter known: further names that may be meant.
  func unknown(_ name: String, what: String, known: [String] = []) -> UnknownName {
    UnknownName(what: what, name: name, known: known + names, entity: others?.entity)
  }

  /// The number of the value at a path; the empty path is the row's own text.
  package mutating func field(_ path: [String]) -> Int {
    let node = node(path)
    if let field = nodes[node].field { return field }
    nodes[node].field = fieldCount
    paths.append(path)
    fieldCount += 1
    return fieldCount - 1
  }

  mutating func require(_ field: Int) { required.insert(field) }

  /// The number of the nested rows at a path.
  package mutating func nest(_ path: [String], shape: RecordShape) -> Int {
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
