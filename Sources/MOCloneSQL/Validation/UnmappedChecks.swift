import MOCloneEngine
import MOCloneModel

/// What a database has and does that the model does not say.
extension StoreValidator {
  func insertTriggers() -> [Diagnostic] {
    var seen: Set<String> = []
    return places.compactMap { table, path in
      let triggers = table.triggers.filter { $0.event == "INSERT" && (!keepsColumns($0.name) || $0.isOpaque) }
      guard !triggers.isEmpty, seen.insert(table.name).inserted else { return nil }
      return .insertTrigger(triggers, table: table, at: path)
    }
  }

  /// The tables of the model, join tables included, and what they are the tables of; a table can be there twice.
  package var places: [(table: TableSchema, path: ModelPath)] {
    homes.map { ($0.table, ModelPath.entity($0.root.name)) }
      + joins.map { ($0.2, ModelPath.relationship($0.0)) }
  }

  func generatedColumns() -> [Diagnostic] {
    attributes.compactMap { stored in
      if isDerivedInPlainColumn(stored) { return derivedColumn(stored) }
      let isComputed = stored.attribute.derivation == .computed
      return stored.column.isGenerated && !isComputed ? .generatedColumn(stored) : nil
    }
      + references.compactMap { reference in
        guard let table = schema[mapping[reference.key.entity].table],
          let column = fixedColumn(of: reference, in: table)
        else { return nil }
        let isCloned = [reference.forward, reference.backward].contains { $0.map(clones) == true }
        return .generatedReference(
          column, table: table, reference: reference, severity: isCloned ? .error : .warning)
      }
  }

  /// The derived attributes whose values clones by a plan copy.
  package func derivedColumns(copiedBy plan: ClonePlan) -> [Diagnostic] {
    attributes.filter { isDerivedInPlainColumn($0) && plan.copies($0.attribute) }.map(derivedColumn)
  }

  /// Whether the model says that the value is computed, and the database does not compute it. Core Data has triggers do it.
  private func isDerivedInPlainColumn(_ stored: StoredAttribute) -> Bool {
    stored.attribute.derivation == .computed && !stored.column.isGenerated
      && !(mapping.coreData != nil && schema.isUpdatedByTriggers(stored.column.name, of: stored.table.name))
  }

  private func derivedColumn(_ stored: StoredAttribute) -> Diagnostic {
    Diagnostic(
      .derivedColumn, at: .attribute(stored.attribute) / "derived",
      "'\(stored.attribute.entity).\(stored.attribute.name)' is derived, but the column '\(stored.column.name)' of the "
        + "table '\(stored.table.name)' is not generated, so its value is copied and not computed again",
      help: mapping.coreData == nil
        ? "make it a generated column, or remove 'derived'"
        : "let the app open the store: Core Data keeps the value by triggers, which the store does not have")
  }

  /// The first generated column of a reference that has the same value in a clone, where that of the destination's clone can
  /// be another one.
  private func fixedColumn(of reference: RowReference, in table: TableSchema) -> ColumnSchema? {
    let destination = schema[mapping[reference.key.destination].table]
    return zip(reference.key.columns, reference.key.references).compactMap {
      name, referenced -> ColumnSchema? in
      guard let column = table.column(name), column.isGenerated,
        !column.inputs.contains(where: { isMapped($0, table: table) })
      else { return nil }
      return destination.map { isMapped(referenced, table: $0) } == false ? nil : column
    }.first
  }

  /// Whether a clone's column can hold another value: it is part of the key or of a reference.
  private func isMapped(_ column: String, table: TableSchema) -> Bool {
    uses[table.name, column].contains { use in
      switch use {
      case .key, .reference: true
      case .attribute(let attribute): hasRule(attribute)
      case .order, .discriminator, .joinRow: false
      }
    }
  }

  /// Whether an annotation gives clones another value.
  func hasRule(_ attribute: AttributeDescription) -> Bool {
    let annotations = annotations(attribute.userInfo)
    return annotations.isExcluded || annotations.rebuild != nil || annotations.followParent != nil
  }

  /// One finding a table, where none is missing: then one that is called otherwise would be two findings. What
  /// `unmapped: refuse` refuses is an error already.
  func unmappedColumns() -> [Diagnostic] {
    guard model.store.unmapped != .refuse else { return [] }
    return homes.flatMap { root, table -> [Diagnostic] in
      let columns = table.unmappedColumns(mapping).filter { uses[table.name, $0.name].isEmpty }
      guard !columns.isEmpty, !uses.lacksColumn(table) else { return [] }
      let isDefault = model.store.unmapped == .default
      let rest = isDefault ? columns : columns.filter { !isToldOtherwise($0, table: table, among: columns) }
      let empty = columns.filter { isDefault && $0.isRequired && !$0.hasDefault }
      return
        (rest.isEmpty
        ? [] : [.unmapped(rest.map(\.name), table: table, entity: root.name, isDefault: isDefault)])
        + empty.map { .unmappedRequired($0, table: table, entity: root.name) }
    }
  }

  /// Whether a unique index or a foreign key of such columns alone has a finding of its own.
  private func isToldOtherwise(
    _ column: ColumnSchema, table: TableSchema, among columns: [ColumnSchema]
  ) -> Bool {
    let names = Set(columns.map { $0.name.sqlName })
    let sets = table.uniqueColumns + table.foreignKeys.map(\.columns)
    return sets.map { $0.map(\.sqlName) }
      .contains { $0.contains(column.name.sqlName) && names.isSuperset(of: $0) }
  }

  /// The table of what a store says of itself.
  package static var metadataTable: String { "moclone_metadata" }

  /// Tables that no key ties to the model's.
  func unmappedTables() -> [Diagnostic] {
    if uses.lacksTable(schema) { return [] }
    let own =
      ["grdb_migrations", Self.metadataTable] + (schema.coreData == nil ? [] : CoreDataMapping.ownTables)
    let names = schema.names.filter { name in
      !uses.contains(name) && schema[name]?.foreignKeys.contains { uses.contains($0.table) } != true
        && !own.contains(name.sqlName)
    }
    return names.isEmpty ? [] : [.unmappedTables(names)]
  }

  func missingIndexes() -> [Diagnostic] {
    MissingIndexes(schema: schema, mapping: mapping, model: model).all.map { index in
      let isFollowed = index.relationship.map { !annotations($0.userInfo).isExcluded } ?? false
      return .missingIndex(index, isFollowed: isFollowed)
    }
  }
}

extension ClonePlan {
  /// Whether some clone has its original's value of an attribute.
  fileprivate func copies(_ attribute: AttributeDescription) -> Bool {
    nodes.contains { node in
      model.isKind(node.entity, of: attribute.entity) && node.rule(ofAttribute: attribute.name) == .copy
    }
  }
}

extension Diagnostic {
  fileprivate static func insertTrigger(
    _ triggers: [TriggerSchema], table: TableSchema, at path: ModelPath
  ) -> Diagnostic {
    let names = triggers.map(\.name)
    let opaque = triggers.filter(\.isOpaque).map { "'\($0.name)'" }.joined(separator: ", ")
    let reading =
      opaque.isEmpty
      ? ""
      : "; what \(opaque) writes by other functions or by EXECUTE cannot be read, so a counter that it keeps may "
        + "count twice"
    let list = names.map { "'\($0)'" }.joined(separator: ", ")
    return Diagnostic(
      .insertTrigger, at: path,
      "the trigger\(names.count == 1 ? "" : "s") \(list) of the table '\(table.name)' run\(names.count == 1 ? "s" : "") "
        + "for every row that a clone inserts, and can change the values of the clone\(reading)",
      help:
        "check that the trigger is right for copied rows, too; a clone is refused if rows are missing in the end"
    )
  }

  fileprivate static func generatedColumn(_ stored: StoreValidator.StoredAttribute) -> Diagnostic {
    let path = ModelPath.attribute(stored.attribute)
    let annotation = stored.attribute.userInfo.keys.sorted().first
    return Diagnostic(
      .generatedColumn, .warning, at: annotation.map { path / "userInfo" / $0 } ?? path,
      "the column '\(stored.column.name)' of the table '\(stored.table.name)' is generated, so the database computes "
        + "'\(stored.attribute.entity).\(stored.attribute.name)', and it cannot be written",
      help: "write 'derived: true'" + (annotation == nil ? "" : " instead of the annotations"))
  }

  fileprivate static func generatedReference(
    _ column: ColumnSchema, table: TableSchema, reference: RowReference, severity: Severity
  ) -> Diagnostic {
    Diagnostic(
      .generatedColumn, severity, at: reference.path,
      "the column '\(column.name)' of the table '\(table.name)' is generated, so \(reference.quoted) cannot be "
        + "written, and a clone would keep the computed value", help: "name a plain column by 'column'")
  }

  fileprivate static func unmapped(
    _ names: [String], table: TableSchema, entity: String, isDefault: Bool
  ) -> Diagnostic {
    let list = names.map { "'\($0)'" }.joined(separator: ", ")
    return Diagnostic(
      .unmappedColumn, .note, at: .entity(entity),
      "the table '\(table.name)' has columns that the model does not name: \(list); a clone has "
        + (isDefault ? "the database's defaults there" : "the original's values there"),
      help: "name them as attributes or relationships of '\(entity)' if they need their own rules")
  }

  fileprivate static func unmappedRequired(
    _ column: ColumnSchema, table: TableSchema, entity: String
  ) -> Diagnostic {
    Diagnostic(
      .columnRequired, at: .entity(entity),
      "the column '\(column.name)' of the table '\(table.name)' is NOT NULL without a default, and 'unmapped: default' "
        + "leaves it empty in every clone",
      help: "name it in the model, or write 'store: {unmapped: copy}'")
  }

  fileprivate static func unmappedTables(_ names: [String]) -> Diagnostic {
    Diagnostic(
      .unmappedTable, at: .model,
      "the database has tables that the model does not name: \(names.map { "'\($0)'" }.joined(separator: ", "))",
      help: "they are not copied; add entities for those that should be copied")
  }

  fileprivate static func missingIndex(_ index: MissingIndex, isFollowed: Bool) -> Diagnostic {
    let relationship = (isFollowed ? index.relationship : nil) ?? index.reference ?? index.relationship!
    return Diagnostic(
      .missingIndex, isFollowed ? .warning : .note, at: .relationship(relationship),
      index.message(isFollowed: isFollowed), help: index.statement)
  }
}
