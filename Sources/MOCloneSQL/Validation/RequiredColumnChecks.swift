import MOCloneModel

/// Columns that may not be null, where a clone or the model may leave them so.
extension StoreValidator {
  func requiredColumnsAreFilled() -> [Diagnostic] {
    attributes.compactMap(failure) + references.compactMap(failure)
  }

  private func failure(_ stored: StoredAttribute) -> Diagnostic? {
    let attribute = stored.attribute
    guard stored.column.isRequired, stored.use.keyPart == nil, !stored.column.isGenerated else { return nil }
    let annotations = annotations(attribute.userInfo)
    let hasDefault = !(attribute.defaultValue ?? .null).isNull
    if annotations.isExcluded, !hasDefault {
      return .columnRequired(
        stored, severity: .error, key: model.userInfoKeys.exclude, why: "every clone would leave it empty")
    }
    if annotations.followParent != nil, annotations.withoutParent == .blank, !hasDefault {
      return .columnRequired(
        stored, severity: .warning, key: model.userInfoKeys.withoutParent,
        why: "a clone without an ancestor would leave it empty")
    }
    return attribute.isOptional && !hasDefault
      ? .columnRequired(stored, severity: .warning, key: nil, why: "the model allows it to be empty") : nil
  }

  private func failure(_ reference: RowReference) -> Diagnostic? {
    guard let forward = reference.forward, forward.isOptional,
      let table = schema[mapping[reference.key.entity].table],
      let column = reference.key.columns.compactMap(table.column).first(where: \.isRequired),
      mapping[reference.key.entity].keyPart(of: column.name) == nil, !isEmptiedByOthers(reference, in: table)
    else { return nil }
    let isExcluded = annotations(forward.userInfo).isExcluded
    let isAsked = reference.backward.map { !annotations($0.userInfo).isExcluded } ?? false
    let path = ModelPath.relationship(forward)
    return Diagnostic(
      .columnRequired, isExcluded && !isAsked ? .error : .warning,
      at: isExcluded ? path / "userInfo" / model.userInfoKeys.exclude : path,
      "the column '\(column.name)' of the table '\(table.name)' is NOT NULL, but "
        + (isExcluded
          ? "'\(forward.qualifiedName)' is excluded, so a clone would leave it empty"
          : "the model allows '\(forward.qualifiedName)' to be empty"),
      help: isExcluded
        ? "remove '\(model.userInfoKeys.exclude)', or allow null in the column"
        : "remove 'optional: true', or allow null in the column")
  }

  /// Whether the columns that may not be null are shared with other references, and the rest may be.
  private func isEmptiedByOthers(_ reference: RowReference, in table: TableSchema) -> Bool {
    let own = reference.key.columns.compactMap(table.column).filter { column in
      let references = uses[table.name, column.name].count { use in
        if case .reference = use { true } else { false }
      }
      return references < 2 && mapping[reference.key.entity].keyPart(of: column.name) == nil
    }
    return !own.isEmpty && own.allSatisfy { !$0.isRequired }
  }

  /// The columns of required properties that the table lets be null, and the rows in which they should not.
  var nullableRequirements: [Requirement] {
    let attributes = attributes.filter {
      !$0.attribute.isOptional && !$0.column.isRequired && $0.use.keyPart == nil && !$0.column.isGenerated
    }.map {
      Requirement(
        path: .attribute($0.attribute), property: "'\($0.attribute.entity).\($0.attribute.name)'",
        entity: $0.attribute.entity, table: $0.table, column: $0.column.name)
    }
    let references = references.compactMap { reference -> Requirement? in
      guard let forward = reference.forward, !forward.isOptional,
        let table = schema[mapping[reference.key.entity].table],
        let column = reference.key.columns.compactMap(table.column).first(where: {
          !$0.isRequired && !$0.isGenerated
        }),
        mapping[reference.key.entity].keyPart(of: column.name) == nil
      else { return nil }
      return Requirement(
        path: reference.path, property: reference.quoted, entity: forward.entity, table: table,
        column: column.name)
    }
    return attributes + references
  }

  struct Requirement {
    var path: ModelPath
    var property: String
    var entity: String
    var table: TableSchema
    var column: String
  }
}

extension Diagnostic {
  fileprivate static func columnRequired(
    _ stored: StoreValidator.StoredAttribute, severity: Severity, key: String?, why: String
  ) -> Diagnostic {
    let path = ModelPath.attribute(stored.attribute)
    return Diagnostic(
      .columnRequired, severity, at: key.map { path / "userInfo" / $0 } ?? path,
      "the column '\(stored.column.name)' of the table '\(stored.table.name)' is NOT NULL, but "
        + (key.map { "with '\($0)' at '\(stored.attribute.entity).\(stored.attribute.name)' \(why)" }
          ?? "\(why): '\(stored.attribute.entity).\(stored.attribute.name)' is optional"),
      help: key == nil
        ? "remove 'optional: true', or allow null in the column"
        : "write a 'default' (the database's own is not used), or allow null in the column")
  }

  static func requiredNull(_ requirement: StoreValidator.Requirement, count: Int, key: String) -> Diagnostic {
    Diagnostic(
      .requiredNull, at: requirement.path,
      "\(requirement.property) is required, but the column '\(requirement.column)' is null in "
        + "\(count.counting("row")) of the table '\(requirement.table.name)', first in \(key)",
      help: "write 'optional: true', or fill in these rows")
  }
}
