import MOCloneEngine
import MOCloneModel

/// Makes of a mapping what an import runs by: the plan of the graph, the shape of the rows, and the nodes that lead
/// from one to the other.
struct ImportPlanner {
  let plan: ImportPlan
  let root: ImportNode
  let shape: RecordShape

  /// - Throws: `ModelError` with every finding in the mapping, `CloneError` where identities do not fit it.
  init(_ mapping: ImportMapping, _ model: ObjectModel, _ options: ImportOptions, format: FileFormat) throws {
    try mapping.check(against: model)
    var builder = try ImportBuilder(model, options, format)
    var shape = RecordShape()
    let root = try builder.node(mapping.root, mapping.root.entity!, in: &shape)
    (plan, self.root, self.shape) = (try builder.finish(root), root, shape)
  }
}

/// Gathers the entities, references and nodes of a mapping.
private struct ImportBuilder {
  private let model: ObjectModel
  private let schema: SchemaMapping
  private let options: ImportOptions
  private let format: FileFormat
  private let identities: Identities
  private var entities: [ImportPlan.Entity] = []
  private var pairs: [ImportPlan.Pairs] = []
  private var nodes: [ImportNode] = []
  /// What each node gives, by names of properties.
  private var given: [Set<String>] = []
  private var sources: [[String: ImportMapping.Source]] = []
  private var fields: [[String: Int]] = []
  private var failures: [CloneError.Failure] = []

  init(_ model: ObjectModel, _ options: ImportOptions, _ format: FileFormat) throws {
    self.model = model
    self.options = options
    self.format = format
    schema = SchemaMapping(model)
    identities = try Identities(model, identifiedBy: options.identifiedBy)
  }

  // MARK: Nodes

  mutating func node(
    _ mapping: ImportMapping.Node, _ name: String, in shape: inout RecordShape, prefix: [String] = []
  ) throws -> ImportNode {
    let node = ImportNode(entity(name), name)
    let number = nodes.count
    nodes.append(node)
    given.append(Set(mapping.values.keys))
    sources.append(mapping.values)
    fields.append([:])
    for (attribute, source) in mapping.values.sorted(by: { $0.key < $1.key }) {
      add(attribute, to: node.entity)
      if case .field(let path) = source { fields[number][attribute] = shape.field(self.path(path)) }
    }
    for (relationship, below) in mapping.relationships.sorted(by: { $0.key < $1.key }) {
      try add(below, over: model.relationship(relationship, of: name)!, to: number, in: &shape)
    }
    return node
  }

  private mutating func add(
    _ mapping: ImportMapping.Node, over relationship: RelationshipDescription, to above: Int,
    in shape: inout RecordShape
  ) throws {
    let name = mapping.entity ?? relationship.destination
    let number = nodes.count
    let node: ImportNode
    if let rows = mapping.rows {
      guard format != .csv, format != .tsv else {
        failures.append(
          .init(.invalidValue, "'\(relationship.name)' has nested rows, which CSV cannot hold; remove 'rows'")
        )
        return
      }
      var nested = RecordShape()
      node = try self.node(mapping, name, in: &nested)
      if shape.isTaken(path(rows)) {
        failures.append(
          .init(.invalidValue, "the rows '\(rows)' stand for something else in the mapping already"))
        return
      }
      node.nested = shape.nest(path(rows), nested)
    } else {
      node = try self.node(mapping, name, in: &shape)
    }
    node.relationship = relationship
    nodes[above].below.append(node)
    link(node, number, over: relationship, to: nodes[above], above)
  }

  /// Ties two nodes where the store ties their objects.
  private mutating func link(
    _ node: ImportNode, _ number: Int, over relationship: RelationshipDescription, to above: ImportNode,
    _ aboveNumber: Int
  ) {
    switch schema[above.name].relationships[relationship.name]! {
    case .foreignKey:
      node.link = .above(reference: reference(relationship, true, of: above.entity, to: node.entity))
      given[aboveNumber].insert(relationship.name)
    case .inverseForeignKey:
      let inverse = model.inverse(of: relationship)
      if let inverse, given[number].contains(inverse.name) {
        failures.append(
          .init(
            .invalidValue,
            "'\(inverse.name)' of \(node.name) is the object of the row above, so the mapping cannot give it again"
          ))
      }
      node.link = .below(
        reference: reference(inverse ?? relationship, inverse != nil, of: node.entity, to: above.entity))
      if let inverse { given[number].insert(inverse.name) }
    case .join:
      node.link = .pair(pairs.count)
      pairs.append(
        ImportPlan.Pairs(relationship: relationship, source: above.entity, destination: node.entity))
    }
  }

  /// Names of values in a row: parts of a path in JSON and XML.
  private func path(_ text: String) -> [String] {
    if text.isEmpty { return [] }
    if format == .csv || format == .tsv { return [text] }
    return text.split(
      separator: format == .xml && text.contains("/") ? "/" : ".", omittingEmptySubsequences: false
    )
    .map(String.init)
  }

  // MARK: Entities

  private mutating func entity(_ name: String) -> Int {
    if let known = entities.firstIndex(where: { $0.name == name }) { return known }
    entities.append(
      ImportPlan.Entity(name: name, identity: identities[name]))
    return entities.count - 1
  }

  private mutating func add(_ attribute: String, to entity: Int) {
    guard entities[entity].attribute(attribute) == nil else { return }
    entities[entity].attributes.append(model.attribute(attribute, of: entities[entity].name)!)
  }

  private mutating func reference(
    _ relationship: RelationshipDescription, _ isForward: Bool, of entity: Int, to destination: Int
  ) -> Int {
    let known = entities[entity].references.firstIndex {
      $0.relationship.qualifiedName == relationship.qualifiedName && $0.isForward == isForward
        && $0.destination == destination
    }
    if let known { return known }
    entities[entity].references.append(
      ImportPlan.Reference(relationship: relationship, isForward: isForward, destination: destination))
    return entities[entity].references.count - 1
  }

  // MARK: What is complete

  mutating func finish(_ root: ImportNode) throws -> ImportPlan {
    checkKinds()
    for (i, node) in nodes.enumerated() { try identify(node, i) }
    if !failures.isEmpty { throw CloneError(failures) }
    for i in entities.indices { entities[i].missing = missing(in: i) }
    for (i, node) in nodes.enumerated() { try complete(node, i) }
    return try ordered(root)
  }

  /// Of an entity and one that inherits from it nobody could say which of them a row means.
  private mutating func checkKinds() {
    for a in entities {
      for b in entities where a.name != b.name && model.isKind(b.name, of: a.name) {
        failures.append(
          .init(
            .invalidValue,
            "the mapping makes objects of \(a.name) and of its sub-entity \(b.name); import them apart",
            entity: a.name))
      }
    }
  }

  /// Finds the values that a node's objects are found by.
  private mutating func identify(_ node: ImportNode, _ number: Int) throws {
    guard let identity = entities[node.entity].identity else { return }
    node.identityNames = identity.names
    for path in identity.paths {
      let name = path.steps.first?.name ?? path.attribute!.name
      let isDefault = path.steps.isEmpty && path.attribute?.defaultValue != nil
      if isDefault {
        add(name, to: node.entity)
        if sources[number][name] == nil {
          sources[number][name] = .constant("\(path.attribute!.defaultValue!)")
        }
      }
      guard given[number].contains(name) || isDefault else {
        failures.append(
          .init(
            .invalidValue,
            "\(node.name) is identified by \(identity.names), but the mapping gives no '\(name)'; map it, or say "
              + "--by \(node.name)=NAME", entity: node.name, property: name))
        continue
      }
      if let step = path.steps.first {
        guard let reference = entities[node.entity].reference(step) else {
          failures.append(
            .init(
              .invalidValue, "\(node.name) is identified by '\(path)', which does not lie in its own row",
              entity: node.name, property: name))
          continue
        }
        node.identityReferences.append(reference)
      } else {
        node.identity.append(entities[node.entity].attribute(name)!)
      }
    }
  }

  /// Required properties that some node of an entity does not give.
  private func missing(in entity: Int) -> [String] {
    let name = entities[entity].name
    let places = nodes.indices.filter { nodes[$0].entity == entity }
    func isOpen(_ property: String) -> Bool { places.contains { !given[$0].contains(property) } }
    let attributes = model.attributes(of: name).filter { attribute in
      !attribute.isOptional && attribute.defaultValue == nil && !attribute.isTransient && !attribute.isDerived
        && schema[name].attributes[attribute.name]?.keyPart == nil && isOpen(attribute.name)
        && !(attribute.name == "modified" && attribute.type == .date)
    }
    let relationships = model.relationships(of: name).filter { relationship in
      guard case .foreignKey = schema[name].relationships[relationship.name] else { return false }
      return !relationship.isToMany && !relationship.isOptional && isOpen(relationship.name)
    }
    return attributes.map(\.name) + relationships.map(\.name)
  }

  /// Gives a node its readers and its room.
  private func complete(_ node: ImportNode, _ number: Int) throws {
    let entity = entities[node.entity]
    node.prepare(columns: entity.attributes.count, references: entity.references.count)
    node.values = try sources[number].sorted { $0.key < $1.key }.map { name, source in
      let place = entity.attribute(name)!
      let reader = try ValueReader(
        entity.attributes[place], node.name, source, identifies: node.identity.contains(place))
      return ImportNode.Value(place: place, reader: reader, field: fields[number][name] ?? -1)
    }
    if canBeShared(node) { node.seen = RowCache(node.values.map(\.field).filter { $0 >= 0 }) }
  }

  /// Whether rows of the same values are the same row: nothing else belongs to them, and no later one counts more.
  private func canBeShared(_ node: ImportNode) -> Bool {
    guard node.nested == nil, node.below.isEmpty, !node.identity.isEmpty, node.identityReferences.isEmpty
    else {
      return false
    }
    let isIdentity = node.values.allSatisfy { node.identity.contains($0.place) }
    guard options.existing != .update || isIdentity else { return false }
    switch node.link {
    case .above, .pair: return true
    case .root, .below: return false
    }
  }

  // MARK: Order

  /// What an entity is identified by comes before it.
  private func ordered(_ root: ImportNode) throws -> ImportPlan {
    var order: [Int] = []
    var path: [Int] = []
    func visit(_ entity: Int) throws {
      guard !order.contains(entity) else { return }
      if path.contains(entity) { throw cycle(path + [entity]) }
      path.append(entity)
      for step in (entities[entity].identity?.paths ?? []).compactMap(\.steps.first) {
        for reference in entities[entity].references where reference.isForward {
          if reference.relationship.name == step.name { try visit(reference.destination) }
        }
      }
      path.removeLast()
      order.append(entity)
    }
    for entity in entities.indices.reversed() { try visit(entity) }
    return renumbered(order, root)
  }

  private func cycle(_ path: [Int]) -> CloneError {
    let names = path.map { entities[$0].name }
    return CloneError(
      .identityCycle,
      "\(names.joined(separator: " is identified by ")): objects that identify each other cannot be told apart; name "
        + "attributes instead (--by, identifiedBy:)", entity: names[0])
  }

  private func renumbered(_ order: [Int], _ root: ImportNode) -> ImportPlan {
    var place = Array(repeating: 0, count: entities.count)
    for (new, old) in order.enumerated() { place[old] = new }
    var sorted = order.map { entities[$0] }
    for i in sorted.indices {
      for k in sorted[i].references.indices {
        sorted[i].references[k].destination = place[sorted[i].references[k].destination]
      }
    }
    for node in nodes { node.entity = place[node.entity] }
    let moved = pairs.map {
      ImportPlan.Pairs(
        relationship: $0.relationship, source: place[$0.source], destination: place[$0.destination])
    }
    return ImportPlan(
      model: model, existing: options.existing, root: root.name, entities: sorted, pairs: moved)
  }
}
