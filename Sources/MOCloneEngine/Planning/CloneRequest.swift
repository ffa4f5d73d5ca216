import MOCloneModel

/// What a clone is asked for beyond the rules of the model.
///
/// ```swift
/// let request = CloneRequest(exclude: ["memos"], count: 3, set: ["name": "Copy"])
/// ```
public struct CloneRequest: Sendable, Hashable {
  /// Relationships or attributes left out along the whole chain: a name, or `Entity.name`.
  public var exclude: [String]
  /// The same, for the root only.
  public var excludeAtRoot: [String]
  /// How many copies of each root are made: 1 to ``mostCopies``.
  public var count: Int
  /// No store holds more, so sums of rows always fit into a number.
  public static let mostCopies = 1_000_000_000
  /// Values of the root's attributes and, by key, of its to-one relationships; they win over every annotation.
  public var set: [String: AttributeValue]
  /// Attributes and to-one relationships of the root that become null.
  public var unset: [String]
  /// Names of the annotation keys, where they are not the model's.
  public var annotationKeys: AnnotationKeys?
  /// Whether the plan is for a subtree that keeps its keys and values, so that nothing needs an ancestor to follow; set by
  /// the request of the way into another graph.
  package var keepsValues = false

  /// Creates a request; every parameter has the default that changes nothing.
  public init(
    exclude: [String] = [], excludeAtRoot: [String] = [], count: Int = 1,
    set: [String: AttributeValue] = [:], unset: [String] = [], annotationKeys: AnnotationKeys? = nil
  ) {
    self.exclude = exclude
    self.excludeAtRoot = excludeAtRoot
    self.count = count
    self.set = set
    self.unset = unset
    self.annotationKeys = annotationKeys
  }
}

extension CloneRequest {
  /// What to do where a unique value that is set in new roots is taken, be it by one of them.
  package var adviceOnGivenValues: String {
    "set another value, and clone one root at a time" + (count > 1 ? ", without --count" : "")
  }
}
