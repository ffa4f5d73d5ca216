/// A relationship of an entity: where it leads, its inverse, its annotations and its place in the store.
public struct RelationshipDescription: Sendable, Hashable {
  /// The name, unique among the properties of the entity and those it inherits.
  public var name: String
  /// The entity of the related objects.
  public var destination: String
  /// Whether an object may have more than one destination.
  public var isToMany: Bool
  /// Whether a to-one may be empty; a to-many may be unless `minCount` is 1 or more.
  public var isOptional: Bool
  /// Whether a to-many keeps the order of its destinations.
  public var isOrdered: Bool
  /// The name of the relationship of the destination that leads back.
  public var inverse: String?
  /// What happens to the destinations when the object is deleted.
  public var deleteRule: DeleteRule
  /// The least number of destinations; nil stands for no limit.
  public var minCount: Int?
  /// The greatest number of destinations; nil stands for no limit.
  public var maxCount: Int?
  /// The annotations and the project's own notes; unknown keys are ignored.
  public var userInfo: [String: String]
  /// The foreign key: in the entity's own table, or for a to-many without inverse in the destination's.
  public var columns: [ForeignKeyColumn]
  /// The column with the position in an ordered to-many.
  public var orderColumn: String?
  /// The join table, as this side describes it; nil where the other side does, or where there is none.
  public var joinTable: JoinTableDescription?
  /// The keys of one's own, which begin with `x-`: kept with the model, but no operation reads them.
  public var extensions: [String: ExtensionValue]
  /// The entity that declares the relationship; set by `ObjectModel`.
  public internal(set) var entity = ""

  /// Creates a relationship; by default it is a required to-one that nullifies and has no inverse.
  public init(
    name: String, destination: String, isToMany: Bool = false, isOptional: Bool = false,
    isOrdered: Bool = false, inverse: String? = nil, deleteRule: DeleteRule = .nullify,
    minCount: Int? = nil, maxCount: Int? = nil, userInfo: [String: String] = [:],
    columns: [ForeignKeyColumn] = [], orderColumn: String? = nil, joinTable: JoinTableDescription? = nil,
    extensions: [String: ExtensionValue] = [:]
  ) {
    self.name = name
    self.destination = destination
    self.isToMany = isToMany
    self.isOptional = isToMany ? (minCount ?? 0) < 1 : isOptional
    self.isOrdered = isOrdered
    self.inverse = inverse
    self.deleteRule = deleteRule
    self.minCount = minCount
    self.maxCount = maxCount
    self.userInfo = userInfo
    self.columns = columns
    self.orderColumn = orderColumn
    self.joinTable = joinTable
    self.extensions = extensions
  }

  /// How many destinations a clone must have, as far as its original has as many.
  package var leastCount: Int { isOptional ? 0 : max(1, isToMany ? minCount ?? 1 : 1) }

  /// `Entity.name` with the declaring entity: the name that decides ties.
  public var qualifiedName: String { "\(entity).\(name)" }
}

/// What happens to the destinations of a relationship when its object is deleted.
public enum DeleteRule: String, Sendable, Hashable, Codable, CaseIterable {
  /// Their references to the object are emptied; where one is required, the object is not deleted.
  case nullify
  /// They are deleted too, each by its own rules.
  case cascade
  /// The object is not deleted while it has destinations that stay.
  case deny
  /// Nothing happens to them; the object is not deleted where its store refuses the dangling references.
  case noAction
}

/// One column of a foreign key, and the column it references where that is not the key's at its place.
public struct ForeignKeyColumn: Sendable, Hashable {
  /// The name of the column that holds the reference.
  public var column: String
  /// The column that it references; nil for the key's column at the same position.
  public var references: String?

  /// Creates a foreign key column; by default it references the key.
  public init(_ column: String, references: String? = nil) {
    self.column = column
    self.references = references
  }
}

/// The table of a many-to-many relationship, as written on one side of the relationship; what is absent has a default.
public struct JoinTableDescription: Sendable, Hashable {
  /// The name of the table; nil derives it from the names of the two entities.
  public var table: String?
  /// The columns that hold the key of the object that has the relationship.
  public var columns: [String]
  /// The columns that hold the key of the destination.
  public var inverseColumns: [String]
  /// The position of the destination in this side's list.
  public var orderColumn: String?

  /// Creates a join table; every parameter has the default that leaves its name to the store's naming.
  public init(
    table: String? = nil, columns: [String] = [], inverseColumns: [String] = [], orderColumn: String? = nil
  ) {
    self.table = table
    self.columns = columns
    self.inverseColumns = inverseColumns
    self.orderColumn = orderColumn
  }
}
