import GRDB
import MOCloneEngine
import MOCloneModel

/// One clone on a connection, inside the caller's transaction or savepoint: schema, program, foreign keys, run.
struct CloneOperation {
  let access: RowAccess
  let plan: ClonePlan
  let run: CloneRun
  private var db: Database { access.db }

  /// Clones in a transaction that ends with the clone.
  func clone(_ roots: [ObjectID]) throws -> CloneResult {
    let program = try SQLProgram(layout())
    if program.defersForeignKeys { try db.execute(sql: "PRAGMA defer_foreign_keys = ON") }
    return try run(program, roots)
  }

  /// Clones in a savepoint of the caller's transaction, and leaves its settings as they were.
  func cloneInSavepoint(_ roots: [ObjectID]) throws -> CloneResult {
    let program = try SQLProgram(layout())
    let wasDeferred = try Bool.fetchOne(db, sql: "PRAGMA defer_foreign_keys") ?? false
    let switches = program.defersForeignKeys && !wasDeferred
    if switches { try db.execute(sql: "PRAGMA defer_foreign_keys = ON") }
    defer {
      // Turning it off makes SQLite forget what is pending, so it is put back only where nothing is.
      if switches && !PendingReferences(db: db, program: program).isPending {
        try? db.execute(sql: "PRAGMA defer_foreign_keys = OFF")
      }
    }
    var result: CloneResult?
    try db.inSavepoint {
      result = try run(program, roots)
      return .commit
    }
    return result!
  }

  private func run(_ program: SQLProgram, _ roots: [ObjectID]) throws -> CloneResult {
    let references = PendingReferences(db: db, program: program)
    let before = try references.isPending ? references.violations() : nil
    let result = try CloneExecutor(db, program, run).clone(existing(roots))
    try references.check(since: before)
    return result
  }

  /// What a run would clone and link; only temporary tables are written.
  func preview(_ roots: [ObjectID]) throws -> CloneResult {
    try CloneExecutor(db, SQLProgram(layout()), run).preview(existing(roots))
  }

  /// The objects that a run would clone; the run keeps its mapping.
  func originals(_ roots: [ObjectID]) throws -> [ObjectID] {
    try CloneExecutor(db, SQLProgram(layout()), run).originals(existing(roots))
  }

  /// The roots as the store writes their keys, all fit for the plan.
  private func existing(_ roots: [ObjectID]) throws -> [ObjectID] {
    let found = try roots.map { root in
      guard let id = try access.find(root.entity, key: root.key) else {
        throw CloneError.noSuchObject(root.entity, root.key)
      }
      return id
    }
    try plan.check(roots: found)
    return found
  }

  func layout() throws -> CloneLayout {
    let tables = StoreCheck.tables(of: plan.entities, plan.model, access.mapping)
    let schema = try SchemaReader(db: db).schema(of: tables)
    return try CloneLayout(
      plan: plan, mapping: access.mapping, schema: schema, keepsMapping: run.keepsMapping)
  }
}
