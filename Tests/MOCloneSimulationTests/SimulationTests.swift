import MOCloneModel
import MOCloneTesting
import MOCloneYAML
import Testing

@testable import MOCloneSimulation

@Suite("Clones of random graphs")
struct SimulationTests {
  private func violations(_ text: String, entity: String? = nil, seed: UInt64 = 1) throws -> [Violation] {
    try Simulation(model: model(text), entity: entity, seed: seed).run().violations
  }

  @Test func clonesOfProductsAddLinesToExistingOrders() throws {
    let found = try violations(SimulatedModels.shop)
    let violation = try #require(found.first)
    #expect(found.count == 1)
    #expect(violation.kind == .joinsAggregate)
    #expect(violation.path.name == "Variant.lines")
    #expect(violation.rootEntities == ["Product", "Variant"])
    #expect(violation.before.objects.map(\.entity) == ["Product", "Variant", "Order", "OrderLine"])
    #expect(
      violation.event == "Order 1, which is not cloned, has the clone of OrderLine 1 in 'lines' afterwards.")
  }

  @Test func theEntityThatIsAskedForStaysTheRoot() throws {
    let violation = try #require(try violations(SimulatedModels.shop, entity: "product").first)
    #expect(violation.before[violation.root]?.entity == "Product")
    #expect(violation.clones.count == 3)
  }

  @Test func storyAndDiagramNameOriginalsAndClones() throws {
    let violation = try #require(try violations(SimulatedModels.shop).first)
    #expect(violation.story.hasPrefix("Given\n  Product 1: name '"))
    #expect(
      violation.story.contains(
        "\nWhen Variant 1 is cloned\n  makes the clone of Variant 1: product: Product 1\n"))
    #expect(violation.mermaid.contains("flowchart LR\n  subgraph originals[\"before\"]\n"))
    #expect(violation.mermaid.contains("[\"the clone of OrderLine 1\"]"))
  }

  @Test func aPostingOfTwoOwnersIsAddedToTheOther() throws {
    let found = try violations(SimulatedModels.ledger)
    #expect(found.map(\.path.name) == ["Account.postings", "Transfer.postings"])
    #expect(found.allSatisfy { $0.kind == .joinsAggregate })
    // A transfer has two postings at least.
    #expect(found.allSatisfy { $0.before.objects.count == 4 })
  }

  @Test func whatIsMeantIsNoViolation() throws {
    let meant = SimulatedModels.shop.replacing(
      "inverse: variant}", with: "inverse: variant, userInfo: {onClone: clone}}")
    #expect(try violations(meant) == [])
    let excluded = SimulatedModels.shop.replacing(
      "inverse: variant}", with: "inverse: variant, userInfo: {exclude: \"\"}}")
    #expect(try violations(excluded) == [])
  }

  @Test func aCloneMayJoinTheAggregateOfItsRootsOwner() throws {
    #expect(try violations(SimulatedModels.sections) == [])
  }

  @Test func aMemberTooManyIsSeen() throws {
    let found = try violations(SimulatedModels.crew)
    #expect(found.map(\.kind) == [.constraintBroken])
    #expect(found.map(\.path.name) == ["Boat.crew"])
    #expect(found[0].before.objects.map(\.entity) == ["Boat", "Sailor"])
  }

  @Test func aRequiredListThatIsExcludedHasClonesRefused() throws {
    let found = try violations(SimulatedModels.quiz)
    #expect(found.map(\.code) == [.requiredLeftEmpty])
    #expect(found.map(\.path.name) == ["Question.answers"])
  }

  @Test func aUniqueDefaultLetsOneCloneThroughOnly() throws {
    let found = try violations(SimulatedModels.badge)
    #expect(found.map(\.kind) == [.notRepeatable])
    #expect(found.map(\.path.name) == ["Badge"])
  }

  @Test func aUniqueValueOfTheRootIsGiven() throws {
    #expect(try violations(SimulatedModels.tags) == [])
  }

  @Test func aValueThatIsUniqueWithinTheRootsOwnerIsGiven() throws {
    #expect(try violations(SimulatedModels.beds) == [])
  }

  @Test func aLinkThatIsClonedByItselfIsGivenAnotherEnd() throws {
    #expect(try violations(SimulatedModels.roles) == [])
  }

  @Test func whatIsBelowAnObjectBelongsToItsOwner() throws {
    #expect(try violations(SimulatedModels.pages, entity: "Site") == [])
    // The subpages of a page that is cloned by itself stay in its site, where their slugs exist already.
    #expect(try violations(SimulatedModels.pages).map(\.code) == [.uniqueValue])
  }

  @Test func onlyWhatAnEditChangesIsNew() throws {
    let shop = try model(SimulatedModels.shop)
    let without = try model(
      SimulatedModels.shop.replacing(
        "inverse: variant}", with: "inverse: variant, userInfo: {exclude: \"\"}}"))
    let violation = try #require(try violations(SimulatedModels.shop).first)
    #expect(!violation.isNew(in: shop, since: shop))
    #expect(violation.isNew(in: shop, since: without))
  }

  @Test func theSameSeedGivesTheSameOutcome() throws {
    let runs = try (1...2).map { _ in try violations(SimulatedModels.ledger, seed: 9) }
    #expect(runs[0] == runs[1])
    #expect(!runs[0].isEmpty)
  }

  @Test func noMoreGraphsAreMadeWherePlansAreTooLarge() throws {
    var simulation = try Simulation(model: model(SimulatedModels.shop))
    #expect(!simulation.run().isCutShort)
    simulation.mostWork = 1
    let outcome = simulation.run()
    #expect(outcome.isCutShort)
    #expect(outcome.graphs == 1)
  }

  @Test("Random models: clones join aggregates or are refused, and nothing else", arguments: 0..<24)
  func randomModels(number: Int) throws {
    let shape = RandomShape.allCases[number % 3]
    let model = try shape.model(seed: UInt64(number))
    let outcome = try Simulation(model: model, seed: UInt64(number), graphs: 8).run()
    #expect(outcome.untried == [])
    for violation in outcome.violations where ![.joinsAggregate, .refused].contains(violation.kind) {
      Issue.record(
        "\(shape) \(number): \(violation.code.rawValue) \(violation.path.name)\n\(violation.story)")
    }
  }
}
