import MOCloneEngine
import MOCloneKit
import MOCloneTesting
import TestSupport
import Testing

@Suite("Objects that are read by sets, held against those that are read one by one")
struct SetReadingTests {
  @Test(
    "They hold the same values, and the same destinations in the same order",
    arguments: Seeds.all(0..<40, long: 0..<1_000))
  func objects(seed: UInt64) throws {
    let graph = try SQLiteGraph.temporary(RandomModel.make(seed: seed))
    let objects = try RandomGraph.fill(graph, seed: seed)
    for entity in graph.model.entities {
      let own = Array(objects.filter { graph.model.isKind($0.entity, of: entity.name) }.reversed())
      let names = entity.attributes.filter { !$0.isTransient }.map(\.name)
      let values = try own.map { object in try names.map { try graph.value($0, of: object) } }
      #expect(try graph.values(names, ofAll: own) == values)
      for relationship in entity.relationships {
        let destinations = try own.map { try graph.destinations(relationship.name, of: $0) }
        #expect(try graph.destinations(relationship.name, ofAll: own) == destinations, "\(relationship)")
      }
    }
  }
}
