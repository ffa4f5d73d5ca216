import MOCloneModel

/// The references of one foreign key that the clones hold, settled before anything is written.
struct ClonedReferences {
  let reference: Reference
  /// In the order in which they are attached.
  private(set) var links: [Link] = []
  private let order: ListOrder
  private let forward: RelationLayout?
  private let backward: RelationLayout?
  /// How many members the clone of an owner must have.
  private let least: Int

  struct Link {
    /// The place of a member whose clone gets an owner.
    var member: Int32
    /// The original's owner.
    var owner: Row
    /// The place of that owner where its clone takes its place, else -1.
    var ownerPlace: Int32
  }

  init(_ reference: Reference, relations: [RelationLayout], order: ListOrder) {
    self.reference = reference
    self.order = order
    forward = reference.forward.map { relations[$0] }
    backward = reference.backward.map { relations[$0] }
    least = backward?.description.leastCount ?? 0
  }

  /// - Parameter given: what the request gave the root's to-one relationships.
  /// - Throws: `CloneError` (`required-left-empty`).
  mutating func settle(
    _ closure: borrowing Closure, given: [GivenOwner], linked: inout LinkedObjects
  ) throws {
    links.removeAll(keepingCapacity: true)
    let originals = closure.originals[reference.memberTable]
    links.reserveCapacity(originals.count)
    let owner = reference.list.owner.cells.base
    var first = 0
    if let given = given.first(where: { $0.relation == reference.forward }) {
      if given.row != noRow {
        linked.add(given.row, over: given.relation)
        append(0, owner: given.row, ownerPlace: nil)
      }
      first = 1
    }
    let inside = Inside(reference, closure: closure)
    for place in first..<max(first, originals.count) where owner[Int(originals[place])] != noRow {
      let member = originals[place]
      if let ownerPlace = inside.place(ofOwner: owner[Int(member)], member) {
        append(place, owner: owner[Int(member)], ownerPlace: ownerPlace)
      } else {
        try add(place, member: member, owner: owner[Int(member)], closure: closure, linked: &linked)
      }
    }
    try checkOwners(closure)
    sort(closure)
  }

  /// The common case: member and owner are both cloned, and either side's rule asks for the reference.
  private struct Inside {
    let memberWays, ownerWays, ownerPlaces: UnsafePointer<Int32>
    let forward, backward: Int?
    let rules: WaySets.Rules
    let isOff: Bool

    init(_ reference: Reference, closure: borrowing Closure) {
      memberWays = closure.cells(of: reference.memberTable).ways
      (ownerWays, ownerPlaces) = closure.cells(of: reference.ownerTable)
      forward = reference.forward
      backward = reference.backward
      rules = closure.ways.rules
      isOff = closure.originals[reference.ownerTable].isEmpty
    }

    func place(ofOwner owner: Row, _ member: Row) -> Int? {
      if isOff { return nil }
      let place = ownerPlaces[Int(owner)]
      guard place != 0,
        rules.asks(memberWays[Int(member)], forward) || rules.asks(ownerWays[Int(owner)], backward)
      else { return nil }
      return Int(place) - 1
    }
  }

  private mutating func add(
    _ place: Int, member: Row, owner: Row, closure: borrowing Closure, linked: inout LinkedObjects
  ) throws {
    let (rules, ways) = (closure.ways.rules, closure.waySet(member, in: reference.memberTable))
    if let ownerPlace = closure.place(owner, in: reference.ownerTable) {
      let ownerWays = closure.waySet(owner, in: reference.ownerTable)
      if rules.asks(ways, reference.forward) || rules.asks(ownerWays, reference.backward) {
        return append(place, owner: owner, ownerPlace: ownerPlace)
      }
    } else if let forward = reference.forward, rules[ways, forward] == .link, !reference.isOneToOne {
      linked.add(owner, over: forward)
      return append(place, owner: owner, ownerPlace: nil)
    }
    if reference.isRequired {
      throw CloneError.requiredLeftEmpty(
        forward!.description.name, of: closure.id(member, in: reference.memberTable))
    }
  }

  private mutating func append(_ place: Int, owner: Row, ownerPlace: Int?) {
    links.append(
      Link(member: Int32(place), owner: owner, ownerPlace: ownerPlace.map { Int32($0) } ?? -1))
  }

  /// A required relationship whose foreign key lies at the other end has too few objects too where such ends have no clones.
  private func checkOwners(_ closure: borrowing Closure) throws {
    guard let backward, least > 0 else { return }
    let originals = closure.originals[reference.ownerTable]
    var counts = Array(repeating: 0, count: originals.count)
    for link in links where link.ownerPlace >= 0 { counts[Int(link.ownerPlace)] += 1 }
    let end = closure.end(of: reference.memberTable)
    for (place, owner) in originals.enumerated()
    where reference.list.hasMore(than: counts[place], upTo: least, of: owner, before: end) {
      throw CloneError.tooFewLeft(backward.description, of: closure.id(owner, in: reference.ownerTable))
    }
  }

  /// Brings the members into the order of the originals' lists, if that order means anything.
  private mutating func sort(_ closure: borrowing Closure) {
    guard reference.isOrdered, links.count > 1 else { return }
    let originals = closure.originals[reference.memberTable]
    let members = links.map { originals[Int($0.member)] }
    links = order.order(of: members, owners: links.map(\.owner), in: reference.list).map { links[$0] }
  }
}

/// The row that the request gave a to-one relationship of the root, or none.
struct GivenOwner {
  var relation: Int
  var row: Row
}

// MARK: - Writing

extension ClonedReferences {
  /// Enters the clones' rows in their lists.
  mutating func write(_ rows: NewRows, in store: MemoryStore) {
    let cells = reference.list.cells
    for copy in 0..<rows.copies {
      let firstMember = rows.row(0, in: reference.memberTable, copy: copy)
      let firstOwner = rows.row(0, in: reference.ownerTable, copy: copy)
      for link in links {
        if link.ownerPlace < 0 {
          store.attach(firstMember + link.member, to: link.owner, in: reference.list)
        } else {
          cells.attach(firstMember + link.member, to: firstOwner + link.ownerPlace)
        }
      }
    }
  }
}

extension CloneWriter {
  /// What the request gave the root's to-one relationships.
  func givenOwners() throws -> [GivenOwner] {
    try plan.given[root.entity].map { relation, destination in
      switch destination {
      case .none: GivenOwner(relation: relation, row: noRow)
      case .object(let key): GivenOwner(relation: relation, row: try givenOwner(key, relation: relation))
      }
    }
  }

  private func givenOwner(_ key: ObjectKey, relation: Int) throws -> Row {
    let layout = store.layout.relations[relation]
    let destination = layout.description.destination
    guard let id = try graph.find(destination, key: key) else {
      throw CloneError.noSuchObject(destination, key)
    }
    let row = try graph.place(of: id).row
    if case .reference(let number) = layout.side, store.references[number].isOneToOne,
      copies > 1 || store.references[number].list.first[row] != noRow
    {
      // Taking the related object away from the object that has it would change an original.
      throw CloneError(
        .uniqueValue,
        "'\(layout.description.name)' of \(layout.description.entity) is one-to-one, and \(id) already has a related object",
        entity: layout.description.entity, property: layout.description.name, object: id)
    }
    return row
  }
}
