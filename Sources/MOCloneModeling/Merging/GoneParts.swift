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
      return shape.has(table) ? nil : (entity.name, LostPart(table: table).text)
    }
    let isGone = Set(entities.map(\.name))
    for entity in model.entities where !isGone.contains(entity.name) {
      let home = mapping[entity.name]
      for attribute in entity.attributes {
        guard let column = home.attributes[attribute.name]?.column else { continue }
        if shape.missing(of: [column], in: home.table) != nil {
          properties[PropertyName(attribute)] =
            LostPart(column: column, of: home.table, seenFrom: home.table).text
        }
      }
      for relationship in entity.relationships {
        properties[PropertyName(relationship)] =
          isGone.contains(relationship.destination)
          ? LostPart(table: mapping[relationship.destination].table).text
          : Self.lost(by: relationship, in: home, shape: shape, mapping: mapping)?.text
      }
    }
    for entity in model.entities {
      for relationship in entity.relationships where properties[PropertyName(relationship)] == nil {
        let inverse = model.inverse(of: relationship).flatMap { properties[PropertyName($0)] }
        if !isGone.contains(entity.name) { properties[PropertyName(relationship)] = inverse }
      }
    }
  }

  private static func lost(
    by relationship: RelationshipDescription, in home: EntityMapping, shape: SourceShape,
    mapping: SchemaMapping
  ) -> LostPart? {
    func missing(of columns: [String], in table: String) -> LostPart? {
      shape.missing(of: columns, in: table).map {
        LostPart(column: $0, of: table, seenFrom: home.table)
      }
    }
    switch home.relationships[relationship.name] {
    case .foreignKey(let key), .inverseForeignKey(let key):
      return missing(of: key.columns, in: mapping[key.entity].table)
    case .join(let join):
      guard shape.has(join.table) else { return LostPart(table: join.table) }
      return missing(of: join.columns + join.destinationColumns, in: join.table)
    case nil: return nil
    }
  }

  /// Another part that cannot stay.
  mutating func add(_ property: PropertyName, _ reason: String) {
    properties[property] = properties[property] ?? reason
  }

  func contains(_ property: PropertyName) -> Bool { properties[property] != nil }
}
