import MOCloneModel

/// Stages objects of a graph of any kind.
struct GraphRows {
  private let rules: CopyRules
  private let options: TransferOptions
  private let source: any ObjectGraph
  private let layout: GraphLayout
  /// What of a subtree and of what it is linked to is formed; nil for a copy.
  private let links: SubtreeLinks?
  private let rows: StagedRows
  private let objects: [ObjectID]
  private var numbers: [ObjectID: Int] = [:]
  private var model: ObjectModel { rules.model }

  /// - Parameter layout: that of the target.
  init(
    _ rules: CopyRules, options: TransferOptions, modified: ModifiedRule, from source: any ObjectGraph,
    in layout: GraphLayout, subtree: CopiedSubtree? = nil
  ) throws {
    (self.rules, self.options, self.source, self.layout) = (rules, options, source, layout)
    let selection = try GraphSelection(rules, from: source, of: rules.model, subtree: subtree)
    links = selection.links
    rows = StagedRows(try TransferPlan(rules, modified: modified))
    objects = try rules.model.entities.filter { $0.parent == nil }.flatMap {
      try selection.objects(of: $0.name)
    }
    for (number, object) in objects.enumerated() { numbers[object] = number }
  }

  /// Reads everything, and tells how far it is.
  func staged() throws -> (rows: StagedRows, numbers: [ObjectID: Int]) {
    let entities = Dictionary(
      uniqueKeysWithValues: rows.plan.entities.enumerated().map { ($1.name, $0) })
    var progress = TransferProgress(.reading)
    try objects.inSets { objects in
      try options.report(progress)
      for row in try objects.readByEntity({ try stagedRows(of: $0, entities[$0[0].entity]!) }) {
        rows.add(row)
        progress.objects[rows.plan.entities[row.entity].name, default: 0] += 1
      }
    }
    try options.report(progress)
    rows.followers = links?.subtree.followers ?? []
    for (number, joinRows) in rows.plan.joinRows.enumerated() {
      try stage(joinRows.relationship, number: number)
    }
    for relationship in model.entities.flatMap(\.relationships) where rules.forms(relationship) {
      let isHidden = model.inverse(of: relationship) == nil && relationship.isToMany
      if relationship.isOrdered || isHidden { try stageList(relationship) }
    }
    return (rows, numbers)
  }

  // MARK: Rows

  /// The rows of objects of one entity.
  private func stagedRows(of objects: [ObjectID], _ number: Int) throws -> [StagedRow] {
    let entity = rows.plan.entities[number]
    let values = try source.values(entity.attributes.map(\.name), ofAll: objects)
    let references = try entity.references.map { try self.references($0, of: objects) }
    let numbered = Set(links?.subtree.numbered ?? [])
    var staged = objects.indices.map { place in
      StagedRow(
        entity: number, values: values[place], references: references.map { $0[place] },
        origin: .object(objects[place]), role: role(of: objects[place]),
        isNumbered: numbered.contains(objects[place]))
    }
    for path in entity.identity?.paths ?? [] where entity.givenPaths.contains(path.description) {
      for (place, part) in try source.parts(path, ofAll: objects).enumerated() {
        switch part {
        case .value(let value): staged[place].ends[path.description] = .value(value)
        case .object(let end): staged[place].ends[path.description] = numbers[end].map { .row($0) }
        }
      }
    }
    return staged
  }

  private func role(of object: ObjectID) -> StagedRow.Role {
    guard let links else { return .wanted }
    if links.subtree.isPassing || links.members.contains(object) { return .member }
    return links.direct.contains(object) ? .linked : .needed
  }

  private func references(
    _ reference: TransferPlan.Reference, of objects: [ObjectID]
  ) throws -> [StagedReference] {
    guard reference.isForward else { return objects.map { _ in .absent } }
    let relationship = reference.relationship
    return zip(objects, try source.destinations(relationship.name, ofAll: objects)).map {
      self.reference(relationship, of: $0, to: $1.first)
    }
  }

  private func reference(
    _ relationship: RelationshipDescription, of object: ObjectID, to destination: ObjectID?
  ) -> StagedReference {
    guard let destination else { return rules.clears(relationship) ? .null : .absent }
    guard
      links?.refers(
        object, relationship: relationship, destination: destination, inverse: model.inverse(of: relationship)
      ) ?? true
    else { return .absent }
    // What was to come along and does not is missed by objects that require it.
    return numbers[destination].map { .row($0) } ?? .lost
  }

  // MARK: Lists and pairs

  /// Goes through the objects that have a relationship, each with its destinations.
  private func eachOwner(
    of relationship: RelationshipDescription, _ body: (_ owner: ObjectID, [ObjectID]) -> Void
  ) throws {
    let entities = Set(model.concreteEntities(of: relationship.entity))
    try objects.filter { entities.contains($0.entity) }.inSets { owners in
      for (owner, members) in zip(owners, try source.destinations(relationship.name, ofAll: owners)) {
        body(owner, members)
      }
    }
  }

  private func stageList(_ relationship: RelationshipDescription) throws {
    guard case .members(let reference) = layout.relations[layout.relationNumber(relationship)].side else {
      return
    }
    let inverse = model.inverse(of: relationship)
    try eachOwner(of: relationship) { owner, all in
      let members = all.filter {
        links?.refers($0, relationship: inverse, destination: owner, inverse: relationship) ?? true
      }
      if members.isEmpty { return }
      rows.lists.append(
        StagedList(
          reference: reference, owner: numbers[owner]!, members: members.compactMap { numbers[$0] }))
    }
  }

  private func stage(_ relationship: RelationshipDescription, number: Int) throws {
    let inverse = model.inverse(of: relationship)
    let positions = try inverse.map { $0.isOrdered ? try self.positions($0) : [:] } ?? [:]
    try eachOwner(of: relationship) { owner, members in
      for member in members {
        guard let destination = numbers[member],
          links?.pairs(owner, relationship: relationship, other: member, inverse: inverse) ?? true
        else { continue }
        let joinRow = StagedJoinRow(
          source: numbers[owner]!, destination: destination,
          position: positions[member]?[owner])
        rows.add(joinRow, to: number)
      }
    }
  }

  /// Of each object: the positions of its destinations.
  private func positions(_ list: RelationshipDescription) throws -> [ObjectID: [ObjectID: Int]] {
    var positions: [ObjectID: [ObjectID: Int]] = [:]
    try eachOwner(of: list) { owner, members in
      for (position, member) in members.enumerated() { positions[owner, default: [:]][member] = position }
    }
    return positions
  }
}

extension TransferPlan {
  /// All that the objects of a model hold.
  init(_ rules: CopyRules, modified: ModifiedRule) throws {
    let model = rules.model
    let mapping = SchemaMapping(model)
    let names = try rules.identities.order(rules.concreteEntities)
    func number(_ entity: String) -> Int {
      names.firstIndex { model.isKind($0, of: entity) } ?? 0
    }
    let formed = model.entities.flatMap(\.relationships).filter(rules.forms)
    let entities = names.map { name in
      var entity = Entity(name: name, identity: rules.identities[name])
      entity.attributes = model.attributes(of: name).filter {
        !$0.isTransient && !$0.isKeptByTriggers && !rules.excludes($0, of: name)
      }
      for relationship in formed {
        let inverse = model.inverse(of: relationship)
        switch mapping[relationship.entity].relationships[relationship.name]! {
        case .foreignKey where model.isKind(name, of: relationship.entity):
          entity.references.append(
            Reference(
              relationship: relationship, isForward: true, destination: number(relationship.destination)))
        case .inverseForeignKey where inverse == nil && model.isKind(name, of: relationship.destination):
          entity.references.append(
            Reference(
              relationship: relationship, isForward: false, destination: number(relationship.entity)))
        default: continue
        }
      }
      // Objects are found by what they hold, also where what is written leaves that out.
      let given = (entity.identity?.paths ?? []).filter { path in
        !path.steps.isEmpty || entity.attribute(path.attribute!.name) == nil
      }
      entity.givenPaths = Set(given.map(\.description))
      entity.overwritten = rules.overwritten(of: entity, modified: modified, mapping: mapping)
      entity.unique = Set(entity.attributes.filter(rules.isUnique).map(\.name))
      return entity
    }
    let joinRows = formed.filter { relationship in
      guard case .join = mapping[relationship.entity].relationships[relationship.name]! else { return false }
      return model.inverse(of: relationship).map { relationship.qualifiedName <= $0.qualifiedName } ?? true
    }
    self.init(
      model: model, entities: entities,
      joinRows: joinRows.map {
        JoinRows(relationship: $0, source: number($0.entity), destination: number($0.destination))
      })
  }
}

extension CopyRules {
  /// What an existing object can take over: references that are no part of its key, and values. Those that are its key are
  /// named too, since they are refused where they differ.
  fileprivate func overwritten(
    of entity: TransferPlan.Entity, modified: ModifiedRule, mapping: SchemaMapping
  ) -> Set<String> {
    let map = mapping[entity.name]
    let inKey = map.key.compactMap { part in
      if case .relationship(let name, _) = part.source, !map.isInKey(name) { name } else { nil }
    }
    let values = compared(of: entity.name, modified).filter {
      map.attributes[$0.name]?.keyPart == nil && !($0.type == .transformable && isUnique($0))
        && !isUniqueBesideOthers($0)
    }
    return Set(entity.references.map(\.name)).subtracting(inKey).union(values.map(\.name))
  }
}
