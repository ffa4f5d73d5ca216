import Foundation
import MOCloneKit
import MOCloneTesting
import TestSupport
import Testing

@Suite("Copies of random graphs")
struct CopyTests {
  static let seeds = Seeds.all(1..<16, long: 1..<61)

  @Test(
    "Into an empty store: the copy is the original; from there back into an empty one too", arguments: seeds)
  func roundTrip(seed: UInt64) throws {
    let model = try RandomModel.make(seed: seed)
    for way in TransferWay.ways(of: seed) {
      let first = try way.source.make(model)
      _ = try RandomGraph.fill(first, seed: seed)
      let before = try GraphSnapshot(first)
      let (second, third) = (try way.target.make(model), try way.source.make(model))
      let report = try copy(first, second)
      guard report.skipped == nil, report.found == [:] else { continue }
      try copy(second, third)
      #expect(try GraphSnapshot(first) == before, "seed \(seed): the source changed")
      for copy in [second, third] {
        let (wanted, texts) = (try before.keyless(model), try GraphSnapshot(copy).keyless(model))
        let isEqual = texts == wanted
        #expect(isEqual, "seed \(seed), \(way): \(difference(wanted, texts))")
      }
    }
  }

  @Test(
    "Into a store that has objects: all graphs do the same, and a second copy adds nothing", arguments: seeds
  )
  func intoAnother(seed: UInt64) throws {
    let model = try RandomModel.make(seed: seed)
    for variant in 0..<4 {
      let request = request(model, seed: seed, variant: variant)
      // A key that is a value is renewed where it is taken, which a graph in memory cannot.
      guard !model.entities.contains(where: { model.attribute("own", of: $0.name) != nil }) else { return }
      var before: [[String]] = []
      let outcomes = try TransferWay.ways(of: seed).map { way -> Outcome in
        let (source, target) = (try way.source.make(model), try way.target.make(model))
        _ = try RandomGraph.fill(source, seed: seed)
        // The same values in part, so that much is found.
        let objects = try RandomGraph.fill(target, seed: variant == 0 ? seed + 1000 : seed)
        for object in objects.enumerated().filter({ $0.offset % 3 == 1 }).map(\.element) {
          guard try target.find(object.entity, key: object.key) != nil else { continue }
          try? target.delete(object)
        }
        before.append(try GraphSnapshot(target).keyless(model))
        return try outcome(source, target, request)
      }
      guard before[0] == before[1] else { continue }
      for other in outcomes.dropFirst() {
        expectSame(outcomes[0], other, "seed \(seed).\(variant): \(request)")
      }
    }
  }

  private func expectSame(_ one: Outcome, _ other: Outcome, _ note: String) {
    // Of several reasons to refuse each names the one that it meets first.
    #expect((one.code == nil) == (other.code == nil), "\(note) \(one.text) / \(other.text)")
    if one.code != nil || other.code != nil { return }
    let isEqual = one.texts == other.texts
    #expect(isEqual, "\(note) \(isEqual ? "" : difference(one.texts, other.texts))")
    #expect(one.report == other.report, "\(note)")
  }

  private struct Outcome {
    var code: DiagnosticCode?
    var text = ""
    var texts: [String] = []
    var report: [[String: Int]?] = []
  }

  private func outcome(_ source: any ObjectGraph, _ target: any ObjectGraph, _ request: CopyRequest) throws
    -> Outcome
  {
    let before = try GraphSnapshot(target)
    do {
      let report = try copy(source, target, request)
      return Outcome(
        texts: try GraphSnapshot(target).keyless(target.model), report: [report.created, report.found])
    } catch let error as CloneError {
      #expect(try GraphSnapshot(target) == before, "a refused copy changed the store: \(error)")
      return Outcome(code: error.code, text: "\(error)")
    }
  }

  @discardableResult
  private func copy(
    _ source: any ObjectGraph, _ target: any ObjectGraph, _ request: CopyRequest = CopyRequest()
  ) throws -> TransferReport {
    try #require(target as? any CopyingGraph).copyObjects(
      from: source, request, options: TransferOptions(modifiedName: "-"))
  }

  /// Some entities identified by an attribute or a to-one, some named.
  private func request(_ model: ObjectModel, seed: UInt64, variant: Int) -> CopyRequest {
    var random = SplitMix64(seed: seed &* 31 &+ UInt64(variant))
    var request = CopyRequest(overwrites: variant % 2 == 1)
    for entity in model.entities where random.next() % 2 == 0 {
      let attributes = model.attributes(of: entity.name).filter {
        !$0.isTransient && $0.type != .double && $0.type != .float && $0.name != "own"
      }
      let ones = model.relationships(of: entity.name).filter { !$0.isToMany && $0.destination != entity.name }
      let names = attributes.map(\.name) + (random.next() % 3 == 0 ? ones.map(\.name) : [])
      guard !names.isEmpty else { continue }
      let count = Int(random.next() % 2) + 1
      let picked = (0..<count).map { _ in names[Int(random.next() % UInt64(names.count))] }
      request.identifiedBy.paths[entity.name] = Array(Set(picked)).sorted()
    }
    // The first two are others where keys have another order.
    let isNumbered = model.entities.allSatisfy { entity in
      entity.primaryKey.count < 2 && entity.primaryKey.allSatisfy { $0.generate != .uuid }
        && model.attribute("own", of: entity.name) == nil
    }
    if variant >= 2 && isNumbered {
      request.entities = [model.entities[Int(random.next() % UInt64(model.entities.count))].name]
      request.limit = 2
    }
    return request
  }

  private func difference(_ a: [String], _ b: [String]) -> String {
    let (first, second) = (Set(a), Set(b))
    let only = a.filter { !second.contains($0) }.prefix(3).joined(separator: "\n  ")
    let other = b.filter { !first.contains($0) }.prefix(3).joined(separator: "\n  ")
    return "only first:\n  \(only)\nonly second:\n  \(other)"
  }
}
