import Foundation
import GRDB
import MOCloneEngine
import MOCloneTesting
import TestSupport
import Testing

@testable import MOClonePostgres
@testable import MOCloneSQL
@testable import MOCloneSQLite

@Suite(
  "Rows that are staged in streams, held against objects that are staged one by one",
  .enabled(if: TestDatabase.isAvailable, "\(TestDatabase.comment)"))
struct StagingTests {
  enum Way: CaseIterable, Sendable {
    case sqliteToSQLite, sqliteToPostgres, postgresToSQLite
  }

  @Test("Everything", arguments: Way.allCases, Seeds.all(0..<10, long: 0..<1_000))
  func everything(_ way: Way, seed: UInt64) throws {
    try compare(way, seed) { _, _ in (CopyRequest(), nil) }
  }

  @Test("What a selection takes along", arguments: Way.allCases, Seeds.all(0..<10, long: 0..<1_000))
  func selections(_ way: Way, seed: UInt64) throws {
    try compare(way, seed) { source, random in
      let entity = random.pick(source.model.entities.map(\.name))
      var request = CopyRequest(entities: [entity], limit: random.chance(50) ? 2 : nil)
      if random.chance(30) { request.follow = .all }
      return (request, nil)
    }
  }

  @Test("Subtrees", arguments: Way.allCases, Seeds.all(0..<35, long: 0..<1_000))
  func subtrees(_ way: Way, seed: UInt64) throws {
    try compare(way, seed) { source, random in
      (CopyRequest(), try subtree(of: source, &random, keepsKeys: random.chance(50)))
    }
  }

  @Test(
    "Subtrees cut out into empty stores: what is written in place, and what is staged elsewhere first",
    arguments: [Way.sqliteToSQLite, .postgresToSQLite], Seeds.all(0..<35, long: 0..<1_000))
  func copySubtrees(_ way: Way, seed: UInt64) throws {
    try compare(way, seed, copiesSubtree: true) { source, random in
      (CopyRequest(), try subtree(of: source, &random, keepsKeys: true))
    }
  }

  private func subtree(
    of source: any StoreGraph, _ random: inout SplitMix64, keepsKeys: Bool
  ) throws -> CopiedSubtree? {
    let objects = try source.model.entities.flatMap { try source.objectIDs($0.name) }
    guard !objects.isEmpty else { return nil }
    let root = random.pick(objects)
    let plan = try ClonePlan(model: source.model, entity: root.entity)
    let missing = random.pick([MissingPolicy.fail, .create])
    let asked = Set(
      plan.nodes.flatMap(\.relationships).filter(\.rule.asks).map(\.relationship.qualifiedName))
    return CopiedSubtree(
      members: .closure(plan, roots: [root]), missing: missing, keepsKeys: keepsKeys, asked: asked)
  }

  // MARK: Comparing

  private func compare(
    _ way: Way, _ seed: UInt64, copiesSubtree: Bool = false,
    _ request: (any StoreGraph, inout SplitMix64) throws -> (CopyRequest, CopiedSubtree?)
  ) throws {
    let shape = RandomShape.allCases[Int(seed) % RandomShape.allCases.count]
    let model = try shape.model(seed: seed)
    guard model.store.naming != .coreData, (try? SchemaWriter(model, dialect: .postgres).statements()) != nil
    else {
      return
    }
    var random = SplitMix64(seed: seed ^ 0x57A6)
    let stores = TestStores()
    let (source, foreign) = try self.source(way, model, seed, stores, &random)
    let target: any StoreGraph = way == .sqliteToPostgres ? try stores.make(model) : try sqlite(model).0
    // Of rows that other programs wrote not every one can be an object to begin with.
    guard let (copy, subtree) = try? request(source, &random) else { return }
    let rules = try CopyRules(copy, in: model, isSubtree: copiesSubtree)
    func outcome(_ staging: Staging) -> Outcome {
      Outcome {
        try staged(from: source, into: target, staging, rules, subtree) {
          copiesSubtree
            ? try copySubtree($0, $1, $2, rules, subtree, inPlace: $3)
            : try tables($0, $1, $2, rules, subtree, inPlace: $3)
        }
      }
    }
    let (objects, rows) = (outcome(.objects), outcome(.rows))
    if rows.isOneByOne { return }
    let inPlace = outcome(.inPlace)
    if !inPlace.isRefused {
      #expect(
        rows.code == inPlace.code,
        "\(way) \(seed) \(foreign): elsewhere \(rows.text), in place \(inPlace.text)")
      #expect(rows.tables == inPlace.tables, "\(way) \(seed) \(foreign): elsewhere and in place")
    }
    // Whoever reads one by one reads the keys of all rows, also of those that are not meant.
    if copy.limit != nil, rows.code == nil, objects.code == .unknownDiscriminator { return }
    #expect(
      objects.code == rows.code,
      "\(way) \(seed) \(copy) \(foreign): one by one \(objects.text), in streams \(rows.text)")
    guard objects.code == nil, rows.code == nil else { return }
    for table in Set(objects.tables.keys).union(rows.tables.keys) where table != Self.dangling {
      let (one, other) = (objects.tables[table] ?? [], rows.tables[table] ?? [])
      let onlyOne = one.filter { !other.contains($0) }.prefix(3)
      let onlyOther = other.filter { !one.contains($0) }.prefix(3)
      #expect(
        one == other, "\(way) \(seed) \(foreign) \(table): one by one \(onlyOne), in streams \(onlyOther)")
    }
  }

  private struct Outcome {
    var tables: [String: [String]] = [:]
    var code: DiagnosticCode?
    var text = ""
    /// Whether streams leave the rows to who reads them one by one.
    var isOneByOne = false
    /// Whether the store's own tables did not take the rows.
    var isRefused = false

    init(_ body: () throws -> [String: [String]]) {
      do { tables = try body() } catch let error as CloneError {
        (code, text) = (error.code, error.description)
      } catch is RowsOneByOne {
        isOneByOne = true
      } catch is RowsNotInPlace {
        isRefused = true
      } catch {
        (code, text) = (.storeFailed, "\(error)")
      }
    }
  }

  private enum Staging { case objects, rows, inPlace }

  private func staged(
    from source: any StoreGraph, into target: any StoreGraph, _ staging: Staging, _ rules: CopyRules,
    _ subtree: CopiedSubtree?,
    _ body: (any StagingAccess, RunWatch, StagedSource, Bool) throws -> [String: [String]]
  ) throws -> [String: [String]] {
    func staged(_ origin: StagedSource) throws -> [String: [String]] {
      if let target = target as? SQLiteGraph {
        return try target.moving(TransferOptions(isDryRun: true)) {
          try body($0, $1, origin, staging == .inPlace)
        }
      }
      return try (target as! PostgresGraph).moving(TransferOptions(isDryRun: true)) {
        try body($0, $1, origin, false)
      }
    }
    guard staging != .objects else {
      return try staged(.objects(GraphSelection(rules, from: source, of: target.model, subtree: subtree)))
    }
    return try source.withRows(of: nil, makesTables: true) { try staged(.rows($0, rules, subtree)) }!
  }

  private func layout(
    _ access: any StagingAccess, _ rules: CopyRules, _ subtree: CopiedSubtree?
  ) throws -> TransferLayout {
    let store = try access.storeLayout()
    return try TransferLayout(
      rules, policy: subtree.map(TransferPolicy.subtree) ?? .copy(rules), from: SourceTables(staging: store),
      into: store,
      subtree: subtree)
  }

  /// What a copied subtree writes, and what it reports.
  private func copySubtree(
    _ access: any StagingAccess, _ watch: RunWatch, _ origin: StagedSource, _ rules: CopyRules,
    _ subtree: CopiedSubtree?, inPlace: Bool
  ) throws -> [String: [String]] {
    let layout = try layout(access, rules, subtree)
    return try access.copySubtree(origin, layout, watch, inPlace: inPlace) { report in
      let tables = layout.store.tables.map(\.schema) + layout.store.joins.map(\.schema)
      let rows = try tables.map { table in
        (table.name, try access.db.rows("SELECT * FROM \(layout.dialect.table(table.name))", [:]))
      }
      return Dictionary(rows.map { ($0, texts($1)) }, uniquingKeysWith: { first, _ in first })
        .merging(try texts(of: report)) { first, _ in first }
    }
  }

  private func texts(of report: TransferReport) throws -> [String: [String]] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    var plain = report
    plain.dangling = nil
    return [
      "report": [String(decoding: try encoder.encode(plain), as: UTF8.self)],
      Self.dangling: (report.dangling ?? [:]).map { "\($0): \($1)" }.sorted(),
    ]
  }

  /// Objects that are read one by one know of no dangling reference.
  private static let dangling = "dangling"

  private func texts(_ rows: [[StoredValue]]) -> [String] {
    rows.map { row in row.map { "\($0)" }.joined(separator: "|") }.sorted()
  }

  /// What the temporary tables hold: those of the source, and those that say what is meant.
  private func tables(
    _ access: any StagingAccess, _ watch: RunWatch, _ origin: StagedSource, _ rules: CopyRules,
    _ subtree: CopiedSubtree?, inPlace: Bool
  ) throws -> [String: [String]] {
    let staging = try origin.staging(
      layout(access, rules, subtree), in: access.db, watch: watch, inPlace: inPlace)
    let layout = staging.layout
    let statements = access.db.statements(watch)
    let reach = SubtreeReach(layout)
    let setUp = layout.temporaryTables.flatMap(\.setUp) + layout.source!.setUp
    for statement in setUp + (reach?.setUp ?? []) { try statements.execute(statement) }
    try staging.stage(PlainLoading())
    if let reach {
      try staging.enterSubtree(reach, statements: statements)
      try reach.enterLinked(by: statements)
    } else if rules.roots != nil {
      for statement in layout.reach.everything { try statements.execute(statement) }
      try staging.stageIdentityEnds()
    }
    let source = layout.source!
    var sets = Dictionary(
      uniqueKeysWithValues: source.schema.names.map { name in
        (name, (source.schema[name]!.columns.map { layout.dialect.name($0.name) }, source.sql(name)))
      })
    if reach != nil || rules.roots != nil { sets["reach"] = (["*"], layout.reach.table.sql) }
    if let reach { sets["linked"] = (["*"], reach.linked.sql) }
    return try sets.mapValues { columns, table in
      try access.db.rows("SELECT \(columns.list) FROM \(table)", [:]).map { row in
        row.map { "\(AttributeValue(raw: $0))" }.joined(separator: "|")
      }.sorted()
    }
  }

  // MARK: Sources

  private func sqlite(_ model: ObjectModel) throws -> (SQLiteGraph, DatabaseQueue) {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    let queue = try DatabaseQueue(configuration: configuration)
    try queue.write { try SchemaWriter(model).create(in: $0) }
    return (SQLiteGraph(queue, model: model), queue)
  }

  private func source(
    _ way: Way, _ model: ObjectModel, _ seed: UInt64, _ stores: TestStores, _ random: inout SplitMix64
  ) throws -> (any StoreGraph, [String]) {
    if way == .postgresToSQLite {
      let graph = try stores.make(model)
      _ = try RandomGraph.fill(graph, seed: seed)
      return (graph, [])
    }
    let (graph, queue) = try sqlite(model)
    _ = try RandomGraph.fill(graph, seed: seed)
    let foreign = random.chance(70) ? foreign(model, &random) : []
    var done: [String] = []
    try queue.writeWithoutTransaction { db in
      _ = try db.makeStatement(sql: "SELECT 1")
      for statement in foreign {
        do {
          try db.execute(sql: statement)
          done.append(statement)
        } catch {}
      }
    }
    return (graph, done)
  }

  /// What other programs write: dangling references, notations, positions, marks.
  private func foreign(_ model: ObjectModel, _ random: inout SplitMix64) -> [String] {
    let mapping = SchemaMapping(model)
    var statements: [String] = []
    func some() -> String { "WHERE rowid % 3 = \(random.number(0...2))" }
    for entity in model.entities {
      let map = mapping[entity.name]
      let table = Dialect.sqlite.name(map.table)
      for (name, column) in map.attributes.sorted(by: { $0.key < $1.key }) where random.chance(15) {
        _ = name
        let value: String =
          switch column.type {
          case .date:
            random.pick(["'2024-01-31 12:34:56'", "'2024-01-31T14:34:56+02:00'", "1706704496", "'soon'"])
          case .uuid: random.pick(["lower(\(Dialect.sqlite.name(column.column)))", "7", "NULL"])
          case .decimal: random.pick(["'1.50'", "1.5", "'001.5'", "2"])
          case .boolean: random.pick(["2", "1.0", "'true'"])
          case .double, .float: random.pick(["3", "-0.0", "9e999"])
          case .string, .uri: random.pick(["12", "''", "' x '"])
          case .binary, .transformable: random.pick(["'text'", "x''"])
          default: random.pick(["1.0", "'7'", "-1"])
          }
        statements.append("UPDATE \(table) SET \(Dialect.sqlite.name(column.column)) = \(value) \(some())")
      }
      for case .foreignKey(let key) in map.relationships.values.sorted(by: { "\($0)" < "\($1)" })
      where random.chance(30) {
        let value = random.pick(["NULL", "999", "'nobody'", "-5"])
        statements.append("UPDATE \(table) SET \(Dialect.sqlite.name(key.columns[0])) = \(value) \(some())")
      }
      for relationship in map.relationships.values.sorted(by: { "\($0)" < "\($1)" }) {
        switch relationship {
        case .inverseForeignKey(let key):
          guard let order = key.orderColumn, random.chance(50) else { continue }
          let value = random.pick(["NULL", "1", "2.5", "-rowid", "rowid * 7"])
          let members = Dialect.sqlite.name(mapping[key.entity].table)
          statements.append("UPDATE \(members) SET \(Dialect.sqlite.name(order)) = \(value) \(some())")
        case .join(let join):
          if let order = join.orderColumn, random.chance(50) {
            let value = random.pick(["NULL", "1", "2.5", "-rowid"])
            statements.append(
              "UPDATE \(Dialect.sqlite.name(join.table)) SET \(Dialect.sqlite.name(order)) = \(value) \(some())"
            )
          }
          if random.chance(20) {
            statements.append(
              "UPDATE \(Dialect.sqlite.name(join.table)) SET \(Dialect.sqlite.name(join.columns[0])) = 999 \(some())"
            )
          }
        default: continue
        }
      }
      if let mark = map.discriminator?.column, random.chance(5) {
        statements.append(
          "UPDATE \(table) SET \(Dialect.sqlite.name(mark)) = 'nobody' \(some())")
      }
    }
    return statements
  }
}

/// What the tests need of an access to either store.
private protocol StagingAccess {
  associatedtype Connection: TransferConnection
  var db: Connection { get }
  func storeLayout() throws -> StoreLayout
  func copySubtree<Result>(
    _ source: StagedSource, _ layout: TransferLayout, _ watch: RunWatch, inPlace: Bool,
    _ body: (TransferReport) throws -> Result
  ) throws -> Result
}

extension MOCloneSQL.RowAccess: StagingAccess where Connection: TransferConnection {
  func storeLayout() throws -> StoreLayout { try storeLayout(of: nil) }

  func copySubtree<Result>(
    _ source: StagedSource, _ layout: TransferLayout, _ watch: RunWatch, inPlace: Bool,
    _ body: (TransferReport) throws -> Result
  ) throws -> Result {
    try staging(source, in: layout, watch: watch, rebuildsIndexes: true, inPlace: inPlace) {
      try body($1.copy())
    }
  }
}
