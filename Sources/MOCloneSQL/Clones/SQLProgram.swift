import MOCloneEngine
import MOCloneModel

/// The statements of a plan for one store: text rendered from values, without a connection.
///
/// Parameters are `:key0...` (the root's key), `:root` (its row in the map), `:copy` (counted from 0), `:run` (the
/// generator of UUIDs), `:now_...` (the instant in one form of storage), `:keyOffset0...` (greatest key before the run, by
/// table plan), `:set0...` (values of the request), `:from0...` and `:to0...` (rows of one generation or copy, by table plan),
/// `:gen` (one generation of a cycle), `:first` and `:last` (the rows of a map that are written at once), `:made` (how many keys a table plan
/// needs), `:written` (how many of them are written).
package struct SQLProgram: Sendable {
  /// One relationship from a table plan to another, or all that lead there.
  package struct Expansion: Sendable {
    package var sources: [Int]
    package var target: Int
    package var sql: String
  }

  /// Table plans whose closure is found together.
  package struct Component: Sendable {
    package var tablePlans: [Int]
    package var isCyclic: Bool
    /// From table plans found before.
    package var entering: [Expansion]
    /// Finds what is below a generation of a tree at once, in place of `internals`.
    package var recursion: String?
    /// Finds out whether a tree's root is below itself; run last.
    package var rootsParent: String?
    /// Within a cycle: run once a generation.
    package var internals: [Expansion]
    /// For each staged table plan the statements that empty its stage into the map and the pairs.
    package var flushes: [Int: [String]]

    var statements: [String] {
      (entering + internals).map(\.sql) + [recursion, rootsParent].compactMap { $0 }
        + tablePlans.flatMap { flushes[$0] ?? [] }
    }
  }

  package struct Write: Sendable {
    package var tablePlan: Int
    /// Takes the rows `:first` to `:last` of the map, or of the parents' map.
    package var sql: String
    /// The same where new keys pass over numbers that something refers to already, if it is another statement.
    package var passing: String?
    /// Counts the rows that it must write.
    package var count: String
    /// Whether all rows must be written at once: a list that they are added to must not grow meanwhile, or they come in
    /// another order than in the map.
    package var isWhole: Bool
  }

  package struct Join: Sendable {
    package var relationship: RelationshipDescription
    package var table: TableSchema
    package var sql: String
    package var count: String
    /// Counts the rows that a trigger has removed again; nil where none can.
    package var gone: String?
    /// Counts the rows whose ends do not fit together in columns that they share.
    package var disagreement: (columns: [String], sql: String)?
  }

  package let layout: CloneLayout
  package let definitions: [String]
  package let seed: [String]
  package let components: [Component]
  /// Settle keys and positions between closure and write.
  package let settling: [String]
  package let checks: [RunCheck]
  /// Checks that look at the rows that were written.
  package let writtenChecks: [RunCheck]
  /// Checks that look at what is settled.
  package let settledChecks: [RunCheck]
  /// Find what a one-to-one destination that the request gives is taken by; run for each copy.
  package let relatedObjects: [(relationship: RelationshipDescription, sql: String)]
  /// By table plan, in the order of writing.
  package let writes: [Write]
  /// All of `writes` in one statement, where rows refer to each other and the database checks at the end of a statement.
  package let writesTogether: String?
  package let joins: [Join]
  /// Give columns that triggers of other rows change the originals' values again; run last.
  package let restoring: Restoring
  /// Find out whether new keys could be numbers that something refers to already: before the closure, and behind it.
  package let dangling: [String]
  package let danglingInClosure: [String]
  package let defersForeignKeys: Bool
  /// The number of linked objects, by entity, of one copy of each root.
  package let links: [(entity: String, sql: String)]

  package init(_ layout: CloneLayout) throws {
    self.layout = layout
    try GeneratedColumns(layout: layout).check()
    let closure = ClosureRenderer(layout: layout)
    let roots =
      "\(layout.dialect.createTemporaryTable) \(layout.dialect.name(CloneTablePlan.roots))"
      + "(copy \(layout.dialect.countingKey), seq INTEGER)" + layout.dialect.endOfTemporaryTable
    definitions = (layout.hasCopies ? [roots] : []) + layout.tablePlans.flatMap(\.definitions)
    seed = closure.seed(layout.root)
    components = layout.components.map { Self.component($0, in: layout, closure: closure) }
    let writers = layout.tablePlans.map { WriteRenderer(layout: layout, tablePlan: $0) }
    settling = layout.settling.flatMap { writers[$0.tablePlan].settling($0.column) } + Self.rankings(layout)
    checks = CheckRenderer(layout: layout).checks
    settledChecks = CheckRenderer(layout: layout).settledChecks + writers.flatMap(\.disagreements)
    relatedObjects = layout.tablePlans.flatMap { layout.referenceRenderers(of: $0).compactMap(\.other) }
    let order = WriteOrder(writers.map(\.needs))
    writes = order.order.map {
      Write(
        tablePlan: $0, sql: writers[$0].insert, passing: writers[$0].countingInsert,
        count: writers[$0].count,
        isWhole: !layout.tablePlans[$0].ranks.isEmpty || writers[$0].levels != nil
          || layout.dialect.insertsTogether && writers[$0].refersAhead)
    }
    let refersAhead = !order.isAcyclic || writers.contains(where: \.refersAhead)
    defersForeignKeys = refersAhead && !layout.dialect.insertsTogether
    writesTogether =
      !order.isAcyclic && layout.dialect.insertsTogether ? Insert.together(writes.map(\.sql)) : nil
    let joins = JoinRenderer.all(in: layout)
    let canVanish = (layout.tablePlans.map(\.table) + joins.map(\.table)).contains(where: \.canLoseNewRows)
    writtenChecks =
      writers.flatMap(GeneratedColumns(layout: layout).checks)
      + (canVanish ? CheckRenderer(layout: layout).gone : []) + CheckRenderer(layout: layout).moved
    self.joins = joins.map {
      Join(
        relationship: $0.asked, table: $0.table, sql: $0.insert, count: $0.count, gone: $0.gone,
        disagreement: $0.disagreement)
    }
    restoring = TriggeredColumns(layout: layout, joins: joins.map(\.table)).restoring
    let references = DanglingReferences(layout: layout)
    dangling = references.probes
    danglingInClosure = references.closureProbes
    links = Self.links(layout, joins: joins)
  }

  private static func component(
    _ members: [Int], in layout: CloneLayout, closure: ClosureRenderer
  ) -> Component {
    let isCyclic = layout.tablePlans[members[0]].isCyclic
    var entering: [Expansion] = []
    var internals: [Expansion] = []
    for member in members {
      let tablePlan = layout.tablePlans[member]
      if tablePlan.isDirect { continue }
      if tablePlan.gathering == .merged {
        let sources = Set(tablePlan.accessPaths.map { layout.tablePlan(of: $0.entity)!.index }).sorted()
        let expansion = Expansion(sources: sources, target: member, sql: closure.merge(tablePlan))
        if isCyclic { internals.append(expansion) } else { entering.append(expansion) }
        continue
      }
      for accessPath in tablePlan.accessPaths {
        let source = layout.tablePlan(of: accessPath.entity)!.index
        let isInternal = isCyclic && members.contains(source)
        let sql = closure.expansion(accessPath, to: tablePlan, byGeneration: isInternal)
        let expansion = Expansion(sources: [source], target: member, sql: sql)
        if isInternal { internals.append(expansion) } else { entering.append(expansion) }
      }
    }
    let staged = members.map { layout.tablePlans[$0] }.filter(\.isStaged)
    let only = layout.tablePlans[members[0]]
    return Component(
      tablePlans: members, isCyclic: isCyclic, entering: entering,
      recursion: closure.recursion(only), rootsParent: closure.rootsParent(only), internals: internals,
      flushes: Dictionary(uniqueKeysWithValues: staged.map { ($0.index, closure.flush($0)) }))
  }

  private static func rankings(_ layout: CloneLayout) -> [String] {
    layout.tablePlans.flatMap { tablePlan in
      tablePlan.ranks.map { ReferenceRenderer(layout: layout, tablePlan: tablePlan, index: $0).ranking }
    }
  }

  private static func links(_ layout: CloneLayout, joins: [JoinRenderer]) -> [(entity: String, sql: String)] {
    let selects = Dictionary(grouping: layout.links(joins)) { $0.entity }.mapValues { $0.map(\.query) }
    return selects.sorted { $0.key < $1.key }.map { entity, parts in
      // A single query has no UNION that would drop its duplicates.
      let links =
        parts.count > 1
        ? From(Union(parts: parts, dropsDuplicates: true), as: "links", dialect: layout.dialect)
        : From(parts[0].distinct(layout.dialect), as: "links", dialect: layout.dialect)
      let isFirst: Condition =
        layout.plan.request.count > 1 ? .sql("links.copy % \(layout.plan.request.count) = 0") : .always
      return (entity, Select(["count(*)"], from: links).where(isFirst).text(layout.dialect))
    }
  }

  /// The temporary tables that a run needs.
  package var temporaryTables: [String] {
    (layout.hasCopies ? [CloneTablePlan.roots] : []) + layout.tablePlans.flatMap(\.temporaryTables)
  }

  /// Whether triggers run while the clones are written.
  package var hasTriggers: Bool {
    !layout.tablePlans.allSatisfy(\.table.triggers.isEmpty) || !joins.allSatisfy(\.table.triggers.isEmpty)
  }

  /// All of them, for people.
  package var statements: [String] {
    let finding =
      definitions + seed + components.flatMap(\.statements) + layout.tablePlans.compactMap(\.addKey)
    let counting = dangling + danglingInClosure + settling
    let writing = (writesTogether.map { [$0] } ?? writes.map(\.sql)) + joins.map(\.sql)
    return finding + counting + (checks + settledChecks).map(\.sql) + writing + restoring.statements
  }
}
