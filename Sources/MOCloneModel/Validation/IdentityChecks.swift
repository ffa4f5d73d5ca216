/// Entities without a uniqueness constraint, whose objects have no identity in another store.
extension ModelChecks {
  func objectsCanBeFoundAgain() -> [Diagnostic] {
    entities.filter { !$0.isAbstract && isComplete($0.name) && !isIdentified($0.name) }
      .map { .noIdentity(mapping[$0.name]) }
  }

  private func isIdentified(_ entity: String) -> Bool {
    let constraints = model.lineage(of: entity).compactMap { model.entity($0)?.uniquenessConstraints.first }
    return constraints.contains { !$0.contains { model.attribute($0, of: entity)?.isTransient == true } }
      || mapping[entity].tellingKey != nil
  }
}

extension Diagnostic {
  fileprivate static func noIdentity(_ mapping: EntityMapping) -> Diagnostic {
    let entity = mapping.entity
    let others = "add 'uniquenessConstraints' to '\(entity)', or pass '--by \(entity)=NAME' to these commands"
    let columns = mapping.namelessKeyColumns.map { "'\($0)'" }.joined(separator: " and ")
    let reason = columns.isEmpty ? "" : " and no attribute for \(columns) of its key"
    return Diagnostic(
      .noIdentity, at: .entity(entity),
      "'\(entity)' has no uniqueness constraint\(reason), so 'copy' and 'import' will "
        + (columns.isEmpty ? "insert its objects again each time" : "not find its objects again"),
      help: [mapping.keyAdvice, others].compactMap { $0 }.joined(separator: ", or "))
  }
}
