import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// Duplicates that are deleted by the delete rules, not merged.
extension StoreDedupe {
  mutating func deleteAll() throws {
    try deletion.begin()
    for table in layout.tables {
      try deletion.add(
        "SELECT \(SQL.list(table.keys("o"))) FROM \(renderer.maps[table.index].sql)", to: table)
    }
    try deletion.addCascades()
    try deletion.check()
    for (entity, count) in try deletion.counts() { report.add(count, entity, to: \.deleted) }
    try forgetDeletedSurvivors()
    try deletion.perform()
  }

  /// An object can stay in its group, and go with its owner.
  private mutating func forgetDeletedSurvivors() throws {
    guard report.groups?.isEmpty == false else { return }
    let gone = try layout.tables.map { table in
      let coding = KeyCoding(entity: layout.mapping[table.root])
      return Set(
        try runner.rows(deletion.renderer.keys(table)).map { coding.decode($0, from: 0).description })
    }
    report.groups?.removeAll { gone[layout.table(of: $0.entity).index].contains($0.survivor) }
    if report.groups?.isEmpty == true { report.groups = nil }
  }
}
