import Foundation
import GRDB
import MOCloneKit
import TestSupport
import Testing

/// A customer's data, cut out of a store that an app made by hand-written SQL.
@Suite("Cut-outs of an app's store")
struct SubtreeTests {
  private static let model = """
    entities:
      Customer:
        attributes: {name: String, noteCount: Integer 64}
        relationships:
          notes: {destination: Note, toMany: true, inverse: customer}
          region: {destination: Region, optional: true}
          agent: {destination: Agent, optional: true}
      Note:
        attributes: {text: String}
        relationships:
          customer: {destination: Customer, inverse: notes}
          region: {destination: Region, optional: true}
          agent: {destination: Agent, optional: true}
      Region:
        attributes: {code: String?}
        uniquenessConstraints: [[code]]
      Agent:
        attributes: {name: String}
    """
  private static let tables = """
    CREATE TABLE grdb_migrations(identifier TEXT NOT NULL PRIMARY KEY);
    INSERT INTO grdb_migrations VALUES ('v1'), ('v2');
    PRAGMA user_version = 7;
    PRAGMA application_id = 99;
    CREATE TABLE setting(name TEXT, value TEXT);
    INSERT INTO setting VALUES ('theme', 'dark');
    CREATE TABLE region(id INTEGER PRIMARY KEY, code TEXT);
    CREATE TABLE agent(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
    CREATE TABLE customer(
      id INTEGER PRIMARY KEY, name TEXT NOT NULL, note_count INTEGER NOT NULL DEFAULT 0, region_id INTEGER,
      agent_id INTEGER);
    CREATE TABLE note(
      id INTEGER PRIMARY KEY, text TEXT NOT NULL, customer_id INTEGER NOT NULL REFERENCES customer(id),
      region_id INTEGER, agent_id INTEGER);
    CREATE INDEX note_customer ON note(customer_id);
    CREATE VIEW loud AS SELECT upper(text) AS text FROM note;
    CREATE VIRTUAL TABLE note_search USING fts5(text, content='note', content_rowid='id');
    CREATE VIRTUAL TABLE note_words USING fts5(text);
    CREATE TRIGGER note_added AFTER INSERT ON note BEGIN
      UPDATE customer SET note_count = note_count + 1 WHERE id = new.customer_id;
      INSERT INTO note_search(rowid, text) VALUES (new.id, new.text);
      INSERT INTO note_words(rowid, text) VALUES (new.id, new.text);
    END;
    INSERT INTO region VALUES (1, 'N'), (2, 'N'), (3, NULL), (4, 'S');
    INSERT INTO agent VALUES (1, 'Ann'), (2, 'Ann');
    INSERT INTO customer VALUES (10, 'Alpha', 0, 1, 1), (20, 'Beta', 0, 4, 2);
    INSERT INTO note(id, text, customer_id, region_id, agent_id) VALUES
      (5, 'apple pie', 10, 2, 2), (6, 'banana', 10, 3, NULL), (7, 'cherry', 20, 4, NULL);
    """

  private static let emptied = """
    DELETE FROM note; DELETE FROM customer; DELETE FROM region; DELETE FROM agent; DELETE FROM note_words;
    INSERT INTO note_search(note_search) VALUES ('delete-all');
    """

  private func cloneSubtree(withTables tables: [String] = []) throws -> (
    store: DatabaseQueue, report: TransferReport, folder: TemporaryFolder
  ) {
    let source = try StoreFixture(Self.model, Self.tables)
    let graph = SQLiteGraph(source.writer, model: source.model)
    let folder = try TemporaryFolder()
    let path = folder.path + "/cut.sqlite"
    let root = try graph.object("Customer", key: 10).id
    let result = try graph.makeStore(at: path, withTables: tables) { target in
      try target.clone(
        graph.plan("Customer", CloneRequest()), roots: [root], from: graph,
        SubtreeRequest(missing: .create, keepsKeys: true))
    }
    return (try DatabaseQueue(path: path), result.report, folder)
  }

  private func rows(_ store: DatabaseQueue, _ sql: String) throws -> [String] {
    try store.read { try $0.texts(sql) }
  }

  @Test("Linked objects that share an identity, or have none, come along each by itself")
  func linkedObjects() throws {
    let (store, _, folder) = try cloneSubtree()
    defer { withExtendedLifetime(folder) {} }
    #expect(try rows(store, "SELECT * FROM customer") == ["10|Alpha|2|1|1"])
    #expect(
      try rows(store, "SELECT id, customer_id, region_id, agent_id FROM note") == ["5|10|2|2", "6|10|3|-"])
    #expect(try rows(store, "SELECT * FROM region") == ["1|N", "2|N", "3|-"])
    #expect(try rows(store, "SELECT * FROM agent") == ["1|Ann", "2|Ann"])
  }

  @Test("A table that comes whole is refused by its name where its rows refer to what stays behind")
  func wholeTables() throws {
    let source = try StoreFixture(
      Self.model,
      Self.tables
        + """
        CREATE TABLE extra(id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customer(id));
        INSERT INTO extra VALUES (1, 10), (2, 20);
        """)
    let graph = SQLiteGraph(source.writer, model: source.model)
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    func clone(_ keys: [ObjectKey], into name: String) throws {
      let roots = try keys.map { try graph.object("Customer", key: $0).id }
      _ = try graph.makeStore(at: folder.path + "/" + name, withTables: ["extra"]) { target in
        try target.clone(
          graph.plan("Customer", CloneRequest()), roots: roots, from: graph,
          SubtreeRequest(missing: .create, keepsKeys: true))
      }
    }
    let error = #expect(throws: CloneError.self) { try clone([10], into: "part.sqlite") }
    #expect(error?.code == .constraintFailed)
    #expect(
      error?.failures.first?.message.contains("a row of 'extra' references a missing 'customer'") == true)
    try clone([10, 20], into: "whole.sqlite")
    let whole = try DatabaseQueue(path: folder.path + "/whole.sqlite")
    #expect(try rows(whole, "SELECT * FROM extra") == ["1|10", "2|20"])
  }

  @Test("The app opens it and goes on: migrations, versions, views, full-text tables and counters are right")
  func bookkeeping() throws {
    let (store, _, folder) = try cloneSubtree(withTables: ["setting"])
    defer { withExtendedLifetime(folder) {} }
    #expect(try rows(store, "SELECT * FROM grdb_migrations") == ["v1", "v2"])
    #expect(try rows(store, "SELECT * FROM setting") == ["theme|dark"])
    #expect(try rows(store, "PRAGMA user_version") == ["7"])
    #expect(try rows(store, "PRAGMA application_id") == ["99"])
    #expect(try rows(store, "SELECT * FROM loud") == ["APPLE PIE", "BANANA"])
    for table in ["note_search", "note_words"] {
      #expect(try rows(store, "SELECT rowid FROM \(table) WHERE \(table) MATCH 'apple OR cherry'") == ["5"])
    }
    try store.write {
      try $0.execute(sql: "INSERT INTO note(text, customer_id) VALUES ('date', 10)")
      try $0.execute(sql: "INSERT INTO note_search(note_search) VALUES ('integrity-check')")
    }
    #expect(try rows(store, "SELECT note_count FROM customer") == ["3"])
    #expect(try rows(store, "SELECT count(*) FROM note_words WHERE note_words MATCH 'date'") == ["1"])
  }

  /// With other keys, rows of the source's own virtual tables would tell what others wrote.
  @Test(
    "Virtual tables hold what triggers make of the rows that came, whatever their keys",
    arguments: [false, true])
  func virtualTables(keepsKeys: Bool) throws {
    let source = try StoreFixture(
      """
      store: {naming: snakeCase}
      entities:
        Book:
          attributes: {title: String}
          relationships: {notes: {destination: Note, toMany: true, inverse: book, deleteRule: cascade}}
        Note:
          attributes: {body: String, x: Double}
          relationships: {book: {destination: Book, inverse: notes}}
      """,
      """
      CREATE TABLE book(id INTEGER PRIMARY KEY, title TEXT NOT NULL, changes INTEGER NOT NULL DEFAULT 0);
      CREATE TABLE note(id INTEGER PRIMARY KEY, body TEXT NOT NULL, x REAL NOT NULL, book_id INTEGER NOT NULL REFERENCES book);
      CREATE VIRTUAL TABLE words USING fts5(body);
      CREATE VIRTUAL TABLE "no rows" USING fts5(body, content='');
      CREATE VIRTUAL TABLE place USING rtree(id, x0, x1);
      CREATE TRIGGER noted AFTER INSERT ON note WHEN new.x >= 0 BEGIN
        INSERT OR REPLACE INTO words(rowid, body) VALUES (new.id, new.body || CASE WHEN new.x > 9 THEN '; far' ELSE '' END);
        UPDATE book SET changes = changes + 1 WHERE id = new.book_id; -- not again
        INSERT INTO "no rows"(rowid, body) VALUES (new.id, new.body);
        INSERT INTO place VALUES (new.id, new.x, new.x);
      END;
      INSERT INTO book(id, title) VALUES (1, 'a'), (2, 'b');
      INSERT INTO note VALUES (1, 'alpha', 1, 1), (2, 'beta', 2, 1), (3, 'gamma', 3, 2), (4, 'delta', 40, 2);
      """)
    let graph = SQLiteGraph(source.writer, model: source.model)
    let folder = try TemporaryFolder()
    let path = folder.path + "/cut.sqlite"
    _ = try graph.makeStore(at: path) { target in
      try target.clone(
        graph.plan("Book", CloneRequest()), roots: [graph.object("Book", key: 2).id], from: graph,
        SubtreeRequest(keepsKeys: keepsKeys))
    }
    let store = try DatabaseQueue(path: path)
    let keys = keepsKeys ? ["3", "4"] : ["1", "2"]
    #expect(try rows(store, "SELECT id FROM note ORDER BY id") == keys)
    #expect(
      try rows(store, "SELECT rowid, body FROM words ORDER BY rowid") == [
        "\(keys[0])|gamma", "\(keys[1])|delta; far",
      ])
    #expect(try rows(store, "SELECT rowid FROM \"no rows\" WHERE \"no rows\" MATCH 'gamma'") == [keys[0]])
    #expect(try rows(store, "SELECT id FROM place WHERE x0 > 3") == [keys[1]])
    #expect(try rows(store, "SELECT changes FROM book") == ["2"])
    try store.write { try $0.execute(sql: "INSERT INTO note SELECT 9, 'more', 1, id FROM book") }
    #expect(try rows(store, "SELECT changes FROM book") == ["3"])
  }

  @Test(
    "What triggers cannot fill comes from the source for rows that are the same, and for no others",
    arguments: [false, true])
  func virtualTablesWithoutTriggers(keepsKeys: Bool) throws {
    let source = try StoreFixture(
      "store: {naming: snakeCase}\nentities: {Note: {attributes: {body: String}}}",
      """
      CREATE TABLE note(id INTEGER PRIMARY KEY, body TEXT NOT NULL);
      CREATE TABLE helper(id INTEGER PRIMARY KEY, body TEXT);
      CREATE VIRTUAL TABLE plain USING fts5(body); CREATE VIRTUAL TABLE helped USING fts5(body);
      CREATE VIRTUAL TABLE changed USING fts5(body); CREATE VIRTUAL TABLE alone USING fts5(body);
      INSERT INTO note VALUES (1, 'alpha'), (2, 'beta'); INSERT INTO helper SELECT * FROM note;
      INSERT INTO plain(rowid, body) SELECT * FROM note; INSERT INTO helped(rowid, body) SELECT * FROM note;
      INSERT INTO changed(rowid, body) SELECT * FROM note; INSERT INTO alone(rowid, body) SELECT * FROM note;
      CREATE TRIGGER a AFTER INSERT ON note BEGIN INSERT INTO plain(rowid, body) VALUES (new.id, only_the_apps(new.body)); END;
      CREATE TRIGGER b AFTER INSERT ON note BEGIN
        INSERT INTO helper VALUES (new.id, new.body); INSERT INTO helped(rowid, body) SELECT * FROM helper WHERE id = new.id;
      END;
      CREATE TRIGGER c AFTER UPDATE ON note BEGIN INSERT INTO changed(rowid, body) VALUES (new.id, new.body); END;
      """)
    let graph = SQLiteGraph(source.writer, model: source.model)
    #expect(try graph.unfilledTables() == ["alone"])
    let folder = try TemporaryFolder()
    _ = try graph.makeStore(at: folder.path + "/cut.sqlite") { target in
      try target.clone(
        graph.plan("Note", CloneRequest()), roots: [graph.object("Note", key: 2).id], from: graph,
        SubtreeRequest(keepsKeys: keepsKeys))
    }
    let store = try DatabaseQueue(path: folder.path + "/cut.sqlite")
    #expect(try rows(store, "SELECT body FROM note") == ["beta"])
    for table in ["plain", "helped", "changed"] {
      #expect(
        try rows(store, "SELECT rowid, body FROM \(table)") == (keepsKeys ? ["2|beta"] : []), "\(table)")
    }
    #expect(
      try rows(store, "SELECT name FROM sqlite_schema WHERE type = 'trigger' ORDER BY 1") == ["a", "b", "c"])
  }

  @Test("Defaults may be texts in double quotes or without any, and expressions")
  func defaults() throws {
    let source = try StoreFixture(
      "store: {naming: snakeCase}\nentities: {Note: {attributes: {body: String}}}",
      """
      CREATE TABLE note(
        id INTEGER PRIMARY KEY, body TEXT NOT NULL, link TEXT NOT NULL DEFAULT "", kind TEXT DEFAULT plain,
        shown INTEGER DEFAULT true, size INTEGER DEFAULT (1 + 1), rest INTEGER DEFAULT -1);
      INSERT INTO note(id, body, link) VALUES (1, 'alpha', 'x');
      """)
    let graph = SQLiteGraph(source.writer, model: source.model)
    let folder = try TemporaryFolder()
    _ = try graph.makeStore(at: folder.path + "/cut.sqlite") { target in
      try target.clone(
        graph.plan("Note", CloneRequest()), roots: [graph.object("Note", key: 1).id], from: graph)
    }
    let store = try DatabaseQueue(path: folder.path + "/cut.sqlite")
    #expect(
      try rows(store, "SELECT body, link, kind, shown, size, rest FROM note")
        == ["alpha|x|plain|1|2|-1"])
  }

  @Test("Texts in UTF-16 come into stores of either encoding, and functions of the app into a new store")
  func encodings() throws {
    let folder = try TemporaryFolder()
    var configuration = Configuration()
    configuration.prepareDatabase { db in
      db.add(function: DatabaseFunction("slug", argumentCount: 1, pure: true) { $0[0] })
    }
    let queue = try DatabaseQueue(path: folder.path + "/source.sqlite", configuration: configuration)
    try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA encoding = 'UTF-16le'") }
    let yaml = "store: {naming: snakeCase}\nentities: {Note: {attributes: {name: String}}}"
    let source = try StoreFixture(
      yaml,
      "CREATE TABLE note(id INTEGER PRIMARY KEY, name TEXT NOT NULL); CREATE INDEX slugs ON note(slug(name)); "
        + "INSERT INTO note VALUES (7, 'Zoë')", in: queue)
    let graph = SQLiteGraph(source.writer, model: source.model)
    _ = try graph.makeStore(at: folder.path + "/cut.sqlite") { target in
      try target.clone(
        graph.plan("Note", CloneRequest()), roots: [graph.object("Note", key: 7).id], from: graph,
        SubtreeRequest(keepsKeys: true))
    }
    let subtree = try DatabaseQueue(path: folder.path + "/cut.sqlite", configuration: configuration)
    #expect(try rows(subtree, "SELECT * FROM note") == ["7|Zoë"])
    #expect(try rows(subtree, "PRAGMA encoding") == ["UTF-16le"])
    let other = try SQLiteGraph.temporary(source.model)
    #expect(try other.copy(from: graph).created == ["Note": 1])
    #expect(try graph.copy(from: other).created == ["Note": 1])
    #expect(try rows(queue, "SELECT name FROM note") == ["Zoë", "Zoë"])
  }

  /// The configuration of connections that tell each statement before it runs.
  private static func tracing(_ body: @escaping @Sendable (String) -> Void) -> Configuration {
    var configuration = Configuration()
    configuration.prepareDatabase { $0.trace { body("\($0)") } }
    return configuration
  }

  @Test("A subtree that another program changes meanwhile arrives as it was before or after the change")
  func changedMeanwhile() throws {
    let folder = try TemporaryFolder()
    let (stored, path) = (folder.path + "/store.sqlite", folder.path + "/cut.sqlite")
    let source = try StoreFixture(Self.model, Self.tables, in: DatabaseQueue(path: stored))
    let (from, other) = (SQLiteGraph(source.writer, model: source.model), try DatabaseQueue(path: stored))
    try DatabaseQueue(path: path).write { try $0.execute(sql: Self.tables + Self.emptied) }
    nonisolated(unsafe) var attempts = 0
    let configuration = Self.tracing { statement in
      guard statement.hasPrefix("BEGIN IMMEDIATE") else { return }
      attempts += 1
      guard attempts == 1 else { return }
      try! other.write {
        try $0.execute(
          sql: """
            DELETE FROM note WHERE id = 5;
            INSERT INTO note(id, text, customer_id, agent_id) VALUES (8, 'date', 10, 2);
            """)
      }
    }
    let target = try DatabaseQueue(path: path, configuration: configuration)
    try SQLiteGraph(target, model: source.model).clone(
      from.plan("Customer", CloneRequest()), roots: [from.object("Customer", key: 10).id], from: from,
      SubtreeRequest(missing: .create, keepsKeys: true))
    #expect(try rows(target, "SELECT id FROM note ORDER BY id") == ["6", "8"])
    #expect(attempts == 2)
  }

  @Test(
    "A subtree of a store that changes each time that it is looked for comes from a copy of the store",
    arguments: ["delete", "wal"])
  func restlessSource(journal: String) throws {
    let folder = try TemporaryFolder()
    let stored = try DatabaseQueue(path: folder.path + "/store.sqlite")
    try stored.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = \(journal)") }
    let source = try StoreFixture(Self.model, Self.tables, in: stored)
    let other = try DatabaseQueue(path: folder.path + "/store.sqlite")
    let path = folder.path + "/cut.sqlite"
    try DatabaseQueue(path: path).write { try $0.execute(sql: Self.tables + Self.emptied) }
    nonisolated(unsafe) var (attempts, attached) = (0, 0)
    let configuration = Self.tracing { statement in
      if statement.hasPrefix("ATTACH") { attached += 1 }
      let isCopied = attached == 2 && statement.hasPrefix("ATTACH")
      guard isCopied || statement.hasPrefix("BEGIN IMMEDIATE") else { return }
      if !isCopied { attempts += 1 }
      try! other.write { try $0.execute(sql: "INSERT INTO note(text, customer_id) VALUES ('new', 10)") }
    }
    let target = try DatabaseQueue(path: path, configuration: configuration)
    let from = SQLiteGraph(source.writer, model: source.model)
    try SQLiteGraph(target, model: source.model).clone(
      from.plan("Customer", CloneRequest()), roots: [from.object("Customer", key: 10).id], from: from,
      SubtreeRequest(missing: .create, keepsKeys: true))
    #expect(attempts == 6)
    #expect(try rows(target, "SELECT count(*) FROM note") == ["7"])
  }

  @Test(
    "A subtree comes out of a store that another program writes to again and again",
    arguments: ["delete", "wal"])
  func busySource(journal: String) throws {
    let folder = try TemporaryFolder()
    var configuration = Configuration()
    configuration.busyMode = .timeout(60)
    let stored = try DatabaseQueue(path: folder.path + "/store.sqlite", configuration: configuration)
    try stored.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = \(journal)") }
    let source = try StoreFixture(Self.model, Self.tables, in: stored)
    let writer = try DatabaseQueue(path: folder.path + "/store.sqlite", configuration: configuration)
    let isDone = Locked(false)
    let hasEnded = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      defer { hasEnded.signal() }
      while !isDone.withLock({ $0 }) {
        try? writer.write { db in
          try db.execute(sql: "UPDATE setting SET value = random()")
          Thread.sleep(forTimeInterval: 0.003)
        }
        if journal == "delete" { Thread.sleep(forTimeInterval: 0.002) }
      }
    }
    defer {
      isDone.withLock { $0 = true }
      hasEnded.wait()
    }
    let from = SQLiteGraph(source.writer, model: source.model)
    let (root, plan) = (try from.object("Customer", key: 10).id, try from.plan("Customer", CloneRequest()))
    for number in 1...5 {
      let target = try DatabaseQueue(path: folder.path + "/cut\(number).sqlite", configuration: configuration)
      try target.write { try $0.execute(sql: Self.tables + Self.emptied) }
      try SQLiteGraph(target, model: source.model).clone(
        plan, roots: [root], from: from, SubtreeRequest(missing: .create, keepsKeys: true))
      #expect(try rows(target, "SELECT id FROM note ORDER BY id") == ["5", "6"])
    }
  }

  @Test("Two stores of an app that take subtrees from each other at once do not wait for each other")
  func bothWays() async throws {
    let folder = try TemporaryFolder()
    let model = try StoreFixture(Self.model, Self.tables).model
    let (attached, done) = (Locked(0), Locked([String]()))
    let configuration = Self.tracing { statement in
      guard statement.hasPrefix("ATTACH") else { return }
      attached.withLock { $0 += 1 }
      let start = Date()
      while attached.withLock({ $0 < 2 }), start.timeIntervalSinceNow > -5 {
        Thread.sleep(forTimeInterval: 0.001)
      }
    }
    let stores = try ["a", "b"].map {
      try DatabaseQueue(path: folder.path + "/\($0).sqlite", configuration: configuration)
    }
    func graph(_ store: DatabaseQueue, root: Int64) throws -> (SQLiteGraph, ObjectID) {
      try store.writeWithoutTransaction {
        try $0.execute(
          sql: """
            PRAGMA journal_mode = WAL; \(Self.tables) \(Self.emptied)
            INSERT INTO customer(id, name) VALUES (\(root), 'Alpha');
            INSERT INTO note(id, text, customer_id) VALUES (\(root), 'apple', \(root));
            """)
      }
      let graph = SQLiteGraph(store, model: model)
      return (graph, try graph.object("Customer", key: ObjectKey(root)).id)
    }
    let (first, firstRoot) = try graph(stores[0], root: 10)
    let (second, secondRoot) = try graph(stores[1], root: 20)
    for (source, root, target) in [(first, firstRoot, stores[1]), (second, secondRoot, stores[0])] {
      nonisolated(unsafe) let source = source
      let plan = try source.plan("Customer", CloneRequest())
      Thread.detachNewThread {
        let result = Result {
          try SQLiteGraph(target, model: model).clone(
            plan, roots: [root], from: source, SubtreeRequest(missing: .create, keepsKeys: true)
          ).roots
        }
        done.withLock { $0.append("\(result)") }
      }
    }
    let start = Date()
    while done.withLock({ $0.count < 2 }), start.timeIntervalSinceNow > -30 {
      try await Task.sleep(for: .milliseconds(5))
    }
    #expect(done.withLock { $0.sorted() } == ["success([Customer 10])", "success([Customer 20])"])
  }

  @Test(
    "What comes into memory is one state of a store that another program changes meanwhile",
    arguments: [false, true])
  func changedWhileRead(isSubtree: Bool) throws {
    var counts: Set<Int> = []
    for moment in 0..<40 {
      let folder = try TemporaryFolder()
      let path = folder.path + "/store.sqlite"
      let stored = try DatabaseQueue(path: path)
      try stored.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL") }
      let source = try StoreFixture(Self.model, Self.tables + "UPDATE region SET code = id;", in: stored)
      nonisolated(unsafe) var statements = -1
      let configuration = Self.tracing { _ in
        if statements >= 0 { statements += 1 }
        guard statements == moment + 1 else { return }
        try! stored.write { try $0.execute(sql: "INSERT INTO note(text, customer_id) VALUES ('new', 10)") }
      }
      let from = SQLiteGraph(try DatabaseQueue(path: path, configuration: configuration), model: source.model)
      let root = try from.object("Customer", key: 10).id
      let plan = try from.plan("Customer", CloneRequest())
      let memory = MemoryGraph(model: source.model)
      statements = 0
      if isSubtree {
        try memory.clone(plan, roots: [root], from: from, SubtreeRequest(missing: .create, keepsKeys: true))
      } else {
        try memory.copy(from: from)
      }
      let copy = try #require(try memory.objectIDs("Customer").first)
      let count = try memory.destinations("notes", of: copy).count
      #expect(try memory.value("noteCount", of: copy) == .integer(Int64(count)), "at statement \(moment)")
      counts.insert(count)
    }
    #expect(counts == [2, 3])
  }

  @Test(
    "Counters that triggers keep are not doubled where a store with triggers takes the objects",
    arguments: [false, true])
  func counters(isSubtree: Bool) throws {
    let source = try StoreFixture(Self.model, Self.tables)
    let target = try StoreFixture(Self.model, Self.tables + Self.emptied)
    let from = SQLiteGraph(source.writer, model: source.model)
    let graph = SQLiteGraph(target.writer, model: target.model)
    if isSubtree {
      let root = try from.object("Customer", key: 10).id
      try graph.clone(
        from.plan("Customer", CloneRequest()), roots: [root], from: from,
        SubtreeRequest(missing: .create, keepsKeys: true))
    } else {
      try graph.copy(
        from: from,
        CopyRequest(exclude: ["region", "agent"], filters: [CopyFilter("Customer", "name", "Alpha")]))
    }
    #expect(try target.rows("SELECT note_count FROM customer WHERE name = 'Alpha'") == ["2"])
  }

  @Test("Clones pass through tables of the model alone, and nothing waits for the disk")
  func transit() throws {
    let source = try StoreFixture(Self.model, Self.tables)
    let graph = SQLiteGraph(source.writer, model: source.model)
    let passed = try graph.passing { transit in
      try #require(transit as? SQLiteGraph).read { access in
        try access.db.texts("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
          + access.db.texts("PRAGMA synchronous")
      }
    }
    #expect(passed == ["agent", "customer", "note", "region", "0"])
  }

  @Test("The tables of a new store are made in one transaction")
  func oneTransaction() throws {
    nonisolated(unsafe) var statements: [String] = []
    let queue = try DatabaseQueue(configuration: Self.tracing { statements.append($0) })
    let source = try StoreFixture(Self.model, Self.tables, in: queue)
    let graph = SQLiteGraph(source.writer, model: source.model)
    let folder = try TemporaryFolder()
    statements = []
    try graph.makeStore(at: folder.path + "/new.sqlite") { _ in }
    let first = try #require(statements.firstIndex { $0.hasPrefix("CREATE TABLE setting") })
    let last = try #require(statements.firstIndex { $0.hasPrefix("CREATE VIEW loud") })
    #expect(!statements[first...last].contains { $0.hasPrefix("COMMIT") })
    #expect(
      statements[..<first].last { $0.hasPrefix("BEGIN") || $0.hasPrefix("COMMIT") }?.hasPrefix("BEGIN")
        == true)
  }
}
