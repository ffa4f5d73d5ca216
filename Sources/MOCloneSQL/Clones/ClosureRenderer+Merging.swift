import MOCloneEngine
import MOCloneModel

/// Brings together what several access paths of a table plan lead to, each object once.
extension ClosureRenderer {
  /// Enters the objects of all access paths of a table plan, each object once, in the order of the originals' keys; of a cycle
  /// what one generation leads to.
  func merge(_ tablePlan: CloneTablePlan) -> String {
    guard tablePlan.isCyclic else { return enter(tablePlan, rows: merged(tablePlan).text(dialect)) }
    let all = Union(parts: parts(of: tablePlan), order: tablePlan.oldColumns).text(dialect)
    return enter(tablePlan, rows: all, skips: true)
  }

  func merged(_ tablePlan: CloneTablePlan) -> Select {
    let found = From(Union(parts: parts(of: tablePlan)), as: "found", dialect: dialect)
    return Select(tablePlan.foundColumns, from: found).firstOfEach(tablePlan.oldColumns, dialect: dialect)
  }

  /// What each access path of a table plan leads to.
  func parts(of tablePlan: CloneTablePlan) -> [Select] {
    tablePlan.accessPaths.map { relationship in
      let source = layout.tablePlan(of: relationship.entity)!
      let found = foundValues(
        tablePlan, nodes: reachedNodes(relationship, in: tablePlan), parent: (source, "p"))
      return rows(relationship, source: source, to: tablePlan, byGeneration: tablePlan.isCyclic)
        .with(found.named(tablePlan.foundColumns))
    }
  }

  /// Moves what was collected into the map, sorted; of a cycle the generation `:gen` only.
  func flush(_ tablePlan: CloneTablePlan) -> [String] {
    let stage = dialect.temporary(tablePlan.stage)
    let generation = dialect.parameter("gen")
    let now: Condition = tablePlan.isCyclic ? .equal(["r.gen"], [generation]) : .always
    let order = ["r.gen"] + binaryKeys(tablePlan, alias: "r") + ["r.rank"]
    let found = Select(tablePlan.foundColumns.map { "r." + $0 }, from: From("\(stage) r")).where(now)
    var statements = [enter(tablePlan, rows: found.ordered(by: order).text(dialect), skips: true)]
    if tablePlan.isPaired {
      // Reaching the root again adds nothing.
      let isOther: Condition = tablePlan.hasRoot ? .sql("m.seq <> \(dialect.parameter("root"))") : .always
      let isEntered = Condition.equal(tablePlan.old("m"), tablePlan.old("r")) && tablePlan.sameCopy("m", "r")
      let map = From.Join.ordered("\(dialect.temporary(tablePlan.map)) m", on: isEntered && isOther)
      let pairs = Select(["m.seq", "r.node", "r.gen"], from: From("\(stage) r", joins: [map])).where(now)
      let ordered = pairs.ordered(by: ["r.gen", "m.seq", "r.rank"]).text(dialect)
      statements.append(
        number(
          tablePlan.pairs, columns: ["m", "node", "gen"], rows: ordered, after: tablePlan.lastPair,
          skips: true))
    }
    statements.append("DELETE FROM \(stage)" + (tablePlan.isCyclic ? " WHERE gen = \(generation)" : ""))
    return statements
  }

  /// Keys as the rules compare them: numbers as numbers, text by bytes.
  func binaryKeys(_ tablePlan: CloneTablePlan, alias: String) -> [String] {
    tablePlan.keyColumns.indices.map { i in
      "\(alias).o\(i)" + (tablePlan.keyColumns[i].collation == "BINARY" ? "" : dialect.byBytes)
    }
  }
}
