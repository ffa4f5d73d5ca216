/// Keys that people give, of objects that are cloned with others.
extension GraphChecks {
  /// `--set` and a call's values give a key to the root only.
  func keysAreRenewed() -> [Diagnostic] {
    // A Core Data store counts the keys of every entity.
    guard model.store.naming != .coreData else { return [] }
    // A part whose name is misspelt is another finding.
    let misspelt = Set(checks.keyColumnsBelongToProperties().map(\.path.components[1]))
    return checks.entities.compactMap { entity in
      guard model.rootEntity(of: entity.name) == entity.name, checks.isComplete(entity.name),
        !misspelt.contains(entity.name), !isKeyRenewed(of: entity.name)
      else { return nil }
      guard let path = accessPath(at: entity.name) else {
        return checks.isKeyForeign(to: entity) ? .keyOfNoProperty(entity) : nil
      }
      let link = canLink(path) ? ModelEdit.annotate(.relationship(path), AnnotationKeys.onClone, "link") : nil
      return .keyCopied(
        checks.mapping[entity.name], path: path,
        edits: [.annotate(.relationship(path), checks.keys.exclude), link].compactMap { $0 })
    }
  }

  private func isKeyRenewed(of entity: String) -> Bool {
    checks.mapping[entity].key.contains { part in
      if case .relationship(let name, _) = part.source {
        isRenewed(name, of: entity)
      } else {
        part.source.isNew
      }
    }
  }
}

extension Diagnostic {
  fileprivate static func keyOfNoProperty(_ entity: EntityDescription) -> Diagnostic {
    let columns = entity.primaryKey.map(\.column)
    let names = columns.map { "'\($0)'" }
    let list = names.dropLast().joined(separator: ", ") + " and " + names[names.count - 1]
    let parts = Array(columns.dropLast()) + ["{column: \(columns[columns.count - 1]), generate: max}"]
    return Diagnostic(
      .unknownKeyColumn, at: .entity(entity.name) / "primaryKey",
      "nothing makes the key of '\(entity.name)' new: its columns \(list) are no property's columns, so a clone "
        + "would have the original's key",
      help: "write 'primaryKey: [\(parts.joined(separator: ", "))]', or declare one of the columns as a "
        + "relationship or an attribute")
  }

  fileprivate static func keyCopied(
    _ mapping: EntityMapping, path: RelationshipDescription, edits: [ModelEdit]
  ) -> Diagnostic {
    let way = ModelPath.way([path], to: "\(mapping.entity).\(mapping.keyColumns.joined(separator: ", "))")
    var finding = Diagnostic(
      .uniqueCopied, at: .entity(mapping.entity) / "primaryKey",
      "nothing generates the key of '\(mapping.entity)', and '--set' can give one to the root of a clone only: \(way)",
      notes: [Note("cloned over this relationship", at: .relationship(path))],
      help: edits.map(\.sentence).joined(separator: ", or "), edits: edits)
    finding.refusesClones = true
    return finding
  }
}
