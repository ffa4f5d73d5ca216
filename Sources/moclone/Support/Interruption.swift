import Dispatch
import Foundation
import MOCloneKit
import Synchronization

/// Ends a run on a signal: the statement under way is interrupted, the transaction rolled back, the signal raised again.
enum Interruption {
  private static let caught = Mutex<Int32?>(nil)

  /// Watches for signals while a store is written.
  static func watching<T>(_ graph: SQLiteGraph, _ body: () throws -> T) rethrows -> T {
    guard let interrupt = graph.interruption else { return try body() }
    let queue = DispatchQueue(label: "moclone.signals")
    let sources = [SIGINT, SIGTERM, SIGHUP].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler {
        caught.withLock { $0 = number }
        // Between two statements there is nothing to interrupt, so it is tried until the run has ended.
        repeatedly(on: queue, interrupt)
      }
      source.resume()
      return source
    }
    defer { for source in sources { source.cancel() } }
    return try body()
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
