import MOCloneModel

// References lie in the rows of objects, and order the lists that they make.
extension RowWrite {
  /// Writes the references of a row, those of ordered lists aside.
  mutating func refer(_ row: Int) throws {
    guard let object = objects[row], !isJoined(row) else { return }
    let entity = rows.entity(of: row)
    for (place, reference) in entity.references.enumerated() {
      let number = numbers[rows.rows[row].entity][place]
      guard !listed.contains(number) else { continue }
      switch rows.rows[row].references[place] {
      case .absent, .null, .lost: continue
      case .row(let other):
        try objects[other].map { try refer(row, member: object, staged: reference, number: number, to: $0) }
      case .key(let key):
        guard isNew(row) || mayWrite(reference, of: row) else { continue }
        try refer(
          row, member: object, staged: reference, number: number, to: destination(key, reference: reference))
      }
    }
  }

  /// Has the members of a list refer to its owner, in their order.
  mutating func refer(_ list: StagedList) throws {
    guard let owner = objects[list.owner] else { return }
    for row in list.members {
      guard let member = objects[row], !isJoined(row),
        let place = numbers[rows.rows[row].entity].firstIndex(of: list.reference)
      else { continue }
      let reference = rows.entity(of: row).references[place]
      try refer(row, member: member, staged: reference, number: list.reference, to: owner)
    }
  }

  /// Puts the members of a list behind what else it has, in their order.
  func order(_ list: StagedList) {
    let reference = graph.store.references[list.reference]
    let relationship = reference.backward.map { graph.store.layout.relations[$0].description }
    guard policy.orders(relationship), let owner = objects[list.owner] else { return }
    for row in list.members where !isJoined(row) {
      guard let member = objects[row]?.row, reference.list.owner[member] == owner.row else { continue }
      graph.store.detach(member, in: reference.list)
      graph.store.attach(member, to: owner.row, in: reference.list)
    }
  }

  /// Empties the references of a row that reference nothing: when all others are written, so that what another object
  /// takes is not emptied first.
  mutating func clear(_ row: Int) throws {
    guard let object = objects[row], !isJoined(row) else { return }
    for (place, reference) in rows.entity(of: row).references.enumerated() {
      guard case .null = rows.rows[row].references[place] else { continue }
      let number = numbers[rows.rows[row].entity][place]
      try refer(row, member: object, staged: reference, number: number, to: nil)
    }
  }

  /// Objects whose one-to-one destinations are merged.
  mutating func checkRelatedObjects() {
    struct RelatedObject: Hashable {
      var reference: Int
      var object: MemoryObject
    }
    let joined = Set(rows.rows.indices.filter(isJoined).compactMap { objects[$0]?.table })
    var holders: [RelatedObject: [(row: Int, relationship: RelationshipDescription)]] = [:]
    for row in rows.rows.indices where !joined.isEmpty && objects[row] != nil && !isJoined(row) {
      for (place, reference) in rows.entity(of: row).references.enumerated() {
        let number = numbers[rows.rows[row].entity][place]
        guard graph.store.references[number].isOneToOne,
          case .row(let other) = rows.rows[row].references[place],
          let relatedObject = objects[other], joined.contains(relatedObject.table)
        else { continue }
        holders[RelatedObject(reference: number, object: relatedObject), default: []].append(
          (row, reference.relationship))
      }
    }
    for (row, relationship) in holders.values.filter({ $0.count > 1 }).joined().sorted(by: { $0.row < $1.row }
    ) {
      failures.append(.sharedRelatedObject(relationship, of: objectID(row)))
    }
  }

  /// The object of a row as its source names it, else as the target does.
  private func objectID(_ row: Int) -> ObjectID { rows.rows[row].object ?? graph.objectID(objects[row]!) }

  /// A row that another one stands for says nothing of its own.
  private func isJoined(_ row: Int) -> Bool { !isNew(row) && !isFound(row) }

  private func destination(_ key: ObjectKey, reference: TransferPlan.Reference) throws -> MemoryObject {
    let entity = reference.relationship.destination
    guard let object = try graph.object(at: key, entity) else { throw CloneError.noSuchObject(entity, key) }
    return object
  }

  private func mayWrite(_ reference: TransferPlan.Reference, of row: Int) -> Bool {
    policy.references != .keep && rows.entity(of: row).overwritten.contains(reference.name)
  }

  private func isInKey(_ reference: TransferPlan.Reference, of row: Int) -> Bool {
    reference.isForward && graph.mapping[rows.entity(of: row).name].isInKey(reference.name)
  }

  private func inKey(_ reference: TransferPlan.Reference, of row: Int) -> CloneError.Failure {
    let relationship = reference.relationship
    return rows.failure(
      .inKey(relationship.name, of: relationship.entity, object: rows.rows[row].object), of: row)
  }

  private mutating func refer(
    _ row: Int, member: MemoryObject, staged: TransferPlan.Reference, number: Int,
    to owner: MemoryObject?
  ) throws {
    let reference = graph.store.references[number]
    let before = reference.list.owner[member.row]
    let after = owner?.row ?? noRow
    guard before != after else { return }
    if !isNew(row) {
      guard mayWrite(staged, of: row), policy.references == .update || before == noRow else { return }
      if isInKey(staged, of: row) {
        if owner != nil, policy.references == .update { failures.append(inKey(staged, of: row)) }
        return
      }
    }
    if reference.isOneToOne, after != noRow {
      let holder = reference.list.first[after]
      guard try holder == noRow || free(holder, from: number, for: row, staged: staged, owner: owner!)
      else { return }
    }
    try graph.setTarget(of: member.row, to: after, reference)
    guard !isNew(row) else { return }
    changed.insert(member)
    if counts.countsReferences { counts.linked[staged.relationship.qualifiedName, default: 0] += 1 }
  }

  /// Whether an object can have the other side of a one-to-one relationship that another object holds.
  private mutating func free(
    _ holder: Row, from number: Int, for row: Int, staged: TransferPlan.Reference,
    owner: MemoryObject
  ) throws -> Bool {
    let reference = graph.store.references[number]
    let holder = MemoryObject(table: reference.memberTable, row: holder)
    let isRequired = reference.isRequired
    switch policy.relatedObjects {
    case .refused, .replaced:
      guard policy.relatedObjects == .replaced, try loses(holder, owner, by: number, isRequired: isRequired)
      else {
        failures +=
          CloneError.relatedObjectTaken(
            staged.relationship, relatedObject: graph.objectID(owner).description, isRequired: isRequired,
            canUpdate: policy.relatedObjects == .refused
          ).failures
        return false
      }
    case .kept, .taken:
      let takes = policy.relatedObjects == .taken
      if isRequired, takes || isNew(row) {
        failures.append(.takenRelatedObject(staged.relationship, of: objectID(row)))
        return false
      }
      guard takes else {
        if isNew(row), staged.isForward {
          skipped.append(rows.rows[row].leftOut(TransferReport.relatedObjectKept(staged.relationship)))
        }
        return false
      }
    }
    if !made.contains(holder) { released.insert(holder) }
    return true
  }

  /// Whether an object can do without what it refers to: not where its own row says that it has it, or is its row by that.
  private mutating func loses(
    _ holder: MemoryObject, _ owner: MemoryObject, by number: Int, isRequired: Bool
  ) throws -> Bool {
    guard let row = standing[holder] else { return !isRequired }
    let entity = rows.entity(of: row)
    let places = numbers[rows.rows[row].entity].indices.filter {
      numbers[rows.rows[row].entity][$0] == number
    }
    let identifies = places.map { entity.references[$0] }.contains {
      $0.isForward && entity.identifying.contains($0.name)
    }
    guard isNew(row) || !identifies else { return false }
    guard let place = places.first(where: { rows.rows[row].references[$0].isGiven }),
      let given = try destination(rows.rows[row].references[place], of: entity.references[place])
    else { return !isRequired }
    return given != owner && (!isRequired || isNew(row) || mayWrite(entity.references[place], of: row))
  }

  private func destination(
    _ staged: StagedReference, of reference: TransferPlan.Reference
  ) throws -> MemoryObject? {
    switch staged {
    case .row(let row): objects[row]
    case .key(let key): try destination(key, reference: reference)
    case .absent, .null, .lost: nil
    }
  }

  /// What new objects require must have arrived.
  mutating func checkRequired(_ row: Int) {
    let entity = layout(of: row)
    let object = objects[row]!
    for relation in entity.relations.values.sorted() {
      let layout = graph.store.layout.relations[relation]
      guard layout.isRequired, case .reference(let number) = layout.side,
        graph.store.references[number].list.owner[object.row] == noRow
      else { continue }
      let place = numbers[rows.rows[row].entity].firstIndex(of: number)
      let staged = place.map { rows.rows[row].references[$0] }
      // What arrived and is not held belongs to another object, which was refused.
      if case .row(let other) = staged, objects[other] != nil { continue }
      if case .key = staged { continue }
      if rows.rows[row].line != nil {
        failures.append(
          rows.failure(faults.lacking(rows.rows[row], entity.name, [layout.description.name]), of: row))
      } else if staged?.isGiven == true {
        let failure = CloneError.Failure.lostReference(
          layout.description, of: rows.rows[row].object!, isExcluded: policy.excludes(layout.description))
        if !failures.contains(failure) { failures.append(failure) }
      }
    }
  }
}

extension CloneError.Failure {
  /// An object whose required related object has another one in the store.
  package static func takenRelatedObject(_ relationship: RelationshipDescription, of object: ObjectID) -> Self
  {
    .init(
      .constraintFailed,
      "'\(relationship.name)' of \(object) is one-to-one and required, but its \(relationship.destination) "
        + "already has another one in the store",
      help:
        "identify \(object.entity) by it (--by \(object.entity)=\(relationship.name)) so that the two are "
        + "one, or delete one of them first", property: relationship.name, object: object)
  }

  /// An object whose one-to-one destination another one has as well, once objects of one identity are merged.
  package static func sharedRelatedObject(_ relationship: RelationshipDescription, of object: ObjectID)
    -> Self
  {
    .init(
      .constraintFailed,
      "'\(relationship.name)' of \(object) is one-to-one, but its destination is one of several "
        + "\(relationship.destination) with one identity, each of which has a \(object.entity)",
      help:
        "identify \(object.entity) by it (--by \(object.entity)=\(relationship.name)) so that these become "
        + "one as well",
      property: relationship.name, object: object)
  }

  /// An object whose required destination did not come along.
  ///
  /// - Parameter isExcluded: whether the call left the relationship out, which is the same fault of all objects.
  package static func lostReference(
    _ relationship: RelationshipDescription, of object: ObjectID, isExcluded: Bool
  ) -> Self {
    guard !isExcluded else {
      return .init(
        .requiredLeftEmpty,
        "'\(relationship.name)' of \(relationship.entity) is required, so it cannot be excluded while nothing "
          + "else brings its \(relationship.destination) along",
        help: "do not exclude it, or copy \(relationship.destination), too",
        entity: relationship.entity, property: relationship.name)
    }
    return .init(
      .requiredLeftEmpty,
      "'\(relationship.name)' of \(object) is required, but its destination is not copied: it has no identity, "
        + "or it does not exist", property: relationship.name, object: object)
  }
}
