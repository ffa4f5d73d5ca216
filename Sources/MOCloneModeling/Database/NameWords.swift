/// The words of a name of SQL, from which names of a model are made: `order_items`, `OrderItems` and `Order Items` have two.
struct NameWords: Equatable {
  let words: [String]
  /// The words without case, to be compared.
  let key: [String]

  init(words: [String]) {
    self.words = words
    key = words.map { $0.lowercased() }
  }

  init(_ name: String) {
    var words: [String] = []
    var word: [Character] = []
    let letters = Array(name)
    for (i, letter) in letters.enumerated() {
      let next = i + 1 < letters.count ? letters[i + 1] : nil
      if !word.isEmpty,
        !Self.belongs(letter) || Self.begins(letter, after: word[word.count - 1], before: next)
      {
        words.append(String(word))
        word = []
      }
      if Self.belongs(letter) { word.append(letter) }
    }
    if !word.isEmpty { words.append(String(word)) }
    // What is written in capitals throughout says nothing about its words.
    let isLoud = words.count > 1 || (words.first?.count ?? 0) > 3
    self.init(
      words: isLoud && !name.contains(where: \.isLowercase) ? words.map { $0.lowercased() } : words)
  }

  private static func belongs(_ letter: Character) -> Bool { letter.isLetter || letter.isNumber }

  /// A capital begins a word after a small letter, and in front of one: `URLItem`.
  private static func begins(_ letter: Character, after last: Character, before next: Character?) -> Bool {
    guard letter.isUppercase else { return false }
    return last.isLowercase || last.isNumber || next?.isLowercase == true
  }

  var isEmpty: Bool { words.isEmpty }

  /// `OrderItem`
  var upperCamel: String { Self.sound(words.map(\.upperFirst).joined()) }

  /// `orderItem`
  var lowerCamel: String {
    guard let first = words.first else { return "" }
    let isAcronym = first.count > 1 && first.allSatisfy { $0.isUppercase || $0.isNumber }
    let start = isAcronym ? first.lowercased() : first.prefix(1).lowercased() + first.dropFirst()
    return Self.sound(start + words.dropFirst().map(\.upperFirst).joined())
  }

  /// A name does not begin with a digit.
  private static func sound(_ name: String) -> String { name.first?.isNumber == true ? "_" + name : name }
}

extension NameWords {
  /// The name of one object of what a table's name names many of.
  var singular: NameWords { replacingLast(Noun.singular) }

  /// The name of many of what the name names one of.
  var plural: NameWords { replacingLast(Noun.plural) }

  private func replacingLast(_ change: (String) -> String) -> NameWords {
    guard let last = words.last else { return self }
    return NameWords(words: words.dropLast() + [change(last)])
  }

  func dropping(last count: Int) -> NameWords { NameWords(words: Array(words.dropLast(count))) }

  func dropping(first count: Int) -> NameWords { NameWords(words: Array(words.dropFirst(count))) }

  func appending(_ other: NameWords) -> NameWords { NameWords(words: words + other.words) }

  func hasPrefix(_ other: NameWords) -> Bool {
    !other.isEmpty && key.starts(with: other.key)
  }

  /// What the name ends with, in words without case: the longest first, which is the whole name.
  var suffixes: [[String]] { key.indices.map { Array(key[$0...]) } }

  func hasSuffix(_ other: NameWords) -> Bool {
    !other.isEmpty && key.last == other.key.last && key.suffix(other.key.count).elementsEqual(other.key)
  }
}

extension String {
  /// Whether the name can be used in a model as it is, on the command line included.
  var isPlainName: Bool {
    guard let first, first.isLetter || first == "_" else { return false }
    return allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
  }
}
