/// Names of entities and their properties, and the parents they name.
extension ModelChecks {
  func entityNamesAreUnique() -> [Diagnostic] {
    var seen: Set<String> = []
    return model.entities.filter { !seen.insert($0.name).inserted }.map { .duplicateEntity($0.name) }
  }

  func propertyNamesAreUnique() -> [Diagnostic] {
    ambiguous.flatMap { entity in
      var owners: [String: ModelPath] = [:]
      for ancestor in model.lineage(of: entity.name).dropFirst().reversed() {
        for property in model.entity(ancestor)?.properties ?? [] where owners[property.name] == nil {
          owners[property.name] = property.path
        }
      }
      return entity.properties.compactMap { property -> Diagnostic? in
        guard let owner = owners[property.name] else {
          owners[property.name] = property.path
          return nil
        }
        return .duplicateProperty(property.name, of: entity.name, at: property.path, first: owner)
      }
    }
  }

  func parentsExist() -> [Diagnostic] {
    missingEntities.compactMap { missing in
      guard let child = missing.parents.first else { return nil }
      let known = model.entities.map(\.name).filter { $0 != child }
      return .unknownParent(missing, of: child, nearest: suggestions.nearest(to: missing.name, in: known))
    }
  }

  /// One finding for each cycle, at the member declared first.
  func parentsFormNoCycle() -> [Diagnostic] {
    var seen: Set<String> = []
    return model.firstDeclarations.compactMap { entity in
      guard let cycle = cycle(from: entity), seen.isDisjoint(with: cycle) else { return nil }
      seen.formUnion(cycle)
      return .inheritanceCycle(cycle)
    }
  }

  func ancestriesAreShort() -> [Diagnostic] {
    model.index.tooDeep.sorted().map { .inheritanceTooDeep(model.entities[$0].name) }
  }

  private func cycle(from entity: EntityDescription) -> [String]? {
    guard let number = model.index.number[entity.name], model.index.cyclic.contains(number) else {
      return nil
    }
    let path = sequence(first: entity.name) { name in
      model.entity(name)?.parent.flatMap { $0 == entity.name ? nil : $0 }
    }
    return Array(path)
  }

  func abstractEntitiesHaveConcreteOnes() -> [Diagnostic] {
    // An entity without a known parent may be the one that is missed here.
    guard orphans.isEmpty else { return [] }
    return entities.filter { $0.isAbstract && model.concreteEntities(of: $0.name).isEmpty }
      .map { .abstractWithoutSubEntity($0.name) }
  }

  func uniquenessConstraintsNameProperties() -> [Diagnostic] {
    model.firstDeclarations.filter { isComplete($0.name) }.flatMap { entity in
      Set(entity.uniquenessConstraints.joined()).sorted().compactMap {
        failure(ofConstraint: $0, entity.name)
      }
    }
  }

  /// The order of the names makes no difference, and what an ancestor says holds for all below it.
  func uniquenessConstraintsDiffer() -> [Diagnostic] {
    model.firstDeclarations.flatMap { entity -> [Diagnostic] in
      guard !entity.uniquenessConstraints.isEmpty else { return [] }
      var first: [Set<String>: ModelPath] = [:]
      for above in model.lineage(of: entity.name).dropFirst().compactMap({ model.entity($0) }) {
        for names in above.uniquenessConstraints { first[Set(names)] = .constraint(names, of: above.name) }
      }
      return entity.uniquenessConstraints.compactMap { names in
        let path = ModelPath.constraint(names, of: entity.name)
        if let name = names.firstRepetition(by: { $0 }) {
          return .repeatedInConstraint(name, entity: entity.name, path: path)
        }
        if let other = first[Set(names)] {
          return .duplicateConstraint(names, entity: entity.name, path: path, other: other)
        }
        first[Set(names)] = path
        return nil
      }
    }
  }

  private func failure(ofConstraint name: String, _ entity: String) -> Diagnostic? {
    if let attribute = model.attribute(name, of: entity) {
      return attribute.isTransient
        ? .columnlessInConstraint(
          .transientInConstraint, name, of: entity, fault: "transient",
          help: "name stored attributes only, or remove 'transient'") : nil
    }
    if let relationship = model.relationship(name, of: entity) {
      return relationship.isToMany
        ? .columnlessInConstraint(
          .toManyInConstraint, name, of: entity, fault: "to-many",
          help: "name attributes and to-one relationships only") : nil
    }
    let known = model.attributes(of: entity).map(\.name) + model.relationships(of: entity).map(\.name)
    return .unknownConstraintProperty(name, of: entity, question: suggestions.question(name, names: known))
  }
}

extension EntityDescription {
  /// The names of attributes and relationships in the order of declaration, with their places.
  fileprivate var properties: [(name: String, path: ModelPath)] {
    attributes.map { ($0.name, .attribute($0)) } + relationships.map { ($0.name, .relationship($0)) }
  }
}

extension ModelPath {
  /// The path of a uniqueness constraint: of several that are alike that of the last one.
  fileprivate static func constraint(_ names: [String], of entity: String) -> ModelPath {
    .entity(entity) / "uniquenessConstraints" / constraintKey(names)
  }

  /// What stands for a uniqueness constraint in paths.
  static func constraintKey(_ names: [String]) -> String { names.joined(separator: ", ") }
}

extension Diagnostic {
  static func duplicateEntity(_ name: String) -> Diagnostic {
    Diagnostic(
      .duplicateEntity, at: .entity(name), "the model has two entities '\(name)'",
      help: "rename one of them, or merge their properties")
  }

  static func duplicateProperty(
    _ name: String, of entity: String, at path: ModelPath, first: ModelPath
  ) -> Diagnostic {
    Diagnostic(
      .duplicateProperty, at: path, "'\(entity)' has two properties '\(name)', counting inherited ones",
      notes: [Note("the other one is declared here", at: first)], help: "rename or remove one of them")
  }

  static func unknownParent(_ missing: MissingEntity, of entity: String, nearest: String?) -> Diagnostic {
    let parent = missing.name
    return Diagnostic(
      .unknownParent, at: .entity(entity) / "parent",
      "'\(entity)' has the parent '\(parent)', but the model has no entity '\(parent)'",
      notes: missing.otherPlaces,
      help: didYouMean(nearest) ?? "add the entity '\(parent)', or remove 'parent'",
      edits: nearest.map { [missing.renamed($0)] } ?? [])
  }

  static func inheritanceCycle(_ names: [String]) -> Diagnostic {
    let chain = (names + [names[0]]).map { "'\($0)'" }.joined(separator: " > ")
    return Diagnostic(
      .inheritanceCycle, at: .entity(names[0]) / "parent", "'\(names[0])' inherits from itself: \(chain)",
      notes: names.dropFirst().map { Note("the cycle continues here", at: .entity($0) / "parent") },
      help: "remove the 'parent' of one of them")
  }

  static func inheritanceTooDeep(_ name: String) -> Diagnostic {
    Diagnostic(
      .inheritanceTooDeep, at: .entity(name) / "parent",
      "'\(name)' has more than \(ModelIndex.greatestDepth) ancestors",
      help: "let it inherit from an entity further up")
  }

  static func abstractWithoutSubEntity(_ name: String) -> Diagnostic {
    Diagnostic(
      .abstractWithoutSubEntity, at: .entity(name) / "abstract",
      "'\(name)' is abstract and no concrete entity inherits from it, so it can have no objects",
      help: "remove 'abstract', or add an entity with 'parent: \(name)'")
  }

  static func unknownConstraintProperty(
    _ name: String, of entity: String, question: String?
  ) -> Diagnostic {
    Diagnostic(
      .unknownConstraintProperty, at: .entity(entity) / "uniquenessConstraints" / name,
      "a uniqueness constraint of '\(entity)' names '\(name)', but the entity has no such property",
      help: question ?? "name an attribute or a to-one relationship")
  }

  fileprivate static func duplicateConstraint(
    _ names: [String], entity: String, path: ModelPath, other: ModelPath
  ) -> Diagnostic {
    let whole = names.map { "'\($0)'" }.joined(separator: " and ")
    return Diagnostic(
      .duplicateConstraint, at: path,
      "the uniqueness constraint of \(whole) of '\(entity)' is written twice",
      notes: other == path ? [] : [Note("the other one", at: other)],
      help: "remove it here, or name other properties")
  }

  fileprivate static func repeatedInConstraint(
    _ name: String, entity: String, path: ModelPath
  ) -> Diagnostic {
    Diagnostic(
      .duplicateConstraint, at: path, "a uniqueness constraint of '\(entity)' names '\(name)' twice",
      help: "name it once, or write the property that was meant")
  }

  fileprivate static func columnlessInConstraint(
    _ code: DiagnosticCode, _ name: String, of entity: String, fault: String, help: String
  ) -> Diagnostic {
    Diagnostic(
      code, at: .entity(entity) / "uniquenessConstraints" / name,
      "a uniqueness constraint of '\(entity)' names '\(name)', which is \(fault) and has no column",
      help: help)
  }
}
