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
  private let isReadOnly: Bool
  private let plans = PlanCache()
  private let programs: PostgresPrograms
  /// Whether clones wait for `save()`.
  private var isPending = false
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
    self.init(connection, model: model, mapping: SchemaMapping(model).typed, isReadOnly: isReadOnly)
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
  private func look<Result>(
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

  // MARK: Cloning

  /// The plan of a request; up to 32 plans are kept and given again.
  public func plan(_ entity: String, _ request: CloneRequest) throws -> ClonePlan {
    try plans.plan(model, entity: entity, request: request)
  }

  /// Runs a plan on each root in one transaction, or in a savepoint of the one that is under way.
  public func run(_ plan: ClonePlan, roots: [ObjectID], options: CloneOptions, saves: Bool) throws
    -> CloneResult
  {
    if !saves, !isPending, !connection.isInTransaction {
      try translating { try connection.begin(holding: tables(.writes)) }
      connection.hasOnlyRead = false
      isPending = true
    }
    let result = try clone(plan, roots: roots, options: options)
    // What goes on around the call may have to be taken back with it.
    if saves, connection.savepoints == 0 { try save() }
    return result
  }

  private func clone(_ plan: ClonePlan, roots: [ObjectID], options: CloneOptions) throws -> CloneResult {
    if let result = try translating({ try cloneAtOnce(plan, roots: roots, options: options) }) {
      return result
    }
    var isWritten = false
    do {
      return try write(holding: tables(.writes, of: plan)) { access in
        isWritten = false
        let roots = try existing(roots, plan: plan, access: access)
        let result =
          try options.generator.isRandom
          ? CloneExecutor(session(plan, writing: roots, options: options), plan: plan, options: options)
            .clone(roots)
          : clone(plan, roots: roots, options: options, givenUUIDs: 1000)
        isWritten = true
        return result
      }
    } catch let error as CloneError where isWritten {
      throw refusedAtEnd(error, plan)
    }
  }

  /// What a constraint refused that waits for the end of the transaction, in the model's words where they tell it.
  private func refusedAtEnd(_ error: CloneError, _ plan: ClonePlan) -> any Error {
    guard let cause = error.underlying, let program = try? programs.program(of: plan) else { return error }
    return program.program.layout.refusedAtEnd(cause, connection) ?? error
  }

  /// The same after an operation that has no plan.
  func refusedAtEnd(_ error: any Error) -> any Error {
    guard let cause = (error as? CloneError)?.underlying, let store = try? storeLayout() else { return error }
    return store.refusedAtEnd(cause, connection) ?? error
  }

  /// Clones one root in one round trip, where a clone by the plan was made before; nil where that cannot be.
  private func cloneAtOnce(_ plan: ClonePlan, roots: [ObjectID], options: CloneOptions) throws -> CloneResult?
  {
    guard !isReadOnly, connection.ownsSession, options.generator.isRandom, !options.keepsMapping,
      roots.count == 1, let root = plan.root(of: roots[0].entity), fits(roots[0]),
      !root.relationships.contains(where: { $0.given != nil }), (try? plan.check(roots: roots)) != nil,
      let (program, state) = programs.last(of: plan)
    else { return nil }
    try plan.checkWidths(program.program.layout.schema, mapping: mapping)
    let session = PostgresCloneSession(connection, program: program)
    return try session.cloneAtOnce(roots[0], state, CloneExecutor(session, plan: plan, options: options))
  }

  /// Whether the statement finds a root by the key as it is.
  private func fits(_ root: ObjectID) -> Bool {
    guard let entity = mapping.entities[root.entity] else { return false }
    return entity.discriminator == nil && root.key.parts.count == entity.key.count
  }

  /// Clones with UUIDs of a generator of the caller's: with more of them, where they were too few.
  private func clone(
    _ plan: ClonePlan, roots: [ObjectID], options: CloneOptions, givenUUIDs: Int
  ) throws -> CloneResult {
    do {
      return try connection.inTransaction {
        let session = try session(
          plan, writing: roots, options: options, dialect: .postgresWithGivenUUIDs, givenUUIDs: givenUUIDs)
        let result = try CloneExecutor(session, plan: plan, options: options).clone(roots)
        if try session.lacksUUIDs(of: options.generator) { throw TakenBack() }
        try connection.dropUUIDs()
        return result
      }
    } catch is TakenBack {
      return try clone(plan, roots: roots, options: options, givenUUIDs: givenUUIDs * 30)
    }
  }

  /// What a run of a plan would clone and link, found without writing to the database.
  ///
  /// In a server that is only read, and for a role without the right to make temporary tables, subtrees in which objects
  /// refer to each other are found object by object; what a run would be refused for is not looked for there.
  ///
  /// - Throws: `CloneError` with what a run would be refused for before its first write.
  public func preview(_ plan: ClonePlan, roots: [ObjectID]) throws -> CloneResult {
    let options = CloneOptions()
    let found = try read(holding: tables(.reads, of: plan)) { access -> CloneResult? in
      let executor = try CloneExecutor(
        session(plan, options: options, dialect: .postgresForLooking), plan: plan, options: options)
      var result = CloneResult()
      for root in try existing(roots, plan: plan, access: access) {
        guard try executor.session.look(at: root, executor, into: &result) else { return nil }
      }
      result.roots = []
      return result
    }
    if let found { return found }
    return try look(holding: tables(.reads, of: plan)) { access in
      let roots = try existing(roots, plan: plan, access: access)
      guard try makesTables() else {
        return try roots.reduce(into: CloneResult()) { result, root in
          var closure = try WalkedClosure(of: root, by: plan, in: self)
          let counts = try closure.counts()
          result.cloned.merge(counts.cloned, uniquingKeysWith: +)
          result.linked.merge(counts.linked, uniquingKeysWith: +)
        }
      }
      return try CloneExecutor(
        session(plan, options: options, dialect: .postgresForLooking), plan: plan, options: options
      )
      .preview(roots)
    }
  }

  /// The objects that a run of a plan would clone.
  func originals(_ plan: ClonePlan, _ roots: [ObjectID]) throws -> [ObjectID] {
    let options = CloneOptions(keepsMapping: true)
    return try look(holding: tables(.reads, of: plan)) { access in
      let roots = try existing(roots, plan: plan, access: access)
      guard try makesTables() else {
        return try roots.flatMap { try WalkedClosure(of: $0, by: plan, in: self).objects }.uniqued()
      }
      return try CloneExecutor(
        session(plan, options: options, dialect: .postgresForLooking), plan: plan, options: options
      )
      .originals(roots)
    }
  }

  package func leavingBehind(
    _ ends: [OpenEnd], by plan: ClonePlan, _ roots: [ObjectID]
  ) throws -> Set<String> {
    let options = CloneOptions(keepsMapping: true)
    return try look(holding: tables(.reads, of: plan)) { access in
      guard try makesTables() else { return try walkedBehind(ends, by: plan, roots) }
      return try CloneExecutor(
        session(plan, options: options, dialect: .postgresForLooking), plan: plan, options: options
      )
      .leavingBehind(ends, of: existing(roots, plan: plan, access: access))
    }
  }

  package func withRows<Result>(
    of entities: Set<String>?, makesTables: Bool, _ body: (SourceRows) throws -> Result
  ) throws -> Result? {
    func rows(_ access: RowAccess<PostgresConnection>) throws -> Result {
      try checkVisible(entities)
      let rows = try SourceRows(access) { [self] plan, roots, body in
        let session = try session(plan, options: CloneOptions(), dialect: .postgresForLooking)
        try CloneExecutor(session, plan: plan, options: CloneOptions()).eachClosure(
          of: existing(roots, plan: plan, access: access), body)
      }
      return try connection.sorting { try body(rows) }
    }
    let tables = try tables(.reads)
    guard makesTables else { return try read(holding: tables, rows) }
    return try look(holding: tables) { try self.makesTables() ? rows($0) : nil }
  }

  /// Whether temporary tables can be made: not in a server that follows another one, nor by a role without the right.
  private func makesTables() throws -> Bool {
    let makesNone = """
      SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean
        OR NOT has_database_privilege(current_database(), 'TEMPORARY')
      """
    return try connection.rows(makesNone).first?[0] != .integer(1)
  }

  /// Runs a plan in a transaction that is rolled back.
  package func rehearse(_ plan: ClonePlan, roots: [ObjectID]) throws -> CloneResult {
    var result: CloneResult?
    do {
      try look(holding: tables(.writes, of: plan)) {
        let session = try session(plan, writing: roots, options: CloneOptions())
        result = try CloneExecutor(session, plan: plan, options: CloneOptions()).clone(
          existing(roots, plan: plan, access: $0))
        throw TakenBack()
      }
    } catch is TakenBack {}
    return result!
  }

  /// The statements that a run of a plan consists of in this database, in their order.
  public func statements(_ plan: ClonePlan) throws -> [String] {
    try read(holding: tables(.reads, of: plan)) { _ in try programs.program(of: plan).statements }
  }

  /// Checks that the database has every table and column that a plan reads or writes.
  ///
  /// - Returns: the indexes without which a run of the plan reads whole tables.
  /// - Throws: `CloneError` (`store-mismatch`, `unmapped-column`) with everything that is missing.
  @discardableResult
  public func check(_ plan: ClonePlan) throws -> [MissingIndex] {
    MissingIndexes(schema: try schema(of: plan), mapping: mapping, model: model).following(plan.askedNames)
  }

  package func schema(of plan: ClonePlan) throws -> StoreSchema {
    try read(holding: tables(.reads, of: plan)) { _ in try programs.program(of: plan).program.layout.schema }
  }

  private func session(
    _ plan: ClonePlan, writing roots: [ObjectID] = [], options: CloneOptions, dialect: Dialect = .postgres,
    givenUUIDs: Int? = nil
  ) throws -> PostgresCloneSession {
    let program = try programs.program(
      of: plan, keepsMapping: options.keepsMapping, severalRoots: plan.isTogether(roots), dialect: dialect)
    try plan.checkWidths(program.program.layout.schema, mapping: mapping)
    return PostgresCloneSession(connection, program: program, givenUUIDs: givenUUIDs)
  }

  /// The roots as the database writes their keys, all fit for the plan.
  private func existing(
    _ roots: [ObjectID], plan: ClonePlan, access: RowAccess<PostgresConnection>
  ) throws -> [ObjectID] {
    let found = try access.existing(roots)
    try plan.check(roots: found)
    return found
  }

  /// Commits the pending clones, and does nothing where there are none.
  ///
  /// - Throws: `CloneError` where the transaction failed or was ended meanwhile, so that nothing is there to commit.
  public func save() throws {
    try end { try connection.committing {} }
  }

  /// Takes back the pending clones, and does nothing where there are none.
  ///
  /// - Throws: `CloneError` (`invalid-value`) within a transaction of the caller's, which the caller takes back.
  public func rollback() throws {
    if !isPending, connection.isInTransaction { throw CloneError.notPending }
    try takeBack()
  }

  private func takeBack() throws {
    try end { try connection.control("ROLLBACK") }
  }

  private func end(_ body: () throws -> Void) throws {
    guard isPending else { return }
    isPending = false
    do { try translating(body) } catch { throw refusedAtEnd(error) }
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
