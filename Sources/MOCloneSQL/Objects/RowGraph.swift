import MOCloneEngine
import MOCloneModel

/// A graph whose objects are rows, which a connection reads and writes: what all such graphs do alike.
package protocol RowGraph: TransferStore, TransferGraph, SetReading {
  associatedtype Connection: TransferConnection

  /// Reads in a transaction of its own, or in the one that is under way.
  func read<Result>(_ body: (RowAccess<Connection>) throws -> Result) throws -> Result

  /// Writes in a transaction of its own, or in a savepoint of the one that is under way.
  func write<Result>(_ body: (RowAccess<Connection>) throws -> Result) throws -> Result

  /// Runs a closure in a transaction, which a dry run takes back, in which the objects of a source are at hand.
  func transferring<Result>(
    from source: any ObjectGraph, _ rules: CopyRules, policy: TransferPolicy, subtree: CopiedSubtree?,
    options: TransferOptions,
    body: (RowAccess<Connection>, TransferRun) throws -> Result
  ) throws -> Result
}

// Public are those that public protocols ask for.
extension RowGraph {
  // MARK: Reading

  package func storeLayout() throws -> StoreLayout { try read { try $0.storeLayout() } }

  package func computedAttributes() throws -> Set<String> { try storeLayout().computed }

  package func values(_ attributes: [String], of object: ObjectID) throws -> [AttributeValue] {
    try read { try $0.values(attributes, of: object) }
  }

  package func values(_ attributes: [String], ofEach objects: [ObjectID]) throws -> [[AttributeValue]] {
    try read { try $0.values(attributes, ofEach: objects) }
  }

  package func destinations(_ relationship: String, ofEach objects: [ObjectID]) throws -> [[ObjectID]] {
    try read { try $0.destinations(relationship, ofEach: objects) }
  }

  package func columns(_ columns: [String], of object: ObjectID) throws -> [StoredValue] {
    try read { try $0.columns(columns, of: object) }
  }

  package func columns(
    _ columns: [String], tying object: ObjectID, to destination: ObjectID, _ relationship: String
  ) throws -> [StoredValue] {
    try read { try $0.columns(columns, tying: object, to: destination, relationship) }
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

  // MARK: Metadata

  /// Every key of the metadata with its value; none where the store has no table for them.
  public func metadata() throws -> [String: String] {
    try read { try $0.metadata.all() }
  }

  /// The value of a key, nil where there is none.
  public func metadata(_ key: String) throws -> String? {
    try read { try $0.metadata.value(key) }
  }

  /// Sets the value of a key, and makes the table for the metadata where it is missing.
  public func setMetadata(_ value: String, for key: String) throws {
    try write { try $0.metadata.set(value, for: key) }
  }

  /// Removes a key, and says whether there was one.
  @discardableResult
  public func removeMetadata(_ key: String) throws -> Bool {
    try write { try $0.metadata.remove(key) }
  }

  // MARK: Moving data

  /// The tables of the model, where columns come along from a source that the model does not name.
  package func sharedSchema(with source: any StoreGraph) throws -> StoreSchema? {
    source is Self ? try storeLayout().schema : nil
  }

  /// Copies objects of another graph into this one, with everything they are related to, each once.
  ///
  /// Objects are found by what identifies them, made where they are not there, and related to each other as in the
  /// source, which is only read. All happens in one transaction of its own, or in a savepoint of the caller's, or nothing
  /// does. The number of statements depends on the model alone, and memory does not grow with the objects.
  ///
  /// - Returns: what was done, or would be where the run only looks.
  /// - Throws: `CloneError` with everything that was found: `store-mismatch` where one of the stores does not fit the
  ///   model, `ambiguous-identity`, `required-left-empty`, `unique-value`; `CancellationError`.
  @discardableResult
  public func copyObjects(
    from source: any ObjectGraph, _ request: CopyRequest, options: TransferOptions
  ) throws -> TransferReport {
    let asked = try CopyRules(request, in: model)
    let reached = EntityReach(asked, of: nil)?.entities
    let rules = try asked.lookingUpNothing {
      _ = try storeLayout()
      return try reached?.contains($0) == false || count($0) == 0
    }
    return try transferring(from: source, rules, policy: .copy(rules), subtree: nil, options: options) {
      access, transfer in
      try options.once(.copy, table: access.metadata) { try transfer.copy() }
    }
  }

  /// Copies a local store into this one, after which duplicates are merged, and takes over what is marked as done there.
  ///
  /// - Parameter dedupe: merges the duplicates in the transaction under way.
  package func seed(
    from source: any ObjectGraph, identifiedBy request: IdentityRequest, options: TransferOptions,
    dedupe: (RowAccess<Connection>, TransferOptions) throws -> TransferReport
  ) throws -> TransferReport {
    try options.whole { options in
      let rules = try CopyRules(CopyRequest(identifiedBy: request), in: model)
      let marks = try source.onceMarks()
      return try transferring(
        from: source, rules, policy: .copy(rules, seeding: true), subtree: nil, options: options
      ) {
        access, transfer in
        try options.once(.seed, table: access.metadata) {
          var report = try transfer.copy()
          report.add(try dedupe(access, options))
          try access.metadata.add(marks)
          return report
        }
      }
    }
  }

  /// What the objects of a source hold that their counterparts here do not; nothing is changed.
  public func differences(
    from source: any ObjectGraph, identifiedBy request: IdentityRequest
  ) throws -> [String] {
    let rules = try CopyRules(CopyRequest(identifiedBy: request), in: model)
    let options = TransferOptions(isDryRun: true)
    let different = try transferring(
      from: source, rules, policy: .copy(rules), subtree: nil, options: options
    ) {
      try $1.differences()
    }
    guard let source = source as? any StoreGraph else { return different }
    return try different + source.unnamedContents(sharing: sharedSchema(with: source))
      + missingFiles(of: source)
  }

  package func copySubtree(
    _ subtree: CopiedSubtree, rules: CopyRules, roots: [ObjectID], from source: any ObjectGraph,
    options: TransferOptions
  ) throws -> SubtreeResult {
    try transferring(from: source, rules, policy: .subtree(subtree), subtree: subtree, options: options) {
      _, transfer in
      let report = try transfer.copy()
      return SubtreeResult(roots: try roots.map { try transfer.newKey(of: $0) }, report: report)
    }
  }
}
