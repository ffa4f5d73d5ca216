import MOCloneModel

/// What a source has and a model has not, as it would be in the model: with its names, and with the names of tables and
/// columns wherever the model's naming gives others.
struct Addition {
  /// Whole entities.
  private(set) var entities: [EntityDescription] = []
  /// Properties by the entity of the model that they are added to.
  private(set) var attributes: [String: [AttributeDescription]] = [:]
  private(set) var relationships: [String: [RelationshipDescription]] = [:]
  /// Uniqueness constraints by the entity.
  private(set) var constraints: [String: [[String]]] = [:]
  private let pairing: ModelPairing
  private var entityNames: [String: String] = [:]
  private var propertyNames: [PropertyName: String] = [:]

  init(_ pairing: ModelPairing) {
    self.pairing = pairing
    nameParts()
    collect()
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
      entityNames[entity.name] = Self.free(entity.name, &taken)
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
          pairing.attributes[name]?.name ?? pairing.standIns[name]?.name ?? Self.free(name.name, &taken)
      }
      for relationship in entity.relationships {
        let name = PropertyName(relationship)
        propertyNames[name] = pairing.relationships[name]?.name ?? Self.free(name.name, &taken)
      }
    }
  }

  private func names(in entity: String) -> [String] {
    guard let entity = pairing.old.entity(entity) else { return [] }
    return entity.attributes.filter { !pairing.gone.contains(PropertyName($0)) }.map(\.name)
      + entity.relationships.filter { !pairing.gone.contains(PropertyName($0)) }.map(\.name)
  }

  private static func free(_ name: String, _ taken: inout Set<String>) -> String {
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
        isNew(PropertyName($0), pairing.attributes[PropertyName($0)])
      }
      .map(named)
      let relationships = entity.relationships
        .filter { isNew(PropertyName($0), pairing.relationships[PropertyName($0)]) }.map(named)
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

  private func isNew(_ name: PropertyName, _ found: Any?) -> Bool {
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

// MARK: - Tables and columns

extension Addition {
  /// The old model with everything that is new.
  var whole: ObjectModel {
    var all = pairing.old.entities.filter { entity in
      !pairing.gone.entities.contains { $0.name == entity.name }
    }
    for i in all.indices {
      all[i].attributes.removeAll { pairing.gone.contains(PropertyName($0)) }
      all[i].relationships.removeAll { pairing.gone.contains(PropertyName($0)) }
      all[i].attributes += attributes[all[i].name] ?? []
      all[i].relationships += relationships[all[i].name] ?? []
    }
    return ObjectModel(
      unvalidated: pairing.old.name, userInfoKeys: pairing.old.userInfoKeys, store: pairing.old.store,
      entities: all + entities)
  }

  /// Writes out the names of tables and columns that are others without it.
  private mutating func writeOutNames() {
    let meant = SchemaMapping(pairing.new)
    for entity in pairing.new.entities {
      guard let i = entities.firstIndex(where: { $0.name == entityName(entity.name) }) else { continue }
      let got = SchemaMapping(whole)[entities[i].name]
      entities[i].writeOut(meant[entity.name], unlike: got)
    }
    let got = SchemaMapping(whole)
    for entity in pairing.new.entities where !pairing.skippedEntities.contains(entity.name) {
      let home = entityName(entity.name)
      func fix<T>(_ list: inout [T], _ edit: (inout T) -> Void) { for i in list.indices { edit(&list[i]) } }
      let origins = Origins(entity, self)
      let fixAttribute = { (attribute: inout AttributeDescription) in
        guard let origin = origins.attributes[attribute.name],
          let column = meant[entity.name].attributes[origin]
        else { return }
        attribute.writeOut(column, unlike: got[home].attributes[attribute.name])
      }
      let fixRelationship = { (relationship: inout RelationshipDescription) in
        guard let origin = origins.relationships[relationship.name],
          let columns = meant[entity.name].relationships[origin]
        else { return }
        relationship.writeOut(columns, unlike: got[home].relationships[relationship.name])
      }
      if let i = entities.firstIndex(where: { $0.name == home }) {
        fix(&entities[i].attributes, fixAttribute)
        fix(&entities[i].relationships, fixRelationship)
      } else {
        fix(&attributes[home, default: []], fixAttribute)
        fix(&relationships[home, default: []], fixRelationship)
      }
    }
  }

  /// The source's names of an entity's properties by those in the model.
  private struct Origins {
    var attributes: [String: String] = [:]
    var relationships: [String: String] = [:]

    init(_ entity: EntityDescription, _ addition: Addition) {
      for attribute in entity.attributes {
        attributes[addition.propertyName(PropertyName(attribute))] = attribute.name
      }
      for relationship in entity.relationships {
        relationships[addition.propertyName(PropertyName(relationship))] = relationship.name
      }
    }
  }
}

extension EntityDescription {
  fileprivate mutating func writeOut(_ meant: EntityMapping, unlike got: EntityMapping) {
    guard parent == nil else {
      if let value = meant.discriminator?.value, value != got.discriminator?.value {
        discriminator = DiscriminatorDescription(column: discriminator?.column, value: value)
      }
      return
    }
    if meant.table != got.table { table = meant.table }
    if primaryKey.isEmpty, meant.keyColumns != got.keyColumns {
      primaryKey = meant.keyColumns.map { KeyColumn($0) }
    }
    if let wanted = meant.discriminator, wanted != got.discriminator {
      discriminator = DiscriminatorDescription(column: wanted.column, value: wanted.value)
    }
  }
}

extension AttributeDescription {
  fileprivate mutating func writeOut(_ meant: AttributeColumn, unlike got: AttributeColumn?) {
    if meant.column != got?.column { column = meant.column }
    if type == .date, meant.dates != got?.dates { storage = .date(meant.dates) }
    if type == .uuid, meant.uuids != got?.uuids { storage = .uuid(meant.uuids) }
  }
}

extension RelationshipDescription {
  fileprivate mutating func writeOut(_ meant: RelationshipMapping, unlike got: RelationshipMapping?) {
    switch (meant, got) {
    case (.foreignKey(let key), .foreignKey(let other)):
      if key.columns != other.columns || key.references != other.references {
        columns = key.written(besides: other)
      }
    case (.foreignKey(let key), _): columns = key.written(besides: nil)
    case (.inverseForeignKey(let key), .inverseForeignKey(let other)) where inverse == nil:
      if key.columns != other.columns { columns = key.written(besides: other) }
    case (.join(let join), .join(let other)):
      if (join.table, join.columns) != (other.table, other.columns)
        || join.destinationColumns != other.destinationColumns
      {
        joinTable = JoinTableDescription(
          table: join.table, columns: join.columns, inverseColumns: join.destinationColumns,
          orderColumn: join.orderColumn)
      }
    default: break
    }
  }
}

extension ForeignKeyMapping {
  /// The columns, with what they reference where it is not what it would be without.
  fileprivate func written(besides other: ForeignKeyMapping?) -> [ForeignKeyColumn] {
    columns.indices.map { i in
      let isUsual =
        other.map { references.count == $0.references.count && references[i] == $0.references[i] } ?? false
      return ForeignKeyColumn(columns[i], references: isUsual ? nil : references[i])
    }
  }
}

extension PropertyName {
  init(entity: String, name: String) {
    (self.entity, self.name) = (entity, name)
  }
}
