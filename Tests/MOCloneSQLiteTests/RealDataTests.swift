import Foundation
import GRDB
import MOCloneKit
import Testing

/// Clones in databases that others made; skipped where they are not at hand.
@Suite struct RealDataTests {
  private static let package = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// A copy of a database in memory with its model; nil where there is none beside the package.
  private func store(_ name: String, yaml: String) throws -> StoreFixture? {
    let file = Self.package.deletingLastPathComponent().appending(path: "shared/data/sqlite/\(name).sqlite")
    guard FileManager.default.fileExists(atPath: file.path) else {
      print("skipped: there is no \(file.path)")
      return nil
    }
    var configuration = Configuration()
    configuration.readonly = true
    let queue = try DatabaseQueue()
    try DatabaseQueue(path: file.path, configuration: configuration).backup(to: queue)
    return try StoreFixture(yaml, "", in: queue)
  }

  private func sample(_ name: String) throws -> String {
    let file = Self.package.appending(path: "Models/\(name).yml")
    let text = try String(contentsOf: file, encoding: .utf8)
    return text[(text.range(of: "\nstore:")?.lowerBound ?? text.startIndex)...].description
  }

  /// Clones; every row that was there must still be, and the database be sound.
  private func clone(
    _ store: StoreFixture, _ entity: String, _ key: ObjectKey, _ request: CloneRequest = CloneRequest()
  ) throws -> CloneResult {
    let before = try counted(store.contents(withSequences: false))
    let result = try store.clone(entity, key, request)
    let after = try counted(store.contents(withSequences: false))
    #expect(before.allSatisfy { after[$0.key, default: 0] >= $0.value })
    #expect(try store.rows("PRAGMA integrity_check") == ["ok"])
    #expect(try store.rows("PRAGMA foreign_key_check") == [])
    return result
  }

  private func counted(_ rows: [String]) -> [String: Int] {
    Dictionary(rows.map { ($0, 1) }, uniquingKeysWith: +)
  }

  @Test func anArtistWithAlbumsAndTracksOnPlaylists() throws {
    guard let store = try store("chinook", yaml: sample("Chinook")) else { return }
    let result = try clone(store, "Artist", 22)
    #expect(result.root.key == 276)
    #expect(result.cloned == ["Artist": 1, "Album": 14, "Track": 114])
    #expect(
      try store.rows(
        "SELECT count(*) FROM PlaylistTrack JOIN Track USING (TrackId) JOIN Album USING (AlbumId) "
          + "WHERE ArtistId = 276") == ["252"])
    let tracks =
      "SELECT Title, t.Name, MediaTypeId, GenreId, Bytes FROM Track t JOIN Album USING (AlbumId) WHERE ArtistId = "
    #expect(try store.rows("SELECT * FROM (\(tracks) 22 EXCEPT \(tracks) 276)") == [])
    #expect(try store.rows("SELECT count(*) FROM InvoiceLine WHERE TrackId > 3503") == ["0"])
  }

  @Test func anEmployeeWithAllBelow() throws {
    guard let store = try store("chinook", yaml: sample("Chinook")) else { return }
    let result = try clone(store, "Employee", 2)
    #expect(result.cloned == ["Employee": 4])
    #expect(
      try store.rows("SELECT EmployeeId, ReportsTo FROM Employee WHERE EmployeeId > 8")
        == ["9|1", "10|9", "11|9", "12|9"])
  }

  @Test func anOrderWithItsDetails() throws {
    guard let store = try store("northwind", yaml: sample("Northwind")) else { return }
    let result = try clone(store, "Order", 10248)
    #expect(result.cloned == ["Order": 1, "OrderDetail": 3])
    #expect(result.root.key == 11078)
    let details = "SELECT ProductID, UnitPrice, Quantity, Discount FROM \"Order Details\" WHERE OrderID = "
    #expect(try store.rows(details + "11078 ORDER BY 1") == store.rows(details + "10248 ORDER BY 1"))
  }

  @Test func anEmployeeWithTerritories() throws {
    guard let store = try store("northwind", yaml: sample("Northwind")) else { return }
    let result = try clone(store, "Employee", 2, CloneRequest(count: 2))
    #expect(result.cloned == ["Employee": 18])
    #expect(
      try store.rows("SELECT EmployeeID, ReportsTo FROM Employees WHERE EmployeeID > 9 LIMIT 9")
        == ["10|-", "11|10", "12|10", "13|10", "14|10", "15|10", "16|14", "17|14", "18|14"])
    #expect(try store.rows("SELECT count(*) FROM EmployeeTerritories") == [String(49 * 3)])
  }

  // MARK: A store with cyclic foreign keys, whose integer keys nothing generates

  private static let rentals = """
    store: {uuids: text}
    entities:
      Store:
        primaryKey: {column: store_id, generate: uuid}
        relationships:
          manager: {destination: Staff, inverse: manages, column: manager_staff_id}
          staff: {destination: Staff, toMany: true, inverse: store}
          customers: {destination: Customer, toMany: true, inverse: store}
      Staff:
        primaryKey: {column: staff_id, generate: uuid}
        attributes: {firstName: String, username: String}
        relationships:
          store: {destination: Store, inverse: staff}
          manages: {destination: Store, toMany: true, inverse: manager}
      Customer:
        primaryKey: {column: customer_id, generate: uuid}
        attributes: {firstName: String}
        relationships:
          store: {destination: Store, inverse: customers}
          rentals: {destination: Rental, toMany: true, inverse: customer}
          payments: {destination: Payment, toMany: true, inverse: customer}
      Rental:
        primaryKey: {column: rental_id, generate: uuid}
        relationships:
          customer: {destination: Customer, inverse: rentals}
          staff: {destination: Staff}
          payments: {destination: Payment, toMany: true, inverse: rental}
      Payment:
        primaryKey: {column: payment_id, generate: uuid}
        attributes: {amount: Decimal}
        relationships:
          customer: {destination: Customer, inverse: payments}
          rental: {destination: Rental, optional: true, inverse: payments}
    """

  private static let rows = """
    PRAGMA defer_foreign_keys = ON;
    INSERT INTO country VALUES (1, 'c', 'then');
    INSERT INTO city VALUES (1, 'c', 1, 'then');
    INSERT INTO address VALUES (1, 'a', NULL, 'd', 1, NULL, '1', 'then');
    INSERT INTO language VALUES (1, 'l', 'then');
    INSERT INTO film(film_id, title, language_id, last_update) VALUES (1, 'f', 1, 'then');
    INSERT INTO store VALUES (1, 1, 1, 'then');
    INSERT INTO staff VALUES (1, 's', 's', 1, NULL, NULL, 1, 1, 'u', NULL, 'then'),
      (2, 't', 't', 1, NULL, NULL, 1, 1, 'v', NULL, 'then');
    INSERT INTO inventory VALUES (1, 1, 1, 'then'), (2, 1, 1, 'then');
    INSERT INTO customer VALUES (1, 1, 'f', 'l', NULL, 1, 'Y', 'then', 'then');
    INSERT INTO rental VALUES (1, 'd1', 1, 1, NULL, 1, 'then'), (2, 'd2', 2, 1, NULL, 2, 'then');
    INSERT INTO payment VALUES (1, 1, 1, 1, 2.5, 'p', 'then'), (2, 1, 1, NULL, 3.5, 'p', 'then'),
      (3, 1, 2, 2, 4.5, 'p', 'then');
    """

  @Test func aStoreWhoseStaffAndManagerAreInARing() throws {
    guard let store = try store("sakila_schema_only", yaml: Self.rentals) else { return }
    try store.execute(Self.rows)
    let result = try clone(store, "Store", 1, CloneRequest(exclude: ["rentals", "payments"]))
    #expect(result.cloned == ["Store": 1, "Staff": 2, "Customer": 1])
    #expect(
      try store.rows(
        "SELECT s.username FROM store x JOIN staff s ON s.staff_id = x.manager_staff_id "
          + "AND s.store_id = x.store_id WHERE x.store_id <> 1") == ["u"])
    #expect(try store.rows("SELECT count(*) FROM staff GROUP BY store_id") == ["2", "2"])
  }

  @Test func aCustomerWhoseRentalsAreUnique() throws {
    guard let store = try store("sakila_schema_only", yaml: Self.rentals) else { return }
    try store.execute(Self.rows)
    // (rental_date, inventory_id, customer_id) is unique, and the customer is new.
    let result = try clone(store, "Customer", 1)
    let staff = result.cloned["Staff"] ?? 0
    #expect(result.cloned["Rental"] == 2 && result.cloned["Payment"] == 3)
    #expect(staff == 2, "a relationship without inverse is cloned")
    #expect(
      try store.rows(
        "SELECT p.amount, r.rental_date FROM payment p LEFT JOIN rental r USING (rental_id) "
          + "WHERE p.customer_id <> 1 AND (r.rental_id IS NULL OR r.customer_id = p.customer_id) ORDER BY 1")
        == ["2.5|d1", "3.5|-", "4.5|d2"])
  }
}
