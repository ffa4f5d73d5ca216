import MOCloneModel

/// The names of relationships as a person would give them: `album` by the column `album_id`, `tracks` by the table.
struct ReferenceNames {
  let contents: DatabaseContents
  let references: TableReferences
  let entities: EntityNames

  /// What a reference says of its target, from the column that it has for itself.
  func role(_ reference: TableReference) -> NameWords {
    let target = entities.one(reference.target)
    guard let column = ownColumn(of: reference) else { return target }
    let name = reference.columns[column]
    if let target = joinedName(name, target: target) { return target }
    let words = NameWords(name)
    let role = withoutKey(words, key: NameWords(reference.references[column]))
    return role.isEmpty || role.singular.key == target.singular.key ? target : role
  }

  /// Whether a reference is called like its target: `origin` is, where all tables have a prefix as `moz_origins` has.
  func isPlain(_ reference: TableReference) -> Bool {
    entities.one(reference.target).hasSuffix(role(reference))
  }

  /// The place of the one column that no other reference of the table has; nil where several are.
  private func ownColumn(of reference: TableReference) -> Int? {
    if reference.columns.count == 1 { return 0 }
    let others = references.of(reference.table).filter { $0 != reference }
    let own = reference.columns.indices.filter { i in !others.contains { $0.holds(reference.columns[i]) } }
    return own.count == 1 ? own[0] : nil
  }

  /// `artistid`, written as one word.
  private func joinedName(_ column: String, target: NameWords) -> NameWords? {
    let stem = target.key.joined()
    return column.lowercased() == stem + "id" ? target : nil
  }

  private func withoutKey(_ words: NameWords, key: NameWords) -> NameWords {
    let last = words.key.last ?? ""
    if ["id", "fk", "uuid", "guid", "ref", "pk", "rowid"].contains(last) { return words.dropping(last: 1) }
    if words.words.count > key.words.count, words.hasSuffix(key) {
      return words.dropping(last: key.words.count)
    }
    if words.words.count > 1, ["id", "fk"].contains(words.key[0]) { return words.dropping(first: 1) }
    return words
  }

  // MARK: To-one

  /// The names that a reference can have in the entity of its table, the best first.
  func forward(_ reference: TableReference) -> [String] {
    let role = role(reference)
    return [
      role.lowerCamel, role.appending(entities.one(reference.target)).lowerCamel,
      NameWords(words: reference.columns.flatMap { NameWords($0).words }).lowerCamel,
    ]
  }

  // MARK: The way back

  /// The names that the way back can have in the entity of the target, the best first.
  func backward(_ reference: TableReference) -> [String] {
    guard let table = contents[reference.table] else { return [] }
    let base = reference.isUnique ? entities.one(table.id) : entities.many(table)
    let role = role(reference)
    let target = entities.one(reference.target)
    let prefixed = prefix(role, target: target).appending(base)
    if reference.table == reference.target, let usual = wayBack(reference, role: role, target: target) {
      return [usual.lowerCamel, prefixed.lowerCamel, base.lowerCamel]
    }
    let siblings = references.of(reference.table).filter { $0.target == reference.target }
    return siblings.count == 1 || isPlain(reference)
      ? [base.lowerCamel, prefixed.lowerCamel] : [prefixed.lowerCamel, role.appending(base).lowerCamel]
  }

  /// `home` of `homeTeam`, where a team is meant.
  private func prefix(_ role: NameWords, target: NameWords) -> NameWords {
    role.words.count > target.words.count && role.hasSuffix(target)
      ? role.dropping(last: target.words.count) : role
  }

  /// What the way back of a reference to the same table is usually called: `children`, or `childFolders` where the
  /// reference is called `parentFolder`.
  private func wayBack(_ reference: TableReference, role: NameWords, target: NameWords) -> NameWords? {
    let stem = prefix(role, target: target)
    let word: String
    switch (stem.key.last, reference.isUnique) {
    case ("parent", false): word = "child"
    case ("manager", false), ("boss", false), ("supervisor", false): word = "report"
    case ("to", false) where stem.key.contains("reports"): word = "report"
    case ("to", false) where stem.key.contains("reply"): word = "reply"
    case ("next", true): word = "previous"
    case ("previous", true), ("prev", true): word = "next"
    default: return nil
    }
    let isParent = word == "child" || word == "previous" || word == "next"
    let before = isParent ? stem.dropping(last: 1) : NameWords(words: [])
    let named = before.appending(NameWords(words: [word] + (stem == role ? [] : target.words)))
    return reference.isUnique ? named : named.plural
  }

  // MARK: Many-to-many

  /// The names that the list of one end of a join table can have in the entity of the other end.
  func list(of end: Int, in join: JoinShape) -> [String] {
    let (own, other) = (join.ends[end], join.ends[1 - end])
    let table = join.table.words
    let many = contents[own.target].map(entities.many) ?? NameWords(words: [])
    // Prisma calls the two columns of each join table so.
    let isUnnamed = ["A", "B"].contains { own.columns == [$0] }
    let role = isUnnamed ? entities.one(own.target) : role(own)
    let named = role.key == entities.one(own.target).key ? many : role.plural
    return own.target == other.target && !isUnnamed || role.key != entities.one(own.target).key
      ? [named.lowerCamel, many.lowerCamel, table.lowerCamel, table.appending(named).lowerCamel]
      : [many.lowerCamel, table.lowerCamel, table.appending(many).lowerCamel]
  }
}
