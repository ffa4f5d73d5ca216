import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// What is suggested since a clone would repeat unique values.
struct UniqueSuggestions {
  var all: [ModelDraft.Suggestion] = []
  /// The lists that are not left out, since clones of an owner of other owners would lack their rows then, with what
  /// people should know of each.
  var kept: [ModelPath: [String]] = [:]
  /// By entity, what a clone of one object holds beside it, as the entities that all others inherit from.
  fileprivate var copied: [String: Set<String>] = [:]

  /// The properties of which nothing else decides.
  var settled: Set<ModelPath> { Set(all.map(\.path)).union(kept.keys) }
}

/// Values that a clone would repeat.
extension Suggester {
  /// A reference, and the way back over which a clone of its target takes the rows along.
  private typealias Way = (forward: RelationshipDescription, back: RelationshipDescription)

  /// An optional value is left out, or the rows are not taken along.
  func uniqueSuggestions() -> UniqueSuggestions {
    var found = UniqueSuggestions()
    for (entity, table) in homes {
      var repeated: [[String]] = []
      let constraints = entity.uniquenessConstraints + uniqueBesideNulls(entity, table: table)
      for names in constraints + copiedKey(entity, table: table) {
        let attributes = names.compactMap { name in entity.attributes.first { $0.name == name } }
        guard !attributes.contains(where: { isRenewed($0, entity: entity, table: table) }) else { continue }
        if names.count == 1, let attribute = attributes.first, attribute.isOptional,
          attribute.derivation == nil
        {
          if isReferenced(attribute, table: table) { continue }
          found.all.append(
            ModelDraft.Suggestion(
              at: .attribute(attribute), .annotate(key: model.userInfoKeys.exclude, value: ""),
              reason: "it is unique, so a clone cannot have the same value"))
        } else if isTotal(names, entity: entity, table: table) {
          repeated.append(names)
        }
      }
      if repeated.isEmpty { continue }
      judgeWays(to: table, repeating: repeated, &found)
      judgeOnlyRows(of: table, entity: entity.name, repeating: repeated, &found)
    }
    return found
  }

  /// The attributes that an index keeps unique where they are not null: its rows without them say that they identify nothing.
  private func uniqueBesideNulls(_ entity: EntityDescription, table: DatabaseTable) -> [[String]] {
    let columns = mapping[entity.name].attributes
    return table.schema.indexes.filter { $0.isUnique && $0.condition != nil && $0.isOfAllValues }.compactMap {
      index in
      let names = index.columns.compactMap { column in
        columns.first { $0.value.column.sqlName == column.name?.sqlName }?.key
      }
      return names.count == index.columns.count ? names : nil
    }
  }

  /// The properties of a key that only an owner which is copied as well makes new; with any other owner it stays the same.
  private func copiedKey(_ entity: EntityDescription, table: DatabaseTable) -> [[String]] {
    let stored = mapping[entity.name]
    guard stored.key.contains(where: { $0.source.isReference }),
      !stored.key.contains(where: { $0.source.isNew })
    else { return [] }
    let references = shape.references.of(table.id).filter { $0.columns.contains(where: table.isInKey) }
    let attributes = entity.attributes.filter { stored.attributes[$0.name]?.keyPart != nil }
    return [references.compactMap { forward($0)?.name } + attributes.map(\.name)]
  }

  /// Whether rows of other tables hold the value, which then cannot be left out.
  private func isReferenced(_ attribute: AttributeDescription, table: DatabaseTable) -> Bool {
    let column = mapping[attribute.entity].attributes[attribute.name]?.column.sqlName
    return shape.references.all.contains {
      $0.target == table.id && $0.references.names.contains(column ?? "")
    }
  }

  private func isRenewed(
    _ attribute: AttributeDescription, entity: EntityDescription, table: DatabaseTable
  ) -> Bool {
    guard let stored = mapping[entity.name].attributes[attribute.name] else { return true }
    if let part = stored.keyPart {
      switch mapping[entity.name].key[part].source {
      case .copied, .relationship: return false
      default: return true
      }
    }
    if attribute.derivation == .computed {
      return mayChange(table.schema.column(stored.column)?.inputs ?? [], entity: entity, table: table)
    }
    return renewing(attribute, of: entity) != nil || attribute.derivation != nil
  }

  /// Whether a column is computed from anything but attributes that are copied, or it is not known from what.
  private func mayChange(_ inputs: [String], entity: EntityDescription, table: DatabaseTable) -> Bool {
    inputs.isEmpty
      || inputs.contains { input in
        let read = entity.attributes.first {
          mapping[entity.name].attributes[$0.name]?.column.sqlName == input.sqlName
        }
        guard let read, read.derivation == nil, let column = table.schema.column(input),
          !table.isInKey(input),
          !shape.references.hold(input, of: table)
        else { return true }
        return rebuilt(read, column: column, entity: entity, table: table) != nil
          || entity.uniquenessConstraints.contains([read.name])
      }
  }

  /// Whether every row has the values, of which none is an owner that comes along with the row.
  ///
  /// Whether the database computes a value for each row, the rows show.
  private func isTotal(_ names: [String], entity: EntityDescription, table: DatabaseTable) -> Bool {
    let own = names.compactMap { model.relationship($0, of: entity.name) }
    return names.allSatisfy { name in
      guard let attribute = entity.attributes.first(where: { $0.name == name }) else { return true }
      if !attribute.isOptional || attribute.derivation != .computed { return !attribute.isOptional }
      let values = mapping[entity.name].attributes[name].map { table.values(of: $0.column) }
      return values.map { !$0.hasNull && !$0.classes.isEmpty } ?? false
    } && own.allSatisfy { !$0.isOptional && model.inverse(of: $0)?.isToMany != false }
  }

  // MARK: Rows that are taken along

  /// The lists over which a clone would take along rows whose unique values stay the same.
  private func judgeWays(
    to table: DatabaseTable, repeating repeated: [[String]], _ found: inout UniqueSuggestions
  ) {
    let ways = shape.references.of(table.id).compactMap { reference -> Way? in
      guard let forward = forward(reference), let back = owning(reference) else { return nil }
      return (forward, back)
    }
    let kept = neededWays(among: ways, repeating: repeated, &found)
    for way in ways where kept.contains(way.forward.name) {
      let rest = repeatedValues(repeated, over: way, among: ways, &found)
      found.kept[.relationship(way.back)] = rest.map { Self.remark(on: way.back, repeating: $0) }
    }
    for names in repeated {
      for way in ways where !names.contains(way.forward.name) && !kept.contains(way.forward.name) {
        if areAllCopied(names, with: way.forward.destination, among: ways, &found) { continue }
        found.all.append(
          exclude(way.back, "copies of these rows would repeat unique values: \(Self.list(names))"))
      }
    }
  }

  /// The lists of other tables' rows, each of which is the only one of a row of the table and cannot be without it, as the
  /// notes on an item each belong to an item of their own: a clone would repeat that one's unique values.
  private func judgeOnlyRows(
    of table: DatabaseTable, entity: String, repeating repeated: [[String]], _ found: inout UniqueSuggestions
  ) {
    for only in shape.objectReferences where only.target == table.id && only.table != table.id {
      guard let forward = forward(only), !forward.isOptional, forward.userInfo.isEmpty,
        model.inverse(of: forward)?.isToMany == false
      else { continue }
      for reference in shape.references.of(only.table) where reference != only {
        guard let list = owning(reference), list.isToMany else { continue }
        let owner = model.rootEntity(of: list.entity)
        let owners = copied(with: list.entity, &found).union([owner])
        let staying = repeated.first { names in
          !names.contains { name in
            model.relationship(name, of: entity).map { owners.contains(model.rootEntity(of: $0.destination)) }
              ?? false
          }
        }
        guard let staying else { continue }
        found.all.append(
          exclude(
            list,
            "each of these rows needs \(entity.withArticle) of its own, whose copy would repeat unique values: "
              + Self.list(staying)))
      }
    }
  }

  /// Whether unique values are nothing but references to objects that a clone of an owner copies as well.
  private func areAllCopied(
    _ names: [String], with owner: String, among ways: [Way], _ found: inout UniqueSuggestions
  ) -> Bool {
    let copied = copied(with: owner, &found)
    return names.allSatisfy { name in
      ways.contains {
        $0.forward.name == name && copied.contains(model.rootEntity(of: $0.forward.destination))
      }
    }
  }

  /// The references whose lists would all be left out, each for the sake of another one's constraint, where clones of one
  /// of their owners hold the other owners as well, and so have new values by all of them.
  private func neededWays(
    among ways: [Way], repeating repeated: [[String]], _ found: inout UniqueSuggestions
  ) -> Set<String> {
    let named = ways.filter { way in repeated.contains { $0.contains(way.forward.name) } }
    let isOneInAll = named.contains { way in repeated.allSatisfy { $0.contains(way.forward.name) } }
    guard !isOneInAll,
      named.contains(where: { repeatedValues(repeated, over: $0, among: ways, &found).isEmpty })
    else { return [] }
    return Set(named.map(\.forward.name))
  }

  /// The uniqueness constraints whose values stay the same in a clone of the owner to which a way leads: it is one object,
  /// so it is the owner by that way only, and none of their other owners is copied with it.
  private func repeatedValues(
    _ constraints: [[String]], over way: Way, among ways: [Way], _ found: inout UniqueSuggestions
  ) -> [[String]] {
    let copied = copied(with: way.forward.destination, &found)
    let owners = ways.filter { copied.contains(model.rootEntity(of: $0.forward.destination)) } + [way]
    return constraints.filter { names in !owners.contains { names.contains($0.forward.name) } }
  }

  private func copied(with owner: String, _ found: inout UniqueSuggestions) -> Set<String> {
    if let known = found.copied[owner] { return known }
    let plan = try? ClonePlan(model: model, entity: owner)
    let nodes = plan.map { $0.nodes.dropFirst($0.rootCount) } ?? []
    let copied = Set(nodes.map { model.rootEntity(of: $0.entity) }).subtracting([model.rootEntity(of: owner)])
    found.copied[owner] = copied
    return copied
  }

  private static func remark(on list: RelationshipDescription, repeating names: [String]) -> String {
    "Copies of these rows would repeat unique values where \(list.entity.withArticle) is cloned by itself, unless "
      + "'--exclude \(list.name)' leaves them out: \(Self.list(names))."
  }

  private static func list(_ names: [String]) -> String {
    names.map { "'\($0)'" }.joined(separator: ", ")
  }
}
