import Testing

@testable import MOCloneModel
@testable import MOCloneYAML

@Suite("Validation of whole models")
struct ValidationModelTests {
  /// Inheritance, a tree, a one-to-one, a join table, composite keys and every annotation.
  private var library: [EntityDescription] {
    [
      entity(
        "Document", abstract: true,
        [
          attribute("uid", .uuid, ["rebuild": "uuid"]), attribute("title"),
          attribute("created", .date, ["rebuild": "now"]),
          attribute("views", .integer32, default: 0, ["exclude": ""]),
        ],
        [
          toOne("folder", "Folder", inverse: "documents", optional: true),
          toMany("pages", "Page", inverse: "document", ordered: true),
          toMany("tags", "Tag", inverse: "documents"),
          toOne("cover", "Cover", inverse: "document", optional: true),
        ], unique: [["uid"]]),
      entity("Letter", parent: "Document", [attribute("sender", optional: true)]),
      entity(
        "Invoice", parent: "Document", [attribute("sender", optional: true), attribute("sum", .decimal)]),
      entity("Cover", [attribute("image", .binary)], [toOne("document", "Document", inverse: "cover")]),
      entity(
        "Folder", [attribute("name")],
        [
          toMany("children", "Folder", inverse: "parent"),
          toOne("parent", "Folder", inverse: "children", optional: true),
          toMany("documents", "Document", inverse: "folder"),
        ]),
      entity(
        "Page",
        [
          attribute("number", .integer32),
          attribute("documentUID", .uuid, ["followParent": "Document.uid", "withoutParent": "keep"]),
        ], [toOne("document", "Document", inverse: "pages")],
        key: [KeyColumn("document_id"), KeyColumn("number")]),
      entity(
        "Tag", [attribute("name")], [toMany("documents", "Document", inverse: "tags")], unique: [["name"]]),
    ]
  }

  @Test(arguments: NamingConvention.allCases)
  func aValidModelHasNoFindings(naming: NamingConvention) throws {
    var entities = library
    let page = try #require(entities.firstIndex { $0.name == "Page" })
    // The key's part is the foreign key's column, which each convention calls otherwise.
    let columns: [NamingConvention: String] = [.asWritten: "document", .grdb: "documentId"]
    entities[page].primaryKey[0].column = columns[naming] ?? "document_id"
    expect([], of: entities, store: StoreOptions(naming: naming))
  }

  @Test func aThrowingInitializerTellsEveryFinding() {
    let error = #expect(throws: ModelError.self) {
      try ObjectModel(name: "Test", entities: [entity("A", parent: "X"), entity("B", [], [toOne("c", "C")])])
    }
    #expect(error?.diagnostics.map(\.code) == [.unknownParent, .unknownDestination])
  }

  @Test func whatHangsOnAnUnknownParentIsNotJudged() {
    expect(
      [.unknownParent],
      of: [
        entity("Base", abstract: true, [attribute("uid", .uuid)], table: "things"),
        entity(
          "Sub", parent: "Bose", [], [toMany("items", "Item", inverse: "owner")], unique: [["uid"]],
          table: "things"),
        entity(
          "Item", [attribute("a", .uuid, ["followParent": "uid", "withoutParent": "keep"])],
          [toOne("owner", "Sub", inverse: "items")]),
      ])
  }

  @Test func whatHangsOnAnUnknownDestinationIsNotJudged() {
    expect(
      [.unknownDestination],
      of: [
        entity("Note", [attribute("uid", .uuid)], [toMany("items", "Itme", inverse: "note", ordered: true)]),
        entity(
          "Item", [attribute("a", .uuid, ["followParent": "uid", "withoutParent": "keep"])],
          [toOne("note", "Note", inverse: "items", ["exclude": ""])]),
      ])
  }

  @Test func aDuplicateEntityIsJudgedOnce() {
    expect([.duplicateEntity], of: library + [entity("Tag", [attribute("x", .date, default: "soon")])])
  }

  @Test func findingsNameTheirRemedy() {
    let found = findings([
      entity("A", parent: "X"), entity("B", [attribute("n", ["rebuild": "new"])], [toOne("c", "C")]),
    ])
    #expect(found.allSatisfy { $0.help != nil })
  }

  @Test func aLargeModelIsJudgedAtOnce() {
    let entities = (0..<2000).map { i in
      entity(
        "E\(i)", [attribute("a", .uuid, ["rebuild": "uuid"])],
        [toOne("next", "E\((i + 1) % 2000)", optional: true)])
    }
    #expect(findings(entities).isEmpty)
    let misspelt = (0..<2000).map { i in entity("E\(i)", [], [toOne("next", "F\(i)x", optional: true)]) }
    #expect(findings(misspelt).count == 2000)
  }
}
