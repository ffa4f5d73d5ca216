import MOCloneEngine
import MOCloneModel

/// What the table plans of a plan need of their temporary tables, judged together: a table or an index that nobody
/// reads is not made.
///
/// What is asked for each of the table plans is gathered once for all of them: there can be hundreds.
struct CloneTableNeeds {
  let plan: ClonePlan
  let mapping: SchemaMapping
  /// By table plan.
  let references: [[RowReference]]
  let keepsMapping: Bool
  /// The ends of each join table that a rule asks for.
  private let joins: [Set<String>]
  /// The root entities whose rows hold what a required relationship leads to, with these relationships.
  private let requiring: [String: [RelationshipPlan]]

  init(plan: ClonePlan, mapping: SchemaMapping, references: [[RowReference]], keepsMapping: Bool) {
    self.plan = plan
    self.mapping = mapping
    self.references = references
    self.keepsMapping = keepsMapping
    let planned = plan.nodes.flatMap(\.relationships)
    let joined = planned.filter { $0.rule.asks && mapping.join(of: $0.relationship) != nil }
      .map(\.relationship)
    joins = joined.map { relationship -> Set<String> in
      Set([relationship.entity, relationship.destination].map { plan.model.rootEntity(of: $0) })
    }.uniqued()
    let required = planned.filter { planned in
      let relationship = planned.relationship
      guard case .inverseForeignKey = mapping[relationship.entity].relationships[relationship.name] else {
        return false
      }
      return !relationship.isOptional
    }
    requiring = Dictionary(grouping: required) { plan.model.rootEntity(of: $0.relationship.destination) }
  }

  /// Settles how each table plan is gathered, in the order of the closure.
  func gather(_ tablePlans: inout [CloneTablePlan], components: [[Int]]) {
    let carried = CarriedValues(plan: plan)
    let places = Dictionary(uniqueKeysWithValues: tablePlans.map { ($0.name, $0.index) })
    // Where the cycle holds the root, generation follows generation; into others objects come from several at once.
    let root = tablePlans.firstIndex { $0.hasRoot }!
    let rootComponent = components.first { $0.contains(root) }!
    var depths: [Int?] = Array(repeating: nil, count: tablePlans.count)
    for i in components.joined() {
      let sources = tablePlans[i].accessPaths.map { places[plan.model.rootEntity(of: $0.entity)]! }
      let depth = depth(of: tablePlans[i], sources.map { depths[$0] })
      depths[i] = depth
      tablePlans[i].isTree = isTree(tablePlans[i], sources: sources)
      guard tablePlans[i].gathering != .single, depth != nil || rootComponent.contains(i),
        agree(tablePlans[i].nodes.filter { !$0.isRoot }), !carried.passes(through: tablePlans[i])
      else { continue }
      tablePlans[i].gathering = .merged
    }
    let named = Set(references.joined().map { plan.model.rootEntity(of: $0.key.destination) })
    let expanded = Set(tablePlans.flatMap(\.accessPaths).map { plan.model.rootEntity(of: $0.entity) })
    let lookedUp = lookedUp(tablePlans)
    let areChanged = areChanged(tablePlans, places: places)
    for i in tablePlans.indices {
      let name = tablePlans[i].name
      let source = tablePlans[i].accessPaths.first.map { places[plan.model.rootEntity(of: $0.entity)]! }
      // The parents.
      let isPaired = source.map { tablePlans[$0].isPaired } ?? false
      tablePlans[i].isDirect =
        !areChanged && !isPaired && !named.contains(name) && !expanded.contains(name)
        && canBeDirect(tablePlans[i])
      tablePlans[i].isUnique = lookedUp.contains(name) || canMeetAgain(tablePlans[i], isPaired: isPaired)
    }
  }

  private func isTree(_ tablePlan: CloneTablePlan, sources: [Int]) -> Bool {
    tablePlan.gathering == .single && tablePlan.hasRoot && sources == [tablePlan.index]
      && tablePlan.nodes.allSatisfy { $0.plan(of: tablePlan.accessPaths[0])?.rule == .clone }
  }

  // MARK: Merging

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

  /// Whether the rows of a table plan to which nothing refers can be written straight from the map of their parents.
  private func canBeDirect(_ tablePlan: CloneTablePlan) -> Bool {
    guard !keepsMapping, tablePlan.gathering == .single, !tablePlan.hasRoot,
      !tablePlan.isCyclic,
      tablePlan.keysItself, !tablePlan.hasEntity,
      let accessPath = tablePlan.accessPaths.first
    else { return false }
    let ranks = references[tablePlan.index].contains {
      $0.orderColumn != nil && $0.backward?.qualifiedName != accessPath.qualifiedName
    }
    let isGenerated = references[tablePlan.index].flatMap(\.key.columns).contains {
      tablePlan.table.column($0)?.isGenerated == true
    }
    return !isGenerated && !ranks
      && !isRequired(tablePlan) { $0.relationship.qualifiedName != accessPath.qualifiedName }
      && !joins.contains { $0.contains(tablePlan.name) }
  }

  /// Whether a trigger can remove or move clones, which is asked of the maps.
  private func areChanged(_ tablePlans: [CloneTablePlan], places: [String: Int]) -> Bool {
    tablePlans.contains { tablePlan in
      tablePlan.table.canLoseNewRows
        || references[tablePlan.index].contains { tablePlan.table.rewritesNewRows($0.key.columns) }
    }
      || references.joined().contains { reference in
        places[plan.model.rootEntity(of: reference.key.destination)].map { place in
          tablePlans[place].isReferenced(byValuesOf: reference.key, in: plan.model)
            && tablePlans[place].table.rewritesNewRows(reference.key.references)
        } ?? false
      }
  }

  /// Whether an object of the plan requires objects of the table plan over some relationship, which must be checked.
  private func isRequired(_ tablePlan: CloneTablePlan, over isMeant: (RelationshipPlan) -> Bool) -> Bool {
    requiring[tablePlan.name]?.contains(where: isMeant) ?? false
  }

  /// Whether one original can be found twice: from one parent too, where that is expanded in several ways.
  private func canMeetAgain(_ tablePlan: CloneTablePlan, isPaired: Bool) -> Bool {
    tablePlan.isStaged || (tablePlan.isMixed && !tablePlan.isTree)
      || (tablePlan.gathering == .merged && tablePlan.isCyclic)
      || (tablePlan.gathering == .single && isPaired)
  }

  /// The table plans whose objects are looked up by their originals' keys.
  private func lookedUp(_ tablePlans: [CloneTablePlan]) -> Set<String> {
    let byReference = tablePlans.flatMap { holder in
      references[holder.index].filter { !isToParent($0, of: holder) }.map {
        plan.model.rootEntity(of: $0.key.destination)
      }
    }
    let names = Set(tablePlans.map(\.name))
    let required = tablePlans.filter { isRequired($0) { $0.rule != .clone } }.map(\.name)
    return Set(byReference + required).union(joins.filter { $0.isSubset(of: names) }.joined())
  }

  private func isToParent(_ reference: RowReference, of holder: CloneTablePlan) -> Bool {
    holder.gathering == .single && (!holder.hasRoot || holder.isTree) && reference.backward != nil
      && reference.backward?.qualifiedName == holder.accessPaths.first?.qualifiedName
  }
}
