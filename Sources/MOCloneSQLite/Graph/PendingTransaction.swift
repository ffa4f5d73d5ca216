import Foundation
import GRDB

/// A transaction that stays open between calls: a thread of its own keeps the writer's access until the end.
///
/// `@unchecked Sendable`: `job`, `failure`, `commits`, `isEnded` and the connection are touched by one thread at a time;
/// the semaphores hand them over, and the caller waits while its job runs.
final class PendingTransaction: @unchecked Sendable {
  private var job: ((Database) throws -> Void)?
  private var failure: (any Error)?
  private var commits = false
  /// Whether nothing is pending any more.
  private(set) var isEnded = false
  private let isAsked = DispatchSemaphore(value: 0)
  private let isDone = DispatchSemaphore(value: 0)

  init(_ writer: any DatabaseWriter) throws {
    let thread = Thread { self.hold(writer) }
    thread.start()
    try wait()
  }

  private func hold(_ writer: any DatabaseWriter) {
    do {
      try writer.writeWithoutTransaction { db in
        try db.beginTransaction(.immediate)
        isDone.signal()
        repeat { serve(db) } while try !hasEnded(db)
      }
    } catch {
      failure = error
    }
    isEnded = true
    isDone.signal()
  }

  /// Ends the transaction.
  ///
  /// - Returns: false where another connection kept it from being committed: then it stays as it is, and can be asked for
  ///   again.
  private func hasEnded(_ db: Database) throws -> Bool {
    do {
      try commits ? db.commit() : db.rollback()
    } catch let error as DatabaseError
      where error.resultCode == .SQLITE_BUSY && commits && db.isInsideTransaction
    {
      failure = error
      isDone.signal()
      return false
    } catch {
      if db.isInsideTransaction { try db.rollback() }
      throw error
    }
    isEnded = true
    return true
  }

  /// Runs jobs until the end is asked for.
  private func serve(_ db: Database) {
    while true {
      isAsked.wait()
      guard runJob(db) else { return }
      isDone.signal()
    }
  }

  /// A job is let go of before the caller goes on, whose closure must not escape.
  private func runJob(_ db: Database) -> Bool {
    guard let job else { return false }
    do { try job(db) } catch { failure = error }
    return true
  }

  private func wait() throws {
    isDone.wait()
    defer { failure = nil }
    if let failure { throw failure }
  }

  func perform<T>(_ body: (Database) throws -> T) throws -> T {
    var result: T?
    try withoutActuallyEscaping(body) { body in
      job = { result = try body($0) }
      defer { job = nil }
      isAsked.signal()
      try wait()
    }
    return result!
  }

  func end(commits: Bool) throws {
    self.commits = commits
    isAsked.signal()
    try wait()
  }
}
