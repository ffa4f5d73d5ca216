import Foundation
import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// How a new store keeps what a transaction has not committed yet.
public enum JournalMode: String, Sendable, CaseIterable {
  /// In a file beside the store that each transaction deletes.
  case delete
  /// In a file beside the store to which transactions add, so that readers go on while one writes.
  case wal
}

extension StoreFile {
  /// Puts a shipped store in this place, with what is in its -wal file and the large values that an app keeps in a folder
  /// beside it, unless there is a store already; an empty file is none.
  ///
  /// It is made beside its place and moved there, so that a process that is killed leaves no half store. Where its task is
  /// cancelled, it ends at its next step and leaves nothing.
  ///
  /// - Parameters:
  ///   - shipped: the path of the store that is copied.
  ///   - journal: how the copy keeps what is not committed, whatever the shipped store does.
  ///   - model: what the shipped store must fit; nil where that is not known.
  ///   - isDryRun: leaves nothing behind.
  /// - Returns: false if the store exists already, so that nothing was done.
  /// - Throws: `CloneError` (`no-such-store`, `store-damaged`, `store-busy`, `store-failed`); `ModelError` with every
  ///   finding where the shipped store does not fit the model; `CancellationError`.
  @discardableResult
  public func place(
    copyOf shipped: String, journal: JournalMode = .delete, fitting model: ObjectModel? = nil,
    isDryRun: Bool = false
  ) throws -> Bool {
    let source = StoreFile(shipped, busyTimeout: busyTimeout)
    do {
      return try place { target in
        try source.backUp(to: target, isShipped: true, journal: journal)
        if let model { try Self.check(target, fits: model) }
        try StoreFile(target).transferFiles(of: source)
        if isDryRun { throw OnlyLooked() }
      }
    } catch is OnlyLooked { return true }
  }

  /// - Throws: `ModelError` where a new store does not fit a model.
  private static func check(_ path: String, fits model: ObjectModel) throws {
    let queue = try DatabaseQueue(path: path)
    defer { try? queue.close() }
    let findings = try SQLiteGraph(owning: queue, model: model, coreData: .refused).storeFindings()
    if findings.hasErrors { throw ModelError(diagnostics: findings) }
    try Cancellation.check()
  }

  /// Makes an empty store for a model in this place, unless there is a store already.
  ///
  /// - Returns: false if the store exists already, so that nothing was done.
  /// - Throws: `CloneError` (`core-data-store`) where only Core Data can make it.
  @discardableResult
  public func place(emptyFor model: ObjectModel, journal: JournalMode = .delete) throws -> Bool {
    try place(tablesOf: model) { try Self.set(journal, of: $0) }
  }

  /// Makes the tables of a model in this place, and goes on with them there.
  private func place(tablesOf model: ObjectModel, _ body: (DatabaseQueue) throws -> Void) throws -> Bool {
    if model.store.naming == .coreData { throw CoreDataStore.cannotBeMade(at: path) }
    return try place { target in
      let queue = try DatabaseQueue(path: target)
      defer { try? queue.close() }
      try queue.write { try SchemaWriter(model).create(in: $0) }
      try body(queue)
    }
  }

  private static func set(_ journal: JournalMode, of queue: DatabaseQueue) throws {
    // The answer comes before the change is committed, which can fail.
    let modes = try queue.writeWithoutTransaction {
      try String.fetchAll($0, sql: "PRAGMA journal_mode = \(journal.rawValue)")
    }
    guard modes == [journal.rawValue] else {
      throw DatabaseError(message: "the journal mode cannot be '\(journal.rawValue)' here")
    }
  }

  /// Makes a store for a model in this place and fills it, all or nothing.
  ///
  /// - Parameters:
  ///   - model: the model whose tables are made.
  ///   - isDryRun: leaves nothing behind.
  ///   - fill: what fills the store.
  /// - Throws: `CloneError` (`store-exists`, `core-data-store`); what the closure throws.
  public func place<Result>(
    filled model: ObjectModel, isDryRun: Bool = false, _ fill: (SQLiteGraph) throws -> Result
  ) throws -> Result {
    try filling(isDryRun: isDryRun) { finish in
      try place(tablesOf: model) { queue in
        try finish(fill(SQLiteGraph(owning: queue, model: model, coreData: .refused, isDraft: true)))
      }
    }
  }

  /// What a store in this place is filled with, unless there is a store already.
  ///
  /// - Parameter make: makes and fills it, and gives its result to the closure at the end; says whether it is new.
  func filling<Result>(
    isDryRun: Bool, _ make: (_ finish: (Result) throws -> Void) throws -> Bool
  ) throws -> Result {
    var result: Result?
    do {
      let isNew = try make {
        result = $0
        if isDryRun { throw OnlyLooked() }
      }
      guard isNew else { throw CloneError(.storeExists, "'\(path)' already exists") }
    } catch is OnlyLooked {}
    return result!
  }

  /// Writes the store with what is in its -wal file as one file that can be shipped; large values that an app keeps in a
  /// folder beside the store are put beside that file.
  ///
  /// - Parameters:
  ///   - target: the path of the file to write.
  ///   - replaces: whether an existing file is replaced, whole or not at all.
  /// - Throws: `CloneError`: `store-exists` where a file is in the way, `needed-file` where it is the store's own;
  ///   `CancellationError`.
  public func pack(to target: String, replaces: Bool = false) throws {
    guard exists else { return try read { _ in } }
    let packed = StoreFile(target)
    try NeededFiles(files).refuse(writing: target)
    func build(_ target: String) throws {
      try backUp(to: target)
      try StoreFile(target).transferFiles(of: self)
    }
    if replaces { return try packed.replace(build: build) }
    guard try packed.place(build: build) else {
      throw CloneError(.storeExists, "'\(target)' already exists", help: "remove it, or pass --replace")
    }
  }

  private func transferFiles(of source: StoreFile) throws {
    try ExternalFiles(of: path).copyAll(from: ExternalFiles(of: source.path))
  }

  /// A copy of this store in a new file, in the journal mode that needs no other file unless another one is asked for.
  private func backUp(to target: String, isShipped: Bool = false, journal: JournalMode = .delete) throws {
    let source = try open(isReadOnly: true, isShipped: isShipped)
    defer { try? source.close() }
    // What is read first keeps others from writing to the store between two steps.
    try source.read { db in
      try naming { _ = try Int.fetchOne(db, sql: "SELECT 1 FROM sqlite_schema LIMIT 1") }
      let copy = try DatabaseQueue(path: target)
      defer { try? copy.close() }
      do {
        try copy.writeWithoutTransaction { try db.backUp(to: $0) { try Cancellation.check() } }
      } catch let error as DatabaseError where error.isOfReading {
        throw named(error)
      }
      try Self.set(journal, of: copy)
    }
  }

  var realPath: String { URL(fileURLWithPath: path).resolvingSymlinksInPath().path }

  // MARK: Files

  /// Where links lead to, since a link stays a link.
  private var target: StoreFile { StoreFile(FileIdentity.target(of: path)) }

  /// Makes a store beside its place and moves it there, unless there is a store already.
  func place(build: (String) throws -> Void) throws -> Bool {
    try refuseOtherFile()
    guard !exists || isEmpty else { return false }
    return try making(build) { temporary in
      guard !exists || isEmpty else { return false }
      let place = target
      // What an earlier database of this name left would be taken for a part of the new one.
      for file in place.companions { try? FileManager.default.removeItem(atPath: file) }
      // Unlike a rename it does not replace what another process has put there meanwhile.
      if link(temporary, place.path) == 0 { return true }
      if errno == EEXIST { guard isEmpty else { return false } }
      guard rename(temporary, place.path) == 0 else { throw failure("cannot be created") }
      return true
    }
  }

  /// What is in the way and no store must not pass for one.
  private func refuseOtherFile() throws {
    let isLink = (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) != nil
    let what: String? =
      exists
      ? (isFolder ? "is a folder" : isDatabase ? nil : "is not a SQLite database")
      : (isLink ? "is a symbolic link to a missing file" : nil)
    guard let what else { return }
    throw CloneError(
      .storeExists, "'\(path)' \(what), so no store can be created there",
      help: "name another path")
  }

  private func replace(build: (String) throws -> Void) throws {
    _ = try making(build) { temporary in
      let place = target
      try withExclusiveLock {
        guard rename(temporary, place.path) == 0 else { throw failure("cannot be replaced") }
        for file in place.companions { try? FileManager.default.removeItem(atPath: file) }
      }
      return true
    }
  }

  /// Builds a store, and moves it and the files of its large values into their place.
  ///
  /// - Parameter move: says whether the store is in its place.
  private func making(_ build: (String) throws -> Void, move: (String) throws -> Bool) throws -> Bool {
    let place = target.path
    let folder = URL(fileURLWithPath: place).deletingLastPathComponent().path
    guard StoreFile(folder).isFolder else {
      throw CloneError(
        .noSuchStore, "'\(path)' cannot be created, because the folder '\(folder)' does not exist")
    }
    DraftStore.removeLeftovers(beside: place)
    guard let draft = DraftStore.beside(place) else { throw failure("cannot be created") }
    defer { draft.remove() }
    do { try build(draft.path) } catch let error as DatabaseError {
      throw named(error.ofDraft)
    }
    synchronize(draft.path)
    // They come first: files without a store do no harm, whereas a store must not be seen without its files.
    let takeBack = try ExternalFiles(of: place).takeAll(from: ExternalFiles(of: draft.path))
    var isMoved = false
    defer { if !isMoved { takeBack() } }
    isMoved = try move(draft.path)
    synchronize(folder)
    return isMoved
  }

  /// Waits until a file or a folder is on the disk.
  private func synchronize(_ path: String) {
    let file = Foundation.open(path, O_RDONLY)
    guard file >= 0 else { return }
    fsync(file)
    close(file)
  }

  private func failure(_ what: String) -> CloneError {
    CloneError(.storeFailed, "'\(path)' \(what): \(String(cString: strerror(errno)))")
  }
}
