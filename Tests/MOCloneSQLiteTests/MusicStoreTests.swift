import MOCloneKit
import TestSupport
import Testing

/// Clones in a music shop's store, as in those that others made, and what its checks find.
@Suite("A music shop's store: clones")
struct MusicStoreTests {
  private func store(_ yaml: String = MusicStore.model) throws -> StoreFixture {
    try StoreFixture(yaml, MusicStore.sql)
  }

  /// The full-text table must hold what the tracks hold.
  private func checkSearch(_ store: StoreFixture, _ query: String, finds count: Int) throws {
    try store.execute("INSERT INTO TrackSearch(TrackSearch, rank) VALUES ('integrity-check', 1)")
    #expect(
      try store.rows("SELECT count(*) FROM TrackSearch WHERE TrackSearch MATCH '\(query)'") == ["\(count)"])
    #expect(try store.rows("PRAGMA integrity_check") == ["ok"])
  }

  @Test("The sample model of Chinook and the shop's own one fit the store", arguments: [true, false])
  func findings(isSample: Bool) throws {
    let store = try store(isSample ? StoreFixture.sample("Chinook") : MusicStore.model)
    let found = try SQLiteGraph(store.writer, model: store.model).storeFindings()
    #expect(found.allSatisfy { $0.severity < .error }, "\(found.map(\.message))")
    let codes = Set(found.map(\.code))
    #expect(codes.contains(.insertTrigger), "\(found.map(\.message))")
    #expect(codes.contains(.unknownReference) == isSample, "\(found.map(\.message))")
  }

  @Test("An artist with albums, tracks and prices, whose tracks come on the same playlists")
  func artists() throws {
    let store = try store(
      MusicStore.model.replacing("    uniquenessConstraints: [[Name]]\n  Album", with: "  Album"))
    let result = try store.clone("Artist", 2)
    #expect(result.root.key == 11)
    #expect(result.cloned == ["Artist": 1, "Album": 3, "Track": 12, "Price": 8])
    for columns in [
      "Title, t.Name, MediaTypeId, GenreId, Bytes, t.UnitPrice FROM Track t",
      "Title, t.Name, Country, p.UnitPrice FROM \"Track Price\" p JOIN Track t USING (TrackId)",
      "Title, t.Name, PlaylistId FROM PlaylistTrack JOIN Track t USING (TrackId)",
    ] {
      let query = "SELECT \(columns) JOIN Album USING (AlbumId) WHERE ArtistId = %d ORDER BY 1, 2, 3"
      let clones = try store.rows(query.replacing("%d", with: "11"))
      #expect(try clones == store.rows(query.replacing("%d", with: "2")) && clones.count >= 8)
    }
    #expect(try store.rows("SELECT count(*) FROM InvoiceLine WHERE TrackId > 120") == ["0"])
    #expect(try store.rows("SELECT Tracks FROM \"Album Length\" WHERE AlbumId > 30") == ["4", "4", "4"])
    try checkSearch(store, "Ashes", finds: 11)
  }

  @Test("An employee with all below, and with the regions that a text names")
  func employees() throws {
    let store = try store(
      MusicStore.model.replacing("    uniquenessConstraints: [[Email]]\n  Region", with: "  Region"))
    #expect(try store.clone("Employee", 2, CloneRequest(count: 2)).cloned == ["Employee": 8])
    #expect(
      try store.rows("SELECT EmployeeId, ReportsTo FROM Employee WHERE EmployeeId > 8")
        == ["9|1", "10|9", "11|9", "12|9", "13|1", "14|13", "15|13", "16|13"])
    #expect(
      try store.rows("SELECT RegionCode FROM \"Employee Region\" WHERE EmployeeId = 11 ORDER BY 1")
        == store.rows("SELECT RegionCode FROM \"Employee Region\" WHERE EmployeeId = 4 ORDER BY 1"))
  }

  @Test("An identity that a clone would repeat is refused by its name")
  func repeatedIdentity() throws {
    let error = try store().refusal("Artist", 2)
    #expect(error?.code == .uniqueValue && error?.description.contains("Name") == true)
  }

  @Test("A customer with invoices and lines, of which no track is copied")
  func customers() throws {
    let store = try store(StoreFixture.sample("Chinook"))
    let lines =
      "SELECT count(*), sum(l.UnitPrice) FROM InvoiceLine l JOIN Invoice USING (InvoiceId) WHERE CustomerId = "
    let result = try store.clone("Customer", 4)
    #expect(result.root.key == 21 && result.cloned["Track"] == nil)
    #expect(try store.rows(lines + "21") == store.rows(lines + "4"))
    #expect(try store.rows("SELECT count(*) FROM Track") == ["120"])
  }
}
