import MOCloneEngine
import MOCloneModel

/// What a run has done.
extension CloneExecutor {
  func recordLinks(into result: inout CloneResult) throws {
    for link in program.links {
      let count = try statements.count(link.sql)
      if count > 0 { result.linked[link.entity, default: 0] += count }
    }
  }

  func recordCounts(into result: inout CloneResult, copies: Int) throws {
    for tablePlan in layout.tablePlans {
      let counts = tablePlan.hasEntity ? try entityCounts(of: tablePlan) : [0: count(of: tablePlan)]
      for (entity, count) in counts where count > 0 {
        result.cloned[tablePlan.entities[entity], default: 0] += count * copies
      }
    }
  }

  private func count(of tablePlan: CloneTablePlan) -> Int {
    tablePlan.isDirect ? written[tablePlan.index] : closure.mapped[tablePlan.index]
  }

  private func entityCounts(of tablePlan: CloneTablePlan) throws -> [Int: Int] {
    let rows = try statements.answers(
      "SELECT m.entity, count(*) FROM \(layout.dialect.temporary(tablePlan.map)) m GROUP BY 1")
    return Dictionary(uniqueKeysWithValues: rows.map { ($0[0].number, $0[1].number) })
  }

  func record(into result: inout CloneResult) throws {
    try recordCounts(into: &result, copies: 1)
    for tablePlan in layout.tablePlans {
      if tablePlan.hasRoot {
        result.roots += try pairs(tablePlan, where: "WHERE \(tablePlan.isRoot("m"))").map(\.clone)
      }
      if run.keepsMapping { result.mapping += try pairs(tablePlan, where: "") }
    }
  }

  func pairs(_ tablePlan: CloneTablePlan, where condition: String) throws -> [CloneResult.Pair] {
    let entity = tablePlan.hasEntity ? "m.entity" : "0"
    let parts = tablePlan.keyColumns.count
    let coding = KeyCoding(entity: layout.mapping[tablePlan.name])
    return try statements.answers(
      "SELECT \(entity), \((tablePlan.old("m") + tablePlan.newKey("m")).list) FROM \(layout.dialect.temporary(tablePlan.map)) m \(condition) ORDER BY m.seq"
    ).map { row in
      let name = tablePlan.entities[row[0].number]
      return CloneResult.Pair(
        original: ObjectID(name, key: coding.decode(row, from: 1)),
        clone: ObjectID(name, key: coding.decode(row, from: 1 + parts)))
    }
  }
}
