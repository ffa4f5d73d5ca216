extension [String] {
  /// The choice between all of them, in words: `a, b or c`.
  package var alternatives: String {
    guard let last, count > 1 else { return first ?? "" }
    return dropLast().joined(separator: ", ") + " or " + last
  }
}

extension Int {
  /// So many of what a noun says: `1 row`, `2 rows`.
  package func counting(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}

extension Sequence where Element: StringProtocol {
  /// The words in lines of a width; a longer word has a line to itself.
  package func lines(width: Int) -> [String] {
    reduce(into: [""]) { lines, word in
      let line = lines[lines.count - 1]
      if line.isEmpty {
        lines[lines.count - 1] = String(word)
      } else if line.count + 1 + word.count <= width {
        lines[lines.count - 1] += " \(word)"
      } else {
        lines.append(String(word))
      }
    }
  }
}

extension String {
  /// Begins with these letters, yet not with the sound of a vowel: a user, a unit, a UUID.
  private static let spokenAsConsonant = ["uni", "us", "ut", "ur", "uu", "eu", "one"]

  /// The name with its indefinite article: `a Note`, `an Item`.
  package var withArticle: String {
    let name = lowercased()
    let isVowel = name.first.map("aeiou".contains) ?? false
    return (isVowel && !Self.spokenAsConsonant.contains(where: name.hasPrefix) ? "an " : "a ") + self
  }

  /// The message with what to do about it; itself where there is nothing to do.
  package func advised(_ help: String?) -> String { help.map { "\(self); \($0)" } ?? self }

  /// The message as people read it: it begins with a capital and ends with a full stop.
  ///
  /// A first word that is no plain word, such as a file name or an option, stays as it is, and so do the given names.
  package func asSentence(keeping name: String? = nil) -> String {
    let first = prefix { !$0.isWhitespace }
    let word = first.last.map(",:;".contains) == true ? first.dropLast() : first
    let isPlain = !word.isEmpty && word.allSatisfy { $0.isLetter && $0.isLowercase } && String(word) != name
    let begun = isPlain ? upperFirst : self
    return begun.last.map(".?!:;\n".contains) == true ? begun : begun + "."
  }

  package var upperFirst: String { prefix(1).uppercased() + dropFirst() }
}
