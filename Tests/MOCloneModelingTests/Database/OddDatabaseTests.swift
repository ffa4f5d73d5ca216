import Foundation
import GRDB
import MOCloneKit
import Testing

@Suite("Models of odd databases")
struct OddDatabaseTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var sql: String
    /// Entities whose objects cannot be cloned without a value from a person, for a good reason.
    var refused: [String] = []

    init(_ name: String, refused: [String] = [], _ sql: String) {
      testDescription = name
      self.sql = sql
      self.refused = refused
    }
  }

  @Test(arguments: cases)
  func theModelIsValidAndEveryObjectIsCloned(oddity: Case) throws {
    let database = try ImportedDatabase(oddity.sql)
    try database.check()
    let failures = try database.cloneEach()
    #expect(failures.keys.sorted() == oddity.refused, "\(failures)\n\(database.draft.yaml)")
  }

  @Test(arguments: cases)
  func theAnnotatedModelIsValid(oddity: Case) throws {
    let database = try ImportedDatabase(
      oddity.sql, annotated: true, options: .init(infersRelationships: true))
    try database.check()
    let failures = try database.cloneEach()
    #expect(Set(failures.keys).isSubset(of: oddity.refused), "\(failures)\n\(database.draft.yaml)")
  }

  @Test func aCollationThatOnlyTheAppHasIsNotNeeded() throws {
    let queue = try DatabaseQueue()
    try queue.write { db in
      let collation = DatabaseCollation("unicase") { $0.caseInsensitiveCompare($1) }
      db.add(collation: collation)
      try db.execute(
        sql: """
          CREATE TABLE kinds (id INTEGER PRIMARY KEY, name TEXT NOT NULL COLLATE unicase);
          CREATE TABLE fields (kind_id INTEGER NOT NULL, ord INTEGER NOT NULL, name TEXT NOT NULL COLLATE unicase, PRIMARY KEY (kind_id, ord)) WITHOUT ROWID;
          CREATE TABLE tags (tag TEXT NOT NULL PRIMARY KEY COLLATE unicase, usn INTEGER) WITHOUT ROWID;
          CREATE UNIQUE INDEX k ON kinds (name); CREATE UNIQUE INDEX f ON fields (name, kind_id);
          INSERT INTO kinds VALUES (1, 'Basic'); INSERT INTO fields VALUES (1, 0, 'Front'), (1, 1, 'back'); INSERT INTO tags VALUES ('A', 1);
          """)
      db.remove(collation: collation)
    }
    let database = try ImportedDatabase(queue, options: .init(infersRelationships: true))
    #expect(database.model.entities.map(\.name) == ["Kind", "Field", "Tag"])
    try database.check()
    let findings = try database.graph.storeFindings().map(\.code)
    #expect(findings.contains(.insertRefused))
    // What stood in for it would sort an index in another order.
    #expect(throws: DatabaseError.self) {
      try queue.write { try $0.execute(sql: "INSERT INTO kinds VALUES (2, 'Cloze')") }
    }
  }

  static let cases: [Case] = [
    Case(
      "names with spaces, quotes, dots and keywords",
      """
      CREATE TABLE "select" ("from" INTEGER PRIMARY KEY, "a.b" TEXT, "it's" TEXT, "say ""hi"" x" TEXT, "a=b,c" TEXT);
      CREATE TABLE "Order Details" ("Order ID" INTEGER PRIMARY KEY, "group" INTEGER REFERENCES "select");
      CREATE TABLE "x.y" (id INTEGER PRIMARY KEY, "select id" INTEGER REFERENCES "select"("from"));
      CREATE TABLE "[b]" (id INTEGER PRIMARY KEY, "`" TEXT, "'" TEXT, "\\" TEXT);
      INSERT INTO "select" VALUES (1, 'a', 'b', 'c', 'd'); INSERT INTO "Order Details" VALUES (1, 1);
      INSERT INTO "x.y" VALUES (1, 1); INSERT INTO "[b]" VALUES (1, 'a', 'b', 'c');
      """),
    Case(
      "names that are nothing but signs, digits or emoji",
      """
      CREATE TABLE "!!!" (id INTEGER PRIMARY KEY, "?" TEXT, "!" TEXT, "-" TEXT);
      CREATE TABLE "2020" (id INTEGER PRIMARY KEY, "1st" TEXT, "2" INTEGER REFERENCES "!!!");
      CREATE TABLE "😀" (id INTEGER PRIMARY KEY, "👍" TEXT);
      INSERT INTO "!!!" VALUES (1, 'a', 'b', 'c'); INSERT INTO "2020" VALUES (1, 'a', 1); INSERT INTO "😀" VALUES (1, 'x');
      """),
    Case(
      "names beyond ASCII, in case too",
      """
      CREATE TABLE "Écran" (id INTEGER PRIMARY KEY, "öl" REAL, "Öl" REAL);
      CREATE TABLE "écran" (id INTEGER PRIMARY KEY, "écran_id" INTEGER REFERENCES "Écran");
      CREATE TABLE "表" (id INTEGER PRIMARY KEY, "名前" TEXT, "écran" INTEGER REFERENCES "écran");
      INSERT INTO "Écran" VALUES (1, 1.5, 2.5); INSERT INTO "écran" VALUES (1, 1); INSERT INTO "表" VALUES (1, 'a', 1);
      """),
    Case(
      "tables whose names differ in number only",
      """
      CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE user (id INTEGER PRIMARY KEY, users_id INTEGER REFERENCES users);
      CREATE TABLE "User s" (id INTEGER PRIMARY KEY, user_id INTEGER REFERENCES user);
      INSERT INTO users VALUES (1, 'a'); INSERT INTO user VALUES (1, 1); INSERT INTO "User s" VALUES (1, 1);
      """),
    Case(
      "columns called like relationships and like each other",
      """
      CREATE TABLE album (id INTEGER PRIMARY KEY, tracks INTEGER, track TEXT);
      CREATE TABLE track (id INTEGER PRIMARY KEY, album TEXT, album_id INTEGER REFERENCES album, albumId TEXT, "album id" TEXT);
      CREATE TABLE a (id INTEGER PRIMARY KEY, line_1 TEXT, line1 TEXT, LINE__1 TEXT, createdAt TEXT, created_at TEXT);
      INSERT INTO album VALUES (1, 3, 'a'); INSERT INTO track VALUES (1, 'x', 1, 'y', 'z');
      INSERT INTO a VALUES (1, 'a', 'b', 'c', 'd', 'e');
      """),
    Case(
      "no primary key, and columns called rowid",
      """
      CREATE TABLE log (at TEXT, line TEXT);
      CREATE TABLE odd (rowid TEXT, x TEXT);
      CREATE TABLE odder (rowid TEXT, oid TEXT, x TEXT);
      CREATE TABLE oddest (rowid TEXT, oid TEXT, _rowid_ TEXT);
      INSERT INTO log VALUES ('now', 'a'), ('now', 'b'); INSERT INTO odd VALUES ('a', 'b');
      INSERT INTO odder VALUES ('a', 'b', 'c'); INSERT INTO oddest VALUES ('a', 'b', 'c');
      """),
    Case(
      "foreign keys to missing tables",
      """
      CREATE TABLE a (id INTEGER PRIMARY KEY, b_id INTEGER REFERENCES b, c_id INTEGER REFERENCES c);
      CREATE TABLE c (id INTEGER PRIMARY KEY);
      INSERT INTO c VALUES (1); INSERT INTO a VALUES (1, NULL, 1);
      """
    ).refusing("A", "C"),
    Case(
      "foreign keys to unique columns",
      """
      CREATE TABLE country (id INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE, name TEXT);
      CREATE TABLE city (id INTEGER PRIMARY KEY, country_code TEXT NOT NULL REFERENCES country(code));
      INSERT INTO country VALUES (1, 'de', 'Germany'); INSERT INTO city VALUES (1, 'de'), (2, 'de');
      """
    ).refusing("Country"),
    Case(
      "foreign keys to columns that are not unique",
      """
      CREATE TABLE parent (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE child (id INTEGER PRIMARY KEY, parent_name TEXT REFERENCES parent(name), other INTEGER REFERENCES parent(nowhere));
      CREATE TABLE pair (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER, FOREIGN KEY (a, b) REFERENCES parent);
      CREATE TABLE free (id INTEGER PRIMARY KEY);
      INSERT INTO parent VALUES (1, 'a'); INSERT INTO free VALUES (1);
      """),
    Case(
      "two foreign keys on one column",
      """
      CREATE TABLE person (id INTEGER PRIMARY KEY); CREATE TABLE employee (id INTEGER PRIMARY KEY);
      CREATE TABLE badge (id INTEGER PRIMARY KEY, owner INTEGER REFERENCES person REFERENCES employee);
      INSERT INTO person VALUES (1); INSERT INTO employee VALUES (1); INSERT INTO badge VALUES (1, 1);
      """),
    Case(
      "composite keys that share a tenant",
      """
      CREATE TABLE tenant (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE project (tenant_id INTEGER NOT NULL REFERENCES tenant, id INTEGER NOT NULL, name TEXT, PRIMARY KEY (tenant_id, id));
      CREATE TABLE task (tenant_id INTEGER NOT NULL, id INTEGER NOT NULL, project_id INTEGER, parent_id INTEGER,
        PRIMARY KEY (tenant_id, id), FOREIGN KEY (tenant_id, project_id) REFERENCES project (tenant_id, id),
        FOREIGN KEY (tenant_id, parent_id) REFERENCES task, FOREIGN KEY (tenant_id) REFERENCES tenant);
      CREATE TABLE label (tenant_id INTEGER NOT NULL REFERENCES tenant, id INTEGER NOT NULL, PRIMARY KEY (id, tenant_id));
      CREATE TABLE task_label (tenant_id INTEGER NOT NULL, task_id INTEGER NOT NULL, label_id INTEGER NOT NULL,
        PRIMARY KEY (tenant_id, task_id, label_id), FOREIGN KEY (tenant_id, task_id) REFERENCES task (tenant_id, id),
        FOREIGN KEY (tenant_id, label_id) REFERENCES label (tenant_id, id));
      INSERT INTO tenant VALUES (1, 'a'); INSERT INTO project VALUES (1, 1, 'p'), (1, 2, 'q');
      INSERT INTO task VALUES (1, 1, 1, NULL), (1, 2, 1, 1), (1, 3, NULL, NULL);
      INSERT INTO label VALUES (1, 7), (1, 8); INSERT INTO task_label VALUES (1, 1, 7), (1, 2, 8);
      """),
    Case(
      "self references and cycles",
      """
      CREATE TABLE node (id INTEGER PRIMARY KEY, parent_id INTEGER REFERENCES node ON DELETE CASCADE, next_id INTEGER UNIQUE REFERENCES node);
      CREATE TABLE store (id INTEGER PRIMARY KEY, manager_id INTEGER NOT NULL REFERENCES staff);
      CREATE TABLE staff (id INTEGER PRIMARY KEY, store_id INTEGER NOT NULL REFERENCES store);
      INSERT INTO node VALUES (1, NULL, 2), (2, 1, 3), (3, 1, NULL);
      INSERT INTO store VALUES (1, 1); INSERT INTO staff VALUES (1, 1), (2, 1);
      """),
    Case(
      "one-to-one by a unique foreign key and by a shared key",
      """
      CREATE TABLE user (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE profile (id INTEGER PRIMARY KEY, user_id INTEGER NOT NULL UNIQUE REFERENCES user ON DELETE CASCADE, bio TEXT);
      CREATE TABLE admin (id INTEGER PRIMARY KEY REFERENCES user, level INTEGER);
      CREATE TABLE avatar (user_id INTEGER PRIMARY KEY REFERENCES user, image BLOB) WITHOUT ROWID;
      INSERT INTO user VALUES (1, 'a'), (2, 'b'); INSERT INTO profile VALUES (1, 1, 'x'); INSERT INTO admin VALUES (1, 3);
      INSERT INTO avatar VALUES (1, x'0102');
      """),
    Case(
      "strict tables, tables without rowid, generated columns",
      """
      CREATE TABLE item (id INTEGER PRIMARY KEY, price REAL NOT NULL, count INTEGER NOT NULL, total REAL AS (price * count) STORED, any ANY) STRICT;
      CREATE TABLE word (word TEXT PRIMARY KEY, n INT NOT NULL, upper TEXT AS (upper(word)) VIRTUAL) STRICT, WITHOUT ROWID;
      CREATE TABLE doc (id INTEGER PRIMARY KEY, body TEXT, owner INTEGER AS (json_extract(body, '$.owner')) STORED REFERENCES owner);
      CREATE TABLE owner (id INTEGER PRIMARY KEY);
      INSERT INTO item (id, price, count, any) VALUES (1, 1.5, 2, x'00'); INSERT INTO word (word, n) VALUES ('a', 1);
      INSERT INTO owner VALUES (1); INSERT INTO doc (id, body) VALUES (1, '{"owner": 1}');
      """),
    Case(
      "values that contradict the declared type",
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, b REAL, c TEXT, d BLOB, e DATE, f BOOLEAN, g DECIMAL(10,2), h, i STRING, j JSON,
        k INTEGER NOT NULL UNIQUE, l BLOB, m DATETIME);
      INSERT INTO t VALUES (1, 'x', 'y', x'00', 'text', 'yesterday', 'Y', 'free', 1, 'abc', '{"a": 1}', 'k', 3, 1);
      INSERT INTO t VALUES (2, 'x', 2.5, x'01', 'text', '', 'N', '', 'two', '007', '[]', 5, 'x', 2);
      INSERT INTO t VALUES (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 6, NULL, NULL);
      """
    ).refusing("T"),
    Case(
      "keys of text, of bytes, of nothing declared, of decimals and of dates",
      """
      CREATE TABLE a (code TEXT PRIMARY KEY, n INTEGER); CREATE TABLE b (key BLOB PRIMARY KEY, n INTEGER);
      CREATE TABLE c (id PRIMARY KEY, n INTEGER); CREATE TABLE d (id NUMERIC PRIMARY KEY, n INTEGER);
      CREATE TABLE e (day DATE PRIMARY KEY, n INTEGER); CREATE TABLE f (id VARCHAR(36) PRIMARY KEY, n INTEGER);
      CREATE TABLE g (id STRING PRIMARY KEY, n INTEGER); CREATE TABLE h (id INT PRIMARY KEY, n INTEGER);
      CREATE TABLE i (code TEXT NOT NULL, lang TEXT NOT NULL, n INTEGER, PRIMARY KEY (code, lang));
      CREATE TABLE child (id INTEGER PRIMARY KEY, a TEXT REFERENCES a, b BLOB REFERENCES b, c REFERENCES c, f TEXT REFERENCES f);
      INSERT INTO a VALUES ('x', 1); INSERT INTO b VALUES (x'0102', 1); INSERT INTO c VALUES (7, 1); INSERT INTO d VALUES (7, 1);
      INSERT INTO e VALUES ('2020-01-01', 1); INSERT INTO f VALUES ('1b4e28ba-2fa1-11d2-883f-0016d3cca427', 1);
      INSERT INTO g VALUES ('g1', 1); INSERT INTO h VALUES (7, 1); INSERT INTO i VALUES ('a', 'de', 1);
      INSERT INTO child VALUES (1, 'x', x'0102', 7, '1b4e28ba-2fa1-11d2-883f-0016d3cca427');
      """
    ).refusing("E", "I"),
    Case(
      "empty tables of every kind",
      """
      CREATE TABLE a (id PRIMARY KEY, x); CREATE TABLE b (id STRING PRIMARY KEY, d DATE, u UUID, b BOOL, n NUMERIC, j JSON, l BLOB);
      CREATE TABLE c (id UUID PRIMARY KEY, e ENUM, t TIME); CREATE TABLE d (a TEXT, b TEXT, c INTEGER, PRIMARY KEY (a, b));
      CREATE TABLE e (id REAL PRIMARY KEY); CREATE TABLE f (id DATE PRIMARY KEY) WITHOUT ROWID;
      """),
    Case(
      "unique columns of every kind",
      """
      CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE member (id INTEGER PRIMARY KEY, team_id INTEGER NOT NULL REFERENCES team, email TEXT NOT NULL COLLATE NOCASE UNIQUE,
        nick TEXT UNIQUE, slot INTEGER NOT NULL, uuid TEXT, UNIQUE (team_id, slot));
      CREATE UNIQUE INDEX lower_nick ON member (lower(nick)); CREATE UNIQUE INDEX part ON member (nick) WHERE slot > 1;
      CREATE UNIQUE INDEX u ON member (uuid);
      INSERT INTO team VALUES (1, 'a'); INSERT INTO member VALUES (1, 1, 'a@b', 'n', 1, '1b4e28ba-2fa1-11d2-883f-0016d3cca427');
      """
    ).refusing("Member"),
    Case(
      "a unique set that holds a part of a foreign key",
      """
      CREATE TABLE project (tenant INTEGER NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (tenant, id));
      CREATE TABLE task (id INTEGER PRIMARY KEY, tenant INTEGER NOT NULL, project INTEGER NOT NULL, code TEXT NOT NULL,
        UNIQUE (tenant, code), FOREIGN KEY (tenant, project) REFERENCES project);
      INSERT INTO project VALUES (1, 1); INSERT INTO task VALUES (1, 1, 1, 'a');
      """
    ).refusing("Project", "Task"),
    Case(
      "join tables of every kind",
      """
      CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE b (id INTEGER PRIMARY KEY);
      CREATE TABLE a_b (a_id INTEGER REFERENCES a, b_id INTEGER REFERENCES b, PRIMARY KEY (a_id, b_id)) WITHOUT ROWID;
      CREATE TABLE own (id INTEGER PRIMARY KEY, a INTEGER NOT NULL REFERENCES a, b INTEGER NOT NULL REFERENCES b, UNIQUE (a, b));
      CREATE TABLE keyless (a INTEGER REFERENCES a, b INTEGER REFERENCES b);
      CREATE TABLE twice (a INTEGER REFERENCES a, b INTEGER REFERENCES b);
      CREATE TABLE payload (a INTEGER REFERENCES a, b INTEGER REFERENCES b, since TEXT, PRIMARY KEY (a, b));
      CREATE TABLE friends (from_id INTEGER NOT NULL REFERENCES a, to_id INTEGER NOT NULL REFERENCES a, PRIMARY KEY (from_id, to_id));
      CREATE TABLE listed (a INTEGER NOT NULL REFERENCES a, b INTEGER NOT NULL REFERENCES b, position INTEGER NOT NULL, PRIMARY KEY (a, b));
      CREATE TABLE referenced (id INTEGER PRIMARY KEY, a INTEGER REFERENCES a, b INTEGER REFERENCES b);
      CREATE TABLE note (id INTEGER PRIMARY KEY, r INTEGER REFERENCES referenced);
      INSERT INTO a VALUES (1), (2); INSERT INTO b VALUES (1), (2); INSERT INTO a_b VALUES (1, 1), (1, 2); INSERT INTO own VALUES (1, 1, 1);
      INSERT INTO keyless VALUES (1, 1); INSERT INTO twice VALUES (1, 1), (1, 1); INSERT INTO payload VALUES (1, 1, 'x');
      INSERT INTO friends VALUES (1, 2); INSERT INTO listed VALUES (1, 1, 1), (1, 2, 2); INSERT INTO referenced VALUES (1, 1, 1);
      INSERT INTO note VALUES (1, 1);
      """
    ).refusing("Payload"),
    Case(
      "views, virtual tables, migrations and other leftovers",
      """
      CREATE TABLE note (id INTEGER PRIMARY KEY AUTOINCREMENT, body TEXT);
      CREATE VIEW notes_view AS SELECT * FROM note; CREATE VIEW broken AS SELECT * FROM nowhere;
      CREATE VIRTUAL TABLE search USING fts5(body, content='note', content_rowid='id');
      CREATE TRIGGER note_ai AFTER INSERT ON note BEGIN INSERT INTO search(rowid, body) VALUES (new.id, new.body); END;
      CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY); CREATE TABLE schema_migrations (version TEXT);
      CREATE TABLE android_metadata (locale TEXT);
      INSERT INTO note (body) VALUES ('a'); ANALYZE;
      """),
    Case(
      "references to several tables",
      """
      CREATE TABLE posts (id INTEGER PRIMARY KEY, title TEXT); CREATE TABLE photos (id INTEGER PRIMARY KEY, url TEXT);
      CREATE TABLE comments (id INTEGER PRIMARY KEY, body TEXT, commentable_type TEXT NOT NULL, commentable_id INTEGER NOT NULL,
        parent_id INTEGER REFERENCES comments);
      CREATE TABLE likes (id INTEGER PRIMARY KEY, likeable_type TEXT, likeable_id INTEGER);
      INSERT INTO posts VALUES (1, 'a'); INSERT INTO photos VALUES (1, 'u'), (2, 'v');
      INSERT INTO comments VALUES (1, 'x', 'Post', 1, NULL), (2, 'y', 'Photo', 2, 1); INSERT INTO likes VALUES (1, NULL, NULL), (2, 'Post', 1);
      """),
    Case(
      "counters and dates that triggers keep",
      """
      CREATE TABLE list (id INTEGER PRIMARY KEY, item_count INTEGER NOT NULL DEFAULT 0, updated_at TEXT);
      CREATE TABLE item (id INTEGER PRIMARY KEY, list_id INTEGER NOT NULL REFERENCES list ON DELETE CASCADE);
      CREATE TRIGGER item_ai AFTER INSERT ON item BEGIN UPDATE list SET item_count = item_count + 1, updated_at = datetime('now') WHERE id = new.list_id; END;
      INSERT INTO list (id) VALUES (1); INSERT INTO item VALUES (1, 1), (2, 1);
      """),
    Case(
      "functions and collations that only the app has",
      """
      CREATE TABLE a (id INTEGER PRIMARY KEY, name TEXT, b TEXT CHECK (length(b) < 100));
      CREATE TABLE sorted (id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE, made TEXT AS (upper(name)));
      INSERT INTO a VALUES (1, 'a', 'b'); INSERT INTO sorted (id, name) VALUES (1, 'a');
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = replace(replace(sql, 'NOCASE', 'unicode_order'), 'upper(', 'app_function(') WHERE name = 'sorted';
      PRAGMA schema_version = 1000; PRAGMA writable_schema = OFF;
      """
    ).refusing("Sorted"),
    Case(
      "many foreign keys from one table to one other",
      """
      CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE match (id INTEGER PRIMARY KEY, home_team_id INTEGER NOT NULL REFERENCES team, away_team_id INTEGER NOT NULL REFERENCES team,
        team_id INTEGER REFERENCES team, winner INTEGER REFERENCES team, "team" TEXT);
      INSERT INTO team VALUES (1, 'a'), (2, 'b'); INSERT INTO match VALUES (1, 1, 2, NULL, 1, 'x');
      """),
    Case(
      "keys without NOT NULL, with nulls",
      """
      CREATE TABLE a (code TEXT PRIMARY KEY, n INTEGER); CREATE TABLE b (x INTEGER, y INTEGER, PRIMARY KEY (x, y));
      INSERT INTO a VALUES ('k', 1), (NULL, 2); INSERT INTO b VALUES (1, 1);
      """
    ).refusing("A", "B"),
    Case(
      "defaults of every kind",
      """
      CREATE TABLE d (id INTEGER PRIMARY KEY, a INTEGER DEFAULT 1, b TEXT DEFAULT 'it''s', c REAL DEFAULT (1.5), d TEXT DEFAULT CURRENT_TIMESTAMP,
        e BOOLEAN NOT NULL DEFAULT FALSE, f INTEGER DEFAULT -5, g TEXT DEFAULT (lower('X')), h BLOB DEFAULT x'00', i TEXT DEFAULT NULL, j INTEGER DEFAULT 0x10,
        k TEXT DEFAULT "q", l DECIMAL(4,2) DEFAULT 4.99, m INTEGER DEFAULT 'abc', n TEXT DEFAULT '', o DATETIME DEFAULT (datetime('now')));
      INSERT INTO d (id) VALUES (1);
      """),
    Case(
      "all tables in one word, camel case with grdb's keys",
      """
      CREATE TABLE player (id INTEGER PRIMARY KEY AUTOINCREMENT, teamId INTEGER NOT NULL REFERENCES team(id) ON DELETE CASCADE, fullName TEXT NOT NULL, createdAt DATETIME NOT NULL);
      CREATE TABLE team (id INTEGER PRIMARY KEY AUTOINCREMENT, uuid BLOB NOT NULL);
      INSERT INTO team VALUES (1, x'1b4e28ba2fa111d2883f0016d3cca427'); INSERT INTO player VALUES (1, 1, 'A', '2024-01-31 10:11:12.345');
      """),
    Case(
      "wide unique one-to-one chains",
      """
      CREATE TABLE a (id INTEGER PRIMARY KEY, b_id INTEGER UNIQUE REFERENCES b); CREATE TABLE b (id INTEGER PRIMARY KEY, a_id INTEGER UNIQUE REFERENCES a);
      CREATE TABLE c (b_id INTEGER PRIMARY KEY REFERENCES b, x TEXT) WITHOUT ROWID; CREATE TABLE d (c_id INTEGER PRIMARY KEY REFERENCES c(b_id));
      INSERT INTO a VALUES (1, 1); INSERT INTO b VALUES (1, 1); INSERT INTO c VALUES (1, 'x'); INSERT INTO d VALUES (1);
      """),
    Case(
      "a table that is one column",
      """
      CREATE TABLE one (id INTEGER PRIMARY KEY); CREATE TABLE tag (name TEXT PRIMARY KEY) WITHOUT ROWID; CREATE TABLE x (y);
      INSERT INTO one VALUES (1); INSERT INTO tag VALUES ('a'); INSERT INTO x VALUES (1);
      """),
    Case("nothing at all", "CREATE VIEW v AS SELECT 1"),
  ]
}

extension OddDatabaseTests.Case {
  func refusing(_ entities: String...) -> Self {
    var copy = self
    copy.refused = entities
    return copy
  }
}
