import MOCloneModel

/// What the new model no longer lets data be: rows that exist may not fit, whatever clones hold.
struct TightenedData {
  let old: ObjectModel
  let new: ObjectModel

  /// - Parameter changes: those that are known; a constraint among them is not told again.
  func changes(besides changes: [CloneDifference.Change]) -> [CloneDifference.Change] {
    let known = Set(changes.filter { $0.kind == .constraintAdded }.map(\.subject))
    return new.entities.flatMap { entity -> [CloneDifference.Change] in
      guard old.entity(entity.name) != nil else { return [] }
      return entity.attributes.flatMap(attribute) + entity.relationships.compactMap(relationship)
        + constraints(of: entity).filter { !known.contains($0.subject) }
    }
  }

  private func change(_ subject: String, before: String, after: String) -> CloneDifference.Change {
    CloneDifference.Change(kind: .dataTightened, subject: subject, before: before, after: after)
  }

  // MARK: Attributes

  private func attribute(_ now: AttributeDescription) -> [CloneDifference.Change] {
    guard let was = old.attribute(now.name, of: now.entity), !now.isTransient, !was.isTransient else {
      return []
    }
    let subject = "\(now.entity).\(now.name)"
    if was.type != now.type { return [change(subject, before: was.type.rawValue, after: now.type.rawValue)] }
    var found: [CloneDifference.Change] = []
    if was.isOptional, !now.isOptional {
      found.append(change(subject, before: "optional", after: "required"))
    }
    if let minimum = now.minimum, was.minimum.map({ minimum > $0 }) ?? true {
      found.append(
        change(
          subject, before: was.minimum.map { "at least \($0)" } ?? "any value",
          after: "at least \(minimum)"))
    }
    if let maximum = now.maximum, was.maximum.map({ maximum < $0 }) ?? true {
      found.append(
        change(
          subject, before: was.maximum.map { "at most \($0)" } ?? "any value",
          after: "at most \(maximum)"))
    }
    if let pattern = now.pattern, pattern != was.pattern {
      found.append(
        change(
          subject, before: was.pattern.map { "matches '\($0)'" } ?? "any value", after: "matches '\(pattern)'"
        ))
    }
    return found
  }

  // MARK: Relationships

  private func relationship(_ now: RelationshipDescription) -> CloneDifference.Change? {
    guard let was = old.relationship(now.name, of: now.entity), was.isToMany == now.isToMany else {
      return nil
    }
    if !now.isToMany {
      return was.isOptional && !now.isOptional
        ? change(now.qualifiedName, before: "optional", after: "required") : nil
    }
    if let least = now.minCount, least > was.minCount ?? 0 {
      return change(now.qualifiedName, before: "at least \(was.minCount ?? 0)", after: "at least \(least)")
    }
    if let most = now.maxCount, most < was.maxCount ?? .max {
      return change(
        now.qualifiedName, before: was.maxCount.map { "at most \($0)" } ?? "any number",
        after: "at most \(most)")
    }
    return nil
  }

  // MARK: Constraints

  private func constraints(of entity: EntityDescription) -> [CloneDifference.Change] {
    let known = Set(
      old.lineage(of: entity.name).compactMap(old.entity).flatMap(\.uniquenessConstraints).map(Set.init))
    return entity.uniquenessConstraints.filter {
      !$0.isEmpty && !known.contains(Set($0)) && exists($0, entity: entity)
    }.map {
      change(
        "\(entity.name).\($0[0])", before: "need not be unique",
        after: $0.count == 1 ? "unique" : "unique together with \($0.dropFirst().joined(separator: ", "))")
    }
  }

  /// Whether existing rows have values of these properties. New properties are filled by whoever adds them.
  private func exists(_ names: [String], entity: EntityDescription) -> Bool {
    names.allSatisfy {
      old.attribute($0, of: entity.name) != nil || old.relationship($0, of: entity.name) != nil
    }
  }
}
