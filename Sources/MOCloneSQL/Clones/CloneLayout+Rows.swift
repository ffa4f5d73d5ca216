import MOCloneEngine
import MOCloneModel

extension CloneLayout {
  /// The objects of a table plan: `m` their map and `s` the originals' rows; where they have no map, `m` is that of
  /// their parents.
  package func rows(of tablePlan: CloneTablePlan) -> From {
    guard tablePlan.isDirect, let accessPath = tablePlan.accessPaths.first else {
      return tablePlan.rows(
        "s", of: tablePlan.table.name, with: "m", on: .equal(tablePlan.key("s"), tablePlan.old("m")))
    }
    let source = source(of: tablePlan)
    guard case .inverseForeignKey(let key) = mapping[accessPath.entity].relationships[accessPath.name] else {
      preconditionFailure("a table plan without a map names its parents by key")
    }
    let parents = key.references.map { "m.o\(source.keyPart($0)!)" }
    let condition = Condition.equal(parents, dialect.columns("s", key.columns))
    return source.rows(
      "s", of: tablePlan.table.name, with: "m", on: condition && cloning(accessPath, in: source, alias: "m"))
  }

  /// Selects the key of the first original for which a condition holds.
  func firstOriginal(of tablePlan: CloneTablePlan, among rows: From?, where condition: Condition) -> String {
    Select(tablePlan.old("m"), from: rows).where(condition).limited(to: 1).text(dialect)
  }

  /// The table plan from which a table plan without a map is reached.
  package func source(of tablePlan: CloneTablePlan) -> CloneTablePlan {
    self.tablePlan(of: tablePlan.accessPaths[0].entity)!
  }

  /// Whether an object of the map `alias` clones a relationship.
  package func cloning(_ relationship: RelationshipDescription, in source: CloneTablePlan, alias: String)
    -> Condition
  {
    let nodes = source.nodes.filter { $0.plan(of: relationship)?.rule == .clone }
    guard nodes.count < source.nodes.count else { return .always }
    return nodes.map { Variant($0).condition(alias, in: source) }.any
  }
}
