import MOCloneEngine
import MOCloneModel

/// Everything a graph holds, read through its protocol: a value that can be compared and printed.
///
/// ```swift
/// let before = try GraphSnapshot(graph)
/// try graph.rollback()
/// #expect(try GraphSnapshot(graph).differences(from: before) == [])
/// ```
public struct GraphSnapshot: Sendable, Equatable {
  /// The objects by entity and key, in the order of the model and of their keys.
  public private(set) var objects: [ObjectID] = []
  /// What each of the objects holds.
  public private(set) var contents: [ObjectID: Content] = [:]

  /// What one object holds.
  public struct Content: Sendable, Equatable {
    /// Values as text that tells every two values apart.
    public var attributes: [String: String] = [:]
    /// Destinations in order where the relationship is ordered, else by key.
    public var relationships: [String: [ObjectID]] = [:]
  }

  /// Reads a graph.
  ///
  /// - Throws: what the graph throws. Every object, attribute and relationship is one call.
  public init(_ graph: any ObjectGraph) throws {
    let model = graph.model
    for entity in model.entities where entity.parent == nil {
      for id in try graph.objectIDs(entity.name) {
        objects.append(id)
        contents[id] = try Content(of: id, in: graph)
      }
    }
  }

  /// What is different from an earlier snapshot, a line each.
  public func differences(from old: GraphSnapshot) -> [String] {
    let gone = old.objects.filter { contents[$0] == nil }.map { "\($0) is gone" }
    return gone
      + objects.flatMap { id -> [String] in
        guard let before = old.contents[id], let now = contents[id] else { return ["\(id) is new"] }
        return now.differences(from: before).map { "\(id)\($0)" }
      }
  }

  /// What a clone changed of the objects that were there before; members gained in a to-many are no change.
  ///
  /// - Parameters:
  ///   - old: what was there before.
  ///   - model: the model of the objects.
  ///   - given: names of relationships that the request itself changes, on either side.
  public func changedOriginals(
    since old: GraphSnapshot, model: ObjectModel, given: Set<String> = []
  ) -> [String] {
    old.objects.flatMap { id -> [String] in
      guard let before = old.contents[id], var now = contents[id] else { return ["\(id) is gone"] }
      for relationship in model.relationships(of: id.entity)
      where relationship.isToMany || given.contains(relationship.name) {
        now.relationships[relationship.name]?.removeAll { old.contents[$0] == nil }
      }
      return now.differences(from: before).map { "\(id)\($0)" }
    }
  }
}

extension GraphSnapshot.Content {
  init(of id: ObjectID, in graph: any ObjectGraph) throws {
    for attribute in graph.model.attributes(of: id.entity) where !attribute.isTransient {
      attributes[attribute.name] = try graph.value(attribute.name, of: id).exactText
    }
    for relationship in graph.model.relationships(of: id.entity) {
      relationships[relationship.name] = try graph.destinations(relationship.name, of: id)
    }
  }

  func differences(from old: Self) -> [String] {
    let names = Set(attributes.keys).union(old.attributes.keys).sorted()
    let values = names.filter { attributes[$0] != old.attributes[$0] }.map {
      ".\($0): \(old.attributes[$0] ?? "nothing") became \(attributes[$0] ?? "nothing")"
    }
    let lists = Set(relationships.keys).union(old.relationships.keys).sorted()
    return values
      + lists.filter { relationships[$0] != old.relationships[$0] }.map {
        ".\($0): \(old.relationships[$0] ?? []) became \(relationships[$0] ?? [])"
      }
  }
}

extension GraphSnapshot: CustomStringConvertible {
  public var description: String {
    objects.map { id in
      let content = contents[id]!
      let values = content.attributes.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
      let lists = content.relationships.sorted { $0.key < $1.key }.filter { !$0.value.isEmpty }
        .map { "\($0.key)=\($0.value)" }
      return "\(id): " + (values + lists).joined(separator: " ")
    }.joined(separator: "\n")
  }
}

extension AttributeValue {
  /// The value and its type as text that is different for every two different values, -0 and 0 included.
  public var exactText: String {
    switch self {
    case .null: "null"
    case .bool(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .double(let value): "double(\(value))"
    case .decimal(let value): "decimal(\(value))"
    case .string(let value): "'\(value)'"
    case .date(let value): "date(\(value.timeIntervalSinceReferenceDate))"
    case .uuid(let value): "uuid(\(value.uuidString))"
    case .binary(let value): "binary(\(value.base64EncodedString()))"
    }
  }
}
