import Foundation
import GRDB
import MOCloneKit
import MOCloneModeling
import TestSupport
import Testing

@Suite("Models of real databases", .enabled(if: RealDatabase.isPresent))
struct RealDatabaseTests {
  @Test(arguments: RealDatabase.names, [false, true])
  func theModelIsValidAndEveryObjectIsCloned(name: String, isAnnotated: Bool) throws {
    let database = try RealDatabase.imported(name, annotated: isAnnotated)
    try database.check()
    let failures = try database.cloneEach()
    // An order has each product once, so a line of one can be cloned only with its order, or for another product.
    #expect(failures.keys.sorted() == (name == "northwind" ? ["OrderDetail"] : []), "\(failures)")
  }

  @Test func chinookHasTenEntitiesNamedAsItsTables() throws {
    let database = try RealDatabase.imported("chinook")
    let names = [
      "Album", "Artist", "Customer", "Employee", "Genre", "Invoice", "InvoiceLine", "MediaType", "Playlist",
      "Track",
    ]
    #expect(database.model.entities.map(\.name) == names)
    #expect(database.model.store == StoreOptions(naming: .asWritten, dates: .sqliteSeconds))
    let album = try database.relationship("album", of: "Track")
    #expect(album.isOptional && album.inverse == "tracks" && album.destination == "Album")
    let tracks = try database.relationship("tracks", of: "Playlist")
    #expect(tracks.isToMany && tracks.inverse == "playlists" && tracks.destination == "Track")
    #expect(try database.relationship("reports", of: "Employee").inverse == "reportsTo")
    #expect(try database.attribute("UnitPrice", of: "Track").type == .decimal)
    #expect(try database.attribute("InvoiceDate", of: "Invoice").type == .date)
    let suggested = database.draft.suggestions.map { $0.path.components.suffix(3).joined(separator: ".") }
    #expect(suggested.contains("Track.relationships.invoiceLines"))
    #expect(suggested.contains("Customer.relationships.invoices"))
    #expect(suggested.contains("Genre.relationships.tracks"))
    #expect(!suggested.contains("Album.relationships.tracks"))
  }

  /// The model that people wrote for the same database has the same relationships.
  @Test func chinookIsAsPeopleWroteIt() throws {
    let imported = try RealDatabase.imported("chinook").model
    let written = try RealDatabase.model("Chinook")
    func columns(_ model: ObjectModel) -> Set<String> {
      Set(
        model.entities.flatMap(\.relationships).flatMap { relationship in
          relationship.columns.map { "\(relationship.entity).\($0.column) > \(relationship.destination)" }
        })
    }
    #expect(columns(imported) == columns(written))
  }

  @Test func northwindHasTextKeysAndTablesWithSpaces() throws {
    let database = try RealDatabase.imported("northwind")
    #expect(database.model.entities.count == 11)
    #expect(try database.entity("OrderDetail").table == "Order Details")
    #expect(try database.entity("OrderDetail").primaryKey.map(\.column) == ["OrderID", "ProductID"])
    #expect(try database.entity("Customer").primaryKey == [KeyColumn("CustomerID", generate: .uuid)])
    #expect(try database.relationship("territories", of: "Employee").inverse == "employees")
    #expect(try database.relationship("customers", of: "CustomerDemographic").isToMany)
    #expect(try database.relationship("shipVia", of: "Order").destination == "Shipper")
    #expect(try database.attribute("BirthDate", of: "Employee").type == .date)
    #expect(
      database.draft.omissions.count == 1 && database.draft.omissions[0].contains("'Order Details Extended'"))
  }

  @Test func sakilaKeepsJoinTablesWithPayloadAndTwoKeysToOneTable() throws {
    let database = try RealDatabase.imported("sakila_schema_only")
    #expect(database.model.entities.count == 16)
    #expect(database.model.store.naming == .snakeCase)
    #expect(try database.relationship("films", of: "Language").inverse == "language")
    #expect(try database.relationship("originalFilms", of: "Language").inverse == "originalLanguage")
    #expect(try database.relationship("filmActors", of: "Film").inverse == "film")
    #expect(try database.entity("Rental").uniquenessConstraints == [["rentalDate", "inventory", "customer"]])
    #expect(
      try database.attribute("rentalRate", of: "Film").defaultValue == .decimal(Decimal(string: "4.99")!))
    #expect(try database.relationship("managerStaff", of: "Store").inverse == "stores")
  }
}

/// Databases that lie beside the project, where they do.
enum RealDatabase {
  static let names = ["chinook", "northwind", "sakila_schema_only"]
  private static let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
    url.deletingLastPathComponent()
  }
  private static let folder = root.deletingLastPathComponent().appendingPathComponent("shared/data/sqlite")

  static var isPresent: Bool { FileManager.default.fileExists(atPath: folder.path) }

  static func model(_ name: String) throws -> ObjectModel {
    try ObjectModel(contentsOf: root.appendingPathComponent("Models/\(name).yml"))
  }

  static func imported(_ name: String, annotated: Bool = false) throws -> ImportedDatabase {
    let source = try DatabaseQueue(path: folder.appendingPathComponent("\(name).sqlite").path)
    let copy = try DatabaseQueue()
    try source.backup(to: copy)
    return try ImportedDatabase(copy, annotated: annotated)
  }
}
