import Foundation

@testable import MOCloneModel
@testable import MOCloneYAML

/// What a model says, a fact a line such as `entities/Note/attributes/id/type = UUID`, without what is the default
/// anyway: read from a file's tree without the parser, so that its reading can be held against another.
enum WrittenFacts {
  static func of(_ root: SyntaxNode) -> Set<String> {
    var facts = Facts()
    facts.read(root, at: [])
    return facts.found
  }

  static func of(_ model: ObjectModel) throws -> Set<String> {
    let json = try JSONEncoder().encode(model)
    return of(try JSONDecoder().decode(SyntaxNode.self, from: json))
  }
}

private struct Facts {
  var found: Set<String> = []

  mutating func read(_ node: SyntaxNode, at path: [String]) {
    if node.isNull && !isUserInfo(path) { return noteName(path) }
    switch node.content {
    case .mapping(let entries):
      noteName(path)
      let isToMany = entries.contains { $0.key == "toMany" && $0.value.scalar == "true" }
      for entry in entries where !(entry.isFree && !isUserInfo(path + [entry.key])) {
        if isToMany && entry.key == "optional" && place(path) == "relationships" { continue }
        read(entry.value, at: path + [entry.key])
      }
    case .sequence(let items):
      for (i, item) in items.enumerated() { read(item, at: path + ["\(i)"]) }
    case .scalar(let text, _):
      noteName(path)
      note(text, path)
    case .refused: break
    }
  }

  /// Entities, attributes and relationships are there by their name alone.
  private mutating func noteName(_ path: [String]) {
    if path.count == 2 && path[0] == "entities" { found.insert(path.joined(separator: "/")) }
  }

  private mutating func note(_ text: String, _ path: [String]) {
    let key = path.last!
    if isUserInfo(path) { return add(path, text) }
    if path.count == 4 && path[2] == "attributes" { return note(text, path + ["type"]) }
    if path.count == 5 && path[2] == "attributes" && key == "type" {
      if text.hasSuffix("?") { add(path.dropLast() + ["optional"], "true") }
      return add(path, String(text.prefix { $0 != "?" }))
    }
    if isColumns(path) { return add(path + ["0", "column"], text) }
    if isColumns(Array(path.dropLast())) { return add(path + ["column"], text) }
    if path.count == 6 && path[4] == "joinTable" && ["column", "inverseColumn"].contains(key) {
      return add(path + ["0"], text)
    }
    add(path, text)
  }

  private mutating func add(_ path: [String], _ text: String) {
    guard let key = path.last, !isUserInfo(path) else { return insert(path, text) }
    let isDefault = Self.defaults[key]?.contains(text) ?? false || path == ["name"] && text.isEmpty
    if !isDefault && path != ["version"] { insert(path, key == "default" ? number(text) : text) }
  }

  private mutating func insert(_ path: [String], _ text: String) {
    found.insert(path.joined(separator: "/") + " = " + text)
  }

  /// Whether a list of columns can stand here.
  private func isColumns(_ path: [String]) -> Bool {
    path.count == 3 && path[2] == "primaryKey"
      || path.count == 5 && path[2] == "relationships" && path[4] == "column"
  }

  private func number(_ text: String) -> String {
    Double(text).map { "\($0)" } ?? text
  }

  private func isUserInfo(_ path: [String]) -> Bool { path.dropLast().last == "userInfo" }

  private func place(_ path: [String]) -> String? { path.count > 2 ? path[path.count - 2] : nil }

  private static let flags = [
    "optional", "transient", "derived", "toMany", "ordered", "abstract",
  ]

  private static let defaults: [String: [String]] = Dictionary(
    uniqueKeysWithValues: flags.map { ($0, ["false"]) } + [
      ("deleteRule", ["nullify"]), ("naming", ["snakeCase"]), ("dates", ["iso8601"]), ("uuids", ["text"]),
      ("unmapped", ["copy"]),
    ])
}
