import ArgumentParser
import Dispatch
import Foundation
import MOCloneEngine
import MOCloneKit
import MOCloneSQL

/// Ends the command on a signal: the statement under way is interrupted, the transaction rolled back, files that are
/// not whole are removed, the signal is raised again.
///
/// A signal that comes after the commit takes nothing back: what is done is said, then the signal is raised again.
enum Interruption {
  private struct State {
    var caught: Int32?
    /// What is done for good.
    var committed: String?
    /// Interrupts the run under way; nil where none has to end by itself.
    var interrupt: (@Sendable () -> Void)?
  }

  private static let state = Locked(State())
  private static let signals = [SIGINT, SIGTERM, SIGHUP]

  /// Whether a signal came.
  static var isCaught: Bool { state.withLock { $0.caught != nil } }

  /// Whether a signal came that is to end the run: nothing is done for good.
  private static var isAsked: Bool { state.withLock { $0.caught != nil && $0.committed == nil } }

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
      let isMade = try body()
      try afterCommit(isMade ? done : nil) {}
      return isMade
    }
  }

  private static func watching<T>(
    _ interrupt: @escaping @Sendable () -> Void, _ body: () throws -> T
  ) rethrows -> T {
    state.withLock { $0.interrupt = interrupt }
    defer { state.withLock { $0.interrupt = nil } }
    return try Cancellation.asking({ isAsked }, body)
  }

  /// Catches signals while the command runs.
  static func catching<T>(_ body: () throws -> T) rethrows -> T {
    let queue = DispatchQueue(label: "moclone.signals")
    // As numbers: SIG_IGN is none of Swift's functions, and an array of these would take it for the end.
    let before = signals.map { unsafeBitCast(signal($0, SIG_IGN), to: Int.self) }
    let sources = zip(signals, before).map { number, handler in
      // As `nohup` has it; what writes to a store is ended nevertheless.
      let isIgnored = handler == unsafeBitCast(SIG_IGN, to: Int.self)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler { handle(number, isIgnored: isIgnored, on: queue) }
      source.resume()
      return source
    }
    defer {
      for source in sources { source.cancel() }
      for (number, handler) in zip(signals, before) {
        signal(number, unsafeBitCast(handler, to: type(of: SIG_DFL)))
      }
    }
    return try body()
  }

  private static func handle(_ number: Int32, isIgnored: Bool, on queue: DispatchQueue) {
    let isRunning = state.withLock { $0.interrupt != nil }
    guard isRunning || !isIgnored else { return }
    let isFirst = state.withLock { state in
      defer { state.caught = number }
      return state.caught == nil
    }
    guard isFirst, isRunning else { return end() }
    // Between two statements there is nothing to interrupt, so it is tried until the run has ended.
    interruptRepeatedly(on: queue)
    // What has not ended by then waits for input that does not come. A store takes back what was not committed.
    queue.asyncAfter(deadline: .now() + .seconds(2), execute: end)
  }

  private static func interruptRepeatedly(on queue: DispatchQueue) {
    guard let interrupt = state.withLock({ $0.committed == nil ? $0.interrupt : nil }) else { return }
    interrupt()
    queue.asyncAfter(deadline: .now() + .milliseconds(20)) { interruptRepeatedly(on: queue) }
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
    Leftovers.removeAll()
    signal(number, SIG_DFL)
    // Whoever started the process may have blocked the signal, and the process inherits that.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, number)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    raise(number)
  }
}
