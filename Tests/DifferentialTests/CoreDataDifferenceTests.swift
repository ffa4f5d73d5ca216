import Foundation
import GRDB
import MOCloneEngine
import MOCloneKit
import MOCloneModel
import MOCloneTesting
import TestSupport
import Testing

private let seeds = Seeds.all(0..<20, long: 0..<1_500)

@Suite(
  "Clones of random graphs in Core Data stores, held against those of the reference cloner",
  .tally { counts in
    #expect(counts["cloned"] > seeds.count / 3, "\(counts)")
    #expect(counts["raised"] > 0 && counts["cut out"] > seeds.count / 3, "\(counts)")
  })
struct CoreDataDifferenceTests {
  @Test("A Core Data store gets the same clones, and holds what Core Data keeps besides", arguments: seeds)
  func agrees(seed: UInt64) throws {
    guard let model = try? RandomModel.inCoreData(seed: seed) else {
      return Tally.count("has keys of its own")
    }
    var writers: [DatabaseQueue] = []
    let (outcome, differences) = try DifferentialCase(seed: seed, model: model).compare { model in
      let queue = try DatabaseQueue()
      try queue.write { try CoreDataTables(model).create(in: $0) }
      writers.append(queue)
      return SQLiteGraph(queue, model: model, coreData: .allowed)
    }
    Tally.count("\(outcome)")
    for writer in writers {
      let faults = try writer.read { try CoreDataTables(model).faults(in: $0) }
      #expect(faults == [], "seed \(seed)")
    }
    #expect(differences == [], "\(differences.joined(separator: "\n"))")
  }

  @Test("A clone raises the versions of just those originals that it changes, by one", arguments: seeds)
  func versions(seed: UInt64) throws {
    guard let model = try? RandomModel.inCoreData(seed: seed) else { return }
    let tables = CoreDataTables(model)
    let queue = try DatabaseQueue()
    try queue.write { try tables.create(in: $0) }
    let graph = SQLiteGraph(queue, model: model, coreData: .allowed)
    let objects = try RandomGraph.fill(graph, seed: seed)
    func views() throws -> [CoreDataTables.View] {
      try graph.atomically { try objects.map { try tables.view(of: $0, in: graph) } }
    }
    let rows = try queue.read { try tables.rows(of: objects, in: $0) }
    let before = try views()
    let request = RandomRequest(seed: seed, model: model, objects: objects)
    guard
      let plan = try? ClonePlan(
        model: model, entity: request.entity, request: request.request(objects: objects)),
      (try? graph.run(
        plan, roots: [objects[request.root]], options: CloneOptions(generator: fixedGenerator()), saves: true))
        != nil
    else { return }
    let (after, rowsAfter) = (try views(), try queue.read { try tables.rows(of: objects, in: $0) })
    for place in objects.indices {
      let isChanged = before[place] != after[place] || rows[place].columns != rowsAfter[place].columns
      #expect(rows[place].version == 1)
      #expect(rowsAfter[place].version == (isChanged ? 2 : 1), "seed \(seed): \(objects[place])")
      if isChanged { Tally.count("raised") }
    }
  }

  @Test("A subtree cut out into a new file is what comes into an empty store", arguments: seeds)
  func copiesSubtree(seed: UInt64) throws {
    guard let model = try? RandomModel.inCoreData(seed: seed) else { return }
    let folder = try TemporaryFolder()
    let tables = CoreDataTables(model)
    func make(_ name: String) throws -> SQLiteGraph {
      let queue = try DatabaseQueue(path: folder.file(name).path)
      try queue.write { try tables.create(in: $0) }
      return SQLiteGraph(queue, model: model, coreData: .allowed)
    }
    let (source, empty) = (try make("source.sqlite"), try make("empty.sqlite"))
    let objects = try RandomGraph.fill(source, seed: seed)
    let request = RandomRequest(seed: seed, model: model, objects: objects)
    guard let plan = try? ClonePlan(model: model, entity: request.entity) else { return }
    func fill(_ target: SQLiteGraph) throws {
      _ = try target.clone(
        plan, roots: [objects[request.root]], from: source, SubtreeRequest(missing: .create, keepsKeys: true))
    }
    func outcome(_ body: () throws -> Void) -> DiagnosticCode? {
      do {
        try body()
        return nil
      } catch {
        return (error as? CloneError)?.code
      }
    }
    let path = folder.file("new.sqlite").path
    let expected = outcome { try fill(empty) }
    #expect(outcome { try source.makeStore(at: path, fill) } == expected, "seed \(seed)")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(names.filter { $0.contains("new") } == (expected == nil ? ["new.sqlite"] : []), "seed \(seed)")
    guard expected == nil else { return }
    Tally.count("cut out")
    let new = try DatabaseQueue(path: path)
    let contents = try DatabaseQueue(path: folder.file("empty.sqlite").path).read {
      try tables.contents(in: $0)
    }
    #expect(try new.read { try tables.contents(in: $0) } == contents, "seed \(seed)")
    #expect(try new.read { try tables.faults(in: $0) } == [], "seed \(seed)")
  }
}

/// The tables of a model with what a Core Data store has besides.
private struct CoreDataTables {
  private let model: ObjectModel
  private let mapping: SchemaMapping
  private let coreData: CoreDataMapping

  init(_ model: ObjectModel) {
    self.model = model
    mapping = SchemaMapping(model)
    coreData = mapping.coreData!
  }

  private var roots: [EntityDescription] { model.entities.filter { $0.parent == nil } }

  /// The foreign keys of the tables: table, column, destination.
  private var keys: [(table: String, column: String, destination: String)] {
    let own = model.entities.flatMap { entity in
      mapping[entity.name].foreignKeys.map {
        (mapping[entity.name].table, $0.key.columns[0], $0.key.destination)
      }
    }
    return own + coreData.mirrors.map { (mapping[$0.entity].table, $0.column, $0.key.entity) }
  }

  /// `Z4_OWNER` beside `ZOWNER` where the destination has sub-entities.
  private var entityColumns: [(table: String, key: String, column: String, destination: String)] {
    keys.filter { key in model.entities.contains { $0.parent == key.destination } }.map {
      ($0.table, $0.column, "Z\(coreData.numbers[$0.destination]!)_" + $0.column.dropFirst(), $0.destination)
    }
  }

  func create(in db: Database) throws {
    try SchemaWriter(model).create(in: db)
    for root in roots {
      try db.execute(sql: "ALTER TABLE \(mapping[root.name].table) ADD COLUMN Z_OPT INTEGER")
    }
    for mirror in coreData.mirrors {
      try db.execute(sql: "ALTER TABLE \(mapping[mirror.entity].table) ADD COLUMN \(mirror.column) INTEGER")
    }
    for key in Set(entityColumns.map { "\($0.table) ADD COLUMN \($0.column)" }).sorted() {
      try db.execute(sql: "ALTER TABLE \(key) INTEGER")
    }
    try db.execute(
      sql:
        "CREATE TABLE Z_PRIMARYKEY(Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)"
    )
    for entity in model.entities {
      try db.execute(
        sql: "INSERT INTO Z_PRIMARYKEY VALUES (?, ?, ?, ?)",
        arguments: [
          coreData.numbers[entity.name], entity.name, entity.parent.flatMap { coreData.numbers[$0] } ?? 0,
          entity.parent == nil ? 100 : 0,
        ])
    }
  }

  /// The to-many relationships of an object as its readers see them.
  typealias View = [String: [ObjectID]]

  func view(of object: ObjectID, in graph: SQLiteGraph) throws -> View {
    let found = try graph.object(object.entity, key: object.key)
    let lists = try model.relationships(of: object.entity).filter(\.isToMany).map { relationship in
      let members = try found.destinations(relationship.name).map(\.id)
      return (relationship.name, relationship.isOrdered ? members : members.sorted { "\($0)" < "\($1)" })
    }
    return Dictionary(uniqueKeysWithValues: lists)
  }

  /// The versions of objects, and all that their rows hold besides.
  func rows(of objects: [ObjectID], in db: Database) throws -> [(version: Int?, columns: [DatabaseValue])] {
    try objects.map { object in
      let row = try Row.fetchOne(
        db, sql: "SELECT * FROM \(mapping[object.entity].table) WHERE Z_PK = ?",
        arguments: [Int(object.key.description)])!
      return (row["Z_OPT"], row.filter { $0.0 != "Z_OPT" }.map(\.1))
    }
  }

  /// All rows of the tables of the model.
  func contents(in db: Database) throws -> [String] {
    let tables = try String.fetchAll(
      db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'Z_PRIMARYKEY' ORDER BY 1")
    return try tables.flatMap { table in
      [table] + (try Row.fetchAll(db, sql: "SELECT * FROM \(table)").map(\.description).sorted())
    }
  }

  func faults(in db: Database) throws -> [String] {
    let versions = roots.map { root in
      "SELECT Z_PK FROM \(mapping[root.name].table) WHERE coalesce(Z_OPT, 0) < 1 OR Z_PK <= 100"
    }
    let greatest = roots.map { root in
      "SELECT max(Z_PK) FROM \(mapping[root.name].table) HAVING max(Z_PK) > "
        + "(SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(coreData.numbers[root.name]!))"
    }
    let mirrors = coreData.mirrors.map { mirror in
      let numbers = model.concreteEntities(of: mirror.entity).map { String(coreData.numbers[$0]!) }
      return
        "SELECT Z_PK FROM \(mapping[mirror.entity].table) t WHERE Z_ENT IN (\(numbers.joined(separator: ","))) "
        + "AND \(mirror.column) IS NOT (SELECT Z_PK FROM \(mapping[mirror.key.entity].table) o "
        + "WHERE o.\(mirror.key.columns[0]) = t.Z_PK)"
    }
    let entities = entityColumns.map { column in
      "SELECT Z_PK FROM \(column.table) t WHERE \(column.column) IS NOT "
        + "(SELECT Z_ENT FROM \(mapping[column.destination].table) d WHERE d.Z_PK = t.\(column.key))"
    }
    return try (versions + greatest + mirrors + entities + ["PRAGMA foreign_key_check"]).filter {
      try !Row.fetchAll(db, sql: $0).isEmpty
    }
  }
}
