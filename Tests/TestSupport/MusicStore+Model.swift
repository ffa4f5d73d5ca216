extension MusicStore {
  /// The model of the store, from its `store:` on: what identifies objects in other stores, and who owns what.
  package static let model = """
    store: {naming: asWritten, dates: sqlite}
    entities:
      Artist:
        primaryKey: ArtistId
        attributes: {Name: String?}
        relationships: {albums: {destination: Album, toMany: true, inverse: artist, deleteRule: cascade}}
        uniquenessConstraints: [[Name]]
      Album:
        primaryKey: AlbumId
        attributes: {Title: String}
        relationships:
          artist: {destination: Artist, inverse: albums, column: ArtistId}
          tracks: {destination: Track, toMany: true, inverse: album, deleteRule: cascade}
      Track:
        primaryKey: TrackId
        attributes: {Name: String, Composer: String?, Milliseconds: Integer 32, Bytes: Integer 32?, UnitPrice: Decimal}
        relationships:
          album: {destination: Album, optional: true, inverse: tracks, column: AlbumId}
          mediaType: {destination: MediaType, inverse: tracks, column: MediaTypeId}
          genre: {destination: Genre, optional: true, inverse: tracks, column: GenreId}
          prices: {destination: Price, toMany: true, inverse: track, deleteRule: cascade}
          invoiceLines: {destination: InvoiceLine, toMany: true, inverse: track, userInfo: {exclude: ""}}
          playlists:
            destination: Playlist
            toMany: true
            inverse: tracks
            joinTable: {table: PlaylistTrack, column: TrackId, inverseColumn: PlaylistId}
      Price:
        table: Track Price
        primaryKey: [TrackId, Country]
        attributes: {Country: String, UnitPrice: Decimal}
        relationships: {track: {destination: Track, inverse: prices, column: TrackId}}
      MediaType:
        primaryKey: MediaTypeId
        attributes: {Name: String?}
        relationships: {tracks: {destination: Track, toMany: true, inverse: mediaType, userInfo: {exclude: ""}}}
        uniquenessConstraints: [[Name]]
      Genre:
        primaryKey: GenreId
        attributes: {Name: String?}
        relationships: {tracks: {destination: Track, toMany: true, inverse: genre, userInfo: {exclude: ""}}}
        uniquenessConstraints: [[Name]]
      Playlist:
        primaryKey: PlaylistId
        attributes: {Name: String?}
        relationships: {tracks: {destination: Track, toMany: true, inverse: playlists}}
        uniquenessConstraints: [[Name]]
      Employee:
        primaryKey: EmployeeId
        attributes: {LastName: String, FirstName: String, Title: String?, BirthDate: Date?, HireDate: Date?,
          Address: String?, City: String?, State: String?, Country: String?, PostalCode: String?, Phone: String?,
          Fax: String?, Email: String?}
        relationships:
          manager: {destination: Employee, optional: true, inverse: reports, column: ReportsTo}
          reports: {destination: Employee, toMany: true, inverse: manager}
          customers: {destination: Customer, toMany: true, inverse: supportRep, userInfo: {exclude: ""}}
          regions:
            destination: Region
            toMany: true
            inverse: employees
            joinTable: {table: Employee Region, column: EmployeeId, inverseColumn: RegionCode}
        uniquenessConstraints: [[Email]]
      Region:
        primaryKey: {column: RegionCode, generate: none}
        attributes: {Name: String}
        relationships: {employees: {destination: Employee, toMany: true, inverse: regions}}
        uniquenessConstraints: [[Name]]
      Customer:
        primaryKey: CustomerId
        attributes: {FirstName: String, LastName: String, Company: String?, Address: String?, City: String?,
          State: String?, Country: String?, PostalCode: String?, Phone: String?, Fax: String?, Email: String}
        relationships:
          supportRep: {destination: Employee, optional: true, inverse: customers, column: SupportRepId}
          invoices: {destination: Invoice, toMany: true, inverse: customer, deleteRule: cascade}
        uniquenessConstraints: [[Email]]
      Invoice:
        primaryKey: InvoiceId
        attributes: {InvoiceDate: Date, BillingAddress: String?, BillingCity: String?, BillingState: String?,
          BillingCountry: String?, BillingPostalCode: String?, Total: Decimal}
        relationships:
          customer: {destination: Customer, inverse: invoices, column: CustomerId}
          lines: {destination: InvoiceLine, toMany: true, inverse: invoice, deleteRule: cascade}
      InvoiceLine:
        primaryKey: InvoiceLineId
        attributes: {UnitPrice: Decimal, Quantity: Integer 32}
        relationships:
          invoice: {destination: Invoice, inverse: lines, column: InvoiceId}
          track: {destination: Track, inverse: invoiceLines, column: TrackId}
    """
}
