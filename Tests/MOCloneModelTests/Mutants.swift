import Foundation

@testable import MOCloneModel
@testable import MOCloneYAML

/// A model file with one key left out, misspelt, or given a value of another kind.
struct Mutant: Sendable {
  enum Change: String, Sendable, CaseIterable {
    case leftOut, misspelt, otherKind
  }

  var change: Change
  /// The map whose key it is.
  var path: [String]
  /// What was done where, as in `entities/Note/attributes/id: type -> tpye`.
  var comment: String
  var root: SyntaxNode

  private func with(_ root: SyntaxNode) -> Mutant {
    Mutant(change: change, path: path, comment: comment, root: root)
  }

  /// Every mutant of a model of the repository.
  static func all(ofSample name: String) throws -> [Mutant] {
    let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../Models/\(name).yml")
    let text = try String(contentsOf: url, encoding: .utf8)
    return all(of: try YAMLComposer.compose(text, findings: FindingList())!)
  }

  /// Every mutant of a tree.
  static func all(of root: SyntaxNode) -> [Mutant] {
    mutants(of: root, at: [])
  }

  private static func mutants(of node: SyntaxNode, at path: [String]) -> [Mutant] {
    switch node.content {
    case .mapping(let entries):
      return entries.indices.flatMap { i in
        changed(entries, i, path)
          + mutants(of: entries[i].value, at: path + [entries[i].key]).map { mutant in
            var entries = entries
            entries[i].value = mutant.root
            return mutant.with(.mapping(entries))
          }
      }
    case .sequence(let items):
      return items.indices.flatMap { i in
        mutants(of: items[i], at: path + ["\(i)"]).map { mutant in
          var items = items
          items[i] = mutant.root
          return mutant.with(.sequence(items))
        }
      }
    case .scalar, .refused: return []
    }
  }

  private static func changed(_ entries: [SyntaxNode.Entry], _ i: Int, _ path: [String]) -> [Mutant] {
    let key = entries[i].key
    let place = path.joined(separator: "/") + ": " + key
    var without = entries
    without.remove(at: i)
    let leftOut = Mutant(change: .leftOut, path: path, comment: "\(place) left out", root: .mapping(without))
    let misspelt = misspellings(of: key).map { other in
      var entries = entries
      entries[i].key = other
      return Mutant(change: .misspelt, path: path, comment: "\(place) -> \(other)", root: .mapping(entries))
    }
    let otherKinds = kinds.map { value in
      var entries = entries
      entries[i].value = value
      return Mutant(
        change: .otherKind, path: path, comment: "\(place): \(value.flowText)", root: .mapping(entries))
    }
    return [leftOut] + misspelt + otherKinds
  }

  private static func misspellings(of key: String) -> [String] {
    let letters = Array(key)
    guard letters.count > 1 else { return [key + "x"] }
    let first = String(letters[0])
    let rest = String(letters[1...])
    let otherCase = first == first.lowercased() ? first.uppercased() : first.lowercased()
    let swapped = String(letters[1]) + first + String(letters[2...])
    let all = [key + "x", String(key.dropLast()), otherCase + rest, swapped, first + key]
    return all.filter { $0 != key && !$0.hasPrefix("x-") }
  }

  private static let kinds: [SyntaxNode] = [
    .plain("word"), .plain("17"), .plain("true"), .plain(""), .sequence([]), .sequence([.plain("word")]),
    .mapping([]), .mapping([SyntaxNode.Entry(key: "word", keyRange: .none, value: .plain("17"))]),
  ]
}

extension SourceRange {
  fileprivate static let none = SourceRange.point(line: 1, column: 1)
}

extension SyntaxNode {
  fileprivate static func plain(_ text: String) -> SyntaxNode {
    SyntaxNode(content: .scalar(text, isPlain: true), range: .none)
  }

  fileprivate static func sequence(_ items: [SyntaxNode]) -> SyntaxNode {
    SyntaxNode(content: .sequence(items), range: .none)
  }

  fileprivate static func mapping(_ entries: [Entry]) -> SyntaxNode {
    SyntaxNode(content: .mapping(entries), range: .none)
  }

  /// The tree as YAML on one line.
  var flowText: String {
    switch content {
    case .scalar(let text, let isPlain): isPlain ? text : "\"\(text)\""
    case .sequence(let items): "[" + items.map(\.flowText).joined(separator: ", ") + "]"
    case .mapping(let entries):
      "{" + entries.map { "\($0.key): \($0.value.flowText)" }.joined(separator: ", ") + "}"
    case .refused: "~"
    }
  }
}
