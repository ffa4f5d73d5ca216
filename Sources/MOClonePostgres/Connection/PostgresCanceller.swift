import CPostgreSQL
import Foundation

/// Ends the statement that a connection runs, from any thread.
///
/// `@unchecked Sendable`: everything is read and written under the lock, and `PQcancel` may be called by any thread.
package final class PostgresCanceller: @unchecked Sendable {
  private let lock = NSLock()
  private let handle: OpaquePointer?
  private var isRunning = false
  private var wasCancelled = false

  init(_ connection: OpaquePointer?) { handle = PQgetCancel(connection) }

  deinit { PQfreeCancel(handle) }

  /// Ends the statement that runs now; does nothing between statements.
  package func cancel() {
    lock.withLock {
      guard isRunning, !wasCancelled else { return }
      wasCancelled = true
      var message = [CChar](repeating: 0, count: 256)
      // It returns when the server has passed the request on; so it never hits the next statement.
      _ = PQcancel(handle, &message, Int32(message.count))
    }
  }

  func begin() {
    lock.withLock {
      isRunning = true
      wasCancelled = false
    }
  }

  /// Whether the statement that ends was cancelled.
  func end() -> Bool {
    lock.withLock {
      isRunning = false
      return wasCancelled
    }
  }
}
