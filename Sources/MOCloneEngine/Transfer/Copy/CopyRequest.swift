import MOCloneModel

/// What is copied from one store into another, and how.
///
/// ```swift
/// let request = CopyRequest(entities: ["Customer"], identifiedBy: ["Customer": ["code"]], exclude: ["notes"])
/// let report = try target.copy(from: source, request)
/// ```
public struct CopyRequest: Sendable, Equatable {
  /// What comes along with the objects that are named.
  public enum Follow: String, Sendable, CaseIterable {
    /// What they own, over to-many and one-to-one relationships, and what all of these refer to.
    case owned
    /// Everything that they are related to, in every direction.
    case all
  }

  /// The entities whose objects are copied, with what they own and refer to; empty stands for all.
  public var entities: [String]
  /// What identifies entities, in place of their first uniqueness constraint.
  public var identifiedBy: IdentityRequest
  /// Attributes that are left out, and relationships, each with its inverse; may be `Entity.name`. What an object requires or
  /// is identified by is formed between objects that come along all the same.
  public var exclude: [String]
  /// Whether the to-one relationships of existing objects are set as in the source, and their lists take the order of the
  /// source. A null of the source is taken over only if neither side is required. Relationships that are null in the target
  /// are set in any case.
  public var overwrites: Bool
  /// Whether objects of the source with one identity become one: the first by key counts, all others' relationships to
  /// many are added to it. They are refused otherwise.
  public var joinsDuplicates: Bool
  /// What the objects of the named entities must hold.
  public var filters: [CopyFilter]
  /// How many objects of each named entity are copied, the first by key.
  public var limit: Int?
  /// What comes along with the objects of the named entities.
  public var follow: Follow

  /// Creates a request; by default all objects of all entities are copied.
  public init(
    entities: [String] = [], identifiedBy: IdentityRequest = [:], exclude: [String] = [],
    overwrites: Bool = false, joinsDuplicates: Bool = false, filters: [CopyFilter] = [], limit: Int? = nil,
    follow: Follow = .owned
  ) {
    self.entities = entities
    self.identifiedBy = identifiedBy
    self.exclude = exclude
    self.overwrites = overwrites
    self.joinsDuplicates = joinsDuplicates
    self.filters = filters
    self.limit = limit
    self.follow = follow
  }
}

/// A value that the copied objects of an entity have in an attribute.
public struct CopyFilter: Sendable, Equatable {
  /// The entity whose objects the filter limits; its sub-entities are limited too.
  public var entity: String
  /// The attribute that is compared.
  public var attribute: String
  /// The value that the objects must have there.
  public var value: AttributeValue

  /// Creates a filter; whether the model has such an attribute is checked when the copy begins.
  public init(_ entity: String, _ attribute: String, _ value: AttributeValue) {
    self.entity = entity
    self.attribute = attribute
    self.value = value
  }

  /// Reads `ENTITY:attr=value`. A value is not empty: nothing equals null or an empty text.
  ///
  /// - Throws: `CloneError` (`invalid-value`).
  public init(text: String) throws {
    let equals = text.firstIndex(of: "=")
    guard let equals, let colon = text[..<equals].firstIndex(of: ":"), colon > text.startIndex,
      text.index(after: colon) < equals, text.index(after: equals) < text.endIndex
    else {
      throw CloneError(
        .invalidValue, "'--where \(text)' is not valid",
        help: "expected ENTITY:attr=value, with a value that is not empty")
    }
    self.init(
      String(text[..<colon]), String(text[text.index(after: colon)..<equals]),
      .string(String(text[text.index(after: equals)...])))
  }
}
