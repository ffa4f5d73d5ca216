import Foundation
import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// The objects of a SQLite database.
///
/// ```swift
/// let graph = try SQLiteGraph(path: "notes.sqlite", model: model)
/// let copy = try Cloner().clone(object: graph.object("Note", key: 42))
/// ```
///
/// On a path or a GRDB writer every change is a transaction of its own; inside a caller's transaction it is a savepoint.
public final class SQLiteGraph: ObjectGraph {
  /// The model of the store.
  public let model: ObjectModel
  let mapping: SchemaMapping
  private var access: Access
  private var pending: PendingClones?
  /// Whether the writer is the app's, which uses it beside the graph.
  let isShared: Bool
  /// Whether the file is removed where a call fails.
  private let isDraft: Bool
  private let plans = PlanCache()
  let dryRunCopy = DryRunCopy()
  /// Whether a Core Data store may be written; nil for tables alone, which nobody asks for more.
  let coreData: CoreDataWriting?
  /// The source whose store is attached for the time of several calls, in one transaction.
  var attached: (source: SQLiteGraph, file: CopySource)?
  /// Whether the numbers of entities were found to be those of the store.
  private var isNumbered = false

  private enum Access {
    case writer(any DatabaseWriter)
    case database(Database)
    /// With what a call is refused.
    case ended(CloneError)
  }

  /// Opens an existing database; an empty file is none.
  ///
  /// - Parameters:
  ///   - path: the path of the file.
  ///   - model: the model of the store.
  ///   - isReadOnly: opens it so that SQLite itself refuses to write.
  ///   - busyTimeout: how long each access waits for a store that another connection has locked.
  ///   - coreData: whether a store that Core Data made may be written, while the app that owns it is closed.
  /// - Throws: `CloneError` (`no-such-store`, `store-damaged`, `store-busy`, `core-data-store`).
  public convenience init(
    path: String, model: ObjectModel, isReadOnly: Bool = false,
    busyTimeout: Duration = StoreFile.defaultBusyTimeout, coreData: CoreDataWriting = .refused
  ) throws {
    let file = StoreFile(path, busyTimeout: busyTimeout)
    self.init(
      owning: try file.open(isReadOnly: isReadOnly, coreData: coreData), model: model, coreData: coreData)
    if !isReadOnly, coreData == .allowed { try checkWritable() }
  }

  /// The objects that a GRDB `DatabaseQueue` or `DatabasePool` reaches.
  ///
  /// - Parameters:
  ///   - writer: the queue or pool, which stays the caller's.
  ///   - model: the model of the objects.
  ///   - coreData: whether a store that Core Data made may be written.
  public convenience init(
    _ writer: any DatabaseWriter, model: ObjectModel, coreData: CoreDataWriting = .refused
  ) {
    self.init(.writer(writer), isShared: true, model: model, coreData: coreData)
  }

  /// The objects of a writer that nobody else uses.
  ///
  /// - Parameter isDraft: whether its file is removed where a call fails.
  convenience init(
    owning writer: any DatabaseWriter, model: ObjectModel, coreData: CoreDataWriting?, isDraft: Bool = false
  ) {
    self.init(.writer(writer), isShared: false, model: model, coreData: coreData, isDraft: isDraft)
  }

  private init(
    _ access: Access, isShared: Bool, model: ObjectModel, coreData: CoreDataWriting?, isDraft: Bool = false
  ) {
    self.isDraft = isDraft
    self.coreData = coreData
    self.model = model
    self.access = access
    self.isShared = isShared
    mapping = SchemaMapping(model, in: .sqlite)
  }

  deinit {
    try? pending?.end(commits: false)
  }

  /// A graph inside the caller's transaction, for the time of the closure; used afterwards it throws.
  ///
  /// - Parameters:
  ///   - db: the connection, inside a transaction or not.
  ///   - model: the model of the objects.
  ///   - coreData: whether a store that Core Data made may be written.
  ///   - body: what uses the graph.
  /// - Throws: what the closure throws; a graph used too late throws `CloneError` (`graph-ended`).
  public static func with<T>(
    _ db: Database, model: ObjectModel, coreData: CoreDataWriting = .refused,
    _ body: (SQLiteGraph) throws -> T
  ) throws -> T {
    let graph = SQLiteGraph(.database(db), isShared: true, model: model, coreData: coreData)
    defer { graph.access = .ended(Self.ended) }
    return try body(graph)
  }

  /// Refuses a store in which nothing may be written whatever the connection, as a dry run must.
  ///
  /// - Throws: `CloneError` (`core-data-store`).
  public func checkWritable() throws {
    try read { try CoreDataStore.check(coreData ?? .allowed, $0.db, model, at: $0.path) }
  }

  /// Whether the connection refuses to write.
  var isReadOnly: Bool {
    guard case .writer(let writer) = access else { return false }
    return writer.configuration.readonly
  }

  /// Interrupts the statement that another thread runs in this graph; nil inside a caller's transaction.
  public var interruption: (@Sendable () -> Void)? {
    guard case .writer(let writer) = access else { return nil }
    if let pending { return pending.interruption }
    return { [dryRunCopy] in
      writer.interrupt()
      dryRunCopy.interrupt()
    }
  }

  /// Closes the database, which takes what is in its -wal file into the store; the graph throws afterwards.
  ///
  /// A pending clone is taken back. A writer that the graph was given stays open, and so does a caller's transaction; only
  /// the graph ends.
  public func close() throws {
    try end(commits: false)
    let last = access
    access = .ended(.graphClosed)
    guard !isShared, case .writer(let writer) = last else { return }
    try translating { try writer.close() }
  }

  // MARK: Access

  package func read<T>(_ body: (RowAccess) throws -> T) throws -> T {
    try connected({ try $0.reading($1) }, body: { db, _ in try body(rows(db)) })
  }

  package func write<T>(_ body: (RowAccess) throws -> T) throws -> T {
    func kept(_ access: RowAccess) throws -> T { try keepingCoreData(access) { try body(access) } }
    return try connected({ try $0.writing($1) }, inSavepoint: true, body: { db, _ in try kept(rows(db)) })
  }

  /// Reads with temporary tables, which GRDB refuses to a reader of a connection that may write.
  func look<T>(_ look: (RowAccess) throws -> T) throws -> T {
    func body(_ access: RowAccess) throws -> T {
      try access.db.makingTemporaryTables { try look(access) }
    }
    if isReadOnly { return try read(body) }
    return try connected({ try $0.looking($1) }, inSavepoint: true, body: { db, _ in try body(rows(db)) })
  }

  /// Runs a body that begins its own transactions, unless one is under way already.
  func onConnection<T>(_ body: (RowAccess, _ isOwn: Bool) throws -> T) throws -> T {
    try connected({ try $0.outermost($1) }, body: { try body(rows($0), $1) })
  }

  /// - Parameters:
  ///   - own: how the graph's own writer is accessed.
  ///   - inSavepoint: whether the body runs in a savepoint of a transaction that is under way.
  ///   - body: it is told whether none is.
  private func connected<T>(
    _ own: (any DatabaseWriter, (Database) throws -> T) throws -> T, inSavepoint: Bool = false,
    body: (Database, _ isOwn: Bool) throws -> T
  ) throws -> T {
    func within(_ db: Database) throws -> T {
      try inSavepoint ? db.inKeptSavepoint { try body(db, false) } : body(db, false)
    }
    return try translating {
      if let pending { return try pending.perform(within) }
      switch access {
      case .writer(let writer):
        return try withoutActuallyEscaping(body) { body in try own(writer) { try body($0, true) } }
      case .database(let db): return try within(db)
      case .ended(let error): throw error
      }
    }
  }

  /// Runs several calls in one transaction, or in a savepoint of the one that is under way.
  @discardableResult
  public func atomically<Result>(_ body: () throws -> Result) throws -> Result {
    try write { access in try ClosureError.marking { try nested(in: access, body) } }
  }

  /// Reads several times from one state of the store.
  @discardableResult
  package func reading<Result>(_ body: () throws -> Result) throws -> Result {
    try look { try nested(in: $0, body) }
  }

  func nested<Result>(in access: RowAccess, _ body: () throws -> Result) throws -> Result {
    let (outer, pending) = (self.access, self.pending)
    (self.access, self.pending) = (.database(access.db), nil)
    defer { (self.access, self.pending) = (outer, pending) }
    return try body()
  }

  /// Whether another graph reads and writes the same database, by the same connections.
  func shares(databaseOf other: SQLiteGraph) -> Bool {
    switch (access, other.access) {
    case (.writer(let own), .writer(let other)): own as AnyObject === other as AnyObject
    case (.database(let own), .database(let other)): own === other
    default: self === other
    }
  }

  /// Whether calls are part of a transaction that is under way, of this graph or of the caller.
  var isWithinTransaction: Bool {
    if case .database = access { true } else { pending != nil }
  }

  /// - Throws: `CloneError` (`store-mismatch`) where a Core Data store numbers its entities otherwise: its rows would be
  ///   taken for those of others.
  func rows(_ db: Database) throws -> RowAccess {
    if !isNumbered, coreData != nil, mapping.coreData != nil {
      let failures = try CoreDataEntities(db)?.failures(model, mapping: mapping) ?? []
      if !failures.isEmpty { throw CloneError(failures) }
      isNumbered = true
    }
    return RowAccess(db: db, model: model, mapping: mapping)
  }

  private func translating<T>(_ body: () throws -> T) throws -> T {
    do {
      return try body()
    } catch let error as ClosureError {
      throw error.error
    } catch let error as DatabaseError {
      guard case .writer(let writer) = access else { throw StoreErrors.translated(error) }
      throw PendingClones.explained(isDraft ? error.ofDraft : error, on: writer)
    }
  }

  private static let ended = CloneError(
    .graphEnded, "this graph ended with the closure of 'SQLiteGraph.with'",
    help: "return keys instead of objects")

  // MARK: Cloning

  /// The plan of a request; up to 32 plans are kept and given again.
  public func plan(_ entity: String, _ request: CloneRequest) throws -> ClonePlan {
    // A graph in a caller's transaction ends with it, and its connection goes on.
    guard case .database(let db) = access else {
      return try plans.plan(model, entity: entity, request: request)
    }
    return try ConnectionState.of(db).plans.plan(model, entity: entity, request: request)
  }

  /// Runs a plan on each root in one transaction, or in a savepoint of the one that is under way.
  public func run(_ plan: ClonePlan, roots: [ObjectID], options: CloneOptions, saves: Bool) throws
    -> CloneResult
  {
    if !saves, pending == nil, case .writer(let writer) = access {
      pending = try translating { try PendingClones(on: writer, isShared: isShared) }
    }
    func clone(_ db: Database, isOwn: Bool) throws -> CloneResult {
      let access = try rows(db)
      return try keepingCoreData(access) {
        let operation = CloneOperation(access: access, plan: plan, options: options)
        return try isOwn ? operation.clone(roots) : operation.cloneInSavepoint(roots)
      }
    }
    let result = try connected({ try self.clone(in: $0, options.timer, body: $1) }, body: clone)
    if saves { try save() }
    return result
  }

  /// Clones in a transaction of its own; what follows the clone is the commit.
  private func clone(
    in writer: any DatabaseWriter, _ timer: CloneTimer?, body: (Database) throws -> CloneResult
  ) throws -> CloneResult {
    var end = ContinuousClock.now
    let result = try writer.writing { db in
      defer { end = .now }
      return try body(db)
    }
    timer?.add(.now - end, to: .commit)
    return result
  }

  /// Commits the pending clones, and does nothing where there are none; throws `CloneError` (`store-busy`).
  public func save() throws {
    try end(commits: true)
  }

  /// Takes back the pending clones, and does nothing where there are none.
  ///
  /// - Throws: `CloneError` (`invalid-value`) within `atomically` and within a transaction of the caller's, which only an
  ///   error in its closure takes back.
  public func rollback() throws {
    if case .database = access { throw CloneError.notPending }
    try end(commits: false)
  }

  private func end(commits: Bool) throws {
    defer { if pending?.isEnded == true { pending = nil } }
    try translating { try pending?.end(commits: commits) }
  }

  // MARK: Reading

  /// Finds an object by its key in one query; throws `CloneError` (`invalid-key`) where the key does not fit.
  public func find(_ entity: String, key: ObjectKey) throws -> ObjectID? {
    try read { try $0.find(entity, key: key) }
  }

  /// Reads the value of an attribute; throws `CloneError` (`store-mismatch`) where the column holds another.
  public func value(_ attribute: String, of object: ObjectID) throws -> AttributeValue {
    try read { try $0.value(attribute, of: object) }
  }
}

extension SQLiteGraph: SharedStore {
  /// In a transaction only a file tells stores apart.
  package func shares(objectsOf other: any ObjectGraph) -> Bool {
    guard let other = other as? SQLiteGraph else { return false }
    if shares(databaseOf: other) { return true }
    let paths = [self, other].map { graph in (try? graph.read { try $0.path }) ?? "" }
    if case (.writer, .writer) = (access, other.access), paths.contains("") { return false }
    return paths.contains("") || paths[0] == paths[1]
  }
}
