import Foundation
import MOCloneModel

/// Where new UUIDs and the instant of an operation come from; a test fixes them.
public struct ValueGenerator: Sendable {
  /// Gives the present instant, which an operation writes into its dates.
  public var now: @Sendable () -> Date
  /// Gives another UUID at each call.
  public var uuid: @Sendable () -> UUID

  /// Whether the UUIDs are random, so that a database may make them itself.
  package var isRandom = false

  /// Those that were lent and not taken.
  private let spare = Locked<[UUID]>([])

  /// What to do where a generator repeats a UUID.
  package static let adviceAgainstRepetition =
    "give all cloners of a store one generator: each 'ValueGenerator.fixed()' begins with the same UUID"

  /// Creates a generator from two closures, which may be called on any thread.
  ///
  /// A PostgreSQL database is handed UUIDs before it says how many it takes, 1,000 for a clone and 20,000 for other operations;
  /// it is handed those that it did not take again the next time.
  public init(now: @escaping @Sendable () -> Date, uuid: @escaping @Sendable () -> UUID) {
    self.now = now
    self.uuid = uuid
  }

  /// UUIDs for a database that says later how many of them it took.
  package func lend(_ count: Int) -> [UUID] {
    spare.withLock { spare in
      let old = Array(spare.prefix(count))
      spare.removeFirst(old.count)
      return old + (old.count..<count).map { _ in uuid() }
    }
  }

  /// - Parameter uuids: what was lent and not taken.
  package func takeBack(_ uuids: ArraySlice<UUID>) {
    spare.withLock { $0.insert(contentsOf: uuids, at: 0) }
  }

  /// The clock, in whole milliseconds as every store can hold them, and random UUIDs.
  public static let system = {
    var generator = ValueGenerator(
      now: {
        Date(timeIntervalSinceReferenceDate: (Date().timeIntervalSinceReferenceDate * 1000).rounded() / 1000)
      },
      uuid: RandomUUIDs().next)
    generator.isRandom = true
    return generator
  }()

  /// The same values in every run, for tests: one instant, and UUIDs that count from 1.
  ///
  /// ```swift
  /// let cloner = Cloner(generator: .fixed())   // 00000000-0000-0000-0000-000000000001, ...2, and so on
  /// ```
  ///
  /// Each generator of this kind begins anew, so clones in one store need the same one where UUIDs are unique.
  ///
  /// The order in which objects get their UUIDs is that of a run; it stays the same for one plan and store, but is no
  /// part of what a clone promises.
  ///
  /// - Parameter now: the instant; the beginning of 2001 by default.
  public static func fixed(now: Date = Date(timeIntervalSinceReferenceDate: 0)) -> ValueGenerator {
    let count = Locked<UInt64>(0)
    return ValueGenerator(
      now: { now },
      uuid: {
        let number = count.withLock { count in
          count += 1
          return count
        }
        let digits = String(number, radix: 16)
        let padded = String(repeating: "0", count: 12 - min(digits.count, 12)) + digits
        return UUID(uuidString: "00000000-0000-0000-0000-\(padded)")!
      })
  }
}
