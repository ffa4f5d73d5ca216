import MOCloneModel

/// A relationship over which a subtree may leave something behind.
package struct OpenEnd: Sendable {
  package var relationship: RelationshipDescription
  /// Whether objects of the subtree stay related by it to each other, because one of its sides asks for that.
  package var isKeptInside: Bool

  package init(_ relationship: RelationshipDescription, isKeptInside: Bool) {
    self.relationship = relationship
    self.isKeptInside = isKeptInside
  }
}

/// A graph that subtrees are cut out of, and come into.
package protocol SubtreeGraph: ObjectGraph {
  /// The objects that a plan clones with some roots.
  func members(of plan: ClonePlan, _ roots: [ObjectID]) throws -> any ObjectList

  /// Those of some relationships, by qualified name, over which objects that a plan clones with some roots lead to
  /// something that is left behind.
  func leavingBehind(_ ends: [OpenEnd], by plan: ClonePlan, _ roots: [ObjectID]) throws -> Set<String>

  /// Whether `passing` takes keys of every kind.
  var passesEveryKey: Bool { get }

  /// An empty graph of the same model for the time of a closure, in which nothing is in the way of a clone.
  func passing<Result>(_ body: (any SubtreeGraph) throws -> Result) throws -> Result

  /// The attributes that the graph computes itself though the model does not say so, by `Entity.name`.
  func computedAttributes() throws -> Set<String>

  /// What keeps the pairs of clones here outside of memory; nil where nothing can.
  func pairKeeper() throws -> (any PairKeeping)?

  /// Reads several times from one state of the graph.
  @discardableResult
  func reading<Result>(_ body: () throws -> Result) throws -> Result

  /// Brings a subtree of another graph into this one, all or nothing.
  func copySubtree(
    _ subtree: CopiedSubtree, rules: CopyRules, roots: [ObjectID], from source: any ObjectGraph,
    options: TransferOptions
  ) throws -> SubtreeResult
}

extension ObjectGraph {
  /// Reads several times from one state of the graph, where its kind can tell one from another.
  package func inOneState<Result>(_ body: () throws -> Result) throws -> Result {
    guard let graph = self as? any SubtreeGraph else { return try body() }
    return try graph.reading(body)
  }
}

extension SubtreeGraph {
  package var passesEveryKey: Bool { true }
  package func pairKeeper() throws -> (any PairKeeping)? { nil }

  package func leavingBehind(
    _ ends: [OpenEnd], by plan: ClonePlan, _ roots: [ObjectID]
  ) throws -> Set<String> {
    try walkedBehind(ends, by: plan, roots)
  }

  /// The same, found object by object.
  package func walkedBehind(_ ends: [OpenEnd], by plan: ClonePlan, _ roots: [ObjectID]) throws -> Set<String>
  {
    let members = try members(of: plan, roots).all()
    let left = try ends.filter { end in
      try members.contains { member in
        guard model.isKind(member.entity, of: end.relationship.entity) else { return false }
        return try destinations(end.relationship.name, of: member).contains {
          !end.isKeptInside || !members.contains($0)
        }
      }
    }
    return Set(left.map(\.relationship.qualifiedName))
  }

  package func cloned(
    _ plan: ClonePlan, roots: [ObjectID], from source: any ObjectGraph, request: SubtreeRequest,
    options: TransferOptions
  ) throws -> SubtreeResult {
    guard let source = source as? any SubtreeGraph else { throw CloneError.takesNoSubtrees }
    try source.checkModel(model)
    guard source !== self else {
      throw CloneError(
        .invalidValue, "the other store is the source itself",
        help: "clone without another store")
    }
    var plain = CloneRequest(exclude: plan.request.exclude)
    plain.keepsValues = plan.request.keepsValues
    guard !request.keepsKeys || plan.request == plain else {
      throw CloneError(
        .invalidValue,
        "a subtree with kept keys keeps its values, so nothing can be set and --count does not apply")
    }
    func rules(excluding excluded: [String]) throws -> CopyRules {
      try CopyRules(
        CopyRequest(identifiedBy: request.identifiedBy, exclude: excluded), in: model, isSubtree: true,
        of: [plan.entity])
    }
    let excluded = plan.excludedAttributes
    let members = CopiedSubtree.Members.closure(plan, roots: roots)
    if request.keepsKeys {
      let subtree = CopiedSubtree(
        members: members, missing: request.missing, keepsKeys: true, asked: plan.askedNames)
      return try copySubtree(
        subtree, rules: rules(excluding: excluded.map(\.qualifiedName)), roots: roots, from: source,
        options: options)
    }
    // On the way through, linked objects keep what identifies them; a value that is set counts in the end.
    let all = try rules(excluding: [])
    let passing = excluded.filter { !all.identities.areBy($0.name) }
    let final = excluded.filter { plan.request.set[$0.name] == nil }
    let passer = source.passesEveryKey ? source : self
    return try passer.passing { transit in
      let clones = try source.clones(
        plan, roots: roots, members: members, rules: rules(excluding: passing.map(\.qualifiedName)),
        in: transit, options: options)
      if request.missing == .create {
        try transit.atomically { try transit.require(clones.pairs, by: all) }
      }
      var subtree = CopiedSubtree(
        members: .objects(clones.pairs.clones), root: plan.entity, missing: request.missing,
        keepsKeys: false)
      subtree.numbered = numbered(clones.roots, by: plan.request)
      subtree.set = plan.request.set.keys.sorted() + plan.request.unset
      subtree.computed = try source.computedAttributes()
      if clones.roots.count > 1 { subtree.repeated = plan.request }
      subtree.followers = plan.followers
      let final = try rules(excluding: final.map(\.qualifiedName))
      do {
        var pairs: [CloneResult.Pair] = []
        if request.keepsMapping { try clones.pairs.each { pairs.append($0) } }
        var result = try copySubtree(
          subtree, rules: final, roots: clones.roots + pairs.map(\.clone), from: transit, options: options)
        result.mapping = zip(pairs, result.roots.suffix(pairs.count)).map {
          CloneResult.Pair(original: $0.original, clone: $1)
        }
        try result.report.name(clones.pairs, in: model)
        result.report.addSkipped(of: clones.transitReport)
        result.roots.removeLast(pairs.count)
        return result
      } catch let error as CloneError {
        throw try error.naming(clones.pairs, in: model)
      }
    }
  }

  /// The roots that have a number in their keys from the request.
  private func numbered(_ roots: [ObjectID], by request: CloneRequest) -> [ObjectID] {
    let mapping = SchemaMapping(model)
    return roots.filter { root in
      request.set.keys.contains { name in
        model.attribute(name, of: root.entity).map { mapping.makesKey($0, of: root.entity) } ?? false
      }
    }
  }

  /// Cuts subtrees out into a graph of their own and clones them there.
  ///
  /// - Returns: the clones, and what was said of the way into that graph.
  private func clones(
    _ plan: ClonePlan, roots: [ObjectID], members: CopiedSubtree.Members, rules: CopyRules,
    in transit: any SubtreeGraph, options: TransferOptions
  ) throws -> (roots: [ObjectID], pairs: any PairList, transitReport: TransferReport) {
    var subtree = CopiedSubtree(
      members: members, given: try given(plan), missing: .create, keepsKeys: true, asked: plan.askedNames,
      isPassing: true)
    subtree.required = plan.emptiedNames
    var quiet = options.quiet
    quiet.isDryRun = false
    let transitReport = try transit.copySubtree(subtree, rules: rules, roots: [], from: self, options: quiet)
      .report
    var passing = CloneOptions(generator: options.generator, keepsMapping: true)
    passing.repeatsUniqueValues = true
    passing.keeper = try transit.pairKeeper()
    do {
      let result = try transit.run(plan, roots: roots, options: passing, saves: true)
      if let keeper = passing.keeper { return (result.roots, keeper, transitReport) }
      return (result.roots, result.mapping, transitReport)
    } catch let error as CloneError {
      throw plan.request.count == 1 ? error.besideOriginals(plan.request) : error
    }
  }

  /// Leads what other objects require of the originals to their clones, which are what comes along of the subtree where
  /// these objects are made. By what identifies them they are looked up as they were.
  private func require(_ clones: any PairList, by rules: CopyRules) throws {
    let (entities, mapping) = (try clones.clones.entities(), SchemaMapping(model))
    let relationships = model.entities.flatMap(\.relationships).filter { relationship in
      !relationship.isToMany && !relationship.isOptional && !rules.copies(relationship, creates: false)
        && !entities.isDisjoint(with: model.concreteEntities(of: relationship.destination))
        && mapping[relationship.entity].foreignKey(relationship.name) != nil
    }
    guard !relationships.isEmpty else { return }
    var members: [ObjectID: ObjectID] = [:]
    try clones.each { pair in if members[pair.original] == nil { members[pair.original] = pair.clone } }
    let known = try clones.clones.all()
    for relationship in relationships {
      for object in try objectIDs(relationship.entity)
      where members[object] == nil && !known.contains(object)
        && mapping[object.entity].holdsAlone(relationship.name)
      {
        guard let original = try destinations(relationship.name, of: object).first,
          let clone = members[original]
        else { continue }
        try setDestinations([clone], relationship.name, of: object)
      }
    }
  }

  /// The objects that the request sets to-one relationships of the root to.
  private func given(_ plan: ClonePlan) throws -> [ObjectID] {
    let all = plan.nodes.filter(\.isRoot).flatMap(\.relationships)
    return try all.uniqued(by: \.relationship.qualifiedName).compactMap { planned in
      guard case .object(let key)? = planned.given else { return nil }
      return try find(planned.relationship.destination, key: key)
    }
  }
}

extension ObjectGraph {
  /// Checks that a source of a transfer has the model of the graph that its objects come into.
  ///
  /// - Throws: `CloneError` (`store-mismatch`).
  package func checkModel(_ model: ObjectModel) throws {
    if self.model == model { return }
    let name = self.model.name == model.name ? "of the same name" : "'\(self.model.name)'"
    throw CloneError(
      .storeMismatch, "the source has another model, \(name)", help: "open both stores with the same one")
  }
}

extension CloneError {
  static let takesNoSubtrees = CloneError(
    .storeMismatch, "subtrees of this kind of graph cannot be cloned into another one")

  /// The same with other ways where a clone would have the key of its original, beside which it lies on the way: nothing else
  /// is unique there.
  fileprivate func besideOriginals(_ request: CloneRequest) -> CloneError {
    changing { failure in
      // What is said of a value that the request gives stays.
      guard failure.code == .uniqueValue, failure.object != nil,
        failure.property.map({ request.set[$0] == nil }) ?? true
      else { return }
      failure.problem += ", and on the way into another store it lies beside its original"
      // An annotation would be in the way of the key.
      let others = failure.help.map { $0.hasPrefix("annotate ") ? "" : $0 + ", " } ?? ""
      failure.help = others + "clone what it belongs to, or keep all keys with --keep-keys"
    }
  }

  /// The same about the originals of clones, whose keys on the way nobody knows.
  fileprivate func naming(_ clones: any PairList, in model: ObjectModel) throws -> CloneError {
    // Where the rows of a table are asked together, an object is named by the entity that all of them are of.
    func row(_ object: ObjectID) -> ObjectID {
      ObjectID(model.rootEntity(of: object.entity), key: object.key)
    }
    let named = Set(failures.compactMap(\.object).map(row))
    var originals: [ObjectID: ObjectID] = [:]
    try clones.each { pair in
      let clone = row(pair.clone)
      if named.contains(clone) { originals[clone] = pair.original }
    }
    return changing { failure in
      guard let object = failure.object, let original = originals[row(object)] else { return }
      failure.object = original
      failure.problem = failure.problem.replacing("\(object)", with: "\(original)")
      failure.help = failure.help?.replacing("\(object)", with: "\(original)")
    }
  }
}

extension TransferReport {
  /// Names the originals of clones that something is left out of: the clones' keys on the way nobody knows.
  fileprivate mutating func name(_ clones: any PairList, in model: ObjectModel) throws {
    guard let skipped else { return }
    let places = Set(skipped.map(\.place))
    var originals: [String: String] = [:]
    try clones.each { pair in
      let clone = "\(ObjectID(model.rootEntity(of: pair.clone.entity), key: pair.clone.key))"
      if places.contains(clone) { originals[clone] = "\(pair.original)" }
    }
    self.skipped = skipped.map { entry in
      var entry = entry
      entry.place = originals[entry.place] ?? entry.place
      return entry
    }
  }

  /// Adds what was left out on the way, where the store that objects pass through computes values as its own does.
  fileprivate mutating func addSkipped(of other: TransferReport) {
    let known = Set(skipped ?? [])
    for entry in other.skipped ?? [] where !known.contains(entry) { skip(entry) }
    if let more = other.unlisted { unlisted = (unlisted ?? 0) + more }
  }
}

extension ClonePlan {
  /// The attributes that the request leaves out, by the entities of the subtree.
  fileprivate var excludedAttributes: [(name: String, qualifiedName: String)] {
    let exclusions = Exclusions(request: request, model: model)
    return exclusions.everywhere.flatMap { name in
      entities.filter {
        model.attribute(name.property, of: $0) != nil
          && exclusions.matches(name, property: name.property, entity: $0)
      }.map { (name.property, "\($0).\(name.property)") }
    }
  }

  /// The relationships that some object of a subtree asks for.
  package var askedNames: Set<String> {
    Set(nodes.flatMap(\.relationships).filter(\.rule.asks).map(\.relationship.qualifiedName))
  }

  /// The required relationships that some clone of a subtree may leave empty.
  fileprivate var emptiedNames: Set<String> {
    let emptied = nodes.flatMap(\.relationships).filter { planned in
      [.exclude, .link].contains(planned.rule) && planned.reason != .setByRequest
        && !planned.relationship.isOptional
    }
    return Set(emptied.map(\.relationship.qualifiedName))
  }
}

extension EntityMapping {
  /// Whether the columns of a to-one relationship are those of no other one and not of the key, so that it can be changed
  /// by itself.
  fileprivate func holdsAlone(_ relationship: String) -> Bool {
    let others = relationships.keys.filter { $0 != relationship }.flatMap { columns(of: $0) } + keyColumns
    return Set(columns(of: relationship).map(\.sqlName)).isDisjoint(with: others.map(\.sqlName))
  }
}
