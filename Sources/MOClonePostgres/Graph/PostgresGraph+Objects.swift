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

  /// The objects that have an identity, in the order of their keys.
  public func objects(_ identity: Identity, _ key: [IdentityPart]) throws -> [ObjectID] {
    try read { try $0.ids(identity, key: key) }
  }
}
