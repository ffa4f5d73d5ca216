import MOCloneEngine
import MOCloneModel

/// Gathers the nodes of a plan into table plans, one for each table.
struct CloneTablePlanBuilder {
  let plan: ClonePlan
  let mapping: SchemaMapping
  let schema: StoreSchema

  func tablePlans() throws -> [CloneTablePlan] {
    let roots = plan.nodes.map { plan.model.rootEntity(of: $0.entity) }
    var names: [String] = []
    for root in roots where !names.contains(root) { names.append(root) }
    return try names.enumerated().map { index, name in
      try tablePlan(index: index, name: name, nodes: plan.nodes.filter { roots[$0.id] == name })
    }
  }

  private func tablePlan(index: Int, name: String, nodes: [PlanNode]) throws -> CloneTablePlan {
    let entity = mapping[name]
    let table = schema[entity.table]!
    let accessPaths = Dictionary(
      nodes.compactMap(\.accessPath).map { ($0.qualifiedName, $0) }, uniquingKeysWith: { first, _ in first }
    ).values.sorted { $0.qualifiedName < $1.qualifiedName }
    let reached = Set(nodes.map(\.entity))
    let entities = plan.model.entities.map(\.name).filter(reached.contains)
    let sources = try entities.map { entity in
      (entity, try mapping[entity].key.map { try source(of: $0, in: table, entity: entity) })
    }
    let given = Set(nodes.filter(\.isRoot).flatMap(givenParts))
    return CloneTablePlan(
      index: index, name: name, table: table, dialect: schema.dialect,
      keyColumns: table.columns(named: entity.keyColumns),
      keySources: Dictionary(uniqueKeysWithValues: sources), givenParts: given, entities: entities,
      discriminator: entity.discriminator?.column, nodes: nodes,
      variants: nodes.map { Variant($0) }.uniqued(),
      nodesByVariant: Dictionary(grouping: nodes) { Variant($0) }, hasRoot: nodes.contains(where: \.isRoot),
      accessPaths: accessPaths, gathering: gathering(accessPaths),
      hasRowidKey: given.isEmpty && sources.allSatisfy { $0.1.count == 1 && $0.1[0].isCounted })
  }

  /// The columns of the key that the request gives.
  private func givenParts(_ root: PlanNode) -> [String] {
    root.attributes.compactMap { planned in
      guard case .set = planned.rule,
        let column = mapping[root.entity].attributes[planned.attribute.name], column.keyPart != nil
      else { return nil }
      return column.column.sqlName
    }
  }

  private func source(of part: KeyPart, in table: TableSchema, entity: String) throws -> KeyPart.Source {
    switch part.source {
    case .automatic, .rowid, .max:
      if table.column(part.column)?.next != nil { return .automatic }
      if part.source == .automatic, table.column(part.column)?.type == "uuid" { return .uuid(.text) }
      guard mapping[entity].canCount(part, in: table) else {
        throw CloneError.noGenerator(part, table: table, entity: entity)
      }
      return part.source == .automatic && table.isRowid(part.column)
        ? .rowid : part.source == .rowid ? .rowid : .max
    default: return part.source
    }
  }

  private func gathering(_ accessPaths: [RelationshipDescription]) -> Gathering {
    if accessPaths.count > 1 { return .paired }
    return accessPaths.allSatisfy(hasOneParent) ? .single : .staged
  }

  /// Whether no row can be reached from two parents over a relationship: the row itself names its one parent by key.
  private func hasOneParent(_ relationship: RelationshipDescription) -> Bool {
    let source = mapping[relationship.entity]
    guard case .inverseForeignKey(let key) = source.relationships[relationship.name] else { return false }
    return Set(key.references.map(\.sqlName)) == Set(source.keyColumns.map(\.sqlName))
  }
}

extension EntityMapping {
  /// Whether a part of the key that is to be counted can be.
  package func canCount(_ part: KeyPart, in table: TableSchema) -> Bool {
    if table.isRowid(part.column) { return true }
    let isInteger = attributes.values.allSatisfy {
      $0.column.sqlName != part.column.sqlName || $0.type.isInteger
    }
    return part.source != .rowid && isInteger && table.countsKeys(in: part.column)
  }
}

extension CloneError {
  /// Nothing makes the new values of a key.
  package static func noGenerator(_ part: KeyPart, table: TableSchema, entity: String) -> CloneError {
    CloneError(
      .storeMismatch,
      "'\(part.column)', the key of \(entity), is not "
        + (part.source == .rowid ? "an INTEGER PRIMARY KEY" : "a column of integers")
        + " in the table '\(table.name)', so new values are not generated",
      help:
        "write 'primaryKey: {column: \(part.column), generate: uuid}', 'generate: max' if it has integers, "
        + "or 'generate: none'",
      entity: entity)
  }
}

extension ColumnSchema {
  /// SQLite's own name of the row's number, which is no declared column.
  package static func rowid(named name: String) -> ColumnSchema {
    ColumnSchema(name: name, type: "INTEGER", collation: "BINARY", isRequired: true, isGenerated: false)
  }
}
