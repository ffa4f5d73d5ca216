import Foundation
import MOCloneEngine
import MOCloneModel

/// A graph after a clone with names instead of keys, so that the work of two cloners on two stores can be compared.
///
/// An original is called by its entity and the order in which it was filled in, a clone by its original and the
/// number of the copy. UUIDs that no original holds are numbered in the order of these names.
public struct CanonicalGraph: Sendable, Equatable {
  /// The objects and what they hold, a line each, sorted by name.
  public private(set) var lines: [String] = []

  /// Reads a graph.
  ///
  /// - Parameters:
  ///   - graph: the graph after the clone.
  ///   - originals: the objects before the clone, in the order in which they were filled in.
  ///   - mapping: every original with its clones, the first copy's first.
  public init(_ graph: any ObjectGraph, originals: [ObjectID], mapping: [CloneResult.Pair]) throws {
    let snapshot = try GraphSnapshot(graph)
    var names: [ObjectID: String] = [:]
    for (i, id) in originals.enumerated() { names[id] = "\(id.entity)#\(i)" }
    var copies: [ObjectID: Int] = [:]
    for pair in mapping {
      copies[pair.original, default: 0] += 1
      names[pair.clone] = "\(names[pair.original] ?? "?") copy \(copies[pair.original]!)"
    }
    var uuids = NewUUIDs(
      known: originals.flatMap { snapshot.contents[$0].map { $0.attributes.values } ?? [:].values })
    let reader = Reader(
      model: graph.model, mapping: SchemaMapping(graph.model), names: names, contents: snapshot.contents)
    for id in snapshot.objects.sorted(by: { reader.name($0) < reader.name($1) }) {
      lines += reader.lines(of: id, snapshot.contents[id]!, &uuids)
    }
  }

  /// What one graph has and the other has not.
  public func differences(from other: CanonicalGraph) -> [String] {
    let own = Set(lines)
    let others = Set(other.lines)
    return lines.filter { !others.contains($0) }.map { "only here:  \($0)" }
      + other.lines.filter { !own.contains($0) }.map { "only there: \($0)" }
  }
}

/// Names for UUIDs that a clone made.
private struct NewUUIDs {
  private let known: Set<String>
  private var names: [String: String] = [:]

  init(known: some Sequence<String>) {
    self.known = Set(known)
  }

  /// A key that is a UUID as text.
  private func isKey(_ text: String) -> Bool {
    text.utf8.count == 38 && UUID(uuidString: String(text.dropFirst().dropLast())) != nil
  }

  mutating func name(_ text: String) -> String {
    guard text.hasPrefix("uuid(") || isKey(text), !known.contains(text) else { return text }
    if let name = names[text] { return name }
    names[text] = "new UUID \(names.count)"
    return names[text]!
  }
}

private struct Reader {
  let model: ObjectModel
  let mapping: SchemaMapping
  let names: [ObjectID: String]
  let contents: [ObjectID: GraphSnapshot.Content]

  /// An object that nobody gave a name is a fault of the cloner, which the comparison then shows.
  func name(_ id: ObjectID) -> String {
    names[id] ?? "stray \(id)"
  }

  func lines(of id: ObjectID, _ content: GraphSnapshot.Content, _ uuids: inout NewUUIDs) -> [String] {
    var lines = [name(id)]
    for (attribute, text) in content.attributes.sorted(by: { $0.key < $1.key }) {
      let isOwnKey = isOwnNumber(attribute, of: id.entity)
      let shown = isOwnKey ? "its key" : followedKey(attribute, of: id.entity, text) ?? uuids.name(text)
      lines.append("\(name(id)).\(attribute) = \(shown)")
    }
    for relationship in model.relationships(of: id.entity).sorted(by: { $0.name < $1.name }) {
      let destinations = (content.relationships[relationship.name] ?? []).map { name($0) }
      let shown = relationship.isOrdered ? destinations : destinations.sorted()
      lines.append("\(name(id)).\(relationship.name) = \(shown.joined(separator: ", "))")
    }
    return lines
  }

  /// The object whose number an attribute holds that follows a key by `Entity.attribute`.
  private func followedKey(_ name: String, of entity: String, _ text: String) -> String? {
    guard let path = model.attribute(name, of: entity)?.userInfo["followParent"]?.split(separator: "."),
      path.count == 2, isOwnNumber(String(path[1]), of: String(path[0]))
    else { return nil }
    let holders = contents.filter {
      model.isKind($0.key.entity, of: String(path[0])) && $0.value.attributes[String(path[1])] == text
    }
    // Numbers within the other parts of a key are no one's alone.
    let isAlone = mapping[String(path[0])].key.count == 1
    return holders.keys.first.map { isAlone ? "the key of \(self.name($0))" : "a number of \(path[0])" }
  }

  private func isOwnNumber(_ attribute: String, of entity: String) -> Bool {
    guard let part = mapping[entity].attributes[attribute]?.keyPart else { return false }
    switch mapping[entity].key[part].source {
    case .rowid, .max, .automatic: return true
    case .uuid, .relationship, .copied, .given: return false
    }
  }
}
