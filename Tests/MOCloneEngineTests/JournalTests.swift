import Foundation
import MOCloneEngine
import MOCloneModel
import MOCloneTesting
import Testing

/// Whatever is done to a graph, rollback gives the graph of the last save.
struct JournalTests {
  @Test(arguments: 0..<60 as Range<UInt64>)
  func rollbackRestoresTheLastSave(seed: UInt64) throws {
    let graph = MemoryGraph(model: try RandomModel.make(seed: seed))
    var objects = try RandomGraph.fill(graph, seed: seed)
    var random = SplitMix64(seed: seed)
    let saved = try GraphSnapshot(graph)
    for _ in 0..<3 {
      for _ in 0..<40 { try change(graph, &objects, &random) }
      try graph.rollback()
      #expect(try GraphSnapshot(graph).differences(from: saved) == [])
      objects = saved.objects
    }
  }

  @Test(arguments: 0..<60 as Range<UInt64>)
  func anOperationThatThrowsChangesNothing(seed: UInt64) throws {
    let graph = MemoryGraph(model: try RandomModel.make(seed: seed))
    var objects = try RandomGraph.fill(graph, seed: seed)
    var random = SplitMix64(seed: seed)
    for _ in 0..<30 {
      let before = try GraphSnapshot(graph)
      if try !change(graph, &objects, &random) {
        #expect(try GraphSnapshot(graph).differences(from: before) == [])
      }
    }
  }

  /// Does something at random; returns false where the graph refuses it.
  @discardableResult
  private func change(
    _ graph: MemoryGraph, _ objects: inout [ObjectID], _ random: inout SplitMix64
  ) throws -> Bool {
    guard let object = objects.randomElement(using: &random) else { return true }
    do {
      switch Int.random(in: 0..<5, using: &random) {
      case 0: objects.append(try graph.insertObject(object.entity, key: nil, values: [:]))
      case 1: try setValue(of: object, graph, &random)
      case 2: try setDestinations(of: object, graph, objects, &random)
      case 3:
        try graph.delete(object)
        objects = try GraphSnapshot(graph).objects
      default:
        let plan = try ClonePlan(model: graph.model, entity: object.entity)
        let result = try graph.run(plan, roots: [object], options: CloneOptions(), saves: false)
        objects += result.roots
      }
      return true
    } catch is CloneError {
      return false
    }
  }

  private func setValue(of object: ObjectID, _ graph: MemoryGraph, _ random: inout SplitMix64) throws {
    let attributes = graph.model.attributes(of: object.entity)
    guard let attribute = attributes.randomElement(using: &random) else { return }
    let value: AttributeValue =
      switch attribute.type {
      case .string: .string("changed \(Int.random(in: 0..<9, using: &random))")
      case .uuid: .uuid(UUID())
      default: .null
      }
    try graph.setValue(value, for: attribute.name, of: object)
  }

  private func setDestinations(
    of object: ObjectID, _ graph: MemoryGraph, _ objects: [ObjectID], _ random: inout SplitMix64
  ) throws {
    let relationships = graph.model.relationships(of: object.entity)
    guard let relationship = relationships.randomElement(using: &random) else { return }
    let fitting = objects.filter { graph.model.isKind($0.entity, of: relationship.destination) }
    let count = relationship.isToMany ? Int.random(in: 0...4, using: &random) : 1
    let chosen = Array(fitting.shuffled(using: &random).prefix(count))
    try graph.setDestinations(chosen, relationship.name, of: object)
  }
}
