import MOCloneKit
import MOCloneTesting
import TestSupport
import Testing

@Suite(
  "Merging duplicates, in memory and in SQLite",
  .tally {
    #expect($0["merged"] > 25, "\($0)")
    // Decimal values that decide a tie, and whose one-to-one objects stay (see `KnownFault`).
    #expect($0["other choices"] < 5, "\($0)")
  })
struct DedupeDifferenceTests {
  /// A random graph in which many objects have the same value of an attribute by which their entity is identified.
  private struct Case {
    let graph: any TransferGraph
    let objects: [ObjectID]
    var request: DedupeRequest

    init(_ graph: any TransferGraph, seed: UInt64) throws {
      self.graph = graph
      objects = try RandomGraph.fill(graph, seed: seed)
      var random = SplitMix64(seed: seed ^ 0xDEDE)
      var identities: [String: [String]] = [:]
      for entity in graph.model.entities where entity.parent == nil {
        let unique = Set(graph.model.entities.flatMap(\.uniquenessConstraints).joined())
        let texts = entity.attributes.filter {
          $0.column == nil && $0.type == .string && !unique.contains($0.name)
        }
        guard let attribute = texts.first else { continue }
        identities[entity.name] = [attribute.name]
        for object in objects where graph.model.isKind(object.entity, of: entity.name) {
          try graph.setValue(
            .string("v\(Int.random(in: 0..<3, using: &random))"), for: attribute.name, of: object)
        }
      }
      let keeps: [DedupeRequest.Keep] = [.newest, .oldest, .fullest]
      request = DedupeRequest(
        entities: identities.keys.sorted(), identifiedBy: IdentityRequest(identities),
        keep: keeps[Int(seed % 3)],
        tie: seed % 5 == 0 ? .skip : .leastKey, fills: seed % 4 != 0, newest: "modified")
    }

    func run() throws -> (report: TransferReport?, code: DiagnosticCode?) {
      do { return (try graph.dedupe(request), nil) } catch let error as CloneError {
        return (nil, error.code)
      }
    }

    func lines() throws -> [String] {
      try CanonicalGraph(graph, originals: objects, mapping: []).lines
    }
  }

  @Test(
    "The same objects stay with the same values and relationships; a second run does nothing",
    arguments: Seeds.all(0..<25, long: 0..<100))
  func merging(seed: UInt64) throws {
    let model = try RandomModel.make(seed: seed)
    let memory = try Case(MemoryGraph(model: model), seed: seed)
    let store = try Case(SQLiteGraph.temporary(model), seed: seed)
    #expect(try memory.lines() == store.lines())
    guard !memory.request.entities.isEmpty else { return }
    let before = try GraphSnapshot(store.graph)
    let (own, other) = (try memory.run(), try store.run())
    guard try isSame(memory, store, model) else {
      Tally.count("other choices")
      return #expect(try memory.run().report?.changes == 0)
    }
    #expect((own.code == nil) == (other.code == nil), "\(own.code as Any) \(other.code as Any)")
    // A store gives objects that are known by their owner another key with another owner.
    let hasNewKeys = try store.lines().contains { $0.contains("stray ") }
    guard let report = other.report, let expected = own.report else { return }
    for section in [\TransferReport.merged, \.deleted, \.updated] {
      #expect(report[keyPath: section] == expected[keyPath: section])
    }
    #expect(report.skipped?.count == expected.skipped?.count)
    Tally.count("merged", report.merged?.values.reduce(0, +) ?? 0)
    if !hasNewKeys { try checkNothingIsLost(store, before, report, seed: seed) }
    #expect(try store.run().report?.changes == 0)
    #expect(try memory.run().report?.changes == 0)
  }

  private func isSame(_ memory: Case, _ store: Case, _ model: ObjectModel) throws -> Bool {
    let (lines, otherLines) = (try memory.lines(), try store.lines())
    guard otherLines.contains(where: { $0.contains("stray ") }) else { return lines == otherLines }
    return try GraphSnapshot(memory.graph).keyless(model) == GraphSnapshot(store.graph).keyless(model)
  }

  /// Every member of a to-many relationship is afterwards a member at the object that its owner was merged into.
  private func checkNothingIsLost(
    _ store: Case, _ before: GraphSnapshot, _ report: TransferReport, seed: UInt64
  ) throws {
    let after = try GraphSnapshot(store.graph)
    let model = store.graph.model
    var settled: [ObjectID: ObjectID] = [:]
    for group in report.groups ?? [] {
      let root = model.rootEntity(of: group.entity)
      func id(_ key: String) -> ObjectID? {
        before.objects.first { model.rootEntity(of: $0.entity) == root && $0.key.description == key }
      }
      for loser in group.merged {
        // A second look finds objects by keys that the first one gave them.
        guard let gone = id(loser), let survivor = id(group.survivor) else { return }
        settled[gone] = survivor
      }
    }
    let gone = before.objects.filter { after.contents[$0] == nil }
    #expect(gone.count == settled.count + (report.deleted?.values.reduce(0, +) ?? 0), "seed \(seed)")
    let relatedObjects = Set(gone.filter { settled[$0] == nil })
    for (owner, content) in before.contents where !relatedObjects.contains(owner) {
      for relationship in model.relationships(of: owner.entity) where relationship.isToMany {
        let place = settled[owner] ?? owner
        guard let members = after.contents[place]?.relationships[relationship.name] else { continue }
        for member in content.relationships[relationship.name]! where !relatedObjects.contains(member) {
          let stays = settled[member] ?? member
          // A member that is merged itself belongs to the owner of the object that it is merged into.
          guard stays == member || isPaired(relationship, model) else { continue }
          #expect(
            members.contains(stays) || stays == place, "seed \(seed): \(owner).\(relationship.name) \(member)"
          )
        }
      }
    }
  }

  private func isPaired(_ relationship: RelationshipDescription, _ model: ObjectModel) -> Bool {
    relationship.joinTable != nil || model.inverse(of: relationship)?.isToMany == true
  }
}
