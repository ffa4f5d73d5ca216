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

  /// Finds the first original for which a condition holds.
  func check(
    _ tablePlan: CloneTablePlan, entity: String? = nil, among rows: From?, where condition: Condition,
    failure: @escaping @Sendable (ObjectID) -> CloneError.Failure
  ) -> RunCheck {
    let first = Select(tablePlan.old("m"), from: rows).where(condition).limited(to: 1)
    return RunCheck(tablePlan: tablePlan.index, entity: entity, sql: first.text(dialect)) { original, _ in
      failure(original)
    }
  }

  /// The foreign keys in the rows of a table plan.
  func referenceRenderers(of tablePlan: CloneTablePlan) -> [ReferenceRenderer] {
    references[tablePlan.index].indices.map {
      ReferenceRenderer(layout: self, tablePlan: tablePlan, index: $0)
    }
  }

  /// What selects the keys of linked objects, by the table plan whose objects are linked to them.
  func links(_ joins: [JoinRenderer]) -> [(tablePlan: Int, entity: String, query: Select)] {
    let references = tablePlans.flatMap { tablePlan in
      referenceRenderers(of: tablePlan).flatMap(\.links).map {
        (tablePlan: tablePlan.index, entity: $0.entity, query: $0.query)
      }
    }
    let pairs = joins.flatMap { join in
      join.links.map { (tablePlan: join.end.index, entity: $0.entity, query: $0.query) }
    }
    return references + pairs
  }

  /// The table plan of the root.
  var root: CloneTablePlan { tablePlans.first { $0.hasRoot }! }

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
