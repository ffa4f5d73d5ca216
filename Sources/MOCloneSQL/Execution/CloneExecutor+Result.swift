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
        try eachPair(tablePlan, where: "WHERE \(tablePlan.isRoot("m"))") { result.roots.append($0.clone) }
      }
      if options.keepsMapping { try keepPairs(tablePlan, in: &result) }
    }
  }

  /// Keeps the pairs of a table plan, some at a time, so that memory does not grow with those that are kept elsewhere.
  func keepPairs(_ tablePlan: CloneTablePlan, in result: inout CloneResult) throws {
    var pairs: [CloneResult.Pair] = []
    try eachPair(tablePlan, where: "") { pair in
      pairs.append(pair)
      guard pairs.count == 1000 else { return }
      try options.keep(pairs, in: &result)
      pairs.removeAll(keepingCapacity: true)
    }
    try options.keep(pairs, in: &result)
  }

  private func eachPair(
    _ tablePlan: CloneTablePlan, where condition: String, _ body: (CloneResult.Pair) throws -> Void
  ) throws {
    let entity = tablePlan.hasEntity ? "m.entity" : "0"
    let parts = tablePlan.keyColumns.count
    let coding = KeyCoding(entity: layout.mapping[tablePlan.name])
    try statements.eachAnswer(
      "SELECT \(entity), \((tablePlan.old("m") + tablePlan.newKey("m")).list) FROM \(layout.dialect.temporary(tablePlan.map)) m \(condition) ORDER BY m.seq"
    ) { row in
      let name = tablePlan.entities[row[0].number]
      try body(
        CloneResult.Pair(
          original: ObjectID(name, key: coding.decode(row, from: 1)),
          clone: ObjectID(name, key: coding.decode(row, from: 1 + parts))))
    }
  }
}
