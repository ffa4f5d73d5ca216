import MOCloneEngine
import MOCloneModel

/// A sample graph in memory, where it can be cloned and read again.
final class SampleStore {
  let model: SampleModel
  let graph: MemoryGraph
  /// What was put in.
  let before: SampleGraph
  private var ids: [Int: ObjectID] = [:]
  private var numbers: [ObjectID: Int] = [:]

  /// - Throws: `CloneError` where the graph in memory refuses a value.
  init(_ sample: SampleGraph, model: SampleModel, in emptyGraph: MemoryGraph) throws {
    self.model = model
    graph = emptyGraph
    before = sample
    let links = SampleLinks(sample)
    let missing = try sample.objects.flatMap { try insert($0, links: links) }
    let order = Set(missing)
    for link in sample.links where order.contains(link) { try add(link) }
    try graph.save()
  }

  func id(of number: Int) -> ObjectID { ids[number]! }

  func number(of id: ObjectID) -> Int? { numbers[id] }

  /// Inserts an object with those of its to-one links that lead to earlier objects.
  ///
  /// - Returns: its other links.
  private func insert(_ object: SampleGraph.Object, links: SampleLinks) throws -> [SampleGraph.Link] {
    var values = object.values
    var missing: [SampleGraph.Link] = []
    for end in model.ends(of: object.entity) where end.isSource {
      for destination in links.destinations(of: object.id, over: end.kind) {
        if let id = ids[destination], !end.relationship.isToMany {
          values[end.relationship.name] = id.key.parts[0]
        } else {
          missing.append(
            SampleGraph.Link(relationship: end.kind.name, source: object.id, destination: destination))
        }
      }
    }
    let id = try graph.insertObject(object.entity, key: nil, values: values)
    ids[object.id] = id
    numbers[id] = object.id
    return missing
  }

  private func add(_ link: SampleGraph.Link) throws {
    let name = model.kind(of: link).relationship.name
    try graph.addDestination(id(of: link.destination), to: name, of: id(of: link.source))
  }

  /// Everything that the graph holds now; objects that were not there before get the next numbers, by entity and key.
  func read() throws -> SampleGraph {
    var found: [SampleGraph.Object] = []
    var next = (before.objects.map(\.id).max() ?? 0) + 1
    for entity in model.model.entities where entity.parent == nil {
      for id in try graph.objectIDs(entity.name) {
        if numbers[id] == nil {
          numbers[id] = next
          ids[next] = id
        }
        next = max(next, numbers[id]! + 1)
        found.append(try object(id))
      }
    }
    return SampleGraph(objects: found, links: try found.flatMap(links))
  }

  private func object(_ id: ObjectID) throws -> SampleGraph.Object {
    var values: [String: AttributeValue] = [:]
    for attribute in model.written(id.entity) {
      values[attribute.name] = try graph.value(attribute.name, of: id)
    }
    return SampleGraph.Object(id: numbers[id]!, entity: id.entity, values: values)
  }

  private func links(from object: SampleGraph.Object) throws -> [SampleGraph.Link] {
    try model.ends(of: object.entity).filter(\.isSource).flatMap { end in
      try graph.destinations(end.relationship.name, of: id(of: object.id)).map {
        SampleGraph.Link(relationship: end.kind.name, source: object.id, destination: numbers[$0]!)
      }
    }
  }

  /// Forgets the numbers of objects that are gone after a rollback.
  func rollback() throws {
    try graph.rollback()
    let kept = Set(before.objects.map(\.id))
    for (number, id) in ids where !kept.contains(number) {
      ids[number] = nil
      numbers[id] = nil
    }
  }
}
