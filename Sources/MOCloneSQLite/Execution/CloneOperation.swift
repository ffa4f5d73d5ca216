import GRDB
import MOCloneEngine
import MOCloneModel

/// One clone on a connection, inside the caller's transaction or savepoint: program, foreign keys, run.
struct CloneOperation {
  let access: RowAccess
  let plan: ClonePlan
  let options: CloneOptions
  private var db: Database { access.db }

  /// The plan's program, which the connection keeps as long as its tables stay as they are.
  ///
  /// - Parameter roots: those that are written.
  func prepared(writing roots: [ObjectID] = []) throws -> PreparedClone {
    try ConnectionState.of(db).program(
      of: plan, keepsMapping: options.keepsMapping, severalRoots: plan.isTogether(roots), access: access)
  }

  /// Clones in a transaction that ends with the clone.
  func clone(_ roots: [ObjectID]) throws -> CloneResult {
    let prepared = try prepared(writing: roots)
    try prepared.checkInserts(in: db)
    if prepared.program.defersForeignKeys { try db.execute(sql: "PRAGMA defer_foreign_keys = ON") }
    return try run(prepared, roots: roots)
  }

  /// Clones in a savepoint of the caller's transaction, and leaves its settings as they were.
  func cloneInSavepoint(_ roots: [ObjectID]) throws -> CloneResult {
    let prepared = try prepared(writing: roots)
    try prepared.checkInserts(in: db)
    func cloned() throws -> CloneResult { try db.inKeptSavepoint { try run(prepared, roots: roots) } }
    return try prepared.program.defersForeignKeys ? db.whileForeignKeysWait(cloned) : cloned()
  }

  private func run(_ prepared: PreparedClone, roots: [ObjectID]) throws -> CloneResult {
    let references = PendingReferences(db: db, program: prepared.program)
    let before = try references.isPending ? references.violations() : nil
    let result = try executing(prepared, roots: roots) { try $0.clone($1) }
    try references.check(since: before)
    return result
  }

  /// Asks what a run would find; only temporary tables are written.
  func looking<Result>(
    from roots: [ObjectID], _ body: (CloneExecutor<SQLiteCloneSession>, [ObjectID]) throws -> Result
  ) throws -> Result {
    try executing(prepared(), roots: roots, body: body)
  }

  private func executing<Result>(
    _ prepared: PreparedClone, roots: [ObjectID],
    body: (CloneExecutor<SQLiteCloneSession>, [ObjectID]) throws -> Result
  ) throws -> Result {
    try body(
      CloneExecutor(SQLiteCloneSession(db, prepared: prepared), plan: plan, options: options),
      prepared.existing(roots, of: plan, access: access))
  }
}

extension Database {
  /// Runs a body in a savepoint, as `inSavepoint` does, by statements that are prepared once.
  func inKeptSavepoint<Result>(_ body: () throws -> Result) throws -> Result {
    guard isInsideTransaction else {
      var result: Result?
      try inSavepoint {
        result = try body()
        return .commit
      }
      return result!
    }
    try cachedStatement(sql: "SAVEPOINT moclone").execute()
    do {
      let result = try body()
      try cachedStatement(sql: "RELEASE SAVEPOINT moclone").execute()
      return result
    } catch {
      // SQLite itself has taken the whole transaction back after some errors.
      if isInsideTransaction {
        try? execute(sql: "ROLLBACK TO SAVEPOINT moclone; RELEASE SAVEPOINT moclone")
      }
      throw error
    }
  }
}
