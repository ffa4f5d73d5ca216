/// What a model file says, key by key in its order, without what has its default: JSON and YAML are printed from it.
package indirect enum FormNode: Sendable {
  case string(String)
  /// A value in the notation of its attribute's type, which JSON gives as a string.
  case value(AttributeValue)
  case boolean(Bool)
  case integer(Int)
  case number(ValueLimit)
  case list([FormNode])
  case map([(key: String, value: FormNode)])
}

extension FormNode {
  /// A map of the keys that have a value.
  static func keys(_ entries: KeyValuePairs<String, FormNode?>) -> FormNode {
    .map(entries.compactMap { key, value in value.map { (key, $0) } })
  }

  static func strings(_ texts: [String]) -> FormNode { .list(texts.map(FormNode.string)) }

  static func strings(_ texts: [String: String]) -> FormNode {
    .map(texts.sorted { $0.key < $1.key }.map { ($0, .string($1)) })
  }

  init(_ value: ExtensionValue) {
    switch value {
    case .text(let text): self = .string(text)
    case .list(let items): self = .list(items.map(FormNode.init))
    case .map(let values): self = .extensions(values)
    }
  }

  static func extensions(_ values: [String: ExtensionValue]) -> FormNode {
    .map(values.sorted { $0.key < $1.key }.map { ($0, FormNode($1)) })
  }

  /// The same map with one's own keys behind it.
  func adding(_ extensions: [String: ExtensionValue]) -> FormNode {
    guard case .map(let entries) = self, case .map(let more) = Self.extensions(extensions) else {
      return self
    }
    return .map(entries + more)
  }

  /// Nil where there is nothing, so that nothing is written.
  var nonEmpty: FormNode? {
    switch self {
    case .list(let items): items.isEmpty ? nil : self
    case .map(let entries): entries.isEmpty ? nil : self
    default: self
    }
  }
}

extension FormNode: Encodable {
  package func encode(to encoder: any Encoder) throws {
    switch self {
    case .map(let entries):
      var container = encoder.container(keyedBy: AnyKey.self)
      for entry in entries { try container.encode(entry.value, forKey: AnyKey(stringValue: entry.key)) }
    case .list(let items): try items.encode(to: encoder)
    case .string(let text): try text.encode(to: encoder)
    case .value(let value): try value.description.encode(to: encoder)
    case .boolean(let boolean): try boolean.encode(to: encoder)
    case .integer(let integer): try integer.encode(to: encoder)
    case .number(let number): try number.encode(to: encoder)
    }
  }
}

/// A key of a map whose keys are names.
struct AnyKey: CodingKey {
  let stringValue: String
  let intValue: Int? = nil

  init(stringValue: String) {
    self.stringValue = stringValue
  }

  init?(intValue: Int) {
    nil
  }
}
