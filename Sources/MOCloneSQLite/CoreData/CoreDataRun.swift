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
      // What was written before has its files when it is compared.
      try transferFiles(access)
      let result = try body()
      try transferFiles(access)
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

  private func transferFiles(_ access: RowAccess) throws {
    guard model.store.naming == .coreData, let source = try access.db.attachedFiles() else { return }
    try CoreDataRun(access).transferFiles(from: source)
  }
}

extension Database {
  /// The files of the store that rows are copied from; nil where none is attached.
  fileprivate func attachedFiles() throws -> ExternalFiles? {
    let path = try String.fetchOne(
      self, sql: "SELECT file FROM pragma_database_list WHERE name = ?", arguments: [CopySource.schema])
    return path.flatMap { $0.isEmpty ? nil : ExternalFiles(of: $0) }
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
    let result = try change(body)
    for sql in upkeep.end + upkeep.follow { try db.execute(sql: sql) }
    try copyFiles(from: db.attachedFiles())
    return result
  }

  /// One change of several, of the store's own values: what was written before it came from an attached store.
  func within<T>(_ body: () throws -> T) throws -> T {
    guard let source = try db.attachedFiles() else { return try change(body) }
    try copyFiles(from: source)
    let result = try change(body)
    try copyFiles(from: nil)
    return result
  }

  private func change<T>(_ body: () throws -> T) throws -> T {
    let result = try body()
    for sql in mirrorPairs { try db.execute(sql: sql) }
    return result
  }

  // MARK: Files

  /// Gives objects files of their own where they came to hold another's; they go with the transaction.
  ///
  /// - Parameter source: the files of the store that the values come from; nil where it is this one.
  private func copyFiles(from source: ExternalFiles?) throws {
    let path = try access.path
    guard !path.isEmpty else { return }
    let files = ExternalFiles(of: path)
    var made: [String] = []
    do {
      for column in upkeep.externalColumns {
        try copyFiles(column, from: source ?? files, to: files, made: &made)
      }
    } catch {
      files.remove(made)
      throw error
    }
    guard !made.isEmpty else { return }
    db.afterNextTransaction(onCommit: { _ in }, onRollback: { [made] _ in files.remove(made) })
  }

  private func copyFiles(
    _ column: CoreDataUpkeep.ExternalColumn, from source: ExternalFiles, to files: ExternalFiles,
    made: inout [String]
  ) throws {
    for row in try Row.fetchAll(db, sql: column.references) {
      guard let stored = Data.fromDatabaseValue(row[1]), let name = ExternalMark.file(in: stored) else {
        continue
      }
      let isShared: Bool = row[2]
      // What goes leaves its file to what it is merged into, or the name of one that is missing.
      if source == files, !isShared { continue }
      let new = UUID().uuidString
      made.append(new)
      try files.copy(name, from: source, to: new)
      try db.execute(
        sql: column.update, arguments: [ExternalFiles.reference(to: new), row[0] as DatabaseValue])
    }
    try db.execute(sql: column.forget)
  }

  /// Puts the files that values of an attached store name beside a store that Core Data did not make, under their names.
  func transferFiles(from source: ExternalFiles) throws {
    let path = try access.path
    guard !path.isEmpty else { return }
    let files = ExternalFiles(of: path)
    for column in upkeep.externalColumns {
      for stored in try Data.fetchAll(db, sql: column.all) {
        guard let name = ExternalMark.file(in: stored), !files.exists(name), source.exists(name) else {
          continue
        }
        db.afterNextTransaction(onCommit: { _ in }, onRollback: { _ in files.remove([name]) })
        try files.copy(name, from: source, to: name)
      }
    }
  }
}
