import MOCloneModel

/// An element of XML, for reports.
struct MarkupElement {
  var name: String
  var attributes: [(name: String, value: String)] = []
  var text = ""
  var children: [MarkupElement] = []

  /// The document that has the element as its root.
  var document: String { "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + lines(indent: "") }

  private func lines(indent: String) -> String {
    let start = indent + "<" + name + attributes.map { " \($0)=\"\($1.escaped)\"" }.joined()
    if text.isEmpty, children.isEmpty { return start + "/>\n" }
    if children.isEmpty { return "\(start)>\(text.escaped)</\(name)>\n" }
    return "\(start)>\n\(children.map { $0.lines(indent: indent + "  ") }.joined())\(indent)</\(name)>\n"
  }
}

extension String {
  /// XML has no notation at all for most control characters.
  fileprivate var escaped: String {
    unicodeScalars.map { scalar in
      switch scalar {
      case "&": "&amp;"
      case "<": "&lt;"
      case ">": "&gt;"
      case "\"": "&quot;"
      case "\t", "\n", "\r": "&#\(scalar.value);"
      case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF: "\u{FFFD}"
      default: String(scalar)
      }
    }.joined()
  }
}
