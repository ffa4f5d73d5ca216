import TestSupport

/// Where objects come from, and what they come into.
enum MovingWay: String, CaseIterable, Codable {
  case memory, sqlite
  case memoryToSQLite

  /// Those from one kind of graph into the same.
  static let withinOneKind: [MovingWay] = [.memory, .sqlite]

  var source: Executor { self == .sqlite ? .sqlite : .memory }
  var target: Executor { self == .memory ? .memory : .sqlite }

  /// Each way with its seeds: the one between two kinds takes every third, since its parts are those of the others.
  static func cases(_ seeds: [UInt64]) -> [(MovingWay, UInt64)] {
    let all = allCases.flatMap { way in seeds.map { (way, $0) } }
    return Seeds.chosen == nil ? all.filter { $0 != .memoryToSQLite || $1 % 3 == 0 } : all
  }
}
