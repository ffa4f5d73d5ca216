import MOCloneModel

extension MemoryGraph {
  /// The destinations of a relationship: in order where it is ordered, else by key.
  public func destinations(_ relationship: String, of object: ObjectID) throws -> [ObjectID] {
    let (entity, row) = try located(object)
    let relation = try relationNumber(relationship, of: entity)
    let table = store.layout.relations[relation].destinationTable
    return destinationRows(of: relation, row).map { objectID($0, in: table) }
  }

  /// Replaces the destinations of a relationship and keeps the inverses in step; a to-one takes one or none.
  public func setDestinations(
    _ destinations: [ObjectID], _ relationship: String, of object: ObjectID
  ) throws {
    let (entity, row) = try located(object)
    let relation = try relationNumber(relationship, of: entity)
    let rows = try destinationRows(destinations, for: relation, of: objectID(row, in: entity.table))
    try store.atomically { try setDestinations(of: relation, row, to: rows) }
  }

  /// Adds a destination at the end, in constant time where the relationship is a foreign key.
  public func addDestination(
    _ destination: ObjectID, to relationship: String, of object: ObjectID
  ) throws {
    let (entity, row) = try located(object)
    let relation = try relationNumber(relationship, of: entity)
    guard store.layout.relations[relation].description.isToMany else {
      let held = try destinations(relationship, of: object)
      return try setDestinations(held + [destination], relationship, of: object)
    }
    let member = try destinationRows([destination], for: relation, of: objectID(row, in: entity.table))[0]
    try store.atomically { try add(member, to: relation, row) }
  }

  /// Removes a destination, in constant time where the relationship is a foreign key.
  public func removeDestination(
    _ destination: ObjectID, from relationship: String, of object: ObjectID
  ) throws {
    let (entity, row) = try located(object)
    let relation = try relationNumber(relationship, of: entity)
    let member = try destinationRows([destination], for: relation, of: objectID(row, in: entity.table))[0]
    try store.atomically { try remove(member, from: relation, row) }
  }

  func relationNumber(_ name: String, of entity: EntityLayout) throws -> Int {
    guard let number = entity.relations[name] else {
      throw CloneError.unknownRelationship(name, of: entity.name, in: model)
    }
    return number
  }

  /// The rows of destinations, each once, after checking that a relationship can hold them.
  private func destinationRows(
    _ destinations: [ObjectID], for relation: Int, of object: ObjectID
  ) throws -> [Row] {
    let layout = store.layout.relations[relation]
    let found = try destinations.map { try memoryObject($0) }.uniqued()
    try model.check(destinations: found.map { objectID($0) }, of: layout.description, object: object)
    return found.map(\.row)
  }

  /// The destinations in the order that the relationship shows.
  func destinationRows(of relation: Int, _ row: Row) -> [Row] {
    let rows = storedRows(of: relation, row)
    return store.layout.relations[relation].description.isOrdered ? rows : rows.sorted()
  }

  /// The destinations in their order.
  private func storedRows(of relation: Int, _ row: Row) -> [Row] {
    switch store.layout.relations[relation].side {
    case .reference(let reference):
      let target = store.references[reference].list.owner[row]
      return target == noRow ? [] : [target]
    case .members(let reference):
      return store.references[reference].list.elements(of: row)
    case .links(let join, let fromSource):
      let (own, other) = store.joins[join].lists(fromSource: fromSource)
      return own.elements(of: row).map { other.owner[$0] }
    }
  }
}

// MARK: - Changes of rows; the caller has begun an operation

extension MemoryGraph {
  func setDestinations(of relation: Int, _ row: Row, to rows: [Row]) throws {
    switch store.layout.relations[relation].side {
    case .reference(let reference):
      try setTarget(of: row, to: rows.first ?? noRow, store.references[reference])
    case .members:
      let old = storedRows(of: relation, row)
      let kept = zip(old, rows).prefix { $0 == $1 }.count
      for member in old[kept...] { try remove(member, from: relation, row) }
      for member in rows[kept...] { try add(member, to: relation, row) }
    case .links(let join, let fromSource):
      setLinks(of: row, to: rows, store.joins[join], relation: relation, fromSource: fromSource)
    }
  }

  /// A link that stays keeps its place in the other end's list.
  private func setLinks(of row: Row, to rows: [Row], _ join: Join, relation: Int, fromSource: Bool) {
    let (own, other) = join.lists(fromSource: fromSource)
    let wanted = Set(rows)
    for link in own.elements(of: row) where !wanted.contains(other.owner[link]) {
      removeLink(link, join: join)
    }
    let kept = Set(own.elements(of: row).map { other.owner[$0] })
    for member in rows where !kept.contains(member) {
      addLink(row, member: member, join: join, relation: relation, fromSource: fromSource)
    }
    guard own.elements(of: row).map({ other.owner[$0] }) != rows else { return }
    moveLinks(of: row, to: rows, join, fromSource: fromSource)
  }

  func add(_ member: Row, to relation: Int, _ row: Row) throws {
    switch store.layout.relations[relation].side {
    case .reference(let reference):
      try setTarget(of: row, to: member, store.references[reference])
    case .members(let reference):
      try setTarget(of: member, to: row, store.references[reference])
    case .links(let join, let fromSource):
      let join = store.joins[join]
      guard link(row, member: member, join: join, fromSource: fromSource) == nil else { return }
      addLink(row, member: member, join: join, relation: relation, fromSource: fromSource)
    }
  }

  func remove(_ member: Row, from relation: Int, _ row: Row) throws {
    switch store.layout.relations[relation].side {
    case .reference(let reference):
      let reference = store.references[reference]
      if reference.list.owner[row] == member { try setTarget(of: row, to: noRow, reference) }
    case .members(let reference):
      let reference = store.references[reference]
      if reference.list.owner[member] == row { try setTarget(of: member, to: noRow, reference) }
    case .links(let join, let fromSource):
      let join = store.joins[join]
      if let link = link(row, member: member, join: join, fromSource: fromSource) {
        removeLink(link, join: join)
      }
    }
  }

  /// Moves a member to another owner's list, or out of all; an owner in a one-to-one gives up its old member.
  func setTarget(of member: Row, to owner: Row, _ reference: Reference) throws {
    let list = reference.list
    guard list.owner[member] != owner else { return }
    let indexes = store.indexes.filter { $0.covers(list.owner) }
    for index in indexes { index.remove(member) }
    if list.owner[member] != noRow { store.detach(member, in: list) }
    if owner != noRow {
      if reference.isOneToOne, list.first[owner] != noRow {
        try setTarget(of: list.first[owner], to: noRow, reference)
      }
      store.attach(member, to: owner, in: list)
    }
    for index in indexes { try enter(member, in: index) }
  }

  private func link(_ row: Row, member: Row, join: Join, fromSource: Bool) -> Row? {
    let (own, other) = join.lists(fromSource: fromSource)
    var link = own.first[row]
    while link != noRow, other.owner[link] != member { link = own.next[link] }
    return link == noRow ? nil : link
  }

  /// Adds a link that is not there; a side that is to-one gives up what it held.
  func addLink(_ row: Row, member: Row, join: Join, relation: Int, fromSource: Bool) {
    let (own, other) = join.lists(fromSource: fromSource)
    let relations = store.layout.relations
    if !relations[relation].description.isToMany, own.first[row] != noRow {
      removeLink(own.first[row], join: join)
    }
    if let inverse = relations[relation].inverse, !relations[inverse].description.isToMany,
      other.first[member] != noRow
    {
      removeLink(other.first[member], join: join)
    }
    let link = store.appendRows(to: join.space)
    store.attach(link, to: row, in: own)
    store.attach(link, to: member, in: other)
  }

  func removeLink(_ link: Row, join: Join) {
    store.detach(link, in: join.sources)
    store.detach(link, in: join.destinations)
  }
}
