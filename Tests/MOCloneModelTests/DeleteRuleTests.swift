import MOCloneYAML
import Testing

@testable import MOCloneModel

@Suite("Deletions that take along what others have")
struct DeleteRuleTests {
  private func parsed(order: String = "", lines: String = "", tags: String = "") -> ParsedModel {
    ModelParser.parse(
      SourceFile(
        path: "t.yml",
        text: """
          version: 1
          name: T
          entities:
            Order:
              relationships:
                lines: {destination: Line, toMany: true, inverse: order\(lines)}
                tags: {destination: Tag, toMany: true, inverse: orders\(tags)}
            Line:
              relationships:
                order: {destination: Order, inverse: lines\(order)}
            Tag:
              relationships:
                orders: {destination: Order, toMany: true, inverse: tags}
          """))
  }

  private static let cascade = ", deleteRule: cascade"

  @Test func fromAMemberUpToItsOwner() throws {
    let findings = parsed(order: Self.cascade, lines: Self.cascade).diagnostics
    #expect(findings.map(\.code) == [.cascadeToShared])
    #expect(findings[0].path.name == "Line.order" && findings[0].range?.start.line == 10)
    #expect(
      findings[0].message
        == "deleting a Line also deletes the Order that it is linked to, whatever else is in 'Order.lines'")
    #expect(findings[0].help == "remove 'deleteRule' from 'Line.order'")
  }

  @Test func theSideThatShouldSayItIsNamed() throws {
    let finding = try #require(parsed(order: Self.cascade).diagnostics.first)
    #expect(
      finding.help
        == "remove 'deleteRule' from 'Line.order'; what is deleted with an Order is said at 'Order.lines'")
  }

  @Test func betweenManyAndMany() {
    let findings = parsed(tags: Self.cascade).diagnostics
    #expect(findings.map(\.code) == [.cascadeToShared])
    #expect(findings.map(\.path.name) == ["Order.tags"])
  }

  @Test func fromAnOwnerDown() {
    #expect(parsed(lines: Self.cascade).diagnostics.isEmpty)
  }

  @Test("Who owns whom does not follow from such a rule", arguments: ["", cascade])
  func ownership(lines: String) throws {
    let model = try #require(parsed(order: Self.cascade, lines: lines, tags: Self.cascade).model)
    #expect(model.owningRelationships == ["Order.lines"])
  }
}
