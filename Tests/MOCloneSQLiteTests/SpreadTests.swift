import MOCloneKit
import TestSupport
import Testing

@Suite("How far a clone spreads in a store")
struct SpreadTests {
  @Test func teamsWhoseMembersLeadOtherTeams() throws {
    let model = try ObjectModel(
      yaml: "version: 1\n" + SharedModel.teams)
    let graph = try SQLiteGraph.temporary(model)
    let teams = try (0..<4).map { _ in try graph.insert("Team") }
    #expect(try graph.storeFindings().isEmpty)
    // The one member of a team leads the next one; the last team is alone.
    for i in 0..<2 {
      let person = try graph.insert("Person")
      try person.set(teams[i], for: "team")
      try teams[i + 1].set(person, for: "leader")
    }
    let finding = try #require(try graph.storeFindings().first)
    #expect(finding.code == .returnsToKind)
    #expect(
      finding.message
        == "in this store a clone of one Team takes up to 3 of 4 objects of 'Team' with it (4 tried)")
    #expect(finding.path == .entity("Person") / "relationships" / "ledTeams")
  }
}
