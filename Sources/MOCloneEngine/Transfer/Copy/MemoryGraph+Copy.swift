import MOCloneModel

extension MemoryGraph: CopyingGraph {
  /// Copies objects of another graph of the same model; the rows are held in memory meanwhile.
  public func copyObjects(
    from source: any ObjectGraph, _ request: CopyRequest, options: TransferOptions
  ) throws -> TransferReport {
    let rules = try CopyRules(request, in: model).lookingUpNothing { try count($0) == 0 }
    return try copying(source, rules: rules, options: options, isSeeding: false) { $0.report }
  }

  /// Merges another graph into this one: a copy whose new objects were changed now, after which duplicates are merged. What
  /// is marked as done once there is done here, too.
  ///
  /// - Throws: as ``CopyingGraph/copyObjects(from:_:options:)``.
  @discardableResult
  public func seed(
    from source: any ObjectGraph, identifiedBy request: IdentityRequest = [:],
    options: TransferOptions = TransferOptions()
  ) throws -> TransferReport {
    try options.whole { options in
      try copying(
        source, rules: CopyRules(CopyRequest(identifiedBy: request), in: model), options: options,
        isSeeding: true
      ) { copy in
        var report = copy.report
        report.add(try merging(DedupeRequest(identifiedBy: request), options: options.quiet))
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
      source, rules: CopyRules(CopyRequest(identifiedBy: request), in: model),
      options: TransferOptions(isDryRun: true),
      isSeeding: false
    ) {
      differences = try $0.write.differences()
      return $0.report
    }
    return differences
  }

  private func copying(
    _ source: any ObjectGraph, rules: CopyRules, options: TransferOptions, isSeeding: Bool,
    body: ((write: RowWrite, report: TransferReport)) throws -> TransferReport
  ) throws -> TransferReport {
    try source.checkModel(model)
    guard source !== self else { throw CloneError(.invalidValue, "a graph cannot be copied into itself") }
    let policy = TransferPolicy.copy(rules, seeding: isSeeding)
    let modified = options.modified
    return try transfer(options) {
      let report = try once(ImportMark(options)) {
        let rows = try options.reading(source) {
          try GraphRows(rules, options: options, modified: modified, from: source, in: store.layout).staged()
            .rows
        }
        let report = try body(write(rows, policy, options, modified))
        if let once = options.once { try report.checkNotEmpty(once) }
        return report
      }
      return report ?? TransferReport(policy.operation, doneBefore: options)
    }
  }
}

extension ImportMark {
  /// What a run leaves that is to happen once; nil for any other.
  fileprivate init?(_ options: TransferOptions) {
    guard let once = options.once else { return nil }
    self.init(once.name) { OnceMark(.done, hash: once.hash, at: options.generator.now()).text }
  }
}

extension TransferReport {
  fileprivate init(_ operation: Operation, doneBefore options: TransferOptions) {
    self.init(operation, isDryRun: options.isDryRun)
    reason = "'\(options.once?.name ?? "")' was done before"
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
