import Foundation

/// Where new UUIDs and the instant of an operation come from; a test fixes them.
public struct ValueGenerator: Sendable {
  public var now: @Sendable () -> Date
  public var uuid: @Sendable () -> UUID

  public init(now: @escaping @Sendable () -> Date, uuid: @escaping @Sendable () -> UUID) {
    self.now = now
    self.uuid = uuid
  }

  /// The clock, in whole milliseconds as every store can hold them, and random UUIDs.
  public static let system = ValueGenerator(
    now: {
      Date(timeIntervalSinceReferenceDate: (Date().timeIntervalSinceReferenceDate * 1000).rounded() / 1000)
    },
    uuid: RandomUUIDs().next)
}
