/// The text of a scalar in a YAML file, in quotes where it would be read as something else without them.
package enum YAMLScalar {
  package static func text(_ text: String) -> String {
    isPlain(text) ? text : quoted(text)
  }

  /// Whether every YAML reader takes the text without quotes for a string, in block and in flow style.
  private static func isPlain(_ text: String) -> Bool {
    let scalars = text.unicodeScalars
    guard let first = scalars.first, let last = scalars.last, scalars.count < 200 else { return false }
    return isLetter(first) && last != " " && !words.contains(text.lowercased())
      && scalars.allSatisfy { isLetter($0) || isDigit($0) || " .-/_+()".unicodeScalars.contains($0) }
  }

  /// Words that one version of YAML or another reads as something else than strings.
  private static let words: Set<String> = [
    "null", "true", "false", "yes", "no", "on", "off", "y", "n", "nan", "inf",
  ]

  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "_" || ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
      || scalar.value > 0xBF && scalar.value < 0x2000 && scalar.properties.isAlphabetic
  }

  private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars { quoted += escaped(scalar) }
    return quoted + "\""
  }

  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\"": return "\\\""
    case "\\": return "\\\\"
    case "\n": return "\\n"
    case "\t": return "\\t"
    case " ": return " "
    default: break
    }
    if isPrintable(scalar) { return String(scalar) }
    let digits = String(scalar.value, radix: 16, uppercase: true)
    let width = scalar.value > 0xFFFF ? 8 : 4
    let sign = width == 8 ? "\\U" : "\\u"
    return sign + String(repeating: "0", count: width - digits.count) + digits
  }

  /// Whether a reader sees the character as it is: no control, no mark that turns the direction of the text.
  package static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator,
      .spaceSeparator:
      scalar == " "
    default: true
    }
  }
}
