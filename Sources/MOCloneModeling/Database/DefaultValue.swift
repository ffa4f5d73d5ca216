import MOCloneModel

extension AttributeValue {
  /// The value of a DEFAULT clause for an attribute; nil where it is an expression, or no value of the type.
  init?(sqlDefault text: String, for type: AttributeType) {
    var text = text.trimmed
    while text.hasPrefix("("), text.hasSuffix(")") { text = String(text.dropFirst().dropLast()).trimmed }
    guard var literal = Self.literal(text) ?? Self.literal(withoutCast: text) else { return nil }
    if type == .string, case .integer(let number) = literal { literal = .string(String(number)) }
    guard let value = type.value(fitting: literal), !value.isNull else { return nil }
    // A date is not written as the database would write it.
    guard ![.date, .binary, .transformable, .uuid].contains(type) else { return nil }
    self = value
  }

  /// `'new'::text` and `'-1'::integer`, as PostgreSQL writes values of a type.
  private static func literal(withoutCast text: String) -> AttributeValue? {
    guard let sign = text.ranges(of: "::").last else { return nil }
    let (value, type) = (String(text[..<sign.lowerBound]), text[sign.upperBound...])
    // An operator may follow, as in `'a'::text || 'b'::text`.
    guard type.allSatisfy({ $0.isLetter || $0.isNumber || "_ .\"(),[]".contains($0) }) else { return nil }
    return literal(value) ?? literal(withoutCast: value)
  }

  private static func literal(_ text: String) -> AttributeValue? {
    for quote in ["'", "\""] where text.count > 1 && text.hasPrefix(quote) && text.hasSuffix(quote) {
      let inner = text.dropFirst().dropLast().replacing(quote + quote, with: "\u{0}")
      return inner.contains(quote) ? nil : .string(String(inner.replacing("\u{0}", with: quote)))
    }
    switch text.uppercased() {
    case "NULL": return nil
    case "TRUE": return .integer(1)
    case "FALSE": return .integer(0)
    default: break
    }
    if let number = Int64(text) { return .integer(number) }
    let isNumber = !text.isEmpty && text.allSatisfy { $0.isASCII && ($0.isNumber || "+-.eE".contains($0)) }
    return isNumber ? Double(text).map { _ in .string(text) } : nil
  }
}

extension String {
  fileprivate var trimmed: String {
    var text = self[...]
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}
