/// Where a model is in SQL: the table, key and columns of every entity, with every default settled.
///
/// A pure function of the model; whether a database agrees is for the store to say.
package struct SchemaMapping: Sendable, Equatable {
  package let entities: [String: EntityMapping]
  /// Nil where tables are not named as Core Data does.
  package let coreData: CoreDataMapping?
  /// The columns that some entity or relationship names, by their tables, as SQL compares names.
  package let namedColumns: [String: Set<String>]

  package init(_ model: ObjectModel) {
    self = model.memo.mapping { MappingBuilder(model).build() }
  }

  init(entities: [String: EntityMapping], coreData: CoreDataMapping?) {
    self.entities = entities
    self.coreData = coreData
    namedColumns = Self.namedColumns(entities)
  }

  private static func namedColumns(_ entities: [String: EntityMapping]) -> [String: Set<String>] {
    var named: [String: Set<String>] = [:]
    func name(_ columns: [String?], in table: String) {
      named[table.sqlName, default: []].formUnion(columns.lazy.compactMap { $0?.sqlName })
    }
    for home in entities.values {
      name(home.keyColumns + home.attributes.values.map(\.column), in: home.table)
      name([home.discriminator?.column], in: home.table)
      for relationship in home.relationships.values {
        switch relationship {
        case .foreignKey(let key), .inverseForeignKey(let key):
          guard let holder = entities[key.entity] else { continue }
          name(key.columns + [key.orderColumn], in: holder.table)
        case .join(let join):
          name(join.columns + join.destinationColumns, in: join.table)
          name([join.orderColumn, join.inverseOrderColumn], in: join.table)
        }
      }
    }
    return named
  }

  /// The same in a database whose columns hold values of their type only.
  package var typed: SchemaMapping {
    changing { home in
      for place in home.key.indices { home.key[place].isTyped = true }
      for attribute in home.attributes.keys { home.attributes[attribute]!.isTyped = true }
    }
  }

  /// The same in a database that has no schemas, as one of SQLite.
  package func withoutSchema(of store: StoreOptions) -> SchemaMapping {
    store.schema == nil ? self : renamingTables { store.plainTable($0) }
  }

  /// The same where the types of columns are known.
  ///
  /// - Parameter base: the type of a column of a table, as the database calls it.
  package func knowing(_ base: (_ table: String, _ column: String) -> String?) -> SchemaMapping {
    changing { home in
      for (attribute, column) in home.attributes {
        home.attributes[attribute]!.base = base(home.table, column.column)
      }
      for (place, part) in home.key.enumerated() { home.key[place].base = base(home.table, part.column) }
    }
  }

  /// The same in tables of other names.
  package func renamingTables(_ name: (String) throws -> String) rethrows -> SchemaMapping {
    try changing { home in
      home.table = try name(home.table)
      for (relationship, mapping) in home.relationships {
        guard case .join(var join) = mapping else { continue }
        join.table = try name(join.table)
        home.relationships[relationship] = .join(join)
      }
    }
  }

  private func changing(_ change: (inout EntityMapping) throws -> Void) rethrows -> SchemaMapping {
    var entities = entities
    for name in entities.keys { try change(&entities[name]!) }
    return SchemaMapping(entities: entities, coreData: coreData)
  }

  /// How positions in ordered lists are counted.
  package var positions: ListPositions { coreData == nil ? .counted : .coreData }

  package subscript(entity: String) -> EntityMapping {
    guard let mapping = entities[entity] else { preconditionFailure("no entity '\(entity)' in the mapping") }
    return mapping
  }

  /// The columns of foreign keys that are no part of a primary key, by their tables.
  package var referenceColumns: [String: Set<String>] {
    var columns: [String: Set<String>] = [:]
    for relationship in entities.values.flatMap(\.relationships.values) {
      guard let key = relationship.anyForeignKey, let holder = entities[key.entity] else { continue }
      columns[holder.table, default: []].formUnion(key.columns.filter { holder.keyPart(of: $0) == nil })
    }
    return columns
  }

  /// The columns by which pairs are found from either end, and rows from what they refer to, each list behind its table.
  package var linkColumns: Set<[String]> {
    Set(
      entities.values.flatMap(\.relationships.values).flatMap { relationship -> [[String]] in
        switch relationship {
        case .join(let join): [[join.table] + join.columns, [join.table] + join.destinationColumns]
        case .foreignKey(let key), .inverseForeignKey(let key): [[self[key.entity].table] + key.columns]
        }
      })
  }

  /// Whether a relationship lies in the rows of its destinations, which refer to the object that has it.
  package func isInOtherRows(_ relationship: RelationshipDescription) -> Bool {
    let place = self[relationship.entity].relationships[relationship.name]
    return if case .inverseForeignKey = place { true } else { false }
  }

  /// Whether a link to an object takes it from no other one: its other side holds several, and it lies in no row of its own.
  package func canShare(_ relationship: RelationshipDescription, in model: ObjectModel) -> Bool {
    model.inverse(of: relationship)?.isToMany != false && !isInOtherRows(relationship)
  }

  /// The join table of a relationship, seen from the object that has it; nil where there is none.
  package func join(of relationship: RelationshipDescription) -> JoinTableMapping? {
    let place = self[relationship.entity].relationships[relationship.name]
    return if case .join(let join) = place { join } else { nil }
  }

  /// The relationships that have a join table, in the order of the model, each with its table.
  package func joins(
    of model: ObjectModel
  ) -> [(relationship: RelationshipDescription, join: JoinTableMapping)] {
    model.entities.flatMap(\.relationships).compactMap { relationship in
      join(of: relationship).map { (relationship: relationship, join: $0) }
    }
  }
}

/// Where one entity lies.
package struct EntityMapping: Sendable, Equatable {
  package var entity: String
  /// The table, shared with every entity of the same root.
  package var table: String
  package var key: [KeyPart]
  /// Nil where the table holds one entity only.
  package var discriminator: Discriminator?
  /// The columns of stored attributes by name, inherited ones included.
  package var attributes: [String: AttributeColumn]
  /// By name, inherited ones included.
  package var relationships: [String: RelationshipMapping]

  /// The value that marks rows of the entity.
  package struct Discriminator: Sendable, Equatable {
    package var column: String
    package var value: String
  }

  package var keyColumns: [String] { key.map(\.column) }

  /// The foreign key of a to-one relationship in rows of the entity; nil where it is in other rows.
  package func foreignKey(_ relationship: String) -> ForeignKeyMapping? {
    if case .foreignKey(let key) = relationships[relationship] { key } else { nil }
  }

  /// The columns that hold a property in rows of the entity.
  package func columns(of property: String) -> [String] {
    attributes[property].map { [$0.column] } ?? foreignKey(property)?.columns ?? []
  }

  /// The place in the key of a column, compared as SQL compares names.
  package func keyPart(of column: String) -> Int? {
    key.firstIndex { $0.column.sqlName == column.sqlName }
  }

  /// Whether a to-one relationship lies in the key alone, which never changes.
  package func isInKey(_ relationship: String) -> Bool {
    foreignKey(relationship)?.columns.allSatisfy { keyPart(of: $0) != nil } ?? false
  }

  /// The attributes and to-one relationships of which the key consists; nil where a part of it is made for each new row or
  /// has no name. A String identifies an object even where clones get a UUID there.
  package var tellingKey: [String]? {
    namesOfKey { part, attribute in !part.source.isNew || attribute.type == .string }
  }

  /// The columns of the key that would tell objects apart, were they attributes; none where a part of it is made for each new
  /// row.
  package var namelessKeyColumns: [String] {
    var nameless: [String] = []
    for (place, part) in key.enumerated() where !part.source.isReference {
      let shown = attributes.values.filter { $0.keyPart == place }
      if part.source.isNew {
        guard shown.contains(where: { $0.type == .string }) else { return [] }
      } else if shown.isEmpty {
        nameless.append(part.column)
      }
    }
    return nameless
  }

  /// What makes the key tell objects apart; nil where nothing does, or it does already.
  package var keyAdvice: String? {
    let columns = namelessKeyColumns.map { "'\($0)'" }.joined(separator: " and ")
    return switch namelessKeyColumns.count {
    case 0: nil
    case 1: "declare an attribute for the key column \(columns), so that the key identifies objects"
    default: "declare attributes for the key columns \(columns), so that the key identifies objects"
    }
  }

  /// The same where parts may be made for each new row; nil where one has no name.
  package var namedKey: [String]? { namesOfKey { _, _ in true } }

  private func namesOfKey(where isMeant: (KeyPart, AttributeColumn) -> Bool) -> [String]? {
    var names: [String] = []
    for (i, part) in key.enumerated() {
      let name =
        if case .relationship(let name, _) = part.source { Optional(name) } else {
          attributes.filter { $0.value.keyPart == i && isMeant(part, $0.value) }.keys.min()
        }
      guard let name else { return nil }
      if !names.contains(name) { names.append(name) }
    }
    return names
  }

  /// The attribute that is the key or a part of it, a UUID, of which a new row has another value where there is one with the
  /// same key.
  package var renewedAttribute: String? {
    guard !key.contains(where: \.source.isNumber),
      let part = key.firstIndex(where: { if case .uuid = $0.source { true } else { false } })
    else { return nil }
    return attributes.first { $0.value.keyPart == part }?.key
  }

  /// The foreign keys that are in the entity's rows and belong to its own to-one relationships.
  package var foreignKeys: [(relationship: String, key: ForeignKeyMapping)] {
    relationships.keys.sorted().compactMap { name in
      foreignKey(name).map { (relationship: name, key: $0) }
    }
  }

  /// The foreign keys that give a column its value, each with the column's place in it, first the one that a part of the key
  /// is mapped by. A part that no relationship gives is the row's own: a foreign key that holds it leads back to the row.
  package func foreignKeys(
    giving column: String
  ) -> [(relationship: String, key: ForeignKeyMapping, place: Int)] {
    if isOwnPart(column) { return [] }
    let all = foreignKeys.compactMap { relationship, key in
      key.columns.firstIndex { $0.sqlName == column.sqlName }.map {
        (relationship: relationship, key: key, place: $0)
      }
    }
    guard let part = keyPart(of: column), case .relationship(let name, _) = key[part].source else {
      return all
    }
    return all.filter { $0.relationship == name } + all.filter { $0.relationship != name }
  }

  /// Whether a column is a part of the key that no relationship gives.
  package func isOwnPart(_ column: String) -> Bool {
    keyPart(of: column).map { !key[$0].source.isReference } ?? false
  }

  /// Whether a foreign key holds the key that its row has of its own beside other columns, so that it leads to what belongs
  /// to the row.
  package func leadsBack(_ key: ForeignKeyMapping) -> Bool {
    key.columns.contains(where: isOwnPart) && key.columns.contains { keyPart(of: $0) == nil }
  }

  /// The same of a relationship's, which may be elsewhere.
  package func leadsBack(_ relationship: String) -> Bool {
    foreignKey(relationship).map { leadsBack($0) } ?? false
  }

  /// The columns whose emptying empties a foreign key: those that are part of the primary key or of another reference too
  /// keep what they hold, where others are left.
  package func columns(emptying key: ForeignKeyMapping) -> [String] {
    let others = foreignKeys.map(\.key).filter { $0.columns != key.columns }.flatMap(\.columns)
    let kept = Set((keyColumns + others).map(\.sqlName))
    let free = key.columns.filter { !kept.contains($0.sqlName) }
    return free.isEmpty ? key.columns : free
  }
}

/// One column of an entity's key, and where a clone's value comes from.
package struct KeyPart: Sendable, Equatable {
  package enum Source: Sendable, Equatable {
    /// SQLite's INTEGER PRIMARY KEY: a new number.
    case rowid
    /// The greatest number and one; in a composite key the greatest within the other parts.
    case max
    /// `rowid`, if the schema says INTEGER PRIMARY KEY, `max` of another column of integers; anything else must be said in
    /// the model.
    case automatic
    case uuid(UUIDStorage)
    /// A part of the foreign key of a to-one relationship.
    case relationship(String, part: Int)
    /// The original's value, as one part of several.
    case copied
    /// The original's value as the whole key: a clone needs one given by hand.
    case given

    /// Whether the store counts the numbers of new rows.
    package var isNumber: Bool { [.rowid, .max, .automatic].contains(self) }

    /// Whether each new row has another value, whatever it refers to.
    package var isNew: Bool { if case .uuid = self { true } else { isNumber } }

    package var isReference: Bool { if case .relationship = self { true } else { false } }
  }

  package var column: String
  package var source: Source
  /// How the part is written where it is a UUID.
  package var uuids: UUIDStorage?
  /// Whether an attribute shows the part, or what it refers to, as something else than a UUID.
  package var isShownPlain = false
  /// Whether the database has types of its own, and takes values as text.
  package var isTyped = false
  /// The column's type as such a database calls it; nil where nobody has looked.
  package var base: String?
}

/// The column of an attribute.
package struct AttributeColumn: Sendable, Equatable {
  package var column: String
  package var type: AttributeType
  package var dates: DateStorage
  package var uuids: UUIDStorage
  /// The place in the key, where the attribute is another name for a part of it.
  package var keyPart: Int?
  /// Whether a value may be in a file beside the store, so that a byte before each says where it is.
  package var isExternal = false
  /// Whether that file lies beside the store that rows are copied from.
  package private(set) var isInSource = false
  /// Whether the database has types of its own, and takes values as text.
  package var isTyped = false
  /// The column's type as such a database calls it, `int4`; nil where nobody has looked.
  package var base: String?

  package init(
    column: String, type: AttributeType, dates: DateStorage = .iso8601, uuids: UUIDStorage,
    base: String? = nil
  ) {
    self.base = base
    self.column = column
    self.type = type
    self.dates = dates
    self.uuids = uuids
  }

  /// The same column of the store that rows are copied from.
  package var inSource: AttributeColumn {
    var column = self
    column.isInSource = true
    return column
  }

  /// A value as it is told to people: a day is told without its time.
  package func shown(_ value: AttributeValue) -> AttributeValue {
    guard type == .date, dates == .day, case .date = value else { return value }
    return .string(value.description.replacing(Self.midnight, with: ""))
  }

  /// The time of a moment that is a day.
  package static let midnight = "T00:00:00.000Z"
}

/// How a relationship is in SQL.
package enum RelationshipMapping: Sendable, Equatable {
  /// In the entity's own table.
  case foreignKey(ForeignKeyMapping)
  /// In the destination's table.
  case inverseForeignKey(ForeignKeyMapping)
  case join(JoinTableMapping)

  /// The foreign key, in whichever table it is; nil where there is a join table.
  package var anyForeignKey: ForeignKeyMapping? {
    switch self {
    case .foreignKey(let key), .inverseForeignKey(let key): key
    case .join: nil
    }
  }
}

/// Columns that hold another row's key, or a unique value of it.
package struct ForeignKeyMapping: Sendable, Equatable {
  /// The entity that declares the row the columns are in.
  package var entity: String
  package var destination: String
  package var columns: [String]
  /// The columns of the destination's table, in step with `columns`.
  package var references: [String]
  /// The position in the destination's ordered to-many, in the same table.
  package var orderColumn: String?
}

/// a join table, seen from one side of the relationship.
package struct JoinTableMapping: Sendable, Equatable {
  package var table: String
  /// The columns that hold the key of the object that has the relationship.
  package var columns: [String]
  package var references: [String]
  package var destinationColumns: [String]
  package var destinationReferences: [String]
  /// The position in this side's list.
  package var orderColumn: String?
  /// The position in the other side's list.
  package var inverseOrderColumn: String?

  /// The same table seen from the other side.
  package var inverted: JoinTableMapping {
    JoinTableMapping(
      table: table, columns: destinationColumns, references: destinationReferences,
      destinationColumns: columns, destinationReferences: references,
      orderColumn: inverseOrderColumn, inverseOrderColumn: orderColumn)
  }
}
