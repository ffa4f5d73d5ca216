/// The characters that one step takes.
struct PatternCharacters: Sendable {
  enum Member: Sendable {
    case one(Character)
    case range(ClosedRange<Unicode.Scalar>)
    case kind(CharacterKind, isNegated: Bool)
  }

  var members: [Member]
  var isNegated = false
  var ignoresCase = false

  func contains(_ character: Character) -> Bool {
    if holds(character) != isNegated { return true }
    guard ignoresCase, !isNegated else { return false }
    let others = [character.lowercased(), character.uppercased()]
    return others.contains { $0.count == 1 && $0.first.map(holds) == true }
  }

  private func holds(_ character: Character) -> Bool {
    members.contains { member in
      switch member {
      case .one(let other): character == other
      case .range(let range):
        character.unicodeScalars.count == 1 && range.contains(character.unicodeScalars.first!)
      case .kind(let kind, let isNegated): kind.contains(character) != isNegated
      }
    }
  }
}

/// A kind of characters that has a name in patterns.
enum CharacterKind: Sendable {
  case digit, word, space, notNewline
  case category(String)

  func contains(_ character: Character) -> Bool {
    let properties = character.unicodeScalars.first!.properties
    return switch self {
    case .digit: properties.numericType == .decimal
    case .word:
      character.isLetter || character.isNumber || properties.generalCategory == .connectorPunctuation
        || properties.generalCategory == .nonspacingMark
    case .space: character.isWhitespace
    case .notNewline: !character.isNewline
    case .category(let name): properties.generalCategory.names.contains(name)
    }
  }
}

extension Unicode.GeneralCategory {
  /// The short names that Unicode has for the category and for the one above it.
  fileprivate var names: [String] {
    switch self {
    case .uppercaseLetter: ["L", "Lu"]
    case .lowercaseLetter: ["L", "Ll"]
    case .titlecaseLetter: ["L", "Lt"]
    case .modifierLetter: ["L", "Lm"]
    case .otherLetter: ["L", "Lo"]
    case .nonspacingMark: ["M", "Mn"]
    case .spacingMark: ["M", "Mc"]
    case .enclosingMark: ["M", "Me"]
    case .decimalNumber: ["N", "Nd"]
    case .letterNumber: ["N", "Nl"]
    case .otherNumber: ["N", "No"]
    case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation,
      .finalPunctuation, .otherPunctuation:
      ["P"]
    case .mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol: ["S"]
    case .spaceSeparator, .lineSeparator, .paragraphSeparator: ["Z"]
    default: ["C"]
    }
  }

  /// Every name that patterns can use.
  static let knownNames: Set<String> = [
    "L", "Lu", "Ll", "Lt", "Lm", "Lo", "M", "Mn", "Mc", "Me", "N", "Nd", "Nl", "No", "P", "S", "Z", "C",
  ]
}
