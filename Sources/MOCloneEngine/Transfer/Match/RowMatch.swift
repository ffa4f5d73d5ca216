import MOCloneModel

/// Finds out what every row is in the target: an object that exists, a new one, the same as another row, or nothing.
///
/// The one place that compares identities. Values are those of the attributes' types, whatever notation they had.
struct RowMatch {
  enum Result: Equatable {
    case found(MemoryObject)
    case new
    case same(Int)
    case leftOut
  }

  let rows: StagedRows
  let graph: MemoryGraph
  let policy: TransferPolicy
  let faults: RowFaults
  /// Which objects of the target are looked at; a row that means another one is refused.
  var isMeant: (MemoryObject) -> Bool = { _ in true }
  private(set) var results: [Result]
  private(set) var skipped: [TransferReport.Skipped] = []
  private var failures: [CloneError.Failure] = []

  init(_ rows: StagedRows, in graph: MemoryGraph, policy: TransferPolicy, faults: RowFaults) {
    (self.rows, self.graph, self.policy, self.faults) = (rows, graph, policy, faults)
    results = Array(repeating: .new, count: rows.rows.count)
  }

  /// - Throws: `CloneError` with everything that is wrong with the rows.
  mutating func perform() throws {
    for group in groups() { try match(group.identity, entities: group.entities) }
    if policy.missing != nil { settleLinked() }
    if !failures.isEmpty { throw CloneError(failures) }
  }

  /// The row that stands for all rows of one identity.
  func first(_ row: Int) -> Int {
    if case .same(let other) = results[row] { first(other) } else { row }
  }

  func found(_ row: Int) -> MemoryObject? {
    if case .found(let object) = results[first(row)] { object } else { nil }
  }

  /// Entities that are identified in the same way; what identifies others comes first.
  private func groups() -> [(identity: Identity, entities: [Int])] {
    var groups: [(identity: Identity, entities: [Int])] = []
    for (number, entity) in rows.plan.entities.enumerated() {
      guard let identity = entity.identity else { continue }
      let same = groups.firstIndex {
        $0.identity.scope == identity.scope && $0.identity.paths == identity.paths
      }
      if let same { groups[same].entities.append(number) } else { groups.append((identity, [number])) }
    }
    return groups
  }

  // MARK: One identity

  private mutating func match(_ identity: Identity, entities: [Int]) throws {
    var heads: [IdentityIndex.Key: [Int]] = [:]
    var order: [(row: Int, key: IdentityIndex.Key)] = []
    for (row, key) in try keys(identity, entities: entities) {
      heads[key, default: []].append(row)
      if heads[key]!.count == 1 || policy.repeated == .apart {
        order.append((row, key))
      } else {
        results[row] = .same(heads[key]![0])
      }
    }
    if order.isEmpty { return }
    for (row, key) in order where heads[key]!.count > 1 {
      try join(heads[key]!, at: row, identity: identity, key: key)
    }
    let index = try IdentityIndex(identity, of: identity.scope, in: graph)
    for (row, key) in order { results[row] = try result(of: row, key, index: index) }
  }

  /// The keys of the rows that something identifies.
  private mutating func keys(
    _ identity: Identity, entities: [Int]
  ) throws -> [(row: Int, key: IdentityIndex.Key)] {
    let readers = Dictionary(
      uniqueKeysWithValues: entities.map { ($0, RowKeys(identity, of: rows.plan.entities[$0])) })
    var numbers = entities.flatMap { rows.numbers[$0] }
    if entities.count > 1 { numbers.sort() }
    var keys: [(Int, IdentityIndex.Key)] = []
    for number in numbers where rows.rows[number].role != .member {
      let row = rows.rows[number]
      let key = try readers[row.entity]!.key(of: row, follow)
      if let empty = zip(identity.paths, key).first(where: { $1.isEmpty }) {
        try leave(number, identity: identity, path: empty.0)
      } else {
        keys.append((number, key))
      }
    }
    return keys
  }

  private mutating func leave(_ row: Int, identity: Identity, path: IdentityPath) throws {
    switch policy.unidentified {
    case .made: break
    case .refused: failures.append(rows.failure(faults.unidentified(rows.rows[row], identity, path), of: row))
    case .skipped:
      results[row] = .leftOut
      skipped.append(rows.rows[row].leftOut(TransferReport.unidentified("\(path)")))
    }
  }

  /// What lies at the end of a path that begins with a reference.
  private func follow(
    _ reference: StagedReference, steps: ArraySlice<RelationshipDescription>,
    attribute: AttributeDescription?
  ) throws -> MatchPart {
    switch reference {
    case .absent, .null, .lost: return .empty
    case .row(let row): return try follow(row, steps: steps.dropFirst(), attribute: attribute)
    case .key(let key):
      guard let object = try graph.object(at: key, steps.first!.destination) else { return .empty }
      return try graph.matchPart(steps.dropFirst(), attribute: attribute, of: object)
    }
  }

  private func follow(
    _ row: Int, steps: ArraySlice<RelationshipDescription>, attribute: AttributeDescription?
  ) throws -> MatchPart {
    let row = first(row)
    switch results[row] {
    case .leftOut: return .empty
    case .found(let object): return try graph.matchPart(steps, attribute: attribute, of: object)
    case .new, .same:
      let entity = rows.entity(of: row)
      if let step = steps.first {
        guard let place = entity.reference(step) else { return .empty }
        return try follow(rows.rows[row].references[place], steps: steps, attribute: attribute)
      }
      guard let attribute else { return .row(row) }
      let value = entity.attribute(attribute.name).flatMap { rows.rows[row].values[$0] }
      return .value(value ?? attribute.defaultValue ?? .null)
    }
  }

  // MARK: Repeated rows

  private mutating func join(
    _ same: [Int], at head: Int, identity: Identity, key: IdentityIndex.Key
  ) throws {
    guard policy.repeated != .apart else { return }
    if policy.repeated == .refused {
      failures.append(
        faults.repeated(identity, graph.identityParts(key, of: identity), same.map { rows.rows[$0] }))
      return
    }
    let other = same.first { rows.rows[$0].entity != rows.rows[head].entity }
    if let other {
      let entity = Identity(entity: rows.entity(of: other).name, scope: identity.scope, paths: identity.paths)
      failures.append(
        rows.failure(
          .identityOfOtherEntity(entity, graph.identityParts(key, of: identity), rows.rows[head].origin),
          of: head))
    }
    if policy.repeated == .folded, other == nil { rows.fold(same, existing: policy.existing) }
  }

  // MARK: Objects

  private mutating func result(
    of row: Int, _ key: IdentityIndex.Key, index: IdentityIndex
  ) throws -> Result {
    let all = index.objects[key] ?? []
    let found = all.filter(isMeant)
    let entity = rows.entity(of: row).name
    let identity = Identity(entity: entity, scope: index.identity.scope, paths: index.identity.paths)
    if found.count > 1 {
      failures +=
        CloneError.ambiguousIdentity(
          identity, graph.identityParts(key, of: identity), found.map(graph.objectID)
        ).failures
    }
    guard let object = found.first else {
      if !all.isEmpty { failures.append(rows.failure(faults.outside(rows.rows[row], identity), of: row)) }
      return .new
    }
    if !isSameKind(rows.rows[row], entity: entity, other: graph.entity(of: object).name) {
      let error = CloneError.identityOfOtherEntity(
        identity, graph.identityParts(key, of: identity), graph.objectID(object))
      failures += error.failures.map { rows.failure($0, of: row) }
    }
    return .found(object)
  }

  /// Lines do not know which of the entities that inherit from theirs an object has.
  private func isSameKind(_ row: StagedRow, entity: String, other: String) -> Bool {
    if case .line = row.origin { graph.model.isKind(other, of: entity) } else { other == entity }
  }

  // MARK: Linked objects

  /// Decides what becomes of rows that members are linked to and that the target does not have.
  private mutating func settleLinked() {
    let missing = rows.rows.indices.filter { rows.rows[$0].role == .linked && found($0) == nil }
    var needed: Set<Int> = []
    switch policy.missing {
    case .fail, nil: failures += missing.map { faults.missing(rows.rows[$0], rows.entity(of: $0).identity) }
    case .null: break
    case .create:
      var pending = missing.map(first)
      needed = Set(pending)
      while let row = pending.popLast() {
        for case .row(let next) in rows.rows[row].references {
          let next = first(next)
          if found(next) == nil, needed.insert(next).inserted { pending.append(next) }
        }
      }
    }
    for row in rows.rows.indices where rows.rows[row].role != .member {
      if found(row) == nil, !needed.contains(first(row)) { results[row] = .leftOut }
    }
  }
}

extension MemoryGraph {
  func object(at key: ObjectKey, _ entity: String) throws -> MemoryObject? {
    try find(entity, key: key).map(memoryObject)
  }
}
