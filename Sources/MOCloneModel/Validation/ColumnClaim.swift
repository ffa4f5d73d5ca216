/// A column that something of the model takes in a table.
struct ColumnClaim {
  enum Kind {
    case key, attribute, foreignKey, order, discriminator
  }

  var column: String
  var kind: Kind
  /// The entity that declares what takes the column.
  var declarer: String
  /// The attribute or relationship that takes the column or, for an order, has it.
  var property = ""
  /// The entity in whose rows the column is used.
  var entity: String
  /// Nil for foreign keys, order and discriminator columns.
  var type: AttributeType?
  /// Whether every insert leaves the value to triggers.
  var isKeptByTriggers = false
  /// The columns of the foreign key that takes the column, in lower case.
  var foreignKey: [String] = []

  /// What takes the column, as a message names it.
  var owner: String {
    switch kind {
    case .key: "the key of '\(declarer)'"
    case .discriminator: "the discriminator of '\(declarer)'"
    case .attribute, .foreignKey: "'\(declarer).\(property)'"
    case .order: "the order of '\(declarer).\(property)'"
    }
  }

  var path: ModelPath {
    let entity = ModelPath.entity(declarer)
    return switch kind {
    case .key: entity / "primaryKey"
    case .discriminator: entity / "discriminator"
    case .attribute: entity / "attributes" / property
    case .foreignKey, .order: entity / "relationships" / property
    }
  }

  /// Whether two things that meet in one row, or in two rows of one table, may share the column.
  func mayShare(with other: ColumnClaim, onKeyColumn: Bool, areSiblings: Bool) -> Bool {
    if areSiblings {
      return kind == other.kind && kind != .discriminator && type == other.type
        && isKeptByTriggers == other.isKeptByTriggers
    }
    // Composite keys share a part, as those of one tenant do, where each has a column of its own or is that part.
    if kind == .foreignKey, other.kind == .foreignKey, foreignKey != other.foreignKey { return true }
    // What tells the entities apart may be a part of the key, as in that of a polymorphic reference.
    if onKeyColumn, Set([kind, other.kind]) == [.key, .discriminator] { return true }
    // A key part may be a reference as well, and an attribute another name for it; one name is enough.
    let isProperty = [kind, other.kind].allSatisfy { [.key, .attribute, .foreignKey].contains($0) }
    return onKeyColumn && isProperty && !(kind == .attribute && other.kind == .attribute)
  }
}

extension ModelChecks {
  /// The columns that are taken in each table, in the order of declaration, by the table's root entity.
  func columnClaims() -> [(root: String, claims: [ColumnClaim])] {
    var claims = Dictionary(grouping: hiddenForeignKeys()) { sound.rootEntity(of: $0.entity) }
    let roots = entities.filter { sound.rootEntity(of: $0.name) == $0.name }.map(\.name)
    for entity in entities {
      claims[sound.rootEntity(of: entity.name), default: []].append(contentsOf: ownClaims(of: entity))
    }
    return roots.map { root in (root, keyClaims(of: root) + (claims[root] ?? [])) }
  }

  private func keyClaims(of root: String) -> [ColumnClaim] {
    let home = mapping[root]
    let key = home.keyColumns.map { ColumnClaim(column: $0, kind: .key, declarer: root, entity: root) }
    let discriminator = home.discriminator.map {
      ColumnClaim(column: $0.column, kind: .discriminator, declarer: root, entity: root)
    }
    return key + [discriminator].compactMap { $0 }
  }

  private func ownClaims(of entity: EntityDescription) -> [ColumnClaim] {
    let home = mapping[entity.name]
    let attributes = entity.attributes.compactMap { attribute in
      home.attributes[attribute.name].map {
        ColumnClaim(
          column: $0.column, kind: .attribute, declarer: entity.name, property: attribute.name,
          entity: entity.name, type: attribute.type, isKeptByTriggers: attribute.isKeptByTriggers)
      }
    }
    let references = entity.relationships.flatMap { relationship -> [ColumnClaim] in
      guard let key = home.foreignKey(relationship.name) else { return [] }
      return claims(of: key, relationship, orderedBy: sound.inverse(of: relationship) ?? relationship)
    }
    return attributes + references
  }

  /// The foreign keys of to-many relationships without inverse, which are in the destination's table.
  func hiddenForeignKeys() -> [ColumnClaim] {
    soundRelationships.filter { $0.inverse == nil }.flatMap { relationship -> [ColumnClaim] in
      guard case .inverseForeignKey(let key) = mapping[relationship.entity].relationships[relationship.name]
      else { return [] }
      return claims(of: key, relationship, orderedBy: relationship)
    }
  }

  private func claims(
    of key: ForeignKeyMapping, _ relationship: RelationshipDescription,
    orderedBy list: RelationshipDescription
  ) -> [ColumnClaim] {
    let columns = key.columns.map {
      ColumnClaim(
        column: $0, kind: .foreignKey, declarer: relationship.entity, property: relationship.name,
        entity: key.entity, foreignKey: key.columns.map { $0.sqlName }.sorted())
    }
    let order = key.orderColumn.map {
      ColumnClaim(
        column: $0, kind: .order, declarer: list.entity, property: list.name, entity: key.entity)
    }
    return columns + [order].compactMap { $0 }
  }
}
