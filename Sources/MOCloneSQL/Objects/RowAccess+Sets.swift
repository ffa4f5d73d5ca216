import MOCloneEngine
import MOCloneModel

/// What many objects of one concrete entity hold, by one query.
extension RowAccess {
  /// The values of attributes that are stored, in step with the objects.
  package func values(_ names: [String], ofEach objects: [ObjectID]) throws -> [[AttributeValue]] {
    guard let entity = objects.first?.entity, !names.isEmpty else { return objects.map { _ in [] } }
    let attributes = try names.map { try attribute($0, of: entity) }
    let columns = attributes.map(\.1.column)
    let found = try rows(of: objects, dialect.columns("s", columns))
    return try objects.map { object in
      let row = try found[object.key]?.first ?? self.columns(columns, of: object)
      return try zip(attributes, row).map { try value($0.0, $0.1, of: object, stored: $1) }
    }
  }

  /// The destinations of a relationship, in step with the objects: in order where it is ordered, else by key.
  package func destinations(_ name: String, ofEach objects: [ObjectID]) throws -> [[ObjectID]] {
    guard let entity = objects.first?.entity else { return [] }
    let relationship = try model.existingRelationship(name, of: entity)
    let destination = try self.entity(relationship.destination)
    let home = mapping[entity].relationships[name]!
    guard try comparesAlike(home, of: entity, destination) else {
      return try objects.map { try destinations(name, of: $0) }
    }
    let (pairs, tie) = home.way(from: "s", to: "d", over: "j", in: dialect)
    var isHeld = Condition.always
    var order: String?
    switch home {
    case .foreignKey: break
    case .inverseForeignKey(let key):
      isHeld = holders.condition(key, alias: "d")
      order = key.orderColumn.map { dialect.sorting(position: dialect.column("d", $0)) }
    case .join(let join):
      order = join.orderColumn.map { dialect.sorting(position: dialect.column("j", $0)) }
    }
    let joins =
      (pairs.map { [From.Join.ordered("\(dialect.table($0.table)) j", on: $0.tie)] } ?? [])
      + [.ordered("\(dialect.table(destination.table)) d", on: tie && isHeld)]
    let keys = dialect.columns("d", destination.keyColumns)
    let found = try rows(
      of: objects, [discriminator(destination, alias: "d")] + keys, joins,
      order: [order].compactMap { $0 } + keys)
    return try objects.map { object in
      try (found[object.key] ?? []).map { try id($0, of: relationship.destination) }
    }
  }

  /// Whether the columns of a relationship are compared with each other as they are with values.
  private func comparesAlike(
    _ home: RelationshipMapping, of entity: String, _ destination: EntityMapping
  ) throws -> Bool {
    typealias Side = (table: String, columns: [String])
    let ties: [(Side, Side)] =
      switch home {
      case .foreignKey(let key), .inverseForeignKey(let key):
        [((mapping[key.entity].table, key.columns), (mapping[key.destination].table, key.references))]
      case .join(let join):
        [
          ((join.table, join.columns), (mapping[entity].table, join.references)),
          ((join.table, join.destinationColumns), (destination.table, join.destinationReferences)),
        ]
      }
    let schema = try db.columns(of: Set(ties.flatMap { [$0.0.table, $0.1.table] }).sorted())
    return ties.allSatisfy { own, other in
      zip(own.columns, other.columns).allSatisfy {
        ReferenceNotation(schema[own.table]?.column($0), to: schema[other.table]?.column($1), dialect)
          .comparesAsValues
      }
    }
  }

  /// What a query selects of the rows `s` of objects and of what is joined to them, by the keys of the objects.
  private func rows(
    of objects: [ObjectID], _ columns: [String], _ joins: [From.Join] = [], order: [String] = []
  ) throws -> [ObjectKey: [[StoredValue]]] {
    let entity = try entity(objects[0].entity)
    let coding = KeyCoding(entity: entity)
    let keys = dialect.columns("s", entity.keyColumns)
    var arguments = Arguments()
    let values = objects.map { arguments.add(coding.encode($0.key), dialect) }
    let isMeant =
      keys.count == 1
      ? Condition.among(keys[0], values: values.map { $0[0] })
      : values.map { Condition.equal(keys, $0) }.any
    let query = Select(keys + columns, from: From("\(dialect.table(entity.table)) s", joins: joins))
      .where(isMeant).ordered(by: order)
    var rows: [ObjectKey: [[StoredValue]]] = [:]
    for row in try db.rows(query, arguments) {
      rows[coding.decode(row, from: 0), default: []].append(Array(row[keys.count...]))
    }
    return rows
  }
}
