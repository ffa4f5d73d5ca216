import GRDB
import MOCloneKit
import MOCloneTesting
import TestSupport
import Testing

@testable import MOCloneSQL
@testable import MOCloneSQLite

/// Statements are spelled by a dialect alone: rendered for a database that does not exist, they hold nothing of SQLite.
@Suite struct DialectTests {
  @Test(arguments: RandomShape.allCases, Seeds.all(0..<3, long: 0..<6))
  func nothingOfSQLiteStandsInTheStatementsOfAnotherDatabase(_ shape: RandomShape, seed: UInt64) throws {
    let model = try shape.model(seed: seed)
    for entity in model.entities {
      guard let plan = try? ClonePlan(model: model, entity: entity.name, request: CloneRequest(count: 2)),
        let own = try? statements(plan, .sqlite)
      else { continue }
      try check(try statements(plan, .foreign), beside: own)
    }
  }

  @Test(arguments: RandomShape.allCases, Seeds.all(0..<3, long: 0..<6))
  func mergesAndDeletionsAreSpelledByTheirDialect(_ shape: RandomShape, seed: UInt64) throws {
    let model = try shape.model(seed: seed)
    var identities: [String: [String]] = [:]
    for (number, entity) in model.entities.enumerated() where entity.parent == nil {
      let attributes = model.attributes(of: entity.name).filter { !$0.isTransient }.map(\.name)
      let owner = model.relationships(of: entity.name).first { !$0.isToMany }?.name
      let names = (number % 2 == 0 ? [owner] : []).compactMap { $0 } + attributes.prefix(1)
      if !names.isEmpty { identities[entity.name] = names }
    }
    let keeps: [DedupeRequest.Keep] = [.newest, .oldest, .fullest, .chosen { $0.first }]
    let request = DedupeRequest(
      identifiedBy: IdentityRequest(identities), keep: keeps[Int(seed % 4)], fills: seed % 5 != 0)
    guard let plan = try? DedupePlan(model, request: request) else { return }
    func statements(_ dialect: Dialect) throws -> [String] {
      let layout = StoreLayout(
        model: model, mapping: SchemaMapping(model), schema: try schema(model, dialect))
      return merges(DedupeRenderer(layout, plan: plan, request: request, modified: ModifiedRule()))
        + deletions(DeletionRenderer(layout, dates: DateOfChange(layout, rule: ModifiedRule())))
    }
    try check(try statements(.foreign), beside: try statements(.sqlite))
  }

  private func merges(_ dedupe: DedupeRenderer) -> [String] {
    var statements = dedupe.setUp + dedupe.dates.setUp
    for (number, unit) in dedupe.units.enumerated() {
      let search = dedupe.search(number, following: Set(dedupe.layout.tables.indices))
      statements += search.setUp + [dedupe.count(unit)] + dedupe.settleTies(search)
      for isMerged in [false, true] {
        statements += [
          dedupe.findGroups(search, isMerged: isMerged), dedupe.findMembers(search, isMerged: isMerged),
        ]
      }
      let groups = [dedupe.mixedGroups(search), dedupe.tiedGroups(search)]
      for groups in groups + [dedupe.differingGroups(search)].compactMap({ $0 }) {
        statements += [dedupe.members(search, of: groups), dedupe.leaveAlone(search, groups)]
      }
      statements += [
        dedupe.candidates(search), dedupe.choose(search), dedupe.leaveAlone(search),
        dedupe.enter(search, isMerged: false), dedupe.enter(search, isMerged: true),
        dedupe.followMap(search.table), dedupe.countLosers(search).text(dedupe.layout.dialect),
        dedupe.listedGroups(search),
      ]
    }
    let merged = Set(dedupe.layout.tables.indices)
    for end in MergeRenderer.ends(dedupe, merged: merged) { statements += end.move + [end.countLeft] }
    for lost in MergeRenderer.lostPairs(dedupe, merged: merged) {
      statements += lost.note + [lost.count, lost.clear]
    }
    return statements
      + dedupe.layout.tables.flatMap {
        merge(MergeRenderer(dedupe, table: $0, merged: merged), dedupe.layout)
      }
  }

  private func merge(_ merge: MergeRenderer, _ layout: StoreLayout) -> [String] {
    let fill = FillRenderer(merge)
    let counts = [fill.fills.countByEntity] + fill.dangling.map(\.count) + fill.parts.map(\.count)
    var statements = fill.collect + fill.settle + fill.parts.flatMap(\.statements)
    statements += counts.map { $0.text(layout.dialect) }
    for reference in merge.references {
      statements += merge.move(reference) + [merge.countUnmoved(reference)]
    }
    for reference in merge.owners { statements.append(merge.lostRelatedObjects(reference)) }
    for unknown in merge.unknown(in: layout.schema) {
      statements += [unknown.move, unknown.count].compactMap { $0 }
    }
    statements += [true, false].map { isFilling in
      GivenUpRenderer(merge, fills: isFilling, identifying: ["name"]).query.text(layout.dialect)
    }
    for place in PlaceRenderer.all(merge, fills: true) { statements += place.collect + place.apply }
    return statements
  }

  private func deletions(_ deletion: DeletionRenderer) -> [String] {
    deletion.setUp + deletion.closure + deletion.refusals.map(\.query)
      + deletion.releases.flatMap { $0.statements + [$0.left.text(deletion.layout.dialect)] }
      + deletion.deletion + deletion.cleanUp
  }

  @Test(arguments: RandomShape.allCases, UInt64(0)..<6)
  func copiesAreSpelledByTheirDialect(_ shape: RandomShape, seed: UInt64) throws {
    let model = try shape.model(seed: seed)
    let entity = model.entities[Int(seed) % model.entities.count].name
    let requests = [
      CopyRequest(overwrites: seed % 2 == 0),
      CopyRequest(entities: [entity], limit: 3, follow: seed % 3 == 0 ? .all : .owned),
    ]
    for request in requests {
      guard let rules = try? CopyRules(request, in: model) else { continue }
      let policy = TransferPolicy.copy(rules, seeding: seed % 5 == 0)
      func statements(_ dialect: Dialect) throws -> [String] {
        let (schema, mapping) = (try schema(model, dialect), SchemaMapping(model))
        let store = StoreLayout(model: model, mapping: mapping, schema: schema)
        let source = seed % 2 == 0 ? SourceTables(attached: schema) : SourceTables(staging: store)
        let layout = try TransferLayout(rules, policy: policy, from: source, into: store)
        let reach = NotedStatements(dialect)
        if let roots = rules.roots { try layout.reach.enter(roots, limit: rules.limit, by: reach) }
        return try source.setUp + layout.reach.everything + reach.texts
          + transfers(layout, isPartial: rules.roots != nil)
      }
      // What has one notation only is found in fewer statements.
      guard let foreign = try? statements(.foreign) else { continue }
      try check(foreign)
    }
  }

  @Test(arguments: RandomShape.allCases, UInt64(0)..<6)
  func subtreesThatAreCutOutAreSpelledByTheirDialect(_ shape: RandomShape, seed: UInt64) throws {
    let model = try shape.model(seed: seed)
    let missing = [MissingPolicy.fail, .null, .create][Int(seed % 3)]
    let asked = Set(model.entities.flatMap(\.relationships).filter { !$0.isToMany }.map(\.qualifiedName))
    let subtree = CopiedSubtree(
      members: .objects(Set<ObjectID>()), missing: missing, keepsKeys: seed % 2 == 0,
      asked: seed % 4 == 0 ? nil : asked)
    let rules = try CopyRules(CopyRequest(), in: model)
    func statements(_ dialect: Dialect) throws -> [String] {
      let (schema, mapping) = (try schema(model, dialect), SchemaMapping(model))
      let store = StoreLayout(model: model, mapping: mapping, schema: schema)
      let layout = try TransferLayout(
        rules, policy: .subtree(subtree), from: SourceTables(attached: schema), into: store, subtree: subtree)
      let reach = SubtreeReach(layout)!
      let streams = layout.streams.flatMap { stream in
        [
          reach.missing(stream).text(dialect), reach.drop(stream),
          reach.dropFromMap(stream),
        ]
      }
      let links = NotedStatements(dialect)
      try reach.enterLinked(by: links)
      try reach.enterNeeded(by: links)
      return try reach.setUp + links.texts + streams
        + transfers(layout, isPartial: true)
    }
    guard let foreign = try? statements(.foreign) else { return }
    try check(foreign)
  }

  @Test(arguments: ExistingPolicy.allCases)
  func importsAndSyncsAreSpelledByTheirDialect(_ existing: ExistingPolicy) throws {
    let model = try ObjectModel(
      yaml: """
        version: 1
        entities:
          Article:
            attributes: {name: String, price: Decimal?, at: Date?, code: UUID?, modified: Date?}
            relationships:
              unit: {destination: Unit, optional: true, inverse: articles}
              tags: {destination: Tag, toMany: true, ordered: true, inverse: articles}
            uniquenessConstraints: [[name]]
          Unit:
            attributes: {name: String, isOpen: Boolean?}
            relationships: {articles: {destination: Article, toMany: true, ordered: true, inverse: unit}}
            uniquenessConstraints: [[name]]
          Tag:
            attributes: {name: String}
            relationships: {articles: {destination: Article, toMany: true, inverse: tags}}
            uniquenessConstraints: [[name]]
        """)
    let identities = try Identities(model, identifiedBy: ["Article": ["name", "unit.name", "code"]])
    let unit = model.relationship("unit", of: "Article")!
    var entities = ["Unit", "Tag", "Article"].map { name in
      ImportPlan.Entity(
        name: name, identity: identities[name], attributes: model.attributes(of: name), missing: ["name"])
    }
    entities[2].references = [ImportPlan.Reference(relationship: unit, isForward: true, destination: 0)]
    let joinRows = ImportPlan.JoinRows(
      relationship: model.relationship("tags", of: "Article")!, source: 2, destination: 1)
    let plan = ImportPlan(
      model: model, existing: existing, root: "Article", entities: entities, joinRows: [joinRows])
    func imports(_ dialect: Dialect) throws -> [String] {
      let store = StoreLayout(
        model: model, mapping: SchemaMapping(model), schema: try schema(model, dialect))
      let layout = try TransferLayout(plan, into: store, prefix: "import_")
      return try transfers(layout, isPartial: false) + staged(layout, existing)
    }
    try check(try imports(.foreign))
    let sync = try SyncPlan(
      model,
      SyncRequest(
        entity: "Article", identifiedBy: ["Article": ["name"]], overwriting: ["price", "at", "unit"]))
    func syncs(_ dialect: Dialect) throws -> [String] {
      let store = StoreLayout(
        model: model, mapping: SchemaMapping(model), schema: try schema(model, dialect))
      let layout = try TransferLayout(sync, into: store)
      var state = TransferState()
      state.isMapped = true
      state.meetsDangling = true
      let writes = Writes(layout, states: [state], modified: ModifiedRule())
      let match = SyncMatch(sync, in: layout, writes: writes)
      let queries = [
        match.unidentified, match.duplicates, match.linesOfIdentity, match.countCompared,
        match.storedOfIdentity,
        match.insertsOutOfScope, match.countDeletes, match.deletes, match.countChanged, match.countMatched,
        match.missing(0), match.outside(0, value: 1),
      ].map { $0.text(dialect) }
      let overwriting = writes.overwriteAll(layout.streams[0])
      let kept = layout.streams[0].references.map {
        Select(["1"], from: layout.streams[0].table.rows("t")).where(match.keeps($0)).text(dialect)
      }
      return queries + kept + match.settleKeys + [
        match.index!, match.dropIndex, match.complete(0, 1), match.findChanges, match.findInserts,
        match.enterChanges, writes.insert(layout.streams[0]),
      ] + overwriting.map { $0.update.statements + $0.update.parking.joined() + [$0.changes.text(dialect)] }!
    }
    try check(try syncs(.foreign))
  }

  /// Every statement that moves rows, for what can be known of them.
  private func transfers(_ layout: TransferLayout, isPartial: Bool) throws -> [String] {
    var full = TransferState()
    (full.keyOffset, full.hasMap, full.hasSkipped, full.joins, full.hasDangling) = (7, true, true, true, true)
    full.isPartial = isPartial
    let isStaged = layout.rules == nil
    let variants = [false, true].map { isFull in
      layout.streams.map { stream in
        var state = isFull && !isStaged ? full : TransferState()
        state.isPartial = isPartial
        state.isMapped = stream.newKey == .written || isStaged && isFull
        state.meetsDangling = isFull
        return state
      }
    }
    let dialect = layout.dialect
    return variants.flatMap { states -> [String] in
      let writes = Writes(layout, states: states, modified: ModifiedRule())
      let matches = layout.groups.map { Match($0, in: layout, states: states) }.flatMap { match -> [String] in
        let found =
          match.group.identity == nil ? [] : match.prepare + [match.find, match.ambiguous.text(dialect)]
        let repeated =
          match.group.identity == nil || match.isDirect ? [] : [match.isRepeated, match.repeated]
        return found + [match.skip].compactMap { $0 } + [match.write, match.renew(.text)]
          + (repeated + [match.mixed].compactMap { $0 }).map { $0.text(dialect) }
      }
      let streams = layout.streams.flatMap { stream -> [String] in
        let references = writes.references(stream).flatMap {
          [writes.overwrite($0, of: stream), writes.clear($0, of: stream), writes.order($0, of: stream)]
        }
        let released = stream.references.compactMap { writes.release($0, of: stream) }
        let all = (references + [writes.overwriteAll(stream)]).compactMap { $0 }
        let overwriting = all.flatMap { one -> [String] in
          let counts = [one.count, one.changes].map { $0.text(dialect) }
          return one.update.statements + one.update.parking.joined() + counts
        }
        return [writes.insert(stream)] + writes.restoring.statements + released + overwriting
          + HeldKeys(of: stream.table, in: layout.store).queries.map { $0.text(dialect) }
      }
      let ordered = layout.joinRows.compactMap { writes.order($0) }.flatMap {
        $0.statements + $0.parking.joined()
      }
      let joinRows =
        layout.joinRows.flatMap { [writes.insert($0), writes.count($0).text(dialect)] } + ordered
      guard !isStaged else { return matches + writes.listEnds + streams + joinRows }
      let differences = Differences(writes)
      let dangling = DanglingRows(layout: layout, isPartial: isPartial)
      let queries =
        writes.checks.map(\.query) + differences.values.map(\.query) + differences.counts.map(\.query)
        + dangling.lookups.map(dangling.count)
      return matches + writes.listEnds + streams + joinRows + queries.map { $0.text(dialect) }
    } + layout.temporaryTables.flatMap(\.setUp)
  }

  /// What only rows of a file are asked.
  private func staged(_ layout: TransferLayout, _ existing: ExistingPolicy) throws -> [String] {
    let states = layout.streams.map { _ in
      var state = TransferState()
      state.isMapped = true
      return state
    }
    let (writes, dialect) = (Writes(layout, states: states, modified: ModifiedRule()), layout.dialect)
    return layout.groups.flatMap { group -> [String] in
      let match = Match(group, in: layout, states: states)
      let folding = Folding(match, in: layout)
      let queries =
        [match.unidentifiedLines, writes.incomplete(match.stream, required: ["name"])].compactMap { $0 }
        + [match.identityOfRow]
      return folding.setUp + [folding.find, folding.fold(by: existing)] + folding.settle
        + queries.map { $0.text(dialect) } + [
          NewKeys(layout: layout, keys: writes.keys, stream: match.stream).enter
        ]
    }
  }

  private func check(_ foreign: [String], beside own: [String]) throws {
    // The key of a long map is made behind its rows where databases keep rows and keys apart.
    #expect(foreign.count { !$0.contains("UNIQUE INDEX") } == own.count)
    try check(foreign)
  }

  private func check(_ foreign: [String]) throws {
    for statement in foreign {
      for spelling in Self.ofSQLite where statement.firstMatch(of: try Regex(spelling)) != nil {
        Issue.record("\(spelling) in \(statement)")
      }
    }
  }

  /// What only SQLite writes so.
  private static let ofSQLite = [
    "\"", #"\bmain\."#, #"\btemp\."#, #":\w"#, #"\bIS (?!NULL|NOT NULL)"#, "CROSS JOIN", "OR IGNORE",
    "OR ABORT", "WITHOUT ROWID",
    "CREATE TEMP ", "INTEGER PRIMARY KEY", "moclone_(uuid|convert|number)", "typeof", "COLLATE", "LIMIT -1",
    #"\bmax\([^()]*,"#,
  ]

  private func statements(_ plan: ClonePlan, _ dialect: Dialect) throws -> [String] {
    let layout = try CloneLayout(
      plan: plan, mapping: SchemaMapping(plan.model), schema: try schema(plan.model, dialect),
      keepsMapping: true)
    let program = try SQLProgram(layout)
    let small = try RowProgram(program).map(\.statements) ?? []
    return program.statements + program.writes.compactMap(\.passing) + program.links.map(\.sql) + small
  }

  /// The tables of a new store.
  private func schema(_ model: ObjectModel, _ dialect: Dialect) throws -> StoreSchema {
    let schema = try DatabaseQueue().write { db in
      try SchemaWriter(model).create(in: db)
      let reader = SchemaReader(db: db)
      return try reader.schema(of: reader.tableNames())
    }
    return StoreSchema(schema.names.compactMap { schema[$0] }, others: [:], dialect: dialect)
  }
}

extension Dialect {
  fileprivate static let foreign: Dialect = {
    var spelling = SQLSpelling(
      id: "foreign", isNoInteger: { "fractional(\($0))" },
      literal: { "literal(" + "\($0)".filter { !"\":".contains($0) } + ")" },
      newUUID: { form, _ in "fresh_uuid(\(form))" }, convert: { "converted(\($0), \($1.name), \($2.name))" },
      collate: { "\($0) SORTED BY \($1)" }, rowNumber: "counted_row()")
    spelling.quotes = ("«", "»")
    spelling.schemas = ("store!", "passing!", "other!")
    spelling.parameterSign = "$"
    spelling.comparisons = ("SAME AS", "OTHER THAN")
    spelling.orderedJoin = "THEN JOIN"
    spelling.insertOrFail = "INSERT STRICTLY INTO"
    spelling.insertOrSkip = ("INSERT INTO", " UNLESS THERE")
    spelling.updateOrSkip = "UPDATE WHERE FREE"
    spelling.createTemporaryTable = "CREATE PASSING TABLE"
    spelling.countingKey = "COUNTER"
    spelling.greatest = "largest"
    spelling.byBytes = " BYTEWISE"
    spelling.unlimited = "UNBOUNDED "
    return Dialect(spelling)
  }()
}

/// Notes statements in the place of running them.
private final class NotedStatements: StatementRunning {
  let dialect: Dialect
  private(set) var texts: [String] = []
  var count: Int { texts.count }

  init(_ dialect: Dialect) {
    self.dialect = dialect
  }

  func bind(_ parameter: String, _ value: StoredValue) {}
  func bound(_ parameter: String) -> StoredValue { .null }
  func execute(_ sql: String) throws -> Int { try execute(sql, scanning: nil) }

  func execute(_ sql: String, scanning entity: String?) throws -> Int {
    texts.append(sql)
    return 0
  }

  func answers(_ sql: String) throws -> [[StoredValue]] {
    texts.append(sql)
    return []
  }

  func repeated(_ expansion: SQLProgram.Expansion) throws -> ([Int], [Int]) throws -> Int { { _, _ in 0 } }
  func releasePages() {}
}
