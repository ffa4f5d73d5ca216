/// Looks at a store after a run: a wrong result is not worth timing.
struct StoreChecks {
  let connection: Connection
  let name: String

  init(_ path: String, of name: String) throws {
    connection = try Connection(path)
    self.name = name
  }

  /// A query that must give this number.
  func expect(_ sql: String, _ expected: Int) throws {
    let found = try connection.number(sql)
    guard found == expected else {
      throw BenchmarkError("\(name): \(found) instead of \(expected) from \(sql)")
    }
  }

  /// Two queries that must give the same rows in the same order.
  func expectEqual(_ first: String, _ second: String, rows expected: Int) throws {
    let (a, b) = (try connection.prepare(first), try connection.prepare(second))
    var count = 0
    while try a.step() {
      guard try b.step(), a.row == b.row else {
        throw BenchmarkError("\(name): row \(count + 1) differs between \(first) and \(second)")
      }
      count += 1
    }
    guard try !b.step(), count == expected else {
      throw BenchmarkError("\(name): \(count) rows, not \(expected), or not as many from \(second)")
    }
  }

  func expectForeignKeysHold() throws {
    guard try !connection.prepare("PRAGMA foreign_key_check").step() else {
      throw BenchmarkError("\(name): a foreign key points at nothing")
    }
  }
}
