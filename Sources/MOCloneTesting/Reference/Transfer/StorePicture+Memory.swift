import MOCloneEngine
import MOCloneModel

extension StorePicture {
  /// What a graph holds, written as a store of its model would have it.
  package init(_ graph: any ObjectGraph) throws {
    self.init(graph.model, [:])
    let model = graph.model
    for entity in model.entities where !entity.isAbstract {
      let map = mapping[entity.name]
      // A table without rows is there, too.
      if tables[map.table] == nil { tables[map.table] = Table([]) }
      let attributes = model.attributes(of: entity.name).filter { !$0.isTransient }
      for object in try graph.objectIDs(entity.name) where object.entity == entity.name {
        var row = Row([:])
        // A key in memory is a number, whatever it consists of in a store.
        if map.key.count == 1 { row.values[map.key[0].column] = Self.key(object.key.parts[0]) }
        for attribute in attributes {
          let column = map.attributes[attribute.name]!
          if column.keyPart != nil, map.key.count == 1 { continue }
          row.values[column.column] = ReferenceNotations.raw(
            try graph.value(attribute.name, of: object), column)
        }
        if let discriminator = map.discriminator {
          row.values[discriminator.column] = .string(discriminator.value)
        }
        for relationship in model.relationships(of: entity.name) {
          guard let key = map.foreignKey(relationship.name) else { continue }
          let parts = try graph.destinations(relationship.name, of: object).first?.key.parts.map(Self.key)
          for (i, column) in key.columns.enumerated() { row.values[column] = parts?[i] ?? .null }
        }
        tables[map.table]!.rows.append(row)
      }
      addColumns(of: entity.name)
    }
    try addLists(of: graph)
    try addPairs(of: graph)
    addConstraints()
  }

  private mutating func addConstraints() {
    for entity in model.entities {
      let map = mapping[entity.name]
      for names in entity.uniquenessConstraints {
        let columns = names.flatMap { name -> [String] in
          if case .foreignKey(let key)? = map.relationships[name] { return key.columns }
          return [map.attributes[name]?.column].compactMap { $0 }
        }
        tables[map.table]?.uniqueColumns.append(columns)
      }
    }
  }

  private static func key(_ part: AttributeValue) -> RawValue {
    switch part {
    case .integer(let number): .integer(number)
    case .uuid(let uuid): .string(uuid.uuidString)
    default: .string("\(part)")
    }
  }

  private mutating func addColumns(of entity: String) {
    let map = mapping[entity]
    let positions = references.filter { mapping[$0.key.entity].table == map.table }.flatMap {
      $0.key.columns + [$0.key.orderColumn].compactMap { $0 }
    }
    let names =
      map.keyColumns + map.attributes.values.map(\.column) + positions
      + [map.discriminator?.column].compactMap { $0 }
    for name in names where !tables[map.table]!.columns.contains(where: { $0.name == name }) {
      tables[map.table]!.columns.append(Column(name))
    }
  }

  /// Positions, and references that only the other side knows of.
  private mutating func addLists(of graph: any ObjectGraph) throws {
    for reference in references {
      guard let list = reference.backward, list.isToMany, reference.forward == nil || list.isOrdered else {
        continue
      }
      for owner in objects(of: list.entity) {
        let object = ObjectID(entity(of: owner), key: objectKey(of: owner))
        for (position, member) in try graph.destinations(list.name, of: object).enumerated() {
          let place = find(
            mapping[member.entity].keyColumns, member.key.parts.map(Self.key),
            in: mapping[member.entity].table)[0]
          if reference.forward == nil { set(reference, of: place, to: owner) }
          if let column = reference.key.orderColumn { self[place, column] = .integer(Int64(position)) }
        }
      }
    }
  }

  private mutating func addPairs(of graph: any ObjectGraph) throws {
    for join in joins {
      let map = join.map
      let positions = [map.orderColumn, map.inverseOrderColumn].compactMap { $0 }
      tables[map.table] = Table((map.columns + map.destinationColumns + positions).map { Column($0) })
      for owner in objects(of: join.relationship.entity) {
        let object = ObjectID(entity(of: owner), key: objectKey(of: owner))
        for (position, member) in try graph.destinations(join.relationship.name, of: object).enumerated() {
          var row = Row([:])
          for (column, value) in zip(map.columns, object.key.parts) { row.values[column] = Self.key(value) }
          for (column, value) in zip(map.destinationColumns, member.key.parts) {
            row.values[column] = Self.key(value)
          }
          if let column = map.orderColumn { row.values[column] = .integer(Int64(position)) }
          if let inverse = join.inverse, let column = map.inverseOrderColumn {
            let list = try graph.destinations(inverse.name, of: member)
            row.values[column] = .integer(Int64(list.firstIndex(of: object)!))
          }
          tables[map.table]!.rows.append(row)
        }
      }
    }
  }
}

extension StorePicture {
  /// Makes the objects of a picture in a graph: what is not a value of its type is null there, and a reference that
  /// leads nowhere leads to nothing.
  package func fill(_ graph: any ObjectGraph) throws {
    var made: [Place: ObjectID] = [:]
    try graph.atomically {
      let all = model.entities.filter { $0.parent == nil }.flatMap { objects(of: $0.name) }
      for place in all where mapping[entity(of: place)].key.count == 1 {
        made[place] = try insert(place, in: graph, made)
      }
      for place in all where made[place] == nil { made[place] = try insert(place, in: graph, made) }
      for place in all where mapping[entity(of: place)].key.count == 1 {
        for relationship in model.relationships(of: entity(of: place)) where !relationship.isToMany {
          guard case .foreignKey = mapping[entity(of: place)].relationships[relationship.name]!,
            let destination = destination(relationship, of: place)
          else { continue }
          try graph.setDestinations([made[destination]!], relationship.name, of: made[place]!)
        }
      }
      for place in all {
        for relationship in model.relationships(of: entity(of: place)) where relationship.isToMany {
          let list = destinations(relationship, of: place).compactMap { made[$0] }
          if list.isEmpty { continue }
          try graph.setDestinations(list, relationship.name, of: made[place]!)
        }
      }
    }
    try graph.save()
  }

  private func insert(_ place: Place, in graph: any ObjectGraph, _ made: [Place: ObjectID]) throws -> ObjectID
  {
    let entity = entity(of: place)
    var values: [String: AttributeValue] = [:]
    let stored = model.attributes(of: entity).filter { !$0.isTransient }
    for attribute in stored where !attribute.isKeptByTriggers {
      values[attribute.name] = value(attribute, of: place) ?? .null
    }
    for relationship in model.relationships(of: entity) where !relationship.isToMany {
      let isKey = mapping[entity].key.contains { part in
        if case .relationship(relationship.name, _) = part.source { true } else { false }
      }
      guard isKey || !relationship.isOptional, let owner = destination(relationship, of: place) else {
        continue
      }
      values[relationship.name] = made[owner]?.key.parts[0]
    }
    let object = try graph.insertObject(entity, key: nil, values: values)
    for attribute in stored where attribute.isKeptByTriggers {
      try graph.setValue(value(attribute, of: place) ?? .null, for: attribute.name, of: object)
    }
    return object
  }
}
