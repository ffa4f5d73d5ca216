import Foundation
import TestSupport
import Testing

@Suite("validate --simulate")
struct SimulateCommandTests {
  private let folder: TemporaryFolder

  private static let shop = """
    version: 1
    name: Shop
    entities:
      Product:
        attributes: {name: String}
        relationships:
          lines: {destination: OrderLine, toMany: true, inverse: product}
      Order:
        attributes: {number: Integer 32}
        relationships: {lines: {destination: OrderLine, toMany: true, inverse: order, deleteRule: cascade}}
      OrderLine:
        relationships:
          order: {destination: Order, inverse: lines}
          product: {destination: Product, inverse: lines}

    """

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(Self.shop.utf8, to: "shop.yml")
    let meant = Self.shop.replacing(
      "inverse: product}", with: "inverse: product, userInfo: {onClone: clone}}")
    try folder.write(meant.utf8, to: "meant.yml")
    let allowed = Self.shop.replacing(
      "      lines: {", with: "      # moclone:allow joins-other-aggregate tried\n      lines: {")
    try folder.write(allowed.utf8, to: "allowed.yml")
  }

  private func validate(_ arguments: String...) throws -> Finished {
    try run("moclone", ["validate"] + arguments, in: folder.url)
  }

  @Test func aWarningThatAGraphConfirmsIsAnErrorWithAStory() throws {
    let without = try validate("shop.yml")
    #expect(without.status == 0)
    let run = try validate("shop.yml", "--simulate")
    #expect(run.status == 1)
    #expect(run.output.components(separatedBy: "[joins-other-aggregate]").count == 2)
    #expect(run.output.contains("shop.yml:7:7: error: "))
    #expect(run.output.contains("\nWhen Product 1 is cloned\n"))
    #expect(run.errors.contains("(seed 1), 1 violation"))
  }

  @Test func aModelWhoseClonesKeepTheirPromisesPasses() throws {
    let run = try validate("meant.yml", "--simulate", "--graphs", "20")
    #expect(run.status == 0)
    #expect(run.output == "")
    #expect(run.errors.contains("in 20 random graphs (seed 1), 0 violations"))
  }

  @Test func aFindingThatIsAllowedTellsNoStory() throws {
    let run = try validate("allowed.yml", "--simulate")
    #expect(run.status == 0)
    #expect(run.output == "")
  }

  @Test func theEntityIsNamedWithOrWithoutAFile() throws {
    #expect(try validate("shop.yml", "--simulate", "product").status == 1)
    #expect(try validate("--model", "shop.yml", "--simulate", "Product").status == 1)
    #expect(try validate("--model", "shop.yml", "--simulate", "Order").status == 0)
    let unknown = try validate("--model", "shop.yml", "--simulate", "Produkt")
    #expect(unknown.status == 64)
    #expect(unknown.errors.contains("'Produkt'"))
  }

  @Test func theSameSeedGivesTheSameReport() throws {
    let runs = try (1...2).map { _ in try validate("shop.yml", "--simulate", "--seed", "5").output }
    #expect(runs[0] == runs[1])
  }

  @Test func theDiagramIsMermaid() throws {
    let run = try validate("shop.yml", "--simulate", "--format", "mermaid")
    #expect(run.status == 1)
    #expect(run.output.hasPrefix("%% Cloning a Product adds 'lines'"))
    #expect(run.output.contains("\nflowchart LR\n"))
    #expect(try validate("shop.yml", "--format", "mermaid").status == 64)
    #expect(try validate("shop.yml", "--seed", "3").status == 64)
  }
}
