/// An entity of a model: its own properties, its parent and its place in the store.
///
/// `attributes` and `relationships` are those that the entity declares; `ObjectModel` adds the inherited ones.
public struct EntityDescription: Sendable, Hashable {
  /// The name, unique in the model.
  public var name: String
  /// The entity whose properties and table this one inherits; nil for a root entity.
  public var parent: String?
  /// Whether only sub-entities have objects.
  public var isAbstract: Bool
  /// The attributes that the entity itself declares.
  public var attributes: [AttributeDescription]
  /// The relationships that the entity itself declares.
  public var relationships: [RelationshipDescription]
  /// Names of attributes or to-one relationships whose values together are unique.
  public var uniquenessConstraints: [[String]]
  /// The Core Data configurations of the entity; kept with the model, but no operation reads them.
  public var configurations: [String]
  /// The name in older stores, as in Core Data; kept with the model, but no operation reads it.
  public var renamedFrom: String?
  /// The project's own notes; annotations belong to the properties and have no effect here.
  public var userInfo: [String: String]
  /// The table; nil derives it from the name by the store's naming. A sub-entity names none.
  public var table: String?
  /// The columns of the key; empty represents the store's one column.
  public var primaryKey: [KeyColumn]
  /// How the rows are distinguished from others in the table; nil leaves it to the defaults.
  public var discriminator: DiscriminatorDescription?
  /// The keys of one's own, which begin with `x-`: kept with the model, but no operation reads them.
  public var extensions: [String: ExtensionValue]

  /// Creates an entity; by default it is a concrete root entity without properties.
  public init(
    name: String, parent: String? = nil, isAbstract: Bool = false,
    attributes: [AttributeDescription] = [], relationships: [RelationshipDescription] = [],
    uniquenessConstraints: [[String]] = [], configurations: [String] = [], renamedFrom: String? = nil,
    userInfo: [String: String] = [:], table: String? = nil, primaryKey: [KeyColumn] = [],
    discriminator: DiscriminatorDescription? = nil, extensions: [String: ExtensionValue] = [:]
  ) {
    self.name = name
    self.parent = parent
    self.isAbstract = isAbstract
    self.attributes = attributes
    self.relationships = relationships
    self.uniquenessConstraints = uniquenessConstraints
    self.configurations = configurations
    self.renamedFrom = renamedFrom
    self.userInfo = userInfo
    self.table = table
    self.primaryKey = primaryKey
    self.discriminator = discriminator
    self.extensions = extensions
  }

  /// The order of declaration is for people; two entities with the same properties are equal.
  public static func == (a: Self, b: Self) -> Bool {
    a.sortedByName == b.sortedByName
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
  }

  private var sortedByName: [AnyHashable] {
    [
      name, parent, isAbstract, Set(attributes), Set(relationships), uniquenessConstraints, configurations,
      renamedFrom, userInfo, table, primaryKey, discriminator, extensions,
    ]
  }
}

/// One column of a primary key.
public struct KeyColumn: Sendable, Hashable {
  /// The name of the column.
  public var column: String
  /// Who makes a new value; nil leaves it to the schema (`INTEGER PRIMARY KEY`) or to the model's relationships.
  public var generate: KeyGeneration?

  /// Creates a key column; by default the schema decides who makes its values.
  public init(_ column: String, generate: KeyGeneration? = nil) {
    self.column = column
    self.generate = generate
  }
}

/// Who makes the new value of a key column: SQLite counts rows, UUIDs are made, `max` is the greatest number there and one,
/// within the other parts of a composite key.
public enum KeyGeneration: String, Sendable, Hashable, Codable, CaseIterable {
  /// SQLite makes the next row number.
  case rowid
  /// A new UUID is made for each object.
  case uuid
  /// The greatest number plus one, in a composite key within its other parts.
  case max
  /// Nothing is made: the value is given, or in a composite key the original's.
  case none
}

/// How the rows of an entity are told from those of other entities in the same table.
public struct DiscriminatorDescription: Sendable, Hashable {
  /// The discriminator column, which only the root entity names; nil derives it from the store's naming.
  public var column: String?
  /// The value in this entity's rows; its name where absent.
  public var value: String?

  /// Creates a discriminator; every parameter has the default that leaves its name to the model.
  public init(column: String? = nil, value: String? = nil) {
    self.column = column
    self.value = value
  }
}
