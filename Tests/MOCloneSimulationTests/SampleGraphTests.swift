import MOCloneModel
import MOCloneTesting
import Testing

@testable import MOCloneSimulation

@Suite("Random graphs of a model")
struct SampleGraphTests {
  private func samples(_ text: String, around entity: String) throws -> (SampleModel, [SampleGraph]) {
    let model = SampleModel(try model(text))
    return (model, (0..<40).map { SampleMaker.graph(model, around: entity, seed: $0) })
  }

  @Test(
    "Constraints hold, and objects are left",
    arguments: [
      (SimulatedModels.rings, "Ring"), (SimulatedModels.rings, "Gem"), (SimulatedModels.limits, "Part"),
      (SimulatedModels.ledger, "Transfer"), (SimulatedModels.crew, "Boat"),
      (SimulatedModels.quiz, "Question"),
    ])
  func constraintsHold(text: String, entity: String) throws {
    let (model, samples) = try samples(text, around: entity)
    for sample in samples {
      #expect(SampleFaults(model: model).faults(sample) == [])
      #expect(throws: Never.self) { try SampleStore(sample, model: model, in: model.newGraph()) }
    }
    #expect(samples.count { sample in sample.objects.contains { $0.entity == entity } } > 20)
  }

  @Test("Where each entity is related to all others graphs hold few entities, so that they stay readable")
  func denseModels() throws {
    let entities = (0..<40).map { i in
      let lists = (0..<40).filter { $0 != i }.map { j in
        i < j
          ? "      to\(j): {destination: E\(j), toMany: true, inverse: to\(i)}\n"
          : "      to\(j): {destination: E\(j), optional: true, inverse: to\(i)}\n"
      }
      return "  E\(i):\n    relationships:\n" + lists.joined()
    }
    let (model, samples) = try samples(entities.joined(separator: ""), around: "E7")
    #expect(model.mostEntities == 6)
    for sample in samples {
      #expect(Set(sample.objects.map(\.entity)).count <= 6 && sample.objects.contains { $0.entity == "E7" })
    }
  }

  @Test func whatIsReadIsWhatWasPutIn() throws {
    let (model, samples) = try samples(SimulatedModels.shop, around: "Order")
    for sample in samples {
      let read = try SampleStore(sample, model: model, in: model.newGraph()).read()
      #expect(Set(read.objects.map(\.id)) == Set(sample.objects.map(\.id)))
      #expect(Set(read.links) == Set(sample.links))
    }
  }

  @Test func aGraphThatIsEmptiedIsAsNew() throws {
    let (model, samples) = try samples(SimulatedModels.shop, around: "Order")
    let graph = model.newGraph()
    for sample in samples {
      graph.removeAll()
      let store = try SampleStore(sample, model: model, in: graph)
      let new = try SampleStore(sample, model: model, in: model.newGraph())
      #expect(sample.objects.allSatisfy { store.id(of: $0.id) == new.id(of: $0.id) })
      #expect(try store.read() == new.read())
    }
  }

  @Test("Where each entity needs all others a graph holds one object of each")
  func entitiesThatNeedAllOthers() throws {
    let entities = (0..<30).map { i in
      let lists = (0..<30).filter { $0 != i }.map { j in
        i < j
          ? "      to\(j): {destination: E\(j), toMany: true, inverse: to\(i)}\n"
          : "      to\(j): {destination: E\(j), inverse: to\(i)}\n"
      }
      return "  E\(i):\n    relationships:\n" + lists.joined()
    }
    let (_, samples) = try samples(entities.joined(), around: "E29")
    #expect(samples.allSatisfy { $0.objects.count == 30 && $0.links.count == 30 * 29 / 2 })
  }

  @Test(
    "Patterns",
    arguments: [
      "[A-Z]{2}-\\d{4}", "(red|green|blue)", "^a+b*c?$", "[^a-y]", "\\w+@\\w+\\.(com|org)", "(?:ab){2,3}",
      "x{3}",
    ])
  func patterns(pattern: String) throws {
    var random = SplitMix64(seed: 5)
    for _ in 0..<20 {
      let text = try #require(PatternSample(pattern, random: &random).text)
      #expect(try Regex(pattern).wholeMatch(in: text) != nil, "\(text)")
    }
  }

  @Test(arguments: ["a{", "[b", "(c", "*", "(?=d)"])
  func patternsThatAreNotUnderstoodGiveNothing(pattern: String) {
    var random = SplitMix64(seed: 5)
    #expect(PatternSample(pattern, random: &random).text == nil)
  }
}
