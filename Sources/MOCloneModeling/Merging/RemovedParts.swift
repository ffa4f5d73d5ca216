import MOCloneModel

/// The parts of a model that its source has no more, each with the reason.
struct RemovedParts {
  private(set) var entities: [(name: String, reason: String)] = []
  private(set) var properties: [PropertyName: String] = [:]

  init() {}

  /// - Parameters:
  ///   - model: the model with the numbers of the source.
  ///   - former: the names of tables and columns that the model has itself, which the reasons tell.
  ///   - lost: sub-entities that the source has no more.
  init(of model: ObjectModel, in shape: SourceShape, former: SchemaMapping, lost: Set<String> = []) {
    let mapping = SchemaMapping(model)
    entities = model.entities.compactMap { entity -> (name: String, reason: String)? in
      guard shape.has(mapping[entity.name].table) else {
        return (entity.name, LostPart(table: former[entity.name].table).text)
      }
      return lost.contains(entity.name) ? (entity.name, LostPart(entity: entity.name).text) : nil
    }
    let reasons = Dictionary(entities.map { ($0.name, $0.reason) }) { first, _ in first }
    for entity in model.entities where reasons[entity.name] == nil {
      let home = mapping[entity.name]
      for attribute in entity.attributes {
        guard let column = home.attributes[attribute.name]?.column else { continue }
        if shape.missing(of: [column], in: home.table) != nil {
          let lost = former[entity.name].attributes[attribute.name].map {
            LostPart(column: $0.column, of: home.table, seenFrom: home.table)
          }
          properties[PropertyName(attribute)] = Self.reason(lost, in: entity.name, home.table, shape)
        }
      }
      for relationship in entity.relationships {
        properties[PropertyName(relationship)] =
          reasons[relationship.destination]
          ?? Self.lost(by: relationship, shape: shape, mapping: mapping, former: former).map {
            Self.reason($0, in: entity.name, home.table, shape)
          }
      }
    }
    for entity in model.entities {
      for relationship in entity.relationships where properties[PropertyName(relationship)] == nil {
        let inverse = model.inverse(of: relationship).flatMap { properties[PropertyName($0)] }
        if reasons[entity.name] == nil { properties[PropertyName(relationship)] = inverse }
      }
    }
  }

  /// Something else can have the table or the column that the model names; a transient attribute has none.
  private static func reason(
    _ lost: LostPart?, in entity: String, _ table: String, _ shape: SourceShape
  ) -> String {
    guard let lost, !lost.isBack(in: shape, home: table) else { return "'\(entity)' has it no more" }
    return lost.text
  }

  private static func lost(
    by relationship: RelationshipDescription, shape: SourceShape, mapping: SchemaMapping,
    former: SchemaMapping
  ) -> LostPart? {
    guard let place = mapping.place(of: relationship) else { return nil }
    let formerPlace = former.place(of: relationship) ?? place
    guard shape.has(place.table) else { return LostPart(table: formerPlace.table) }
    let missing = zip(place.columns, formerPlace.columns).first { column, _ in
      shape.missing(of: [column], in: place.table) != nil
    }
    return missing.map {
      LostPart(column: $0.1, of: formerPlace.table, seenFrom: former[relationship.entity].table)
    }
  }

  /// Another part that cannot stay.
  mutating func add(_ property: PropertyName, _ reason: String) {
    properties[property] = properties[property] ?? reason
  }

  func contains(_ property: PropertyName) -> Bool { properties[property] != nil }
}

extension SchemaMapping {
  /// The table with the columns of a relationship, and these.
  fileprivate func place(of relationship: RelationshipDescription) -> (table: String, columns: [String])? {
    switch self[relationship.entity].relationships[relationship.name] {
    case .foreignKey(let key), .inverseForeignKey(let key): (self[key.entity].table, key.columns)
    case .join(let join): (join.table, join.columns + join.destinationColumns)
    case nil: nil
    }
  }
}
