import Foundation
import MOCloneYAML
import Testing

@testable import MOCloneModel

@Suite("Clones that reach into other aggregates")
struct AggregateTests {
  private func found(_ entities: String) -> [Diagnostic] {
    let lines = entities.split(separator: "\n", omittingEmptySubsequences: false).map { "  " + $0 }
    let text = "version: 1\nname: T\nentities:\n" + lines.joined(separator: "\n")
    return ModelParser.parse(SourceFile(path: "t.yml", text: text)).diagnostics
  }

  /// A shop whose products have variants that are sold in the lines of orders.
  private func shop(orderLines: String = "", lines: String = ", deleteRule: cascade") -> String {
    """
    Shop:
      relationships:
        products: {destination: Product, toMany: true, inverse: shop, deleteRule: cascade}
        orders: {destination: Order, toMany: true, inverse: shop, deleteRule: cascade}
    Product:
      relationships:
        shop: {destination: Shop, inverse: products}
        variants: {destination: Variant, toMany: true, inverse: product, deleteRule: cascade}
    Variant:
      relationships:
        product: {destination: Product, inverse: variants}
        orderLines: {destination: OrderLine, toMany: true, inverse: variant\(orderLines)}
    Order:
      relationships:
        shop: {destination: Shop, inverse: orders}
        lines: {destination: OrderLine, toMany: true, inverse: order\(lines)}
    OrderLine:
      relationships:
        order: {destination: Order, inverse: lines}
        variant: {destination: Variant, inverse: orderLines}
    """
  }

  @Test func aCloneOfAProductAddsLinesToOrders() throws {
    let finding = try #require(found(shop()).first)
    #expect(finding.code == .joinsOtherAggregate)
    #expect(
      finding.message == "cloning a Product adds order lines to existing objects of 'Order', which own them: "
        + "Product.variants > Variant.orderLines > OrderLine.order")
    #expect(finding.path == .entity("Variant") / "relationships" / "orderLines")
    #expect(finding.help?.contains("exclude") == true)
    #expect(found(shop()).count == 1)
  }

  @Test(arguments: [", userInfo: {exclude: \"\"}", ", userInfo: {onClone: clone}"])
  func eitherEditEndsTheFinding(edit: String) {
    #expect(found(shop(orderLines: edit)).isEmpty, "\(found(shop(orderLines: edit)))")
  }

  @Test func withoutDeleteRulesBothRequiredOwnersAreNamedOnce() throws {
    let findings = found(shop(lines: ""))
    #expect(findings.map(\.code) == [.joinsOtherAggregate])
    #expect(
      findings.first?.message.hasPrefix("an OrderLine is owned by an Order and by a Variant, so") == true)
    #expect(findings.first?.path == .entity("Variant") / "relationships" / "orderLines")
  }

  /// A ledger: a posting belongs to an account and to a transfer.
  @Test(arguments: [("", 1), (", userInfo: {exclude: \"\"}", 0)])
  func aPostingWithTwoOwners(annotation: String, count: Int) {
    let findings = found(
      """
      Account:
        relationships:
          postings: {destination: Posting, toMany: true, inverse: account, deleteRule: cascade\(annotation)}
      Transfer:
        relationships:
          postings: {destination: Posting, toMany: true, inverse: transfer, deleteRule: cascade}
      Posting:
        relationships:
          account: {destination: Account, inverse: postings}
          transfer: {destination: Transfer, inverse: postings}
      """)
    #expect(findings.map(\.code) == Array(repeating: .joinsOtherAggregate, count: count), "\(findings)")
  }

  @Test func anAssociationIsOnlyNoted() {
    let findings = found(
      """
      Team:
        relationships:
          memberships: {destination: Membership, toMany: true, inverse: team}
      Person:
        relationships:
          memberships: {destination: Membership, toMany: true, inverse: person}
      Membership:
        primaryKey: [team_id, person_id]
        relationships:
          team: {destination: Team, inverse: memberships}
          person: {destination: Person, inverse: memberships}
      """)
    #expect(findings.map(\.severity) == [.note])
  }

  /// A milestone belongs to the project that its cards belong to.
  @Test func aPartOfTheSameAggregateIsNoIntruder() {
    #expect(
      found(
        """
        Project:
          relationships:
            milestones: {destination: Milestone, toMany: true, inverse: project, deleteRule: cascade}
            cards: {destination: Card, toMany: true, inverse: project, deleteRule: cascade}
        Milestone:
          relationships:
            project: {destination: Project, inverse: milestones}
            cards: {destination: Card, toMany: true, inverse: milestone}
        Card:
          relationships:
            project: {destination: Project, inverse: cards}
            milestone: {destination: Milestone, optional: true, inverse: cards}
        """
      ).isEmpty)
  }

  /// A project whose notes are on its issues and requests, which a column tells apart.
  private func project(issues: String = "", notes: String = "") -> String {
    """
    Project:
      relationships:
        issues: {destination: Issue, toMany: true, inverse: project, deleteRule: cascade\(issues)}
        requests: {destination: Request, toMany: true, inverse: project, deleteRule: cascade}
        notes: {destination: Note, toMany: true, inverse: project, deleteRule: cascade\(notes)}
    Issue:
      relationships:
        project: {destination: Project, optional: true, inverse: issues}
        notes: {destination: NoteOfIssue, toMany: true, inverse: subject}
    Request:
      relationships:
        project: {destination: Project, inverse: requests}
        notes: {destination: NoteOfRequest, toMany: true, inverse: subject}
    Note:
      abstract: true
      discriminator: {column: subject_type}
      relationships:
        project: {destination: Project, optional: true, inverse: notes}
    NoteOfIssue:
      parent: Note
      relationships:
        subject: {destination: Issue, optional: true, inverse: notes, column: subject_id}
    NoteOfRequest:
      parent: Note
      relationships:
        subject: {destination: Request, optional: true, inverse: notes, column: subject_id}
    """
  }

  @Test func notesOfWhatACloneLeavesBehindAreLeftBehindAsWell() throws {
    let exclude = ", userInfo: {exclude: \"\"}"
    let findings = found(project(issues: exclude)).filter { $0.severity == .warning }
    #expect(findings.map(\.code) == [.joinsOtherAggregate], "\(findings)")
    let finding = try #require(findings.first)
    #expect(finding.path == .entity("Project") / "relationships" / "notes")
    #expect(
      finding.message == "cloning a Project adds notes to existing objects of 'Issue', which own them: "
        + "Project.notes > NoteOfIssue.subject")
    #expect(finding.notes.map(\.path).contains(ModelPath.entity("Project") / "relationships" / "issues"))
    #expect(finding.help?.contains("exclude") == true)
    for text in [project(), project(issues: exclude, notes: exclude)] {
      #expect(found(text).filter { $0.severity == .warning }.isEmpty, "\(found(text))")
    }
  }

  /// A track is not there for the sake of its genre, as a sample of a track would be for the track.
  @Test(arguments: [("Sample", 0), ("TrackSample", 1)])
  func whatIsNamedAfterAnOwnerLeftBehindIsLeftBehindAsWell(entity: String, count: Int) {
    let findings = found(
      """
      Store:
        relationships:
          tracks: {destination: Track, toMany: true, inverse: store, deleteRule: cascade, userInfo: {exclude: ""}}
          samples: {destination: \(entity), toMany: true, inverse: store, deleteRule: cascade}
      Track:
        relationships:
          store: {destination: Store, inverse: tracks}
          samples: {destination: \(entity), toMany: true, inverse: track, userInfo: {exclude: ""}}
      \(entity):
        relationships:
          store: {destination: Store, inverse: samples}
          track: {destination: Track, optional: true, inverse: samples}
      """)
    #expect(findings.filter { $0.code == .joinsOtherAggregate }.count == count, "\(findings)")
  }

  @Test func aLookupEntityOwnsNothing() {
    #expect(
      found(
        """
        Album:
          relationships:
            tracks: {destination: Track, toMany: true, inverse: album, deleteRule: cascade}
        Genre:
          relationships:
            tracks: {destination: Track, toMany: true, inverse: genre, userInfo: {exclude: ""}}
        Track:
          relationships:
            album: {destination: Album, inverse: tracks}
            genre: {destination: Genre, inverse: tracks}
        """
      ).isEmpty)
  }

  // MARK: Cycles

  private func teams(_ annotation: String = "") -> String {
    """
    Team:
      relationships:
        members: {destination: Person, toMany: true, inverse: team}
        leader: {destination: Person, optional: true, inverse: ledTeams}
    Person:
      relationships:
        team: {destination: Team, optional: true, inverse: members}
        ledTeams: {destination: Team, toMany: true, inverse: leader\(annotation)}
    """
  }

  @Test func aTeamBringsTheTeamsThatItsMembersLead() throws {
    let finding = try #require(found(teams()).first)
    #expect(finding.code == .returnsToKind && found(teams()).count == 1)
    #expect(finding.message.hasSuffix("Team.members > Person.ledTeams"))
    #expect(found(teams(", userInfo: {exclude: \"\"}")).isEmpty)
    #expect(found(teams(", userInfo: {onClone: clone}")).isEmpty)
  }

  @Test func aTeamThatNeedsItsLeaderBringsTheOtherMembers() throws {
    func teams(_ annotation: String = "") -> String {
      """
      Team:
        relationships:
          members: {destination: Member, toMany: true, inverse: team}
          leader: {destination: Member, inverse: leads}
      Member:
        relationships:
          team: {destination: Team, inverse: members}
          leads: {destination: Team, optional: true, inverse: leader\(annotation)}
      """
    }
    let finding = try #require(found(teams()).first)
    #expect(finding.code == .returnsToKind && found(teams()).count == 1)
    #expect(finding.message.hasSuffix("Member.leads > Team.members") && finding.path.name == "Member.leads")
    #expect(found(teams(", userInfo: {exclude: \"\"}")).isEmpty)
    #expect(found(teams(", userInfo: {onClone: clone}")).isEmpty)
  }

  @Test func ordersWithLinesAndRequiredPartsAreNoCycle() {
    #expect(
      found(
        """
        Order:
          relationships:
            lines: {destination: Line, toMany: true, inverse: order}
            receipt: {destination: Receipt, inverse: order, deleteRule: cascade}
        Line:
          relationships:
            order: {destination: Order, inverse: lines}
            price: {destination: Price, inverse: line, deleteRule: cascade}
        Price: {relationships: {line: {destination: Line, inverse: price}}}
        Receipt: {relationships: {order: {destination: Order, inverse: receipt}}}
        """
      ).isEmpty)
  }

  @Test func aTreeIsNoCycleOfOwnership() {
    #expect(
      found(
        """
        Folder:
          relationships:
            children: {destination: Folder, toMany: true, inverse: parent}
            parent: {destination: Folder, optional: true, inverse: children}
        Comment:
          relationships:
            threads: {destination: Thread, toMany: true, inverse: comment, deleteRule: cascade}
            thread: {destination: Thread, optional: true, inverse: comments}
        Thread:
          relationships:
            comments: {destination: Comment, toMany: true, inverse: thread, deleteRule: cascade}
            comment: {destination: Comment, optional: true, inverse: threads}
        """
      ).isEmpty)
  }

  @Test func ownersThatNeedEachOther() {
    func model(_ optional: String) -> String {
      """
      A:
        relationships:
          bs: {destination: B, toMany: true, inverse: a, deleteRule: cascade}
          b: {destination: B, inverse: as}
      B:
        relationships:
          as: {destination: A, toMany: true, inverse: b, deleteRule: cascade}
          a: {destination: A, inverse: bs\(optional)}
      """
    }
    #expect(found(model("")).map(\.code) == [.ownershipCycle])
    #expect(found(model(", optional: true")).isEmpty)
  }

  @Test func ownersThatNeedEachOtherBetweenOthersThatDoNot() {
    let findings = found(
      """
      Top: {relationships: {as: {destination: A, toMany: true, inverse: top, deleteRule: cascade}}}
      A:
        relationships:
          top: {destination: Top, inverse: as}
          bs: {destination: B, toMany: true, inverse: a, deleteRule: cascade}
          b: {destination: B, inverse: as}
      B:
        relationships:
          a: {destination: A, inverse: bs}
          as: {destination: A, toMany: true, inverse: b, deleteRule: cascade}
          leaves: {destination: Leaf, toMany: true, inverse: b, deleteRule: cascade}
      Leaf: {relationships: {b: {destination: B, inverse: leaves}}}
      """)
    #expect(findings.filter { $0.code == .ownershipCycle }.map(\.path.name) == ["B.as"])
  }

  // MARK: Unique values

  @Test(
    arguments: [
      ("{type: String, default: x, userInfo: {exclude: \"\"}}", true),
      ("{type: String, optional: true, userInfo: {exclude: \"\"}}", false),
      ("{type: Date, userInfo: {rebuild: now}}", true),
      ("{type: UUID, userInfo: {rebuild: uuid}}", false),
      ("{type: UUID, optional: true, userInfo: {followParent: Note.code, withoutParent: keep}}", true),
    ])
  func aRuleThatGivesSeveralClonesOneValue(attribute: String, isFound: Bool) {
    for constraint in ["code", "note, code"] {
      let findings = found(Self.items(attribute, unique: constraint))
      #expect(findings.map(\.code) == (isFound ? [.uniqueCopied] : []), "\(constraint): \(findings)")
    }
  }

  private static func items(_ attribute: String, unique constraint: String) -> String {
    """
    Note:
      attributes:
        code: {type: UUID, userInfo: {rebuild: uuid}}
      relationships:
        items: {destination: Item, toMany: true, inverse: note}
    Item:
      attributes:
        code: \(attribute)
        place: {type: Integer 32}
      relationships:
        note: {destination: Note, inverse: items}
      uniquenessConstraints: [[\(constraint)]]
    """
  }

  @Test func whatSiblingsShareAndWhatKeepsThemApart() {
    let instant = "{type: Date, userInfo: {rebuild: now}}"
    let message = found(Self.items(instant, unique: "note, code")).first?.message
    #expect(
      message
        == "'Item.note' and 'Item.code' are unique together, but 'rebuild' gives all objects of a clone "
        + "the same instant")
    #expect(found(Self.items(instant, unique: "note, code, place")).isEmpty)
    // The only object of its owner has no siblings.
    let only = Self.items(instant, unique: "note, code").replacingOccurrences(
      of: "destination: Item, toMany: true,", with: "destination: Item, optional: true,")
    #expect(!found(only).contains { $0.code == .uniqueCopied })
  }

  @Test func anOrdinaryRootThatOthersLinkTo() {
    let findings = found(
      """
      Product:
        attributes: {sku: String}
        relationships:
          variants: {destination: Variant, toMany: true, inverse: product}
          lines: {destination: Line, toMany: true, inverse: product, userInfo: {exclude: ""}}
        uniquenessConstraints: [[sku]]
      Variant: {relationships: {product: {destination: Product, inverse: variants}}}
      Line: {relationships: {product: {destination: Product, inverse: lines}}}
      Tag:
        attributes: {name: String}
        relationships: {variants: {destination: Variant2, toMany: true, inverse: tags}}
        uniquenessConstraints: [[name]]
      Variant2: {relationships: {tags: {destination: Tag, toMany: true, inverse: variants}}}
      """)
    #expect(findings.map(\.path) == [.entity("Product") / "attributes" / "sku"], "\(findings)")
  }
}
