import Testing

@testable import MOCloneModel
@testable import MOCloneYAML

@Suite("Names that follow from 'naming: coreData'")
struct CoreDataNamesTests {
  private func mapping(_ entities: String) throws -> SchemaMapping {
    SchemaMapping(
      try ObjectModel(yaml: "version: 1\nname: T\nstore: {naming: coreData}\nentities:\n\(entities)"))
  }

  private func join(_ mapping: RelationshipMapping?) throws -> JoinTableMapping {
    guard case .join(let join)? = mapping else { throw Unexpected() }
    return join
  }

  private struct Unexpected: Error {}

  @Test("entities are numbered depth first, siblings without regard to case, and share their root's table")
  func numbers() throws {
    let mapping = try mapping(
      """
        zebra: {parent: animal}
        Ant: {parent: animal}
        Bee: {}
        animal: {abstract: true}
        Worker: {parent: Ant}
      """)
    #expect(mapping.coreData?.numbers == ["animal": 1, "Ant": 2, "Worker": 3, "zebra": 4, "Bee": 5])
    #expect(
      mapping["Worker"].table == "ZANIMAL"
        && mapping["Bee"].discriminator == .init(column: "Z_ENT", value: "5"))
    #expect(mapping["zebra"].keyColumns == ["Z_PK"])
  }

  @Test("properties of siblings with one name are told apart in the order of the entities' numbers")
  func siblings() throws {
    let mapping = try mapping(
      """
        Base: {abstract: true, attributes: {createDate: Date, id: UUID}}
        C: {parent: Base, attributes: {note: String}}
        B: {parent: Base, relationships: {note: {destination: C, optional: true}}}
        A: {parent: Base, attributes: {note: Integer 16}}
      """)
    #expect(mapping["A"].attributes["note"]?.column == "ZNOTE")
    #expect(mapping["B"].foreignKeys.first?.key.columns == ["ZNOTE1"])
    #expect(mapping["C"].attributes["note"]?.column == "ZNOTE2")
    #expect(mapping["A"].attributes["createDate"]?.dates == .referenceDate)
    #expect(mapping["A"].attributes["id"]?.uuids == .blob)
  }

  @Test("a join table is named after the entity that is first, its columns after the destinations")
  func joins() throws {
    let mapping = try mapping(
      """
        Author: {relationships: {createdEntries: {destination: Post, toMany: true, ordered: true, inverse: authors}}}
        Post:
          relationships:
            authors: {destination: Author, toMany: true, ordered: true, inverse: createdEntries}
            tags: {destination: Tag, toMany: true, inverse: posts}
        Tag:
          relationships:
            posts: {destination: Post, toMany: true, inverse: tags}
            users: {destination: User, toMany: true, inverse: tags}
        User: {relationships: {tags: {destination: Tag, toMany: true, inverse: users}}}
      """)
    let entries = try join(mapping["Author"].relationships["createdEntries"])
    #expect(entries.table == "Z_1CREATEDENTRIES")
    #expect(entries.columns == ["Z_1AUTHORS"] && entries.destinationColumns == ["Z_2CREATEDENTRIES"])
    #expect(entries.orderColumn == "Z_FOK_2CREATEDENTRIES" && entries.inverseOrderColumn == "Z_FOK_1AUTHORS")
    #expect(try join(mapping["Post"].relationships["tags"]).destinationColumns == ["Z_3TAGS"])
    #expect(try join(mapping["User"].relationships["tags"]).destinationColumns == ["Z_3TAGS1"])
  }

  @Test("a list is ordered beside its key, a to-many without inverse has a hidden key, a one-to-one has two")
  func references() throws {
    let mapping = try mapping(
      """
        Note:
          relationships:
            memos: {destination: Memo, toMany: true, ordered: true, inverse: note}
            drafts: {destination: Memo, toMany: true}
            detail: {destination: Detail, optional: true, inverse: note}
        Memo: {relationships: {note: {destination: Note, optional: true, inverse: memos}}}
        Detail: {relationships: {note: {destination: Note, inverse: detail}}}
      """)
    let key = try #require(mapping["Memo"].foreignKeys.first?.key)
    #expect(key.columns == ["ZNOTE"] && key.orderColumn == "Z_FOK_NOTE")
    guard case .inverseForeignKey(let hidden)? = mapping["Note"].relationships["drafts"] else {
      throw Unexpected()
    }
    #expect(hidden.columns == ["Z3DRAFTS"])
    #expect(mapping["Detail"].foreignKeys.map(\.key.columns) == [["ZNOTE"]])
    #expect(mapping.coreData?.mirrors.map(\.column) == ["ZDETAIL"])
  }

  @Test("names that the model gives itself win")
  func given() throws {
    let mapping = try mapping(
      """
        Note: {table: ZOLD, discriminator: {value: "9"}, attributes: {name: {type: String, column: ZTITLE}, title: String}}
      """)
    #expect(mapping["Note"].table == "ZOLD" && mapping["Note"].discriminator?.value == "9")
    #expect(mapping["Note"].attributes.mapValues(\.column) == ["name": "ZTITLE", "title": "ZTITLE1"])
    #expect(mapping.coreData?.numbers == ["Note": 9])
  }
}
