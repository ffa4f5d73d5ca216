import MOCloneEngine
import MOCloneModel

/// The attributes of one clone, in the order of precedence.
struct ReferenceValues {
  let writer: ReferenceWriter
  /// The clones made so far; those of an object's ancestors are among them.
  let clones: [ObjectID: ObjectID]
  private var graph: any ObjectGraph { writer.graph }
  private var rules: ReferenceRules { writer.rules }
  private var closure: ReferenceClosure { writer.closure }

  func values(of object: ObjectID) throws -> [String: AttributeValue] {
    var values: [String: AttributeValue] = [:]
    for (attribute, key) in attributes(of: object) {
      values[attribute.name] =
        if let key { try keyValue(key, attribute, object) } else { try value(of: attribute, object) }
    }
    return values
  }

  /// Refuses a clone without the ancestors it needs, before anything is made.
  ///
  /// - Throws: `CloneError` (`missing-ancestor`).
  func checkAncestors(of object: ObjectID) throws {
    for (attribute, key) in attributes(of: object) where key == nil { _ = try source(of: attribute, object) }
  }

  /// The stored attributes, and what makes those that are parts of a key; what triggers keep is left to its default.
  private func attributes(of object: ObjectID) -> [(AttributeDescription, KeyPart.Source?)] {
    let mapping = SchemaMapping(graph.model)[object.entity]
    return graph.model.attributes(of: object.entity).filter {
      !$0.isTransient && !$0.isKeptByTriggers
    }.map { attribute in
      let isGiven = object == closure.root && rules.isGiven(attribute.name)
      let part = isGiven ? nil : mapping.attributes[attribute.name]?.keyPart
      return (attribute, part.map { mapping.key[$0].source })
    }
  }

  /// Nil where the graph makes the part itself.
  private func keyValue(
    _ source: KeyPart.Source, _ attribute: AttributeDescription, _ object: ObjectID
  ) throws -> AttributeValue? {
    switch source {
    case .rowid, .max, .automatic: nil
    case .uuid: attribute.type == .uuid ? .uuid(writer.uuid()) : .string(writer.uuid().uuidString)
    case .relationship, .copied, .given: try graph.value(attribute.name, of: object)
    }
  }

  /// Where a clone's value comes from.
  private enum Source {
    case settled(AttributeValue)
    case own
    case ancestor(ObjectID, String)
  }

  private func value(of attribute: AttributeDescription, _ object: ObjectID) throws -> AttributeValue {
    switch try source(of: attribute, object) {
    case .settled(let value): return value
    case .own: return try ownValue(attribute, object)
    case .ancestor(let ancestor, let name):
      // Not made or not filled yet where its key is made of this object's: `followers` has the value then.
      let followed = try clones[ancestor].map { try graph.value(name, of: $0) }
      if let followed, !followed.isNull || attribute.isOptional { return followed }
      return try graph.value(attribute.name, of: object)
    }
  }

  /// The values of the attributes that follow an ancestor, when all clones are made.
  ///
  /// - Throws: `CloneError` (`required-left-empty`) where a required one follows nothing.
  func followers(of object: ObjectID) throws -> [String: AttributeValue] {
    var values: [String: AttributeValue] = [:]
    for (attribute, key) in attributes(of: object) where key == nil {
      guard case .ancestor(let ancestor, let name) = try source(of: attribute, object) else { continue }
      let value = try graph.value(name, of: clones[ancestor]!)
      if value.isNull, !attribute.isOptional {
        throw CloneError.requiredLeftEmpty(attribute.name, of: object)
      }
      values[attribute.name] = value
    }
    return values
  }

  private func source(of attribute: AttributeDescription, _ object: ObjectID) throws -> Source {
    let isRoot = object == closure.root
    if isRoot, rules.request.unset.contains(attribute.name) { return .settled(.null) }
    if isRoot, let given = rules.request.set[attribute.name] {
      return .settled(attribute.type.value(fitting: given) ?? .null)
    }
    let blank = attribute.defaultValue ?? .null
    if rules.isExcluded(attribute.name, attribute.userInfo, of: object.entity, isRoot: isRoot) {
      return .settled(blank)
    }
    guard let followed = rules.annotation(attribute, \.followParent) else { return .own }
    if let (ancestor, name) = ancestor(followed, attribute, object) { return .ancestor(ancestor, name) }
    switch rules.annotation(attribute, \.withoutParent)?.lowercased() {
    case "keep": return .own
    case "blank": return .settled(blank)
    default:
      throw CloneError(
        .missingAncestor, "'\(attribute.name)' of \(object) has no ancestor to follow",
        property: attribute.name, object: object)
    }
  }

  private func ownValue(_ attribute: AttributeDescription, _ object: ObjectID) throws -> AttributeValue {
    switch rules.annotation(attribute, \.rebuild)?.lowercased() {
    case "uuid": .uuid(writer.uuid())
    case "now": .date(writer.now)
    default: try graph.value(attribute.name, of: object)
    }
  }

  /// The nearest ancestor that has the attribute, nil where none has.
  private func ancestor(
    _ text: String, _ attribute: AttributeDescription, _ object: ObjectID
  ) -> (ObjectID, String)? {
    let parts = text.split(separator: ".", maxSplits: 1).map(String.init)
    var next = closure.parent[object]
    while let ancestor = next {
      let isNamed = parts.count == 1 || graph.model.isKind(ancestor.entity, of: parts[0])
      if isNamed, let found = graph.model.attribute(parts.last!, of: ancestor.entity),
        found.type == attribute.type, !found.isTransient
      {
        return (ancestor, found.name)
      }
      next = closure.parent[ancestor]
    }
    return nil
  }
}
