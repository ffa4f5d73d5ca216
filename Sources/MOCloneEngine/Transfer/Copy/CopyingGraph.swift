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
  func copyObjects(from source: any ObjectGraph, _ request: CopyRequest, options: TransferOptions) throws
    -> TransferReport

  /// Merges another graph into this one: a copy whose new objects were changed now, after which duplicates are merged.
  ///
  /// The source stays as it is; it can go where ``lacking(of:identifiedBy:seeded:)`` finds nothing.
  ///
  /// - Throws: as ``copyObjects(from:_:options:)``.
  @discardableResult
  func seed(from source: any ObjectGraph, identifiedBy request: IdentityRequest, options: TransferOptions)
    throws
    -> TransferReport

  /// What a source holds that is not here although its objects were found: `Author 1: born`, a column or a table that
  /// the model does not name.
  func differences(from source: any ObjectGraph, identifiedBy request: IdentityRequest) throws -> [String]
}

extension CopyingGraph {
  /// Copies objects of another graph into this one, with everything they are related to, each once.
  ///
  /// - Returns: what was done, or would be where the run only looks.
  /// - Throws: as ``copyObjects(from:_:options:)``.
  @discardableResult
  public func copy(
    from source: any ObjectGraph, _ request: CopyRequest = CopyRequest(),
    options: TransferOptions = TransferOptions()
  ) throws -> TransferReport {
    try options.whole { try copyObjects(from: source, request, options: $0) }
  }

  /// Clones subtrees of another graph, of any kind, into this one.
  ///
  /// Members of a subtree are always made. An object outside, which the subtree is linked to, is looked for here by
  /// what identifies it. All of it happens, or nothing does. Keys that are kept must be integers in a graph in memory.
  ///
  /// - Parameters:
  ///   - plan: what a subtree is, and the values of its clones unless the request keeps keys and values.
  ///   - roots: the roots, in the order given.
  ///   - source: the graph to read from.
  ///   - request: what is asked for.
  ///   - options: how the run reports and whether it only looks.
  /// - Throws: `CloneError` with everything that was found, `missing-linked` for dangling links here.
  @discardableResult
  public func clone(
    _ plan: ClonePlan, roots: [ObjectID], from source: any ObjectGraph,
    _ request: SubtreeRequest = SubtreeRequest(),
    options: TransferOptions = TransferOptions()
  ) throws -> SubtreeResult {
    try options.whole {
      guard let graph = self as? any SubtreeGraph else { throw CloneError.takesNoSubtrees }
      return try graph.cloned(plan, roots: roots, from: source, request: request, options: $0)
    }
  }

  /// Clones subtrees of another graph into this one by a plan that is made for it.
  ///
  /// Where the request keeps keys and values, nothing needs an ancestor to follow, of which a plan that is made before
  /// knows nothing.
  ///
  /// - Parameters:
  ///   - entity: the entity of the roots.
  ///   - request: what is asked of the clones.
  ///   - roots: the roots, in the order given.
  ///   - source: the graph to read from.
  ///   - subtree: what is asked of the way into this graph.
  ///   - options: how the run reports and whether it only looks.
  /// - Throws: as ``clone(_:roots:from:_:options:)`` and ``ClonePlan/init(model:entity:request:)``.
  @discardableResult
  public func clone(
    _ entity: String, request: CloneRequest = CloneRequest(), roots: [ObjectID], from source: any ObjectGraph,
    _ subtree: SubtreeRequest = SubtreeRequest(), options: TransferOptions = TransferOptions()
  ) throws -> SubtreeResult {
    var request = request
    request.keepsValues = subtree.keepsKeys
    return try options.whole {
      try clone(plan(entity, request), roots: roots, from: source, subtree, options: $0)
    }
  }

  /// What of a source is not here, a line each: objects without a counterpart or with other values, and names of metadata.
  ///
  /// - Parameters:
  ///   - source: the graph to read from.
  ///   - request: what is asked for.
  ///   - seeded: what the seed made, for entities whose objects have no identity.
  public func lacking(
    of source: any ObjectGraph, identifiedBy request: IdentityRequest = [:], seeded: TransferReport
  ) throws -> [String] {
    let skipped =
      (seeded.skipped ?? []).map { "\($0.place): \($0.reason)" }
      + (seeded.dangling ?? [:]).sorted { $0.key < $1.key }.map {
        "\($0.key): \($0.value) dangling references"
      }
    guard skipped.isEmpty else { return skipped }
    let again = try copyObjects(
      from: source, CopyRequest(identifiedBy: request), options: TransferOptions(isDryRun: true))
    let identities = try Identities(model, identifiedBy: request)
    let missing = try model.entities.filter { !$0.isAbstract }.filter { entity in
      let missing = again.created?[entity.name] ?? 0
      if identities[entity.name] != nil { return missing != 0 }
      // Each of these was made, so it would be made again.
      let count = try source.objectIDs(entity.name).filter { $0.entity == entity.name }.count
      return missing != count || seeded.created?[entity.name] ?? 0 != count
    }
    let mapping = SchemaMapping(model)
    let renewed = (seeded.created ?? [:]).keys.sorted().filter { identities[$0] == nil }.compactMap {
      entity in
      mapping[entity].renewedAttribute.map { name in
        let key = mapping[entity].namedKey ?? [name]
        return
          "\(entity): '\(name)' is \(key.count == 1 ? "" : "a part of ")its key, so new objects may have other values; "
          + "pass --by \(entity)=\(key.joined(separator: ","))"
      }
    }
    let different = try differences(from: source, identifiedBy: request) + lackingMetadata(of: source)
    return missing.map { "\($0.name): objects that the target lacks" } + renewed + different
  }

  /// Names of a source's metadata that are not here: a seed brings marks of what was done once, and nothing else that is
  /// said of one store.
  private func lackingMetadata(of source: any ObjectGraph) throws -> [String] {
    let names = try (source as? any MetadataGraph)?.metadata().keys.sorted() ?? []
    guard !names.isEmpty else { return [] }
    let own = try (self as? any MetadataGraph)?.metadata() ?? [:]
    return names.filter { own[$0] == nil }.map {
      "metadata '\($0)', which a seed does not bring; set it in the target by `moclone store metadata set`"
    }
  }
}
