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
    let start = indent + "<" + name + attributes.map { " \($0)=\"\($1.escapedForXML)\"" }.joined()
    if text.isEmpty, children.isEmpty { return start + "/>\n" }
    if children.isEmpty { return "\(start)>\(text.escapedForXML)</\(name)>\n" }
    return "\(start)>\n\(children.map { $0.lines(indent: indent + "  ") }.joined())\(indent)</\(name)>\n"
  }
}

extension Unicode.Scalar {
  /// Whether XML has no notation for it at all, as for most control characters.
  package var isUnknownToXML: Bool {
    value < 0x20 && self != "\t" && self != "\n" && self != "\r" || value == 0xFFFE || value == 0xFFFF
  }
}

extension String {
  /// The text of an element or the value of an attribute; tabs and line ends would be read as spaces there.
  package var escapedForXML: String {
    unicodeScalars.map { scalar in
      switch scalar {
      case "&": "&amp;"
      case "<": "&lt;"
      case ">": "&gt;"
      case "\"": "&quot;"
      case "\t", "\n", "\r": "&#\(scalar.value);"
      case _ where scalar.isUnknownToXML: "\u{FFFD}"
      default: String(scalar)
      }
    }.joined()
  }
}
