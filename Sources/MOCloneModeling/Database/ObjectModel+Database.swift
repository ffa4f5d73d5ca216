import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL
import MOCloneSQLite

extension ModelDraft {
  /// Reads the schema of a database, and some of its rows for the types that no declaration tells.
  ///
  /// ```swift
  /// let draft = try dbQueue.read { try ModelDraft(importing: $0) }
  /// print(draft.yaml)
  /// ```
  ///
  /// Nothing is written. A table is read up to 50,000 rows, so a large database takes no longer.
  ///
  /// - Parameters:
  ///   - db: the connection that reads.
  ///   - name: the name of the model; nil makes it from the name of the file, `Model` where there is none.
  ///   - options: whether relationships that the database does not declare are proposed.
  /// - Throws: `CloneError` where the database cannot be read.
  public init(
    importing db: Database, name: String? = nil, options: ModelSourceOptions = ModelSourceOptions()
  ) throws {
    self = try translating {
      let listing = try StoreListing(db)
      return try db.standingInForCollations(of: listing.schema) {
        try ModelDraft(importing: db, listing, name: name, options: options)
      }
    }
  }

  /// Reads some rows of the tables that a database has been found to have.
  package init(
    importing db: any SQLConnection, _ listing: StoreListing, name: String? = nil,
    options: ModelSourceOptions = ModelSourceOptions()
  ) throws {
    self = try DatabaseImport(db: db, listing: listing, options: options).draft(name: name)
  }

  /// Reads a database file, which is opened for reading only.
  ///
  /// - Throws: `CloneError` (`no-such-store`, `store-damaged` and others).
  package init(databaseAt path: String, options: ModelSourceOptions) throws {
    let queue = try StoreFile(path).open(isReadOnly: true)
    defer { try? queue.close() }
    self = try translating { try queue.read { try ModelDraft(importing: $0, options: options) } }
  }
}

/// What SQLite says, in the words of the other commands.
private func translating<Result>(_ body: () throws -> Result) throws -> Result {
  do { return try body() } catch let error as DatabaseError { throw StoreErrors.translated(error) }
}

extension ObjectModel {
  /// The model of a database: an entity for each table, relationships for its foreign keys.
  ///
  /// A test of an app can make it from the database that the app's migrations make, and compare:
  ///
  /// ```swift
  /// try migrator.migrate(dbQueue)
  /// let model = try dbQueue.read { try ObjectModel(importing: $0) }
  /// ```
  ///
  /// - Parameters:
  ///   - db: the connection that reads.
  ///   - name: the name of the model; nil makes it from the name of the file, `Model` where there is none.
  /// - Throws: `CloneError` where the database cannot be read, `ModelError` where it has no table for a model.
  public init(importing db: Database, name: String? = nil) throws {
    self = try ModelDraft(importing: db, name: name).model()
  }

  /// The model of a database that a GRDB `DatabaseQueue` or `DatabasePool` reads.
  public init(importing reader: some DatabaseReader, name: String? = nil) throws {
    self = try translating { try reader.read { try ObjectModel(importing: $0, name: name) } }
  }
}
