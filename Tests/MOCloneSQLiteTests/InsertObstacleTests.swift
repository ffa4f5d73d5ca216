import GRDB
import MOCloneKit
import TestSupport
import Testing

/// Tables into which SQLite inserts nothing, since something that an insert runs is missing on the connection.
@Suite struct InsertObstacleTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var sql: String
    var said: [String]

    init(_ name: String, _ sql: String, said: [String]) {
      (testDescription, self.sql, self.said) = (name, sql, said)
    }
  }

  private static let note = "CREATE TABLE note(id INTEGER PRIMARY KEY, name TEXT);"
  private static let item =
    "CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, note_id INTEGER REFERENCES note(id));"
  private static let rows =
    "INSERT INTO note(id, name) VALUES (1, 'a'); INSERT INTO item(id, name, note_id) VALUES (1, 'b', 1);"

  static let cases = [
    Case(
      "a trigger that calls a function of the app",
      note + item + rows
        + "CREATE TRIGGER slugged AFTER INSERT ON item BEGIN UPDATE item SET name = app_slug(new.name) WHERE id = new.id; END",
      said: ["the trigger 'slugged' of the table 'item'", "'app_slug'"]),
    Case(
      "a trigger of another table that is run in turn",
      note + item + rows
        + "CREATE TABLE log(line TEXT); CREATE TRIGGER logged AFTER INSERT ON item BEGIN INSERT INTO log VALUES (new.name); END;"
        + "CREATE TRIGGER sent AFTER INSERT ON log BEGIN SELECT app_send(new.line); END",
      said: ["the trigger 'sent' of the table 'log'", "'app_send'", "inserted into 'item'"]),
    Case(
      "a trigger that writes to a missing table",
      note + item + rows
        + "CREATE TRIGGER logged AFTER INSERT ON note BEGIN INSERT INTO log VALUES (new.name); END",
      said: ["the trigger 'logged' of the table 'note'", "the table 'log', which does not exist"]),
    Case(
      "a generated column",
      note
        + "CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, \"big name\" TEXT AS (app_slug(name)) STORED, note_id INTEGER);"
        + rows,
      said: ["the column 'big name' of the table 'item'", "'app_slug'"]),
    Case(
      "a constraint of the table",
      note
        + "CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, note_id INTEGER, CHECK (app_slug(name) NOT NULL));"
        + rows,
      said: ["the table 'item' calls", "'app_slug'"]),
    Case(
      "an index", note + item + rows + "CREATE INDEX by_slug ON item(app_slug(name))",
      said: ["the index 'by_slug' of the table 'item'", "'app_slug'"]),
    Case(
      "a collation", note + item + rows + "CREATE INDEX by_name ON item(name COLLATE app_order)",
      said: ["the index 'by_name' of the table 'item'", "the collation 'app_order'"]),
    Case(
      "a foreign key to a missing table",
      note + item.replacing("name TEXT", with: "name TEXT, gone_id INTEGER REFERENCES gone(id)") + rows,
      said: ["the column 'gone_id' of the table 'item'", "the table 'gone', which does not exist"]),
  ]

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func connection(isApp: Bool, enforcesKeys: Bool = true) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = enforcesKeys
    configuration.prepareDatabase { db in
      guard isApp else { return }
      for name in ["app_slug", "app_send"] {
        db.add(function: DatabaseFunction(name, argumentCount: 1, pure: true) { $0[0] })
      }
      db.add(collation: DatabaseCollation("app_order") { $0.compare($1) })
    }
    return try DatabaseQueue(path: folder.file("app.sqlite").path, configuration: configuration)
  }

  private func store(_ sql: String, isApp: Bool) throws -> StoreFixture {
    // The app made its tables and rows.
    try connection(isApp: true, enforcesKeys: false).write { try $0.execute(sql: sql) }
    return try StoreFixture(SharedModel.notes, "", in: connection(isApp: isApp))
  }

  @Test(arguments: cases)
  func aCloneIsRefusedAtOnceAndTheReasonIsSaid(obstacle: Case) throws {
    let store = try store(obstacle.sql, isApp: false)
    let error = try #require(try store.refusal("Note", 1))
    #expect(error.code == .insertRefused)
    for text in obstacle.said { #expect("\(error)".contains(text), "\(error)") }
  }

  @Test(arguments: cases)
  func theStoresValidationWarnsBeforehand(obstacle: Case) throws {
    let store = try store(obstacle.sql, isApp: false)
    let found = try SQLiteGraph(store.writer, model: store.model).storeFindings()
      .filter { $0.code == .insertRefused }
    #expect(found.map(\.severity) == [.warning])
    for text in obstacle.said { #expect(found.first?.message.contains(text) == true, "\(found)") }
  }

  @Test(arguments: cases.filter { !$0.said[1].contains("not exist") })
  func aConnectionThatHasTheFunctionClonesWithoutAWarning(obstacle: Case) throws {
    let store = try store(obstacle.sql, isApp: true)
    try store.clone("Note", 1)
    let found = try SQLiteGraph(store.writer, model: store.model).storeFindings()
    #expect(!found.contains { $0.code == .insertRefused })
  }

  @Test func aFunctionThatTheAppAddsLaterEndsTheRefusal() throws {
    let store = try store(Self.cases[0].sql, isApp: false)
    let graph = SQLiteGraph(store.writer, model: store.model)
    #expect(throws: CloneError.self) { try Cloner().clone("Note", keys: [1], in: graph) }
    try store.writer.write { db in
      db.add(function: DatabaseFunction("app_slug", argumentCount: 1, pure: true) { $0[0] })
    }
    #expect(try Cloner().clone("Note", keys: [1], in: graph).cloned["Item"] == 1)
  }

  @Test func aFunctionThatTheAppTakesAwayIsMissed() throws {
    let store = try store(Self.cases[0].sql, isApp: true)
    let graph = SQLiteGraph(store.writer, model: store.model)
    try Cloner().clone("Note", keys: [1], in: graph)
    try store.writer.write { db in
      db.remove(function: DatabaseFunction("app_slug", argumentCount: 1, pure: true) { $0[0] })
    }
    let error = #expect(throws: CloneError.self) { try Cloner().clone("Note", keys: [1], in: graph) }
    #expect(error?.code == .insertRefused)
  }

  @Test func aDefaultThatACloneDoesNotUseIsNoObstacle() throws {
    let store = try store(
      Self.note
        + "CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT DEFAULT (app_slug('x')), note_id INTEGER);"
        + Self.rows, isApp: false)
    try store.clone("Note", 1)
  }

  @Test func otherOperationsNameTheTriggerToo() throws {
    let store = try store(Self.cases[0].sql, isApp: false)
    let source = MemoryGraph(model: store.model)
    try source.insert("Item", ["name": "c"])
    let error = #expect(throws: CloneError.self) {
      try SQLiteGraph(store.writer, model: store.model).copy(from: source, CopyRequest())
    }
    #expect(error?.code == .insertRefused && "\(error!)".contains("'slugged'"), "\(error!)")
  }

  @Test func aNewStoreWithTheSameTablesNamesTheCollationToo() throws {
    let item = Self.item.replacing("name TEXT", with: "name TEXT COLLATE app_order")
    let store = try store(Self.note + item + Self.rows, isApp: false)
    let error = #expect(throws: CloneError.self) {
      try SQLiteGraph(store.writer, model: store.model).makeStore(at: folder.file("new.sqlite").path) { _ in }
    }
    #expect("\(error!)".contains("uses the collation 'app_order', which only the app has"), "\(error!)")
  }
}
