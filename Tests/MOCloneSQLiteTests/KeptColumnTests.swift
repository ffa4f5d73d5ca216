import GRDB
import MOCloneKit
import TestSupport
import Testing

/// Attributes that the store's triggers keep, in stores that have the triggers.
@Suite("Columns that triggers keep")
struct KeptColumnTests {
  private static let model = """
    entities:
      Item:
        attributes: {name: String}
        relationships: {folder: {destination: Folder, optional: true, inverse: members}}
        uniquenessConstraints: [[name]]
      Tag:
        attributes: {name: String, uses: {type: Integer 64, default: 0, derived: trigger}}
        relationships: {folders: {destination: Folder, toMany: true, inverse: tags}}
        uniquenessConstraints: [[name]]
      Folder:
        attributes:
          name: String
          modified: Date?
          count: {type: Integer 64, column: item_count, default: 0, derived: trigger}
          below: {type: Integer 64, column: below_count, default: 0, derived: trigger}
          search: {type: String, optional: true, derived: trigger}
        relationships:
          members: {destination: Item, toMany: true, inverse: folder}
          children: {destination: Folder, toMany: true, inverse: parent}
          parent: {destination: Folder, optional: true, inverse: children}
          tags: {destination: Tag, toMany: true, inverse: folders}
        uniquenessConstraints: [[name]]
    """
  private static let tables = """
    CREATE TABLE folder(
      id INTEGER PRIMARY KEY, name TEXT, modified TEXT, item_count INTEGER NOT NULL DEFAULT 0,
      below_count INTEGER NOT NULL DEFAULT 0, search TEXT, parent_id INTEGER);
    CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, folder_id INTEGER);
    CREATE TABLE tag(id INTEGER PRIMARY KEY, name TEXT, uses INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE folder_tag(folder_id INTEGER, tag_id INTEGER, PRIMARY KEY (folder_id, tag_id));
    CREATE INDEX item_folder ON item(folder_id);
    CREATE INDEX folder_parent ON folder(parent_id);
    CREATE TRIGGER item_added AFTER INSERT ON item BEGIN
      UPDATE folder SET item_count = item_count + 1, modified = '2000-01-01T00:00:00.000Z' WHERE id = new.folder_id;
    END;
    CREATE TRIGGER folder_added AFTER INSERT ON folder BEGIN
      UPDATE folder SET below_count = below_count + 1 WHERE id = new.parent_id;
      UPDATE folder SET search = lower(name) WHERE id = new.id;
    END;
    CREATE TRIGGER tagged AFTER INSERT ON folder_tag BEGIN
      UPDATE tag SET uses = uses + 1 WHERE id = new.tag_id;
    END;
    """
  /// A tree whose root has the greatest key, so that in the order of the keys what is below comes first.
  private static let rows = """
    INSERT INTO folder(id, name, parent_id) VALUES (9, 'Root', NULL), (5, 'Left', 9), (3, 'Leaf', 5), (7, 'Right', 9);
    INSERT INTO item(name, folder_id) VALUES ('i', 9), ('j', 9), ('k', 3);
    INSERT INTO tag(id, name) VALUES (1, 't'), (2, 'u');
    INSERT INTO folder_tag VALUES (9, 1), (3, 1), (3, 2);
    UPDATE folder SET modified = '2020-01-01T00:00:00.000Z', search = 'kept';
    """

  private static func store(_ rows: String = rows, _ more: String = "") throws -> StoreFixture {
    try StoreFixture(model, tables + more + rows)
  }

  private static let folders = "SELECT name, item_count, below_count, search, modified FROM folder"
  private static let date = "2020-01-01T00:00:00.000Z"
  private static let tree = [
    "Leaf|1|0|leaf|\(date)", "Left|0|1|left|\(date)", "Right|0|0|right|\(date)", "Root|2|2|root|\(date)",
  ]

  private func graph(_ store: StoreFixture) -> SQLiteGraph { SQLiteGraph(store.writer, model: store.model) }

  @Test("A clone counts its own members, whatever the original holds", arguments: [150, 0])
  func clones(smallClosure: Int) throws {
    let model = Self.model.replacing("    uniquenessConstraints: [[name]]\n", with: "")
      .replacing("    uniquenessConstraints: [[name]]", with: "")
    let store = try StoreFixture(model, Self.tables + Self.rows)
    try store.execute("UPDATE folder SET item_count = 50, below_count = 50")
    let graph = graph(store)
    var options = CloneOptions(keepsMapping: true)
    options.smallClosure = smallClosure
    let plan = try graph.plan("Folder", CloneRequest(count: 2))
    _ = try graph.run(plan, roots: [ObjectID("Folder", key: 9)], options: options, saves: true)
    let pairs = " WHERE id > 9 GROUP BY 1, 2, 3, 4, 5 HAVING count(*) = 2 ORDER BY 1"
    #expect(try store.rows(Self.folders + pairs) == Self.tree)
    #expect(try store.rows("SELECT uses FROM tag ORDER BY id") == ["6", "3"])
    #expect(try store.rows("SELECT DISTINCT item_count, search FROM folder WHERE id < 10") == ["50|kept"])
  }

  @Test("What is below comes after what is above, also where both are reached from elsewhere")
  func clonesOfTreesInLists() throws {
    let store = try StoreFixture(
      """
      entities:
        Board:
          attributes: {name: String}
          relationships: {cards: {destination: Card, toMany: true, inverse: board}}
        Card:
          attributes: {name: String, below: {type: Integer 64, default: 0, derived: trigger}}
          relationships:
            board: {destination: Board, inverse: cards}
            above: {destination: Card, optional: true, inverse: cards}
            cards: {destination: Card, toMany: true, inverse: above}
      """,
      """
      CREATE TABLE board(id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE card(id INTEGER PRIMARY KEY, name TEXT, below INTEGER NOT NULL, board_id INTEGER, above_id INTEGER);
      CREATE TRIGGER counts AFTER INSERT ON card BEGIN
        UPDATE card SET below = below + 1 WHERE id = new.above_id;
      END;
      INSERT INTO board VALUES (1, 'b');
      INSERT INTO card VALUES (1, 'x', 0, 1, 2), (2, 'y', 1, 1, 3), (3, 'z', 1, 1, NULL);
      """)
    try store.clone("Board", 1)
    #expect(try store.rows("SELECT name, below FROM card WHERE id > 3 ORDER BY 1") == ["x|0", "y|1", "z|1"])
  }

  @Test("A copy counts in the order of references, not in that of the entities or the keys")
  func copies() throws {
    let (source, target) = (try Self.store(), try Self.store(""))
    try source.execute("UPDATE folder SET item_count = 50, below_count = 50")
    try graph(target).copy(from: graph(source))
    #expect(try target.rows(Self.folders + " ORDER BY 1") == Self.tree)
    #expect(try target.rows("SELECT uses FROM tag ORDER BY name") == ["2", "1"])
    try source.execute("INSERT INTO item(name, folder_id) VALUES ('new', 5)")
    let report = try graph(target).copy(from: graph(source))
    #expect(report.created == ["Item": 1] && report.updated == nil)
    #expect(try target.rows("SELECT item_count FROM folder WHERE name = 'Left'") == ["1"])
  }

  @Test("Rows of a file that mention what is above later are counted as well")
  func imports() throws {
    let store = try Self.store("")
    let folder = try TemporaryFolder()
    let file = try folder.write("name,parent\nLeaf,Left\nRight,Root\nLeft,Root\n".utf8, to: "rows.csv")
    let mapping = try ImportMapping(
      yaml: """
        entity: Folder
        attributes: {name: '@name'}
        relationships: {parent: {attributes: {name: '@parent'}}}
        """)
    try graph(store).importFile(file.path, mapping: mapping)
    #expect(
      try store.rows("SELECT name, below_count FROM folder ORDER BY 1") == [
        "Leaf|0", "Left|1", "Right|0", "Root|2",
      ])
  }

  // MARK: Cut-outs

  private func cloneSubtree(_ source: StoreFixture, withTables tables: [String] = []) throws -> (
    store: DatabaseQueue, folder: TemporaryFolder
  ) {
    let folder = try TemporaryFolder()
    let path = folder.path + "/cut.sqlite"
    let graph = graph(source)
    _ = try graph.makeStore(at: path, withTables: tables) { target in
      try target.clone(
        graph.plan("Folder", CloneRequest()), roots: [ObjectID("Folder", key: 5)], from: graph,
        SubtreeRequest(missing: .create, keepsKeys: true))
    }
    return (try DatabaseQueue(path: path), folder)
  }

  @Test("A cut-out into a new store holds what the triggers make of its part, and nothing else that they do")
  func copySubtrees() throws {
    let log = """
      CREATE TABLE log(text TEXT);
      CREATE TRIGGER logged AFTER INSERT ON item BEGIN INSERT INTO log VALUES ('item ' || new.name); END;
      DROP TRIGGER tagged;
      CREATE TRIGGER tagged AFTER INSERT ON folder_tag BEGIN
        UPDATE tag SET uses = uses + 1 WHERE id = new.tag_id;
        INSERT INTO log VALUES ('tag');
      END;
      """
    let source = try Self.store(Self.rows, log)
    let (store, folder) = try cloneSubtree(source)
    defer { withExtendedLifetime(folder) {} }
    try store.write { db in
      // The folder above comes along since it is referred to, without what it owns.
      #expect(
        try db.texts(Self.folders + " ORDER BY 1") == [
          "Leaf|1|0|leaf|\(Self.date)", "Left|0|1|left|\(Self.date)", "Root|0|1|root|\(Self.date)",
        ])
      #expect(try db.texts("SELECT name, uses FROM tag ORDER BY 1") == ["t|1", "u|1"])
      #expect(try db.texts("SELECT count(*) FROM log") == ["0"])
      try db.execute(sql: "INSERT INTO item(name, folder_id) VALUES ('later', 5)")
      #expect(try db.texts("SELECT text FROM log") == ["item later"])
      #expect(try db.texts("SELECT item_count FROM folder WHERE id = 5") == ["1"])
    }
    #expect(
      try cloneSubtree(source, withTables: ["log"]).store.read { try $0.texts("SELECT count(*) FROM log") }
        == source.rows("SELECT count(*) FROM log"))
  }

  /// - Parameter more: rows and changes beside the usual ones.
  private static func noting(_ more: String = "") throws -> StoreFixture {
    try StoreFixture(
      model.replacing("entities:", with: "entities:\n  Line:\n    attributes: {text: String?}"),
      tables + """
        CREATE TABLE line(id INTEGER PRIMARY KEY, text TEXT);
        CREATE TRIGGER "Noted" AFTER INSERT ON item BEGIN
          UPDATE folder SET item_count = item_count + 0 WHERE id = new.folder_id;
          INSERT INTO line(text) VALUES (new.name);
        END;
        """ + rows + more)
  }

  @Test("A trigger that keeps a value and adds objects is not run while a new store is filled")
  func triggersWithObjects() throws {
    let source = try Self.noting()
    let error = #expect(throws: CloneError.self) { try cloneSubtree(source) }
    #expect(error?.code == .storeMismatch)
    let message = error.map { "\($0)" } ?? ""
    #expect(message.contains("'Noted'") && message.contains("'line'"), "\(message)")
    #expect(message.contains("remove 'derived: trigger' from 'Folder.count'"), "\(message)")
  }

  @Test("A trigger that keeps a value and adds objects is no obstacle where its table gets no rows")
  func triggersWithNothingToDo() throws {
    let (store, folder) = try cloneSubtree(Self.noting("DELETE FROM item;"))
    defer { withExtendedLifetime(folder) {} }
    #expect(try store.read { try $0.texts("SELECT item_count FROM folder WHERE id = 5") } == ["0"])
    #expect(
      try store.read { try $0.texts("SELECT name FROM sqlite_schema WHERE name = 'Noted'") } == ["Noted"])
  }

  // MARK: Validation

  private func findings(_ model: String, _ sql: String) throws -> [String] {
    let store = try StoreFixture(model, sql)
    return try graph(store).storeFindings().filter {
      [.triggerColumn, .triggerMissing, .insertTrigger].contains($0.code)
    }.map {
      "\($0.severity.rawValue) \($0.code.rawValue) \($0.path.components.dropFirst().joined(separator: "."))"
    }
  }

  @Test("What the model leaves to triggers that do nothing else is no finding")
  func declared() throws {
    let tables = Self.tables.replacing(", modified = '2000-01-01T00:00:00.000Z'", with: "")
    #expect(try findings(Self.model, tables) == [])
  }

  @Test("Counters and search columns are found in every way in which a trigger writes them")
  func undeclared() throws {
    let model = """
      entities:
        Note:
          attributes:
            a: Integer 64
            b: Integer 64
            c: Integer 64
            d: String?
            e: Date?
            f: Integer 64
            g: Integer 64
            code: String?
          relationships: {items: {destination: Item, toMany: true, inverse: note}}
          uniquenessConstraints: [[code]]
        Item:
          attributes: {h: {type: Integer 64, default: 0, derived: trigger}}
          relationships: {note: {destination: Note, inverse: items}}
      """
    let sql = """
      CREATE TABLE note(
        id INTEGER PRIMARY KEY, a INTEGER NOT NULL, b INTEGER NOT NULL, c INTEGER NOT NULL, d TEXT, e TEXT,
        f INTEGER NOT NULL, g INTEGER NOT NULL, code TEXT UNIQUE);
      CREATE TABLE item(id INTEGER PRIMARY KEY, h INTEGER NOT NULL, note_id INTEGER NOT NULL REFERENCES note(id));
      CREATE INDEX item_note ON item(note_id);
      CREATE TABLE audit(note_id INTEGER);
      CREATE VIEW counted AS SELECT id, b FROM note;
      CREATE VIRTUAL TABLE words USING fts5(text);
      CREATE TRIGGER first AFTER INSERT ON item WHEN app_is_ready() BEGIN
        UPDATE "NOTE" SET ("A", e) = (a + 1, 'now') WHERE "id" = NEW.note_id;
        INSERT INTO audit VALUES (new.note_id);
        INSERT INTO words(rowid, text) VALUES (new.id, app_words(new.id));
      END;
      CREATE TRIGGER second AFTER INSERT ON audit BEGIN UPDATE counted SET b = b + 1 WHERE id = new.note_id; END;
      CREATE TRIGGER third INSTEAD OF UPDATE OF b ON counted BEGIN UPDATE note SET b = new.b WHERE id = new.id; END;
      CREATE TRIGGER fourth AFTER INSERT ON item BEGIN
        INSERT INTO note(id, a, b, c, f, g) VALUES (new.note_id, 0, 0, 0, 0, 0) ON CONFLICT(id) DO UPDATE SET c = c + 1;
      END;
      CREATE TRIGGER fifth AFTER INSERT ON note BEGIN UPDATE note SET d = 'x', code = 'y' WHERE id = new.id; END;
      CREATE TRIGGER sixth AFTER UPDATE ON note BEGIN UPDATE note SET f = f + 1 WHERE id = new.id; END;
      CREATE TRIGGER seventh AFTER DELETE ON item BEGIN UPDATE note SET g = g + 1 WHERE id = old.note_id; END;
      """
    let found = try findings(model, sql)
    #expect(
      found.filter { !$0.contains("insert-trigger") } == [
        "warning trigger-column Note.attributes.a", "warning trigger-column Note.attributes.b",
        "warning trigger-column Note.attributes.c", "warning trigger-column Note.attributes.d",
        "warning trigger-missing Item.attributes.h.derived",
      ], "\(found)")
  }
}
