import Foundation
import MOCloneModel
import MOCloneYAML
import Testing

/// What a clone would contain, as the model alone shows it.
@Suite("What a clone would contain")
struct CloneContentTests {
  private func found(_ entities: String, sourceLocation: SourceLocation = #_sourceLocation) -> [Diagnostic] {
    let lines = entities.split(separator: "\n", omittingEmptySubsequences: false).map { "  " + $0 }
    let text = "version: 1\nname: Test\nstore: {primaryKey: pk}\nentities:\n" + lines.joined(separator: "\n")
    let found = ModelParser.parse(SourceFile(path: "test.yml", text: text)).diagnostics
    #expect(
      found.allSatisfy { $0.severity < .error }, "\(found.map(\.message))", sourceLocation: sourceLocation)
    return found
  }

  private func expect(
    _ codes: [DiagnosticCode], _ entities: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let found = found(entities, sourceLocation: sourceLocation)
    #expect(found.map(\.code) == codes, "\(found.map(\.message))", sourceLocation: sourceLocation)
  }

  @Test(arguments: ["HealthNotes", "Chinook", "Northwind"])
  func theSampleModelsHaveNoFinding(_ name: String) throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../Models/\(name).yml")
    let found = try ModelParser.parse(SourceFile(contentsOf: file, path: name)).diagnostics
    #expect(found.isEmpty, "\(found.map(\.message))")
  }

  // MARK: Inverses

  @Test func twoSidesThatNameNoInverseAreOneFinding() {
    let found = found(
      """
      Note: {relationships: {items: {destination: Item, toMany: true}}}
      Item: {relationships: {note: {destination: Note}}}
      """)
    #expect(found.map(\.code) == [.missingInverse])
    #expect(found.first?.help == "write 'inverse: note' here and 'inverse: items' at 'Item.note'")
    #expect(found.first?.notes.first?.range?.start.line == 6)
  }

  @Test func whatIsSaidOtherwiseNeedsNoInverse() {
    expect([], "A: {relationships: {b: {destination: B, userInfo: {onClone: link}}}}\nB: {}")
    expect([], "A: {relationships: {b: {destination: B, toMany: true, userInfo: {onClone: clone}}}}\nB: {}")
    expect([], "A: {relationships: {b: {destination: B, optional: true, userInfo: {exclude: \"\"}}}}\nB: {}")
  }

  @Test func aListInAnothersRowsIsNotProposedAsALink() {
    let found = found("A: {relationships: {b: {destination: B, toMany: true}}}\nB: {}")
    #expect(found.map(\.code) == [.missingInverse])
    #expect(found.first?.help?.contains("onClone: link") == false)
  }

  // MARK: Unique values

  private func items(_ attributes: String, _ constraints: String, note: String = "") -> String {
    """
    Note: {relationships: {items: {destination: Item, toMany: true, inverse: note}}}
    Item:
      attributes: {\(attributes)}
      relationships: {note: {destination: Note, inverse: items\(note)}}
      uniquenessConstraints: \(constraints)
    """
  }

  @Test func aUniqueValueThatIsCopied() {
    let found = found(items("code: String, n: Integer 32", "[[code], [code, n], [note, n]]"))
    #expect(found.map(\.code) == [.uniqueCopied, .uniqueCopied])
    #expect(found.first?.message.hasSuffix(": Note.items > Item.code") == true)
    #expect(found.first?.range?.start.line == 7)
  }

  @Test(arguments: [
    "code: {type: UUID, userInfo: {rebuild: uuid}}",
    "code: {type: String, optional: true, userInfo: {exclude: \"\"}}",
    "code: {type: Integer 64, column: pk}",
  ])
  func aUniqueValueThatIsNew(_ attribute: String) {
    expect([], items(attribute, "[[code]]"))
  }

  @Test func aPlaceBelowAnOwnerThatIsOnlyLinkedIsCopied() {
    let linked = """
      Note: {relationships: {items: {destination: Item, toMany: true, inverse: note, userInfo: {exclude: ""}}}}
      Item:
        attributes: {n: Integer 32}
        relationships: {note: {destination: Note, inverse: items}}
        uniquenessConstraints: [[note, n]]
      """
    expect([.uniqueCopied], linked)
  }

  /// A project's clone stays in the namespace, where the numbers are taken.
  @Test func aPlaceBelowAnOwnerThatACloneLeavesOutIsCopied() {
    let issues = """
      Namespace:
        relationships:
          projects: {destination: Project, toMany: true, inverse: namespace, deleteRule: cascade}
          issues: {destination: Issue, toMany: true, inverse: namespace, deleteRule: cascade}
      Project:
        relationships:
          namespace: {destination: Namespace, inverse: projects}
          issues: {destination: Issue, toMany: true, inverse: project}
      Issue:
        attributes: {number: Integer 32}
        relationships:
          namespace: {destination: Namespace, inverse: issues}
          project: {destination: Project, optional: true, inverse: issues}
        uniquenessConstraints: [[namespace, number]]
      """
    let findings = found(issues)
    #expect(findings.map(\.code) == [.uniqueCopied] && !findings.contains(where: \.refusesClones))
    #expect(findings.first?.path == .entity("Project") / "relationships" / "issues")
    #expect(
      findings.first?.message.hasSuffix(
        "where a Project is cloned by itself, so a clone has the same value as its original: "
          + "Project.issues > Issue.namespace") == true)
    let excluded = ", userInfo: {exclude: \"\"}}"
    expect([], issues.replacingOccurrences(of: "inverse: project}", with: "inverse: project" + excluded))
    // Issues without a namespace may be those that a project has.
    expect(
      [],
      issues.replacingOccurrences(
        of: "namespace: {destination: Namespace, inverse: issues}",
        with: "namespace: {destination: Namespace, optional: true, inverse: issues}"))
  }

  /// A board's clone holds the lists of its cards, which are left out where a list is cloned by itself.
  @Test func aPlaceBelowAnOwnerThatEachCloneHoldsIsNew() {
    expect(
      [],
      """
      Board:
        relationships:
          lists: {destination: List, toMany: true, inverse: board, deleteRule: cascade}
          cards: {destination: Card, toMany: true, inverse: board, deleteRule: cascade}
      List:
        relationships:
          board: {destination: Board, inverse: lists}
          cards: {destination: Card, toMany: true, inverse: list, userInfo: {exclude: ""}}
      Card:
        attributes: {number: Integer 32, position: Integer 32}
        relationships:
          board: {destination: Board, inverse: cards}
          list: {destination: List, inverse: cards}
        uniquenessConstraints: [[board, number], [list, position]]
      """)
  }

  /// A page that is cloned with those below it has the name of its original anyway.
  @Test func aTreeWithinAnOwner() {
    expect(
      [],
      """
      Site:
        relationships: {pages: {destination: Page, toMany: true, inverse: site, deleteRule: cascade}}
      Page:
        attributes: {slug: String}
        relationships:
          site: {destination: Site, inverse: pages}
          parent: {destination: Page, optional: true, inverse: children}
          children: {destination: Page, toMany: true, inverse: parent}
        uniquenessConstraints: [[site, slug]]
      """)
  }

  @Test func aSharedObjectIsOnlyLinked() {
    let shared = """
      Track: {relationships: {genre: {destination: Genre, inverse: tracks}}}
      Genre:
        attributes: {name: String}
        relationships: {tracks: {destination: Track, toMany: true, inverse: genre, userInfo: {exclude: ""}}}
        uniquenessConstraints: [[name]]
      """
    expect([], shared)
    expect([.uniqueCopied], shared.replacingOccurrences(of: ", userInfo: {exclude: \"\"}", with: ""))
  }

  @Test func aConstraintOfABaseIsReachedInASubEntity() {
    expect(
      [.uniqueCopied],
      """
      Note: {relationships: {texts: {destination: Text, toMany: true, inverse: note}}}
      Part: {abstract: true, attributes: {code: String}, uniquenessConstraints: [[code]]}
      Text: {parent: Part, relationships: {note: {destination: Note, inverse: texts}}}
      """)
  }

  // MARK: Owners

  private func covers(_ note: String, _ rest: String = "") -> String {
    """
    Note: {relationships: {cover: {destination: Cover, optional: true, inverse: note, deleteRule: cascade}}}
    Cover: {relationships: {note: {destination: Note, inverse: cover\(note)}}}
    \(rest)
    """
  }

  @Test func aWayFromAnOwnedObjectUpIntoItsOwner() {
    expect([.climbsToOwner], covers(", optional: true"))
    expect([], covers(", optional: true, userInfo: {exclude: \"\"}"))
    expect([], covers(", optional: true, userInfo: {onClone: clone}"))
  }

  @Test func anObjectThatMustHaveAnOwnerBringsItAlongOnlyWhereItIsReachedOtherwise() {
    expect([], covers(""))
    let shelf =
      "Shelf: {relationships: {covers: {destination: Cover, toMany: true, userInfo: {onClone: clone}}}}"
    let found = found(covers("", shelf))
    #expect(found.map(\.code) == [.climbsToOwner])
    #expect(found.first?.message.hasSuffix(": Shelf.covers > Cover.note") == true)
    expect([], covers("", shelf.replacingOccurrences(of: "onClone: clone", with: "exclude: \"\"")))
  }

  // MARK: Followers

  private func followers(_ followed: String, group: String = "attributes: {x: String}, ") -> String {
    """
    Folder:
      attributes: {id: String}
      relationships:
        groups: {destination: Group, toMany: true, inverse: folder}
        items: {destination: Item, toMany: true, inverse: folder}
    Group: {\(group)relationships: {folder: {destination: Folder, inverse: groups}, items: {destination: Item, toMany: true, inverse: group}}}
    Item:
      attributes: {owner: {type: String, optional: true, userInfo: {followParent: \(followed), withoutParent: keep}}}
      relationships:
        folder: {destination: Folder, optional: true, inverse: items}
        group: {destination: Group, optional: true, inverse: items}
    """
  }

  @Test func anAncestorThatDependsOnTheWay() {
    let found = found(followers("id", group: "attributes: {id: String}, "))
    #expect(found.map(\.code) == [.ambiguousParent])
    #expect(found.first?.message.contains("Folder.items > Item.owner") == true)
    #expect(found.first?.notes.count == 2)
    expect([], followers("Folder.id", group: "attributes: {id: String}, "))
  }

  @Test func severalWaysToOneAncestor() {
    expect([], followers("id"))
  }

  @Test func ancestorsThatNoCloneHoldsBoth() {
    expect(
      [],
      """
      Folder: {attributes: {id: String}, relationships: {items: {destination: Item, toMany: true, inverse: folder}}}
      Group: {attributes: {id: String}, relationships: {items: {destination: Item, toMany: true, inverse: group}}}
      Item:
        attributes: {owner: {type: String, optional: true, userInfo: {followParent: id, withoutParent: keep}}}
        relationships:
          folder: {destination: Folder, optional: true, inverse: items}
          group: {destination: Group, optional: true, inverse: items}
      """)
  }

  // MARK: Exclusions

  @Test func anExclusionThatTheOwnersSideUndoes() {
    let notes = """
      Note: {relationships: {items: {destination: Item, toMany: true, inverse: note}}}
      Item: {relationships: {note: {destination: Note, optional: true, inverse: items, userInfo: {exclude: ""}}}}
      """
    let found = found(notes)
    #expect(found.map(\.code) == [.oneSidedExclude])
    #expect(found.first?.message.hasSuffix(": Note.items > Item.note") == true)
    expect(
      [], notes.replacingOccurrences(of: "inverse: note}", with: "inverse: note, userInfo: {exclude: \"\"}}"))
  }

  @Test func aListThatIsNotToBeCopiedIsExcludedOnItsOwnSideOnly() {
    expect(
      [],
      """
      Track: {relationships: {lines: {destination: Line, toMany: true, inverse: track, userInfo: {exclude: ""}}}}
      Line: {relationships: {track: {destination: Track, inverse: lines}}}
      """)
  }

  private func tags(_ notesOfBook: String) -> String {
    """
    Book: {relationships: {notes: {destination: Note, toMany: true, userInfo: {\(notesOfBook)}}, tags: {destination: Tag, toMany: true, userInfo: {onClone: clone}}}}
    Note: {relationships: {tags: {destination: Tag, toMany: true, inverse: notes, userInfo: {exclude: ""}}}}
    Tag: {relationships: {notes: {destination: Note, toMany: true, inverse: tags}}}
    """
  }

  @Test func anExclusionOfPairsWhoseBothEndsAreCloned() {
    let found = found(tags("onClone: clone"))
    #expect(found.map(\.code) == [.oneSidedExclude])
    #expect(found.first?.message.hasSuffix(": Book.tags > Tag.notes") == true)
    expect([], tags("exclude: \"\""))
  }

  @Test func aLongWayIsShownWithoutItsMiddle() {
    let chain = (0..<20).map {
      "E\($0): {relationships: {next: {destination: E\($0 + 1), userInfo: {onClone: clone}}}}"
    }
    let tags = """
      E20: {relationships: {tags: {destination: Tag, toMany: true, userInfo: {onClone: clone}}}}
      E: {relationships: {first: {destination: E0, userInfo: {onClone: clone}}, notes: {destination: Note, toMany: true, userInfo: {onClone: clone}}}}
      Note: {relationships: {tags: {destination: Tag, toMany: true, inverse: notes, userInfo: {exclude: ""}}}}
      Tag: {relationships: {notes: {destination: Note, toMany: true, inverse: tags}}}
      """
    let found = found((chain + [tags]).joined(separator: "\n"))
    #expect(found.map(\.code) == [.oneSidedExclude])
    let way = "E.first > E0.next > E1.next > ... > E19.next > E20.tags > Tag.notes"
    #expect(found.first?.message.hasSuffix(way) == true, "\(found.map(\.message))")
  }

  // MARK: Models with other faults

  @Test func whatHangsOnAnUnknownNameIsNotJudged() {
    let text = "version: 1\nname: T\nentities:\n  A: {attributes: {c: String}, uniquenessConstraints: [[c]], "
    for rest in ["relationships: {b: {destination: X}}}", "relationships: [b]}"] {
      let found = ModelParser.parse(SourceFile(path: "t.yml", text: text + rest)).diagnostics
      #expect(found.count == 1 && found.first?.severity == .error, "\(found.map(\.message))")
    }
  }

  // MARK: Several ways

  @Test func anExcludedListThatALinkUndoes() {
    let found = found(
      """
      Note:
        relationships:
          items: {destination: Item, toMany: true, inverse: note, userInfo: {exclude: ""}}
          sections: {destination: Section, toMany: true, inverse: note}
      Section:
        relationships:
          note: {destination: Note, optional: true, inverse: sections}
          items: {destination: Item, toMany: true, inverse: section}
      Item:
        relationships:
          note: {destination: Note, optional: true, inverse: items}
          section: {destination: Section, optional: true, inverse: items}
      """)
    #expect(found.map(\.code) == [.oneSidedExclude])
    #expect(found.first?.message.hasSuffix("Note.sections > Section.items > Item.note") == true)
    #expect(found.first?.edits.count == 1, "without the exclusion items of other sections would come along")
  }

  @Test func followersOfWhatTwoEntitiesInherit() {
    func model(_ item: String) -> String {
      """
      Base: {abstract: true, attributes: {code: {type: UUID, userInfo: {rebuild: uuid}}}}
      A:
        parent: Base
        relationships:
          b: {destination: B, optional: true, inverse: a}
          items: {destination: Item, toMany: true, inverse: a}
      B:
        parent: Base
        relationships:
          a: {destination: A, inverse: b}
          items: {destination: Item, toMany: true, inverse: b}
      Item:
        attributes: {owner: {type: UUID, optional: true, userInfo: {followParent: \(item), withoutParent: keep}}}
        relationships:
          a: {destination: A, optional: true, inverse: items}
          b: {destination: B, optional: true, inverse: items}
      """
    }
    let found = found(model("code"))
    #expect(found.map(\.code) == [.ambiguousParent])
    #expect(found.first?.help?.contains("'followParent: A.code'") == true)
    #expect(found.first?.help?.contains("'followParent: B.code'") == true)
    expect([], model("B.code"))
  }

  @Test func aRequiredExcludedOwnerThatIsNotClonedWithAnotherOne() {
    let parsed = ModelParser.parse(
      SourceFile(
        path: "m.yml",
        text: """
          version: 1
          entities:
            Note: {relationships: {items: {destination: Item, toMany: true, inverse: note}}}
            Section: {relationships: {items: {destination: Item, toMany: true, inverse: section}}}
            Item:
              relationships:
                note: {destination: Note, inverse: items, userInfo: {exclude: ""}}
                section: {destination: Section, optional: true, inverse: items}
          """))
    #expect(parsed.diagnostics.map(\.code) == [.requiredRelationshipExcluded])
    #expect(parsed.diagnostics.first?.severity == .error)
    #expect(parsed.diagnostics.first?.message.contains("would create items without") == true)
  }
}
