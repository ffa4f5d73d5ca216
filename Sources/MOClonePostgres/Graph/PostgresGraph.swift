import Foundation
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// The objects of a PostgreSQL database.
///
/// ```swift
/// let graph = try PostgresGraph(PostgresLocation("postgresql://localhost/notes"), model: model)
/// let copy = try Cloner().clone(object: graph.object("Note", key: 42))
/// ```
///
/// Every change is a transaction of its own, which sees one state of the database (`REPEATABLE READ`) and is run once
/// more where another transaction was in its way. A graph holds one connection, and belongs to one task at a time.
public final class PostgresGraph: StoreGraph {
  /// The model of the database.
  public let model: ObjectModel
  private(set) var mapping: SchemaMapping {
    didSet { programs.mapping = mapping }
  }
  let connection: PostgresConnection
  let isReadOnly: Bool
  let plans = PlanCache()
  let programs: PostgresPrograms
  /// Whether clones wait for `save()`.
  var isPending = false
  /// Whether the columns of UUIDs were looked at.
  private var knowsUUIDs = false
  /// What was read of a state that stays the same; nil outside `reading`.
  var kept: KeptRows?

  /// Connects to a database.
  ///
  /// - Parameters:
  ///   - location: where the database is.
  ///   - model: the model of its tables.
  ///   - isReadOnly: has the server refuse every write.
  /// - Throws: `CloneError` (`store-failed`, `store-busy`).
  public convenience init(_ location: PostgresLocation, model: ObjectModel, isReadOnly: Bool = false) throws {
    self.init(
      try PostgresErrors.translating { try PostgresConnection(location) }, model: model,
      isReadOnly: isReadOnly)
  }

  /// Works on a connection of the caller's, also inside a transaction that is open on it.
  ///
  /// libpq's functions are in the module `CPostgreSQL`, and the target that calls them links libpq.
  ///
  /// ```swift
  /// import CPostgreSQL
  ///
  /// let connection = PQconnectdb("dbname=notes")!
  /// PQclear(PQexec(connection, "BEGIN"))
  /// try Cloner().clone("Note", keys: [42], in: PostgresGraph(connection: connection, model: model))
  /// PQclear(PQexec(connection, "COMMIT"))
  /// ```
  ///
  /// Outside a transaction every call is one of its own. Inside one every call is a savepoint, nothing is committed, and the
  /// parameter `saveBeforeReturn` has no effect; the transaction's isolation decides what is seen, so with `READ COMMITTED` a
  /// clone that takes several statements may see several states. Temporary tables whose names begin with `moclone_` may
  /// stay until the transaction ends. Settings, prepared statements and the modes of libpq are left as they were.
  ///
  /// - Parameters:
  ///   - connection: a `PGconn *` of libpq, which nobody else uses meanwhile; it must stay open as long as the graph is
  ///     used, and is not closed with it.
  ///   - model: the model of its tables.
  /// - Throws: `CloneError` (`store-failed`) where the connection cannot be used.
  public convenience init(connection: OpaquePointer, model: ObjectModel) throws {
    self.init(
      try PostgresErrors.translating { try PostgresConnection(borrowing: connection) }, model: model)
  }

  package convenience init(_ connection: PostgresConnection, model: ObjectModel, isReadOnly: Bool = false) {
    self.init(connection, model: model, mapping: SchemaMapping(model, in: .postgres), isReadOnly: isReadOnly)
  }

  /// - Parameter mapping: where the model is in the database.
  init(
    _ connection: PostgresConnection, model: ObjectModel, mapping: SchemaMapping, isReadOnly: Bool = false
  ) {
    self.connection = connection
    self.model = model
    self.mapping = mapping
    self.isReadOnly = isReadOnly
    programs = PostgresPrograms(connection, mapping: mapping)
  }

  deinit {
    try? rollback()
  }

  /// Ends the statement that another thread runs in this graph.
  public var interruption: (@Sendable () -> Void)? {
    { [canceller = connection.canceller] in canceller.cancel() }
  }

  /// Closes the connection; the graph throws afterwards.
  ///
  /// Pending clones are taken back. A connection that the graph was given stays open; only the graph ends.
  public func close() throws {
    defer { connection.close() }
    try takeBack()
  }

  // MARK: Access

  var access: RowAccess<PostgresConnection> {
    get throws {
      if !knowsUUIDs { try lookAtUUIDs() }
      return RowAccess(db: connection, model: model, mapping: mapping)
    }
  }

  /// Finds the columns that hold UUIDs as the model says, and not in a type of their own, once their tables are there.
  private func lookAtUUIDs() throws {
    let asked = Set(mapping.entities.values.filter(\.holdsUUIDs).map(\.table))
    let tables = try programs.visible(asked).sorted()
    guard !tables.isEmpty else {
      knowsUUIDs = true
      return
    }
    let types = try PostgresSchemaReader(connection).baseTypes(of: tables)
    guard !types.isEmpty else { return }
    mapping = mapping.knowing { types[$0.sqlName]?[$1.sqlName] }
    knowsUUIDs = true
  }

  package func read<Result>(_ body: (RowAccess<PostgresConnection>) throws -> Result) throws -> Result {
    try read(holding: nil, body)
  }

  func read<Result>(
    holding tables: HeldTables?, _ body: (RowAccess<PostgresConnection>) throws -> Result
  ) throws -> Result {
    try translating {
      try connection.inTransaction(readOnly: true, holding: tables) { try body(access) }
    }
  }

  package func write<Result>(_ body: (RowAccess<PostgresConnection>) throws -> Result) throws -> Result {
    try write(holding: nil, body)
  }

  func write<Result>(
    holding tables: HeldTables?, retries: Int = 1,
    _ body: (RowAccess<PostgresConnection>) throws -> Result
  ) throws -> Result {
    try translating {
      try connection.inTransaction(readOnly: isReadOnly, holding: tables, retries: retries) {
        try body(access)
      }
    }
  }

  /// Reads with temporary tables, which a read-only transaction must not make.
  func look<Result>(
    holding tables: HeldTables, _ body: (RowAccess<PostgresConnection>) throws -> Result
  ) throws -> Result {
    try translating { try connection.inTransaction(holding: tables) { try body(access) } }
  }

  /// The tables that a plan has to do with; all of the model without one.
  func tables(_ mode: HeldTables.Mode, of plan: ClonePlan? = nil) throws -> HeldTables {
    let names: Set<String>
    // A plan that was run before has been checked.
    if let plan, programs.last(of: plan) == nil {
      names = try StoreCheck.tables(of: plan, mapping: mapping)
    } else {
      names = StoreCheck.tables(
        of: plan?.entities ?? model.entities.map(\.name), plan?.model ?? model, mapping: mapping)
    }
    return HeldTables(names: names.sorted(), mode: isReadOnly ? .reads : mode)
  }

  func translating<Result>(_ body: () throws -> Result) throws -> Result {
    if connection.isClosed { throw CloneError.graphClosed }
    return try PostgresErrors.translating(body)
  }

  /// Runs several calls in one transaction, or in a savepoint of the one that is under way.
  @discardableResult
  public func atomically<Result>(_ body: () throws -> Result) throws -> Result {
    try translating {
      try connection.inTransaction(readOnly: isReadOnly, holding: tables(.writes)) { try body() }
    }
  }
}

extension EntityMapping {
  fileprivate var holdsUUIDs: Bool {
    key.contains { $0.uuids != nil } || attributes.values.contains { $0.type == .uuid }
  }
}

extension PostgresGraph: SharedStore {
  /// Several connections can lead to one database by different names.
  package func shares(objectsOf other: any ObjectGraph) -> Bool { other is PostgresGraph }
}
