import MOCloneModel

/// A request that fits its model, resolved.
public struct SyncPlan: Sendable {
  /// Something that a row can give.
  public enum Column: Sendable {
    /// The value of an attribute of the entity.
    case attribute(AttributeDescription)
    /// By the key of the destination.
    case reference(RelationshipDescription)
    /// A value by which the object that to-one relationships lead to is found.
    case path(IdentityPath)

    /// A key is a text where it is no number.
    package var type: AttributeType {
      switch self {
      case .attribute(let attribute): attribute.type
      case .reference: .string
      case .path(let path): path.attribute!.type
      }
    }

    /// The name that a row gives the value by; a path has dots between its steps.
    public var name: String {
      switch self {
      case .attribute(let attribute): attribute.name
      case .reference(let relationship): relationship.name
      case .path(let path): path.description
      }
    }
  }

  /// The model that the request was resolved by.
  public let model: ObjectModel
  /// The request as it was given.
  public let request: SyncRequest
  /// The entity of the rows, as the model writes its name.
  public let entity: String
  /// What identifies the objects.
  public let identity: Identity
  /// Everything that a row can give, in the order of a row's values.
  public let columns: [Column]
  /// The places of what identifies the objects.
  public let identifying: [Int]
  /// The places of the values that are written to existing objects.
  public let overwriting: [Int]
  /// The places of the values that limit the objects compared.
  public let scope: [(place: Int, value: AttributeValue)]
  /// The relationships of a new object whose destinations are found by values of its row.
  package let lookups: [SyncLookup]

  /// Resolves the names of a request by a model.
  ///
  /// - Throws: `CloneError` with everything that is wrong.
  public init(_ model: ObjectModel, _ request: SyncRequest) throws {
    self.model = model
    self.request = request
    let entity = try model.entityName(request.entity)
    self.entity = entity
    guard let identity = try Identities(model, identifiedBy: request.identifiedBy, of: [entity])[entity]
    else {
      throw CloneError(
        .unknownName,
        "\(entity) has no uniqueness constraint, so rows cannot be matched",
        help: "name the attributes that identify it with --by", entity: entity)
    }
    self.identity = identity
    let columns = Self.columns(model, identity: identity)
    self.columns = columns
    lookups = SyncLookup.all(columns)
    var failures: [CloneError.Failure] = []
    func place(_ name: String) -> Int? {
      if let place = columns.firstIndex(where: { $0.name == name }) { return place }
      failures.append(Self.unknown(name, entity: entity, columns: columns, in: model))
      return nil
    }
    identifying = identity.paths.compactMap { path in
      if let (reason, help) = path.unfitForRows(model) {
        failures.append(
          .init(
            .invalidValue, "'\(path)' cannot identify the rows of a sync: \(reason)", help: help,
            entity: entity, property: "\(path)"))
        return nil
      }
      return place("\(path)")
    }
    overwriting = request.overwriting.compactMap(place)
    let identifying = Set(identifying)
    let home = SchemaMapping(model)[entity]
    for number in overwriting {
      let name = columns[number].name
      let isInKey = home.columns(of: name).contains { home.keyPart(of: $0) != nil }
      guard identifying.contains(number) || isInKey else { continue }
      failures.append(
        identifying.contains(number)
          ? .notOverwritten(name, of: entity, since: "identifies \(entity)") : .inKey(name, of: entity))
    }
    scope = try request.scope.sorted { $0.key < $1.key }.compactMap { name, value in
      try place(name).map { ($0, try columns[$0].fitted(value, of: entity)) }
    }
    if !failures.isEmpty { throw CloneError(failures) }
  }

  private static func columns(_ model: ObjectModel, identity: Identity) -> [Column] {
    let entity = identity.entity
    let mapping = SchemaMapping(model)
    let paths = identity.paths.filter { !$0.steps.isEmpty && $0.attribute != nil }
    let attributes = model.attributes(of: entity).filter { !$0.isTransient && !$0.isDerived }
    let references = model.relationships(of: entity).filter { relationship in
      guard let key = mapping[entity].foreignKey(relationship.name) else { return false }
      // What a path finds is not given by its key as well.
      return key.columns.count == 1 && !paths.contains { $0.steps[0].name == relationship.name }
    }
    return attributes.map(Column.attribute) + references.map(Column.reference) + paths.map(Column.path)
  }

  func unknownName(_ name: String) -> CloneError {
    CloneError([Self.unknown(name, entity: entity, columns: columns, in: model)])
  }

  private static func unknown(
    _ name: String, entity: String, columns: [Column], in model: ObjectModel
  ) -> CloneError.Failure {
    if let attribute = model.attribute(name, of: entity), attribute.isDerived {
      return attribute.isKeptByTriggers
        ? .keptByTriggers(attribute, of: entity) : .computed(attribute, of: entity)
    }
    let found = columns.filter { if case .path(let path) = $0 { path.steps[0].name == name } else { false } }
    if !found.isEmpty {
      return .init(
        .unknownName,
        "'\(name)' of \(entity) is found by its values",
        help: "give \(found.map { "'\($0.name)'" }.listed()) alone",
        entity: entity, property: name)
    }
    return .init(
      .unknownName,
      "\(entity) has no '\(name)' that a row could give",
      help: didYouMean(name, known: columns.map(\.name)), entity: entity, property: name)
  }

  /// The one name whose values are the keys of a dictionary.
  package func keyName() throws -> String {
    guard identifying.count == 1 else {
      throw CloneError(
        .invalidValue,
        "\(entity) is identified by \(identity.names), so a single key does not identify an object",
        help: "use rows that hold them", entity: entity)
    }
    return columns[identifying[0]].name
  }

  /// The relationships that rows overwrite, by `Entity.name`.
  package var overwritten: Set<String> {
    Set(request.overwriting.compactMap { model.relationship($0, of: entity)?.qualifiedName })
  }
}

extension SyncPlan.Column {
  /// A value as the column holds it.
  ///
  /// - Throws: `CloneError` (`invalid-value`).
  func fitted(_ value: AttributeValue, of entity: String) throws -> AttributeValue {
    switch self {
    case .attribute(let attribute): return try attribute.checked(value, for: entity)
    case .reference(let relationship):
      guard value.isNull, !relationship.isOptional else { return value }
      throw CloneError(
        .invalidValue, "'\(name)' of \(entity) is required, so it cannot be null", entity: entity,
        property: name)
    case .path(let path):
      return try value.isNull ? value : path.attribute!.checked(value, for: path.steps.last!.destination)
    }
  }
}

/// What a sync is refused for, the same in every graph.
extension SyncPlan {
  package func checkEmpty(_ rows: Int) throws {
    guard rows == 0, request.deletes, !request.isConfirmed else { return }
    throw CloneError(
      .emptyInput,
      "the input has no rows, so every \(entity) would be deleted",
      help: "pass --yes to confirm, or --no-delete to keep them", entity: entity)
  }

  /// A limit that is given is meant, whatever else is confirmed.
  package func checkDeletions(_ count: Int, of compared: Int) throws {
    guard count > 0 else { return }
    let most = request.maxDeletions
    let isTooMany = most.map { count > $0 } ?? (!request.isConfirmed && count * 2 > compared)
    guard isTooMany else { return }
    let limit = most.map { "but the limit is \($0)" } ?? "which is more than half of them"
    throw CloneError(
      .tooManyDeletions,
      "\(count) of \(compared) objects of \(entity) would be deleted, \(limit)",
      help: "nothing was changed. To confirm, pass \(most == nil ? "--yes or " : "")--max-delete \(count)",
      entity: entity)
  }

  package func duplicate(_ key: String, lines: [Int], source: String) -> CloneError.Failure {
    .init(
      .duplicateIdentity,
      "\(lines.count) rows have \(identity.names) \(key): \(source)"
        + lines.prefix(10).map(String.init).joined(separator: ", "), entity: entity)
  }

  /// A row that means no object is never a reason to delete one.
  package func nullIdentity(_ line: Int, _ source: String) -> CloneError.Failure {
    .init(
      .badRow, "\(source)\(line): \(identity.names) is null or empty, so the row matches no \(entity)",
      entity: entity)
  }

  /// An object that has a row is never deleted, whatever it belongs to.
  package func goesAlong(_ object: ObjectID, line: Int, source: String) -> CloneError.Failure {
    .init(
      .deleteDenied,
      "\(source)\(line): \(object) would be deleted by a cascade from an object that has no row",
      help: "give it another owner first, or sync with --no-delete", object: object)
  }

  /// The same for what the store itself removes, or one of its triggers.
  package func goneAlong(_ count: Int) -> CloneError {
    CloneError(
      .deleteDenied,
      "the store's own foreign keys or triggers would delete \(count) more objects of \(entity), which have rows",
      help: "sync with --no-delete, or delete the others first", entity: entity)
  }

  package func existsOutOfScope(_ line: Int, source: String) -> CloneError.Failure {
    .init(
      .badRow,
      "\(source)\(line): a \(entity) with this \(identity.names) exists outside the scope of the predicate",
      entity: entity)
  }

  package func requiredMissing(_ name: String, line: Int, source: String) -> CloneError.Failure {
    .init(
      .invalidValue,
      "\(source)\(line): '\(name)' of \(entity) is required, and the row of a new object does not give it",
      entity: entity, property: name)
  }

  /// - Parameters:
  ///   - isGiven: for each column whether some row gives a value.
  ///   - named: the columns that the input names itself, as the header of a table does.
  package func checkGiven(_ isGiven: [Bool], named: Set<Int>) throws {
    guard isGiven.contains(true) else { return }
    let failures = overwriting.filter { !isGiven[$0] && !named.contains($0) }.map { place in
      CloneError.Failure(
        .invalidValue,
        "'\(columns[place].name)' of \(entity) is to be overwritten, but no row gives it a value",
        help: "add it to the rows, or overwrite something else", entity: entity, property: columns[place].name
      )
    }
    if !failures.isEmpty { throw CloneError(failures) }
  }

  /// A row that names an object by a key that none has.
  ///
  /// - Parameters:
  ///   - column: what the relationship references instead of the key; nil where it references that.
  ///   - isLost: whether the object can be one that was deleted before.
  package func dangling(
    _ relationship: RelationshipDescription, key: AttributeValue, column: String? = nil, line: Int,
    source: String, isLost: Bool
  ) -> CloneError.Failure {
    let takes = column.map { "references '\($0)' and takes its value" } ?? "takes a key"
    let name = column.map { "'\($0)'" } ?? "key"
    return .init(
      .noSuchObject,
      "\(source)\(line): '\(relationship.name)' \(takes), and the store has no \(relationship.destination) with the "
        + "\(name) '\(key)'" + (isLost ? " once the objects that have no row are deleted" : ""),
      help: isLost ? "give it another owner first, or sync with --no-delete" : nil, entity: entity,
      property: relationship.name)
  }

  package func outsideScope(_ column: Column, line: Int, source: String) -> CloneError.Failure {
    .init(
      .badRow, "\(source)\(line): '\(column.name)' is outside the compared scope", entity: entity,
      property: column.name)
  }
}
