import Foundation
import MOCloneKit

/// A result for people and for programs.
struct ResultText {
  let result: CloneResult

  init(_ result: CloneResult) {
    self.result = result
  }

  func text(_ format: OutputFormat) throws -> String {
    switch format {
    case .text: return result.roots.map { "\($0.key)\n" }.joined()
    case .json:
      return try JSON(
        version: 1, roots: keys, root: keys.count == 1 ? keys[0] : nil, cloned: result.cloned,
        linked: result.linked
      ).text()
    }
  }

  /// How many objects a run would clone and link.
  func counts(_ format: OutputFormat) throws -> String {
    switch format {
    case .json:
      return try JSON(version: 1, roots: nil, root: nil, cloned: result.cloned, linked: result.linked).text()
    case .text:
      let lines = [("would clone", result.cloned), ("would link", result.linked)].flatMap { title, counts in
        counts.sorted { $0.key < $1.key }.map { "\(title)  \($0.value)  \($0.key)\n" }
      }
      return lines.joined()
    }
  }

  private var keys: [JSONKey] { result.roots.map { JSONKey(key: $0.key) } }

  private struct JSON: Encodable {
    var version: Int
    var roots: [JSONKey]?
    var root: JSONKey?
    var cloned: [String: Int]
    var linked: [String: Int]

    func text() throws -> String {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
    }
  }
}

/// A key in JSON: a number where it is one, else text in the syntax of the command line.
struct JSONKey: Encodable {
  var key: ObjectKey

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if key.parts.count == 1, case .integer(let number) = key.parts[0] {
      try container.encode(number)
    } else {
      try container.encode(key.description)
    }
  }
}
