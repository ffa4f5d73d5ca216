import CPostgreSQL

/// The statements that a connection has sent: the names of their parameters, and which are prepared.
///
/// A statement is prepared when it is sent for the second time. The least used ones are dropped when there are too many.
struct PreparedStatements {
  /// A statement with the types of its parameters, of which each combination is prepared on its own.
  private struct Entry {
    let parameters: NamedParameters
    var lastUse = 0
    var names: [[Oid]: Name] = [:]
  }

  private enum Name {
    case sentOnce
    case prepared(String)
  }

  /// How a statement is to be sent.
  enum Way: Equatable {
    case unprepared
    case prepare(as: String)
    case prepared(String)
  }

  private var entries: [String: Entry] = [:]
  private var uses = 0
  private var lastName = 0
  /// How many statements are kept.
  private static let limit = 256
  /// Names that the server still knows and nobody uses.
  private(set) var dropped: [String] = []

  mutating func parameters(of sql: String) -> NamedParameters {
    uses += 1
    if let known = entries[sql]?.parameters {
      entries[sql]?.lastUse = uses
      return known
    }
    if entries.count >= Self.limit { dropLeastUsed() }
    let parameters = NamedParameters(sql)
    entries[sql] = Entry(parameters: parameters, lastUse: uses)
    return parameters
  }

  /// How to send a statement whose parameters were asked for.
  mutating func way(of sql: String, _ types: [Oid]) -> Way {
    switch entries[sql]?.names[types] {
    case .prepared(let name): return .prepared(name)
    case .sentOnce:
      lastName += 1
      return .prepare(as: "moclone_\(lastName)")
    case nil:
      entries[sql]?.names[types] = .sentOnce
      return .unprepared
    }
  }

  /// Notes that the server has prepared a statement.
  mutating func note(_ name: String, for sql: String, _ types: [Oid]) {
    if entries[sql] == nil { dropped.append(name) }
    entries[sql]?.names[types] = .prepared(name)
  }

  /// Takes a note back, because the server has not prepared the statement.
  mutating func unnote(_ sql: String, types: [Oid]) {
    entries[sql]?.names[types] = nil
  }

  /// Has all statements prepared anew.
  mutating func forgetAll() {
    for sql in entries.keys { drop(sql) }
  }

  /// The names to deallocate, which are then forgotten.
  mutating func takeDropped() -> [String] {
    defer { dropped = [] }
    return dropped
  }

  private mutating func dropLeastUsed() {
    guard let least = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) else { return }
    drop(least.key)
  }

  private mutating func drop(_ sql: String) {
    for case .prepared(let name) in entries.removeValue(forKey: sql)?.names.values.map({ $0 }) ?? [] {
      dropped.append(name)
    }
  }
}
