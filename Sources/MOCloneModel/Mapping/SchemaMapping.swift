/// Where a model is in SQL: the table, key and columns of every entity, with every default settled.
///
/// A pure function of the model; whether a database agrees is for the store to say.
public struct SchemaMapping: Sendable, Equatable {
  public let entities: [String: EntityMapping]

  public init(_ model: ObjectModel) {
    self = model.memo.mapping { MappingBuilder(model).build() }
  }

  init(entities: [String: EntityMapping]) {
    self.entities = entities
  }

  /// The mapping of an entity of the model.
  public subscript(entity: String) -> EntityMapping {
    guard let mapping = entities[entity] else { preconditionFailure("no entity '\(entity)' in the mapping") }
    return mapping
  }
}

/// Where one entity lies.
public struct EntityMapping: Sendable, Equatable {
  public var entity: String
  /// The table, shared with every entity of the same root.
  public var table: String
  public var key: [KeyPart]
  /// Nil where the table holds one entity only.
  public var discriminator: Discriminator?
  /// The columns of stored attributes by name, inherited ones included.
  public var attributes: [String: AttributeColumn]
  /// By name, inherited ones included.
  public var relationships: [String: RelationshipMapping]

  /// The value that marks rows of the entity.
  public struct Discriminator: Sendable, Equatable {
    public var column: String
    public var value: String
  }

  public var keyColumns: [String] { key.map(\.column) }

  /// The place in the key of a column, compared as SQL compares names.
  public func keyPart(of column: String) -> Int? {
    key.firstIndex { $0.column.sqlName == column.sqlName }
  }

  /// The foreign keys that are in the entity's rows and belong to its own to-one relationships.
  public var foreignKeys: [(relationship: String, key: ForeignKeyMapping)] {
    relationships.sorted { $0.key < $1.key }.compactMap { name, mapping in
      guard case .foreignKey(let key) = mapping else { return nil }
      return (name, key)
    }
  }
}

/// One column of an entity's key, and where a clone's value comes from.
public struct KeyPart: Sendable, Equatable {
  public enum Source: Sendable, Equatable {
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
  }

  public var column: String
  public var source: Source
  /// How the part is written where it is a UUID.
  public var uuids: UUIDStorage?
}

/// The column of an attribute.
public struct AttributeColumn: Sendable, Equatable {
  public var column: String
  public var type: AttributeType
  public var dates: DateStorage
  public var uuids: UUIDStorage
  /// The place in the key, where the attribute is another name for a part of it.
  public var keyPart: Int?

  package init(
    column: String, type: AttributeType, dates: DateStorage = .iso8601, uuids: UUIDStorage,
    keyPart: Int? = nil
  ) {
    self.column = column
    self.type = type
    self.dates = dates
    self.uuids = uuids
    self.keyPart = keyPart
  }
}

/// How a relationship is in SQL.
public enum RelationshipMapping: Sendable, Equatable {
  /// In the entity's own table.
  case foreignKey(ForeignKeyMapping)
  /// In the destination's table.
  case inverseForeignKey(ForeignKeyMapping)
  case join(JoinTableMapping)
}

/// Columns that hold another row's key, or a unique value of it.
public struct ForeignKeyMapping: Sendable, Equatable {
  /// The entity that declares the row the columns are in.
  public var entity: String
  public var destination: String
  public var columns: [String]
  /// The columns of the destination's table, in step with `columns`.
  public var references: [String]
  /// The position in the destination's ordered to-many, in the same table.
  public var orderColumn: String?
}

/// a join table, seen from one side of the relationship.
public struct JoinTableMapping: Sendable, Equatable {
  public var table: String
  /// The columns that hold the key of the object that has the relationship.
  public var columns: [String]
  public var references: [String]
  public var destinationColumns: [String]
  public var destinationReferences: [String]
  /// The position in this side's list.
  public var orderColumn: String?
  /// The position in the other side's list.
  public var inverseOrderColumn: String?

  /// The same table seen from the other side.
  public var inverted: JoinTableMapping {
    JoinTableMapping(
      table: table, columns: destinationColumns, references: destinationReferences,
      destinationColumns: columns, destinationReferences: references,
      orderColumn: inverseOrderColumn, inverseOrderColumn: orderColumn)
  }
}
