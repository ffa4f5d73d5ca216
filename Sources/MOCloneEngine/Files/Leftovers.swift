import Foundation
import MOCloneModel

/// What a process makes for itself and takes away before it ends, by a signal or `exit` as well.
package enum Leftovers {
  private static let removals = Locked<[String: @Sendable () -> Void]>([:])
  private static let isWatching = atexit({ Leftovers.removeAll() }) == 0

  /// Has what lies at a path removed at the end of the process, unless it is removed or forgotten before.
  package static func add(_ path: String, remove: @escaping @Sendable () -> Void) {
    _ = isWatching
    removals.withLock { $0[path] = remove }
  }

  /// Removes what lies at a path, which is forgotten only then: another thread can end the process meanwhile.
  package static func remove(_ path: String) {
    removals.withLock { $0[path] }?()
    forget(path)
  }

  /// Leaves what lies at a path there.
  package static func forget(_ path: String) {
    _ = removals.withLock { $0.removeValue(forKey: path) }
  }

  package static func removeAll() {
    for path in removals.withLock({ Array($0.keys) }) { remove(path) }
  }
}
