import MOCloneModel
import MOCloneSQL

/// Rows of several owners.
extension Suggester {
  /// Where one of several owners is plainly the nearest, the others leave the rows behind; where several are, what names
  /// the kind of the rows does.
  func sharedRows(
    _ table: DatabaseTable, owning: [(TableReference, RelationshipDescription)],
    owners: [String: Set<String>]
  ) -> [ModelDraft.Suggestion] {
    guard owning.count > 1, !joinsByName(table, references: owning.map(\.0)) else { return [] }
    let weights = owning.map { weight(of: $0.0, table) }
    guard let best = weights.max() else { return [] }
    let nearest = owning.indices.filter { weights[$0] == best }.map { owning[$0].0 }
    let entity = shape.entities[table.id]
    let owner = nearest[0]
    return owning.filter { reference, _ in
      !nearest.contains(reference) && (nearest.count == 1 || isLookup(reference.target))
        && !nearest.contains { isOfOneAggregate(reference, with: $0, owners) }
    }.map { reference, list in
      let isTwice = reference.target == owner.target
      let name = isTwice ? "'\(shape.names.role(owner).lowerCamel)'" : shape.entities[owner.target]
      return exclude(list, "\(entity.withArticle) belongs to its \(name) as well")
    }
  }

  /// Whether the nearest owner's clone takes another owner along, so that the rows are in both of their aggregates, or only
  /// that other owner, which owns the nearest, has all rows.
  private func isOfOneAggregate(
    _ other: TableReference, with nearest: TableReference, _ owners: [String: Set<String>]
  ) -> Bool {
    // A row that goes with either owner, and needs neither, may have the one or the other.
    let isEither = [other, nearest].allSatisfy { $0.isOptional && $0.onDelete == "CASCADE" }
    guard shape.names.isPlain(other) || isEither else { return false }
    let (entity, owner) = (shape.entities[other.target], shape.entities[nearest.target])
    return isPart(entity, of: owner, owners) || nearest.isOptional && isPart(owner, of: entity, owners)
  }

  /// Where rows name what they are on in two columns, as label links and members do, they belong to that, and not to the
  /// label, the kind or the person that they give it.
  func givenRows(
    _ table: DatabaseTable, owning: [(TableReference, RelationshipDescription)],
    owners: [String: Set<String>]
  ) -> [ModelDraft.Suggestion] {
    guard let pair = shape.pairs[table.id] else { return [] }
    return owning.filter { reference, _ in
      let owner = shape.entities[reference.target]
      let isOfOneAggregate = pair.targets.compactMap(\.table).contains {
        $0 == reference.target || isPart(shape.entities[$0], of: owner, owners)
      }
      return !isOfOneAggregate
        && (isLookup(reference.target) || isLink(table, to: reference.target)
          || isPerson(reference, after: pair, in: table))
    }.map {
      exclude($1, "\(shape.entities[table.id].withArticle) belongs to its '\(pair.role.lowerCamel)' as well")
    }
  }

  /// Whether the table is called by a target and no other owner, as `label_links` and `taggings` are.
  private func isLink(_ table: DatabaseTable, to target: String) -> Bool {
    let (name, words) = (shape.entities.one(table.id).key, shape.entities.one(target).key)
    guard let last = name.last, let word = words.last else { return false }
    return Self.joins.contains(last) && name.dropLast().elementsEqual(words)
      || last.hasPrefix(word) && last.hasSuffix("ing")
  }

  static let people: Set<String> = ["user", "person", "member", "author"]

  /// Whether a reference leads to a person, and the row names what it is on before.
  private func isPerson(
    _ reference: TableReference, after pair: PolymorphicPair, in table: DatabaseTable
  ) -> Bool {
    func place(_ column: String) -> Int? {
      table.schema.columns.firstIndex { $0.name.sqlName == column.sqlName }
    }
    guard let own = place(pair.keyColumn), let other = place(reference.columns[0]) else { return false }
    return own < other && Self.people.contains(shape.entities.one(reference.target).key.last ?? "")
  }

  /// By entity, what owns its objects.
  var owners: [String: Set<String>] {
    let owning = model.owningRelationships
    return model.entities.flatMap(\.relationships).reduce(into: [:]) { owners, list in
      guard owning.contains(list.qualifiedName) else { return }
      owners[model.rootEntity(of: list.destination), default: []].insert(model.rootEntity(of: list.entity))
    }
  }

  /// Whether another entity owns an entity, or what owns that.
  func isPart(_ entity: String, of owner: String, _ owners: [String: Set<String>]) -> Bool {
    guard entity != owner else { return false }
    var seen: Set<String> = [entity]
    var pending = [entity]
    while let next = pending.popLast() {
      pending += owners[next, default: []].filter { seen.insert($0).inserted }
    }
    return seen.contains(owner)
  }

  /// Whether the rows of an entity belong to all that they join.
  func isAssociation(_ entity: String) -> Bool {
    guard let home = homes.first(where: { $0.entity.name == entity }) else { return false }
    return joinsByName(home.table, references: shape.references.of(home.table.id))
  }

  /// Whether the table is called by what it joins, as `film_actor`, `users_teams` and `film_actor_map` are: then its rows
  /// belong to both.
  private func joinsByName(_ table: DatabaseTable, references: [TableReference]) -> Bool {
    func words(_ table: String) -> [String] { shape.entities.one(table).key.map(Noun.singular) }
    var name = words(table.id)
    if let last = name.last, Self.joins.contains(last) { name.removeLast() }
    return references.contains { a in
      references.contains { b in a != b && words(a.target) + words(b.target) == name }
    }
  }

  private static let joins: Set<String> = ["map", "mapping", "link", "join", "relation", "association"]

  /// How plainly rows are parts of what they reference.
  private func weight(of reference: TableReference, _ table: DatabaseTable) -> Int {
    let target = shape.entities.one(reference.target)
    var weight = shape.entities.one(table.id).hasPrefix(target) ? 4 : 0
    if reference.onDelete == "CASCADE" { weight += 3 }
    if !reference.isOptional { weight += 1 }
    if !shape.names.isPlain(reference) { weight -= 1 }
    if isLookup(reference.target) { weight -= 2 }
    if isNumbered(table, within: reference) { weight += 2 }
    return weight
  }

  /// A table of names that others choose from.
  private func isLookup(_ table: String) -> Bool {
    guard let table = shape.contents[table], shape.references.of(table.id).isEmpty else { return false }
    return table.schema.columns.count <= 3
      || ["type", "kind", "status"].contains(shape.entities.one(table.id).key.last)
  }

  /// Whether the key begins with the owner and tells its rows apart by a value of their own, such as a number.
  private func isNumbered(_ table: DatabaseTable, within reference: TableReference) -> Bool {
    guard let first = table.key.first, reference.holds(first) else { return false }
    let references = shape.references.of(table.id)
    return table.key.contains { part in !references.contains { $0.holds(part) } }
  }
}
