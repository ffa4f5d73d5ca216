import MOCloneEngine
import MOCloneModel

/// The bad rows that keep a file from being read into a store: the first faults, and how many more rows have some.
struct RowFailures {
  private static let mostFaults = 20

  private var failures: [CloneError.Failure] = []
  private var more = 0
  var isEmpty: Bool { failures.isEmpty }

  /// - Parameter row: what is wrong with one row.
  mutating func add(_ row: [CloneError.Failure]) {
    let room = Self.mostFaults - failures.count
    if room > 0 { failures += row.prefix(room) } else { more += 1 }
  }

  /// - Throws: `CloneError` where there are some.
  func throwIfAny(in file: String) throws {
    guard let first = failures.first else { return }
    let rest = more > 0 ? [CloneError.Failure.moreRows(more, code: first.code, in: file)] : []
    throw CloneError(failures + rest)
  }
}
