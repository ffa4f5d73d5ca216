import MOCloneEngine
import MOCloneModel

/// What the report says of values that a merge gives up.
extension StoreDedupe {
  /// Names the objects whose values what they become will not hold.
  mutating func listGivenUp(_ merge: MergeRenderer) throws {
    let table = merge.table
    let identities = renderer.units.filter { renderer.table($0) == table }.map(\.identity)
    let identifying = identities.flatMap(\.paths).filter(\.steps.isEmpty).compactMap { $0.attribute?.name }
    let givenUp = GivenUpRenderer(merge, fills: request.fills, identifying: Set(identifying))
    let width = table.keyColumns.count
    let rows = try runner.rows(givenUp.query.limited(to: MoveReport.listedDifferences))
    for row in rows {
      let objects = [1, 1 + width].map { ObjectID(table.entity(row), key: row.key(of: table, from: $0)) }
      report.skip(MoveReport.givenUp(givenUp.values(in: row), of: objects[0], for: objects[1]))
    }
    guard rows.count == MoveReport.listedDifferences else { return }
    let all = Select(["count(*)"], from: From(givenUp.query.with(["1"]), as: "x", dialect: layout.dialect))
    let more = try runner.number(all) - rows.count
    if more > 0 { report.unlisted = (report.unlisted ?? 0) + more }
  }
}
