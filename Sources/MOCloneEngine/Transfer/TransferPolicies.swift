/// What happens to an existing object when its values are given again.
public enum ExistingPolicy: String, Sendable, Codable, CaseIterable {
  /// It stays as it is.
  case keep
  /// It takes the values given.
  case update
  /// It takes the values given where it has none.
  case fill
}

/// What becomes of a reference to an object outside the subtree that another store does not have.
public enum MissingPolicy: String, Sendable, Codable, CaseIterable {
  /// The operation is refused, with all of them.
  case fail
  /// The reference is left empty.
  case null
  /// The object is made, with what it requires and nothing else.
  case create
}
