import MOCloneEngine
import MOCloneKit
import MOCloneTesting
import TestSupport
import Testing

@Suite("Closures that are found object by object, held against those that are found by sets")
struct WalkedClosureTests {
  @Test("The same objects are cloned and linked", arguments: Seeds.all(0..<150, long: 0..<3_000))
  func closures(seed: UInt64) throws {
    let graph = try SQLiteGraph.temporary(RandomModel.make(seed: seed))
    let objects = try RandomGraph.fill(graph, seed: seed)
    let request = RandomRequest(seed: seed, model: graph.model, objects: objects)
    let root = objects[request.root]
    guard
      let plan = try? ClonePlan(
        model: graph.model, entity: request.entity, request: request.request(objects: objects)),
      let expected = try? graph.preview(plan, roots: [root])
    else { return }
    var walked = try WalkedClosure(of: root, by: plan, in: graph)
    let counts = try walked.counts()
    #expect(counts.cloned == expected.cloned, "\(plan)")
    #expect(counts.linked == expected.linked, "\(plan)")
    #expect(try Set(walked.objects) == graph.members(of: plan, [root]).all())
    #expect(walked.objects.first == root)
  }
}
