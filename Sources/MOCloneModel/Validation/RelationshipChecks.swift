/// Destinations, inverses and counts of relationships.
extension ModelChecks {
  /// One finding for each missing entity, however many relationships lead to it.
  func destinationsExist() -> [Diagnostic] {
    missingEntities.compactMap { missing in
      guard missing.parents.isEmpty, let first = missing.destinations.first else { return nil }
      return .unknownDestination(
        first, missing: missing, nearest: suggestions.nearest(to: missing.name, in: entityNames))
    }
  }

  func inversesAgree() -> [Diagnostic] {
    guard lacksRelationships else { return [] }
    let claims = Claims(relationships)
    return relationships.compactMap { failure(ofInverse: $0, claims) }
  }

  private func failure(ofInverse relationship: RelationshipDescription, _ claims: Claims) -> Diagnostic? {
    guard let name = relationship.inverse, model.entity(relationship.destination) != nil else { return nil }
    guard let inverse = model.inverse(of: relationship) else {
      // Where another relationship claims this one, its own destination is at fault, and said there.
      guard isComplete(relationship.destination), !claims.contains(relationship) else { return nil }
      let known = model.relationships(of: relationship.destination).map(\.name)
      return .unknownInverse(
        relationship,
        nearest: claims.claimant(of: relationship)?.name ?? suggestions.nearest(to: name, in: known))
    }
    if inverse.qualifiedName == relationship.qualifiedName { return .inverseOfItself(relationship) }
    guard model.entity(inverse.destination) != nil, !claims.isDisplaced(relationship, in: model) else {
      return nil
    }
    if [nil, relationship.name].contains(inverse.inverse), inverse.destination != relationship.entity {
      return .inverseOfOtherEntity(relationship, inverse: inverse)
    }
    if inverse.inverse == relationship.name { return nil }
    let isDangling = inverse.inverse != nil && model.inverse(of: inverse) == nil
    return isDangling
      ? nil : .inverseMismatch(relationship, inverse: inverse, meant: claims.claimant(of: relationship))
  }

  func onlyToManyRelationshipsAreOrdered() -> [Diagnostic] {
    relationships.filter { $0.isOrdered && !$0.isToMany }.map { .orderedToOne($0) }
  }

  func countsMakeSense() -> [Diagnostic] {
    relationships.compactMap { relationship in
      let least = relationship.minCount ?? 0
      if least < 0 { return .countTooSmall(relationship, key: "minCount") }
      if (relationship.maxCount ?? 1) < 1 { return .countTooSmall(relationship, key: "maxCount") }
      if !relationship.isToMany {
        if least > 1 { return .countOfToOne(relationship, key: "minCount") }
        return (relationship.maxCount ?? 1) > 1 ? .countOfToOne(relationship, key: "maxCount") : nil
      }
      return relationship.maxCount.map { $0 < least } == true ? .countsOutOfOrder(relationship) : nil
    }
  }
}

/// Who names whom as inverse, wherever the named one leads.
private struct Claims {
  /// By destination and inverse the relationships that name them, in the order of declaration.
  private var claimants: [[String]: [RelationshipDescription]] = [:]

  init(_ relationships: some Sequence<RelationshipDescription>) {
    for relationship in relationships {
      let isItself =
        relationship.inverse == relationship.name && relationship.destination == relationship.entity
      guard let inverse = relationship.inverse, !isItself else { continue }
      claimants[[relationship.destination, inverse], default: []].append(relationship)
    }
  }

  private func claimants(of relationship: RelationshipDescription) -> [RelationshipDescription] {
    claimants[[relationship.entity, relationship.name]] ?? []
  }

  /// The relationship that names this one as its inverse.
  func claimant(of relationship: RelationshipDescription) -> RelationshipDescription? {
    claimants(of: relationship).first { $0.entity == relationship.destination }
  }

  /// Whether the relationship that this one means as its inverse exists, but in another entity.
  func contains(_ relationship: RelationshipDescription) -> Bool {
    claimants(of: relationship).contains { $0.name == relationship.inverse }
  }

  /// Whether this one names its other side rightly, and only the other side names another one, which is reported there.
  func isDisplaced(_ relationship: RelationshipDescription, in model: ObjectModel) -> Bool {
    guard let other = misled(by: relationship, model) else { return false }
    return misled(by: other, model) == nil
  }

  /// The relationship that this one names, if this one claims it first and it names a third one.
  private func misled(
    by relationship: RelationshipDescription, _ model: ObjectModel
  ) -> RelationshipDescription? {
    guard let named = model.inverse(of: relationship), let third = model.inverse(of: named),
      third.qualifiedName != relationship.qualifiedName,
      claimants(of: named).first?.qualifiedName == relationship.qualifiedName
    else { return nil }
    let isPair =
      third.inverse == named.name && third.destination == named.entity
      && third.qualifiedName != named.qualifiedName
    return isPair ? nil : named
  }
}

extension RelationshipDescription {
  /// `'Note.items'`
  var quoted: String { "'\(qualifiedName)'" }
}

extension Diagnostic {
  static func unknownDestination(
    _ relationship: RelationshipDescription, missing: MissingEntity, nearest: String?
  ) -> Diagnostic {
    Diagnostic(
      .unknownDestination, at: .relationship(relationship) / "destination",
      "\(relationship.quoted) has the destination '\(relationship.destination)', but the model has no such entity",
      notes: missing.otherPlaces,
      help: didYouMean(nearest) ?? "add the entity '\(relationship.destination)'",
      edits: nearest.map { [missing.renamed($0)] } ?? [])
  }

  static func unknownInverse(_ relationship: RelationshipDescription, nearest: String?) -> Diagnostic {
    let name = relationship.inverse ?? ""
    return Diagnostic(
      .unknownInverse, at: .relationship(relationship) / "inverse",
      "\(relationship.quoted) names the inverse '\(name)', which '\(relationship.destination)' does not have",
      notes: [Note("the destination", at: .entity(relationship.destination))],
      help: didYouMean(nearest) ?? "add the relationship '\(name)' to '\(relationship.destination)'",
      edits: nearest.map { [.set(.relationship(relationship) / "inverse", $0)] } ?? [])
  }

  static func inverseOfItself(_ relationship: RelationshipDescription) -> Diagnostic {
    Diagnostic(
      .inverseOfItself, at: .relationship(relationship) / "inverse",
      "\(relationship.quoted) is its own inverse",
      help:
        "add a second relationship from '\(relationship.destination)' and make the two each other's inverse")
  }

  static func inverseOfOtherEntity(
    _ relationship: RelationshipDescription, inverse: RelationshipDescription
  ) -> Diagnostic {
    Diagnostic(
      .inverseOfOtherEntity, at: .relationship(relationship) / "inverse",
      "\(relationship.quoted) names the inverse \(inverse.quoted), but that leads to '\(inverse.destination)', "
        + "not to '\(relationship.entity)'",
      notes: [Note("the inverse has another destination", at: .relationship(inverse) / "destination")],
      help: "write 'destination: \(relationship.entity)' there, or name another inverse")
  }

  static func inverseMismatch(
    _ relationship: RelationshipDescription, inverse: RelationshipDescription,
    meant: RelationshipDescription?
  ) -> Diagnostic {
    let here = meant.map { "write 'inverse: \($0.name)' here, as \($0.quoted) names it" }
    let other = inverse.inverse.map { "names '\($0)'" } ?? "names no inverse"
    return Diagnostic(
      .inverseMismatch, at: .relationship(relationship) / "inverse",
      "relationship '\(relationship.name)' of '\(relationship.entity)' names inverse '\(inverse.name)', "
        + "but \(inverse.quoted) \(other)",
      notes: [Note("the other side", at: .relationship(inverse) / "inverse")],
      help: here
        ?? "write 'inverse: \(relationship.name)' at \(inverse.quoted), or name another inverse here",
      edits: [
        meant.map { .set(.relationship(relationship) / "inverse", $0.name) }
          ?? .set(.relationship(inverse) / "inverse", relationship.name)
      ])
  }

  static func orderedToOne(_ relationship: RelationshipDescription) -> Diagnostic {
    // Without an order the column of the positions would be the next finding.
    let keys = relationship.orderColumn == nil ? ["ordered"] : ["ordered", "orderColumn"]
    return Diagnostic(
      .orderedToOne, at: .relationship(relationship) / "ordered",
      "\(relationship.quoted) is ordered, but it is to-one",
      help: "remove \(keys.map { "'\($0)'" }.joined(separator: " and ")), or add 'toMany: true'",
      edits: [
        ModelEdit(keys.map { .remove(.relationship(relationship) / $0) }),
        .set(.relationship(relationship) / "toMany", "true"),
      ])
  }

  static func countTooSmall(_ relationship: RelationshipDescription, key: String) -> Diagnostic {
    Diagnostic(
      .invalidCount, at: .relationship(relationship) / key,
      "'\(key)' of \(relationship.quoted) is too small; it must be at least \(key == "minCount" ? 0 : 1)",
      help: "remove the count")
  }

  static func countOfToOne(_ relationship: RelationshipDescription, key: String) -> Diagnostic {
    Diagnostic(
      .invalidCount, at: .relationship(relationship) / key,
      "\(relationship.quoted) is to-one, but its '\(key)' allows for several objects",
      help: "remove the count, or add 'toMany: true'")
  }

  static func countsOutOfOrder(_ relationship: RelationshipDescription) -> Diagnostic {
    Diagnostic(
      .invalidCount, at: .relationship(relationship) / "minCount",
      "'minCount' of \(relationship.quoted) is greater than its 'maxCount'",
      notes: [Note("the other limit", at: .relationship(relationship) / "maxCount")],
      help: "swap the two counts")
  }
}
