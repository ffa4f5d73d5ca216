import Dispatch
import Foundation
import MOCloneKit
import Synchronization

/// Ends a run on a signal: the statement under way is interrupted, the transaction rolled back, the signal raised again.
enum Interruption {
  private static let caught = Mutex<Int32?>(nil)
  private static let signals = [SIGINT, SIGTERM, SIGHUP]

  /// Whether a signal came while it was watched for.
  static var isCaught: Bool { caught.withLock { $0 != nil } }

  /// Watches for signals while a run that asks ``isCaught`` itself goes on.
  static func watching<T>(_ body: () throws -> T) rethrows -> T {
    try watching({}, body)
  }

  /// Watches for signals while a store is written.
  static func watching<T>(_ graph: SQLiteGraph, _ body: () throws -> T) rethrows -> T {
    try watching(graph.interruption ?? {}, body)
  }

  private static func watching<T>(
    _ interrupt: @escaping @Sendable () -> Void, _ body: () throws -> T
  ) rethrows -> T {
    let queue = DispatchQueue(label: "moclone.signals")
    let before = signals.map { signal($0, SIG_IGN) }
    let sources = signals.map { number in
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler { handle(number, on: queue, interrupt) }
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
    _ number: Int32, on queue: DispatchQueue, _ interrupt: @escaping @Sendable () -> Void
  ) {
    let isFirst = caught.withLock { caught in
      defer { caught = number }
      return caught == nil
    }
    guard isFirst else { return raiseAgain() }
    // Between two statements there is nothing to interrupt, so it is tried until the run has ended.
    repeatedly(on: queue, interrupt)
    // What has not ended by then waits for input that does not come. A store takes back what was not committed.
    queue.asyncAfter(deadline: .now() + .seconds(2), execute: raiseAgain)
  }

  private static func repeatedly(on queue: DispatchQueue, _ action: @escaping @Sendable () -> Void) {
    action()
    queue.asyncAfter(deadline: .now() + .milliseconds(20)) { repeatedly(on: queue, action) }
  }

  /// Ends the process by the signal that was caught, if any.
  static func raiseAgain() {
    guard let number = caught.withLock({ $0 }) else { return }
    signal(number, SIG_DFL)
    // Whoever started the process may have blocked the signal, and the process inherits that.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, number)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    raise(number)
  }
}
