import GRDB
import MOCloneKit
import MOCloneSQL
import MOCloneTesting
import Testing

@testable import MOCloneSQLite

/// Statements are spelled by a dialect alone: rendered for a database that does not exist, they hold nothing of SQLite.
@Suite struct DialectTests {
  @Test(arguments: RandomShape.allCases, UInt64(0)..<25)
  func nothingOfSQLiteStandsInTheStatementsOfAnotherDatabase(_ shape: RandomShape, seed: UInt64) throws {
    let model = try shape.model(seed: seed)
    for entity in model.entities {
      guard let plan = try? ClonePlan(model: model, entity: entity.name, request: CloneRequest(count: 2)),
        let own = try? statements(plan, .sqlite)
      else { continue }
      try check(try statements(plan, .foreign), beside: own)
    }
  }

  @Test(arguments: RandomShape.allCases, UInt64(0)..<25)
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
    guard let plan = try? DedupePlan(model, request) else { return }
    func statements(_ dialect: Dialect) throws -> [String] {
      let layout = StoreLayout(
        model: model, mapping: SchemaMapping(model), schema: try schema(model, dialect))
      return merges(DedupeRenderer(layout, plan, request, ModifiedRule()))
        + deletions(DeletionRenderer(layout, DateOfChange(layout, ModifiedRule())))
    }
    try check(try statements(.foreign), beside: try statements(.sqlite))
  }

  private func merges(_ dedupe: DedupeRenderer) -> [String] {
    var statements = dedupe.setUp + dedupe.dates.setUp
    for (number, unit) in dedupe.units.enumerated() {
      let search = dedupe.search(number)
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
        dedupe.candidates(search), dedupe.choose(search), dedupe.leaveAlone(search), dedupe.enter(search),
        dedupe.followMap(search.table), dedupe.countLosers(search), dedupe.listedGroups(search),
      ]
    }
    let merged = Set(dedupe.layout.tables.indices)
    return statements
      + dedupe.layout.tables.flatMap { merge(MergeRenderer(dedupe, $0, merged: merged), dedupe.layout) }
  }

  private func merge(_ merge: MergeRenderer, _ layout: StoreLayout) -> [String] {
    let fill = FillRenderer(merge)
    let counts = [fill.fills.countByEntity, fill.fills.countThere].map { $0.text(layout.dialect) }
    var statements = fill.collect + fill.apply + counts
    for reference in merge.references {
      statements += merge.move(reference) + [merge.countUnmoved(reference)]
    }
    for reference in merge.owners { statements.append(merge.lostPartners(reference)) }
    for end in merge.ends { statements += merge.movePairs(end) + [merge.countPairs(end)] }
    for unknown in merge.unknown(in: layout.schema) { statements += [unknown.move, unknown.count] }
    for place in PlaceRenderer.all(merge) { statements += place.collect + place.apply }
    return statements
  }

  private func deletions(_ deletion: DeletionRenderer) -> [String] {
    deletion.setUp + deletion.closure + deletion.refusals.map(\.query) + deletion.releases
      + deletion.deletion + deletion.cleanUp
  }

  private func check(_ foreign: [String], beside own: [String]) throws {
    #expect(foreign.count == own.count)
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
    var dialect = Dialect(
      id: "foreign", isNoInteger: { "fractional(\($0))" }, literal: { "literal(\($0))" },
      newUUID: { "fresh_uuid(\($0))" }, convert: { "converted(\($0), \($1.name), \($2.name))" },
      collate: { "\($0) SORTED BY \($1)" }, rowNumber: "counted_row()")
    dialect.quotes = ("«", "»")
    dialect.schemas = ("store!", "passing!", "other!")
    dialect.parameterSign = "$"
    dialect.comparisons = ("SAME AS", "OTHER THAN")
    dialect.orderedJoin = "THEN JOIN"
    dialect.insertOrFail = "INSERT STRICTLY INTO"
    dialect.insertOrSkip = ("INSERT INTO", " UNLESS THERE")
    dialect.updateOrSkip = "UPDATE WHERE FREE"
    dialect.createTemporaryTable = "CREATE PASSING TABLE"
    dialect.countingKey = "COUNTER"
    dialect.greatest = "largest"
    dialect.byBytes = " BYTEWISE"
    dialect.unlimited = "UNBOUNDED "
    return dialect
  }()
}
