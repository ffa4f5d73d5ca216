import MOCloneModel

/// What an operation says of rows that it refuses.
struct RowFaults {
  typealias Failure = CloneError.Failure

  /// Several rows of one identity.
  var repeated: (Identity, [IdentityPart], [StagedRow]) -> Failure = { identity, _, rows in
    .repeatedInSource(identity, objects: rows.compactMap(\.object))
  }
  /// A row whose identity is null or empty at the end of a path.
  var unidentified: (StagedRow, Identity, IdentityPath) -> Failure = { _, identity, path in
    CloneError.nullIdentity(identity, "\(path)").failures[0]
  }
  /// A row whose object exists, and is not among those that the operation is about.
  var outside: (StagedRow, Identity) -> Failure = { _, identity in
    .init(.badRow, "the object of a row is outside the compared scope", entity: identity.entity)
  }
  /// A row that members are linked to, of an object that does not exist.
  var missing: (StagedRow, Identity?) -> Failure = { row, identity in
    .missingLinked(row.object!, identity: identity)
  }
  /// A row that makes an object and does not give what that requires.
  var lacking: (StagedRow, _ entity: String, _ names: [String]) -> Failure = { _, entity, names in
    CloneError.importLacks(names, entity: entity).failures[0]
  }
}

extension StagedRow {
  var object: ObjectID? { if case .object(let object) = origin { object } else { nil } }
  var line: Int? { if case .line(let line) = origin { line } else { nil } }

  func leftOut(_ reason: String) -> TransferReport.Skipped {
    .init(place: origin.description, reason: reason)
  }
}

extension CloneError.Failure {
  /// A row that has the identity of a row of another entity.
  static func identityOfOtherEntity(
    _ identity: Identity, _ key: [IdentityPart], _ origin: StagedRow.Origin
  ) -> Self {
    .init(
      .identityOfOtherEntity,
      "\(origin) has \(identity.names) \(Identity.text(key)), but is not \(identity.entity): they are unique among all "
        + "objects of \(identity.scope)", entity: identity.entity)
  }

  /// The rows beside those that are listed.
  ///
  /// - Parameter isAll: whether there are no more than that; else some were not looked at.
  package static func moreRows(
    _ count: Int, isAll: Bool = true, code: DiagnosticCode, in file: String? = nil
  ) -> Self {
    let place = (file.map { "\($0): " } ?? "") + (isAll ? "" : "at least ")
    return Self(code, "\(place)\(count == 1 ? "1 more row is" : "\(count) more rows are") refused")
  }
}

extension CloneError {
  /// So many rows are looked at that are refused for one reason.
  package static var mostRows: Int { 1_000 }

  /// Rows that are refused, of which some are listed.
  ///
  /// - Parameters:
  ///   - count: how many rows are refused.
  ///   - source: what stands before the number of a row: `row `, or `channels.csv:`.
  package static func rows(_ listed: [Failure], of count: Int, source: String) -> CloneError {
    // A row can have several faults.
    let rows = Set(listed.compactMap(\.row)).count + listed.filter { $0.row == nil }.count
    let more = count - rows
    let file = source.hasSuffix(":") ? String(source.dropLast()) : nil
    return CloneError(listed + (more > 0 ? [.moreRows(more, code: listed[0].code, in: file)] : []))
  }
}
