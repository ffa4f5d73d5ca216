import MOCloneKit
import MOCloneTesting
import TestSupport
import Testing

@Suite(
  "Deletion by delete rules, in memory and in SQLite",
  .tally { #expect($0["deleted"] > 8 && $0["refused"] > 5, "\($0)") })
struct DeletionDifferenceTests {
  /// A random model whose relationships have random delete rules.
  private func model(seed: UInt64) throws -> ObjectModel {
    var random = SplitMix64(seed: seed ^ 0xD1D1)
    let plain = try RandomModel.make(seed: seed)
    let entities = plain.entities.map { entity in
      var entity = entity
      for i in entity.relationships.indices {
        let number = Int.random(in: 0..<20, using: &random)
        entity.relationships[i].deleteRule =
          number < 8 ? .cascade : number < 17 ? .nullify : number < 19 ? .deny : .noAction
      }
      return entity
    }
    return try ObjectModel(name: plain.name, entities: entities)
  }

  /// What a deletion leaves of a graph, or why it was refused.
  private func outcome(
    _ graph: any ObjectGraph, seed: UInt64, _ places: [Int],
    _ delete: (any ObjectGraph, [ObjectID]) throws -> Void
  ) throws -> (lines: [String], code: DiagnosticCode?) {
    let objects = try RandomGraph.fill(graph, seed: seed)
    let before = try CanonicalGraph(graph, originals: objects, mapping: [])
    do {
      try delete(graph, places.map { objects[$0 % objects.count] })
    } catch let error as CloneError {
      #expect(try CanonicalGraph(graph, originals: objects, mapping: []) == before, "seed \(seed)")
      return ([], error.code)
    }
    return (try CanonicalGraph(graph, originals: objects, mapping: []).lines, nil)
  }

  private let refusals: Set<DiagnosticCode> = [.deleteDenied, .requiredLeftEmpty, .constraintFailed]

  @Test("Sets of objects and single ones, in a random model", arguments: Seeds.all(0..<25, long: 0..<100))
  func deletions(seed: UInt64) throws {
    let model = try model(seed: seed)
    var random = SplitMix64(seed: seed)
    let places = (0..<Int.random(in: 1...4, using: &random)).map { _ in
      Int.random(in: 0..<1000, using: &random)
    }
    let memory = try outcome(MemoryGraph(model: model), seed: seed, places) { try $0.delete($1) }
    let store = try outcome(SQLiteGraph.temporary(model), seed: seed, places) { try $0.delete($1) }
    #expect((memory.code == nil) == (store.code == nil), "\(memory.code as Any) \(store.code as Any)")
    #expect(memory.lines == store.lines)
    let one = try outcome(SQLiteGraph.temporary(model), seed: seed, [places[0]]) { try $0.delete($1) }
    let plain = try outcome(SQLiteGraph.temporary(model), seed: seed, [places[0]]) { try $0.delete($1[0]) }
    #expect((one.code == nil) == (plain.code == nil), "\(one.code as Any) \(plain.code as Any)")
    #expect(one.lines == plain.lines)
    if let code = memory.code { #expect(refusals.contains(code)) }
    Tally.count(memory.code == nil ? "deleted" : "refused")
  }
}
