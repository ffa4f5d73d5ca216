import MOCloneModel

/// What identifies the objects of an entity, in every store the same: unlike a key, which belongs to one store.
public struct Identity: Sendable, Hashable {
  /// The entity asked for.
  public let entity: String
  /// The entity among whose objects an identity is unique: the one that declares the uniqueness constraint, or the
  /// entity itself where a call names what identifies it.
  public let scope: String
  /// The parts that together identify an object.
  public let paths: [IdentityPath]

  /// Creates an identity from parts that are read at objects of the scope.
  public init(entity: String, scope: String, paths: [IdentityPath]) {
    self.entity = entity
    self.scope = scope
    self.paths = paths
  }
}

/// One part of an identity: an attribute, or a to-one relationship's destination, over to-one relationships.
public struct IdentityPath: Sendable, Hashable, CustomStringConvertible {
  /// The to-one relationships that lead there.
  public let steps: [RelationshipDescription]
  /// Nil where the object that the steps lead to is itself the part.
  public let attribute: AttributeDescription?

  /// Creates a path; without an attribute, the object that the last step leads to is the part.
  public init(steps: [RelationshipDescription], attribute: AttributeDescription?) {
    self.steps = steps
    self.attribute = attribute
  }

  /// The path as people write it: `article.name`.
  public var description: String {
    (steps.map(\.name) + [attribute?.name].compactMap { $0 }).joined(separator: ".")
  }
}

/// What one object holds for one part of its identity.
public enum IdentityPart: Sendable, Hashable, CustomStringConvertible {
  /// The value of an attribute.
  case value(AttributeValue)
  /// The object that to-one relationships lead to.
  case object(ObjectID)

  /// Whether the part identifies nothing: null, or an empty text.
  public var isEmpty: Bool {
    switch self {
    case .value(.null), .value(.string("")): true
    case .value, .object: false
    }
  }

  public var description: String {
    switch self {
    case .value(let value): "'\(value)'"
    case .object(let object): "\(object)"
    }
  }
}

extension Identity {
  /// `'Milk', '1 l'`
  static func text(_ key: [IdentityPart]) -> String {
    key.map(\.description).joined(separator: ", ")
  }

  /// A key as it is told to people.
  func shown(_ key: [IdentityPart], in mapping: SchemaMapping) -> [IdentityPart] {
    zip(paths, key).map { path, part in
      let entity = path.steps.last?.destination ?? scope
      guard case .value(let value) = part, let attribute = path.attribute,
        let column = mapping[entity].attributes[attribute.name]
      else { return part }
      return .value(column.shown(value))
    }
  }

  /// `name, article.name`
  public var names: String { paths.map(\.description).joined(separator: ", ") }

  /// The command that merges the objects that share it.
  package var merging: String {
    "moclone dedupe \(scope) --by \(paths.map(\.description).joined(separator: ","))"
  }
}
