import MOCloneModel

/// What a source has and a model has not, as it would be in the model: with its names, and with the names of tables and
/// columns wherever the model's naming gives others.
struct Addition {
  /// Whole entities.
  var entities: [EntityDescription] = []
  /// Properties by the entity of the model that they are added to.
  var attributes: [String: [AttributeDescription]] = [:]
  var relationships: [String: [RelationshipDescription]] = [:]
  /// Uniqueness constraints by the entity.
  private(set) var constraints: [String: [[String]]] = [:]
  /// Core Data's numbers of entities of the model whose names give others.
  var numbers: [String: Int] = [:]
  let pairing: ModelPairing
  private var entityNames: [String: String] = [:]
  private var propertyNames: [PropertyName: String] = [:]

  init(_ pairing: ModelPairing) {
    self.pairing = pairing
    nameParts()
    collect()
    writeOutNumbers()
    writeOutNames()
  }

  // MARK: Names

  /// The name in the model of an entity of the source.
  func entityName(_ name: String) -> String { entityNames[name] ?? name }

  /// The name in the model of a property of the source.
  func propertyName(_ name: PropertyName) -> String { propertyNames[name] ?? name.name }

  /// The name in the model of a part of the source, which comments and suggestions are about.
  func path(_ path: ModelPath) -> ModelPath {
    var parts = path.components
    guard parts.count > 1, parts[0] == "entities" else { return path }
    if parts.count > 3 {
      let property = PropertyName(entity: parts[1], name: parts[3])
      parts[3] = propertyName(property)
    }
    parts[1] = entityName(parts[1])
    return ModelPath(parts)
  }

  private mutating func nameParts() {
    var taken = Set(pairing.old.entities.map(\.name)).subtracting(pairing.gone.entities.map(\.name))
    entityNames = pairing.entities
    for entity in pairing.new.entities where entityNames[entity.name] == nil {
      entityNames[entity.name] = Self.free(entity.name, taken: &taken)
    }
    for entity in pairing.new.entities {
      let home = entityName(entity.name)
      let relatives = pairing.old.entities.map(\.name).filter {
        pairing.old.isKind($0, of: home) || pairing.old.isKind(home, of: $0)
      }
      var taken = Set(relatives.flatMap { self.names(in: $0) })
      for attribute in entity.attributes {
        let name = PropertyName(attribute)
        propertyNames[name] =
          pairing.attributes[name]?.name ?? pairing.standIns[name]?.name
          ?? Self.free(name.name, taken: &taken)
      }
      for relationship in entity.relationships {
        let name = PropertyName(relationship)
        propertyNames[name] = pairing.relationships[name]?.name ?? Self.free(name.name, taken: &taken)
      }
    }
  }

  private func names(in entity: String) -> [String] {
    guard let entity = pairing.old.entity(entity) else { return [] }
    return entity.attributes.filter { !pairing.gone.contains(PropertyName($0)) }.map(\.name)
      + entity.relationships.filter { !pairing.gone.contains(PropertyName($0)) }.map(\.name)
  }

  private static func free(_ name: String, taken: inout Set<String>) -> String {
    var number = 2
    var free = name
    while !taken.insert(free).inserted {
      free = name + String(number)
      number += 1
    }
    return free
  }

  // MARK: Parts

  private mutating func collect() {
    for entity in pairing.new.entities where !pairing.skippedEntities.contains(entity.name) {
      let home = entityName(entity.name)
      let attributes = entity.attributes.filter {
        isNew(PropertyName($0), found: pairing.attributes[PropertyName($0)])
      }
      .map(named)
      let relationships = entity.relationships
        .filter { isNew(PropertyName($0), found: pairing.relationships[PropertyName($0)]) }.map(named)
      let constraints = entity.uniquenessConstraints.compactMap { self.constraint($0, of: entity) }
      if pairing.entities[entity.name] == nil {
        var copy = entity
        (copy.name, copy.parent) = (home, entity.parent.map(entityName))
        (copy.attributes, copy.relationships, copy.uniquenessConstraints) = (
          attributes, relationships, constraints
        )
        entities.append(copy)
      } else {
        self.attributes[home, default: []] += attributes
        self.relationships[home, default: []] += relationships
        let known = Set(
          pairing.old.lineage(of: home).flatMap { pairing.old.entity($0)!.uniquenessConstraints }.map(
            Set.init))
        self.constraints[home, default: []] += constraints.filter { !known.contains(Set($0)) }
      }
    }
  }

  private func isNew(_ name: PropertyName, found: Any?) -> Bool {
    found == nil && !pairing.skipped.contains(name)
  }

  /// Nil where the model does not have one of the properties.
  private func constraint(_ names: [String], of entity: EntityDescription) -> [String]? {
    let known = names.compactMap { name -> String? in
      let owner = pairing.new.lineage(of: entity.name).first { ancestor in
        let entity = pairing.new.entity(ancestor)!
        return entity.attributes.contains { $0.name == name }
          || entity.relationships.contains { $0.name == name }
      }
      let property = PropertyName(entity: owner ?? entity.name, name: name)
      let isOut = pairing.skipped.contains(property) && pairing.standIns[property] == nil
      return isOut ? nil : propertyName(property)
    }
    return known.count == names.count ? known : nil
  }

  private func named(_ attribute: AttributeDescription) -> AttributeDescription {
    var copy = attribute
    copy.name = propertyName(PropertyName(attribute))
    let key = pairing.new.userInfoKeys.followParent
    if let followed = attribute.userInfo[key].map(FollowedAttribute.init), let entity = followed.entity {
      let property = PropertyName(entity: entity, name: followed.attribute)
      copy.userInfo[key] = "\(entityName(entity)).\(propertyName(property))"
    }
    return copy
  }

  private func named(_ relationship: RelationshipDescription) -> RelationshipDescription {
    var copy = relationship
    copy.name = propertyName(PropertyName(relationship))
    copy.destination = entityName(relationship.destination)
    copy.inverse = pairing.new.inverse(of: relationship).flatMap { inverse in
      pairing.skipped.contains(PropertyName(inverse)) ? nil : propertyName(PropertyName(inverse))
    }
    return copy
  }
}
