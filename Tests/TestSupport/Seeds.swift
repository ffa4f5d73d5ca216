import Foundation

/// The seeds of a test, each of which is a case of its own.
///
/// `MOCLONE_LONG=1` gives more of them, `MOCLONE_SEED=17` this one alone, `MOCLONE_SEED=300-499` these.
public enum Seeds {
  public static func all(_ range: Range<UInt64>, long: Range<UInt64>? = nil) -> [UInt64] {
    if let chosen { return Array(chosen) }
    let isLong = ProcessInfo.processInfo.environment["MOCLONE_LONG"] == "1"
    return Array(isLong ? long ?? range : range)
  }

  /// Numbers of cases that take a second each, and that a long run has more of.
  public static func cases(_ count: Int, long: Int) -> [Int] {
    all(0..<UInt64(count), long: 0..<UInt64(long)).map(Int.init)
  }

  /// Those that are asked for.
  public static let chosen: ClosedRange<UInt64>? = {
    let text = ProcessInfo.processInfo.environment["MOCLONE_SEED"] ?? ""
    let ends = text.split(separator: "-").compactMap { UInt64($0) }
    guard let first = ends.first, let last = ends.last, first <= last else { return nil }
    return first...last
  }()
}
