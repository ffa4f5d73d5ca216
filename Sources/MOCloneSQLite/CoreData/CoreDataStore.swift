import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// Whether a store that Core Data made may be written.
///
/// Apple supports no other writer: what is written here keeps what is known of such a store, and the app that owns it must be
/// closed meanwhile.
public enum CoreDataWriting: Sendable {
  /// It is only read.
  case refused
  /// It is written where that can be done right.
  case allowed
}

/// A store that Core Data made. It counts keys, versions and entities in columns that nothing else knows how to keep.
package enum CoreDataStore {
  static func isOne(_ db: Database) throws -> Bool {
    try hasTable("lower(name) = '\(CoreDataMapping.entityTable.lowercased())'", in: db)
  }

  private static func hasTable(_ condition: String, in db: Database) throws -> Bool {
    try Bool.fetchOne(
      db, sql: "SELECT EXISTS (SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND \(condition))")
      ?? false
  }

  /// - Throws: `CloneError` (`core-data-store`).
  static func refuse(writing db: Database, at path: String? = nil) throws {
    guard try isOne(db) else { return }
    throw refusal(
      path,
      why:
        " (it has a table 'Z_PRIMARYKEY'), so it is only read: a change made here could leave its Z_MAX, Z_OPT and Z_ENT "
        + "wrong",
      help: "change it with Core Data, or close the app and pass --write-core-data")
  }

  /// Refuses a store that is not to be written, or not so that Core Data finds in it what it looks for.
  static func check(
    _ writing: CoreDataWriting, _ db: Database, _ model: ObjectModel, at path: String? = nil
  ) throws {
    guard try isOne(db) else { return }
    if writing == .refused { return try refuse(writing: db, at: path) }
    guard model.store.naming == .coreData else {
      throw refusal(
        path,
        why:
          ", but the model does not say so",
        help: "write 'store: {naming: coreData}' in the model, or import one from the store")
    }
    if try hasTable("upper(name) IN ('ACHANGE', 'ATRANSACTION')", in: db) {
      throw refusal(
        path,
        why:
          ", and it keeps a persistent history (it has a table 'ACHANGE'), in which objects written by moclone would "
          + "be missing",
        help: "write them with Core Data")
    }
    if try hasTable("upper(name) LIKE 'ANSCK%'", in: db) {
      throw refusal(
        path,
        why:
          ", and it is mirrored by CloudKit (it has tables 'ANSCK...'), which would not hear of objects written by moclone",
        help: "write them with Core Data")
    }
  }

  /// An empty store holds hashes of the compiled model, which only Core Data makes.
  package static func cannotBeMade(at path: String) -> CloneError {
    CloneError(
      .coreDataStore,
      "'\(path)' cannot be created as a Core Data store, because its metadata holds hashes of the compiled model",
      help:
        "let the app create an empty store, copy it with `moclone store init --from EMPTY`, and fill it with "
        + "`moclone import --write-core-data`")
  }

  private static func refusal(_ path: String?, why: String, help: String) -> CloneError {
    let store = path.flatMap { $0.isEmpty ? nil : "'\($0)'" } ?? "the store"
    return CloneError(.coreDataStore, "\(store) was created by Core Data\(why)", help: help)
  }
}

extension CoreDataEntities {
  /// Reads the entities of a store; nil where Core Data did not make it, as of a copy of its tables alone.
  init?(_ db: Database) throws {
    guard try CoreDataStore.isOne(db) else { return nil }
    let rows = try Row.fetchAll(
      db, sql: "SELECT Z_ENT, Z_NAME, Z_SUPER FROM main.\(CoreDataMapping.entityTable)")
    if rows.isEmpty { return nil }
    self.init(
      rows.compactMap { row in
        guard let number = Int.fromDatabaseValue(row[0]), let name = String.fromDatabaseValue(row[1]) else {
          return nil
        }
        return Entity(number: number, name: name, parent: Int.fromDatabaseValue(row[2]) ?? 0)
      })
  }
}

extension SQLiteGraph {
  package var isCoreDataStore: Bool {
    get throws { try read { try CoreDataStore.isOne($0.db) } }
  }
}

extension StoreFile {
  /// Every table of a store that Core Data made, with its entities; nil where another program made it.
  ///
  /// - Throws: `CloneError` where the store cannot be read.
  package func coreDataSchema() throws -> StoreSchema? {
    try read { db in
      guard let entities = try CoreDataEntities(db) else { return nil }
      let reader = SchemaReader(db: db)
      return try reader.schema(of: reader.tableNames()).with(entities)
    }
  }
}
