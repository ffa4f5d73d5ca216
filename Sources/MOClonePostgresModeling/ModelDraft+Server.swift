import MOCloneEngine
import MOCloneModel
import MOCloneModeling
import MOClonePostgres
import MOCloneSQL

extension ModelDraft {
  /// Reads the schemas of a server's database, and some rows of their tables, in a transaction that writes nothing.
  ///
  /// ```swift
  /// let draft = try ModelDraft(importing: PostgresLocation("postgresql://localhost/notes"))
  /// print(draft.yaml)
  /// ```
  ///
  /// A table is read up to 50,000 rows.
  ///
  /// - Parameters:
  ///   - location: where the database is.
  ///   - schemas: the schemas that are read; of none those along the search path.
  ///   - name: the name of the model; nil makes it from the name of the database.
  ///   - options: whether relationships that the database does not declare are proposed.
  /// - Throws: `CloneError` (`store-failed`, `store-busy`) where the server cannot be reached, (`no-such-store`,
  ///   `missing-right`, `unsupported-model-source`) where a schema is missing, or there are no tables.
  public init(
    importing location: PostgresLocation, schemas: [String] = [], name: String? = nil,
    options: ModelSourceOptions = ModelSourceOptions()
  ) throws {
    self = try PostgresErrors.translating {
      try ModelDraft(PostgresConnection(location), schemas: schemas, name: name, options: options)
    }
  }

  /// Reads the database of a connection of the caller's, also inside a transaction that is open on it, so that a test can
  /// compare what its migrations made.
  ///
  /// - Parameters:
  ///   - connection: a `PGconn *` of libpq, which nobody else uses meanwhile.
  ///   - schemas: the schemas that are read; of none those along the search path.
  ///   - name: the name of the model; nil makes it from the name of the database.
  ///   - options: whether relationships that the database does not declare are proposed.
  /// - Throws: as the other form does.
  public init(
    importing connection: OpaquePointer, schemas: [String] = [], name: String? = nil,
    options: ModelSourceOptions = ModelSourceOptions()
  ) throws {
    self = try PostgresErrors.translating {
      try ModelDraft(
        PostgresConnection(borrowing: connection), schemas: schemas, name: name, options: options)
    }
  }

  private init(
    _ connection: PostgresConnection, schemas: [String], name: String?, options: ModelSourceOptions
  ) throws {
    self = try connection.inTransaction(readOnly: true) {
      try ModelDraft(
        importing: connection, StoreListing(connection, schemas: schemas, known: options.knownTables),
        name: name,
        options: options)
    }
  }
}

extension ObjectModel {
  /// The model of a server's database: an entity for each table, relationships for its foreign keys.
  ///
  /// ```swift
  /// let model = try ObjectModel(importing: PostgresLocation("postgresql://localhost/notes"))
  /// ```
  ///
  /// - Parameters:
  ///   - location: where the database is.
  ///   - schemas: the schemas that are read; of none those along the search path.
  ///   - name: the name of the model; nil makes it from the name of the database.
  /// - Throws: `CloneError` where the database cannot be read, `ModelError` where it has no table for a model.
  public init(importing location: PostgresLocation, schemas: [String] = [], name: String? = nil) throws {
    self = try ModelDraft(importing: location, schemas: schemas, name: name).model()
  }

  /// The model of the database of a connection of the caller's.
  ///
  /// - Parameters:
  ///   - connection: a `PGconn *` of libpq, which nobody else uses meanwhile.
  ///   - schemas: the schemas that are read; of none those along the search path.
  ///   - name: the name of the model; nil makes it from the name of the database.
  /// - Throws: as the other form does.
  public init(importing connection: OpaquePointer, schemas: [String] = [], name: String? = nil) throws {
    self = try ModelDraft(importing: connection, schemas: schemas, name: name).model()
  }
}
