import MOCloneEngine
import MOCloneModel

/// A small graph as a value: it can be made at random, made smaller, compared and told.
public struct SampleGraph: Sendable, Equatable {
  /// One object and its values.
  public struct Object: Sendable, Equatable, Identifiable {
    /// The number that links name the object by, kept where the graph is made smaller.
    public var id: Int
    /// The concrete entity.
    public var entity: String
    /// The values of stored attributes by name; what is absent has its default.
    public var values: [String: AttributeValue]
  }

  /// One object linked to another one.
  public struct Link: Sendable, Hashable {
    /// The relationship as `Entity.name`: of a relationship and its inverse always the same one.
    public var relationship: String
    /// The object that has the relationship.
    public var source: Int
    /// The object that it leads to.
    public var destination: Int
  }

  /// In the order in which they are inserted.
  public internal(set) var objects: [Object] = []
  /// In the order in which they are in lists.
  public internal(set) var links: [Link] = []

  /// The object of a number.
  public subscript(id: Int) -> Object? { objects.first { $0.id == id } }

  /// The graph without some objects and their links.
  func without(_ ids: Set<Int>) -> SampleGraph {
    var copy = self
    copy.objects.removeAll { ids.contains($0.id) }
    copy.links.removeAll { ids.contains($0.source) || ids.contains($0.destination) }
    return copy
  }
}

/// What the objects of a sample graph are linked to, looked up by object and kind of link.
struct SampleLinks {
  private var destinations: [Key: [Int]] = [:]
  private var sources: [Key: [Int]] = [:]

  private struct Key: Hashable {
    var object: Int
    var kind: String
  }

  init(_ graph: SampleGraph) {
    for link in graph.links {
      destinations[Key(object: link.source, kind: link.relationship), default: []].append(link.destination)
      sources[Key(object: link.destination, kind: link.relationship), default: []].append(link.source)
    }
  }

  func destinations(of object: Int, over kind: LinkKind) -> [Int] {
    destinations[Key(object: object, kind: kind.name)] ?? []
  }

  func sources(of object: Int, over kind: LinkKind) -> [Int] {
    sources[Key(object: object, kind: kind.name)] ?? []
  }
}
