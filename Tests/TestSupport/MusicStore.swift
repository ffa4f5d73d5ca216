/// A music shop as such databases are found in the wild: composite keys, columns without case, prices as NUMERIC, views,
/// a full-text table that triggers fill, and the bookkeeping of an app's migrations.
///
/// Its tables are named as those of the Chinook sample, so that `Models/Chinook.yml` fits them, too.
package enum MusicStore {
  /// Statements that make and fill the store, the same ones each time.
  package static var sql: String { tables + rows }

  package static let tables = """
    CREATE TABLE grdb_migrations(identifier TEXT NOT NULL PRIMARY KEY);
    INSERT INTO grdb_migrations VALUES ('createMusic'), ('addSearch');
    PRAGMA user_version = 3;
    PRAGMA application_id = 77;
    CREATE TABLE Artist(
      ArtistId INTEGER NOT NULL, Name NVARCHAR(120) COLLATE NOCASE, CONSTRAINT PK_Artist PRIMARY KEY (ArtistId));
    CREATE TABLE Genre(GenreId INTEGER NOT NULL PRIMARY KEY, Name NVARCHAR(120) COLLATE NOCASE);
    CREATE TABLE MediaType(MediaTypeId INTEGER NOT NULL PRIMARY KEY, Name NVARCHAR(120));
    CREATE TABLE Album(
      AlbumId INTEGER NOT NULL PRIMARY KEY, Title NVARCHAR(160) NOT NULL COLLATE NOCASE,
      ArtistId INTEGER NOT NULL REFERENCES Artist(ArtistId) ON DELETE NO ACTION);
    CREATE TABLE Track(
      TrackId INTEGER NOT NULL PRIMARY KEY, Name NVARCHAR(200) NOT NULL, AlbumId INTEGER, MediaTypeId INTEGER NOT NULL,
      GenreId INTEGER, Composer NVARCHAR(220), Milliseconds INTEGER NOT NULL, Bytes INTEGER,
      UnitPrice NUMERIC(10,2) NOT NULL,
      FOREIGN KEY (AlbumId) REFERENCES Album(AlbumId), FOREIGN KEY (MediaTypeId) REFERENCES MediaType(MediaTypeId),
      FOREIGN KEY (GenreId) REFERENCES Genre(GenreId));
    CREATE TABLE "Track Price"(
      TrackId INTEGER NOT NULL REFERENCES Track(TrackId), Country NVARCHAR(40) NOT NULL COLLATE NOCASE,
      UnitPrice NUMERIC(10,2) NOT NULL, PRIMARY KEY (TrackId, Country));
    CREATE TABLE Playlist(PlaylistId INTEGER NOT NULL PRIMARY KEY, Name NVARCHAR(120));
    CREATE TABLE PlaylistTrack(
      PlaylistId INTEGER NOT NULL, TrackId INTEGER NOT NULL,
      CONSTRAINT PK_PlaylistTrack PRIMARY KEY (PlaylistId, TrackId),
      FOREIGN KEY (PlaylistId) REFERENCES Playlist(PlaylistId), FOREIGN KEY (TrackId) REFERENCES Track(TrackId));
    CREATE TABLE Employee(
      EmployeeId INTEGER NOT NULL PRIMARY KEY, LastName NVARCHAR(20) NOT NULL, FirstName NVARCHAR(20) NOT NULL,
      Title NVARCHAR(30), ReportsTo INTEGER REFERENCES Employee(EmployeeId), BirthDate DATETIME, HireDate DATETIME,
      Address NVARCHAR(70), City NVARCHAR(40), State NVARCHAR(40), Country NVARCHAR(40), PostalCode NVARCHAR(10),
      Phone NVARCHAR(24), Fax NVARCHAR(24), Email NVARCHAR(60) COLLATE NOCASE);
    CREATE TABLE Region(RegionCode NVARCHAR(5) NOT NULL PRIMARY KEY, Name NVARCHAR(40) NOT NULL) WITHOUT ROWID;
    CREATE TABLE "Employee Region"(
      EmployeeId INTEGER NOT NULL REFERENCES Employee(EmployeeId),
      RegionCode NVARCHAR(5) NOT NULL REFERENCES Region(RegionCode), PRIMARY KEY (EmployeeId, RegionCode));
    CREATE TABLE Customer(
      CustomerId INTEGER NOT NULL PRIMARY KEY, FirstName NVARCHAR(40) NOT NULL, LastName NVARCHAR(20) NOT NULL,
      Company NVARCHAR(80), Address NVARCHAR(70), City NVARCHAR(40), State NVARCHAR(40), Country NVARCHAR(40),
      PostalCode NVARCHAR(10), Phone NVARCHAR(24), Fax NVARCHAR(24), Email NVARCHAR(60) NOT NULL COLLATE NOCASE,
      SupportRepId INTEGER REFERENCES Employee(EmployeeId));
    CREATE TABLE Invoice(
      InvoiceId INTEGER NOT NULL PRIMARY KEY, CustomerId INTEGER NOT NULL REFERENCES Customer(CustomerId),
      InvoiceDate DATETIME NOT NULL, BillingAddress NVARCHAR(70), BillingCity NVARCHAR(40), BillingState NVARCHAR(40),
      BillingCountry NVARCHAR(40), BillingPostalCode NVARCHAR(10), Total NUMERIC(10,2) NOT NULL);
    CREATE TABLE InvoiceLine(
      InvoiceLineId INTEGER NOT NULL PRIMARY KEY, InvoiceId INTEGER NOT NULL REFERENCES Invoice(InvoiceId),
      TrackId INTEGER NOT NULL REFERENCES Track(TrackId), UnitPrice NUMERIC(10,2) NOT NULL, Quantity INTEGER NOT NULL);
    CREATE INDEX IFK_AlbumArtistId ON Album(ArtistId);
    CREATE INDEX IFK_CustomerSupportRepId ON Customer(SupportRepId);
    CREATE INDEX IFK_EmployeeReportsTo ON Employee(ReportsTo);
    CREATE INDEX IFK_EmployeeRegionCode ON "Employee Region"(RegionCode);
    CREATE INDEX IFK_InvoiceCustomerId ON Invoice(CustomerId);
    CREATE INDEX IFK_InvoiceLineInvoiceId ON InvoiceLine(InvoiceId);
    CREATE INDEX IFK_InvoiceLineTrackId ON InvoiceLine(TrackId);
    CREATE INDEX IFK_PlaylistTrackTrackId ON PlaylistTrack(TrackId);
    CREATE INDEX IFK_TrackAlbumId ON Track(AlbumId);
    CREATE INDEX IFK_TrackGenreId ON Track(GenreId);
    CREATE INDEX IFK_TrackMediaTypeId ON Track(MediaTypeId);
    CREATE VIEW "Album Length" AS SELECT AlbumId, count(*) AS Tracks, sum(Milliseconds) AS Milliseconds
      FROM Track GROUP BY AlbumId;
    CREATE VIEW Sales AS SELECT c.Country, sum(i.Total) AS Total FROM Invoice i JOIN Customer c USING (CustomerId)
      GROUP BY c.Country;
    CREATE VIRTUAL TABLE TrackSearch USING fts5(Name, Composer, content='Track', content_rowid='TrackId');
    CREATE TRIGGER TrackInserted AFTER INSERT ON Track BEGIN
      INSERT INTO TrackSearch(rowid, Name, Composer) VALUES (new.TrackId, new.Name, new.Composer);
    END;
    CREATE TRIGGER TrackDeleted AFTER DELETE ON Track BEGIN
      INSERT INTO TrackSearch(TrackSearch, rowid, Name, Composer) VALUES ('delete', old.TrackId, old.Name, old.Composer);
    END;
    CREATE TRIGGER TrackUpdated AFTER UPDATE ON Track BEGIN
      INSERT INTO TrackSearch(TrackSearch, rowid, Name, Composer) VALUES ('delete', old.TrackId, old.Name, old.Composer);
      INSERT INTO TrackSearch(rowid, Name, Composer) VALUES (new.TrackId, new.Name, new.Composer);
    END;

    """
}
