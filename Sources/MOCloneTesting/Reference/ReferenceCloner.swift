import Foundation
import MOCloneEngine
import MOCloneModel

/// A cloner written for plainness: object by object, through the public calls of a graph alone.
///
/// It reads the annotations of the model itself and knows no plan, so that it can bear witness against the
/// executors. It is slow, and no part of a store should use it.
///
/// ```swift
/// let expected = try ReferenceCloner(generator: fixedGenerator()).clone(note.id, in: graph)
/// ```
public struct ReferenceCloner {
  /// The source of new UUIDs and of the instant.
  public var generator: ValueGenerator
  /// Whether the rows of a database could hold the clones, or they are refused; a graph in memory holds them all.
  public var checksColumns: Bool

  /// A cloner for graphs in memory or, with `checksColumns`, for those of databases.
  public init(generator: ValueGenerator = .system, checksColumns: Bool = false) {
    self.generator = generator
    self.checksColumns = checksColumns
  }

  /// Clones an object; the mapping is always kept.
  ///
  /// - Throws: `CloneError`; the graph is then as it was at its last save, and a clone that succeeds is saved.
  public func clone(
    _ root: ObjectID, request: CloneRequest = CloneRequest(), in graph: any ObjectGraph
  ) throws -> CloneResult {
    let rules = ReferenceRules(model: graph.model, request: request)
    do {
      let closure = try ReferenceClosure(root: root, rules: rules, graph: graph)
      let writer = ReferenceWriter(
        graph: graph, closure: closure, rules: rules, now: generator.now(), uuid: generator.uuid)
      let result = try writer.write()
      if checksColumns { try ReferenceColumns(graph).check(result.mapping.map(\.clone)) }
      try graph.save()
      return result
    } catch {
      try graph.rollback()
      throw error
    }
  }
}

/// What becomes of a property, read off the annotations.
struct ReferenceRules {
  let model: ObjectModel
  let request: CloneRequest
  private var keys: AnnotationKeys { request.annotationKeys ?? model.userInfoKeys }

  enum Rule: Int, Comparable {
    /// In the order of their strength, where an object was reached in several ways.
    case clone, link, incoming, exclude

    static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
  }

  /// The rule of a relationship, seen from an object that was reached over another one, nil for the root.
  func rule(
    of relationship: RelationshipDescription, from entity: String, accessPath: RelationshipDescription?
  ) -> Rule {
    let isRoot = accessPath == nil
    if isExcluded(relationship.name, relationship.userInfo, of: entity, isRoot: isRoot) { return .exclude }
    if isRoot, isGiven(relationship.name) { return .exclude }
    let inverse = model.inverse(of: relationship)
    if let accessPath, let inverse, inverse.name == accessPath.name, inverse.entity == accessPath.entity {
      return .incoming
    }
    switch relationship.userInfo["onClone"]?.lowercased() {
    case "clone": return .clone
    case "link": return .link
    default: return inverse?.isToMany == true ? .link : .clone
    }
  }

  /// Whether the call says what the root holds in a property.
  func isGiven(_ name: String) -> Bool {
    request.set[name] != nil || request.unset.contains(name)
  }

  func isExcluded(_ name: String, _ userInfo: [String: String], of entity: String, isRoot: Bool) -> Bool {
    if userInfo[keys.exclude] != nil { return true }
    let names = request.exclude + (isRoot ? request.excludeAtRoot : [])
    return names.contains { text in
      let parts = text.split(separator: ".", maxSplits: 1).map(String.init)
      return parts.count == 1 ? parts[0] == name : parts[1] == name && model.isKind(entity, of: parts[0])
    }
  }

  func annotation(_ attribute: AttributeDescription, _ key: KeyPath<AnnotationKeys, String>) -> String? {
    attribute.userInfo[keys[keyPath: key]]
  }

  /// Whether linking an object outside by this relationship leaves that object as it is, save for a new member.
  func isLinkable(_ relationship: RelationshipDescription) -> Bool {
    if let inverse = model.inverse(of: relationship) { return inverse.isToMany }
    // Without inverse a to-many is a foreign key in the destination, unless it has a table of its own.
    return !relationship.isToMany || relationship.joinTable != nil
  }
}
