extension ImportMapping {
  /// Checks the names and constants of the mapping against a model.
  ///
  /// - Throws: `ModelError` with every finding, at its place in the mapping file.
  public func check(against model: ObjectModel) throws(ModelError) {
    var checks = ImportMappingChecks(model: model)
    checks.check(root, at: .model, destination: nil)
    guard checks.findings.isEmpty else {
      throw ModelError(diagnostics: checks.findings.map(places.locate).sortedByPlace(), source: source)
    }
  }
}

/// What a mapping says that the model does not know.
private struct ImportMappingChecks {
  let model: ObjectModel
  var findings: [Diagnostic] = []

  mutating func check(_ node: ImportMapping.Node, at path: ModelPath, destination: String?) {
    guard let name = node.entity ?? destination, let entity = entity(name, at: path, destination: destination)
    else {
      return
    }
    if entity.isAbstract {
      findings.append(.abstractTarget(name, known: model.concreteEntities(of: name), at: path))
    }
    for (name, source) in node.values.sorted(by: { $0.key < $1.key }) {
      let isSet = node.set[name] != nil
      check(source, for: name, of: entity.name, at: path / (isSet ? "set" : "attributes") / name)
      if isSet, node.attributes[name] != nil {
        findings.append(.givenTwice(name, at: path / "set" / name))
      }
    }
    for (name, below) in node.relationships.sorted(by: { $0.key < $1.key }) {
      check(below, over: name, of: entity.name, at: path / "relationships" / name)
    }
  }

  private mutating func entity(
    _ name: String, at path: ModelPath, destination: String?
  ) -> EntityDescription? {
    guard let entity = model.entity(name) else {
      findings.append(.unknownTarget(name, known: model.entities.map(\.name), at: path / "entity"))
      return nil
    }
    if let destination, !model.isKind(name, of: destination) {
      findings.append(
        .otherTarget(
          name, destination: destination, known: model.concreteEntities(of: destination), at: path / "entity")
      )
      return nil
    }
    return entity
  }

  private mutating func check(
    _ source: ImportMapping.Source, for name: String, of entity: String, at path: ModelPath
  ) {
    guard let attribute = model.attribute(name, of: entity) else {
      let known = model.attributes(of: entity).map(\.name)
      let isRelationship = model.relationship(name, of: entity) != nil
      findings.append(
        .unknownTargetName(
          "attribute", name: name, entity: entity, known: known, isOther: isRelationship, at: path))
      return
    }
    if attribute.isTransient || attribute.isDerived { findings.append(.computedTarget(attribute, at: path)) }
    guard case .constant(let text) = source else { return }
    if let text, attribute.type.value(from: text) == nil {
      findings.append(.unfitConstant("'\(text.shortened)'", attribute: attribute, at: path))
    } else if text == nil, !attribute.isOptional {
      findings.append(.unfitConstant("null", attribute: attribute, at: path))
    }
  }

  private mutating func check(
    _ node: ImportMapping.Node, over name: String, of entity: String, at path: ModelPath
  ) {
    guard let relationship = model.relationship(name, of: entity) else {
      let known = model.relationships(of: entity).map(\.name)
      let isAttribute = model.attribute(name, of: entity) != nil
      findings.append(
        .unknownTargetName(
          "relationship", name: name, entity: entity, known: known, isOther: isAttribute, at: path))
      return
    }
    if node.values.isEmpty, node.relationships.isEmpty { findings.append(.nothingMapped(name, at: path)) }
    check(node, at: path, destination: relationship.destination)
  }
}

extension Diagnostic {
  fileprivate static func unknownTarget(_ name: String, known: [String], at path: ModelPath) -> Diagnostic {
    Diagnostic(
      .unknownEntity, at: path, "the model has no entity '\(name.shortened)'",
      help: didYouMean(nearestName(to: name, in: known)) ?? "`moclone model show` lists them")
  }

  fileprivate static func otherTarget(
    _ name: String, destination: String, known: [String], at path: ModelPath
  ) -> Diagnostic {
    Diagnostic(
      .unknownEntity, at: path,
      "'\(name)' is not the destination '\(destination)' or one of its sub-entities",
      help: "write one of: \(known.joined(separator: ", "))")
  }

  fileprivate static func abstractTarget(_ name: String, known: [String], at path: ModelPath) -> Diagnostic {
    Diagnostic(
      .invalidValue, at: path, "\(name) is abstract, so it has no objects of its own",
      help: "name a concrete entity by 'entity:', one of: \(known.joined(separator: ", "))")
  }

  fileprivate static func unknownTargetName(
    _ kind: String, name: String, entity: String, known: [String], isOther: Bool, at path: ModelPath
  ) -> Diagnostic {
    let help =
      isOther
      ? "move '\(name)' to '\(kind == "attribute" ? "relationships" : "attributes")'"
      : didYouMean(nearestName(to: name, in: known)) ?? "known: \(known.joined(separator: ", "))"
    return Diagnostic(.unknownName, at: path, "\(entity) has no \(kind) '\(name.shortened)'", help: help)
  }

  fileprivate static func computedTarget(_ attribute: AttributeDescription, at path: ModelPath) -> Diagnostic
  {
    let reason =
      attribute.isTransient
      ? "transient, so it is not stored"
      : attribute.isKeptByTriggers
        ? "derived: a trigger of the store maintains it, so a new object begins with the default"
        : "derived, so the store computes it"
    return Diagnostic(
      .invalidValue, at: path, "'\(attribute.name)' is \(reason)", help: "remove the line")
  }

  fileprivate static func unfitConstant(
    _ text: String, attribute: AttributeDescription, at path: ModelPath
  ) -> Diagnostic {
    Diagnostic(
      .invalidValue, at: path,
      "\(text) is not a valid \(attribute.type.rawValue) for '\(attribute.name)'"
        + (attribute.isOptional ? "" : ", which is required") + attribute.type.expectation,
      help: "write a value of that type, or '@NAME' for the value of a column")
  }

  fileprivate static func givenTwice(_ name: String, at path: ModelPath) -> Diagnostic {
    Diagnostic(
      .invalidValue, at: path, "'\(name)' is given both by 'attributes' and by 'set'",
      help: "remove one of the two")
  }

  fileprivate static func nothingMapped(_ name: String, at path: ModelPath) -> Diagnostic {
    Diagnostic(
      .missingKey, at: path, "'\(name)' has no attributes", help: "add 'attributes: {name: '@COLUMN'}'")
  }
}
