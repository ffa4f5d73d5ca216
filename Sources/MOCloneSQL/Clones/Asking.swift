import MOCloneEngine
import MOCloneModel

/// Renders whether an object's own rule asks for the links of a relationship.
struct Asking {
  let layout: CloneLayout

  /// For an object that is known to be of one node's entity, root or not.
  func asks(
    _ relationship: RelationshipDescription?, variant: Variant, alias: String,
    in tablePlan: CloneTablePlan
  )
    -> Condition
  {
    guard let relationship else { return .never }
    return asks(
      relationship, among: tablePlan.nodes(of: variant), alias: alias, in: tablePlan, knowsVariant: true)
  }

  /// For an object of the map that can be anything its table plan holds.
  func asks(_ relationship: RelationshipDescription?, anyIn tablePlan: CloneTablePlan, alias: String)
    -> Condition
  {
    guard let relationship else { return .never }
    let nodes = tablePlan.nodes.filter { layout.plan.model.isKind($0.entity, of: relationship.entity) }
    return asks(relationship, among: nodes, alias: alias, in: tablePlan, knowsVariant: false)
  }

  private func asks(
    _ relationship: RelationshipDescription, among nodes: [PlanNode], alias: String,
    in tablePlan: CloneTablePlan,
    knowsVariant: Bool
  ) -> Condition {
    let asking = nodes.filter { $0.plan(of: relationship)?.rule.asks == true }
    if asking.isEmpty { return .never }
    if asking.count == nodes.count { return .always }
    if tablePlan.isPaired {
      let dialect = layout.dialect
      let isPair =
        Condition.equal(["w.m"], ["\(alias).seq"])
        && .among("w.node", values: asking.map { String($0.id) })
      return .exists(in: From(dialect.temporary(tablePlan.pairs) + " w"), where: isPair, dialect)
    }
    // Without pairs nothing depends on the way, so what one node of a variant asks for they all do.
    if knowsVariant { return .always }
    let askingVariants = Set(asking.map { Variant($0) })
    return tablePlan.variants.filter(askingVariants.contains)
      .map { $0.condition(alias, in: tablePlan) }.any
  }
}

/// The objects of a table plan that share every rule of their attributes: a root, or the others of an entity.
struct Variant: Hashable {
  var entity: String
  var isRoot: Bool

  init(_ node: PlanNode) {
    entity = node.entity
    isRoot = node.isRoot
  }

  /// What marks them in the map.
  func condition(_ alias: String, in tablePlan: CloneTablePlan) -> Condition {
    let root = Condition.sql(tablePlan.isRoot(alias))
    let place: Condition = !tablePlan.isMixed ? .always : isRoot ? root : !root
    guard tablePlan.entities.count > 1 else { return place }
    return place && .sql("\(tablePlan.at(alias, "entity")) = \(tablePlan.entities.firstIndex(of: entity)!)")
  }
}

extension CloneTablePlan {
  func nodes(of variant: Variant) -> [PlanNode] { nodesByVariant[variant] ?? [] }

  /// Whether a condition holds of `m` that each variant has its own of; where it can only hold of roots they are all that
  /// a statement needs to look at.
  func any(_ condition: (Variant) -> Condition) -> Condition {
    let conditions = variants.map { ($0, condition($0)) }
    if let first = conditions.first?.1, conditions.allSatisfy({ $0.1 == first }) { return first }
    return conditions.map { $0.condition("m", in: self) && $1 }.any
  }

  /// The SQL of each variant, as one expression for `m`.
  func choose(_ sql: (Variant) -> String) -> String {
    let choices = variants.map { ($0, sql($0)) }
    guard choices.contains(where: { $0.1 != choices[0].1 }) else { return choices[0].1 }
    let cases = choices.dropLast().map { "WHEN \($0.condition("m", in: self).text) THEN \($1)" }
    return "CASE \(cases.joined(separator: " ")) ELSE \(choices.last!.1) END"
  }
}
