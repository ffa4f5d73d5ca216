import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// What is suggested since a clone would repeat unique values.
struct UniqueSuggestions {
  var all: [ModelDraft.Suggestion] = []
  /// The lists that are not left out, since clones of a common owner would lack their rows then, with what people should
  /// know of each.
  var kept: [ModelPath: [String]] = [:]

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
      for names in entity.uniquenessConstraints {
        let attributes = names.compactMap { name in entity.attributes.first { $0.name == name } }
        guard !attributes.contains(where: { isRenewed($0, entity: entity, table: table) }) else { continue }
        if names.count == 1, let attribute = attributes.first, attribute.isOptional {
          if isReferenced(attribute, table: table) { continue }
          found.all.append(
            ModelDraft.Suggestion(
              at: .attribute(attribute), .annotate(key: model.userInfoKeys.exclude, value: ""),
              reason: "it is unique, so a clone cannot have the same value"))
        } else if isTotal(names, entity: entity) {
          repeated.append(names)
        }
      }
      if !repeated.isEmpty { judgeWays(to: table, repeating: repeated, &found) }
    }
    return found
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
    return attribute.type == .uuid && entity.uniquenessConstraints.contains([attribute.name])
      || attribute.derivation != nil
  }

  /// Whether every row has the values, of which none is an owner that comes along with the row.
  private func isTotal(_ names: [String], entity: EntityDescription) -> Bool {
    let own = names.compactMap { model.relationship($0, of: entity.name) }
    return names.allSatisfy { name in
      entity.attributes.first { $0.name == name }.map { !$0.isOptional } ?? true
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
    let kept = neededWays(among: ways, repeating: repeated)
    for way in ways where kept.contains(way.forward.name) {
      found.kept[.relationship(way.back)] = remarks(on: way, repeating: repeated, among: ways)
    }
    for names in repeated {
      for way in ways where !names.contains(way.forward.name) && !kept.contains(way.forward.name) {
        found.all.append(
          exclude(way.back, "copies of these rows would repeat unique values: \(Self.list(names))"))
      }
    }
  }

  /// The references whose lists would all be left out, each for the sake of another one's constraint, where clones of a
  /// common owner have new values by all of them.
  private func neededWays(among ways: [Way], repeating repeated: [[String]]) -> Set<String> {
    let named = ways.filter { way in repeated.contains { $0.contains(way.forward.name) } }
    let isNamed = repeated.allSatisfy { names in named.contains { names.contains($0.forward.name) } }
    let isOneInAll = named.contains { way in repeated.allSatisfy { $0.contains(way.forward.name) } }
    guard isNamed, !isOneInAll else { return [] }
    let roots = named.map(\.forward.destination) + model.entities.map(\.name)
    return roots.contains { areNew(repeated, inCloneOf: $0, ways) } ? Set(named.map(\.forward.name)) : []
  }

  /// Whether each of some uniqueness constraints has an owner that is copied with the rows.
  private func areNew(_ constraints: [[String]], inCloneOf root: String, _ ways: [Way]) -> Bool {
    guard let plan = try? ClonePlan(model: model, entity: root) else { return false }
    let home = model.rootEntity(of: root)
    var copied = Set(plan.nodes[plan.rootCount...].map { model.rootEntity(of: $0.entity) })
    copied.remove(home)
    let rest = constraints.filter { names in
      !ways.contains {
        names.contains($0.forward.name) && copied.contains(model.rootEntity(of: $0.forward.destination))
      }
    }
    // The root is one object, so it is the owner by one reference only.
    return rest.isEmpty
      || ways.contains { way in
        model.rootEntity(of: way.forward.destination) == home
          && rest.allSatisfy { $0.contains(way.forward.name) }
      }
  }

  private func remarks(on way: Way, repeating repeated: [[String]], among ways: [Way]) -> [String] {
    let (owner, name) = (way.back.entity, way.back.name)
    return repeated.filter {
      !$0.contains(way.forward.name) && !areNew([$0], inCloneOf: owner, ways)
    }.map {
      "Copies of these rows would repeat unique values where \(owner.withArticle) is cloned by itself, unless "
        + "'--exclude \(name)' leaves them out: \(Self.list($0))."
    }
  }

  private static func list(_ names: [String]) -> String {
    names.map { "'\($0)'" }.joined(separator: ", ")
  }
}
