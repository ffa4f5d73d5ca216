import MOCloneModel

/// The parts of a model that its source has no more, each with the reason.
struct GoneParts {
  private(set) var entities: [(name: String, reason: String)] = []
  private(set) var properties: [PropertyName: String] = [:]

  init() {}

  init(of model: ObjectModel, in shape: SourceShape) {
    let mapping = SchemaMapping(model)
    entities = model.entities.compactMap { entity in
      let table = mapping[entity.name].table
      return shape.has(table) ? nil : (entity.name, "the table '\(table)'")
    }
    let isGone = Set(entities.map(\.name))
    for entity in model.entities where !isGone.contains(entity.name) {
      let home = mapping[entity.name]
      for attribute in entity.attributes {
        guard let column = home.attributes[attribute.name]?.column else { continue }
        if shape.missing(of: [column], in: home.table) != nil {
          properties[PropertyName(attribute)] = "the column '\(column)'"
        }
      }
      for relationship in entity.relationships {
        properties[PropertyName(relationship)] =
          isGone.contains(relationship.destination)
          ? "the table '\(mapping[relationship.destination].table)'"
          : Self.reason(home.relationships[relationship.name], shape: shape, mapping: mapping)
      }
    }
    for entity in model.entities {
      for relationship in entity.relationships where properties[PropertyName(relationship)] == nil {
        let inverse = model.inverse(of: relationship).flatMap { properties[PropertyName($0)] }
        if !isGone.contains(entity.name) { properties[PropertyName(relationship)] = inverse }
      }
    }
  }

  private static func reason(
    _ home: RelationshipMapping?, shape: SourceShape, mapping: SchemaMapping
  ) -> String? {
    switch home {
    case .foreignKey(let key), .inverseForeignKey(let key):
      return shape.missing(of: key.columns, in: mapping[key.entity].table).map { "the column '\($0)'" }
    case .join(let join):
      guard shape.has(join.table) else { return "the table '\(join.table)'" }
      return shape.missing(of: join.columns + join.destinationColumns, in: join.table).map {
        "the column '\($0)'"
      }
    case nil: return nil
    }
  }

  /// Another part that cannot stay.
  mutating func add(_ property: PropertyName, _ reason: String) {
    properties[property] = properties[property] ?? reason
  }

  func contains(_ property: PropertyName) -> Bool { properties[property] != nil }
}
