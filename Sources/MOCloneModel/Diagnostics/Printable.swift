extension Unicode.Scalar {
  /// Whether the character could steer a terminal, turn the direction of a text around, or hide in it.
  package var isUnprintable: Bool {
    // Asking Unicode about each letter is slow in a large model.
    if isASCII { return value < 0x20 || value == 0x7F }
    return switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    case .format: properties.isBidiControl || self == "\u{FEFF}" || self == "\u{200B}"
    default: false
    }
  }
}

extension StringProtocol {
  /// The text without such characters; tabs stay, and one replaces one, so that carets stay in place.
  package var printable: String { replacingUnprintable { $0 == "\t" } }

  /// The same for a text of several lines.
  package var printableLines: String { replacingUnprintable { $0 == "\t" || $0 == "\n" } }

  private func replacingUnprintable(besides isKept: (Unicode.Scalar) -> Bool) -> String {
    guard unicodeScalars.contains(where: { $0.isUnprintable && !isKept($0) }) else { return String(self) }
    var scalars = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      scalars.append(scalar.isUnprintable && !isKept(scalar) ? "\u{FFFD}" : scalar)
    }
    return String(scalars)
  }
}
