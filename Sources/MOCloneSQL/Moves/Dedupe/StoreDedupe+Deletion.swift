import MOCloneEngine
import MOCloneModel

/// Duplicates that are deleted by the delete rules, not merged.
extension StoreDedupe {
  mutating func deleteAll() throws {
    try deletion.begin()
    for map in renderer.maps { try deletion.add(map.keys, to: map.table) }
    try deletion.addCascades()
    try deletion.check()
    for (entity, count) in try deletion.counts() { report.add(count, entity, to: \.deleted) }
    try forgetDeletedSurvivors()
    try deletion.perform(&report)
  }

  /// An object can stay in its group, and go with its owner.
  private mutating func forgetDeletedSurvivors() throws {
    guard report.groups?.isEmpty == false else { return }
    let gone = try deletion.renderer.gone.map { set in
      let coding = KeyCoding(entity: set.table.map)
      return Set(
        try runner.answers(set.keys.text(layout.dialect)).map { coding.decode($0, from: 0).description })
    }
    report.groups?.removeAll { gone[layout.table(of: $0.entity).index].contains($0.survivor) }
    if report.groups?.isEmpty == true { report.groups = nil }
  }
}
