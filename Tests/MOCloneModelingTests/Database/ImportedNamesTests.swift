import MOCloneKit
import MOCloneModeling
import Testing

@testable import MOCloneModeling

@Suite("Names of imported models")
struct ImportedNamesTests {
  @Test(arguments: [
    ("orders", "Order"), ("categories", "Category"), ("addresses", "Address"), ("statuses", "Status"),
    ("people", "Person"), ("order_items", "OrderItem"), ("OrderDetails", "OrderDetail"), ("news", "News"),
    ("data", "Data"), ("boxes", "Box"), ("houses", "House"), ("movies", "Movie"), ("photos", "Photo"),
    ("cameras", "Camera"), ("buses", "Bus"), ("USERS", "User"), ("tbl users", "TblUser"),
    ("status", "Status"),
    ("analysis", "Analysis"), ("children", "Child"), ("URLItems", "URLItem"), ("caches", "Cache"),
    ("series", "Series"), ("wikis", "Wiki"), ("custom_emojis", "CustomEmoji"),
  ])
  func aTableNamesItsEntityInTheSingular(table: String, entity: String) {
    #expect(NameWords(table).singular.upperCamel == entity)
  }

  @Test(arguments: [
    ("track", "tracks"), ("category", "categories"), ("box", "boxes"), ("address", "addresses"),
    ("day", "days"),
    ("person", "people"), ("status", "statuses"), ("orderItem", "orderItems"), ("news", "news"),
    ("staff", "staff"),
  ])
  func manyOfOneAreInThePlural(one: String, many: String) {
    #expect(NameWords(one).plural.lowerCamel == many)
  }

  /// Tables `parent` and `child`, whose reference is in a column.
  private func reference(_ column: String, _ definition: String = "INTEGER REFERENCES artist") throws
    -> [String]
  {
    let database = try ImportedDatabase(
      "CREATE TABLE artist (id INTEGER PRIMARY KEY); CREATE TABLE albums (id INTEGER PRIMARY KEY, \"\(column)\" \(definition))"
    )
    let relationship = try #require(database.model.entity("Album")?.relationships.first)
    return [relationship.name, relationship.inverse ?? ""]
  }

  @Test(arguments: [
    "artist_id", "artistId", "ArtistID", "artist", "id_artist", "fk_artist", "artistid", "artist_fk",
    "ARTIST_ID",
    "artists_id", "artist id",
  ])
  func aReferenceIsNamedAfterItsTarget(column: String) throws {
    #expect(try reference(column) == ["artist", "albums"])
  }

  @Test func aReferenceInAnotherRoleIsNamedAfterTheRole() throws {
    #expect(try reference("producer_id") == ["producer", "albums"])
  }

  @Test func aUniqueReferenceLeadsBackToOne() throws {
    #expect(try reference("artist_id", "INTEGER UNIQUE REFERENCES artist") == ["artist", "album"])
  }

  @Test func severalReferencesToOneTableAreNamedAfterTheirColumns() throws {
    let database = try ImportedDatabase(
      """
      CREATE TABLE team (id INTEGER PRIMARY KEY);
      CREATE TABLE match (id INTEGER PRIMARY KEY, home_team_id INTEGER REFERENCES team, away_team_id INTEGER REFERENCES team,
        referee INTEGER REFERENCES team);
      """)
    #expect(try database.entity("Match").relationships.map(\.name) == ["homeTeam", "awayTeam", "referee"])
    #expect(
      try database.entity("Team").relationships.map(\.name) == [
        "homeMatches", "awayMatches", "refereeMatches",
      ])
  }

  @Test func theListsOfPrismasJoinTablesAreNamedAfterWhatIsInThem() throws {
    let database = try ImportedDatabase(
      """
      CREATE TABLE Category (id INTEGER PRIMARY KEY, name TEXT); CREATE TABLE Post (id INTEGER PRIMARY KEY, title TEXT);
      CREATE TABLE _CategoryToPost (A INTEGER NOT NULL REFERENCES Category(id) ON DELETE CASCADE, B INTEGER NOT NULL REFERENCES Post(id) ON DELETE CASCADE);
      CREATE UNIQUE INDEX u ON _CategoryToPost (A, B);
      """)
    #expect(try database.entity("Category").relationships.map(\.name) == ["posts"])
    #expect(try database.entity("Post").relationships.map(\.name) == ["categories"])
    try database.check()
  }

  @Test func aTreeHasChildrenAndAListHasANext() throws {
    let database = try ImportedDatabase(
      "CREATE TABLE node (id INTEGER PRIMARY KEY, parent_id INTEGER REFERENCES node ON DELETE CASCADE, next_node_id INTEGER UNIQUE REFERENCES node)"
    )
    #expect(
      try database.entity("Node").relationships.map(\.name) == [
        "parent", "nextNode", "children", "previousNode",
      ])
    #expect(try database.relationship("children", of: "Node").deleteRule == .cascade)
    let folders = try ImportedDatabase(
      "CREATE TABLE folder (id INTEGER PRIMARY KEY, parent_folder_id INTEGER REFERENCES folder); CREATE TABLE employee (id INTEGER PRIMARY KEY, manager_id INTEGER REFERENCES employee)"
    )
    #expect(try folders.relationship("parentFolder", of: "Folder").inverse == "childFolders")
    #expect(try folders.relationship("manager", of: "Employee").inverse == "reports")
  }

  static let namings: [(NamingConvention, String)] = [
    (
      .snakeCase,
      "CREATE TABLE order_item (id INTEGER PRIMARY KEY, unit_price REAL, sales_order_id INTEGER REFERENCES sales_order); CREATE TABLE sales_order (id INTEGER PRIMARY KEY, placed_by TEXT)"
    ),
    (
      .grdb,
      "CREATE TABLE orderItem (id INTEGER PRIMARY KEY, unitPrice REAL, salesOrderId INTEGER REFERENCES salesOrder); CREATE TABLE salesOrder (id INTEGER PRIMARY KEY, placedBy TEXT)"
    ),
    (
      .asWritten,
      "CREATE TABLE OrderItem (id INTEGER PRIMARY KEY, UnitPrice REAL, salesOrder INTEGER REFERENCES SalesOrder); CREATE TABLE SalesOrder (id INTEGER PRIMARY KEY, PlacedBy TEXT)"
    ),
  ]

  @Test(arguments: namings)
  func theNamingIsThatWhichLeavesNothingToSay(naming: NamingConvention, sql: String) throws {
    let database = try ImportedDatabase(sql)
    #expect(database.model.store.naming == naming)
    #expect(database.model.entities.map(\.name) == ["OrderItem", "SalesOrder"])
    #expect(database.draft.namesToSay == 0, "\(database.draft.yaml)")
  }

  @Test func aKeyColumnThatMostTablesHaveIsSaidOnce() throws {
    let database = try ImportedDatabase(
      "CREATE TABLE a (pk INTEGER PRIMARY KEY); CREATE TABLE b (pk INTEGER PRIMARY KEY); CREATE TABLE c (code TEXT PRIMARY KEY)"
    )
    #expect(database.model.store.primaryKey == "pk")
    #expect(try database.entity("A").primaryKey.isEmpty)
  }
}
