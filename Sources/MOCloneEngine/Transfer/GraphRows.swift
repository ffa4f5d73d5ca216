import MOCloneModel

/// Stages objects of a graph of any kind.
struct GraphRows {
  private let rules: CopyRules
  private let source: any ObjectGraph
  private let layout: GraphLayout
  /// What of a subtree and of what it is linked to is formed; nil for a copy.
  private let links: CutLinks?
  private let rows: StagedRows
  private let objects: [ObjectID]
  private var numbers: [ObjectID: Int] = [:]
  private var model: ObjectModel { rules.model }

  /// - Parameter layout: that of the target.
  init(
    _ rules: CopyRules, modified: ModifiedRule, from source: any ObjectGraph, in layout: GraphLayout,
    cut: CopyCut? = nil
  ) throws {
    (self.rules, self.source, self.layout) = (rules, source, layout)
    let selection = try GraphSelection(rules, from: source, of: rules.model, cut: cut)
    links = selection.links
    rows = StagedRows(try TransferPlan(rules, modified: modified))
    objects = try rules.model.entities.filter { $0.parent == nil }.flatMap {
      try selection.objects(of: $0.name)
    }
    for (number, object) in objects.enumerated() { numbers[object] = number }
  }

  /// Reads everything.
  func staged() throws -> (rows: StagedRows, numbers: [ObjectID: Int]) {
    let entities = Dictionary(
      uniqueKeysWithValues: rows.plan.entities.enumerated().map { ($1.name, $0) })
    for object in objects { rows.add(try row(of: object, entities[object.entity]!)) }
    for (number, pairs) in rows.plan.pairs.enumerated() { try stage(pairs.relationship, number: number) }
    for relationship in model.entities.flatMap(\.relationships) where rules.forms(relationship) {
      let isHidden = model.inverse(of: relationship) == nil && relationship.isToMany
      if relationship.isOrdered || isHidden { try stageList(relationship) }
    }
    return (rows, numbers)
  }

  // MARK: Rows

  private func row(of object: ObjectID, _ number: Int) throws -> StagedRow {
    let entity = rows.plan.entities[number]
    var row = StagedRow(
      entity: number, values: try entity.attributes.map { try source.value($0.name, of: object) },
      references: try entity.references.map { try reference($0, of: object) }, origin: .object(object),
      role: role(of: object))
    for path in entity.identity?.paths ?? [] where entity.givenPaths.contains(path.description) {
      switch try source.part(path, of: object) {
      case .value(let value): row.ends[path.description] = .value(value)
      case .object(let end): row.ends[path.description] = numbers[end].map { .row($0) }
      }
    }
    return row
  }

  private func role(of object: ObjectID) -> StagedRow.Role {
    guard let links else { return .wanted }
    if links.cut.isPassing || links.members.contains(object) { return .member }
    return links.direct.contains(object) ? .linked : .needed
  }

  private func reference(
    _ reference: TransferPlan.Reference, of object: ObjectID
  ) throws -> StagedReference {
    let relationship = reference.relationship
    guard reference.isForward else { return .absent }
    guard let destination = try source.destinations(relationship.name, of: object).first else {
      return rules.clears(relationship) ? .null : .absent
    }
    guard
      links?.refers(
        object, relationship: relationship, destination: destination, inverse: model.inverse(of: relationship)
      ) ?? true
    else { return .absent }
    // What was to come along and does not is missed by objects that require it.
    return numbers[destination].map { .row($0) } ?? .lost
  }

  // MARK: Lists and pairs

  private func owners(of relationship: RelationshipDescription) -> [ObjectID] {
    let entities = Set(model.concreteEntities(of: relationship.entity))
    return objects.filter { entities.contains($0.entity) }
  }

  private func stageList(_ relationship: RelationshipDescription) throws {
    guard case .members(let reference) = layout.relations[layout.relationNumber(relationship)].side else {
      return
    }
    let inverse = model.inverse(of: relationship)
    for owner in owners(of: relationship) {
      let members = try source.destinations(relationship.name, of: owner).filter {
        links?.refers($0, relationship: inverse, destination: owner, inverse: relationship) ?? true
      }
      if members.isEmpty { continue }
      rows.lists.append(
        StagedList(
          reference: reference, owner: numbers[owner]!, members: members.compactMap { numbers[$0] }))
    }
  }

  private func stage(_ relationship: RelationshipDescription, number: Int) throws {
    let inverse = model.inverse(of: relationship)
    let positions = try inverse.map { $0.isOrdered ? try self.positions($0) : [:] } ?? [:]
    for owner in owners(of: relationship) {
      for member in try source.destinations(relationship.name, of: owner) {
        guard let destination = numbers[member],
          links?.pairs(owner, relationship: relationship, other: member, inverse: inverse) ?? true
        else { continue }
        let pair = StagedPair(
          source: numbers[owner]!, destination: destination,
          position: positions[member]?[owner])
        rows.add(pair, to: number)
      }
    }
  }

  /// Of each object: the positions of its destinations.
  private func positions(_ list: RelationshipDescription) throws -> [ObjectID: [ObjectID: Int]] {
    var positions: [ObjectID: [ObjectID: Int]] = [:]
    for owner in owners(of: list) {
      for (position, member) in try source.destinations(list.name, of: owner).enumerated() {
        positions[owner, default: [:]][member] = position
      }
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
    let pairs = formed.filter { relationship in
      guard case .join = mapping[relationship.entity].relationships[relationship.name]! else { return false }
      return model.inverse(of: relationship).map { relationship.qualifiedName <= $0.qualifiedName } ?? true
    }
    self.init(
      model: model, entities: entities,
      pairs: pairs.map {
        Pairs(relationship: $0, source: number($0.entity), destination: number($0.destination))
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
