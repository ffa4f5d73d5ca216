import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// Objects one by one: their values and relationships.
extension PostgresGraph {
  // MARK: Reading

  /// Finds an object by its key in one query; throws `CloneError` (`invalid-key`) where the key does not fit.
  public func find(_ entity: String, key: ObjectKey) throws -> ObjectID? {
    // One query sees one state by itself.
    guard connection.ownsSession else { return try read { try $0.find(entity, key: key) } }
    return try translating { try access.find(entity, key: key) }
  }

  /// The one object whose attribute has a value.
  ///
  /// - Throws: `CloneError`: `no-such-object` for none, `invalid-key` for several.
  public func object(_ entity: String, attribute name: String, equals text: String) throws -> ManagedObject {
    ManagedObject(id: try read { try $0.object(entity, attribute: name, equals: text) }, graph: self)
  }

  /// Reads the value of an attribute; throws `CloneError` (`store-mismatch`) where the column holds another.
  public func value(_ attribute: String, of object: ObjectID) throws -> AttributeValue {
    try read { access in
      guard kept != nil, let column = mapping.entities[object.entity]?.attributes[attribute]?.column else {
        return try access.value(attribute, of: object)
      }
      return try access.value(attribute, of: object, stored: row(of: object, access)[column] ?? .null)
    }
  }

  /// The columns of an object's attributes, read at once.
  private func row(
    of object: ObjectID, _ access: RowAccess<PostgresConnection>
  ) throws -> [String: StoredValue] {
    if let row = kept?[object] { return row }
    let columns = Set(mapping[object.entity].attributes.values.map(\.column)).sorted()
    let row = Dictionary(uniqueKeysWithValues: zip(columns, try access.columns(columns, of: object)))
    kept?.keep(row, of: object)
    return row
  }

  /// The destinations of a relationship, read by two queries: in order where it is ordered, else by key.
  public func destinations(_ relationship: String, of object: ObjectID) throws -> [ObjectID] {
    try read { try $0.destinations(relationship, of: object) }
  }

  /// The objects of an entity and its sub-entities by key, all of which are read into memory.
  public func objectIDs(_ entity: String) throws -> [ObjectID] {
    try read { try $0.ids(entity) }
  }

  /// The first objects of an entity and its sub-entities by key.
  package func objectIDs(_ entity: String, limit: Int) throws -> [ObjectID] {
    try read { try $0.ids(entity, limit: limit) }
  }

  /// Counts the objects of an entity and its sub-entities, which is one query over their table.
  public func count(_ entity: String) throws -> Int {
    try read { try $0.count(entity) }
  }

  /// The objects that have an identity, in the order of their keys.
  public func objects(_ identity: Identity, _ key: [IdentityPart]) throws -> [ObjectID] {
    try read { try $0.ids(identity, key: key) }
  }

  // MARK: Writing

  /// Inserts an object; throws `CloneError` (`invalid-value`, `unknown-name`, `unique-value`).
  public func insertObject(
    _ entity: String, key: ObjectKey?, values: [String: AttributeValue]
  ) throws -> ObjectID {
    try write { try RowInsert(access: $0).insert(entity, key: key, values: values) }
  }

  /// Writes the value of an attribute; throws `CloneError` (`invalid-value`) for a part of the key.
  public func setValue(_ value: AttributeValue, for attribute: String, of object: ObjectID) throws {
    try write { try $0.setValue(value, for: attribute, of: object) }
  }

  /// Replaces the destinations of a relationship and keeps the inverses in step; all or nothing.
  public func setDestinations(_ destinations: [ObjectID], _ relationship: String, of object: ObjectID) throws
  {
    try write { try RelationshipUpdate(access: $0).set(destinations, relationship, of: object) }
  }

  /// Deletes an object by the delete rules of its relationships; all or nothing.
  public func delete(_ object: ObjectID) throws {
    try write { try RowDeletion(access: $0).delete(object) }
  }

  /// Deletes objects by the delete rules of their relationships, in statements whose number depends on the model alone.
  ///
  /// - Throws: `CloneError` (`delete-denied`, `required-left-empty`, `constraint-failed`, `no-such-object`); nothing is
  ///   then deleted.
  public func delete(_ objects: [ObjectID]) throws {
    guard !objects.isEmpty else { return }
    try write { try $0.delete(objects) }
  }
}
