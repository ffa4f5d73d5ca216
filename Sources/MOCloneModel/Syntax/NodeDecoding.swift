import Foundation

/// JSON read as nodes, so that one reader understands it and YAML alike.
extension SyntaxNode: Decodable {
  package init(from decoder: any Decoder) throws {
    // Decoders know no places in a text.
    range = .nowhere
    if let map = try? decoder.container(keyedBy: AnyKey.self) {
      content = .mapping(
        try map.allKeys.sorted { $0.stringValue < $1.stringValue }.map { key in
          Entry(
            key: key.stringValue, keyRange: .nowhere, value: try map.decode(SyntaxNode.self, forKey: key))
        })
    } else if var list = try? decoder.unkeyedContainer() {
      var items: [SyntaxNode] = []
      while !list.isAtEnd { items.append(try list.decode(SyntaxNode.self)) }
      content = .sequence(items)
    } else {
      content = try Self.scalar(try decoder.singleValueContainer())
    }
  }

  private static func scalar(_ value: any SingleValueDecodingContainer) throws -> Content {
    if value.decodeNil() { return .scalar("", isPlain: true) }
    if let text = try? value.decode(String.self) { return .scalar(text, isPlain: false) }
    if let boolean = try? value.decode(Bool.self) { return .scalar(String(boolean), isPlain: true) }
    if let number = try? value.decode(Int64.self) { return .scalar(String(number), isPlain: true) }
    let number = try value.decode(Double.self)
    // A decimal number has more digits, and a double goes farther.
    if let decimal = try? value.decode(Decimal.self), Double("\(decimal)") == number {
      return .scalar("\(decimal)", isPlain: true)
    }
    return .scalar(String(number), isPlain: true)
  }
}

extension Diagnostic {
  /// The finding without places in a text.
  func withoutPlaces() -> Diagnostic {
    var copy = self
    copy.range = nil
    copy.notes = notes.map { Note($0.message, at: $0.path) }
    return copy
  }
}
