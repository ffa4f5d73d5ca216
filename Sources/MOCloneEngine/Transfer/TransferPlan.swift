import MOCloneModel

/// What a transfer stages before it writes: rows by entity, with the values and references that its source gives.
///
/// A pure value. Its entities stand in an order in which what one is identified by comes before it.
public struct TransferPlan: Sendable {
  /// The rows of one concrete entity.
  public struct Entity: Sendable {
    /// The name of the concrete entity.
    public var name: String
    /// Nil where every row makes an object.
    public var identity: Identity?
    /// The attributes that rows give, in the order of a row's values.
    public var attributes: [AttributeDescription]
    /// The references that rows hold, in the order of a row's references.
    public var references: [Reference]
    /// Whether rows of several kinds mean its objects, so that one can be mentioned before its own row comes.
    public var isMentioned = false
    /// Required properties that the mapping does not give to every row, so that only objects which exist can do without;
    /// a sink is told of those that some row leaves out.
    public var missing: [String]
    /// What objects that exist already can take of their rows, by name.
    package var overwritten: Set<String> = []
    /// Those of them that a copy does not give to an object where another one has them or would get them.
    package var unique: Set<String> = []
    /// Paths of the identity whose ends rows give themselves, so that no reference need lead there.
    package var givenPaths: Set<String> = []

    /// Creates an entity of a plan; by default its rows give nothing.
    public init(
      name: String, identity: Identity?, attributes: [AttributeDescription] = [],
      references: [Reference] = [],
      missing: [String] = []
    ) {
      self.name = name
      self.identity = identity
      self.attributes = attributes
      self.references = references
      self.missing = missing
    }
  }

  /// A reference that lies in an entity's row, to a row staged before.
  public struct Reference: Sendable {
    /// The relationship that the reference stores.
    public var relationship: RelationshipDescription
    /// Whether the relationship is the row's own; else it is that of the destination, and leads to the row.
    public var isForward: Bool
    /// The number of the entity that it leads to.
    public var destination: Int

    /// Creates a reference of a plan.
    public init(relationship: RelationshipDescription, isForward: Bool, destination: Int) {
      self.relationship = relationship
      self.isForward = isForward
      self.destination = destination
    }
  }

  /// A relationship that lies in no row.
  public struct JoinRows: Sendable {
    /// The relationship whose pairs are staged.
    public var relationship: RelationshipDescription
    /// The number of the entity in the plan whose rows the pairs begin at.
    public var source: Int
    /// The number of the entity in the plan whose rows the pairs end at.
    public var destination: Int

    /// Creates the pairs of a relationship between two entities of a plan.
    public init(relationship: RelationshipDescription, source: Int, destination: Int) {
      self.relationship = relationship
      self.source = source
      self.destination = destination
    }
  }

  /// The model of the graph that the rows come into.
  public let model: ObjectModel
  /// The entities of the rows, each after those that it is identified by.
  public var entities: [Entity]
  /// The relationships that lie in no row, which a sink knows by their position here.
  public var joinRows: [JoinRows]
}

extension TransferPlan.Entity {
  /// The place of the reference that is a relationship of the row itself.
  public func reference(_ relationship: RelationshipDescription) -> Int? {
    references.firstIndex { $0.isForward && $0.relationship.name == relationship.name }
  }

  /// The position of an attribute in a row's values; nil where rows do not give it.
  public func attribute(_ name: String) -> Int? {
    attributes.firstIndex { $0.name == name }
  }

  /// The attributes and references that identify the objects, which no update changes.
  public var identifying: Set<String> {
    Set((identity?.paths ?? []).map { $0.steps.first?.name ?? $0.attribute!.name })
  }
}

extension TransferPlan.Reference {
  /// What the row's entity calls the reference; where only its destination knows of it, what that calls it.
  package var name: String { isForward ? relationship.name : relationship.qualifiedName }
}
