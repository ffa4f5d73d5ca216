import MOCloneModel

/// Names that are taken; a model tells its names apart without case, as the command line does.
struct TakenNames {
  private var names: Set<String> = []

  /// The first of some names that is free, else the first of them with a number.
  mutating func claim(_ candidates: [String]) -> String {
    let candidates = candidates.filter { !$0.isEmpty }
    let first = candidates.first ?? "unnamed"
    let free =
      candidates.first { !names.contains($0.lowercased()) }
      ?? (2...).lazy.map { first + String($0) }.first { !names.contains($0.lowercased()) }!
    names.insert(free.lowercased())
    return free
  }

  mutating func claim(_ candidates: String...) -> String { claim(candidates) }
}

/// The names of entities: that of the table in the singular, where no other table has that name.
struct EntityNames {
  private var names: [String: String] = [:]
  private var singulars: [String: NameWords] = [:]

  /// - Parameter tables: the tables that become entities.
  init(_ tables: [DatabaseTable]) {
    let titles = Dictionary(grouping: tables) { $0.words.singular.key }
    // Where several schemas have a table of one name, those that are named with their schema are told apart by it.
    let words = tables.map { table in
      titles[table.words.singular.key]!.count > 1 ? NameWords(Self.plain(table.schema.name)) : table.words
    }
    let counts = Dictionary(grouping: words.map { $0.singular.key }) { $0 }.mapValues(\.count)
    var taken = TakenNames()
    for (table, words) in zip(tables, words) {
      let singular = counts[words.singular.key] == 1 ? words.singular : words
      let name = taken.claim(singular.upperCamel, words.upperCamel, "Entity")
      names[table.id] = name
      singulars[table.id] = singular.isEmpty ? NameWords(name) : singular
    }
  }

  /// The schema that every database begins with says nothing.
  private static func plain(_ table: String) -> String {
    let usual = "public."
    return table.hasPrefix(usual) ? String(table.dropFirst(usual.count)) : table
  }

  subscript(table: String) -> String { names[table] ?? "" }

  /// The words for one object of a table.
  func one(_ table: String) -> NameWords { singulars[table] ?? NameWords(words: []) }

  /// The words for many objects of a table: the table's own where it is called so.
  func many(_ table: DatabaseTable) -> NameWords {
    let written = table.words
    let one = one(table.id)
    // An entity that is told apart by its schema begins with that.
    let isSingular = one.key.suffix(written.key.count).elementsEqual(written.key)
    return isSingular ? written.plural : written
  }
}
