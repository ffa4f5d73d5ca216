import MOCloneModel

/// Graphs that objects of another graph can be copied into.
public protocol CopyingGraph: ObjectGraph {
  /// Copies objects of another store into this one, with everything they are related to, each once.
  ///
  /// Objects are found by what identifies them, made where they are not there, and related to each other as in the
  /// source, which is only read. All of it happens, or nothing does.
  ///
  /// - Returns: what was done, or would be where the run only looks.
  /// - Throws: `CloneError` with everything that was found; `CancellationError`.
  @discardableResult
  func copyObjects(from source: any ObjectGraph, _ request: CopyRequest, run: MoveRun) throws -> MoveReport

  /// Clones subtrees of another graph into this one.
  ///
  /// Members of a subtree are always made. An object outside, which the subtree is linked to, is looked for here by
  /// what identifies it. All of it happens, or nothing does.
  ///
  /// - Parameter plan: what a subtree is, and the values of its clones unless the request keeps keys and values.
  /// - Throws: `CloneError` with everything that was found, `missing-linked` for links that lead nowhere here.
  @discardableResult
  func clone(
    _ plan: ClonePlan, roots: [ObjectID], from source: any ObjectGraph, _ request: CutRequest, run: MoveRun
  ) throws -> CutResult

  /// Merges another graph into this one: a copy whose new objects were changed now, after which duplicates are merged.
  ///
  /// The source stays as it is; ``hasCounterparts(of:identifiedBy:seeded:)`` tells whether it can go.
  ///
  /// - Throws: as ``copyObjects(from:_:run:)``.
  @discardableResult
  func seed(from source: any ObjectGraph, identifiedBy request: IdentityRequest, run: MoveRun) throws
    -> MoveReport

  /// What a source holds that is not here although its objects were found: `Author 1: born`, a column or a table that
  /// the model does not name.
  func differences(from source: any ObjectGraph, identifiedBy request: IdentityRequest) throws -> [String]
}

extension CopyingGraph {
  /// Whether every object of a source has its counterpart here, with all its values.
  ///
  /// - Parameter seeded: what the seed made, for entities whose objects nothing identifies.
  public func hasCounterparts(
    of source: any ObjectGraph, identifiedBy request: IdentityRequest = [:], seeded: MoveReport
  ) throws -> Bool {
    try lacking(of: source, identifiedBy: request, seeded: seeded).isEmpty
  }

  /// What of a source is not here, a line each.
  public func lacking(
    of source: any ObjectGraph, identifiedBy request: IdentityRequest = [:], seeded: MoveReport
  ) throws -> [String] {
    let skipped =
      (seeded.skipped ?? []).map { "\($0.place): \($0.reason)" }
      + (seeded.dangling ?? [:]).sorted { $0.key < $1.key }.map {
        "\($0.key): \($0.value) references to objects that do not exist"
      }
    guard skipped.isEmpty else { return skipped }
    let again = try copyObjects(
      from: source, CopyRequest(identifiedBy: request), run: MoveRun(isDryRun: true))
    let identities = try Identities(model, identifiedBy: request)
    let missing = try model.entities.filter { !$0.isAbstract }.filter { entity in
      let missing = again.created?[entity.name] ?? 0
      if identities[entity.name] != nil { return missing != 0 }
      // Each of these was made, so it would be made again.
      let count = try source.objectIDs(entity.name).filter { $0.entity == entity.name }.count
      return missing != count || seeded.created?[entity.name] ?? 0 != count
    }
    return try missing.map { "\($0.name): objects without counterpart" }
      + differences(from: source, identifiedBy: request)
  }
}

extension MemoryGraph: CopyingGraph {
  /// Copies objects of another graph, of any kind, into this one.
  ///
  /// - Throws: as ``CopyingGraph/copyObjects(from:_:run:)``.
  @discardableResult
  public func copy(
    from source: any ObjectGraph, _ request: CopyRequest = CopyRequest(), run: MoveRun = MoveRun()
  ) throws -> MoveReport {
    try copyObjects(from: source, request, run: run)
  }

  public func copyObjects(
    from source: any ObjectGraph, _ request: CopyRequest, run: MoveRun
  ) throws -> MoveReport {
    try moving(.copy, from: source, request, run) { try $0.perform() }
  }

  /// Merges another graph into this one: a copy whose new objects were changed now, after which duplicates are merged.
  ///
  /// - Throws: as ``CopyingGraph/copyObjects(from:_:run:)``.
  @discardableResult
  public func seed(
    from source: any ObjectGraph, identifiedBy request: IdentityRequest = [:], run: MoveRun = MoveRun()
  ) throws -> MoveReport {
    try moving(.seed, from: source, CopyRequest(identifiedBy: request), run) { copy in
      var report = try copy.perform()
      report.merged = try dedupe(DedupeRequest(identifiedBy: request), run: run.quiet).merged
      return report
    }
  }

  public func differences(
    from source: any ObjectGraph, identifiedBy request: IdentityRequest
  ) throws -> [String] {
    var differences: [String] = []
    _ = try moving(.copy, from: source, CopyRequest(identifiedBy: request), MoveRun(isDryRun: true)) { copy in
      let report = try copy.perform()
      differences = try copy.differences()
      return report
    }
    return differences
  }

  private func moving(
    _ operation: MoveReport.Operation, from source: any ObjectGraph, _ request: CopyRequest, _ run: MoveRun,
    _ body: (inout ObjectCopy) throws -> MoveReport
  ) throws -> MoveReport {
    let rules = try CopyRules(request, model)
    guard source.model == model else {
      throw CloneError(.storeMismatch, "the source has another model, '\(source.model.name)'")
    }
    guard source !== self else { throw CloneError(.invalidValue, "a graph cannot be copied into itself") }
    return try dryRunning(run) {
      if let done = try onceReport(run, operation) { return done }
      var copy = try ObjectCopy(
        rules, from: source, into: self, run, operation: operation, isSeeding: operation == .seed)
      let report = try body(&copy)
      if let once = run.once { try report.checkNotEmpty(once) }
      try markOnce(run)
      return report
    }
  }

  /// Runs an operation; what a run that only looks has changed is taken back.
  func dryRunning(_ run: MoveRun, _ body: () throws -> MoveReport) throws -> MoveReport {
    struct Looked: Error { var report: MoveReport }
    do {
      return try store.atomically {
        let report = try body()
        if run.isDryRun { throw Looked(report: report) }
        return report
      }
    } catch let looked as Looked {
      return looked.report
    }
  }

  /// Why nothing is to be done; nil where something is.
  func onceReport(_ run: MoveRun, _ operation: MoveReport.Operation) throws -> MoveReport? {
    guard let once = run.once, try metadata(once.name) != nil else { return nil }
    var report = MoveReport(operation, isDryRun: run.isDryRun)
    report.reason = "'\(once.name)' was done before"
    return report
  }

  func markOnce(_ run: MoveRun) throws {
    guard let once = run.once else { return }
    try setMetadata(OnceMark(.done, hash: once.hash, at: run.generator.now()).text, for: once.name)
  }
}
