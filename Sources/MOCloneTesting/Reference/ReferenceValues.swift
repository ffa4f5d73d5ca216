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
    let mapping = SchemaMapping(graph.model)[object.entity]
    var values: [String: AttributeValue] = [:]
    for attribute in graph.model.attributes(of: object.entity) where !attribute.isTransient {
      let name = attribute.name
      if let part = mapping.attributes[name]?.keyPart, !(object == closure.root && rules.isGiven(name)) {
        values[name] = try keyValue(mapping.key[part].source, attribute, object)
      } else {
        values[name] = try value(of: attribute, object)
      }
    }
    return values
  }

  /// Nil where the graph makes the part itself.
  private func keyValue(
    _ source: KeyPart.Source, _ attribute: AttributeDescription, _ object: ObjectID
  ) throws -> AttributeValue? {
    switch source {
    case .rowid, .automatic: nil
    case .uuid: attribute.type == .uuid ? .uuid(writer.uuid()) : .string(writer.uuid().uuidString)
    case .relationship, .copied, .given: try graph.value(attribute.name, of: object)
    }
  }

  private func value(of attribute: AttributeDescription, _ object: ObjectID) throws -> AttributeValue {
    let isRoot = object == closure.root
    if isRoot, rules.request.unset.contains(attribute.name) { return .null }
    if isRoot, let given = rules.request.set[attribute.name] {
      return attribute.type.value(fitting: given) ?? .null
    }
    let blank = attribute.defaultValue ?? .null
    if rules.isExcluded(attribute.name, attribute.userInfo, of: object.entity, isRoot: isRoot) {
      return blank
    }
    guard let followed = rules.annotation(attribute, \.followParent) else {
      return try ownValue(attribute, object)
    }
    if let value = try followedValue(followed, attribute, object) { return value }
    switch rules.annotation(attribute, \.withoutParent)?.lowercased() {
    case "keep": return try ownValue(attribute, object)
    case "blank": return blank
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

  /// The value in the clone of the nearest ancestor that has the attribute, nil where none has.
  private func followedValue(
    _ text: String, _ attribute: AttributeDescription, _ object: ObjectID
  ) throws -> AttributeValue? {
    let parts = text.split(separator: ".", maxSplits: 1).map(String.init)
    var next = closure.parent[object]
    while let ancestor = next {
      let isNamed = parts.count == 1 || graph.model.isKind(ancestor.entity, of: parts[0])
      if isNamed, let found = graph.model.attribute(parts.last!, of: ancestor.entity),
        found.type == attribute.type, !found.isTransient
      {
        return try graph.value(found.name, of: clones[ancestor]!)
      }
      next = closure.parent[ancestor]
    }
    return nil
  }
}
