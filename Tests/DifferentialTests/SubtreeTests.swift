import Foundation
import MOCloneKit
import MOCloneTesting
import TestSupport
import Testing

@Suite(
  "Subtrees of random graphs in another graph",
  .tally { counts in
    #expect(counts["same"] > 25, "\(counts)")
  })
struct SubtreeTests {
  @Test(
    "All graphs do the same, and what is refused changes nothing", arguments: Seeds.all(19..<24, long: 1..<31)
  )
  func intoAnother(seed: UInt64) throws {
    let model = try model(seed: seed)
    // Keys that are values are renewed or refused where they are taken, which a graph in memory does not know.
    guard
      !model.entities.contains(where: {
        model.attribute("own", of: $0.name) != nil || $0.primaryKey.count > 1
      })
    else { return }
    for variant in 0..<9 {
      let outcomes = try TransferWay.ways(of: seed).map { way -> Outcome in
        let (source, target) = (try way.source.make(model), try way.target.make(model))
        let objects = try RandomGraph.fill(source, seed: seed)
        // Into an empty graph, one with other objects, and one where much is found.
        if variant % 3 > 0 { _ = try RandomGraph.fill(target, seed: variant % 3 == 1 ? seed + 1000 : seed) }
        return try outcome(source, target, objects, seed: seed, variant: variant)
      }
      // A UUID is no number, and no graph in memory keeps one as a key.
      for other in outcomes.dropFirst() where outcomes[0].before == other.before && other.code != .invalidKey
      {
        expectSame(outcomes[0], other, "seed \(seed).\(variant)")
      }
    }
  }

  private func expectSame(_ one: Outcome, _ other: Outcome, _ note: String) {
    #expect((one.code == nil) == (other.code == nil), "\(note): \(one.text) / \(other.text)")
    guard one.code == nil, other.code == nil else { return }
    Tally.count("same")
    let onlyOne = one.texts.filter { !other.texts.contains($0) }
    let onlyOther = other.texts.filter { !one.texts.contains($0) }
    let isEqual = one.texts == other.texts
    #expect(isEqual, "\(note): only in memory \(onlyOne.prefix(3)), only in another \(onlyOther.prefix(3))")
    #expect(one.report == other.report, "\(note)")
  }

  @Test(
    "A subtree of random graphs, kept as it is in an empty graph, is what it was",
    arguments: Seeds.all(23..<28, long: 1..<21))
  func copySubtree(seed: UInt64) throws {
    let model = try model(seed: seed)
    // Keys in memory are numbers.
    let isNumbered = model.entities.allSatisfy { $0.primaryKey.isEmpty }
    for way in TransferWay.ways(of: seed, isNumbered ? TransferWay.allCases : TransferWay.withinOneKind) {
      let (source, target) = (try way.source.make(model), try way.target.make(model))
      let objects = try RandomGraph.fill(source, seed: seed)
      let before = try GraphSnapshot(source)
      let root = objects[Int(seed) % objects.count]
      do {
        let plan = try ClonePlan(model: model, entity: root.entity)
        let result = try #require(target as? any CopyingGraph).clone(
          plan, roots: [root], from: source, SubtreeRequest(missing: .create, keepsKeys: true),
          options: TransferOptions())
        #expect(result.roots == [root], "seed \(seed)")
        let after = try GraphSnapshot(target)
        for object in after.objects {
          #expect(after.contents[object]?.attributes == before.contents[object]?.attributes, "seed \(seed)")
        }
      } catch let error as CloneError {
        #expect(try GraphSnapshot(target).objects == [], "seed \(seed): \(error)")
      }
      #expect(try GraphSnapshot(source) == before, "seed \(seed): the source changed")
    }
  }

  /// A random model whose clones make no UUIDs, which would be others in each graph.
  private func model(seed: UInt64) throws -> ObjectModel {
    let plain = try RandomModel.make(seed: seed)
    let entities = plain.entities.map { entity in
      var entity = entity
      for i in entity.attributes.indices
      where entity.attributes[i].userInfo["rebuild"]?.lowercased() == "uuid" {
        entity.attributes[i].userInfo["rebuild"] = nil
      }
      return entity
    }
    return try ObjectModel(name: plain.name, entities: entities)
  }

  private struct Outcome {
    var before: [String]
    var code: DiagnosticCode?
    var text = ""
    var texts: [String] = []
    var report: [[String: Int]?] = []
  }

  private func outcome(
    _ source: any ObjectGraph, _ target: any ObjectGraph, _ objects: [ObjectID], seed: UInt64, variant: Int
  ) throws -> Outcome {
    let model = source.model
    var random = SplitMix64(seed: seed &* 131 &+ UInt64(variant))
    let root = objects[Int(random.next() % UInt64(objects.count))]
    var request = SubtreeRequest(missing: [.null, .create, .fail][variant / 3])
    for entity in model.entities where random.next() % 2 == 0 {
      let names = model.attributes(of: entity.name).filter {
        !$0.isTransient && $0.type != .double && $0.type != .float
      }.map(\.name)
      guard !names.isEmpty else { continue }
      request.identifiedBy.paths[entity.name] = [names[Int(random.next() % UInt64(names.count))]]
    }
    request.keepsKeys = variant % 3 == 0 && random.next() % 2 == 0
    var outcome = Outcome(before: try GraphSnapshot(target).keyless(model))
    let before = try GraphSnapshot(target)
    do {
      let plan = try ClonePlan(model: model, entity: root.entity)
      let report = try #require(target as? any CopyingGraph).clone(
        plan, roots: [root], from: source, request, options: TransferOptions(generator: fixedGenerator())
      ).report
      outcome.texts = try GraphSnapshot(target).keyless(model)
      outcome.report = [report.created, report.found]
    } catch let error as CloneError {
      #expect(try GraphSnapshot(target) == before, "a refused cut changed the graph: \(error)")
      outcome.code = error.code
      outcome.text = "\(error)"
    }
    return outcome
  }
}
