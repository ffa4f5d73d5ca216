/// A graph of one kind in a store: twice, with the rows of the two between each other. The one with key 1 is cloned.
protocol Shape {
  var title: String { get }
  /// The name of its file.
  var file: String { get }
  /// The model, as YAML.
  static var model: String { get }
  /// Fills the tables, which are empty.
  func fill(_ connection: Connection) throws
  /// Checks that the store holds both graphs and a clone of the first.
  func check(_ checks: StoreChecks) throws
}

/// A work by hand that does the same, and how much longer ours may take.
struct Rival {
  let work: Work
  let title: String
  let limit: Double
}

extension Shape {
  /// Verifies all works, times them in turn, and compares ours with each rival.
  func compare(_ setting: Setting, ours: Work, with rivals: [Rival], runs: Int) throws -> [TableRow] {
    let comparison = try setting.store(file) { path in
      Console.note("making \(title)")
      try make(at: path)
    }
    let works = [ours] + rivals.map(\.work)
    for work in works {
      try comparison.verify(work) { path, name in
        let checks = try StoreChecks(path, of: name)
        try check(checks)
        try checks.expectForeignKeysHold()
      }
    }
    let samples = try comparison.time(works, runs: runs)
    return zip(rivals, samples.dropFirst()).map { rival, theirs in
      TableRow(title, samples[0], against: rival.title, theirs, atMost: rival.limit)
    }
  }

  private func make(at path: String) throws {
    let connection = try Connection(path)
    try connection.execute("PRAGMA journal_mode = WAL; BEGIN")
    try connection.makeTables(Self.model)
    try fill(connection)
    try connection.execute("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)")
  }
}
