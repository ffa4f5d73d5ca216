import MOCloneEngine
import MOCloneModel

/// Whether a store has every table and column that some entities are mapped to.
package struct StoreCheck {
  package let model: ObjectModel
  package let mapping: SchemaMapping
  package let schema: StoreSchema
  package let entities: [String]

  package init(model: ObjectModel, mapping: SchemaMapping, schema: StoreSchema, entities: [String]) {
    self.model = model
    self.mapping = mapping
    self.schema = schema
    self.entities = entities
  }

  /// The tables that entities have to do with, those of linked entities included.
  package static func tables(of entities: [String], _ model: ObjectModel, mapping: SchemaMapping) -> Set<
    String
  > {
    var tables: Set<String> = []
    for entity in entities {
      tables.insert(mapping[entity].table)
      for relationship in model.relationships(of: entity) {
        tables.insert(mapping[relationship.destination].table)
        if case .join(let join) = mapping[entity].relationships[relationship.name] {
          tables.insert(join.table)
        }
      }
    }
    return tables
  }

  /// The tables of some entities, and of the pairs among them.
  ///
  /// - Parameter andReferred: whether those come along that their rows refer to.
  package static func tables(
    among entities: Set<String>, andReferred: Bool, _ model: ObjectModel, mapping: SchemaMapping
  ) -> Set<String> {
    let joins = mapping.joins(of: model).filter { relationship, _ in
      entities.contains(relationship.entity) && entities.contains(relationship.destination)
    }.map(\.join.table)
    return entities.reduce(into: Set(joins)) { tables, entity in
      let map = mapping[entity]
      let referred = andReferred ? map.foreignKeys.map { mapping[$0.key.destination].table } : []
      tables.formUnion([map.table] + referred)
    }
  }

  /// The tables that a plan has to do with.
  ///
  /// - Throws: `CloneError` (`store-mismatch`) where the plan is one of another model.
  package static func tables(of plan: ClonePlan, mapping: SchemaMapping) throws -> Set<String> {
    let transient = plan.nodes.flatMap(\.attributes).map(\.attribute).filter(\.isTransient).map(\.name)
    try plan.checkNames { name, property in
      guard let entity = mapping.entities[name] else { return false }
      return property.map {
        entity.attributes[$0] != nil || entity.relationships[$0] != nil || transient.contains($0)
      } ?? true
    }
    return tables(of: plan.entities, plan.model, mapping: mapping)
  }

  /// The tables of what a plan leaves out, whose triggers can count in what is cloned.
  package static func tablesLeftOut(of plan: ClonePlan, mapping: SchemaMapping) -> Set<String> {
    Set(plan.entitiesLeftOut(at: plan.nodes).compactMap { mapping.entities[$0]?.table })
  }

  /// - Throws: `CloneError` (`store-mismatch`) with every table and column that is missing.
  package func check() throws {
    let found = failures
    if !found.isEmpty { throw CloneError(found) }
  }

  /// What is missing, and keys that have no room in their columns.
  package var failures: [CloneError.Failure] {
    (missingParts + entities.flatMap(keyFailures)).uniqued { $0.message }
  }

  package var missingParts: [CloneError.Failure] {
    let numbers = schema.coreData?.failures(model, mapping: mapping) ?? []
    return (numbers + entities.flatMap(failures) + refusedColumns).uniqued { $0.message }
  }

  /// Keys of UUIDs whose columns hold numbers, or bytes that the model says are texts.
  package func keyFailures(_ entity: String) -> [CloneError.Failure] {
    let root = model.rootEntity(of: entity)
    let map = mapping[root]
    guard let table = schema[map.table] else { return [] }
    return map.key.enumerated().compactMap { place, part in
      part.columnWithoutRoom(in: table).map { column in
        let shown = map.attributes.first { $0.value.keyPart == place }?.key
        let counting =
          "if the keys are numbers now, write 'primaryKey: {column: \(part.column), generate: max}'"
          + (shown.map { " and '\($0): Integer 64'" } ?? "") + ", or "
        return CloneError.Failure(
          .storeMismatch,
          "the key of \(root) is a UUID, but its column '\(column.name)' in the table '\(table.name)' is \(column.type)",
          help: (table.countsKeys(in: part.column) ? counting : "")
            + (column.base == "bytea"
              ? "write 'store: {uuids: blob}', or give the column another type"
              : "give the column a type that holds UUIDs"),
          entity: root)
      }
    }
  }

  // MARK: Columns

  /// A column that the mapping names, and why.
  private struct Need {
    package var column: String
    package var use: String
    package var property: String?
    /// The key of the model file that names it otherwise, where the model names it by default.
    package var settledBy: String?
  }

  private func failures(of entity: String) -> [CloneError.Failure] {
    let map = mapping[entity]
    guard let table = schema[map.table] else {
      let isNamed = model.entity(model.rootEntity(of: entity))?.table != nil
      return [missing(table: map.table, "\(entity) should be stored", isNamed ? nil : "table", entity, nil)]
    }
    return missing(keyNeeds(entity) + attributeNeeds(entity), in: table, entity)
      + model.relationships(of: entity).flatMap { relationshipFailures($0, entity: entity) }
  }

  private func keyNeeds(_ entity: String) -> [Need] {
    let root = model.entity(model.rootEntity(of: entity))
    let isDefault = root?.primaryKey.isEmpty == true
    let keys = mapping[entity].keyColumns.map {
      Need(column: $0, use: "the key of \(entity)", settledBy: isDefault ? "primaryKey" : nil)
    }
    let discriminator = mapping[entity].discriminator.map {
      Need(
        column: $0.column, use: "the discriminator of \(entity)",
        settledBy: root?.discriminator?.column == nil ? "discriminator" : nil)
    }
    return keys + [discriminator].compactMap { $0 }
  }

  private func attributeNeeds(_ entity: String) -> [Need] {
    model.attributes(of: entity).compactMap { attribute in
      mapping[entity].attributes[attribute.name].map {
        Need(
          column: $0.column, use: "'\(attribute.name)' of \(entity)", property: attribute.name,
          settledBy: attribute.column == nil ? "column" : nil)
      }
    }
  }

  /// Foreign keys, positions and join tables, wherever they are.
  private func relationshipFailures(
    _ relationship: RelationshipDescription, entity: String
  ) -> [CloneError.Failure] {
    let inverse = model.inverse(of: relationship)
    let use = "'\(relationship.name)' of \(entity)"
    func needs(_ columns: [String], isDefault: Bool) -> [Need] {
      columns.map {
        Need(column: $0, use: use, property: relationship.name, settledBy: isDefault ? "column" : nil)
      }
    }
    func order(_ column: String?, of list: RelationshipDescription?) -> [Need] {
      guard let column, let list else { return [] }
      return [
        Need(
          column: column, use: "the order of '\(list.name)' of \(list.entity)", property: list.name,
          settledBy: list.orderColumn == nil && list.joinTable?.orderColumn == nil ? "orderColumn" : nil)
      ]
    }
    switch mapping[entity].relationships[relationship.name]! {
    case .inverseForeignKey(let key) where inverse != nil && entities.contains(key.entity):
      return []  // said of the other side
    case .foreignKey(let key), .inverseForeignKey(let key):
      let isDefault = relationship.columns.isEmpty && inverse?.columns.isEmpty ?? true
      guard let table = schema[mapping[key.entity].table] else { return [] }
      let referenced = schema[mapping[key.destination].table].map {
        missing(needs(key.references, isDefault: false), in: $0, entity)
      }
      let list = [relationship, inverse].compactMap(\.self).first(where: \.isToMany)
      return missing(
        needs(key.columns, isDefault: isDefault) + order(key.orderColumn, of: list), in: table, entity)
        + (referenced ?? [])
    case .join(let join):
      let isDefault = relationship.joinTable == nil && inverse?.joinTable == nil
      guard let table = schema[join.table] else {
        return [
          missing(table: join.table, use + " lies", isDefault ? "joinTable" : nil, entity, relationship.name)
        ]
      }
      return missing(
        needs(join.columns + join.destinationColumns, isDefault: isDefault)
          + order(join.orderColumn, of: relationship)
          + order(join.inverseOrderColumn, of: inverse ?? relationship),
        in: table, entity)
    }
  }

  // MARK: Failures

  private func missing(_ needs: [Need], in table: TableSchema, _ entity: String) -> [CloneError.Failure] {
    needs.filter { table.column($0.column) == nil && !table.isRowid($0.column) }.map { need in
      CloneError.Failure(
        .storeMismatch,
        "the table '\(table.name)' has no column '\(need.column)' for \(need.use)"
          + origin(need.settledBy, name: need.column),
        help: didYouMean(need.column, known: table.columns.map(\.name)), entity: entity,
        property: need.property)
    }
  }

  private func missing(
    table: String, _ use: String, _ settledBy: String?, _ entity: String, _ property: String?
  ) -> CloneError.Failure {
    let kind = schema.otherKind(of: table)
    let problem =
      kind.map { "'\(table)', where \(use), is \($0) of the store, but objects need an ordinary table" }
      ?? "the store has no table '\(table)', where \(use)" + origin(settledBy, name: table)
    return CloneError.Failure(
      .storeMismatch, problem,
      help: kind == nil ? didYouMean(table, known: schema.names) : "name one",
      entity: entity, property: property)
  }

  /// Where a name comes from that nobody wrote.
  private func origin(_ settledBy: String?, name: String) -> String {
    guard let settledBy else { return "" }
    let origin =
      settledBy == "primaryKey" ? "store: {primaryKey: \(name)}" : "naming: \(model.store.naming.rawValue)"
    return " (the name follows from \(origin); if it has another name, write '\(settledBy):')"
  }

  private var refusedColumns: [CloneError.Failure] {
    guard model.store.unmapped == .refuse else { return [] }
    return entities.flatMap { entity -> [CloneError.Failure] in
      guard let table = schema[mapping[entity].table] else { return [] }
      let known = MappedColumns(table: table, mapping: mapping)
      return table.columns.filter { !known.contains($0.name) && !$0.isGenerated }.map {
        CloneError.Failure(
          .unmappedColumn,
          "the table '\(table.name)' has a column '\($0.name)' that the model does not name",
          help: "name it, or write 'store: {unmapped: copy}' or 'store: {unmapped: default}'", entity: entity)
      }
    }
  }
}

extension KeyPart {
  /// The column of numbers, or of a server's bytes, in which UUIDs of the key have no room; nil where they have, and where
  /// the key that it refers to tells.
  package func columnWithoutRoom(in table: TableSchema) -> ColumnSchema? {
    guard let uuids, !source.isReference, let column = table.column(self.column),
      column.namesNumbers || column.base == "bytea"
    else { return nil }
    return column.holds(.uuid, uuids: uuids, isStrict: table.isStrict) ? nil : column
  }
}

extension ColumnSchema {
  /// Whether the declared type is one of numbers by its name. SQLite takes any name with "INT" in it for one, as that of a
  /// point, and keeps texts in such a column.
  fileprivate var namesNumbers: Bool {
    let words = type.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init)
    let numbers: Set = [
      "int", "int2", "int4", "int8", "tinyint", "smallint", "mediumint", "bigint", "integer", "real", "float",
      "float4", "float8", "double",
    ]
    return isNumeric && !numbers.isDisjoint(with: words)
  }
}

/// The columns of a table that some entity or relationship of the model names.
package struct MappedColumns {
  private let names: Set<String>

  package init(table: TableSchema, mapping: SchemaMapping) {
    let named = mapping.namedColumns[table.name.sqlName] ?? []
    names = named.union(mapping.coreData?.columns(beside: named, in: table).map(\.sqlName) ?? [])
  }

  package func contains(_ column: String) -> Bool {
    names.contains(column.sqlName)
  }
}

extension TableSchema {
  /// The columns that take values and that the model does not name.
  func unmappedColumns(_ mapping: SchemaMapping) -> [ColumnSchema] {
    let mapped = MappedColumns(table: self, mapping: mapping)
    return columns.filter { !$0.isGenerated && !mapped.contains($0.name) }
  }
}
