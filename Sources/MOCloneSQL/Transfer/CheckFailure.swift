import MOCloneEngine
import MOCloneModel

extension RowStream {
  package func name(of column: AttributeColumn?, _ mapping: SchemaMapping) -> String? {
    column.flatMap { column in
      entities.lazy.compactMap { entity in
        mapping[entity].attributes.first { $0.value.column == column.column }?.key
      }.first
    }
  }
}

extension ColumnSchema {
  fileprivate var shownType: String { type.isEmpty ? "without a type" : type }
}

extension Check {
  /// What a row of the query means.
  func failure(_ row: [StoredValue], _ mapping: SchemaMapping) -> CloneError.Failure {
    let width = stream.keys.columns.count
    var object: ObjectID { ObjectID(stream.table.root, key: row.key(of: stream.table)) }
    func value(_ place: Int) -> AttributeValue { AttributeValue(raw: row[width + place]) }
    /// Names the object of a store, or the row of a file, which selects its line as well.
    func placed(_ failure: (ObjectID?) -> CloneError.Failure) -> CloneError.Failure {
      guard stream.source == nil else { return failure(object) }
      var failure = failure(nil)
      failure.row = stream.row([row[1], row[0]])
      return failure
    }
    switch subject {
    case .unknownEntity(let column):
      return .unknownDiscriminator(value(0), object: object, column: column)
    case .lostValue(let columnTransfer) where stream.dialect.hasTypes || stream.source == nil:
      return lostValue(columnTransfer, row: row, object: object, mapping: mapping)
    case .lostValue(let columnTransfer):
      return .init(
        .storeMismatch,
        "'\(value(0))' of \(object) would \(row[width].integer != nil ? "lose digits" : "become a number"): the "
          + "column '\(columnTransfer.target.name)' is \(columnTransfer.source.shownType) in the source and "
          + "\(columnTransfer.target.shownType) in the store",
        help: "give both one type",
        property: columnTransfer.source.name, object: object)
    case .otherEntity(let identity, let parts):
      let width = stream.table.keyColumns.count
      let found = ObjectID(stream.table.entity(row, at: width), key: row.key(of: stream.table))
      let isStaged = stream.source == nil
      // Objects of several entities are looked for together.
      let entity = isStaged ? identity.entity : stream.table.entity(row, at: width + 1)
      let values = zip(parts, row[(width + 2)...]).map { $0.shown($1) }
      let own = Identity(entity: entity, scope: identity.scope, paths: identity.paths)
      var failure = CloneError.identityOfOtherEntity(own, values, found).failures[0]
      if isStaged { failure.row = stream.row(Array(row.suffix(2))) }
      return failure
    case .leftEmpty(let relationship, let isExcluded):
      return .lostReference(relationship, of: object, isExcluded: isExcluded)
    case .tooFewLeft(let relationship): return CloneError.tooFewLeft(relationship, of: object).failures[0]
    case .takenRelatedObject(let relationship): return .takenRelatedObject(relationship, of: object)
    case .sharedRelatedObject(let relationship): return .sharedRelatedObject(relationship, of: object)
    case .emptyDestination(let relationship, let column):
      return placed { .emptyDestination(column, of: relationship, object: $0) }
    case .inKey(let name, let entity):
      return placed { .inKey(name, of: entity, object: $0) }
    case .computed(let relationship, let column, let isLeftOut):
      return placed {
        .computed(relationship, in: column, of: stream.table.schema.name, isLeftOut: isLeftOut, object: $0)
      }
    }
  }

  /// A value of an object, or of a row of a file, that does not fit its column.
  private func lostValue(
    _ columnTransfer: ColumnTransfer, row: [StoredValue], object: ObjectID, mapping: SchemaMapping
  ) -> CloneError.Failure {
    let (width, isStaged) = (stream.keys.columns.count, stream.source == nil)
    let name = stream.name(of: columnTransfer.attribute, mapping)
    var failure = CloneError.Failure.noRoom(
      for: AttributeValue(raw: row[width]), of: isStaged ? stream.entities[0] : "\(object)",
      in: columnTransfer.target,
      table: stream.table.schema.name)
    (failure.entity, failure.property) = (stream.entities[0], name ?? columnTransfer.target.name)
    if !isStaged { failure.object = object }
    if isStaged { failure.row = stream.row([row[width + 1], row[0]]) }
    return failure
  }
}
