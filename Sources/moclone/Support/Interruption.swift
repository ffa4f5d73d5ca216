import ArgumentParser
import Dispatch
import Foundation
import MOCloneKit
import MOCloneSQL

/// Ends a run on a signal: the statement under way is interrupted, the transaction rolled back, the signal raised again.
///
/// A signal that comes after the commit takes nothing back: what is done is said, then the signal is raised again.
enum Interruption {
  private struct State {
    var caught: Int32?
    /// What is done for good.
    var committed: String?
  }

  private static let state = Locked(State())
  private static let signals = [SIGINT, SIGTERM, SIGHUP]

  /// Whether a signal came while it was watched for.
  static var isCaught: Bool { state.withLock { $0.caught != nil } }

  /// Watches for signals while a run that asks ``isCaught`` itself goes on.
  static func watching<T>(_ body: () throws -> T) rethrows -> T {
    try watching({}, body)
  }

  /// Watches for signals while a store is written.
  static func watching<T>(_ graph: any StoreGraph, _ body: () throws -> T) rethrows -> T {
    try watching(graph.interruption ?? {}, body)
  }

  /// Watches for signals while a file is made, which ends between two steps.
  ///
  /// - Parameters:
  ///   - done: what is done once the file is in its place.
  ///   - body: says whether it made the file.
  @discardableResult
  static func making(_ done: String?, _ body: () throws -> Bool) throws -> Bool {
    try watching {
      let isMade = try Cancellation.asking({ isCaught }, body)
      try afterCommit(isMade ? done : nil) {}
      return isMade
    }
  }

  private static func watching<T>(
    _ interrupt: @escaping @Sendable () -> Void, _ body: () throws -> T
  ) rethrows -> T {
    let queue = DispatchQueue(label: "moclone.signals")
    let before = signals.map { signal($0, SIG_IGN) }
    let sources = signals.map { number in
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler { handle(number, on: queue, interrupt: interrupt) }
      source.resume()
      return source
    }
    defer {
      for source in sources { source.cancel() }
      for (number, handler) in zip(signals, before) { signal(number, handler) }
    }
    return try body()
  }

  private static func handle(
    _ number: Int32, on queue: DispatchQueue, interrupt: @escaping @Sendable () -> Void
  ) {
    let isFirst = state.withLock { state in
      defer { state.caught = number }
      return state.caught == nil
    }
    guard isFirst else { return end() }
    // Between two statements there is nothing to interrupt, so it is tried until the run has ended.
    repeatedly(on: queue, interrupt)
    // What has not ended by then waits for input that does not come. A store takes back what was not committed.
    queue.asyncAfter(deadline: .now() + .seconds(2), execute: end)
  }

  private static func repeatedly(on queue: DispatchQueue, _ action: @escaping @Sendable () -> Void) {
    guard state.withLock({ $0.committed == nil }) else { return }
    action()
    queue.asyncAfter(deadline: .now() + .milliseconds(20)) { repeatedly(on: queue, action) }
  }

  /// Hands out the result of a run that is committed; nil where nothing was.
  ///
  /// - Throws: `ExitCode` for a result that cannot be written, once it is said what is done.
  static func afterCommit(_ done: String?, body: () throws -> Void) throws {
    guard let done else { return try body() }
    state.withLock { $0.committed = done }
    do { try body() } catch {
      state.withLock { $0.committed = nil }
      Console.complain("\(done), but the result could not be written: \(Failure.reason(error))")
      raiseAgain()
      throw ExitCode(2)
    }
    if isCaught { end() }
  }

  /// Says what is done, and ends the process by the signal that was caught, if any.
  private static func end() {
    let done = state.withLock { state in
      defer { state.committed = nil }
      return state.committed
    }
    if let done { Console.complain("\(done) before the signal came") }
    raiseAgain()
  }

  /// Ends the process by the signal that was caught, if any.
  static func raiseAgain() {
    guard let number = state.withLock({ $0.caught }) else { return }
    signal(number, SIG_DFL)
    // Whoever started the process may have blocked the signal, and the process inherits that.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, number)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    raise(number)
  }
}
