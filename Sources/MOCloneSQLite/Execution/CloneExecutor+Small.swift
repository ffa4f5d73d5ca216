import Foundation
import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// Small closures, written row by row.
extension CloneExecutor {
  /// The closure of a root, where it is small and nothing of it is refused.
  func small(_ root: ObjectID) throws -> RowClone? {
    guard let preparedRows, run.smallClosure > 0 else { return nil }
    try bindKeyOffsets()
    if mayDangle { return nil }
    try bind(root)
    statements.bind("root", 1)
    let rows = try RowClone(db, preparedRows, statements, run)
    return try rows.find() ? rows : nil
  }

  func clone(_ rows: RowClone, into result: inout CloneResult) throws {
    if run.countsLinks { try run.measure(.closure) { try rows.countLinks(into: &result) } }
    try checkRoom { rows.maps[$0.index].count }
    try run.measure(.write) { try write(rows) }
    try run.measure(.joins) {
      for (place, join) in program.joins.enumerated() {
        let written = try translating(nil) { try rows.writeJoin(place) }
        try compare(written.count, with: written.expected, table: join.table.name)
      }
    }
    rows.countObjects(into: &result)
    result.roots.append(rows.clone(0, preparedRows!.program.root.tablePlan))
    guard run.keepsMapping else { return }
    for tablePlan in rows.maps.indices {
      result.mapping += rows.pairs(tablePlan, rows: 0..<rows.maps[tablePlan].count)
    }
  }

  private func write(_ rows: RowClone) throws {
    var objects = 0
    for (place, write) in program.writes.enumerated() {
      let tablePlan = layout.tablePlans[write.tablePlan]
      let written = try translating(tablePlan, first: rows.first) { try rows.write(place) }
      try compare(written.count, with: rows.maps[tablePlan.index].count, table: tablePlan.table.name)
      objects += written.count
      try run.report(
        CloneProgress(phase: .write, objects: objects, total: rows.maps.map(\.count).reduce(0, +)))
    }
  }
}
