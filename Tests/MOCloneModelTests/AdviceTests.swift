import Foundation
import Testing

@testable import MOCloneModel
@testable import MOCloneYAML

@Suite("Edits that findings propose")
struct AdviceTests {
  /// Models in which one advice could undo another.
  static let circles: [String: String] = [
    "ledger": """
    Account:
      relationships: {postings: {destination: Posting, toMany: true, inverse: account, deleteRule: cascade}}
    Transfer:
      relationships: {postings: {destination: Posting, toMany: true, inverse: transfer, deleteRule: cascade}}
    Posting:
      attributes: {amount: Decimal}
      relationships:
        account: {destination: Account, inverse: postings}
        transfer: {destination: Transfer, inverse: postings}
    """,
    "ledger in a book": """
    Book:
      relationships:
        accounts: {destination: Account, toMany: true, inverse: book, deleteRule: cascade}
        transfers: {destination: Transfer, toMany: true, inverse: book, deleteRule: cascade}
    Account:
      relationships:
        book: {destination: Book, inverse: accounts}
        postings: {destination: Posting, toMany: true, inverse: account, deleteRule: cascade, userInfo: {exclude: ""}}
    Transfer:
      relationships:
        book: {destination: Book, inverse: transfers}
        postings: {destination: Posting, toMany: true, inverse: transfer, deleteRule: cascade}
    Posting:
      attributes: {amount: Decimal}
      relationships:
        account: {destination: Account, inverse: postings, userInfo: {exclude: ""}}
        transfer: {destination: Transfer, inverse: postings}
    """,
    "a link that leaves out": """
    Folder:
      relationships:
        notes: {destination: Note, toMany: true, inverse: folder}
        pinned: {destination: Note, toMany: true, inverse: pinnedIn, userInfo: {onClone: link}}
    Note:
      attributes: {code: String}
      relationships:
        folder: {destination: Folder, optional: true, inverse: notes}
        pinnedIn: {destination: Folder, optional: true, inverse: pinned}
      uniquenessConstraints: [[code]]
    """,
    "a link to what has members of other owners": """
    Folder:
      relationships:
        cover: {destination: Sheet, optional: true, inverse: coverOf, userInfo: {onClone: link}}
    Sheet:
      relationships:
        coverOf: {destination: Folder, optional: true, inverse: cover}
        lines: {destination: Line, toMany: true, inverse: sheet, deleteRule: cascade}
    Order:
      relationships: {lines: {destination: Line, toMany: true, inverse: order, deleteRule: cascade}}
    Line:
      relationships:
        sheet: {destination: Sheet, inverse: lines}
        order: {destination: Order, inverse: lines}
    """,
    "a link that lies in the destination": """
    Folder:
      relationships: {notes: {destination: Note, toMany: true, column: folder_id, userInfo: {onClone: link}}}
    Note: {attributes: {name: String}}
    """,
    "three owners": """
    A: {relationships: {ms: {destination: M, toMany: true, inverse: a, deleteRule: cascade}}}
    B: {relationships: {ms: {destination: M, toMany: true, inverse: b, deleteRule: cascade}}}
    C: {relationships: {ms: {destination: M, toMany: true, inverse: c, deleteRule: cascade}}}
    M:
      relationships:
        a: {destination: A, inverse: ms}
        b: {destination: B, inverse: ms}
        c: {destination: C, inverse: ms}
    """,
    "a value that may not be empty": """
    Note:
      attributes:
        name: {type: String, userInfo: {followParent: title}}
        title: {type: String, userInfo: {followParent: name, withoutParent: blank}}
      relationships:
        parent: {destination: Note, optional: true, inverse: children}
        children: {destination: Note, toMany: true, inverse: parent}
    """,
    "a team that leads to others": """
    Team:
      attributes: {name: String}
      relationships:
        members: {destination: Person, toMany: true, inverse: team}
        leader: {destination: Person, optional: true, inverse: leads}
    Person:
      attributes: {name: String}
      relationships:
        team: {destination: Team, optional: true, inverse: members}
        leads: {destination: Team, toMany: true, inverse: leader}
    """,
  ]

  @Test(arguments: circles.keys.sorted())
  func oneAdviceDoesNotUndoAnother(name: String) throws {
    try ProposedEdits.check(Self.model(name))
  }

  private static func model(_ name: String) -> String {
    let entities = circles[name]!.split(separator: "\n").map { "  \($0)" }.joined(separator: "\n")
    return "version: 1\nname: Circle\nentities:\n\(entities)\n"
  }

  @Test func noRelationshipIsClonedThatLeadsToMembersOfOtherOwners() throws {
    let parsed = ProposedEdits.parse(Self.model("a link to what has members of other owners")).withTriedAdvice
    let finding = try #require(parsed.diagnostics.first { $0.code == .linkLeavesOut })
    #expect(finding.edits == [.replace(finding.path.parent.parent, old: "onClone", by: "exclude")])
    #expect(finding.help == "write 'userInfo: {exclude: \"\"}' in place of 'onClone' at 'Folder.cover'")
  }

  @Test func whatNoEditSettlesIsSaidWithWhatEachOneCauses() throws {
    let parsed = ProposedEdits.parse(
      """
      version: 1
      name: Teams
      entities:
        Team:
          relationships:
            members: {destination: Member, toMany: true, inverse: team, userInfo: {exclude: ""}}
            leader: {destination: Member, inverse: leads}
        Member:
          relationships:
            team: {destination: Team, inverse: members}
            leads: {destination: Team, optional: true, inverse: leader}
      """
    ).withTriedAdvice
    #expect(
      parsed.diagnostics.map(\.help) == [
        "adding 'userInfo: {exclude: \"\"}' to 'Member.team' would cause 'required-relationship-excluded' there; "
          + "decide which you want"
      ])
  }

  @Test("The bad examples of explanations", arguments: DiagnosticCode.allCases)
  func examples(code: DiagnosticCode) throws {
    guard code.explanation.badStore == nil, let bad = code.explanation.bad else { return }
    try ProposedEdits.check(bad)
  }

  @Test(
    "Sample models with one key left out or given a value of another kind",
    arguments: ["HealthNotes", "Northwind"])
  func mutants(name: String) throws {
    let all = try Mutant.all(ofSample: name).filter { $0.change != .misspelt }
    let step = ProcessInfo.processInfo.environment["MOCLONE_LONG"] == "1" ? 1 : 61
    for mutant in stride(from: 0, to: all.count, by: step).map({ all[$0] }) {
      try ProposedEdits.check(mutant.root.flowText)
    }
  }
}
