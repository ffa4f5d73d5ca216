import MOCloneEngine
import MOCloneModel

/// What the families of a plan need of their temporary tables, judged together: a table or an index that nobody
/// reads is not made.
struct FamilyNeeds {
  let plan: ClonePlan
  let mapping: SchemaMapping
  /// By family.
  let references: [[RowReference]]
  let keepsMapping: Bool

  /// Settles how each family is gathered, in the order of the closure.
  func gather(_ families: inout [Family], components: [[Int]]) {
    let carried = CarriedValues(plan: plan)
    // Where the cycle holds the root, generation follows generation; into others objects come from several at once.
    let root = families.firstIndex { $0.hasRoot }!
    let rootComponent = components.first { $0.contains(root) }!
    var depths: [Int?] = Array(repeating: nil, count: families.count)
    for i in components.joined() {
      let sources = sources(of: families[i], families)
      let depth = depth(of: families[i], sources.map { depths[$0] })
      depths[i] = depth
      families[i].isTree = isTree(families[i], sources)
      guard families[i].gathering != .single, depth != nil || rootComponent.contains(i),
        agree(families[i].nodes.filter { !$0.isRoot }), !carried.passes(through: families[i])
      else { continue }
      families[i].gathering = .merged
    }
    for i in families.indices { families[i].isDirect = isDirect(families[i], families) }
    for i in families.indices {
      families[i].isUnique = isLookedUp(families[i], families) || canMeetAgain(families[i], families)
    }
  }

  private func isTree(_ family: Family, _ sources: [Int]) -> Bool {
    family.gathering == .single && family.hasRoot && sources == [family.index]
      && family.nodes.allSatisfy { $0.plan(of: family.arrivals[0])?.rule == .clone }
  }

  // MARK: Merging

  private func sources(of family: Family, _ families: [Family]) -> [Int] {
    family.arrivals.map { arrival in
      families.firstIndex { $0.name == plan.model.rootEntity(of: arrival.entity) }!
    }
  }

  /// The one generation in which every object of the family is found; nil where there can be several.
  private func depth(of family: Family, _ sources: [Int?]) -> Int? {
    if family.isCyclic { return nil }
    if family.arrivals.isEmpty { return 0 }
    return Set(sources).count == 1 ? sources[0].map { $0 + 1 } : nil
  }

  /// Whether it makes no difference over which relationship an object was reached.
  private func agree(_ nodes: [PlanNode]) -> Bool {
    Dictionary(grouping: nodes, by: \.entity).values.allSatisfy { nodes in
      nodes.dropFirst().allSatisfy { node in
        node.attributes == nodes[0].attributes
          && zip(node.relationships, nodes[0].relationships).allSatisfy(agree)
      }
    }
  }

  private func agree(_ a: RelationshipPlan, _ b: RelationshipPlan) -> Bool {
    (kind(a) == kind(b)) && a.targets == b.targets
  }

  /// Where the row names its parent itself, the way back to it holds the parent's clone, just as a link does.
  private func kind(_ planned: RelationshipPlan) -> RelationshipRule {
    guard planned.rule == .incoming,
      case .foreignKey = mapping[planned.relationship.entity].relationships[planned.relationship.name]
    else { return planned.rule }
    return .link
  }

  // MARK: Maps

  private func isDirect(_ family: Family, _ families: [Family]) -> Bool {
    guard !keepsMapping, family.gathering == .single, !family.hasRoot, !family.isCyclic, family.hasRowidKey,
      family.table.isRowid(family.keyColumns[0].name), !family.hasEntity, let arrival = family.arrivals.first,
      !families[sources(of: family, families)[0]].isPaired
    else { return false }
    let isSource = families.contains { other in
      other.arrivals.contains { plan.model.rootEntity(of: $0.entity) == family.name }
    }
    let isReferredTo = references.joined().contains {
      plan.model.rootEntity(of: $0.key.destination) == family.name
    }
    let ranks = references[family.index].contains {
      $0.orderColumn != nil && $0.backward?.qualifiedName != arrival.qualifiedName
    }
    let isGenerated = references[family.index].flatMap(\.key.columns).contains {
      family.table.column($0)?.isGenerated == true
    }
    // Whether a trigger has removed a clone again is asked of the maps.
    let canVanish = families.contains { $0.table.deletesOnInsert }
    return !canVanish && !isGenerated && !isSource && !isReferredTo && !ranks
      && !isPartner(family, besides: arrival)
      && !joins.contains { $0.contains(family.name) }
  }

  /// Whether an object of the plan requires one of the family over another relationship, which must be checked.
  private func isPartner(_ family: Family, besides arrival: RelationshipDescription) -> Bool {
    plan.nodes.flatMap(\.relationships).map(\.relationship).contains { relationship in
      guard case .inverseForeignKey = mapping[relationship.entity].relationships[relationship.name] else {
        return false
      }
      return !relationship.isToMany && !relationship.isOptional
        && relationship.qualifiedName != arrival.qualifiedName
        && plan.model.rootEntity(of: relationship.destination) == family.name
    }
  }

  /// Whether one original can be found twice: from one parent too, where that is expanded in several ways.
  private func canMeetAgain(_ family: Family, _ families: [Family]) -> Bool {
    family.isStaged || (family.isMixed && !family.isTree) || (family.gathering == .merged && family.isCyclic)
      || (family.gathering == .single && sources(of: family, families).contains { families[$0].isPaired })
  }

  private func isLookedUp(_ family: Family, _ families: [Family]) -> Bool {
    let byReference = families.contains { holder in
      references[holder.index].contains { reference in
        plan.model.rootEntity(of: reference.key.destination) == family.name
          && !isToParent(reference, of: holder)
      }
    }
    let names = Set(families.map(\.name))
    return byReference || joins.contains { $0.contains(family.name) && $0.isSubset(of: names) }
  }

  private func isToParent(_ reference: RowReference, of holder: Family) -> Bool {
    holder.gathering == .single && (!holder.hasRoot || holder.isTree) && reference.backward != nil
      && reference.backward?.qualifiedName == holder.arrivals.first?.qualifiedName
  }

  /// The ends of each table of pairs that a rule asks for.
  private var joins: [Set<String>] {
    plan.nodes.flatMap { node in
      node.relationships.compactMap { planned -> Set<String>? in
        let relationship = planned.relationship
        guard case .join = mapping[relationship.entity].relationships[relationship.name], planned.rule.asks
        else { return nil }
        return [
          plan.model.rootEntity(of: relationship.entity), plan.model.rootEntity(of: relationship.destination),
        ]
      }
    }
  }
}
