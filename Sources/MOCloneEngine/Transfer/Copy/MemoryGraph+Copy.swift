import MOCloneModel

extension MemoryGraph: CopyingGraph {
  /// Copies objects of another graph of the same model; the rows are held in memory meanwhile.
  public func copyObjects(
    from source: any ObjectGraph, _ request: CopyRequest, run: MoveRun
  ) throws -> MoveReport {
    let rules = try CopyRules(request, in: model).lookingUpNothing { try count($0) == 0 }
    return try copying(source, rules: rules, run: run, isSeeding: false) { $0.report }
  }

  /// Merges another graph into this one: a copy whose new objects were changed now, after which duplicates are merged. What
  /// is marked as done once there is done here, too.
  ///
  /// - Throws: as ``CopyingGraph/copyObjects(from:_:run:)``.
  @discardableResult
  public func seed(
    from source: any ObjectGraph, identifiedBy request: IdentityRequest = [:], run: MoveRun = MoveRun()
  ) throws -> MoveReport {
    try run.whole { run in
      try copying(
        source, rules: CopyRules(CopyRequest(identifiedBy: request), in: model), run: run, isSeeding: true
      ) { copy in
        var report = copy.report
        report.add(try merging(DedupeRequest(identifiedBy: request), run: run.quiet))
        for (name, mark) in try source.onceMarks() where try metadata(name) == nil {
          try setMetadata(mark, for: name)
        }
        return report
      }
    }
  }

  /// What the objects of a source hold that their counterparts here do not; nothing is changed.
  public func differences(
    from source: any ObjectGraph, identifiedBy request: IdentityRequest
  ) throws -> [String] {
    var differences: [String] = []
    _ = try copying(
      source, rules: CopyRules(CopyRequest(identifiedBy: request), in: model), run: MoveRun(isDryRun: true),
      isSeeding: false
    ) {
      differences = try $0.write.differences()
      return $0.report
    }
    return differences
  }

  private func copying(
    _ source: any ObjectGraph, rules: CopyRules, run: MoveRun, isSeeding: Bool,
    body: ((write: RowWrite, report: MoveReport)) throws -> MoveReport
  ) throws -> MoveReport {
    try source.checkModel(model)
    guard source !== self else { throw CloneError(.invalidValue, "a graph cannot be copied into itself") }
    let policy = TransferPolicy.copy(rules, seeding: isSeeding)
    let modified = run.modified
    return try transfer(run) {
      let report = try once(ImportMark(run)) {
        let rows = try run.reading(source) {
          try GraphRows(rules, run: run, modified: modified, from: source, in: store.layout).staged().rows
        }
        let report = try body(write(rows, policy, run, modified))
        if let once = run.once { try report.checkNotEmpty(once) }
        return report
      }
      return report ?? MoveReport(policy.operation, doneBefore: run)
    }
  }
}

extension ImportMark {
  /// What a run leaves that is to happen once; nil for any other.
  fileprivate init?(_ run: MoveRun) {
    guard let once = run.once else { return nil }
    self.init(once.name) { OnceMark(.done, hash: once.hash, at: run.generator.now()).text }
  }
}

extension MoveReport {
  fileprivate init(_ operation: Operation, doneBefore run: MoveRun) {
    self.init(operation, isDryRun: run.isDryRun)
    reason = "'\(run.once?.name ?? "")' was done before"
  }
}

extension RowWrite {
  /// What rows hold that the objects which they were found to be do not: `Author 1: born`.
  fileprivate func differences() throws -> [String] {
    rows.rows.indices.filter(isFound).compactMap { row in
      let names = values(differingIn: row) + references(differingIn: row)
      return names.isEmpty ? nil : "\(rows.rows[row].origin): \(names.joined(separator: ", "))"
    }
  }

  private func values(differingIn row: Int) -> [String] {
    let (entity, object) = (rows.entity(of: row), objects[row]!)
    return zip(entity.attributes, rows.rows[row].values).filter { attribute, value in
      guard let value, !value.isNull, !attribute.isDerived, attribute.name != modified.name,
        !graph.mapping.makesKey(attribute, of: entity.name)
      else { return false }
      return graph.column(attribute.name, of: graph.entity(of: object))?.value(object.row) != value
    }.map(\.0.name)
  }

  private func references(differingIn row: Int) -> [String] {
    let (entity, object) = (rows.entity(of: row), objects[row]!)
    return entity.references.indices.filter { place in
      guard entity.references[place].isForward, case .row(let other) = rows.rows[row].references[place],
        rows.entity(of: other).identity != nil
      else { return false }
      let number = numbers[rows.rows[row].entity][place]
      return graph.store.references[number].list.owner[object.row] != objects[other]?.row
    }.map { entity.references[$0].relationship.name }
  }
}
