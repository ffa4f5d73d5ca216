import Foundation
import GRDB
import MOCloneKit
import TestSupport
import Testing

@testable import MOCloneModeling

@Suite("Names of a model in a Core Data store that has others")
struct CoreDataNamingTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func resolved(_ entities: String, _ numbers: String, _ tables: String) throws -> ModelDraft {
    let path = folder.file("store.sqlite").path
    try DatabaseQueue(path: path).write { db in
      try db.execute(
        sql:
          "CREATE TABLE Z_PRIMARYKEY(Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);"
          + "INSERT INTO Z_PRIMARYKEY VALUES \(numbers);" + tables)
    }
    let model = try ObjectModel(
      yaml: "version: 1\nname: T\nstore: {naming: coreData}\nentities:\n\(entities)")
    var draft = ModelDraft(model)
    try draft.resolveNames(inStoreAt: path)
    return draft
  }

  private let key = "Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER"

  @Test("a store as the model has it leaves the model as it is")
  func same() throws {
    let draft = try resolved(
      "  Note: {attributes: {name: String}}", "(1, 'Note', 0, 0)", "CREATE TABLE ZNOTE(\(key), ZNAME VARCHAR)"
    )
    #expect(draft.comments.isEmpty && draft.omissions.isEmpty)
    #expect(draft.entities[0].table == nil && draft.entities[0].attributes[0].column == nil)
  }

  @Test("a reflexive join table that is named after the other side is found by its columns")
  func reflexiveJoin() throws {
    let entities = """
        Page:
          relationships:
            links: {destination: Page, toMany: true, ordered: true, inverse: linkedFrom}
            linkedFrom: {destination: Page, toMany: true, inverse: links}
      """
    let draft = try resolved(
      entities, "(1, 'Page', 0, 0)",
      "CREATE TABLE ZPAGE(\(key)); CREATE TABLE Z_1LINKEDFROM(Z_1LINKEDFROM1 INTEGER, Z_1LINKS INTEGER, "
        + "Z_FOK_1LINKS INTEGER, PRIMARY KEY (Z_1LINKEDFROM1, Z_1LINKS))")
    #expect(draft.omissions == [])
    let page = draft.entities[0].relationships
    #expect(page.compactMap(\.joinTable).map(\.table) == ["Z_1LINKEDFROM"])
    #expect(draft.yaml.contains("Z_1LINKEDFROM1"))
  }

  @Test(
    "the join table of a relationship that is its own inverse has a column REFLEXIVE, and is found by it",
    arguments: [("Z_1FRIENDS", "Z_1FRIENDS"), ("Z_3FRIENDS", "Z_3FRIENDS"), ("Z_1MATES", "Z_1FRIENDS")])
  func mutualJoin(table: String, column: String) throws {
    let entities = """
        Person:
          relationships:
            friends: {destination: Person, toMany: true, x-coredata: {inverseName: friends}}
      """
    let draft = try resolved(
      entities, "(1, 'Person', 0, 0)",
      "CREATE TABLE ZPERSON(\(key)); CREATE TABLE \(table)(\(column) INTEGER, REFLEXIVE INTEGER, "
        + "PRIMARY KEY (\(column), REFLEXIVE))")
    #expect(draft.omissions == [])
    let join = draft.entities[0].relationships[0].joinTable
    #expect(join?.table == (table == "Z_1FRIENDS" ? nil : table))
    #expect(join?.columns == (table == "Z_1FRIENDS" ? nil : [column]))
  }

  @Test(
    "that of an ordered one has two columns with positions, and what is missing of them is listed",
    arguments: [
      (", Z_FOK_1FRIENDS INTEGER, FOK_REFLEXIVE INTEGER", 0), (", FOK_REFLEXIVE INTEGER", 1), ("", 2),
    ])
  func orderedMutualJoin(columns: String, omissions: Int) throws {
    let entities = """
        Person:
          relationships:
            friends: {destination: Person, toMany: true, ordered: true, x-coredata: {inverseName: friends}}
      """
    let draft = try resolved(
      entities, "(1, 'Person', 0, 0)",
      "CREATE TABLE ZPERSON(\(key)); CREATE TABLE Z_1FRIENDS(Z_1FRIENDS INTEGER, REFLEXIVE INTEGER\(columns), "
        + "PRIMARY KEY (Z_1FRIENDS, REFLEXIVE))")
    #expect(draft.omissions.count == omissions, "\(draft.omissions)")
  }

  @Test("a relationship that is its own inverse and has no table in the store is listed")
  func noMutualJoin() throws {
    let draft = try resolved(
      "  Person: {relationships: {friends: {destination: Person, toMany: true, x-coredata: {inverseName: friends}}}}",
      "(1, 'Person', 0, 0)", "CREATE TABLE ZPERSON(\(key))")
    #expect(draft.omissions.count == 1 && draft.omissions[0].contains("Z_1FRIENDS"), "\(draft.omissions)")
  }

  @Test("columns of siblings are told apart by their types")
  func siblings() throws {
    let entities = """
        Base: {abstract: true}
        A: {parent: Base, attributes: {size: String}}
        B: {parent: Base, attributes: {size: Integer 32}}
      """
    let draft = try resolved(
      entities, "(1, 'Base', 0, 0), (2, 'A', 1, 0), (3, 'B', 1, 0)",
      "CREATE TABLE ZBASE(\(key), ZSIZE INTEGER, ZSIZE1 VARCHAR)")
    #expect(draft.entities.map { $0.attributes.first?.column } == [nil, "ZSIZE1", "ZSIZE"])
    #expect(draft.comments.count == 2 && draft.omissions == [])
  }

  @Test("entities keep their numbers and their first names, and what cannot be told is listed")
  func numbers() throws {
    let entities = "  A: {attributes: {x: String}}\n  B: {attributes: {y: Date}}\n  D: {}"
    let draft = try resolved(
      entities, "(1, 'B', 0, 0), (2, 'A', 0, 0), (3, 'Old', 0, 0)",
      "CREATE TABLE ZA(\(key), ZX VARCHAR); CREATE TABLE ZB(\(key)); CREATE TABLE ZD(\(key))")
    #expect(draft.entities.map { $0.discriminator?.value } == ["2", "1", nil])
    #expect(draft.entities.map(\.renamedFrom) == [nil, nil, "Old"])
    #expect(draft.omissions.count == 1 && draft.omissions[0].contains("no column 'ZY'"), "\(draft.omissions)")
  }

  @Test("a derived attribute that the store's triggers keep is left to them")
  func derived() throws {
    let draft = try resolved(
      "  Note: {attributes: {name: String, lower: {type: String, optional: true, derived: true}}}",
      "(1, 'Note', 0, 0)",
      "CREATE TABLE ZNOTE(\(key), ZNAME VARCHAR, ZLOWER VARCHAR);"
        + "CREATE TRIGGER Z_DA AFTER INSERT ON ZNOTE BEGIN UPDATE ZNOTE SET ZLOWER = lower(NEW.ZNAME) "
        + "WHERE Z_PK = NEW.Z_PK; END")
    #expect(draft.entities[0].attributes[1].derivation == .trigger)
  }

  @Test("a join table with a sub-entity whose inverse is on its ancestor is found by its columns")
  func joinOfSubEntity() throws {
    let entities = """
        Doc: {abstract: true, relationships: {tags: {destination: Tag, toMany: true, inverse: docs}}}
        Letter: {parent: Doc}
        Tag: {relationships: {docs: {destination: Doc, toMany: true, inverse: tags}}}
      """
    let draft = try resolved(
      entities, "(1, 'Doc', 0, 0), (2, 'Letter', 1, 0), (3, 'Tag', 0, 0)",
      "CREATE TABLE ZDOC(\(key)); CREATE TABLE ZTAG(\(key)); CREATE TABLE Z_1TAGS(Z_2DOCS INTEGER, "
        + "Z_3TAGS INTEGER, PRIMARY KEY (Z_2DOCS, Z_3TAGS))")
    #expect(draft.omissions == [])
    #expect(draft.entities.flatMap(\.relationships).compactMap(\.joinTable).count == 1)
    #expect(draft.yaml.contains("Z_2DOCS"), "\(draft.yaml)")
  }
}
