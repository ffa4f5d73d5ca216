import Foundation

/// The seeds of a test, each of which is a case of its own.
///
/// `MOCLONE_LONG=1` gives more of them, `MOCLONE_SEED=17` this one alone.
enum Seeds {
  static func all(_ range: Range<UInt64>, long: Range<UInt64>? = nil) -> [UInt64] {
    if let single { return [single] }
    let isLong = ProcessInfo.processInfo.environment["MOCLONE_LONG"] == "1"
    return Array(isLong ? long ?? range : range)
  }

  static let single = ProcessInfo.processInfo.environment["MOCLONE_SEED"].flatMap { UInt64($0) }
}
