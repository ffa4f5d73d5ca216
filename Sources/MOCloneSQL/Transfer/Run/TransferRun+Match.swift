import MOCloneEngine
import MOCloneModel

// The third step: which objects rows are, and the keys that the others get.
extension TransferRun {
  /// - Throws: `CloneError` (`ambiguous-identity`, `identity-of-other-entity`, `missing-linked`).
  func match() throws {
    let groups = layout.groups.filter { layout.reaches(layout.streams[$0.stream]) }
    for group in groups {
      let identity = layout.subtree?.isPassing == true ? nil : group.identity
      let joins = try identity.map { try identify(group, identity: $0) } ?? false
      let match = Match(group, in: layout, states: states)
      let stream = match.stream
      if stream.newKey == .written {
        if match.countsWholeKeys { try bindLast(stream) }
        try statements.execute(match.write)
      }
      if case .uuid(let storage) = stream.newKey, try statements.number(match.hasObjects) == 1 {
        if try statements.execute(match.renew(storage)) > 0 { states[stream.index].hasMap = true }
      }
      try statements.execute(joins ? match.settleJoined : [])
      try statements.execute(identity == nil ? [] : match.clear)
    }
    try settleLinked()
    for group in groups { try refuseTaken(Match(group, in: layout, states: states)) }
  }

  /// Binds the number after which those of a stream's new objects are counted.
  ///
  /// - Throws: `CloneError` (`no-room-for-keys`).
  private func bindLast(_ stream: RowStream) throws {
    let count = try Int64(statements.number(keys.openRows(stream).with(["count(*)"])))
    let greatest = try greatestNumber(stream.table, of: stream.table.root, before: count)
    let written = Select(["max(m.n0)"], from: layout.map(stream).rows("m")).where(layout.isNew("m"))
    let last = try max(greatest, statements.row(written)?[0].integer ?? greatest)
    guard !last.addingReportingOverflow(count).overflow else {
      throw CloneError.noRoom(after: last, in: stream.table.schema.name, entity: stream.table.root)
    }
    statements.bind("last", last)
  }

  /// Refuses to keep a UUID that an object of the store has in other letters; rows that lie in place meet none.
  private func refuseTaken(_ match: Match) throws {
    let stream = match.stream
    guard policy.keepsKeys, layout.subtree?.isPassing != true, !layout.isInPlace(stream.table.schema),
      stream.newKey == .kept, case .uuid = stream.table.map.key[0].source,
      let row = try statements.row(match.taken)
    else { return }
    throw CloneError.keyIsTaken(ObjectID(stream.table.root, key: row.key(of: stream.table)))
  }

  /// - Returns: whether several rows become one new object.
  private func identify(_ group: StreamGroup, identity: Identity) throws -> Bool {
    let stream = group.stream
    if policy.unidentified == .skipped, let skip = Match(group, in: layout, states: states).skip {
      if try statements.execute(skip) > 0 { states[stream].hasSkipped = true }
    }
    let match = Match(group, in: layout, states: states)
    try statements.execute(match.prepare)
    if try statements.number(match.hasObjects) == 1, try find(match, identity) > 0 {
      states[stream].hasMap = true
    }
    guard policy.repeated != .apart, !match.isDirect else { return false }
    return try settleRepeated(match, identity: identity)
  }

  func find(_ match: Match, _ identity: Identity) throws -> Int {
    do {
      return try db.attempting { try statements.execute(match.find, scanning: match.stream.table.root) }
    } catch let error where isRefused(error) {
      if match.stream.source == nil { throw try ambiguousRow(match, identity: identity) }
      throw CloneError(
        try groups(match.ambiguous, match: match, keyed: 0..<match.stream.keys.columns.count, limit: 20) {
          row, objects in
          .ambiguous(
            identity, source: ObjectID(identity.entity, key: row.key(of: match.stream.table)),
            objects: objects)
        })
    }
  }

  /// The first row that means several objects.
  private func ambiguousRow(_ match: Match, identity: Identity) throws -> CloneError {
    var number: Int64?
    var objects: [ObjectID] = []
    for row in try statements.rows(match.ambiguous.limited(to: CloneError.mostRows)) {
      guard objects.count < 2 || number == row[0].integer else { break }
      if number != row[0].integer { (number, objects) = (row[0].integer, []) }
      objects.append(ObjectID(identity.scope, key: row.key(of: match.stream.table, from: 1)))
    }
    statements.bind("number", number.map(StoredValue.integer) ?? .null)
    let row = try statements.row(match.identityOfRow)!
    let parts = zip(match.parts, row).map { $0.shown($1) }
    return CloneError.ambiguousIdentity(identity, parts, objects)
  }

  /// Reads rows that begin with what tells their group, and names the objects of each.
  private func groups(
    _ query: Select, match: Match, keyed: Range<Int>, limit: Int,
    failure: ([StoredValue], [ObjectID]) -> CloneError.Failure
  ) throws -> [CloneError.Failure] {
    var failures: [CloneError.Failure] = []
    var current: (row: [StoredValue], objects: [ObjectID])?
    func end() {
      if let found = current, found.objects.count > 1 { failures.append(failure(found.row, found.objects)) }
    }
    for row in try statements.rows(query.limited(to: CloneError.mostRows)) where failures.count < limit {
      let key = row.key(of: match.stream.table, from: keyed.upperBound)
      let object = ObjectID(match.group.identity!.scope, key: key)
      if let last = current?.row, keyed.allSatisfy({ row[$0] == last[$0] }) {
        current!.objects.append(object)
      } else {
        end()
        current = (row, [object])
      }
    }
    end()
    return failures
  }

  /// Rows with one identity: which of them counts nobody can say, unless they are only linked to or the first is to
  /// count.
  ///
  /// - Returns: whether several become one new object.
  private func settleRepeated(_ match: Match, identity: Identity) throws -> Bool {
    let stream = match.stream
    guard try statements.row(match.isRepeated) != nil else { return false }
    guard policy.repeated == .joined else {
      throw CloneError(
        try groups(match.repeated, match: match, keyed: 0..<2, limit: 20) { row, objects in
          .repeatedInSource(identity, objects: objects, isByCollation: row[1].number == 1)
        })
    }
    if let mixed = match.mixed, let row = try statements.row(mixed) {
      let object = ObjectID(identity.scope, key: row.key(of: stream.table))
      throw CloneError(
        .identityOfOtherEntity,
        "the source has objects of several entities with the \(identity.names) of \(object), which are unique among all "
          + "objects of \(identity.scope)", entity: identity.scope, object: object)
    }
    states[stream.index].joins = true
    if states[stream.index].hasMap { try statements.execute(match.joinFound) }
    guard try statements.execute(match.joinNew) > 0 else { return false }
    states[stream.index].hasMap = true
    return true
  }

  // MARK: Linked objects

  /// Decides what becomes of linked objects that the store does not have.
  private func settleLinked() throws {
    guard let subtree = SubtreeReach(layout, states: states) else { return }
    switch layout.subtree!.missing {
    case .create: try subtree.enterNeeded(by: statements)
    case .null: break
    case .fail:
      let failures = try layout.streams.flatMap { stream in
        try statements.objects(stream, subtree.missing(stream)).map { object, _ in
          CloneError.Failure.missingLinked(
            object, identity: layout.identities[object.entity],
            key: layout.mapping[object.entity].renewedAttribute)
        }
      }
      if !failures.isEmpty { throw CloneError(failures) }
    }
    for stream in layout.streams where states[stream.index].hasLinked {
      guard try statements.execute(subtree.drop(stream)) > 0 else { continue }
      states[stream.index].isPartial = true
      if states[stream.index].isMapped { try statements.execute(subtree.dropFromMap(stream)) }
    }
  }
}

extension StatementRunning {
  /// The first objects whose keys a query selects, with their rows.
  func objects(_ stream: RowStream, _ query: Select) throws -> [(ObjectID, [StoredValue])] {
    try rows(query.inOrder(stream).limited(to: 20)).map {
      (ObjectID(stream.table.root, key: $0.key(of: stream.table)), $0)
    }
  }
}

extension CloneError {
  fileprivate static func keyIsTaken(_ object: ObjectID) -> CloneError {
    CloneError(
      .uniqueValue,
      "the store already has an object with the key of \(object), which is to be kept",
      help: "let new keys be made, or delete that object first", entity: object.entity, object: object)
  }
}

extension CloneError.Failure {
  fileprivate static func ambiguous(_ identity: Identity, source: ObjectID, objects: [ObjectID]) -> Self {
    return .init(
      .ambiguousIdentity,
      "\(objects.count) objects of the store have the \(identity.names) of \(source): \(objects.listed())",
      help: "merge them with `\(identity.merging)`, or name attributes that tell them apart",
      entity: identity.entity)
  }
}

extension Select {
  /// In the order of the keys that are its first columns, unless it has one.
  fileprivate func inOrder(_ stream: RowStream) -> Select {
    isOrdered ? self : ordered(by: stream.keys.columns.indices.map { "\($0 + 1)" })
  }
}
