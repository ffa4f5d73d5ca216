import MOCloneEngine
import MOCloneModel

/// What in a database disagrees with a model, found without changing anything.
///
/// What makes clones fail is an error; what surprises is a warning; what one may want to know is a note.
package struct StoreValidator {
  package let model: ObjectModel
  package let mapping: SchemaMapping
  /// Every table of the database.
  package let schema: StoreSchema
  let references: [RowReference]
  let uses: ColumnUses
  /// The entities of each table, by its root entity.
  let families: [String: [EntityDescription]]
  /// What the triggers of the database write.
  let writes: Set<TriggerWrite>
  var dialect: Dialect { schema.dialect }

  package init(
    schema: StoreSchema, model: ObjectModel, mapping: SchemaMapping? = nil, writes: Set<TriggerWrite> = []
  ) {
    self.model = model
    self.schema = schema
    self.writes = writes
    let mapping = mapping ?? SchemaMapping(model, in: schema.dialect)
    self.mapping = mapping
    references = RowReference.all(model: model, mapping: mapping)
    families = Dictionary(grouping: model.entities) { model.rootEntity(of: $0.name) }
    uses = ColumnUses(model: model, mapping: mapping, references: references)
  }

  /// What schema and model show, in the order of the checks.
  package var findings: [Diagnostic] {
    [
      missingParts(),
      keysHaveGenerators(),
      keysHaveRoom(),
      columnsHoldTheirTypes(),
      requiredColumnsAreFilled(),
      uniqueColumnsAreRenewed(),
      constraintsAreUnique(),
      foreignKeysAgree(),
      deleteActionsAgree(),
      otherReferences(),
      insertTriggers(),
      keptColumns(),
      generatedColumns(),
      unmappedColumns(),
      unmappedTables(),
      missingIndexes(),
    ].flatMap { $0 }
  }

  /// The root entities whose tables exist; sub-entities are in the same tables.
  package var homes: [(root: EntityDescription, table: TableSchema)] {
    model.entities.filter { $0.parent == nil }.compactMap { root in
      schema[mapping[root.name].table].map { (root, $0) }
    }
  }

  /// The stored attributes whose columns exist.
  package var attributes: [StoredAttribute] {
    model.entities.flatMap { entity -> [StoredAttribute] in
      guard let table = schema[mapping[entity.name].table] else { return [] }
      return entity.attributes.compactMap { attribute in
        guard let use = mapping[entity.name].attributes[attribute.name], let column = table.column(use.column)
        else { return nil }
        return StoredAttribute(attribute: attribute, use: use, table: table, column: column)
      }
    }
  }

  package struct StoredAttribute {
    package var attribute: AttributeDescription
    package var use: AttributeColumn
    package var table: TableSchema
    package var column: ColumnSchema
  }

  package func annotations(_ userInfo: [String: String]) -> CloneAnnotations {
    CloneAnnotations(userInfo: userInfo, keys: model.userInfoKeys)
  }

  /// Whether a relationship's destinations are cloned where it is not the way back to the parent.
  func clones(_ relationship: RelationshipDescription) -> Bool {
    let annotations = annotations(relationship.userInfo)
    if annotations.isExcluded { return false }
    return annotations.onClone.map { $0 == .clone } ?? (model.inverse(of: relationship)?.isToMany != true)
  }

  // MARK: What is missing

  private var storeCheck: StoreCheck {
    StoreCheck(model: model, mapping: mapping, schema: schema, entities: model.entities.map(\.name))
  }

  private func missingParts() -> [Diagnostic] {
    let failures = storeCheck.missingParts
    return failures.filter { !repeats($0, failures: failures) }.map { failure in
      Diagnostic(
        failure.code, .error, at: failure.path(in: model), failure.message,
        help: failure.code == .unmappedColumn
          ? "name it in the model, or write 'store: {unmapped: copy}'"
          : "use the database's name in the model, or create it in the database")
    }
  }

  /// Whether the failure is that of a join table, which is told where the table is described, or else at the first side by name.
  private func repeats(_ failure: CloneError.Failure, failures: [CloneError.Failure]) -> Bool {
    guard let relationship = failure.property.flatMap({ model.relationship($0, of: failure.entity ?? "") }),
      relationship.isToMany, let inverse = model.inverse(of: relationship), inverse.isToMany,
      failures.contains(where: { $0.entity == inverse.entity && $0.property == inverse.name })
    else { return false }
    let isDescribed = relationship.joinTable != nil
    return isDescribed == (inverse.joinTable != nil)
      ? relationship.qualifiedName > inverse.qualifiedName : !isDescribed
  }

  private func keysHaveRoom() -> [Diagnostic] {
    let check = storeCheck
    return homes.flatMap { root, _ in
      check.keyFailures(root.name).map { failure in
        Diagnostic(
          failure.code, .error, at: .entity(root.name) / "primaryKey", failure.problem, help: failure.help)
      }
    }
  }

  private func keysHaveGenerators() -> [Diagnostic] {
    homes.flatMap { root, table in
      mapping[root.name].key.compactMap { part -> Diagnostic? in
        guard [.automatic, .rowid, .max].contains(part.source), table.column(part.column) != nil,
          !mapping[root.name].canCount(part, in: table)
        else { return nil }
        let failure = CloneError.noGenerator(part, table: table, entity: root.name).failures[0]
        return Diagnostic(
          failure.code, .error, at: .entity(root.name) / "primaryKey", failure.message,
          help: "say how the key is generated, as in 'primaryKey: {column: \(part.column), generate: uuid}'")
      }
    }
  }
}

extension CloneError.Failure {
  /// The part of the model that the failure is about.
  fileprivate func path(in model: ObjectModel) -> ModelPath {
    guard let entity else { return .model }
    guard let property else { return .entity(entity) }
    return model.attribute(property, of: entity).map { .attribute($0) }
      ?? model.relationship(property, of: entity).map { .relationship($0) } ?? .entity(entity)
  }
}

extension [Diagnostic] {
  package var hasErrors: Bool { contains { $0.severity == .error } }

  /// The findings, if there is no error among them, and no reference into the model's tables that the model lacks.
  ///
  /// - Throws: `ModelError` with all of them.
  package func refusingErrorsAndDrift() throws -> [Diagnostic] {
    let findings = map { finding in
      var finding = finding
      if finding.code == .unknownReference { finding.severity = .error }
      return finding
    }
    if findings.hasErrors { throw ModelError(diagnostics: findings) }
    return findings
  }
}
