import Synchronization
import TestSupport
import Testing

/// Counts how the cases of a suite end, and looks at the counts when all cases of all its tests have.
///
/// ```swift
/// @Suite(.tally { #expect($0["cloned"] > 100) })
/// struct CloneTests {
///   @Test(arguments: seeds)
///   func clones(seed: UInt64) throws { Tally.count("cloned") }
/// }
/// ```
///
/// Where some seeds alone are run the counts mean nothing and are not looked at.
struct Tally: SuiteTrait, TestScoping {
  private let check: @Sendable (Counts) -> Void

  struct Counts: Sendable {
    fileprivate(set) var numbers: [String: Int] = [:]

    subscript(outcome: String) -> Int { numbers[outcome, default: 0] }
  }

  private final class Counter: Sendable {
    let counts = Mutex(Counts())
  }

  @TaskLocal private static var counter: Counter?

  fileprivate init(_ check: @escaping @Sendable (Counts) -> Void) {
    self.check = check
  }

  /// Counts an outcome of the running case.
  static func count(_ outcome: String, _ number: Int = 1) {
    counter?.counts.withLock { $0.numbers[outcome, default: 0] += number }
  }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    let counter = Counter()
    try await Self.$counter.withValue(counter) { try await function() }
    if Seeds.chosen == nil { check(counter.counts.withLock { $0 }) }
  }
}

extension Trait where Self == Tally {
  static func tally(_ check: @escaping @Sendable (Tally.Counts) -> Void) -> Self { Tally(check) }
}
