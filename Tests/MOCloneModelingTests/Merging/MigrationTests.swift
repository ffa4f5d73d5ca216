import Foundation
import GRDB
import MOCloneKit
import MOCloneModeling
import MOCloneTesting
import TestSupport
import Testing

@Suite("A model file after a migration of its database")
struct MigrationTests {
  private func database(seed: UInt64) throws -> DatabaseQueue {
    let schema = RandomSchema(seed: seed)
    let queue = try DatabaseQueue()
    try queue.writeWithoutTransaction { db in
      for statement in schema.definitions { try db.execute(sql: statement) }
      for statement in schema.inserts { try? db.execute(sql: statement) }
    }
    return queue
  }

  @Test(arguments: Seeds.all(0..<30, long: 0..<100))
  func theUpdatedModelOfARandomDatabaseFitsItAgain(seed: UInt64) throws {
    let queue = try database(seed: seed)
    let imported = try ImportedDatabase(queue, annotated: seed % 2 == 0)
    let edited = EditedModel(imported.model, seed: seed)
    try queue.writeWithoutTransaction { try migrate($0, seed: seed) }
    let draft = try queue.read { try ModelDraft(importing: $0, name: "Test") }
    let update = try ModelUpdate(of: edited.file, from: draft)
    let text = String(decoding: update.data, as: UTF8.self)
    let parsed = ModelParser.parse(SourceFile(path: "model.yml", text: text))
    let model = try #require(
      parsed.model, "\(parsed.diagnostics.filter { $0.severity == .error })\n\(edited.file.text)\n\(text)")
    #expect(throws: Never.self, "\(edited.file.text)\n\(text)") {
      try SQLiteGraph(queue, model: model).validate()
    }
    let again = try ModelUpdate(of: SourceFile(path: "model.yml", text: text), from: draft)
    #expect(again.isUnchanged, "\(again.changes)\n\(text)")
  }

  /// Adds a column and a table, and takes away a column and a table, where the database lets it.
  private func migrate(_ db: Database, seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    try db.execute(sql: "PRAGMA foreign_keys = OFF")
    let tables = try String.fetchAll(
      db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    func quoted(_ name: String) -> String { "\"\(name.replacing("\"", with: "\"\""))\"" }
    let changed = random.pick(tables)
    try db.execute(sql: "ALTER TABLE \(quoted(changed)) ADD COLUMN added_text TEXT")
    let columns = try String.fetchAll(db, sql: "SELECT name FROM pragma_table_info(?)", arguments: [changed])
    for column in columns where random.chance(30) {
      try? db.execute(sql: "ALTER TABLE \(quoted(changed)) DROP COLUMN \(quoted(column))")
    }
    if tables.count > 2, random.chance(40) {
      try? db.execute(sql: "DROP TABLE \(quoted(random.pick(tables)))")
    }
    let left = try String.fetchAll(
      db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    try? db.execute(
      sql:
        "CREATE TABLE added_table(id INTEGER PRIMARY KEY, word TEXT, ref INTEGER REFERENCES \(quoted(random.pick(left))))"
    )
    try db.execute(sql: "PRAGMA foreign_keys = ON")
  }

  @Test(
    "The imported models of real databases stay as they are", .withCoreDataFiles,
    arguments: ["chinook", "northwind", "sakila_schema_only"])
  func realDatabases(name: String) throws {
    let draft = try ModelDraft(contentsOf: CoreDataFiles.folder.appending(path: "sqlite/\(name).sqlite"))
    let file = EditedModel(try draft.model(), seed: 1).file
    #expect(try ModelUpdate(of: file, from: draft).changes == [])
    #expect(try ModelUpdate(of: file, from: draft).isUnchanged)
  }

  @Test(
    "A model that a person wrote by hand is recognized", .withCoreDataFiles,
    arguments: ["Chinook", "Northwind"])
  func handWritten(name: String) throws {
    let file = ModelDiagramTests.root.appending(path: "Models/\(name).yml")
    let source = CoreDataFiles.folder.appending(path: "sqlite/\(name.lowercased()).sqlite")
    let update = try ModelUpdate(of: SourceFile(contentsOf: file), from: ModelDraft(contentsOf: source))
    #expect(update.changes == [])
  }

  @Test(
    "The models of Xcode and of Core Data stores stay as they are", .withCoreDataFiles,
    arguments: CoreDataFiles.models + CoreDataFiles.stores.map(\.0))
  func coreData(name: String) throws {
    let isModel = CoreDataFiles.models.contains(name)
    let source = isModel ? CoreDataFiles.model(name) : CoreDataFiles.store(name + ".sqlite")
    let draft = try ModelDraft(contentsOf: source)
    let update = try ModelUpdate(of: SourceFile(path: "m.yml", text: draft.yaml), from: draft)
    #expect(update.isUnchanged, "\(update.changes)")
  }
}
