import MOCloneModel

extension MemoryGraph: SyncingGraph {
  /// Makes objects follow a full set of rows, which are held in memory meanwhile.
  public func sync(
    _ plan: SyncPlan, options: TransferOptions, source: String, _ fill: (any SyncSink) throws -> Void
  ) throws -> TransferReport {
    let staged = SyncRows(plan, source: source)
    try fill(staged)
    return try transfer(options) {
      try MemorySync(graph: self, plan: plan, staged: staged, source: source, options: options).perform()
    }
  }
}

/// A transfer of a full set of rows, after which what no row means is removed.
private struct MemorySync {
  let graph: MemoryGraph
  let plan: SyncPlan
  let staged: SyncRows
  let source: String
  let options: TransferOptions
  private var rows: StagedRows { staged.rows }

  func perform() throws -> TransferReport {
    try plan.checkEmpty(rows.rows.count)
    try plan.checkGiven(staged.isGiven, named: staged.named)
    let compared = try graph.memoryObjects(plan.entity).filter(isInScope)
    let match = try match(with: Set(compared))
    let found = Set(rows.rows.indices.compactMap { match.found($0) })
    let gone = plan.request.deletes ? compared.filter { !found.contains($0) } : []
    try plan.checkDeletions(gone.count, of: compared.count)
    try lookUp(match)
    let modified = options.modified
    let deletion = try remove(gone, match: match)
    var write = RowWrite(match, options: options, modified: modified)
    try write.perform()
    var report = write.counts.report(isDryRun: options.isDryRun)
    for entity in deletion.deleted { report.add(1, entity, to: \.deleted) }
    for (name, count) in deletion.nullified where !plan.overwritten.contains(name) {
      report.add(count, name, to: \.nullified)
    }
    return report
  }

  private func match(with compared: Set<MemoryObject>) throws -> RowMatch {
    let index = try IdentityIndex(plan.identity, of: plan.entity, in: graph, where: compared.contains)
    if let key = index.repeated.first {
      throw CloneError.ambiguousIdentity(
        plan.identity, graph.identityParts(key, of: plan.identity), index.objects[key]!.map(graph.objectID))
    }
    if !staged.failures.isEmpty { throw CloneError(staged.failures) }
    var match = RowMatch(rows, in: graph, policy: .sync(plan), faults: faults)
    match.isMeant = compared.contains
    try match.perform()
    return match
  }

  private var faults: RowFaults {
    let (plan, source) = (plan, source)
    var faults = RowFaults()
    faults.repeated = { _, key, rows in
      plan.duplicate(
        key.map(\.description).joined(separator: ", "), lines: rows.compactMap(\.line), source: source)
    }
    faults.unidentified = { row, _, _ in plan.nullIdentity(row.line!, source) }
    faults.outside = { row, _ in plan.existsOutOfScope(row.line!, source: source) }
    faults.lacking = { row, _, names in plan.requiredMissing(names[0], line: row.line!, source: source) }
    return faults
  }

  // MARK: Scope

  private func isInScope(_ object: MemoryObject) throws -> Bool {
    try plan.scope.allSatisfy { place, value in
      switch plan.columns[place] {
      case .attribute(let attribute):
        return try graph.matchPart([], attribute: attribute, of: object) == .value(value)
      case .path(let path):
        return try graph.matchPart(path.steps[...], attribute: path.attribute, of: object) == .value(value)
      case .reference(let relationship):
        let end = try graph.matchPart([relationship], attribute: nil, of: object)
        if value.isNull { return end.isEmpty }
        return try graph.object(at: ObjectKey([value]), relationship.destination).map { .object($0) } == end
      }
    }
  }

  // MARK: What new objects belong to

  /// Each new object must belong to one object that exists.
  private func lookUp(_ match: RowMatch) throws {
    let new = rows.rows.indices.filter { match.results[$0] == .new }
    guard !new.isEmpty, !plan.lookups.isEmpty else { return }
    var failures: [CloneError.Failure] = []
    let first = rows.plan.entities[0].references.count - plan.lookups.count
    for (number, lookup) in plan.lookups.enumerated() {
      let destination = lookup.relationship.destination
      let index = try IdentityIndex(
        Identity(entity: destination, scope: destination, paths: lookup.paths), of: destination, in: graph)
      for row in new {
        let values = lookup.places.map { place -> AttributeValue in
          guard case .value(let value) = rows.rows[row].ends[plan.columns[place].name] else { return .null }
          return value
        }
        let found = index.objects[values.map(MatchPart.value)] ?? []
        if found.count == 1 {
          rows.update(row) { $0.references[first + number] = .key(graph.objectID(found[0]).key) }
        } else {
          failures.append(
            lookup.failure(
              values.map(\.description), found.count, "\(source)\(rows.rows[row].line!)", of: plan.entity))
        }
      }
    }
    if !failures.isEmpty {
      throw CloneError.rows(Array(failures.prefix(20)), of: failures.count, source: source)
    }
  }

  // MARK: Removing

  /// - Returns: the entities of what was deleted, and how many references became null.
  private func remove(_ objects: [MemoryObject], match: RowMatch) throws -> (
    deleted: [String], nullified: [String: Int]
  ) {
    var deletion = Deletion(graph: graph)
    for object in objects { deletion.add(object) }
    deletion.collectCascades()
    let gone = Set(deletion.objects)
    let named = rows.rows.indices.compactMap { row -> CloneError.Failure? in
      guard let object = match.found(row), gone.contains(object) else { return nil }
      return plan.goesAlong(graph.objectID(object), line: rows.rows[row].line!, source: source)
    }
    if !named.isEmpty { throw CloneError.rows(Array(named.prefix(20)), of: named.count, source: source) }
    try deletion.check()
    let counts = (deletion.objects.map { graph.entity(of: $0).name }, deletion.nullified)
    try deletion.perform(options.modified)
    return counts
  }
}
