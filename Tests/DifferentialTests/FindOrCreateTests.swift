import MOCloneKit
import MOCloneTesting
import TestSupport
import Testing

@Suite("Find or create, in memory and in SQLite")
struct FindOrCreateTests {
  @Test(
    "Random calls on random graphs find and make the same, and the same again nothing",
    arguments: Seeds.all(1..<41, long: 1..<81))
  func calls(seed: UInt64) throws {
    let model = try RandomModel.make(seed: seed)
    // Keys that are values or random ones differ from graph to graph.
    let isNumbered = model.entities.allSatisfy { entity in
      entity.primaryKey.count < 2 && entity.primaryKey.allSatisfy { $0.generate != .uuid }
        && model.attribute("own", of: entity.name) == nil
    }
    guard isNumbered else { return }
    let outcomes = try Executor.allCases.map { try outcome(of: $0.make(model), seed: seed) }
    for (i, (one, other)) in zip(outcomes[0].answers, outcomes[1].answers).enumerated() {
      #expect(
        one.isNew == other.isNew && one.code == other.code,
        "seed \(seed), call \(i): \(one.entity) \(one.values) / \(other.values)")
    }
    let isEqual = outcomes[0].graph == outcomes[1].graph
    #expect(isEqual, "seed \(seed)")
  }

  private struct Answer {
    var entity: String
    var isNew: Bool?
    var code: DiagnosticCode?
    var values = ""
  }

  private func outcome(
    of graph: any ObjectGraph, seed: UInt64
  ) throws -> (answers: [Answer], graph: [String]) {
    let model = graph.model
    let donor = MemoryGraph(model: model)
    let donors = try RandomGraph.fill(donor, seed: seed)
    var objects = try RandomGraph.fill(graph, seed: seed)
    let identities = try Identities(model, identifiedBy: request(model, seed: seed))
    var random = SplitMix64(seed: seed &* 7919)
    let request = request(model, seed: seed)
    var answers: [Answer] = []
    for _ in 0..<30 {
      let pattern = donors[Int(random.next() % UInt64(donors.count))]
      let values = try values(like: pattern, in: donor, graph, objects, &random)
      do {
        let (object, isNew) = try graph.findOrCreate(
          pattern.entity, values, identifiedBy: request, modified: ModifiedRule(name: "-"))
        if isNew { objects.append(object.id) }
        answers.append(Answer(entity: pattern.entity, isNew: isNew, values: "\(values) by \(request)"))
        guard identities[pattern.entity] != nil else { continue }
        let again = try graph.findOrCreate(pattern.entity, values, identifiedBy: request)
        #expect(!again.isNew && again.object.id == object.id, "seed \(seed)")
      } catch let error as CloneError {
        answers.append(Answer(entity: pattern.entity, code: error.code, values: "\(error)"))
      }
    }
    return (answers, try GraphSnapshot(graph).keyless(model))
  }

  /// Attributes and required to-ones, so that objects are found by identities of every kind.
  private func request(_ model: ObjectModel, seed: UInt64) -> IdentityRequest {
    var random = SplitMix64(seed: seed &* 104_729)
    var request: IdentityRequest = [:]
    for entity in model.entities where random.next() % 3 > 0 {
      let attributes = attributes(of: entity.name, model).map(\.name)
      let ones = model.relationships(of: entity.name).filter { !$0.isToMany && $0.destination != entity.name }
      let paths = ones.flatMap { one in
        self.attributes(of: one.destination, model).prefix(1).map { "\(one.name).\($0.name)" }
      }
      let names = attributes + paths
      guard !names.isEmpty else { continue }
      request.paths[entity.name] = (0..<Int(random.next() % 2) + 1).map { _ in
        names[Int(random.next() % UInt64(names.count))]
      }.sorted()
    }
    return request
  }

  private func attributes(of entity: String, _ model: ObjectModel) -> [AttributeDescription] {
    model.attributes(of: entity).filter {
      !$0.isTransient && $0.type != .double && $0.type != .float && $0.column == nil
    }
  }

  /// An object's values, some of them of other objects, with to-ones of the graph where some are needed.
  private func values(
    like pattern: ObjectID, in donor: MemoryGraph, _ graph: any ObjectGraph, _ objects: [ObjectID],
    _ random: inout SplitMix64
  ) throws -> [String: AttributeValue] {
    var values: [String: AttributeValue] = [:]
    for attribute in donor.model.attributes(of: pattern.entity)
    where !attribute.isTransient && attribute.column == nil {
      let value = try donor.value(attribute.name, of: pattern)
      values[attribute.name] = value
      if attribute.isOptional, random.next() % 20 == 0 { values[attribute.name] = .null }
    }
    for relationship in donor.model.relationships(of: pattern.entity)
    where !relationship.isToMany && donor.model.inverse(of: relationship)?.isToMany != false {
      let candidates = objects.filter { donor.model.isKind($0.entity, of: relationship.destination) }
      guard !candidates.isEmpty, !relationship.isOptional || random.next() % 2 == 0 else { continue }
      values[relationship.name] = candidates[Int(random.next() % UInt64(candidates.count))].key.reference
    }
    return values
  }
}
