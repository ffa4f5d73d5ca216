import MOCloneEngine
import MOCloneModel

/// The rows that a relationship leads to from the objects of a map.
extension ClosureRenderer {
  /// The parents `p` (with the pair `w`) and the rows `s` that the relationship leads to.
  func rows(
    _ relationship: RelationshipDescription, source: CloneTablePlan, to tablePlan: CloneTablePlan,
    byGeneration: Bool
  ) -> Select {
    let asking = source.nodes.filter { $0.plan(of: relationship)?.rule == .clone }
    let map = "\(dialect.temporary(source.map)) p"
    var condition = Condition.always
    if byGeneration || source.hasCopy {
      let (first, last) = ends(source)
      condition = .sql("\(source.isPaired ? "w" : "p").seq BETWEEN \(first) AND \(last)")
    }
    var from = From(map)
    if source.isPaired {
      let pairs = "\(dialect.temporary(source.pairs)) w"
      from = From(pairs, joins: [.ordered(map, on: .equal(["p.seq"], ["w.m"]))])
      condition = condition && .among("w.node", values: asking.map { String($0.id) })
    } else {
      condition = condition && layout.cloning(relationship, in: source, alias: "p")
    }
    if tablePlan.isTree { condition = condition && !rootKey(tablePlan) }
    return Select([], from: from + leading(relationship, source: source)).where(condition)
  }

  /// Selects what a relationship leads to from the objects found, but for those among them that stay related; nil where
  /// none of them has it.
  func outside(_ end: OpenEnd) -> Select? {
    let relationship = end.relationship
    guard let source = layout.tablePlan(of: relationship.entity) else { return nil }
    let holders = source.nodes.filter { $0.plan(of: relationship) != nil }
    let isHolder: Condition =
      holders.count == source.nodes.count
      ? .always : holders.map { Variant($0).condition("p", in: source) }.any
    let rows = Select(
      ["1"], from: From("\(dialect.temporary(source.map)) p", joins: leading(relationship, source: source))
    ).where(isHolder)
    guard end.isKeptInside, let target = layout.tablePlan(of: relationship.destination) else { return rows }
    let inside = Select(target.old("d"), from: From("\(dialect.temporary(target.map)) d"))
    return rows.with(target.key("s"))
      .where(!Condition.among(target.key("s"), query: inside, dialect: dialect))
  }

  /// The condition by which a row `s` names the parent `p`; nil where it does not name its key.
  func leading(_ key: ForeignKeyMapping, source: CloneTablePlan) -> Condition? {
    let parts = key.references.map { source.keyPart($0) }
    guard !parts.contains(nil) else { return nil }
    // The referenced side stands first: its collation decides, as in a foreign key.
    let parents = parts.map { source.old("p")[$0!] }
    return .equal(parents, dialect.columns("s", key.columns)) && layout.holders.condition(key, alias: "s")
  }

  /// The joins from the parent `p` to the row `s`.
  func leading(_ relationship: RelationshipDescription, source: CloneTablePlan) -> [From.Join] {
    let row = "\(dialect.table(mapping[relationship.destination].table)) s"
    let own = From.Join.ordered(
      "\(dialect.table(source.table.name)) q", on: .equal(source.key("q"), source.old("p")))
    switch mapping[relationship.entity].relationships[relationship.name]! {
    case .inverseForeignKey(let key):
      if let condition = leading(key, source: source) {
        return [.ordered(row, on: condition)]
      }
      let names = key.leads(from: "s", to: "q", in: dialect)
      let isHolder = layout.holders.condition(key, alias: "s")
      return [own, .ordered(row, on: names && isHolder)]
    case .foreignKey(let key):
      return [own, .ordered(row, on: key.leads(from: "q", to: "s", in: dialect))]
    case .join(let join):
      let parts = join.references.compactMap { source.keyPart($0) }
      let isByKey = parts.count == join.references.count
      let keys = isByKey ? parts.map { "p.o\($0)" } : dialect.columns("q", join.references)
      return (isByKey ? [] : [own]) + [
        .ordered("\(dialect.table(join.table)) j", on: .equal(keys, dialect.columns("j", join.columns))),
        .ordered(
          row,
          on: .equal(
            dialect.columns("s", join.destinationReferences), dialect.columns("j", join.destinationColumns))),
      ]
    }
  }
}
