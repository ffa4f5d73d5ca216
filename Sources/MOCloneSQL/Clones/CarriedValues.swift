import MOCloneEngine
import MOCloneModel

/// Which new values must be known before the rows are written, since other rows take them over.
struct CarriedValues {
  let plan: ClonePlan
  /// Nodes whose own value some follower reads, by slot.
  private let providers: [Set<Int>]
  /// Nodes that lack the attribute and pass the value of their parent on.
  private let carriers: [Set<Int>]

  init(plan: ClonePlan) {
    self.plan = plan
    var providers: [Set<Int>] = []
    var carriers: [Set<Int>] = []
    for slot in plan.slots.indices {
      let (provide, carry) = Self.nodes(above: slot, plan)
      providers.append(provide)
      carriers.append(carry)
    }
    self.providers = providers
    self.carriers = carriers
  }

  private static func nodes(above slot: Int, _ plan: ClonePlan) -> (providers: Set<Int>, carriers: Set<Int>) {
    var providers: Set<Int> = []
    var carriers: Set<Int> = []
    for (entity, nodes) in Dictionary(grouping: plan.nodes, by: \.entity) {
      let sources = nodes.compactMap { $0.sources(of: slot) }
      if sources.contains(.root) { providers.formUnion(plan.roots.map(\.id)) }
      guard sources.contains(.carried) else { continue }
      let above = AncestorNodes(of: slot, above: entity, in: plan)
      providers.formUnion(above.providers)
      carriers.formUnion(above.carriers)
    }
    return (providers, carriers)
  }

  /// Whether an object of the table plan takes values of its parent over, or hands them on.
  func passes(through tablePlan: CloneTablePlan) -> Bool {
    !slots(in: tablePlan).isEmpty || tablePlan.nodes.contains { $0.attributes.contains { $0.rule.isCarried } }
  }

  func slots(in tablePlan: CloneTablePlan) -> [Int] {
    plan.slots.indices.filter { slot in tablePlan.nodes.contains { carriers[slot].contains($0.id) } }
  }

  /// - Parameter references: the foreign keys that name rows of the table plan.
  func stored(
    in tablePlan: CloneTablePlan, mapping: SchemaMapping, references: [RowReference]
  ) -> [StoredAttribute] {
    var names: [String: Bool] = [:]
    for node in tablePlan.nodes {
      for planned in node.attributes {
        let name = planned.attribute.name
        // An attribute that is in the key is read from the key instead.
        guard mapping[node.entity].attributes[name]?.keyPart == nil else { continue }
        let isCarried = planned.rule.isCarried
        guard
          isCarried || isProvided(planned.attribute, at: node)
            || isReferenced(planned.attribute, of: node.entity, mapping: mapping, references: references)
        else { continue }
        names[name] = (names[name] ?? false) || isCarried
      }
    }
    return names.sorted { $0.key < $1.key }.map { name, hasKind in
      let columns = tablePlan.entities.lazy.compactMap { mapping[$0].attributes[name]?.column }
      let type = columns.first.flatMap(tablePlan.table.column)?.plainType ?? ""
      return StoredAttribute(name: name, hasKind: hasKind, type: type)
    }
  }

  private func isProvided(_ attribute: AttributeDescription, at node: PlanNode) -> Bool {
    plan.slots.indices.contains { slot in
      providers[slot].contains(node.id) && plan.slots[slot].attribute == attribute.name
    }
  }

  private func isReferenced(
    _ attribute: AttributeDescription, of entity: String, mapping: SchemaMapping,
    references: [RowReference]
  ) -> Bool {
    guard let column = mapping[entity].attributes[attribute.name], column.keyPart == nil else { return false }
    let name = column.column.sqlName
    return references.contains { $0.key.references.contains { $0.sqlName == name } }
  }
}

extension PlanNode {
  fileprivate func sources(of slot: Int) -> FollowSources? {
    var found: FollowSources?
    for planned in attributes {
      guard case .followParent(slot, let sources, _) = planned.rule else { continue }
      if sources == .carried || found == nil { found = sources }
    }
    return found
  }
}

extension AttributeRule {
  var isCarried: Bool {
    if case .followParent(_, .carried, _) = self { return true }
    return false
  }
}
