import MOCloneEngine
import MOCloneModel

/// Generated columns that a clone's references are in, or that others read: the database computes what they hold.
///
/// What cannot come out right is refused beforehand; of the others the rows that were written are compared with what
/// the clones were to hold.
struct GeneratedColumns {
  let layout: CloneLayout
  private var dialect: Dialect { layout.dialect }

  /// - Throws: `CloneError` (`generated-column`) where the request gives what the database computes, or a cloned relationship
  ///   would still lead to the original.
  func check() throws {
    let given = layout.plan.nodes.flatMap { node in
      node.attributes.filter(\.isSet).map { (attribute: $0.attribute, entity: node.entity) }
    }
    try layout.schema.refuse(given: given, layout.mapping)
    let failures = layout.tablePlans.flatMap { tablePlan in
      layout.referenceRenderers(of: tablePlan).flatMap(self.failures)
    }
    if !failures.isEmpty { throw CloneError(failures) }
  }

  private func failures(_ renderer: ReferenceRenderer) -> [CloneError.Failure] {
    guard renderer.canBeInside else { return [] }
    let (reference, tablePlan) = (renderer.reference, renderer.tablePlan)
    let own = zip(reference.key.columns, reference.key.references).compactMap {
      name, referenced -> ColumnSchema? in
      guard let column = tablePlan.table.column(name), column.isGenerated,
        !column.inputs.contains(where: { isMapped($0, in: tablePlan) })
      else { return nil }
      // What the destination's clone has as its original has it, as a kind beside the key, needs no other value.
      return renderer.destination.map { isMapped(referenced, in: $0) } == false ? nil : column
    }
    let referenced = reference.key.references.compactMap { renderer.destination?.table.column($0) }.filter {
      column in
      column.isGenerated && renderer.destination?.storedIndex(ofColumn: column.name, layout.mapping) == nil
    }
    return own.map { .generatedReference($0.name, reference: reference, table: tablePlan.table.name) }
      + referenced.map { .generatedReferenced($0.name, reference: reference) }
  }

  /// Whether a clone can hold another value in a column than its original.
  private func isMapped(_ column: String, in tablePlan: CloneTablePlan) -> Bool {
    if tablePlan.keyPart(column) != nil { return true }
    if layout.references[tablePlan.index].contains(where: { $0.part(in: column) != nil }) { return true }
    return tablePlan.nodes.contains { node in
      node.attributes.contains { planned in
        planned.rule != .copy && layout.mapping[node.entity].holds(planned.attribute.name, in: column)
      }
    }
  }

  // MARK: After the write

  /// Finds clones in which the database computed another value than was counted on.
  func checks(of writer: WriteRenderer) -> [RunCheck] {
    let tablePlan = writer.tablePlan
    return tablePlan.table.columns.filter(\.isGenerated).compactMap { column in
      let isReference = layout.references[tablePlan.index].contains { $0.part(in: column.name) != nil }
      let tellsEntity = tablePlan.discriminator?.sqlName == column.name.sqlName
      guard isReference || tellsEntity || tablePlan.storedIndex(ofColumn: column.name, layout.mapping) != nil
      else { return nil }
      let expected = tablePlan.choose(writer.value(of: column.name))
      let table = tablePlan.table.name
      let row = From.Join.ordered(
        "\(dialect.table(table)) w", on: .equal(tablePlan.key("w"), tablePlan.newKey("m")))
      let isOther = dialect.different(dialect.column("w", column.name), "(\(expected))")
      return layout.check(tablePlan, among: writer.source + [row], where: isOther) {
        .generated(column.name, table: table, object: $0)
      }
    }
  }
}

extension CloneTablePlan {
  /// The place among the stored attributes of one that is in a column.
  func storedIndex(ofColumn column: String, _ mapping: SchemaMapping) -> Int? {
    stored.firstIndex { stored in entities.contains { mapping[$0].holds(stored.name, in: column) } }
  }
}

extension AttributePlan {
  /// Whether the request gives the value.
  fileprivate var isSet: Bool { if case .set = rule { true } else { false } }
}

extension EntityMapping {
  /// Whether an attribute is in a column.
  func holds(_ attribute: String, in column: String) -> Bool {
    attributes[attribute]?.column.sqlName == column.sqlName
  }
}

extension CloneError.Failure {
  fileprivate static func generatedReference(
    _ column: String, reference: RowReference, table: String
  ) -> Self {
    let relationship = reference.relationship
    return .init(
      .generatedColumn,
      "'\(relationship.qualifiedName)' is stored in the generated column '\(column)' of the table '\(table)', "
        + "and the columns it is computed from are copied, so a clone would still reference the original",
      help: "name a plain column by 'column', or exclude the relationship", entity: relationship.entity,
      property: relationship.name)
  }

  fileprivate static func generatedReferenced(_ column: String, reference: RowReference) -> Self {
    let relationship = reference.relationship
    return .init(
      .generatedColumn,
      "'\(relationship.qualifiedName)' references the column '\(column)' of '\(reference.key.destination)', "
        + "which is generated, so the clone's value is unknown before it is written",
      help: "reference the key",
      entity: relationship.entity, property: relationship.name)
  }

  /// A generated column that holds another reference than that of the object or of the row of a file.
  package static func computed(
    _ relationship: RelationshipDescription, in column: String, of table: String, isLeftOut: Bool,
    object: ObjectID?
  ) -> Self {
    .init(
      .generatedColumn,
      "the database computes the column '\(column)' of the table '\(table)', and "
        + (object.map { "'\(relationship.name)' of \($0)" } ?? "'\(relationship.qualifiedName)'")
        + (isLeftOut ? " cannot be left out" : " would lead to another object or nowhere"),
      help: isLeftOut
        ? "do not exclude it" : "name a plain column for '\(relationship.qualifiedName)' by 'column'",
      entity: relationship.entity, property: relationship.name, object: object)
  }

  /// A generated column that holds something else than a clone was to hold.
  package static func generated(_ column: String, table: String, object: ObjectID) -> Self {
    .init(
      .generatedColumn,
      "the database computes the column '\(column)' of the table '\(table)', and for the clone of \(object) it "
        + "computed another value than the clone needs, so the clone would have another entity, or references "
        + "and followers of it would be wrong",
      help: "compute the column from mapped columns, or name a plain column by 'column'",
      object: object)
  }
}
