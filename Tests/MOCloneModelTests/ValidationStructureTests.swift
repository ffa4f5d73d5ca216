import Testing

@testable import MOCloneModel
@testable import MOCloneYAML

@Suite("Validation of structure")
struct ValidationStructureTests {
  @Test func twoEntitiesOfOneName() {
    expect([.duplicateEntity], of: [entity("Note"), entity("Note")])
  }

  @Test func twoPropertiesOfOneName() {
    expect([.duplicateProperty], of: [entity("Note", [attribute("a"), attribute("a", column: "b")])])
    expect([.duplicateProperty], of: [entity("Note", [attribute("a")], [toOne("a", "Note")])])
  }

  @Test func aPropertyNamedLikeAnInheritedOne() {
    let found = findings([entity("Base", [attribute("a")]), entity("Sub", parent: "Base", [attribute("a")])])
    #expect(found.map(\.code) == [.duplicateProperty])
    #expect(found.first?.path == .entity("Sub") / "attributes" / "a")
    #expect(found.first?.notes.first?.path == .entity("Base") / "attributes" / "a")
  }

  @Test func siblingsMayUseOneName() {
    expect(
      [],
      of: [
        entity("Base"), entity("A", parent: "Base", [attribute("x")]),
        entity("B", parent: "Base", [attribute("x")]),
      ])
  }

  @Test func anUnknownParent() {
    let found = findings([entity("Base"), entity("Sub", parent: "Bsae")])
    #expect(found.map(\.code) == [.unknownParent])
    #expect(found.first?.help == "did you mean 'Base'?")
  }

  @Test func parentsInACircleAreOneFinding() {
    expect(
      [.inheritanceCycle],
      of: [entity("A", parent: "C"), entity("B", parent: "A"), entity("C", parent: "B")])
    expect([.inheritanceCycle], of: [entity("A", parent: "A")])
  }

  @Test func anAbstractEntityWithoutConcreteOnes() {
    expect([.abstractWithoutSubEntity], .warning, of: [entity("Base", abstract: true)])
    expect([], of: [entity("Base", abstract: true), entity("Sub", parent: "Base")])
  }

  @Test func aSubEntityWithItsOwnTable() {
    expect([.subEntityTable], of: [entity("Base"), entity("Sub", parent: "Base", table: "sub")])
    expect([.subEntityTable], of: [entity("Base"), entity("Sub", parent: "Base", key: [KeyColumn("pk")])])
    expect([], of: [entity("Base"), entity("Sub", parent: "Base", table: "BASE", key: [KeyColumn("ID")])])
    for table in ["base", "app.base"] {
      expect(
        [], of: [entity("Base"), entity("Sub", parent: "Base", table: table)],
        store: StoreOptions(schema: "app"))
    }
  }

  @Test func discriminatorsThatDoNotTellApart() {
    let same = DiscriminatorDescription(value: "Base")
    expect(
      [.duplicateDiscriminator], of: [entity("Base"), entity("Sub", parent: "Base", discriminator: same)])
    let other = DiscriminatorDescription(column: "kind")
    expect([.discriminatorColumn], of: [entity("Base"), entity("Sub", parent: "Base", discriminator: other)])
  }

  @Test func aDefaultOfAnotherType() {
    expect([.defaultOfAnotherType], of: [entity("Note", [attribute("n", .integer16, default: 70_000)])])
    expect([.defaultOfAnotherType], of: [entity("Note", [attribute("d", .date, default: "soon")])])
    expect([], of: [entity("Note", [attribute("n", .integer16, default: "7")])])
  }

  @Test func limitsOutOfOrder() {
    var attribute = attribute("n", .double)
    (attribute.minimum, attribute.maximum) = (2, 1)
    expect([.invalidRange], of: [entity("Note", [attribute])])
  }

  @Test func patternsThatCannotMatch() {
    var text = attribute("text")
    text.pattern = "[a"
    expect([.invalidPattern], of: [entity("Note", [text])])
    var number = attribute("number", .double)
    number.pattern = "a"
    expect([.invalidPattern], of: [entity("Note", [number])])
  }

  @Test func aConstraintOverSomethingElse() {
    expect([.unknownConstraintProperty], of: [entity("Note", [attribute("name")], unique: [["nmae"]])])
    expect(
      [.toManyInConstraint],
      of: [entity("Note", [], [toMany("items", "Item")], unique: [["items"]]), entity("Item")])
    expect([], of: [entity("Note", [], [toOne("item", "Item")], unique: [["item"]]), entity("Item")])
    expect(
      [.transientInConstraint],
      of: [entity("Note", [attribute("name", [:], transient: true)], unique: [["name"]])])
  }

  @Test func constraintsThatAreWrittenTwice() {
    let excluded = ["a", "b"].map { attribute($0, optional: true, ["exclude": ""]) }
    func note(_ constraints: [[String]]) -> EntityDescription {
      entity("Note", excluded, unique: constraints)
    }
    expect([.duplicateConstraint], .warning, of: [note([["a"], ["b"], ["a"]])])
    expect([.duplicateConstraint], .warning, of: [note([["a", "b"], ["b", "a"]])])
    expect(
      [.duplicateConstraint], .warning,
      of: [
        note([["a"]]), entity("Memo", parent: "Note", [], unique: [["a"]]),
      ])
    expect([], of: [note([["a"], ["b"], ["a", "b"]])])
    let found = findings([note([["a", "a"]])])
    #expect(found.map(\.message) == ["a uniqueness constraint of 'Note' names 'a' twice"])
  }

  @Test func aConstraintThatIsWrittenTwiceIsCopiedOnce() {
    let found = findings([entity("Note", [attribute("a")], unique: [["a"], ["a"]])])
    #expect(Set(found.map(\.code)) == [.uniqueCopied, .duplicateConstraint] && found.count == 2)
  }

  @Test func anEmptyConstraint() {
    let text =
      "version: 1\nname: T\nentities:\n  Tag:\n    attributes: {a: {type: UUID, userInfo: {rebuild: uuid}}}\n"
      + "    uniquenessConstraints: [[a], []]\n"
    let found = ModelParser.parse(SourceFile(path: "t.yml", text: text)).diagnostics
    #expect(found.map(\.code) == [.wrongKind])
    #expect(
      found.first?.message == "an entry of 'uniquenessConstraints' is empty; name at least one property")
  }

  @Test func theSecondOfTwoConstraintsIsMarked() throws {
    let text =
      "version: 1\nname: T\nentities:\n  Tag:\n"
      + "    attributes: {a: {type: UUID, userInfo: {rebuild: uuid}}, b: String}\n"
      + "    uniquenessConstraints: [[a, b], [b, a]]\n"
    let found = ModelParser.parse(SourceFile(path: "t.yml", text: text)).diagnostics
    #expect(found.map(\.code) == [.duplicateConstraint])
    #expect([found.first?.range?.start.line, found.first?.range?.start.column] == [6, 37])
    #expect(found.first?.notes.first?.range?.start.column == 29)
  }

  @Test(arguments: [AttributeType.boolean, .date, .uuid, .binary])
  func limitsOfTypesThatHaveNone(type: AttributeType) {
    var limited = attribute("a", type)
    limited.minimum = 1
    expect([.invalidRange], of: [entity("Note", [limited])])
  }

  @Test func theWrongNameOfAConstraintIsMarked() throws {
    let text =
      "version: 1\nname: T\nentities:\n  Tag:\n    attributes: {name: String?}\n"
      + "    uniquenessConstraints: [[name, nme]]\n"
    let found = ModelParser.parse(SourceFile(path: "t.yml", text: text)).diagnostics
    let finding = try #require(found.first { $0.code == .unknownConstraintProperty })
    #expect([finding.range?.start.line, finding.range?.start.column] == [6, 36])
  }
}

@Suite("Validation of relationships")
struct ValidationRelationshipTests {
  @Test func anUnknownDestination() {
    let found = findings([entity("Note", [], [toMany("items", "Itme", inverse: "note")]), entity("Item")])
    #expect(found.map(\.code) == [.unknownDestination])
    #expect(found.first?.help == "did you mean 'Item'?")
  }

  @Test func theInverseThatNamesARelationshipIsProposedWhateverItsName() {
    let found = findings([
      entity("Note", [], [toMany("items", "Item", inverse: "text")]),
      entity("Item", [attribute("text")], [toOne("note", "Note", inverse: "items")]),
    ])
    #expect(found.map(\.code) == [.unknownInverse])
    #expect(found.first?.help == "did you mean 'note'?")
  }

  @Test func anInverseThatDoesNotExist() {
    let found = findings([
      entity("Note", [], [toMany("items", "Item", inverse: "notes")]),
      entity("Item", [], [toOne("note", "Note")]),
    ])
    #expect(found.map(\.code) == [.unknownInverse])
    #expect(found.first?.help == "did you mean 'note'?")
  }

  @Test func anInverseThatNamesAnotherOne() {
    let found = findings([
      entity("Note", [], [toMany("items", "Item", inverse: "note"), toMany("notes", "Item")]),
      entity(
        "Item", [], [toOne("note", "Note", inverse: "items"), toOne("other", "Note", inverse: "items")]),
    ])
    #expect(found.map(\.code) == [.inverseMismatch])
    #expect(found.first?.path == .entity("Item") / "relationships" / "other" / "inverse")
  }

  @Test func aMissingEntityIsReportedOnce() {
    let found = findings([
      entity("Note", [], [toMany("items", "Itme"), toMany("old", "Itme")]),
      entity("Memo", parent: "Base", [], [toOne("base", "Base")]),
      entity(
        "Photo",
        [attribute("uid", .uuid, ["followParent": "Base.uid", "withoutParent": "keep"])]),
    ])
    #expect(found.map(\.code) == [.unknownParent, .unknownDestination])
    #expect(found.map { $0.notes.map(\.path.name) } == [["Memo.base"], ["Note.old"]])
  }

  @Test func manyPlacesOfAMissingEntityAreCounted() throws {
    let relationships = (1...20).map { toMany("items\($0)", "Itme") }
    let found = try #require(findings([entity("Note", [], relationships)]).first)
    #expect(found.notes.count == 5)
    #expect(found.notes.last?.message.contains("14 more places") == true)
  }

  @Test func anInverseThatNamesThePartnerOfAnother() {
    let found = findings([
      entity(
        "Note", [], [toMany("items", "Item", inverse: "owner"), toMany("owned", "Item", inverse: "owner")]),
      entity(
        "Item", [], [toOne("note", "Note", inverse: "items"), toOne("owner", "Note", inverse: "owned")]),
    ])
    #expect(found.map(\.code) == [.inverseMismatch])
    #expect(found.first?.path == .entity("Note") / "relationships" / "items" / "inverse")
  }

  @Test func anInverseThatNamesItselfInPlaceOfItsPartner() {
    expect(
      [.inverseOfItself],
      of: [
        entity(
          "Person", [],
          [toMany("reports", "Person", inverse: "manager"), toOne("manager", "Person", inverse: "manager")])
      ])
  }

  @Test func anInverseThatNamesNone() {
    expect(
      [.inverseMismatch],
      of: [
        entity("Note", [], [toMany("items", "Item", inverse: "note")]),
        entity("Item", [], [toOne("note", "Note")]),
      ])
  }

  @Test func anInverseThatLeadsElsewhere() {
    let found = findings([
      entity("Note", [], [toMany("items", "Item", inverse: "note")]),
      entity("Item", [], [toOne("note", "Tag", inverse: "items")]), entity("Tag"),
    ])
    #expect(found.map(\.code) == [.inverseOfOtherEntity] && found.first?.severity == .error)
    #expect(found.first?.message.hasSuffix("'Item.note', but that leads to 'Tag', not to 'Note'") == true)
  }

  @Test func aRelationshipThatIsItsOwnInverse() {
    expect([.inverseOfItself], of: [entity("Person", [], [toMany("friends", "Person", inverse: "friends")])])
  }

  @Test func anOrderedToOne() {
    var relationship = toOne("item", "Item")
    relationship.isOrdered = true
    expect([.orderedToOne], of: [entity("Note", [], [relationship]), entity("Item")])
    relationship.orderColumn = "place"
    let found = findings([entity("Note", [], [relationship]), entity("Item")])
    let finding = found.first { $0.code == .orderedToOne }
    #expect(finding?.help == "remove 'ordered' and 'orderColumn', or add 'toMany: true'")
  }

  @Test(
    arguments: [(true, -1, nil), (true, 3, 2), (true, nil, 0), (false, 2, nil), (false, nil, 2)]
      as [(Bool, Int?, Int?)])
  func countsThatMakeNoSense(isToMany: Bool, least: Int?, greatest: Int?) {
    var relationship = toOne("items", "Item", optional: true)
    relationship.isToMany = isToMany
    (relationship.minCount, relationship.maxCount) = (least, greatest)
    expect([.invalidCount], of: [entity("Note", [], [relationship]), entity("Item")])
  }

  @Test func treesAndInheritedInversesAreValid() {
    expect(
      [],
      of: [
        entity(
          "Folder", [],
          [
            toMany("children", "Folder", inverse: "parent"),
            toOne("parent", "Folder", inverse: "children", optional: true),
          ]), entity("Smart", parent: "Folder", [attribute("query")]),
      ])
  }
}
