import GRDB
import MOCloneKit
import TestSupport
import Testing

/// Moves out of a music shop's store and into it.
@Suite("A music shop's store: moves")
struct MusicStoreTransferTests {
  /// What tells apart objects that the model has no identity for.
  private static let identities: IdentityRequest = [
    "Album": ["Title", "artist.Name"], "Track": ["Name"], "Price": ["track", "Country"],
    "Invoice": ["customer", "InvoiceDate"], "InvoiceLine": ["invoice", "track"],
  ]

  /// All that the shop sells and has sold, without keys.
  private static let queries = [
    "SELECT a.Name, Title FROM Album JOIN Artist a USING (ArtistId)",
    """
    SELECT t.Name, Title, m.Name, g.Name, Composer, Milliseconds, Bytes, typeof(UnitPrice), UnitPrice FROM Track t
    JOIN MediaType m USING (MediaTypeId) LEFT JOIN Genre g USING (GenreId) LEFT JOIN Album USING (AlbumId)
    """,
    "SELECT t.Name, Country, p.UnitPrice FROM \"Track Price\" p JOIN Track t USING (TrackId)",
    "SELECT p.Name, t.Name FROM Playlist p LEFT JOIN (PlaylistTrack JOIN Track t USING (TrackId)) USING (PlaylistId)",
    "SELECT e.Email, e.LastName, e.BirthDate, m.Email FROM Employee e LEFT JOIN Employee m ON m.EmployeeId = e.ReportsTo",
    "SELECT Email, RegionCode FROM \"Employee Region\" JOIN Employee USING (EmployeeId)",
    "SELECT c.Email, c.LastName, c.PostalCode, e.Email FROM Customer c LEFT JOIN Employee e ON EmployeeId = SupportRepId",
    """
    SELECT Email, InvoiceDate, Total, t.Name, l.UnitPrice, Quantity FROM InvoiceLine l JOIN Track t USING (TrackId)
    JOIN Invoice USING (InvoiceId) JOIN Customer USING (CustomerId)
    """,
    "SELECT Country, round(Total, 2) FROM Sales",
    "SELECT Name FROM TrackSearch WHERE TrackSearch MATCH 'rain OR åkesson'",
  ]

  private func store(_ sql: String) throws -> StoreFixture { try StoreFixture(MusicStore.model, sql) }

  private func graph(_ store: StoreFixture) -> SQLiteGraph { SQLiteGraph(store.writer, model: store.model) }

  private func expectSame(
    _ a: StoreFixture, _ b: StoreFixture, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for query in Self.queries {
      let (first, second) = (try a.rows(query).sorted(), try b.rows(query).sorted())
      #expect(first == second && !first.isEmpty, "\(query)", sourceLocation: sourceLocation)
    }
    for store in [a, b] {
      #expect(try store.rows("PRAGMA foreign_key_check") == [], sourceLocation: sourceLocation)
      try store.execute("INSERT INTO TrackSearch(TrackSearch, rank) VALUES ('integrity-check', 1)")
    }
  }

  @Test("A copy into an empty store brings everything, a second one nothing")
  func copiesOfEverything() throws {
    let (source, target) = (try store(MusicStore.sql), try store(MusicStore.tables))
    let request = CopyRequest(identifiedBy: Self.identities)
    let report = try graph(target).copy(from: graph(source), request)
    #expect(report.created?["Track"] == 120 && report.created?["InvoiceLine"] == 123 && report.changes > 600)
    try expectSame(source, target)
    let before = try target.contents()
    let again = try graph(target).copy(from: graph(source), request)
    #expect(again.changes == 0 && again.found == report.created, "\(again)")
    #expect(try target.contents() == before)
  }

  @Test("A playlist brings its tracks with what they refer to, and finds names in another case")
  func copiesOfOne() throws {
    let source = try store(MusicStore.sql)
    let target = try store(
      MusicStore.tables
        + "INSERT INTO Genre VALUES (7, 'CLASSICAL'), (8, 'polka'); INSERT INTO Artist VALUES (3, 'KITE & KEY');"
    )
    let report = try graph(target).copy(
      from: graph(source),
      CopyRequest(
        entities: ["Playlist"], identifiedBy: Self.identities,
        filters: [CopyFilter("Playlist", "Name", "Classical 101")]))
    let tracks =
      "SELECT count(*) FROM PlaylistTrack JOIN Playlist p USING (PlaylistId) WHERE p.Name = 'Classical 101'"
    #expect(try target.rows(tracks) == source.rows(tracks) && target.rows(tracks) == ["20"])
    #expect(try target.rows("SELECT count(*) FROM Track") == ["20"])
    #expect(report.found?["Genre"] == 1 && report.found?["Artist"] == 1)
    #expect(try target.rows("SELECT count(*) FROM Genre WHERE Name = 'classical'") == ["1"])
    #expect(try target.rows("SELECT count(*) FROM InvoiceLine") == ["0"])
    #expect(report.created?["Playlist"] == 1, "other lists of the same tracks stay behind")
  }

  @Test("An artist is cut out into a new store, which the app that owns the shop opens and goes on with")
  func copiesSubtree() throws {
    let source = try store(MusicStore.sql)
    let folder = try TemporaryFolder()
    let path = folder.path + "/artist.sqlite"
    let from = graph(source)
    let root = try from.object("Artist", key: 2).id
    let result = try from.makeStore(at: path) { target in
      try target.clone(
        from.plan("Artist", CloneRequest()), roots: [root], from: from,
        SubtreeRequest(missing: .create, keepsKeys: true))
    }
    #expect(result.report.created?["Track"] == 12 && result.report.created?["Price"] == 8)
    let target = try StoreFixture(MusicStore.model, "", in: DatabaseQueue(path: path))
    let albums = "AlbumId IN (SELECT AlbumId FROM Album WHERE ArtistId = 2)"
    for query in [
      "SELECT * FROM Artist WHERE ArtistId = 2", "SELECT * FROM Album WHERE ArtistId = 2",
      "SELECT * FROM grdb_migrations",
      "SELECT * FROM Track WHERE \(albums)", "SELECT * FROM \"Album Length\" WHERE \(albums)",
      "PRAGMA user_version",
      "SELECT * FROM \"Track Price\" WHERE TrackId IN (SELECT TrackId FROM Track WHERE \(albums))",
      "SELECT * FROM PlaylistTrack WHERE TrackId IN (SELECT TrackId FROM Track WHERE \(albums))",
      "PRAGMA application_id",
      "SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY 1, 2",
      "SELECT rowid, Name FROM TrackSearch WHERE rowid IN (SELECT TrackId FROM Track WHERE \(albums))",
    ] {
      let (found, expected) = (try target.rows(query).sorted(), try source.rows(query).sorted())
      #expect(found == expected && !found.isEmpty, "\(query)")
    }
    #expect(try target.rows("SELECT count(*) FROM Track") == ["12"])
    try target.execute(
      """
      INSERT INTO Track SELECT 900, 'Encore', AlbumId, MediaTypeId, GenreId, NULL, 1, 1, 0.99 FROM Track LIMIT 1;
      INSERT INTO TrackSearch(TrackSearch, rank) VALUES ('integrity-check', 1);
      """)
    #expect(try target.rows("SELECT rowid FROM TrackSearch WHERE TrackSearch MATCH 'encore'") == ["900"])
  }

  @Test("Doubled artists, genres and playlists become one each, with all that belongs to them")
  func dedupes() throws {
    let (plain, doubled) = (try store(MusicStore.sql), try store(MusicStore.sql))
    try doubled.execute(
      """
      INSERT INTO Artist VALUES (50, upper('northern signal'));
      UPDATE Album SET ArtistId = 50 WHERE AlbumId = 11;
      INSERT INTO Genre VALUES (60, 'ROCK');
      UPDATE Track SET GenreId = 60 WHERE GenreId = 1 AND TrackId % 2 = 0;
      INSERT INTO Playlist VALUES (70, 'Music');
      INSERT INTO PlaylistTrack SELECT 70, TrackId FROM PlaylistTrack WHERE PlaylistId = 1 AND TrackId % 3 = 0;
      DELETE FROM PlaylistTrack WHERE PlaylistId = 1 AND TrackId % 6 = 0;
      """)
    try graph(doubled).dedupe(DedupeRequest(identifiedBy: Self.identities))
    let names = Self.queries.map {
      $0.replacing("a.Name", with: "lower(a.Name)").replacing("g.Name", with: "lower(g.Name)")
    }
    for query in names { #expect(try doubled.rows(query).sorted() == plain.rows(query).sorted(), "\(query)") }
    #expect(
      try doubled.rows("SELECT count(*) FROM Artist UNION ALL SELECT count(*) FROM Genre") == ["10", "6"])
    try doubled.execute("INSERT INTO TrackSearch(TrackSearch, rank) VALUES ('integrity-check', 1)")
  }

  @Test("Tracks follow a file of the full set, and the search with them")
  func syncs() throws {
    let store = try store(MusicStore.sql)
    let tracks = try store.rows("SELECT Name FROM Track WHERE TrackId <= 100 ORDER BY TrackId").dropFirst(2)
    // What was sold cannot be deleted.
    let rows = tracks.map { ["Name": AttributeValue.string($0), "Composer": "N. N."] }
    var request = SyncRequest(entity: "Track", identifiedBy: Self.identities, overwriting: ["Composer"])
    request.deletes = false
    let report = try graph(store).sync(request, from: rows)
    #expect(report.updated == ["Track": 98] && report.created == nil && report.deleted == nil)
    try store.execute("INSERT INTO TrackSearch(TrackSearch, rank) VALUES ('integrity-check', 1)")
    #expect(
      try store.rows("SELECT count(*) FROM TrackSearch WHERE TrackSearch MATCH 'Composer: N'") == ["98"])
    let before = try store.contents()
    #expect(try graph(store).sync(request, from: rows).unchanged == ["Track": 98])
    #expect(try store.contents() == before)
  }
}
