import MOCloneEngine
import MOCloneModel

/// Which rows of a store are taken along, found in it by sets: what a request asks for and all that comes along with it,
/// or a subtree with what it is linked to.
struct SourceSelection {
  let layout: TransferLayout
  private let rows: SourceRows
  private let statements: any StatementRunning
  var reach: Reach {
    var reach = layout.reach
    reach.entities = layout.entityReach
    return reach
  }

  /// - Returns: nil where every row is taken.
  init?(
    _ rules: CopyRules, policy: TransferPolicy, subtree: CopiedSubtree?, rows: SourceRows, watch: RunWatch
  )
    throws
  {
    guard subtree != nil || rules.roots != nil else { return nil }
    self.rows = rows
    var subtree = subtree
    if case .closure(let plan, _)? = subtree?.members { subtree = subtree?.notingWhoAsks(by: plan) }
    layout = try TransferLayout(
      rules, policy: policy, from: SourceTables(own: rows.store), into: rows.store, subtree: subtree)
    statements = rows.db.statements(watch)
  }

  /// Whether objects of an entity can be meant.
  func reaches(_ entity: String) -> Bool { layout.entityReach?.entities.contains(entity) ?? true }

  /// Enters what is meant in the table of what was reached.
  func find() throws {
    if let subtree = SubtreeReach(layout) {
      try statements.execute(reach.table.setUpWithoutKey + subtree.setUpLinks)
      try enterMembers(subtree)
      try statements.execute(reach.table.analyze)
      for (objects, table) in subtree.named { try rows.db.enter(Set(objects), in: table, layout) }
      try subtree.enterLinked(by: statements)
      for stream in layout.streams where try statements.number(subtree.hasLinked(stream)) == 1 {
        try statements.execute(reach.table.analyze(part: stream.index))
      }
    } else if let roots = layout.rules!.roots {
      reach.bind(roots, to: statements)
      try reach.enter(roots, limit: layout.rules!.limit, by: statements)
      try statements.execute(reach.table.analyze)
    }
  }

  private func enterMembers(_ subtree: SubtreeReach) throws {
    guard case .closure(let plan, let roots) = layout.subtree!.members else {
      return try rows.db.enter(layout.subtree!.members.objects, in: reach.table, layout)
    }
    var isFirst = true
    try rows.closures(plan, roots) { parts in
      for part in parts {
        let stream = layout.stream(of: part.entity)
        try statements.execute(reach.enter(part.keys, in: reach.table, of: stream, isFirst: isFirst))
        for (name, table) in subtree.asking {
          guard let keys = part.asking[name] else { continue }
          try statements.execute(reach.enter(keys, in: table, of: stream, isFirst: false))
        }
      }
      // It keeps out what another root has brought; what is looked up is looked up for all rows at once.
      if isFirst, roots.count > 1 { try statements.execute(reach.table.addKey) }
      isFirst = false
    }
  }

  /// How many rows of a table are meant.
  func count(_ table: TablePlan) throws -> Int {
    let entries = Select(["count(*)"], from: reach.table.rows("r"))
    return try statements.number(entries.where(.sql("r.t = \(layout.stream(of: table.root).index)")))
  }

  /// Whether any row of a table is linked to.
  func hasLinked(_ table: TablePlan) throws -> Bool {
    guard let subtree = SubtreeReach(layout) else { return false }
    return try statements.number(subtree.hasLinked(layout.stream(of: table.root))) == 1
  }

  /// Whether a row was reached that is only linked to; nil where no subtree is cut out.
  func isLinked(_ stream: RowStream, _ alias: String) -> Condition? {
    SubtreeReach(layout)?.isLinked(stream, stream.key(alias))
  }

  /// Whether a pair `j` of what was reached is taken along.
  func contains(_ join: TableJoin) -> Condition {
    let joinRows = layout.joinRows.first {
      $0.join.relationship.qualifiedName == join.relationship.qualifiedName
    }
    guard let joinRows, let subtree = SubtreeReach(layout) else { return .always }
    return subtree.asksPartly(for: joinRows)
  }

  // MARK: What identifies others

  /// Enters the rows in the place of what was reached that lie on the paths which identify others, and are not meant
  /// themselves.
  func findIdentityEnds() throws {
    let ends = reach.table("ends")
    try statements.execute(ends.setUp)
    for (entity, identity) in layout.model.entities.compactMap({ entity in
      layout.identities[entity.name].map { (entity.name, $0) }
    }) where reaches(entity) {
      for path in identity.paths {
        var place = Select(reach.columns, from: reach.table.rows("o")).where(
          .sql("o.t = \(layout.stream(of: entity).index)"))
        for step in path.steps {
          guard let (stream, reference) = reference(of: step) else { break }
          place = reach.forward(reference, of: stream)
            .rows(from: "(\(place.text(layout.dialect))) r")
          try statements.execute(ends.insert(reach.columns, place, conflict: .skip))
        }
      }
    }
    try statements.execute(reach.replace(by: ends))
  }

  private func reference(of step: RelationshipDescription) -> (RowStream, StreamReference)? {
    for stream in layout.streams {
      if let reference = stream.references.first(where: { $0.reference.forward == step }) {
        return (stream, reference)
      }
    }
    return nil
  }
}

extension Reach {
  /// Enters the objects of a stream whose keys a query selects in a table, each once.
  ///
  /// - Parameter isFirst: whether none of them can be there yet, which costs a third.
  func enter(_ keys: Select, in table: TemporaryTable, of stream: RowStream, isFirst: Bool) -> String {
    let names = stream.keys.parts("k")
    let named = keys.with(keys.columns.named(names))
    let rows = Select(object(stream, names.map { "c.\($0)" }), from: From(named, as: "c", dialect: dialect))
    return table.insert(columns, rows, conflict: isFirst ? .asDeclared : .skip)
  }

  /// Has the rows of another table count as reached that were not, in the place of those that were.
  func replace(by other: TemporaryTable) -> [String] {
    let known = Select(columns, from: table.rows("r"))
    let isKnown = Condition.among(columns, query: known, dialect: dialect)
    return [
      Delete(other.sql).where(isKnown).text, table.clear,
      table.insert(columns, Select(columns, from: other.rows("e"))),
    ]
  }
}
