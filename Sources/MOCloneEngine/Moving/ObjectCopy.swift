import MOCloneModel

/// Copies objects one by one, found by a dictionary of what identifies them.
struct ObjectCopy {
  /// What becomes of an object of the source.
  private enum Place {
    case found(ObjectID)
    case new
    /// Another object of the source, which has the same identity.
    case same(ObjectID)
    case skipped
  }

  private let rules: CopyRules
  private let source: any ObjectGraph
  private let target: MemoryGraph
  private let run: MoveRun
  /// The operation's one instant.
  private let modified: ModifiedRule
  /// Whether new objects get it, too, and nulls of objects that were there are filled.
  private let isSeeding: Bool
  private var places: [ObjectID: Place] = [:]
  /// The objects of the target for objects of the source.
  private(set) var copies: [ObjectID: ObjectID] = [:]
  private var report: MoveReport
  private var failures: [CloneError.Failure] = []
  /// What is copied, in the order of the keys of each root entity.
  private let objects: [ObjectID]
  /// Where one subtree is cut out: what it is and what it is linked to.
  private let links: CutLinks?
  private let mapping: SchemaMapping
  private var model: ObjectModel { rules.model }

  init(
    _ rules: CopyRules, from source: any ObjectGraph, into target: MemoryGraph, _ run: MoveRun,
    operation: MoveReport.Operation = .copy, isSeeding: Bool = false, cut: CopyCut? = nil
  ) throws {
    self.isSeeding = isSeeding
    modified = run.modified
    self.rules = rules
    self.source = source
    self.target = target
    self.run = run
    mapping = SchemaMapping(rules.model)
    report = MoveReport(operation, isDryRun: run.isDryRun)
    report.created = [:]
    report.found = [:]
    let links = try cut.map { try CutLinks($0, rules, source) }
    self.links = links
    let reach = try links.map { $0.members.union($0.linked) } ?? SourceReach(rules, source).objects
    objects = try rules.model.entities.filter { $0.parent == nil }.flatMap { root in
      try source.objectIDs(root.name).filter { reach?.contains($0) ?? true }
    }
  }

  mutating func perform() throws -> MoveReport {
    try settle()
    try make()
    if !failures.isEmpty { throw CloneError(failures) }
    var pairs = CopiedLinks(rules, source, target, copies, modified, links)
    pairs.found = Set(places.compactMap { if case .found(let object) = $0.value { object } else { nil } })
    report.linked = try pairs.form(objects)
    try checkRequired()
    if report.linked == [:] { report.linked = nil }
    return report
  }

  // MARK: Who is who

  private mutating func settle() throws {
    for group in try groups() {
      var own = objects.filter { group.entities.contains($0.entity) }
      if let links {
        let made = own.filter { links.cut.isPassing || links.members.contains($0) }
        for object in made { places[object] = .new }
        own.removeAll { places[$0] != nil }
      }
      guard let identity = group.identity else {
        for object in own { places[object] = .new }
        continue
      }
      let there = try stored(identity)
      var identified: [[IdentityPart]: [ObjectID]] = [:]
      for object in own {
        places[object] = try place(object, identity, key(identity, of: object), there, &identified)
      }
      // Which of them counts nobody can say, unless they are only linked to.
      if links == nil {
        failures += identified.values.filter { $0.count > 1 }.sorted { $0[0].description < $1[0].description }
          .map { .repeatedInSource(identity, $0) }
      }
    }
    if let links, !links.cut.isPassing { try settle(links) }
    if !failures.isEmpty { throw CloneError(failures) }
  }

  /// Decides what becomes of linked objects that the target does not have.
  private mutating func settle(_ links: CutLinks) throws {
    let missing = objects.filter { links.direct.contains($0) && !isThere($0) }
    var needed: Set<ObjectID> = []
    switch links.cut.missing {
    case .fail: failures += missing.map { .missingLinked($0, rules.identities[$0.entity]) }
    case .null: break
    case .create:
      let made = Set(missing.map(first))
      needed = try links.brought(by: made, creates: true, source) {
        !isThere($0) && !links.members.contains($0)
      }
      needed.formUnion(needed.map(first))
    }
    for object in links.linked where !isThere(object) && !needed.contains(first(object)) {
      places[object] = nil
    }
  }

  private func isThere(_ object: ObjectID) -> Bool {
    if case .found = places[first(object)] { true } else { false }
  }

  /// The first object of the source that has the same identity.
  private func first(_ object: ObjectID) -> ObjectID {
    if case .same(let other) = places[object] { first(other) } else { object }
  }

  /// Entities that are identified in the same way, in an order in which what identifies comes first.
  private func groups() throws -> [(identity: Identity?, entities: [String])] {
    var groups: [(identity: Identity?, entities: [String])] = []
    for entity in try rules.identities.order(rules.concreteEntities) {
      let identity = rules.identities[entity]
      let same = groups.firstIndex {
        identity != nil && $0.identity?.scope == identity?.scope && $0.identity?.paths == identity?.paths
      }
      let entities = same.map { groups.remove(at: $0).entities } ?? []
      groups.append((identity, entities + [entity]))
    }
    return groups
  }

  /// The objects of the target by their identities.
  private func stored(_ identity: Identity) throws -> [[IdentityPart]: [ObjectID]] {
    var stored: [[IdentityPart]: [ObjectID]] = [:]
    for object in try target.objectIDs(identity.scope) {
      let key = try identity.paths.map { try target.part($0, of: object) }
      if !key.contains(where: \.isEmpty) { stored[key, default: []].append(object) }
    }
    return stored
  }

  /// An object's identity, with the target's objects in place of the source's.
  private func key(_ identity: Identity, of object: ObjectID) throws -> [IdentityPart] {
    try identity.paths.map { path in
      guard case .object(let destination) = try source.part(path, of: object) else {
        return try source.part(path, of: object)
      }
      return part(destination)
    }
  }

  private func part(_ destination: ObjectID) -> IdentityPart {
    switch places[destination] {
    case .found(let object): .object(object)
    // No object of the target has such a key.
    case .new: .object(ObjectID("new \(destination.entity)", key: destination.key))
    case .same(let other): part(other)
    case .skipped, nil: .value(.null)
    }
  }

  private mutating func place(
    _ object: ObjectID, _ identity: Identity, _ key: [IdentityPart], _ there: [[IdentityPart]: [ObjectID]],
    _ identified: inout [[IdentityPart]: [ObjectID]]
  ) throws -> Place {
    if let empty = zip(identity.paths, key).first(where: { $1.isEmpty }) {
      // What nothing identifies is made where linked objects are made.
      if links?.cut.missing == .create { return .new }
      report.skip("\(object)", "nothing identifies it: \(empty.0) is null or empty")
      return .skipped
    }
    identified[key, default: []].append(object)
    let found = there[key] ?? []
    if found.count > 1 { failures += CloneError.ambiguousIdentity(identity, key, found).failures }
    if let found = found.first {
      if found.entity != object.entity {
        failures += CloneError.identityOfOtherEntity(identity, key, found).failures
      }
      report.add(1, object.entity, to: \.found)
      return .found(found)
    }
    // A cut-out keeps its objects as they are, those too that share an identity.
    if links?.cut.keepsKeys == true { return .new }
    if let other = identified[key]?.first, other != object {
      if other.entity != object.entity {
        failures += CloneError.identityOfOtherEntity(identity, key, other).failures
      }
      report.add(1, object.entity, to: \.found)
      return .same(other)
    }
    return .new
  }

  // MARK: New objects

  private mutating func make() throws {
    var progress = MoveProgress(.writing, total: objects.count)
    for (i, object) in objects.enumerated() {
      if i % 1000 == 0 { try run.report(progress) }
      progress.objects[object.entity, default: 0] += 1
      switch places[object] {
      case .found(let found):
        copies[object] = found
        if isSeeding { try fill(found, from: object) }
      case .skipped, nil: continue
      case .same(let other): copies[object] = copies[other] ?? place(of: other)
      case .new:
        copies[object] = try insert(object)
        report.add(1, object.entity, to: \.created)
      }
    }
    try run.report(progress)
  }

  private func insert(_ object: ObjectID) throws -> ObjectID {
    let values = try values(of: object)
    guard links?.cut.keepsKeys == true else {
      return try target.insertObject(object.entity, key: nil, values: values)
    }
    return try target.insertObject(object.entity, keeping: object.key, values: values)
  }

  private func place(of object: ObjectID) -> ObjectID? {
    if case .found(let found) = places[object] { found } else { nil }
  }

  private func values(of object: ObjectID) throws -> [String: AttributeValue] {
    var values: [String: AttributeValue] = [:]
    for attribute in model.attributes(of: object.entity)
    where !attribute.isTransient && !rules.excludes(attribute, of: object.entity)
      && !isOwnNumber(attribute, of: object.entity)
    {
      values[attribute.name] = try source.value(attribute.name, of: object)
    }
    if isSeeding, let attribute = modified.attribute(of: object.entity, in: model) {
      values[attribute.name] = .date(modified.instant)
    }
    return values
  }

  /// Gives an object that was there the values that it lacks; what must be unique stays as it is.
  private mutating func fill(_ found: ObjectID, from object: ObjectID) throws {
    var isFilled = false
    for attribute in rules.compared(of: object.entity, modified)
    where !rules.isUnique(attribute) && !isKey(attribute, of: object.entity) {
      let value = try source.value(attribute.name, of: object)
      guard !value.isNull, try target.value(attribute.name, of: found).isNull else { continue }
      try target.setValue(value, for: attribute.name, of: found)
      isFilled = true
    }
    guard isFilled else { return }
    report.add(1, object.entity, to: \.updated)
    if let attribute = modified.attribute(of: object.entity, in: model) {
      try target.setValue(.date(modified.instant), for: attribute.name, of: found)
    }
  }

  private func isKey(_ attribute: AttributeDescription, of entity: String) -> Bool {
    mapping[entity].attributes[attribute.name]?.keyPart != nil
  }

  /// What objects of the source hold that their counterparts do not: `Author 1: born`.
  func differences() throws -> [String] {
    try objects.compactMap { object in
      guard case .found(let found) = places[object] else { return nil }
      let names = try different(object, found)
      return names.isEmpty ? nil : "\(object): \(names.joined(separator: ", "))"
    }
  }

  private func different(_ object: ObjectID, _ found: ObjectID) throws -> [String] {
    let attributes = try rules.compared(of: object.entity, modified).filter { attribute in
      guard !isOwnNumber(attribute, of: object.entity) else { return false }
      let value = try source.value(attribute.name, of: object)
      return try !value.isNull && target.value(attribute.name, of: found) != value
    }
    let relationships = try model.relationships(of: object.entity).filter { relationship in
      guard !relationship.isToMany, rules.forms(relationship),
        let destination = try source.destinations(relationship.name, of: object).first,
        rules.identities[destination.entity] != nil
      else { return false }
      return try target.destinations(relationship.name, of: found).first != copies[destination]
    }
    return attributes.map(\.name) + relationships.map(\.name)
  }

  /// Whether an attribute is another name for a key that the store makes.
  private func isOwnNumber(_ attribute: AttributeDescription, of entity: String) -> Bool {
    guard let part = mapping[entity].attributes[attribute.name]?.keyPart else { return false }
    return [.rowid, .max, .automatic].contains(mapping[entity].key[part].source)
  }

  /// New objects must not lose what they require.
  private func checkRequired() throws {
    var failures: [CloneError.Failure] = []
    for object in objects {
      guard case .new = places[object] else { continue }
      for relationship in model.relationships(of: object.entity)
      where !relationship.isToMany && !relationship.isOptional {
        guard try !source.destinations(relationship.name, of: object).isEmpty,
          try target.destinations(relationship.name, of: copies[object]!).isEmpty
        else { continue }
        failures.append(
          .init(
            .requiredLeftEmpty,
            "'\(relationship.name)' of \(object) is required, and its destination is not copied: nothing identifies it, "
              + "or it does not exist", property: relationship.name, object: object))
      }
    }
    if !failures.isEmpty { throw CloneError(failures) }
  }
}
