/// What a Core Data store keeps beside the columns that the model is mapped to.
package struct CoreDataMapping: Sendable, Equatable {
  /// The column with the number of a row's entity.
  package static let entityColumn = "Z_ENT"
  /// The column that counts the changes of a row from 1.
  package static let versionColumn = "Z_OPT"
  /// The table with the entities and the greatest keys.
  package static let entityTable = "Z_PRIMARYKEY"
  /// The key column of every entity.
  package static let keyColumn = "Z_PK"
  /// The second column of the join table of a relationship that is its own inverse.
  package static let mutualColumn = "REFLEXIVE"

  /// The number of each entity.
  package var numbers: [String: Int]
  /// The numbers of the root entities, by their tables as names are compared.
  package var tables: [String: Int]
  /// The other sides of one-to-one relationships, each of which has a foreign key as well.
  package var mirrors: [Mirror]

  /// The second foreign key of a one-to-one relationship, which follows from the first.
  package struct Mirror: Sendable, Equatable {
    /// The entity whose rows hold it.
    package var entity: String
    package var column: String
    /// The first one, in the rows that it leads to.
    package var key: ForeignKeyMapping
  }
}

extension RelationshipDescription {
  /// Whether it is a many-to-many relationship that is its own inverse in Core Data, such as friends. A model names no such
  /// inverse, so Xcode's word for it is looked at.
  package var isMutual: Bool {
    guard isToMany, inverse == nil, entity == destination,
      case .map(let kept)? = extensions["x-coredata"]
    else { return false }
    return kept["inverseName"] == .text(name)
  }
}

extension AttributeDescription {
  /// Whether Core Data may keep a value in a file beside the store.
  package var isStoredExternally: Bool {
    guard type == .binary || type == .transformable, case .map(let kept)? = extensions["x-coredata"] else {
      return false
    }
    return kept["allowsExternalBinaryDataStorage"] == .text("YES")
  }
}
