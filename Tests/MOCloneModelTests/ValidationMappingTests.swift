import Testing

@testable import MOCloneModel
@testable import MOCloneYAML

@Suite("Validation of the mapping")
struct ValidationMappingTests {
  @Test func aKeyIsGeneratedInTheTypeOfItsAttribute() {
    func key(_ generate: KeyGeneration, _ type: AttributeType) -> [EntityDescription] {
      [entity("Note", [attribute("n", type)], key: [KeyColumn("n", generate: generate)])]
    }
    expect([.invalidPrimaryKey], of: key(.rowid, .string))
    expect([.invalidPrimaryKey], of: key(.max, .double))
    expect([.invalidPrimaryKey], of: key(.uuid, .integer64))
    expect([], of: key(.rowid, .integer32))
    expect([], of: key(.uuid, .string))
  }

  @Test func referencedColumnsAreNoMoreThanThoseOfTheForeignKey() {
    let text = """
      version: 1
      entities:
        Note: {relationships: {items: {destination: Item, toMany: true, inverse: note, references: id}}}
        Item: {relationships: {note: {destination: Note, inverse: items}}}
      """
    let found = ModelParser.parse(SourceFile(path: "m.yml", text: text)).diagnostics
    #expect(found.map(\.message).contains("'references' names 1 column, but 'column' names none"))
  }

  @Test func twoAttributesOnOneColumn() {
    let found = findings([entity("Note", [attribute("noteName"), attribute("note", column: "NOTE_name")])])
    #expect(found.map(\.code) == [.sharedColumn])
    #expect(found.first?.notes.first?.path == .entity("Note") / "attributes" / "noteName")
  }

  @Test func anAttributeOnTheColumnOfAForeignKey() {
    expect([.sharedColumn], of: notes([attribute("noteID", .uuid, optional: true)]))
  }

  @Test func anAttributeOnAnOrderOrDiscriminatorColumn() {
    expect(
      [.sharedColumn],
      of: [
        entity("Note", [], [toMany("items", "Item", inverse: "note", ordered: true)]),
        entity(
          "Item", [attribute("noteIDOrder", .integer32)], [toOne("note", "Note", inverse: "items")]),
      ])
    expect([.sharedColumn], of: [entity("Base", [attribute("entity")]), entity("Sub", parent: "Base")])
  }

  @Test func keyColumnsMayHaveOtherNames() {
    expect([], of: [entity("Note", [attribute("id", .uuid, ["rebuild": "UUID"])])])
    expect(
      [],
      of: [
        entity(
          "Note", [attribute("noteID", .integer64)], [toOne("item", "Item", columns: [.init("item_id")])],
          key: [KeyColumn("note_id"), KeyColumn("item_id")]), entity("Item"),
      ])
    expect(
      [.sharedColumn], of: [entity("Note", [attribute("id", .uuid), attribute("pk", .uuid, column: "id")])])
  }

  @Test func siblingsShareAColumnOfOneType() {
    let other = entity("B", parent: "Base", [attribute("x", .date)])
    expect(
      [.sharedColumn],
      of: [entity("Base"), entity("A", parent: "Base", [attribute("x")]), other])
  }

  @Test func twoEntitiesInOneTable() {
    expect([.sharedTable], of: [entity("Note"), entity("Memo", table: "NOTE")])
  }

  @Test func keysThatCannotBeMade() {
    let rowid = KeyColumn("a", generate: .rowid)
    expect([.invalidPrimaryKey], of: [entity("Note", key: [rowid, KeyColumn("b")])])
    expect([.invalidPrimaryKey], of: [entity("Note", key: [KeyColumn("a"), KeyColumn("A")])])
  }

  @Test func aKeyThatNothingMakesNew() throws {
    func found(_ key: String, _ properties: String = "") -> [Diagnostic] {
      let text =
        "version: 1\nname: T\nentities:\n  A:\n    primaryKey: \(key)\n"
        + "    attributes: {x: String\(properties)}\n"
      return ModelParser.parse(SourceFile(path: "t.yml", text: text)).diagnostics
    }
    let finding = try #require(found("[tenant, num]").first)
    #expect(finding.code == .unknownKeyColumn && finding.severity == .warning)
    #expect(finding.message.hasPrefix("nothing makes the key of 'A' new: its columns 'tenant' and 'num'"))
    #expect(finding.help?.hasPrefix("write 'primaryKey: [tenant, {column: num, generate: max}]', ") == true)
    #expect(found("[tenant, {column: num, generate: max}]").isEmpty)
    #expect(found("[tenant, {column: num, generate: none}]").isEmpty)
    #expect(found("[tenant, num]", ", num: Integer 64").isEmpty)
  }

  @Test func aPartOfAKeyThatMayBeEmpty() {
    let key = [KeyColumn("a"), KeyColumn("b")]
    for part in [attribute("b", optional: true), attribute("b", transient: true)] {
      expect([.invalidPrimaryKey], .warning, of: [entity("Note", [attribute("a"), part], key: key)])
    }
    expect([], of: [entity("Note", [attribute("a"), attribute("b")], key: key)])
  }

  @Test func aStorageFormOfAnotherType() {
    var attribute = attribute("name")
    attribute.storage = .date(.unix)
    expect([.storageMismatch], of: [entity("Note", [attribute])])
  }

  @Test func aForeignKeyOnBothSides() {
    expect(
      [.twoForeignKeys],
      of: [
        entity("Note", [], [toOne("text", "Text", inverse: "note", columns: [.init("text")])]),
        entity("Text", [], [toOne("note", "Note", inverse: "text", columns: [.init("note")])]),
      ])
  }

  @Test func aColumnOnTheWrongSide() {
    expect(
      [.columnOnToMany],
      of: [
        entity("Note", [], [toMany("items", "Item", inverse: "note", columns: [.init("note_id")])]),
        entity("Item", [], [toOne("note", "Note", inverse: "items")]),
      ])
  }

  @Test func tooFewColumnsForAKey() {
    let note = entity("Note", [attribute("a"), attribute("b")], key: [KeyColumn("a"), KeyColumn("b")])
    expect(
      [.foreignKeyColumns], of: [note, entity("Item", [], [toOne("note", "Note", columns: [.init("n")])])])
  }

  @Test func aReferenceToAColumnThatIsNotUnique() {
    let reference = ForeignKeyColumn("note_uid", references: "uid")
    let item = entity("Item", [], [toOne("note", "Note", columns: [reference])])
    expect([.referenceNotUnique], of: [entity("Note", [attribute("uid", .uuid)]), item])
    let uid = attribute("uid", .uuid, ["rebuild": "uuid"])
    expect([], of: [entity("Note", [uid], unique: [["uid"]]), item])
  }

  @Test func anOrderColumnWithoutOrder() {
    var items = toMany("items", "Item")
    items.orderColumn = "position"
    expect([.orderColumnWithoutOrder], of: [entity("Note", [], [items]), entity("Item")])
  }

  @Test func aJoinTableOfAToOne() {
    var item = toOne("item", "Item")
    item.joinTable = JoinTableDescription()
    expect([.joinTableOnToOne], of: [entity("Note", [], [item]), entity("Item")])
  }

  private func tagged(_ memo: JoinTableDescription?, _ tag: JoinTableDescription?) -> [EntityDescription] {
    [
      entity("Memo", [], [toMany("tags", "Tag", inverse: "memos", join: memo)]),
      entity("Tag", [], [toMany("memos", "Memo", inverse: "tags", join: tag)]),
    ]
  }

  @Test func twoDescriptionsOfAJoinTable() {
    let one = JoinTableDescription(table: "memo_tags")
    let two = JoinTableDescription(table: "tag_memos")
    expect([.joinTableMismatch], of: tagged(one, two))
    expect([], of: tagged(one, JoinTableDescription(table: "MEMO_TAGS")))
  }

  @Test func aJoinWithinOneEntityNeedsColumns() {
    func people(_ join: JoinTableDescription?) -> [EntityDescription] {
      [
        entity(
          "Person", [],
          [
            toMany("likes", "Person", inverse: "likedBy", join: join),
            toMany("likedBy", "Person", inverse: "likes"),
          ])
      ]
    }
    expect([.joinColumns], of: people(nil))
    expect([], of: people(JoinTableDescription(columns: ["liker"], inverseColumns: ["liked"])))
  }

  @Test func aJoinWithTooFewColumns() {
    expect([.joinColumns], of: tagged(JoinTableDescription(columns: ["a", "b"]), nil))
  }

  @Test func twoRelationshipsInOneJoinTable() {
    expect(
      [.sharedJoinTable],
      of: [
        entity(
          "Memo", [],
          [toMany("tags", "Tag", inverse: "memos"), toMany("labels", "Tag", inverse: "labelled")]),
        entity(
          "Tag", [],
          [toMany("memos", "Memo", inverse: "tags"), toMany("labelled", "Memo", inverse: "labels")]),
      ])
  }

  @Test func aJoinTableNamedLikeAnEntitysTable() {
    expect([.sharedTable], of: tagged(nil, nil) + [entity("MemoTag")])
  }
}
