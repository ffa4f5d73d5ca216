import MOCloneEngine
import MOCloneModel

/// Gathers the entities, references and nodes of a mapping.
struct ImportBuilder {
  let model: ObjectModel
  let schema: SchemaMapping
  let options: ImportOptions
  let format: FileFormat
  let identities: Identities
  let modified: ModifiedRule
  var entities: [ImportPlan.Entity] = []
  var joinRows: [ImportPlan.JoinRows] = []
  var nodes: [ImportNode] = []
  var failures: [CloneError.Failure] = []

  init(
    _ model: ObjectModel, root: String, options: ImportOptions, format: FileFormat, modified: ModifiedRule
  ) throws {
    self.modified = modified
    self.model = model
    self.options = options
    self.format = format
    schema = SchemaMapping(model)
    identities = try Identities(model, identifiedBy: options.identifiedBy, of: [root])
  }

  // MARK: Nodes

  mutating func node(
    _ mapping: ImportMapping.Node, name: String, in shape: inout RecordShape
  ) throws -> ImportNode {
    let node = ImportNode(entity(name), name: name, mapping: mapping)
    nodes.append(node)
    for (attribute, source) in mapping.values.sorted(by: { $0.key < $1.key }) {
      add(attribute, to: node.entity)
      if case .field(let path) = source { node.fields[attribute] = shape.field(self.path(path)) }
    }
    for (relationship, below) in mapping.relationships.sorted(by: { $0.key < $1.key }) {
      try add(below, over: model.relationship(relationship, of: name)!, to: node, in: &shape)
    }
    return node
  }

  private mutating func add(
    _ mapping: ImportMapping.Node, over relationship: RelationshipDescription, to above: ImportNode,
    in shape: inout RecordShape
  ) throws {
    let name = mapping.entity ?? relationship.destination
    // Before what lies below, so that the pairs go by the outermost relationship.
    let joinRow = joinRow(over: relationship, of: above, to: name)
    let node: ImportNode
    if let rows = mapping.rows {
      guard format != .csv, format != .tsv else {
        failures.append(
          .init(
            .invalidValue, "'\(relationship.name)' has nested rows, which CSV does not support",
            help: "remove 'rows'"
          )
        )
        return
      }
      var nested = RecordShape()
      node = try self.node(mapping, name: name, in: &nested)
      if shape.isTaken(path(rows)) {
        failures.append(
          .init(.invalidValue, "'rows: \(rows)' is already used for another relationship of the mapping"))
        return
      }
      node.nested = shape.nest(path(rows), shape: nested)
      node.rowsName = rows
    } else {
      node = try self.node(mapping, name: name, in: &shape)
    }
    node.relationship = relationship
    above.below.append(node)
    if let joinRow { node.link = joinRow } else { link(node, over: relationship, to: above) }
  }

  /// Where the plan has the pairs that tie two nodes: the same for every node over one relationship, from either side, so
  /// that each pair is staged in the order of the rows; nil where a reference ties them.
  private mutating func joinRow(
    over relationship: RelationshipDescription, of above: ImportNode, to name: String
  ) -> ImportNode.Link? {
    guard case .join = schema[above.name].relationships[relationship.name]! else { return nil }
    let (source, destination) = (above.entity, entity(name))
    let inverse = model.inverse(of: relationship)?.qualifiedName
    for (number, known) in joinRows.enumerated() {
      let (name, ends) = (known.relationship.qualifiedName, (known.source, known.destination))
      if name == relationship.qualifiedName, ends == (source, destination) {
        return .joinRow(number, isInverse: false)
      }
      if name == inverse, ends == (destination, source) { return .joinRow(number, isInverse: true) }
    }
    joinRows.append(ImportPlan.JoinRows(relationship: relationship, source: source, destination: destination))
    return .joinRow(joinRows.count - 1, isInverse: false)
  }

  /// Ties two nodes by the reference that ties their objects.
  private mutating func link(
    _ node: ImportNode, over relationship: RelationshipDescription, to above: ImportNode
  ) {
    switch schema[above.name].relationships[relationship.name]! {
    case .foreignKey:
      node.link = .above(
        reference: reference(relationship, isForward: true, of: above.entity, to: node.entity))
      above.given.insert(relationship.name)
    case .inverseForeignKey:
      let inverse = model.inverse(of: relationship)
      if let inverse, node.given.contains(inverse.name) {
        failures.append(
          .init(
            .invalidValue,
            "'\(inverse.name)' of \(node.name) is the object of the enclosing row, so the mapping must not give it again"
          ))
      }
      node.link = .below(
        reference: reference(
          inverse ?? relationship, isForward: inverse != nil, of: node.entity, to: above.entity))
      if let inverse { node.given.insert(inverse.name) }
    case .join: preconditionFailure("'\(relationship.name)' lies in no row")
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

  mutating func add(_ attribute: String, to entity: Int) {
    guard entities[entity].attribute(attribute) == nil else { return }
    entities[entity].attributes.append(model.attribute(attribute, of: entities[entity].name)!)
  }

  private mutating func reference(
    _ relationship: RelationshipDescription, isForward: Bool, of entity: Int, to destination: Int
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
}
