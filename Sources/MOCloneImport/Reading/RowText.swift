import MOCloneModel

/// A row as it is in its file, and where the reasons why it is left out go.
package struct RowText: Sendable, Hashable {
  /// What the column, member or attribute is called that holds reasons; rows may always have it.
  package static let reasonsName = "moclone_reasons"

  /// How a format holds reasons.
  enum Style: Hashable {
    /// A cell of CSV; without a delimiter where it takes the place of another one.
    case cell(delimiter: UInt8?)
    /// The first member of an object of JSON.
    case member
    /// An attribute of XML.
    case attribute
  }

  var bytes: [UInt8]
  /// The bytes that the reasons take the place of; nil where the row has no place for them.
  var gap: Range<Int>?
  var style: Style

  /// The row with other reasons than it may have had before.
  func with(_ reasons: [String]) -> [UInt8] {
    guard let gap else { return bytes }
    let rest = bytes[gap.upperBound...]
    let isLast = rest.first { !$0.isBlank } == UInt8(ascii: "}")
    return Array(bytes[..<gap.lowerBound]) + style.text(reasons, isLast: isLast).utf8 + rest
  }
}

/// What stands around the rows of a file.
package struct FileFrame: Sendable, Hashable {
  var head = ""
  var separator = "\n"
  var tail = "\n"
}

extension RowText.Style {
  fileprivate func text(_ reasons: [String], isLast: Bool) -> String {
    let joined = reasons.joined(separator: "; ")
    return switch self {
    case .cell(let delimiter):
      (delimiter.map { String(UnicodeScalar($0)) } ?? "") + Self.quoted(joined)
    case .member:
      "\(RowText.reasonsName.quotedForJSON):[\(reasons.map(\.quotedForJSON).joined(separator: ","))]"
        + (isLast ? "" : ",")
    case .attribute: " \(RowText.reasonsName)=\"\(XMLText.escaped(joined))\""
    }
  }

  private static func quoted(_ text: String) -> String {
    "\"" + text.replacing("\"", with: "\"\"") + "\""
  }
}

extension UInt8 {
  /// Whether it is a blank of XML and JSON.
  var isBlank: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }
}
