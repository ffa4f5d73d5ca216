/// Entities without a uniqueness constraint, whose objects have no identity in another store.
extension ModelChecks {
  func objectsCanBeFoundAgain() -> [Diagnostic] {
    entities.filter { !$0.isAbstract && isComplete($0.name) && !isIdentified($0.name) }
      .map { .noIdentity($0.name) }
  }

  private func isIdentified(_ entity: String) -> Bool {
    let constraints = model.lineage(of: entity).compactMap { model.entity($0)?.uniquenessConstraints.first }
    return constraints.contains { !$0.contains { model.attribute($0, of: entity)?.isTransient == true } }
      || mapping[entity].tellingKey != nil
  }
}

extension Diagnostic {
  static func noIdentity(_ entity: String) -> Diagnostic {
    Diagnostic(
      .noIdentity, at: .entity(entity),
      "'\(entity)' has no uniqueness constraint, so 'copy' and 'import' will insert its objects again each time",
      help: "add 'uniquenessConstraints' to '\(entity)', or pass '--by \(entity)=NAME' to these commands")
  }
}
