import Foundation
import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

extension SQLiteGraph {
  /// Runs what writes to a store, in the caller's transaction; in a Core Data store with what that keeps besides.
  ///
  /// - Throws: `CloneError` (`core-data-store`) where such a store is not to be written; what the body throws.
  func keepingCoreData<T>(_ access: RowAccess, body: () throws -> T) throws -> T {
    guard let coreData else { return try body() }
    let (db, state) = (access.db, ConnectionState.of(access.db))
    if let run = state.coreDataRun { return try run.within(body) }
    guard try state.isCoreData(db) else {
      let result = try body()
      if model.store.naming == .coreData { try CoreDataRun(access).bringFiles() }
      return result
    }
    try CoreDataStore.check(coreData, db, model, at: access.path)
    try CoreDataFunctions(db: db).register()
    return try db.inKeptSavepoint {
      let run = try CoreDataRun(access)
      state.coreDataRun = run
      defer { state.coreDataRun = nil }
      return try run.during(body)
    }
  }
}

/// One run in a Core Data store, inside a savepoint of the caller's.
struct CoreDataRun {
  private let access: RowAccess
  private let upkeep: CoreDataUpkeep
  /// What follows each change: the next one may take it back.
  private let mirrorPairs: [String]
  private var db: Database { access.db }

  init(_ access: RowAccess) throws {
    self.access = access
    upkeep = CoreDataUpkeep(try access.storeLayout(of: []))!
    mirrorPairs = upkeep.mirrorPairs
  }

  func during<T>(_ body: () throws -> T) throws -> T {
    for sql in upkeep.begin { try db.execute(sql: sql) }
    let result = try within(body)
    for sql in upkeep.end + upkeep.follow { try db.execute(sql: sql) }
    try copyFiles()
    return result
  }

  /// One change of several.
  func within<T>(_ body: () throws -> T) throws -> T {
    let result = try body()
    for sql in mirrorPairs { try db.execute(sql: sql) }
    return result
  }

  // MARK: Files

  /// Gives objects files of their own where they came to hold another's; they go with the transaction.
  private func copyFiles() throws {
    let path = try access.path
    guard !path.isEmpty, !upkeep.externalColumns.isEmpty else { return }
    let files = ExternalFiles(of: path)
    let sources = try attachedFiles() + [files]
    var made: [String] = []
    do {
      for column in upkeep.externalColumns { try copyFiles(column, from: sources, to: files, made: &made) }
    } catch {
      files.remove(made)
      throw error
    }
    db.afterNextTransaction(onCommit: { _ in }, onRollback: { [made] _ in files.remove(made) })
  }

  private func copyFiles(
    _ column: CoreDataUpkeep.ExternalColumn, from sources: [ExternalFiles], to files: ExternalFiles,
    made: inout [String]
  ) throws {
    for row in try Row.fetchAll(db, sql: column.references) {
      guard let stored = Data.fromDatabaseValue(row[1]), let name = ExternalMark.file(in: stored) else {
        continue
      }
      let source = sources.first { $0.exists(name) }
      let isShared: Bool = row[2]
      // What goes leaves its file to what it is merged into.
      if source == files, !isShared { continue }
      let new = UUID().uuidString
      try files.copy(name, from: source ?? sources[0], to: new)
      made.append(new)
      try db.execute(
        sql: column.update, arguments: [ExternalFiles.reference(to: new), row[0] as DatabaseValue])
    }
  }

  /// Puts the files that values of an attached store name beside a store that Core Data did not make, under their names.
  func bringFiles() throws {
    let (path, sources) = (try access.path, try attachedFiles())
    guard !path.isEmpty, !sources.isEmpty else { return }
    let files = ExternalFiles(of: path)
    for column in upkeep.externalColumns {
      for stored in try Data.fetchAll(db, sql: column.all) {
        guard let name = ExternalMark.file(in: stored), !files.exists(name),
          let source = sources.first(where: { $0.exists(name) })
        else { continue }
        try files.copy(name, from: source, to: name)
        db.afterNextTransaction(onCommit: { _ in }, onRollback: { _ in files.remove([name]) })
      }
    }
  }

  /// The files of the store that rows are copied from.
  private func attachedFiles() throws -> [ExternalFiles] {
    let path = try String.fetchOne(
      db, sql: "SELECT file FROM pragma_database_list WHERE name = ?", arguments: [CopySource.schema])
    return path.map { $0.isEmpty ? [] : [ExternalFiles(of: $0)] } ?? []
  }
}
