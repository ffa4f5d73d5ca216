import MOCloneModel

/// JSON whose keys stay in order, for files that people read.
package indirect enum JSONText: Sendable, Equatable {
  case object([(String, JSONText)])
  case array([JSONText])
  case string(String)
  case integer(Int)
  case boolean(Bool)

  package static func == (a: JSONText, b: JSONText) -> Bool {
    a.text == b.text
  }

  /// Indented by two spaces; lists of plain values stand on one line.
  package var text: String { text(indent: "") }

  private func text(indent: String) -> String {
    let inner = indent + "  "
    switch self {
    case .object(let entries):
      if entries.isEmpty { return "{}" }
      let lines = entries.map { "\(inner)\($0.quotedForJSON): \($1.text(indent: inner))" }
      return "{\n\(lines.joined(separator: ",\n"))\n\(indent)}"
    case .array(let items):
      if items.allSatisfy(\.isPlain) {
        return "[\(items.map { $0.text(indent: "") }.joined(separator: ", "))]"
      }
      return "[\n\(items.map { inner + $0.text(indent: inner) }.joined(separator: ",\n"))\n\(indent)]"
    case .string(let text): return text.quotedForJSON
    case .integer(let number): return String(number)
    case .boolean(let value): return String(value)
    }
  }

  private var isPlain: Bool {
    switch self {
    case .object, .array: false
    default: true
    }
  }
}

extension JSONText: ExpressibleByStringLiteral, ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral {
  package init(stringLiteral value: String) {
    self = .string(value)
  }

  package init(dictionaryLiteral elements: (String, JSONText)...) {
    self = .object(elements)
  }

  package init(arrayLiteral elements: JSONText...) {
    self = .array(elements)
  }
}
