import MOCloneModel

// The names of tables and columns, where the model's naming gives others than the source has.
extension Addition {
  /// The old model with everything that is new, and with the keys and destinations that it gets from the source.
  var whole: ObjectModel {
    let redirected = self.redirected
    var all = pairing.old.entities.filter { entity in
      !pairing.gone.entities.contains { $0.name == entity.name }
    }
    for i in all.indices {
      place(&all[i])
      all[i].attributes.removeAll { pairing.gone.contains(PropertyName($0)) }
      all[i].relationships.removeAll { pairing.gone.contains(PropertyName($0)) }
      if let key = pairing.otherKeys.first(where: { $0.entity == all[i].name && $0.isTaken }) {
        all[i].primaryKey = key.columns
      }
      for j in all[i].relationships.indices {
        let relationship = all[i].relationships[j]
        all[i].relationships[j] = redirected[PropertyName(relationship)] ?? relationship
      }
      all[i].attributes += attributes[all[i].name] ?? []
      all[i].relationships += relationships[all[i].name] ?? []
    }
    return ObjectModel(
      unvalidated: pairing.old.name, userInfoKeys: pairing.old.userInfoKeys, store: pairing.old.store,
      entities: all + entities)
  }

  /// Gives an entity what another version of a Core Data model says of it.
  private func place(_ entity: inout EntityDescription) {
    guard let name = pairing.versions?.names[entity.name], let version = pairing.new.entity(name) else {
      return
    }
    entity.parent = version.parent.map(entityName)
    if entity.parent != nil { (entity.table, entity.primaryKey) = (nil, []) }
    entity.isAbstract = version.isAbstract
    // A store knows the entity by the version's name.
    if name != entity.name, let former = version.renamedFrom,
      [entity.name, entity.renamedFrom].contains(former)
    {
      entity.renamedFrom = name
    }
    if let number = numbers[entity.name] { entity.number = number }
  }

  /// Core Data counts entities in the order of their names, which can be others in the model.
  mutating func writeOutNumbers() {
    guard let versions = pairing.versions, let meant = pairing.newMapping.coreData?.numbers,
      let got = SchemaMapping(whole).coreData?.numbers
    else { return }
    for (own, name) in versions.names where got[own] != nil && got[own] != meant[name] {
      numbers[own] = meant[name]
    }
  }

  /// The relationships of the model whose foreign keys lead elsewhere now, as they become.
  private var redirected: [PropertyName: RelationshipDescription] {
    var redirected: [PropertyName: RelationshipDescription] = [:]
    for relationship in pairing.new.entities.flatMap(\.relationships) {
      guard let known = pairing.relationships[PropertyName(relationship)],
        pairing.newMapping[relationship.entity].foreignKey(relationship.name) != nil,
        pairing.leadsElsewhere(known, relationship: relationship)
      else { continue }
      redirected[PropertyName(known)] = self.redirected(known, to: relationship)
    }
    return redirected
  }

  /// A relationship of the model with the destination that the source has, and the inverse there.
  func redirected(
    _ known: RelationshipDescription, to relationship: RelationshipDescription
  ) -> RelationshipDescription {
    var redirected = known
    redirected.destination = entityName(relationship.destination)
    redirected.inverse = pairing.new.inverse(of: relationship).map { propertyName(PropertyName($0)) }
    return redirected
  }

  /// Writes out the names of tables and columns that are others without it.
  mutating func writeOutNames() {
    let meant = pairing.newMapping
    let usual = SchemaMapping(whole)
    for entity in pairing.new.entities {
      guard let i = entities.firstIndex(where: { $0.name == entityName(entity.name) }) else { continue }
      entities[i].writeOut(meant[entity.name], unlike: usual[entities[i].name])
    }
    let got = SchemaMapping(whole)
    for entity in pairing.new.entities where !pairing.skippedEntities.contains(entity.name) {
      let home = entityName(entity.name)
      func fix<T>(_ list: inout [T], edit: (inout T) -> Void) { for i in list.indices { edit(&list[i]) } }
      let origins = Origins(entity, addition: self)
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
        fix(&entities[i].attributes, edit: fixAttribute)
        fix(&entities[i].relationships, edit: fixRelationship)
      } else {
        fix(&attributes[home, default: []], edit: fixAttribute)
        fix(&relationships[home, default: []], edit: fixRelationship)
      }
    }
  }

  /// The source's names of an entity's properties by those in the model.
  private struct Origins {
    var attributes: [String: String] = [:]
    var relationships: [String: String] = [:]

    init(_ entity: EntityDescription, addition: Addition) {
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
        columns = key.written(besides: other.references)
      }
    case (.foreignKey(let key), _): columns = key.written(besides: nil)
    case (.inverseForeignKey(let key), .inverseForeignKey(let other)) where inverse == nil:
      if key.columns != other.columns { columns = key.written(besides: other.references) }
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
  ///
  /// - Parameter usual: what they would reference without.
  func written(besides usual: [String]?) -> [ForeignKeyColumn] {
    columns.indices.map { i in
      let isUsual = usual.map { references.count == $0.count && references[i] == $0[i] } ?? false
      return ForeignKeyColumn(columns[i], references: isUsual ? nil : references[i])
    }
  }
}
