/// A relationship of an entity: where it leads, its inverse, its annotations and its place in the store.
public struct RelationshipDescription: Sendable, Hashable {
  public var name: String
  public var destination: String
  public var isToMany: Bool
  /// Whether a to-one may be empty; a to-many may be unless `minCount` is 1 or more.
  public var isOptional: Bool
  public var isOrdered: Bool
  /// The name of the relationship of the destination that leads back.
  public var inverse: String?
  public var deleteRule: DeleteRule
  public var minCount: Int?
  public var maxCount: Int?
  public var userInfo: [String: String]
  /// The foreign key: in the entity's own table, or for a to-many without inverse in the destination's.
  public var columns: [ForeignKeyColumn]
  /// The column with the position in an ordered to-many.
  public var orderColumn: String?
  public var joinTable: JoinTableDescription?
  /// The entity that declares the relationship; set by `ObjectModel`.
  public internal(set) var entity = ""

  public init(
    name: String, destination: String, isToMany: Bool = false, isOptional: Bool = false,
    isOrdered: Bool = false, inverse: String? = nil, deleteRule: DeleteRule = .nullify,
    minCount: Int? = nil, maxCount: Int? = nil, userInfo: [String: String] = [:],
    columns: [ForeignKeyColumn] = [], orderColumn: String? = nil, joinTable: JoinTableDescription? = nil
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
  }

  /// `Entity.name` with the declaring entity: the name that decides ties.
  public var qualifiedName: String { "\(entity).\(name)" }
}

/// What happens to the destinations of a relationship when its object is deleted.
public enum DeleteRule: String, Sendable, Hashable, Codable, CaseIterable {
  case nullify, cascade, deny, noAction
}

/// One column of a foreign key, and the column it references where that is not the key's at its place.
public struct ForeignKeyColumn: Sendable, Hashable {
  public var column: String
  public var references: String?

  public init(_ column: String, references: String? = nil) {
    self.column = column
    self.references = references
  }
}

/// The table of a many-to-many relationship, as written on one side of the relationship; what is absent has a default.
public struct JoinTableDescription: Sendable, Hashable {
  public var table: String?
  /// The columns that hold the key of the object that has the relationship.
  public var columns: [String]
  /// The columns that hold the key of the destination.
  public var inverseColumns: [String]
  /// The position of the destination in this side's list.
  public var orderColumn: String?

  public init(
    table: String? = nil, columns: [String] = [], inverseColumns: [String] = [], orderColumn: String? = nil
  ) {
    self.table = table
    self.columns = columns
    self.inverseColumns = inverseColumns
    self.orderColumn = orderColumn
  }
}
