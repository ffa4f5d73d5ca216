/// Where objects come from, and what they come into.
enum MovingWay: String, CaseIterable, Codable {
  case memory, sqlite
  case memoryToSQLite

  /// Those from one kind of graph into the same.
  static let withinOneKind: [MovingWay] = [.memory, .sqlite]

  var source: Executor { self == .sqlite ? .sqlite : .memory }
  var target: Executor { self == .memory ? .memory : .sqlite }
}
