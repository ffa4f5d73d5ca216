import MOCloneEngine
import MOCloneModel

/// Finds clones that would have too little in a required relationship which is stored outside their own rows.
extension CheckRenderer {
  /// A to-one has one related row, of which a list has several: so many rows must be left as it needs at least.
  func keysOfOtherSides(_ tablePlan: CloneTablePlan) -> [RunCheck] {
    tablePlan.variants.flatMap { variant in
      layout.plan.model.relationships(of: variant.entity).filter { !$0.isOptional }.compactMap {
        relationship -> RunCheck? in
        switch layout.mapping[variant.entity].relationships[relationship.name] {
        case .inverseForeignKey(let key):
          check(members(relationship, key: key, variant, tablePlan), of: relationship, variant, in: tablePlan)
        case .join(let join):
          check(pairs(relationship, join: join, variant, tablePlan), of: relationship, variant, in: tablePlan)
        case .foreignKey, nil: nil
        }
      }
    }
  }

  /// What the original has in a relationship: rows `q`, and which of them its clone has too.
  private struct Related {
    var joins: [From.Join]
    var isKept: Condition
  }

  private func check(
    _ related: Related, of relationship: RelationshipDescription, _ variant: Variant,
    in tablePlan: CloneTablePlan
  ) -> RunCheck? {
    if related.isKept == .always { return nil }
    let rows = Select(tablePlan.old("m"), from: layout.rows(of: tablePlan) + related.joins)
      .where(variant.condition("m", in: tablePlan))
    let kept = "sum(\(related.isKept.choose("1", else: "0")))"
    let least = relationship.leastCount
    let lost =
      relationship.isToMany && related.isKept != .never
      ? rows.grouped(by: tablePlan.old("m") + (layout.hasCopies ? ["m.copy"] : []))
        .having(.sql("\(kept) < \(least) AND \(kept) < count(*)"))
      : rows.where(!related.isKept)
    return RunCheck(
      tablePlan: tablePlan.index, entity: variant.entity, sql: lost.limited(to: 1).text(layout.dialect)
    ) { original, _ in
      least > 1
        ? CloneError.tooFewLeft(relationship, of: original).failures[0]
        : .leftEmpty(relationship, of: original)
    }
  }

  /// Related objects whose rows hold the key.
  private func members(
    _ relationship: RelationshipDescription, key: ForeignKeyMapping, _ variant: Variant,
    _ tablePlan: CloneTablePlan
  ) -> Related {
    let dialect = layout.dialect
    let isRelated = key.leads(from: "q", to: "s", in: dialect) && layout.holders.condition(key, alias: "q")
    let rows = From.Join.ordered("\(dialect.table(layout.mapping[key.entity].table)) q", on: isRelated)
    guard let other = layout.tablePlan(of: key.entity) else { return Related(joins: [rows], isKept: .never) }
    let inverse = layout.plan.model.inverse(of: relationship)
    let isMoved = isGiven(inverse, in: other)
    let isCloned = tablePlan.nodes(of: variant).allSatisfy { $0.plan(of: relationship)?.rule == .clone }
    if isCloned, isMoved == .never { return Related(joins: [rows], isKept: .always) }
    let asking = Asking(layout: layout)
    let own = asking.asks(relationship, variant: variant, alias: "m", in: tablePlan)
    // Over this relationship alone it is reached.
    if other.isDirect || other.form == .row { return Related(joins: [rows], isKept: own) }
    let map = From.Join.left(
      "\(dialect.temporary(other.map)) y",
      on: .equal(other.old("y"), other.key("q")) && other.sameCopy("y", "m"))
    let isAsked = own || asking.asks(inverse, anyIn: other, alias: "y")
    return Related(joins: [rows, map], isKept: .isNotNull("y.seq") && isAsked && !isMoved)
  }

  /// Whether an object `y` is the root, and the request gives it something else than the original has.
  private func isGiven(_ relationship: RelationshipDescription?, in tablePlan: CloneTablePlan) -> Condition {
    guard let relationship else { return .never }
    let isGiven = tablePlan.nodes.contains { $0.isRoot && $0.plan(of: relationship)?.given != nil }
    return isGiven ? .sql(tablePlan.isRoot("y")) : .never
  }

  /// Rows of the relationship's join table: what the clone's own rule asks for is cloned with it or linked.
  private func pairs(
    _ relationship: RelationshipDescription, join: JoinTableMapping, _ variant: Variant,
    _ tablePlan: CloneTablePlan
  ) -> Related {
    let dialect = layout.dialect
    let ends = dialect.columns("q", join.destinationColumns)
    let isRelated = Condition.equal(dialect.columns("s", join.references), dialect.columns("q", join.columns))
    let rows = From.Join.ordered("\(dialect.table(join.table)) q", on: isRelated)
    let asking = Asking(layout: layout)
    let own = asking.asks(relationship, variant: variant, alias: "m", in: tablePlan)
    let inverse = layout.plan.model.inverse(of: relationship)
    guard own != .always, let other = layout.tablePlan(of: relationship.destination),
      case let isAsked = asking.asks(inverse, anyIn: other, alias: "y"), isAsked != .never
    else { return Related(joins: [rows], isKept: own) }
    let keys = join.destinationReferences.map { other.old("y")[other.keyPart($0)!] }
    let map = From.Join.left(
      "\(dialect.temporary(other.map)) y", on: .equal(keys, ends) && other.sameCopy("y", "m"))
    return Related(joins: [rows, map], isKept: own || (.isNotNull("y.seq") && isAsked))
  }
}
