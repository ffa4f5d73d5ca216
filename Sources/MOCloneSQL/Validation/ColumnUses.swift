import MOCloneModel

/// What the model keeps in each column of each table.
struct ColumnUses {
  enum Use {
    case key(KeyPart.Source, entity: String)
    case attribute(AttributeDescription)
    case reference(RowReference)
    case order
    case discriminator
    /// One end of a join row.
    case joinRow(RelationshipDescription)
  }

  private var tables: [String: [String: [Use]]] = [:]

  init(model: ObjectModel, mapping: SchemaMapping, references: [RowReference]) {
    for entity in model.entities {
      let home = mapping[entity.name]
      if entity.parent == nil {
        for part in home.key {
          add(.key(part.source, entity: entity.name), table: home.table, column: part.column)
        }
      }
      if let discriminator = home.discriminator {
        add(.discriminator, table: home.table, column: discriminator.column)
      }
      for attribute in entity.attributes {
        if let column = home.attributes[attribute.name] {
          add(.attribute(attribute), table: home.table, column: column.column)
        }
      }
      for relationship in entity.relationships {
        guard case .join(let join) = home.relationships[relationship.name] else { continue }
        for column in join.columns { add(.joinRow(relationship), table: join.table, column: column) }
        // The other end has a relationship of its own, or only this one.
        if relationship.inverse == nil {
          for column in join.destinationColumns {
            add(.joinRow(relationship), table: join.table, column: column)
          }
        }
        for column in [join.orderColumn, join.inverseOrderColumn] {
          if let column { add(.order, table: join.table, column: column) }
        }
      }
    }
    for reference in references {
      let table = mapping[reference.key.entity].table
      for column in reference.key.columns { add(.reference(reference), table: table, column: column) }
      if let column = reference.orderColumn { add(.order, table: table, column: column) }
    }
  }

  private mutating func add(_ use: Use, table: String, column: String) {
    tables[table.sqlName, default: [:]][column.sqlName, default: []].append(use)
  }

  /// What is in a column; empty where the model does not name it.
  subscript(table: String, column: String) -> [Use] {
    tables[table.sqlName]?[column.sqlName] ?? []
  }

  /// Whether the database lacks a table that the model names.
  func lacksTable(_ schema: StoreSchema) -> Bool { tables.keys.contains { schema[$0] == nil } }

  /// Whether a table lacks a column that the model names.
  func lacksColumn(_ table: TableSchema) -> Bool {
    (tables[table.name.sqlName] ?? [:]).keys.contains { table.column($0) == nil && !table.isRowid($0) }
  }

  /// Whether the model keeps anything in a table.
  func contains(_ table: String) -> Bool { tables[table.sqlName] != nil }
}
