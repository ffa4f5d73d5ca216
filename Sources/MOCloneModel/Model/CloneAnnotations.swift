/// The names of the four annotation keys in `userInfo`, where a project already uses one of these words.
public struct AnnotationKeys: Sendable, Hashable, Codable {
  /// The key that leaves a property out of clones; `exclude` by default.
  public var exclude: String
  /// The key that produces a new value; `rebuild` by default.
  public var rebuild: String
  /// The key that takes the value of an ancestor; `followParent` by default.
  public var followParent: String
  /// The key for objects without such an ancestor; `withoutParent` by default.
  public var withoutParent: String

  /// Creates the names of the keys; each parameter has its usual name as the default.
  public init(
    exclude: String = "exclude", rebuild: String = "rebuild", followParent: String = "followParent",
    withoutParent: String = "withoutParent"
  ) {
    self.exclude = exclude
    self.rebuild = rebuild
    self.followParent = followParent
    self.withoutParent = withoutParent
  }

  /// The usual names: `exclude`, `rebuild`, `followParent` and `withoutParent`.
  public static let `default` = AnnotationKeys()

  /// The key of our own annotation of relationships, which has no other name.
  public static let onClone = "onClone"
}

/// What an attribute with `followParent` gets where no ancestor has the followed one.
package enum ParentFallback: String, Sendable, Hashable, Codable, CaseIterable {
  /// What the attribute would get without `followParent`
  case keep
  /// The default, else null
  case blank
}

/// Whether the destinations of a relationship are cloned or linked, where the annotation `onClone` says so.
package enum OnClone: String, Sendable, Hashable, Codable, CaseIterable {
  case clone, link
}

/// The attribute that a `followParent` names: `id`, or `Note.id`.
package struct FollowedAttribute: Sendable, Hashable {
  /// The entity that the ancestor must be, sub-entities included; nil for any.
  package var entity: String?
  package var attribute: String

  package init(_ text: String) {
    if let dot = text.firstIndex(of: ".") {
      entity = String(text[..<dot])
      attribute = String(text[text.index(after: dot)...])
    } else {
      attribute = text
    }
  }
}

/// The annotations of one attribute or relationship, read from its `userInfo`.
///
/// Values are matched without case; one that is unknown reads as absent here and is an error of the validator.
package struct CloneAnnotations: Sendable, Hashable {
  package var isExcluded: Bool
  package var rebuild: RebuildRule?
  package var followParent: FollowedAttribute?
  package var withoutParent: ParentFallback?
  package var onClone: OnClone?

  package init(userInfo: [String: String], keys: AnnotationKeys = .default) {
    isExcluded = userInfo[keys.exclude] != nil
    rebuild = userInfo[keys.rebuild].flatMap { RebuildRule(rawValue: $0.lowercased()) }
    followParent = userInfo[keys.followParent].map { FollowedAttribute($0) }
    withoutParent = userInfo[keys.withoutParent].flatMap { ParentFallback(rawValue: $0.lowercased()) }
    onClone = userInfo[AnnotationKeys.onClone].flatMap { OnClone(rawValue: $0.lowercased()) }
  }
}
