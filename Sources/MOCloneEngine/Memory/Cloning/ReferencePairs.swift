import MOCloneModel

/// The pairs of one foreign key that the clones hold, settled before anything is written.
struct ReferencePairs {
  let reference: Reference
  /// In the order in which they are attached.
  private(set) var pairs: [Pair] = []
  private let closure: Closure

  struct Pair {
    /// The place of a member whose clone gets an owner.
    var member: Int32
    /// The original's owner.
    var owner: Row
    /// The place of that owner where its clone takes its place, else -1.
    var ownerPlace: Int32
  }

  /// - Throws: `CloneError` (`required-left-empty`).
  init(
    _ reference: Reference, closure: Closure, given: [Int: Row], linked: inout LinkedObjects
  ) throws {
    self.reference = reference
    self.closure = closure
    let originals = closure.originals[reference.memberTable]
    pairs.reserveCapacity(originals.count)
    let owner = reference.list.owner.cells.base
    var first = 0
    if reference.memberTable == closure.root.table, let forward = reference.forward, let row = given[forward]
    {
      if row != noRow { append(0, row, nil) }
      first = 1
    }
    let inside = Inside(reference, closure)
    for place in first..<max(first, originals.count) where owner[Int(originals[place])] != noRow {
      let member = originals[place]
      if let ownerPlace = inside.place(ofOwner: owner[Int(member)], member) {
        append(place, owner[Int(member)], ownerPlace)
      } else {
        try add(place, member, owner[Int(member)], &linked)
      }
    }
    try checkOwners()
    sort()
  }

  /// The common case: member and owner are both cloned, and either side's rule asks for the pair.
  private struct Inside {
    let memberWays, ownerWays, ownerPlaces: UnsafePointer<Int32>
    let forward, backward: [Bool]
    let isOff: Bool

    init(_ reference: Reference, _ closure: Closure) {
      memberWays = closure.cells(of: reference.memberTable).ways
      (ownerWays, ownerPlaces) = closure.cells(of: reference.ownerTable)
      forward = closure.ways.asking(reference.forward)
      backward = closure.ways.asking(reference.backward)
      isOff = closure.forgetsIdentity || closure.originals[reference.ownerTable].isEmpty
    }

    func place(ofOwner owner: Row, _ member: Row) -> Int? {
      if isOff { return nil }
      let place = ownerPlaces[Int(owner)]
      guard place != 0, forward[Int(memberWays[Int(member)])] || backward[Int(ownerWays[Int(owner)])]
      else { return nil }
      return Int(place) - 1
    }
  }

  private mutating func add(
    _ place: Int, _ member: Row, _ owner: Row, _ linked: inout LinkedObjects
  ) throws {
    let ways = closure.waySet(member, in: reference.memberTable)
    if let ownerPlace = closure.cloneOf(owner, in: reference.ownerTable) {
      let ownerWays = closure.waySet(owner, in: reference.ownerTable)
      if closure.ways.asks(ways, reference.forward) || closure.ways.asks(ownerWays, reference.backward) {
        return append(place, owner, ownerPlace)
      }
    } else if let forward = reference.forward, closure.ways.rule(ways, forward) == .link,
      !reference.isOneToOne
    {
      linked.add(owner, over: forward)
      return append(place, owner, nil)
    }
    if let forward = reference.forward, relation(forward).isRequired {
      throw CloneError.requiredLeftEmpty(
        relation(forward).description.name, of: closure.id(member, in: reference.memberTable))
    }
  }

  private mutating func append(_ place: Int, _ owner: Row, _ ownerPlace: Int?) {
    pairs.append(
      Pair(member: Int32(place), owner: owner, ownerPlace: ownerPlace.map { Int32($0) } ?? -1))
  }

  private func relation(_ number: Int) -> RelationLayout {
    closure.store.layout.relations[number]
  }

  /// A required one-to-one whose foreign key lies at the other end is empty too where that end has no clone.
  private func checkOwners() throws {
    guard let backward = reference.backward, relation(backward).isRequired else { return }
    let filled = Set(pairs.map(\.ownerPlace))
    for (place, owner) in closure.originals[reference.ownerTable].enumerated()
    where reference.list.first[owner] != noRow && !filled.contains(Int32(place)) {
      throw CloneError.requiredLeftEmpty(
        relation(backward).description.name, of: closure.id(owner, in: reference.ownerTable))
    }
  }

  /// Brings the members into the order of the originals' lists, if that order means anything.
  private mutating func sort() {
    guard let backward = reference.backward, relation(backward).description.isOrdered else { return }
    let originals = closure.originals[reference.memberTable]
    let members = pairs.map { originals[Int($0.member)] }
    pairs = reference.list.order(of: members, owners: pairs.map(\.owner)).map { pairs[$0] }
  }
}

extension RowList {
  /// The order of some elements in which those of one owner follow each other as in its list; elements that are
  /// to get another owner than they have come last.
  func order(of elements: [Row], owners: [Row]) -> [Int] {
    // How many elements of each owner are still to come, and the place of each element, from 1.
    let left = DenseMap(count: first.cells.count)
    let number = DenseMap(count: owner.cells.count)
    var movers: [Int] = []
    for (i, element) in elements.enumerated() {
      guard owner[element] == owners[i] else {
        movers.append(i)
        continue
      }
      left[owners[i]] += 1
      number[element] = Int32(i) + 1
    }
    var order: [Int] = []
    order.reserveCapacity(elements.count)
    for (i, owner) in owners.enumerated() {
      var count = left[owner]
      guard count > 0 else { continue }
      left[owner] = 0
      // A list that got a single clone need not be walked, however long it is.
      var element = count == 1 && number[elements[i]] != 0 ? elements[i] : first[owner]
      while count > 0 {
        if number[element] != 0 {
          order.append(Int(number[element]) - 1)
          count -= 1
        }
        element = next[element]
      }
    }
    return Sabotage.isOn(.reversesOrder) ? (order + movers).reversed() : order + movers
  }
}

extension Closure {
  func id(_ row: Row, in table: Int) -> ObjectID {
    ObjectID(store.layout.entities[entity(row, in: table)].name, key: ObjectKey([.integer(Int64(row) + 1)]))
  }
}

/// The distinct objects outside a closure that its clones link to, by the entity that the relationship names.
struct LinkedObjects {
  private let store: MemoryStore
  /// Of each entity: its rows that were seen, and how many they are.
  private var seen: [DenseMap?]
  private var numbers: [Int]
  /// Of each relationship: its destination.
  private let destinations: [Int]

  init(store: MemoryStore) {
    self.store = store
    seen = Array(repeating: nil, count: store.layout.entities.count)
    numbers = Array(repeating: 0, count: store.layout.entities.count)
    destinations = store.layout.relations.map(\.destination)
  }

  mutating func add(_ row: Row, over relation: Int) {
    let entity = destinations[relation]
    let map = seen[entity] ?? makeMap(entity)
    guard map[row] == 0 else { return }
    map[row] = 1
    numbers[entity] += 1
  }

  private mutating func makeMap(_ entity: Int) -> DenseMap {
    let map = DenseMap(count: store.spaces[store.layout.entities[entity].table].count)
    seen[entity] = map
    return map
  }

  var counts: [String: Int] {
    let named = zip(store.layout.entities, numbers).filter { $1 > 0 }.map { ($0.name, $1) }
    return Dictionary(uniqueKeysWithValues: named)
  }
}

// MARK: - Writing

extension CloneWriter {
  func chain(_ pairs: ReferencePairs) {
    let reference = pairs.reference
    for copy in 0..<copies {
      let firstMember = newRow(0, in: reference.memberTable, copy: copy)
      let firstOwner = newRow(0, in: reference.ownerTable, copy: copy)
      let cells = reference.list.cells
      for pair in pairs.pairs {
        if pair.ownerPlace < 0 {
          store.attach(firstMember + pair.member, to: pair.owner, in: reference.list)
        } else {
          cells.attach(firstMember + pair.member, to: firstOwner + pair.ownerPlace)
        }
      }
    }
  }

  /// What the request gave the root's to-one relationships: by relationship number the row, or none.
  func givenOwners() throws -> [Int: Row] {
    let root = closure.entity(closure.root.row, in: closure.root.table)
    let entity = store.layout.entities[root]
    var given: [Int: Row] = [:]
    for planned in plan.plan.root(of: entity.name)!.relationships {
      let relation = entity.relations[planned.relationship.name]!
      switch planned.given {
      case nil: break
      case .some(.none): given[relation] = noRow
      case .object(let key): given[relation] = try givenOwner(key, relation)
      }
    }
    return given
  }

  private func givenOwner(_ key: ObjectKey, _ relation: Int) throws -> Row {
    let layout = store.layout.relations[relation]
    let destination = layout.description.destination
    guard let id = try graph.find(destination, key: key) else {
      throw CloneError.noSuchObject(destination, key)
    }
    let row = try graph.located(id).row
    if case .reference(let number) = layout.side, store.references[number].isOneToOne,
      copies > 1 || store.references[number].list.first[row] != noRow
    {
      // Taking the partner away from the object that has it would change an original.
      throw CloneError(
        .uniqueValue,
        "'\(layout.description.name)' of \(layout.description.entity) is one-to-one, and \(id) has a partner",
        entity: layout.description.entity, property: layout.description.name, object: id)
    }
    return row
  }
}
