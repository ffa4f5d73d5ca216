import MOCloneEngine
import MOCloneModel

/// The statements of a plan for one store: text rendered from values, without a connection.
///
/// Parameters are `:key0...` (the root's key), `:root` (its row in the map), `:copy` (counted from 0), `:run` (the
/// generator of UUIDs), `:now_...` (the instant in one form of storage), `:shift0...` (greatest key before the run, by
/// family), `:set0...` (values of the request), `:from0...` and `:to0...` (rows of one generation or copy, by family),
/// `:gen` (one generation of a cycle), `:first` and `:last` (the rows of a map that are written at once), `:made` (how many keys a family
/// needs), `:written` (how many of them are written).
package struct SQLProgram: Sendable {
  /// One relationship from a family to another, or all that lead there.
  package struct Expansion: Sendable {
    package var sources: [Int]
    package var target: Int
    package var sql: String
  }

  /// Families whose closure is found together.
  package struct Component: Sendable {
    package var families: [Int]
    package var isCyclic: Bool
    /// From families found before.
    package var entering: [Expansion]
    /// Finds what lies below a generation of a tree at once, in place of `internals`.
    package var recursion: String?
    /// Finds out whether a tree's root lies below itself; run last.
    package var rootsParent: String?
    /// Within a cycle: run once a generation.
    package var internals: [Expansion]
    /// For each staged family the statements that empty its stage into the map and the pairs.
    package var flushes: [Int: [String]]
  }

  package struct Write: Sendable {
    package var family: Int
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
  package let partners: [(relationship: RelationshipDescription, sql: String)]
  /// By family, in the order of writing.
  package let writes: [Write]
  package let joins: [Join]
  /// Give columns that triggers of other rows change the originals' values again; run last.
  package let restoring: [String]
  /// Find out whether new keys could be numbers that something refers to already: before the closure, and behind it.
  package let dangling: String?
  package let danglingInClosure: String?
  package let defersForeignKeys: Bool
  /// The number of linked objects, by entity.
  package let links: [(entity: String, sql: String)]

  package init(_ layout: CloneLayout) throws {
    self.layout = layout
    try GeneratedColumns(layout: layout).check()
    let closure = ClosureRenderer(layout: layout)
    let roots =
      "\(layout.dialect.createTemporaryTable) \(layout.dialect.name(Family.roots))"
      + "(copy \(layout.dialect.countingKey), seq INTEGER)"
    definitions = (layout.plan.request.count > 1 ? [roots] : []) + layout.families.flatMap(\.definitions)
    seed = closure.seed(layout.families.first { $0.hasRoot }!)
    components = layout.components.map { Self.component($0, layout, closure) }
    let writers = layout.families.map { WriteRenderer(layout: layout, family: $0) }
    settling =
      layout.settling.flatMap { writers[$0.family].settling($0.column) } + Self.rankings(layout)
    checks = CheckRenderer(layout: layout).checks
    settledChecks =
      CheckRenderer(layout: layout).settledChecks + writers.flatMap(\.disagreements)
    partners = layout.families.flatMap { family in
      layout.references[family.index].indices.compactMap {
        ReferenceRenderer(layout: layout, family: family, index: $0).partner
      }
    }
    let order = WriteOrder(writers.map(\.needs))
    writes = order.order.map {
      Write(
        family: $0, sql: writers[$0].insert, passing: writers[$0].countingInsert,
        count: writers[$0].count,
        isWhole: !layout.families[$0].ranks.isEmpty || writers[$0].levels != nil)
    }
    defersForeignKeys = !order.isAcyclic || writers.contains(where: \.refersAhead)
    let joins = JoinRenderer.all(in: layout)
    let canVanish = (layout.families.map(\.table) + joins.map(\.table)).contains(where: \.deletesOnInsert)
    writtenChecks =
      writers.flatMap(GeneratedColumns(layout: layout).checks)
      + (canVanish ? CheckRenderer(layout: layout).gone : [])
    self.joins = joins.map {
      Join(
        relationship: $0.relationship, table: $0.table, sql: $0.insert, count: $0.count,
        disagreement: $0.disagreement)
    }
    restoring = TriggeredColumns(layout: layout, joins: joins.map(\.table)).statements
    dangling = DanglingReferences(layout: layout).probe
    danglingInClosure = DanglingReferences(layout: layout).closureProbe
    links = Self.links(layout, joins)
  }

  private static func component(
    _ members: [Int], _ layout: CloneLayout, _ closure: ClosureRenderer
  ) -> Component {
    let isCyclic = layout.families[members[0]].isCyclic
    var entering: [Expansion] = []
    var internals: [Expansion] = []
    for member in members {
      let family = layout.families[member]
      if family.isDirect { continue }
      if family.gathering == .merged {
        let sources = Set(family.arrivals.map { layout.family(of: $0.entity)!.index }).sorted()
        let expansion = Expansion(sources: sources, target: member, sql: closure.merge(family))
        if isCyclic { internals.append(expansion) } else { entering.append(expansion) }
        continue
      }
      for arrival in family.arrivals {
        let source = layout.family(of: arrival.entity)!.index
        let isInternal = isCyclic && members.contains(source)
        let sql = closure.expansion(arrival, to: family, byGeneration: isInternal)
        let expansion = Expansion(sources: [source], target: member, sql: sql)
        if isInternal { internals.append(expansion) } else { entering.append(expansion) }
      }
    }
    let staged = members.map { layout.families[$0] }.filter(\.isStaged)
    let only = layout.families[members[0]]
    return Component(
      families: members, isCyclic: isCyclic, entering: entering,
      recursion: closure.recursion(only), rootsParent: closure.rootsParent(only), internals: internals,
      flushes: Dictionary(uniqueKeysWithValues: staged.map { ($0.index, closure.flush($0)) }))
  }

  private static func rankings(_ layout: CloneLayout) -> [String] {
    layout.families.flatMap { family in
      family.ranks.map { ReferenceRenderer(layout: layout, family: family, index: $0).ranking }
    }
  }

  private static func links(_ layout: CloneLayout, _ joins: [JoinRenderer]) -> [(entity: String, sql: String)]
  {
    var selects: [String: [Select]] = [:]
    for family in layout.families {
      for i in layout.references[family.index].indices {
        guard let link = ReferenceRenderer(layout: layout, family: family, index: i).links else { continue }
        selects[link.entity, default: []].append(link.query)
      }
    }
    for join in joins { for link in join.links { selects[link.entity, default: []].append(link.query) } }
    return selects.sorted { $0.key < $1.key }.map { entity, parts in
      // A single query has no UNION that would drop its duplicates.
      let links =
        parts.count > 1
        ? From(Union(parts: parts, dropsDuplicates: true), as: "links", layout.dialect)
        : From(parts[0].distinct(layout.dialect), as: "links", layout.dialect)
      return (entity, Select(["count(*)"], from: links).text(layout.dialect))
    }
  }

  /// The temporary tables that a run needs.
  package var temporaryTables: [String] {
    (layout.plan.request.count > 1 ? [Family.roots] : []) + layout.families.flatMap(\.temporaryTables)
  }

  /// Whether triggers run while the clones are written.
  package var hasTriggers: Bool {
    !layout.families.allSatisfy(\.table.triggers.isEmpty) || !joins.allSatisfy(\.table.triggers.isEmpty)
  }

  /// All of them, for people.
  package var statements: [String] {
    definitions + seed
      + components.flatMap { component in
        component.entering.map(\.sql) + component.internals.map(\.sql)
          + [component.recursion, component.rootsParent].compactMap { $0 }
          + component.families.flatMap { component.flushes[$0] ?? [] }
      } + [dangling, danglingInClosure].compactMap { $0 } + settling + (checks + settledChecks).map(\.sql)
      + writes.map(\.sql) + joins.map(\.sql)
      + restoring
  }
}
