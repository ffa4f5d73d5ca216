import MOCloneEngine
import MOCloneModel

/// Renders the statements that find the closure: the root, then over each cloned relationship the next objects.
struct ClosureRenderer {
  let layout: CloneLayout
  var plan: ClonePlan { layout.plan }
  var mapping: SchemaMapping { layout.mapping }
  var dialect: Dialect { layout.dialect }
  var values: ValueRenderer { ValueRenderer(layout: layout) }

  /// Enters the root, whose key is in `:key0...`.
  func seed(_ tablePlan: CloneTablePlan) -> [String] {
    let (root, rows) = (dialect.parameter("root"), rootRow(tablePlan))
    var statements = [
      enter(
        tablePlan.map, columns: ["seq"] + tablePlan.foundColumns,
        rows: rows.with([root] + rootValues(tablePlan)).text(dialect))
    ]
    if tablePlan.hasCopy {
      let values = Select([dialect.parameter("copy"), root], from: nil)
      statements.append(enter(CloneTablePlan.roots, columns: ["copy", "seq"], rows: values.text(dialect)))
    }
    if tablePlan.isPaired {
      let node = byEntity(tablePlan, nodes: tablePlan.nodes.filter(\.isRoot)) { String($0.id) }
      let pair = rows.with([root, node, "0"]).text(dialect)
      statements.append(
        number(tablePlan.pairs, columns: ["m", "node", "gen"], rows: pair, after: tablePlan.lastPair))
    }
    return statements
  }

  func rootKey(_ tablePlan: CloneTablePlan) -> Condition {
    .equal(tablePlan.key("s"), tablePlan.keyColumns.indices.map { dialect.parameter("key\($0)") })
  }

  private func rootRow(_ tablePlan: CloneTablePlan) -> Select {
    Select([], from: From(dialect.table(tablePlan.table.name) + " s")).where(rootKey(tablePlan))
  }

  private func rootValues(_ tablePlan: CloneTablePlan) -> [String] {
    foundValues(tablePlan, nodes: tablePlan.nodes.filter(\.isRoot), parent: nil)
  }

  /// Selects the map's row of the root, where maps are parameters.
  func root(_ tablePlan: CloneTablePlan) -> String {
    rootRow(tablePlan).with(rootValues(tablePlan)).text(dialect)
  }

  /// Selects the map's rows of what a relationship leads to from one object, where maps are parameters.
  func members(_ relationship: RelationshipDescription, to tablePlan: CloneTablePlan) -> String {
    let source = layout.tablePlan(of: relationship.entity)!
    guard case .inverseForeignKey(let key) = mapping[relationship.entity].relationships[relationship.name]
    else { preconditionFailure("the rows themselves name their parent") }
    let found = foundValues(
      tablePlan, nodes: reachedNodes(relationship, in: tablePlan), parent: (source, "p"))
    let condition = leading(key, source: source)! && layout.cloning(relationship, in: source, alias: "p")
    let rows = source.rows("s", of: tablePlan.table.name, with: "p", on: condition)
    return Select(found, from: rows).ordered(by: tablePlan.key("s")).text(dialect)
  }

  /// Enters what a relationship leads to from all objects of the copy found so far, or from those of one generation,
  /// whose rows in the map (or among the pairs) are `:from...` to `:to...`.
  func expansion(
    _ relationship: RelationshipDescription, to tablePlan: CloneTablePlan, byGeneration: Bool
  ) -> String {
    let source = layout.tablePlan(of: relationship.entity)!
    let nodes = reachedNodes(relationship, in: tablePlan)
    let found = foundValues(tablePlan, nodes: nodes, parent: (source, "p"))
    let rows = rows(relationship, source: source, to: tablePlan, byGeneration: byGeneration)
    guard tablePlan.isStaged else {
      let order = ["\(source.isPaired ? "w" : "p").seq"] + tablePlan.key("s")
      return enter(
        tablePlan, rows: rows.with(found.named(tablePlan.foundColumns)).ordered(by: order).text(dialect),
        skips: tablePlan.isUnique)
    }
    let rank = String(tablePlan.accessPaths.firstIndex { $0.qualifiedName == relationship.qualifiedName }!)
    let node = tablePlan.isPaired ? [byEntity(tablePlan, nodes: nodes) { String($0.id) }] : []
    let generation = source.hasGeneration ? [(source.isPaired ? "w" : "p") + ".gen"] : []
    let order = generation + binaryKeys(source, alias: "p") + tablePlan.key("s")
    return enter(
      tablePlan.stage, columns: tablePlan.foundColumns + (tablePlan.isPaired ? ["node"] : []) + ["rank"],
      rows: rows.with(found + node + [rank]).ordered(by: order).text(dialect), skips: true)
  }

  /// Selects the map of a table plan whose objects are all found at once.
  func query(_ tablePlan: CloneTablePlan) -> String {
    if tablePlan.hasRoot {
      let root = ["\(dialect.parameter("root")) AS seq"] + rootValues(tablePlan).named(tablePlan.foundColumns)
      return rootRow(tablePlan).with(root).text(dialect)
    }
    // New keys are counted behind the sorting, in the order of the rows.
    let found =
      tablePlan.gathering == .merged
      ? merged(tablePlan) : parts(of: tablePlan)[0].ordered(by: ["p.seq"] + tablePlan.key("s"))
    return Select(
      ["row_number() OVER () AS seq"] + entered(tablePlan), from: From(found, as: "f", dialect: dialect)
    ).text(dialect)
  }

  /// The first and the last row of the generation to go on from.
  func ends(_ tablePlan: CloneTablePlan) -> (first: String, last: String) {
    (dialect.parameter("from\(tablePlan.index)"), dialect.parameter("to\(tablePlan.index)"))
  }

  func reachedNodes(_ relationship: RelationshipDescription, in tablePlan: CloneTablePlan)
    -> [PlanNode]
  {
    tablePlan.nodes.filter { $0.accessPath?.qualifiedName == relationship.qualifiedName }
  }
}
