import Foundation
import MOCloneModel

/// Random UUIDs (RFC 9562, version 4), whose bytes are asked of the system for many at once.
final class RandomUUIDs: Sendable {
  /// As many bytes as getentropy gives.
  private static let capacity = 256

  private struct State {
    var bytes = [UInt8](repeating: 0, count: RandomUUIDs.capacity)
    var used = RandomUUIDs.capacity
    var forks = 0
  }

  private let state = Locked(State())

  /// How often the process is a child made by fork, which must not give out what its parent gives out too. It is written
  /// only in such a child, while that has one thread.
  nonisolated(unsafe) private static var forks = 0
  private static let countsForks: Void = {
    _ = pthread_atfork(nil, nil, { RandomUUIDs.forks += 1 })
  }()

  @Sendable func next() -> UUID {
    _ = Self.countsForks
    return state.withLock { state in
      let forks = Self.forks
      if state.used == Self.capacity || state.forks != forks {
        guard getentropy(&state.bytes, Self.capacity) == 0 else { return UUID() }
        state.used = 0
        state.forks = forks
      }
      defer { state.used += 16 }
      var uuid = state.bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: state.used, as: uuid_t.self) }
      uuid.6 = uuid.6 & 0x0F | 0x40
      uuid.8 = uuid.8 & 0x3F | 0x80
      return UUID(uuid: uuid)
    }
  }
}
