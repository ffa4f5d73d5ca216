import MOCloneEngine
import MOCloneModel

/// What the table plans of a plan need of their temporary tables, judged together: a table or an index that nobody
/// reads is not made.
struct CloneTableNeeds {
  let plan: ClonePlan
  let mapping: SchemaMapping
  /// By table plan.
  let references: [[RowReference]]
  let keepsMapping: Bool

  /// Settles how each table plan is gathered, in the order of the closure.
  func gather(_ tablePlans: inout [CloneTablePlan], components: [[Int]]) {
    let carried = CarriedValues(plan: plan)
    // Where the cycle holds the root, generation follows generation; into others objects come from several at once.
    let root = tablePlans.firstIndex { $0.hasRoot }!
    let rootComponent = components.first { $0.contains(root) }!
    var depths: [Int?] = Array(repeating: nil, count: tablePlans.count)
    for i in components.joined() {
      let sources = sources(of: tablePlans[i], tablePlans)
      let depth = depth(of: tablePlans[i], sources.map { depths[$0] })
      depths[i] = depth
      tablePlans[i].isTree = isTree(tablePlans[i], sources: sources)
      guard tablePlans[i].gathering != .single, depth != nil || rootComponent.contains(i),
        agree(tablePlans[i].nodes.filter { !$0.isRoot }), !carried.passes(through: tablePlans[i])
      else { continue }
      tablePlans[i].gathering = .merged
    }
    for i in tablePlans.indices { tablePlans[i].isDirect = isDirect(tablePlans[i], tablePlans: tablePlans) }
    for i in tablePlans.indices {
      tablePlans[i].isUnique =
        isLookedUp(tablePlans[i], tablePlans: tablePlans)
        || canMeetAgain(tablePlans[i], tablePlans: tablePlans)
    }
  }

  private func isTree(_ tablePlan: CloneTablePlan, sources: [Int]) -> Bool {
    tablePlan.gathering == .single && tablePlan.hasRoot && sources == [tablePlan.index]
      && tablePlan.nodes.allSatisfy { $0.plan(of: tablePlan.accessPaths[0])?.rule == .clone }
  }

  // MARK: Merging

  private func sources(of tablePlan: CloneTablePlan, _ tablePlans: [CloneTablePlan]) -> [Int] {
    tablePlan.accessPaths.map { accessPath in
      tablePlans.firstIndex { $0.name == plan.model.rootEntity(of: accessPath.entity) }!
    }
  }

  /// The one generation in which every object of the table plan is found; nil where there can be several.
  private func depth(of tablePlan: CloneTablePlan, _ sources: [Int?]) -> Int? {
    if tablePlan.isCyclic { return nil }
    if tablePlan.accessPaths.isEmpty { return 0 }
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

  private func isDirect(_ tablePlan: CloneTablePlan, tablePlans: [CloneTablePlan]) -> Bool {
    guard !keepsMapping, tablePlan.gathering == .single, !tablePlan.hasRoot, !tablePlan.isCyclic,
      tablePlan.keysItself, !tablePlan.hasEntity,
      let accessPath = tablePlan.accessPaths.first,
      !tablePlans[sources(of: tablePlan, tablePlans)[0]].isPaired
    else { return false }
    let isSource = tablePlans.contains { other in
      other.accessPaths.contains { plan.model.rootEntity(of: $0.entity) == tablePlan.name }
    }
    let isReferredTo = references.joined().contains {
      plan.model.rootEntity(of: $0.key.destination) == tablePlan.name
    }
    let ranks = references[tablePlan.index].contains {
      $0.orderColumn != nil && $0.backward?.qualifiedName != accessPath.qualifiedName
    }
    let isGenerated = references[tablePlan.index].flatMap(\.key.columns).contains {
      tablePlan.table.column($0)?.isGenerated == true
    }
    // Whether a trigger has removed or moved a clone is asked of the maps.
    let areChanged = tablePlans.contains { other in
      other.table.canLoseNewRows
        || references[other.index].contains { other.table.rewritesNewRows($0.key.columns) }
        || references.joined().contains {
          other.isReferenced(byValuesOf: $0.key, in: plan.model)
            && other.table.rewritesNewRows($0.key.references)
        }
    }
    return !areChanged && !isGenerated && !isSource && !isReferredTo && !ranks
      && !isRequired(tablePlan) { $0.relationship.qualifiedName != accessPath.qualifiedName }
      && !joins.contains { $0.contains(tablePlan.name) }
  }

  /// Whether an object of the plan requires objects of the table plan over some relationship, which must be checked.
  private func isRequired(_ tablePlan: CloneTablePlan, over isMeant: (RelationshipPlan) -> Bool) -> Bool {
    plan.nodes.lazy.flatMap(\.relationships).contains { planned in
      let relationship = planned.relationship
      guard !relationship.isOptional, isMeant(planned),
        case .inverseForeignKey = mapping[relationship.entity].relationships[relationship.name]
      else { return false }
      return plan.model.rootEntity(of: relationship.destination) == tablePlan.name
    }
  }

  /// Whether one original can be found twice: from one parent too, where that is expanded in several ways.
  private func canMeetAgain(_ tablePlan: CloneTablePlan, tablePlans: [CloneTablePlan]) -> Bool {
    tablePlan.isStaged || (tablePlan.isMixed && !tablePlan.isTree)
      || (tablePlan.gathering == .merged && tablePlan.isCyclic)
      || (tablePlan.gathering == .single
        && sources(of: tablePlan, tablePlans).contains { tablePlans[$0].isPaired })
  }

  private func isLookedUp(_ tablePlan: CloneTablePlan, tablePlans: [CloneTablePlan]) -> Bool {
    let byReference = tablePlans.contains { holder in
      references[holder.index].contains { reference in
        plan.model.rootEntity(of: reference.key.destination) == tablePlan.name
          && !isToParent(reference, of: holder)
      }
    }
    let names = Set(tablePlans.map(\.name))
    return byReference || isRequired(tablePlan) { $0.rule != .clone }
      || joins.contains { $0.contains(tablePlan.name) && $0.isSubset(of: names) }
  }

  private func isToParent(_ reference: RowReference, of holder: CloneTablePlan) -> Bool {
    holder.gathering == .single && (!holder.hasRoot || holder.isTree) && reference.backward != nil
      && reference.backward?.qualifiedName == holder.accessPaths.first?.qualifiedName
  }

  /// The ends of each join table that a rule asks for.
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
