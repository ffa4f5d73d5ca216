/// An entity of a model: its own properties, its parent and its place in the store.
///
/// `attributes` and `relationships` are those that the entity declares; `ObjectModel` adds the inherited ones.
public struct EntityDescription: Sendable, Hashable {
  public var name: String
  public var parent: String?
  public var isAbstract: Bool
  public var attributes: [AttributeDescription]
  public var relationships: [RelationshipDescription]
  /// Names of attributes or to-one relationships whose values together are unique.
  public var uniquenessConstraints: [[String]]
  public var configurations: [String]
  public var renamedFrom: String?
  public var userInfo: [String: String]
  public var table: String?
  /// The columns of the key; empty represents the store's one column.
  public var primaryKey: [KeyColumn]
  public var discriminator: DiscriminatorDescription?

  public init(
    name: String, parent: String? = nil, isAbstract: Bool = false,
    attributes: [AttributeDescription] = [], relationships: [RelationshipDescription] = [],
    uniquenessConstraints: [[String]] = [], configurations: [String] = [], renamedFrom: String? = nil,
    userInfo: [String: String] = [:], table: String? = nil, primaryKey: [KeyColumn] = [],
    discriminator: DiscriminatorDescription? = nil
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
      renamedFrom, userInfo, table, primaryKey, discriminator,
    ]
  }
}

/// One column of a primary key.
public struct KeyColumn: Sendable, Hashable {
  public var column: String
  /// Who makes a new value; nil leaves it to the schema (`INTEGER PRIMARY KEY`) or to the model's relationships.
  public var generate: KeyGeneration?

  public init(_ column: String, generate: KeyGeneration? = nil) {
    self.column = column
    self.generate = generate
  }
}

/// Who makes the new value of a key column: SQLite counts rows, UUIDs are made, `max` is the greatest number there and one,
/// within the other parts of a composite key.
public enum KeyGeneration: String, Sendable, Hashable, Codable, CaseIterable {
  case rowid, uuid, max, none
}

/// How the rows of an entity are told from those of other entities in the same table.
public struct DiscriminatorDescription: Sendable, Hashable {
  public var column: String?
  /// The value in this entity's rows; its name where absent.
  public var value: String?

  public init(column: String? = nil, value: String? = nil) {
    self.column = column
    self.value = value
  }
}
