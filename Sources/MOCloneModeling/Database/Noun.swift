/// English nouns in singular and plural, by a few rules that are right for names of tables.
///
/// A word that no rule is about stays as it is, and whatever is made of it is checked for being unique: a wrong guess is a
/// name that reads badly, and never another table.
enum Noun {
  static func singular(_ word: String) -> String {
    let lower = word.lowercased()
    if unchanging.contains(lower) || singulars.contains(lower) { return word }
    if let irregular = irregulars.first(where: { $0.plural == lower }) {
      return matchingCase(irregular.singular, as: word)
    }
    guard lower.hasSuffix("s"), lower.count > 3 else { return word }
    for (ending, replacement, exceptions) in endings where lower.hasSuffix(ending) {
      if exceptions.contains(where: lower.hasSuffix) { continue }
      return replacement.map { word.dropLast(ending.count) + $0 } ?? word
    }
    return String(word.dropLast())
  }

  static func plural(_ word: String) -> String {
    let lower = word.lowercased()
    if unchanging.contains(lower) || singular(word) != word { return word }
    if let irregular = irregulars.first(where: { $0.singular == lower }) {
      return matchingCase(irregular.plural, as: word)
    }
    if lower.hasSuffix("y"), let before = lower.dropLast().last, !"aeiou".contains(before) {
      return word.dropLast() + "ies"
    }
    let isHissing = ["s", "x", "z", "ch", "sh"].contains(where: lower.hasSuffix)
    return word + (isHissing ? "es" : "s")
  }

  private static func matchingCase(_ text: String, as word: String) -> String {
    word.first?.isUppercase == true ? text.upperFirst : text
  }

  private static let irregulars: [(singular: String, plural: String)] = [
    ("person", "people"), ("child", "children"), ("man", "men"), ("woman", "women"), ("foot", "feet"),
    ("tooth", "teeth"), ("mouse", "mice"), ("goose", "geese"), ("criterion", "criteria"), ("leaf", "leaves"),
    ("shelf", "shelves"), ("wolf", "wolves"), ("knife", "knives"), ("life", "lives"), ("half", "halves"),
    ("movie", "movies"), ("cookie", "cookies"), ("calorie", "calories"), ("tie", "ties"), ("pie", "pies"),
    ("zombie", "zombies"), ("cache", "caches"), ("quiz", "quizzes"), ("analysis", "analyses"),
    ("crisis", "crises"), ("diagnosis", "diagnoses"), ("hypothesis", "hypotheses"), ("axis", "axes"),
    ("index", "indices"), ("vertex", "vertices"), ("matrix", "matrices"), ("hero", "heroes"),
    ("potato", "potatoes"), ("tomato", "tomatoes"), ("echo", "echoes"), ("menu", "menus"), ("gas", "gases"),
    ("bus", "buses"), ("lens", "lenses"), ("canvas", "canvases"), ("atlas", "atlases"),
    ("wiki", "wikis"), ("taxi", "taxis"), ("emoji", "emojis"), ("api", "apis"), ("uri", "uris"),
  ]

  private static let unchanging: Set<String> = [
    "data", "media", "staff", "metadata", "news", "series", "species", "sheep", "fish", "information",
    "equipment",
    "settings", "preferences", "statistics", "analytics", "physics", "politics", "mathematics", "logistics",
    "stats",
  ]

  /// Words that end in `s` and are not plurals, where no ending shows that.
  private static let singulars: Set<String> = [
    "alias", "canvas", "atlas", "bias", "chaos", "christmas", "texas", "kudos", "lens", "gas", "sms", "gps",
    "dns", "aws", "ios", "was", "has",
  ]

  /// The endings of plurals, the longest first, what stands there in the singular (nil leaves the word as it is), and
  /// words that another ending is about.
  private static let endings: [(ending: String, replacement: String?, exceptions: [String])] = [
    ("ies", "y", ["series", "species"]),
    ("sses", "ss", []),
    ("xes", "x", ["axes"]),
    ("ches", "ch", []),
    ("shes", "sh", []),
    ("zzes", "zz", []),
    ("tuses", "tus", []),
    ("ruses", "rus", []),
    ("nuses", "nus", []),
    ("puses", "pus", []),
    ("liases", "lias", []),
    ("ss", nil, []),
    ("us", nil, []),
    ("is", nil, []),
  ]
}
