import MOCloneKit
import Testing

/// Clones in databases that others made; skipped where they are not at hand.
@Suite struct RealDataTests {
  @Test(.ifPresent("chinook")) func anArtistWithAlbumsAndTracksOnPlaylists() throws {
    let store = try StoreFixture(copyOf: "chinook", StoreFixture.sample("Chinook"))
    let result = try store.cloneKeepingAll("Artist", 22)
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

  @Test(.ifPresent("chinook")) func anEmployeeWithAllBelow() throws {
    let store = try StoreFixture(copyOf: "chinook", StoreFixture.sample("Chinook"))
    let result = try store.cloneKeepingAll("Employee", 2)
    #expect(result.cloned == ["Employee": 4])
    #expect(
      try store.rows("SELECT EmployeeId, ReportsTo FROM Employee WHERE EmployeeId > 8")
        == ["9|1", "10|9", "11|9", "12|9"])
  }

  @Test(.ifPresent("northwind")) func anOrderWithItsDetails() throws {
    let store = try StoreFixture(copyOf: "northwind", StoreFixture.sample("Northwind"))
    let result = try store.cloneKeepingAll("Order", 10248)
    #expect(result.cloned == ["Order": 1, "OrderDetail": 3])
    #expect(result.root.key == 11078)
    let details = "SELECT ProductID, UnitPrice, Quantity, Discount FROM \"Order Details\" WHERE OrderID = "
    #expect(try store.rows(details + "11078 ORDER BY 1") == store.rows(details + "10248 ORDER BY 1"))
  }

  @Test(.ifPresent("northwind")) func anEmployeeWithTerritories() throws {
    let store = try StoreFixture(copyOf: "northwind", StoreFixture.sample("Northwind"))
    let result = try store.cloneKeepingAll("Employee", 2, CloneRequest(count: 2))
    #expect(result.cloned == ["Employee": 18])
    #expect(
      try store.rows("SELECT EmployeeID, ReportsTo FROM Employees WHERE EmployeeID > 9 LIMIT 9")
        == ["10|-", "11|10", "12|10", "13|10", "14|10", "15|10", "16|14", "17|14", "18|14"])
    #expect(try store.rows("SELECT count(*) FROM EmployeeTerritories") == [String(49 * 3)])
  }
}
