import MOCloneModel
import MOCloneSQL

/// What is more than a column: references to several tables, join tables, and uniqueness.
extension ModelAssembly {
  mutating func add(_ pair: PolymorphicPair, of table: DatabaseTable) {
    let base = shape.entities[table.id]
    let column = table.schema.column(pair.keyColumn)
    let forward = taken[table.id, default: TakenNames()].claim(
      pair.role.lowerCamel, pair.role.lowerCamel + "Target")
    var used = TakenNames()
    for entity in entities { _ = used.claim(entity.name) }
    for target in pair.targets {
      guard let other = target.table else {
        let words = PolymorphicPair.kind(target.value).appending(shape.entities.one(table.id))
        let name = used.claim(words.upperCamel, base + "OfOther")
        entities.append(
          EntityDescription(
            name: name, parent: base, discriminator: DiscriminatorDescription(value: target.value)))
        note(["These rows refer to nothing, so they have no '\(forward)'."], at: .entity(name))
        continue
      }
      let words = shape.entities.one(other).appending(shape.entities.one(table.id))
      let many = shape.entities.many(table)
      let name = used.claim(words.upperCamel, base + "Of" + shape.entities[other])
      let backward = taken[other, default: TakenNames()].claim(
        many.lowerCamel, pair.role.appending(many).lowerCamel)
      entities.append(
        EntityDescription(
          name: name, parent: base,
          relationships: [
            RelationshipDescription(
              name: forward, destination: shape.entities[other],
              isOptional: column?.isRequired != true,
              inverse: backward, columns: target.columns.map { ForeignKeyColumn($0) })
          ], discriminator: DiscriminatorDescription(value: target.value)))
      entities[places[other]!].relationships.append(
        RelationshipDescription(name: backward, destination: name, isToMany: true, inverse: forward))
    }
    note(
      [
        "'\(pair.typeColumn)' tells which table '\(pair.keyColumn)' references: there is a sub-entity for each."
      ],
      at: .entity(base))
  }

  // MARK: Join tables

  mutating func add(_ join: JoinShape) {
    let lists = [0, 1].map { end in
      taken[join.ends[1 - end].target, default: TakenNames()].claim(shape.names.list(of: end, in: join))
    }
    for end in [1, 0] {
      let (own, other) = (join.ends[1 - end], join.ends[end])
      // The first end describes the table, unless the list of the other one has an order.
      let describes = end == 1
      var relationship = RelationshipDescription(
        name: lists[end], destination: shape.entities[other.target], isToMany: true,
        inverse: lists[1 - end])
      if describes {
        relationship.joinTable = JoinTableDescription(
          table: join.table.schema.name, columns: own.columns, inverseColumns: other.columns)
      }
      if let order = join.order, order.end == 1 - end {
        relationship.isOrdered = true
        relationship.orderColumn = order.column
      }
      entities[places[own.target]!].relationships.append(relationship)
    }
  }

  // MARK: Uniqueness

  mutating func addConstraints(_ table: DatabaseTable) {
    let i = places[table.id]!
    var constraints: [[String]] = []
    // SQLite lists the last index first.
    let isReversed = !shape.contents.schema.dialect.hasTypes
    for index in isReversed ? table.schema.indexes.reversed() : table.schema.indexes
    where index.isUnique && index.condition == nil {
      let columns = index.columns.compactMap(\.name)
      guard columns.count == index.columns.count, let names = properties(of: columns, in: table),
        !constraints.contains(where: { Set($0) == Set(names) }),
        !index.isPrimaryKey || isReferenced(columns, table: table) || isNumberedWithinOwner(table)
      else { continue }
      constraints.append(names)
    }
    // The first one is the identity, which is best one that every object has, and that no other object is needed for.
    let optional = Set(
      entities[i].attributes.filter(\.isOptional).map(\.name)
        + entities[i].relationships.filter(\.isOptional).map(\.name))
    // A place among others goes to another object where they are arranged anew.
    let attributes = attributeNames[table.id, default: [:]]
    let others = Set(
      entities[i].relationships.map(\.name) + JoinShapes.positions.compactMap { attributes[$0] })
    let empty = propertiesWithNulls(of: table)
    func weight(_ names: [String]) -> Int {
      (empty.isDisjoint(with: names) ? 0 : 4) + (optional.isDisjoint(with: names) ? 0 : 2)
        + (others.isDisjoint(with: names) ? 0 : 1)
    }
    // Where no other identity is sure, it is a key that tells objects apart in every store.
    if let key = uuidKey(of: table), !constraints.contains(where: { weight($0) == 0 }) {
      constraints.append([key])
    }
    if let pair = shape.pairs[table.id] { addConstraints(pair, of: table) }
    entities[i].uniquenessConstraints = (0...7).flatMap { worth in constraints.filter { weight($0) == worth }
    }
  }

  /// Whether the key tells rows of an owner apart by a number that it counts for people, as `(project_id, number)` does; an
  /// `id` is counted for the store.
  private func isNumberedWithinOwner(_ table: DatabaseTable) -> Bool {
    let key = shape.keys[table.id]?.columns ?? []
    return key.contains { shape.references.hold($0.column, of: table) }
      && key.contains { part in
        part.generate == .max && table.schema.column(part.column)?.sequence == nil
          && NameWords(part.column).key.last != "id"
      }
  }

  /// The attribute on a key of UUIDs that is one column.
  private func uuidKey(of table: DatabaseTable) -> String? {
    guard let key = shape.keys[table.id]?.columns, key.count == 1, key[0].generate == .uuid,
      let name = attributeNames[table.id]?[key[0].column.sqlName]
    else { return nil }
    return entities[places[table.id]!].attributes.contains { $0.name == name && $0.type == .uuid }
      ? name : nil
  }

  /// The attributes and to-one relationships that some rows lack.
  private func propertiesWithNulls(of table: DatabaseTable) -> Set<String> {
    let columns = table.schema.columns.map(\.name).filter { table.values(of: $0).hasNull }
    let attributes = columns.compactMap { attributeNames[table.id]?[$0.sqlName] }
    let references = shape.references.of(table.id).filter { reference in
      columns.contains { reference.holds($0) }
    }
    return Set(attributes + references.compactMap { names[$0]?.forward })
  }

  /// A unique index with type and key of a reference to several tables is a constraint of each sub-entity.
  private mutating func addConstraints(_ pair: PolymorphicPair, of table: DatabaseTable) {
    let base = shape.entities[table.id]
    let own = [pair.typeColumn, pair.keyColumn].names
    for index in table.schema.indexes
    where index.isUnique && index.isOfAllValues && !index.isPrimaryKey {
      let columns = index.columns.compactMap(\.name)
      guard columns.count == index.columns.count, own.isSubset(of: columns.names),
        let others = properties(of: columns.filter { !own.contains($0.sqlName) }, in: table)
      else { continue }
      for i in entities.indices where entities[i].parent == base {
        // Null is equal to nothing.
        guard let reference = entities[i].relationships.first?.name else { continue }
        let names = others + [reference]
        if !entities[i].uniquenessConstraints.contains(names) {
          entities[i].uniquenessConstraints.append(names)
        }
      }
    }
  }

  /// Whether a foreign key needs the constraint, although the columns are the key.
  private func isReferenced(_ columns: [String], table: DatabaseTable) -> Bool {
    shape.objectReferences.contains {
      $0.target == table.id && !$0.referencesKey && $0.references.names == columns.names
    }
  }

  /// The attributes and to-one relationships that have some columns, and no others.
  private func properties(of columns: [String], in table: DatabaseTable) -> [String]? {
    let wanted = columns.names
    var found: [String] = []
    var covered: Set<String> = []
    for reference in shape.references.of(table.id) where reference.columnNames.isSubset(of: wanted) {
      found.append(names[reference]!.forward)
      covered.formUnion(reference.columnNames)
    }
    for column in wanted.subtracting(covered).sorted() {
      guard let name = attributeNames[table.id]?[column] else { return nil }
      found.append(name)
    }
    // As the index has them, for people.
    return found.sorted { place(of: $0, columns, table: table) < place(of: $1, columns, table: table) }
  }

  private func place(of property: String, _ columns: [String], table: DatabaseTable) -> Int {
    let own = attributeNames[table.id]?.first { $0.value == property }.map { Set([$0.key]) }
    let reference = names.first { $0.key.table == table.id && $0.value.forward == property }?.key.columnNames
    let names = own ?? reference ?? []
    return columns.firstIndex { names.contains($0.sqlName) } ?? columns.count
  }
}

// MARK: - Keys

extension ModelAssembly {
  /// Says what to type where every part of a key is copied or a reference, so that an object cloned by itself has its
  /// original's key.
  mutating func noteKey(of table: DatabaseTable) {
    guard let key = shape.keys[table.id]?.columns, key.count > 1, key.allSatisfy({ $0.generate == nil })
    else {
      return
    }
    let columns = key.map(\.column)
    let references = shape.references.of(table.id).filter { reference in
      columns.contains { reference.holds($0) } && names[reference] != nil
        && !shape.references.leadsBack(reference, of: table)
    }
    let parts =
      references.map { names[$0]!.forward }
      + columns.compactMap { column in
        references.contains { $0.holds(column) } ? nil : attributeNames[table.id]?[column.sqlName]
      }
    guard let last = parts.last else { return }
    let list = parts.map { "'\($0)'" }.alternatives
    let value = references.contains { names[$0]!.forward == last } ? "KEY" : "VALUE"
    note(
      [
        "No part of the key is generated, so an object that is cloned by itself needs another \(list), as in "
          + "--set \(last)=\(value)."
      ], at: .entity(shape.entities[table.id]))
  }
}
