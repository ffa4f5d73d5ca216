import GRDB
import GRDBSQLite
import MOCloneEngine
import MOCloneSQL

/// Looks after a run while SQLite works, whose statements can take seconds each: one ends early where the run is
/// cancelled, and tells how many objects it has gone through.
final class RunWatch {
  let run: MoveRun
  private var progress = MoveProgress(.finding)
  /// The objects of each entity that there are to go through, where somebody wants to know.
  private var totals: [String: Int] = [:]
  private var scan: (entity: String, statement: OpaquePointer)?

  /// Steps of SQLite's virtual machine between two looks, which take milliseconds at most.
  private static let interval: Int32 = 20_000

  init(_ run: MoveRun) {
    self.run = run
  }

  /// Looks at the run during a body on a connection.
  ///
  /// SQLite rolls a whole transaction back with a statement that it ends, so it must be the run's own.
  func during<T>(_ db: Database, _ body: () throws -> T) rethrows -> T {
    let connection = db.sqliteConnection
    sqlite3_progress_handler(
      connection, Self.interval,
      { watch in Unmanaged<RunWatch>.fromOpaque(watch!).takeUnretainedValue().look() ? 0 : 1 },
      Unmanaged.passUnretained(self).toOpaque())
    defer { sqlite3_progress_handler(connection, 0, nil, nil) }
    return try withExtendedLifetime(self, body)
  }

  /// Begins a phase.
  ///
  /// - Parameter totals: how many objects of each entity it will go through.
  func enter(_ phase: MoveProgress.Phase, of totals: [String: Int] = [:]) throws {
    self.totals = totals
    progress = MoveProgress(phase, total: totals.isEmpty ? nil : totals.values.reduce(0, +))
    try run.report(progress)
  }

  /// Runs a statement that goes through the objects of an entity.
  func scanning<T>(_ entity: String, _ statement: Statement, _ body: () throws -> T) throws -> T {
    guard run.progress != nil else { return try body() }
    _ = sqlite3_stmt_status(statement.sqliteStatement, SQLITE_STMTSTATUS_FULLSCAN_STEP, 1)
    scan = (entity, statement.sqliteStatement)
    defer { scan = nil }
    let result = try body()
    pass(totals[entity] ?? passed)
    try run.report(progress)
    return result
  }

  /// - Returns: whether the statement under way is to go on.
  private func look() -> Bool {
    if run.isEnding { return false }
    guard scan != nil else { return true }
    pass(passed)
    run.progress?(progress)
    return true
  }

  /// SQLite counts the rows that a statement has passed in going through a table or index.
  private var passed: Int {
    scan.map { Int(sqlite3_stmt_status($0.statement, SQLITE_STMTSTATUS_FULLSCAN_STEP, 0)) } ?? 0
  }

  private func pass(_ rows: Int) {
    guard let scan else { return }
    let before = progress.objects[scan.entity] ?? 0
    progress.objects[scan.entity] = max(before, min(rows, totals[scan.entity] ?? rows))
  }
}
