import MOCloneEngine
import MOCloneModel

/// Whether a store has every table and column that a plan reads or writes.
struct StoreCheck {
  let plan: ClonePlan
  let mapping: SchemaMapping
  let schema: StoreSchema

  /// The tables that a plan has to do with, those of linked entities included.
  static func tables(of plan: ClonePlan, _ mapping: SchemaMapping) -> Set<String> {
    var tables: Set<String> = []
    for entity in plan.entities {
      tables.insert(mapping[entity].table)
      for relationship in plan.model.relationships(of: entity) {
        tables.insert(mapping[relationship.destination].table)
        if case .join(let join) = mapping[entity].relationships[relationship.name] {
          tables.insert(join.table)
        }
      }
    }
    return tables
  }

  /// - Throws: `CloneError` (`store-mismatch`) with every table and column that is missing.
  func check() throws {
    var failures: [CloneError.Failure] = []
    for entity in plan.entities { failures += failuresOfEntity(entity) }
    failures += refusedColumns()
    var seen: Set<String> = []
    failures = failures.filter { seen.insert($0.message).inserted }
    if !failures.isEmpty { throw CloneError(failures) }
  }

  private func failuresOfEntity(_ entity: String) -> [CloneError.Failure] {
    let map = mapping[entity]
    guard let table = schema[map.table] else {
      return [failure("the store has no table '\(map.table)', where \(entity) lies", entity)]
    }
    var needed = map.key.map { ($0.column, "its key") }
    needed += map.attributes.sorted { $0.key < $1.key }.map { ($1.column, "its attribute '\($0)'") }
    if let discriminator = map.discriminator { needed.append((discriminator.column, "its discriminator")) }
    for (name, key) in map.foreignKeys { needed += key.columns.map { ($0, "its relationship '\(name)'") } }
    let missing = needed.filter { table.column($0.0) == nil && !table.isRowid($0.0) }.map { column, use in
      failure("the table '\(table.name)' has no column '\(column)', where \(entity) has \(use)", entity)
    }
    return missing
      + map.relationships.sorted { $0.key < $1.key }.flatMap { relationshipFailures($0, $1, entity) }
  }

  /// Tables of pairs, and foreign keys and positions that lie in the destination's table.
  private func relationshipFailures(
    _ name: String, _ relationship: RelationshipMapping, _ entity: String
  ) -> [CloneError.Failure] {
    let tableName: String
    let columns: [String]
    switch relationship {
    case .foreignKey(let key):
      (tableName, columns) = (mapping[key.entity].table, [key.orderColumn].compactMap { $0 })
    case .inverseForeignKey(let key):
      (tableName, columns) = (mapping[key.entity].table, key.columns + [key.orderColumn].compactMap { $0 })
    case .join(let join):
      let orders = [join.orderColumn, join.inverseOrderColumn].compactMap { $0 }
      (tableName, columns) = (join.table, join.columns + join.destinationColumns + orders)
    }
    guard let table = schema[tableName] else {
      return [
        failure("the store has no table '\(tableName)', where '\(name)' of \(entity) lies", entity, name)
      ]
    }
    return columns.filter { table.column($0) == nil }.map {
      failure(
        "the table '\(table.name)' has no column '\($0)', where '\(name)' of \(entity) lies", entity, name)
    }
  }

  private func refusedColumns() -> [CloneError.Failure] {
    guard plan.model.store.unmapped == .refuse else { return [] }
    return plan.entities.flatMap { entity -> [CloneError.Failure] in
      guard let table = schema[mapping[entity].table] else { return [] }
      let known = MappedColumns(table: table, model: plan.model, mapping: mapping)
      return table.columns.filter { !known.contains($0.name) && !$0.isGenerated }.map {
        CloneError.Failure(
          .unmappedColumn,
          "the table '\(table.name)' has a column '\($0.name)' that the model does not name; name it, or say "
            + "store: {unmapped: copy} or default", entity: entity)
      }
    }
  }

  private func failure(_ message: String, _ entity: String, _ property: String? = nil) -> CloneError.Failure {
    CloneError.Failure(.storeMismatch, message, entity: entity, property: property)
  }
}

/// The columns of a table that some entity or relationship of the model names.
struct MappedColumns {
  private var names: Set<String> = []

  init(table: TableSchema, model: ObjectModel, mapping: SchemaMapping) {
    for entity in model.entities {
      let map = mapping[entity.name]
      if map.table.lowercased() == table.name.lowercased() {
        add(
          map.keyColumns + map.attributes.values.map(\.column) + [map.discriminator?.column].compactMap { $0 }
        )
      }
      for relationship in map.relationships.values { add(relationship, table, mapping) }
    }
  }

  private mutating func add(
    _ relationship: RelationshipMapping, _ table: TableSchema, _ mapping: SchemaMapping
  ) {
    switch relationship {
    case .foreignKey(let key), .inverseForeignKey(let key):
      guard mapping[key.entity].table.lowercased() == table.name.lowercased() else { return }
      add(key.columns + [key.orderColumn].compactMap { $0 })
    case .join(let join):
      guard join.table.lowercased() == table.name.lowercased() else { return }
      add(
        join.columns + join.destinationColumns
          + [join.orderColumn, join.inverseOrderColumn].compactMap { $0 })
    }
  }

  private mutating func add(_ columns: [String]) {
    names.formUnion(columns.map { $0.lowercased() })
  }

  func contains(_ column: String) -> Bool {
    names.contains(column.lowercased())
  }
}
