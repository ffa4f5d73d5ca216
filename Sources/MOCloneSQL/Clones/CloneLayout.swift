import MOCloneEngine
import MOCloneModel

/// A plan laid over the tables of a store: its table plans, the relationships cloned between them, and their order.
package struct CloneLayout: Sendable {
  package let plan: ClonePlan
  package let mapping: SchemaMapping
  package private(set) var schema: StoreSchema
  package private(set) var tablePlans: [CloneTablePlan]
  /// The places of the table plans by their names.
  private let places: [String: Int]
  /// The table plans in the order in which their closures can be found; those of a cycle stand together.
  package let components: [[Int]]
  /// The foreign keys in the rows of each table plan.
  package private(set) var references: [[RowReference]]
  /// The columns whose new values are settled after the closure, in order.
  let settling: [SettlingOrder.Slot]
  /// Whether the maps hold more than one root, and tell the copies apart.
  package let hasCopies: Bool
  /// Whether triggers keep values of some clones.
  let hasKeptColumns: Bool
  /// The columns that begin with their defaults, by tables.
  private(set) var begun: [String: Set<String>] = [:]
  /// What triggers update where a row of a table is inserted, by tables.
  private(set) var updatesByInserts: [String: [TriggerUpdate]] = [:]

  /// - Parameters:
  ///   - keepsMapping: whether the keys of every object are read after the run.
  ///   - severalRoots: whether the clones of several roots are found before any is written.
  ///   - form: where statements find the maps; as rows only with `keepsMapping`.
  package init(
    plan: ClonePlan, mapping: SchemaMapping, schema: StoreSchema, keepsMapping: Bool,
    severalRoots: Bool = false, form: MapForm = .table
  ) throws {
    self.plan = plan
    self.mapping = mapping
    self.schema = schema
    hasCopies = severalRoots || plan.request.count > 1
    hasKeptColumns = plan.nodes.contains { $0.attributes.contains { $0.attribute.isKeptByTriggers } }
    try StoreCheck(model: plan.model, mapping: mapping, schema: schema, entities: plan.entities).check()
    var tablePlans = try CloneTablePlanBuilder(plan: plan, mapping: mapping, schema: schema).tablePlans()
    places = Dictionary(uniqueKeysWithValues: tablePlans.enumerated().map { ($1.name, $0) })
    let edges = Self.edges(tablePlans, places: places, plan: plan)
    components = Self.components(of: tablePlans, edges)
    let turning = edges.filter { $0.from == $0.to }.map(\.from)
    for i in components.filter({ $0.count > 1 }).joined() + turning { tablePlans[i].isCyclic = true }
    references = RowReference.all(in: tablePlans, plan: plan, mapping: mapping)
    holders = ReferenceHolders(
      model: plan.model, mapping: mapping,
      known: Dictionary(uniqueKeysWithValues: zip(tablePlans.map(\.name), references)),
      dialect: schema.dialect)
    CloneTableNeeds(plan: plan, mapping: mapping, references: references, keepsMapping: keepsMapping)
      .gather(&tablePlans, components: components)
    for i in tablePlans.indices { tablePlans[i].form = form }
    let order = try SettlingOrder(tablePlans, references: references, model: plan.model)
    settling = order.slots
    for slot in order.slots {
      tablePlans[slot.tablePlan].waiting[slot.column] = order.waiting[slot]
      guard tablePlans[slot.tablePlan].keyPart(slot.column) == nil else { continue }
      tablePlans[slot.tablePlan].settled.append(slot.column)
    }
    self.tablePlans = tablePlans
    let needs = CarriedValues(plan: plan)
    let referring = Dictionary(grouping: references.joined()) {
      plan.model.rootEntity(of: $0.key.destination)
    }
    self.tablePlans = tablePlans.map { settled($0, needs: needs, referring: referring[$0.name] ?? []) }
    readTriggers()
  }

  private mutating func readTriggers() {
    let tables = schema.names.compactMap { schema[$0] }
    let counting = tables.filter { table in table.triggers.contains { $0.event == "INSERT" } }
    guard !counting.isEmpty else { return }
    let all = Dictionary(tables.map { ($0.name.sqlName, $0) }, uniquingKeysWith: { first, _ in first })
    for table in counting {
      updatesByInserts[table.name.sqlName] = InsertUpdates(into: [table], among: all).updates
    }
    let joins = plan.nodes.flatMap(\.relationships).filter { $0.rule != .exclude }
      .compactMap { mapping.join(of: $0.relationship).flatMap { schema[$0.table] } }
    let updates = InsertUpdates(into: tablePlans.map(\.table) + joins)
    for tablePlan in tablePlans {
      let columns = updates.begun(in: tablePlan.table, key: tablePlan.keyColumns.map(\.name))
      begun[tablePlan.table.name.sqlName] = Set(columns.map(\.name.sqlName))
    }
  }

  /// What depends on more than the table plan itself.
  ///
  /// - Parameter referring: the foreign keys that name rows of the table plan.
  private func settled(
    _ tablePlan: CloneTablePlan, needs: CarriedValues, referring: [RowReference]
  ) -> CloneTablePlan {
    var tablePlan = tablePlan
    tablePlan.hasGeneration = tablePlans.contains { $0.isStaged }
    tablePlan.hasCopy = hasCopies
    // What a table plan without a map follows is read from the map of the parents.
    tablePlan.stored =
      tablePlan.isDirect
      ? [] : needs.stored(in: tablePlan, mapping: mapping, references: referring)
    markLateFollowers(in: &tablePlan)
    tablePlan.slots = needs.slots(in: tablePlan)
    tablePlan.hasParent = !tablePlan.isDirect && parentReference(of: tablePlan) != nil
    tablePlan.ranks = references[tablePlan.index].indices.filter { i in
      references[tablePlan.index][i].orderColumn != nil
        && !copiesPositions(references[tablePlan.index][i], in: tablePlan)
    }
    return tablePlan
  }

  /// An attribute that others read, and that follows a part of the root's key, is found before that is settled.
  private func markLateFollowers(in tablePlan: inout CloneTablePlan) {
    let root = root
    for i in tablePlan.stored.indices {
      let rules = tablePlan.nodes.compactMap { $0.rule(ofAttribute: tablePlan.stored[i].name) }
      let isLate = rules.contains { rule in
        guard case .followParent(let slot, .root, _) = rule else { return false }
        return root.isLate(slot, in: self)
      }
      if isLate { tablePlan.stored[i].hasKind = true }
    }
  }

  /// Whether parts of keys are settled after the closure, so that followers of them are known only then.
  package var hasLateKeys: Bool {
    tablePlans.contains { tablePlan in tablePlan.keyColumns.indices.contains(where: tablePlan.isLate) }
  }

  package let holders: ReferenceHolders

  package var dialect: Dialect { schema.dialect }

  /// Whether maps are named queries of one statement.
  var isInQueries: Bool { dialect.schemas.temporary.isEmpty }

  /// The same with maps that are named queries of one statement.
  var inQueries: CloneLayout {
    var layout = self
    let dialect = dialect.inQueries
    layout.schema = schema.with(dialect)
    for place in layout.tablePlans.indices { layout.tablePlans[place].dialect = dialect }
    return layout
  }

  package func tablePlan(of entity: String) -> CloneTablePlan? {
    places[plan.model.rootEntity(of: entity)].map { tablePlans[$0] }
  }

  /// The reference over which every object of a table plan was reached, if there is just one and it tells the parent; of
  /// a tree the root may have none.
  package func parentReference(of tablePlan: CloneTablePlan) -> Int? {
    guard !tablePlan.hasRoot || tablePlan.isTree, tablePlan.gathering == .single,
      let accessPath = tablePlan.accessPaths.first
    else {
      return nil
    }
    return references[tablePlan.index].firstIndex { $0.backward?.qualifiedName == accessPath.qualifiedName }
  }

  /// Whether positions can be copied as they are: the new keys keep the order of the originals' where positions
  /// are equal, and no list outside is added to.
  package func copiesPositions(_ reference: RowReference, in tablePlan: CloneTablePlan) -> Bool {
    (tablePlan.hasRowidKey || tablePlan.hasSequence) && !tablePlan.hasRoot
      && parentReference(of: tablePlan).map { references[tablePlan.index][$0] == reference } == true
  }
}

// MARK: - Order

extension CloneLayout {
  /// What leads to each other together, what leads to others before them, else in the order of the table plans.
  private static func components(
    of tablePlans: [CloneTablePlan], _ edges: [(from: Int, to: Int)]
  ) -> [[Int]] {
    let components = Components(count: tablePlans.count, edges: edges).ordered
    var order: [[Int]] = []
    var done: Set<Int> = []
    while done.count < tablePlans.count {
      for i in tablePlans.indices where !done.contains(i) {
        let component = components.first { $0.contains(i) }!
        let entering = edges.filter { component.contains($0.to) && !component.contains($0.from) }
        guard entering.allSatisfy({ done.contains($0.from) }) else { continue }
        order.append(component)
        done.formUnion(component)
      }
    }
    return order
  }

  private static func edges(
    _ tablePlans: [CloneTablePlan], places: [String: Int], plan: ClonePlan
  ) -> [(from: Int, to: Int)] {
    tablePlans.flatMap { tablePlan in
      tablePlan.accessPaths.map { accessPath in
        (from: places[plan.model.rootEntity(of: accessPath.entity)]!, to: tablePlan.index)
      }
    }
  }
}
