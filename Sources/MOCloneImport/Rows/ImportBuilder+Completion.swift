import MOCloneEngine
import MOCloneModel

// What can be said when all nodes are known.
extension ImportBuilder {
  mutating func finish(_ root: ImportNode) throws -> ImportPlan {
    checkKinds()
    for node in nodes { identify(node) }
    if !failures.isEmpty { throw CloneError(failures) }
    for i in entities.indices {
      entities[i].missing = missing(in: i)
      entities[i].isMentioned = nodes.filter { $0.entity == i }.count > 1
    }
    return try ordered(root)
  }

  /// Of an entity and one that inherits from it nobody could say which of them a row means.
  private mutating func checkKinds() {
    for a in entities {
      for b in entities where a.name != b.name && model.isKind(b.name, of: a.name) {
        failures.append(
          .init(
            .invalidValue,
            "the mapping inserts objects of \(a.name) and of its sub-entity \(b.name)",
            help: "import them separately",
            entity: a.name))
      }
    }
  }

  /// Finds the values that a node's objects are found by.
  private mutating func identify(_ node: ImportNode) {
    guard let identity = entities[node.entity].identity else { return }
    node.identityNames = identity.names
    for path in identity.paths {
      let name = path.steps.first?.name ?? path.attribute!.name
      let isDefault = path.steps.isEmpty && path.attribute?.defaultValue != nil
      if isDefault {
        add(name, to: node.entity)
        if node.sources[name] == nil { node.sources[name] = .constant("\(path.attribute!.defaultValue!)") }
      }
      guard node.given.contains(name) || isDefault else {
        let place = node.relationship.map { " under '\($0.name)'" } ?? ""
        failures.append(
          .init(
            .invalidValue,
            "\(node.name) is identified by \(identity.names), but the mapping gives no '\(name)'\(place)",
            help: "map it, or pass --by \(node.name)=NAME", entity: node.name, property: name))
        continue
      }
      if let step = path.steps.first {
        guard let reference = entities[node.entity].reference(step) else {
          failures.append(
            .init(
              .invalidValue, "\(node.name) is identified by '\(path)', which is not in its own row",
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
    let own = nodes.filter { $0.entity == entity }
    func isOpen(_ property: String) -> Bool { own.contains { !$0.given.contains(property) } }
    let attributes = model.attributes(of: name).filter { attribute in
      !attribute.isOptional && attribute.defaultValue == nil && !attribute.isTransient && !attribute.isDerived
        && schema[name].attributes[attribute.name]?.keyPart == nil && isOpen(attribute.name)
        && attribute.name != modified.attribute(of: name, in: model)?.name
    }
    let relationships = model.relationships(of: name).filter {
      !$0.isToMany && !$0.isOptional && isOpen($0.name) && schema[name].foreignKey($0.name) != nil
    }
    return attributes.map(\.name) + relationships.map(\.name)
  }
}
