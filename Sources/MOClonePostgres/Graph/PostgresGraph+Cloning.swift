import MOCloneEngine
import MOCloneModel
import MOCloneSQL

// Clones by plans, which wait for `save()` where they are not committed.
extension PostgresGraph {
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

  func session(
    _ plan: ClonePlan, writing roots: [ObjectID] = [], options: CloneOptions, dialect: Dialect = .postgres,
    givenUUIDs: Int? = nil
  ) throws -> PostgresCloneSession {
    let program = try programs.program(
      of: plan, keepsMapping: options.keepsMapping, severalRoots: plan.isTogether(roots), dialect: dialect)
    try plan.checkWidths(program.program.layout.schema, mapping: mapping)
    return PostgresCloneSession(connection, program: program, givenUUIDs: givenUUIDs)
  }

  /// The roots as the database writes their keys, all fit for the plan.
  func existing(
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

  func takeBack() throws {
    try end { try connection.control("ROLLBACK") }
  }

  private func end(_ body: () throws -> Void) throws {
    guard isPending else { return }
    isPending = false
    do { try translating(body) } catch { throw refusedAtEnd(error) }
  }
}
