import Foundation
import MOCloneEngine
import TestSupport
import Testing

@testable import MOClonePostgres

@Suite(.enabled(if: TestDatabase.isAvailable, "\(TestDatabase.comment)"))
struct TriggeredCloneTests {
  fileprivate static let model = """
    version: 1
    name: Test
    entities:
      Note:
        attributes: {name: String?, items: {type: Integer 32, column: item_count}}
        relationships: {entries: {destination: Item, toMany: true, inverse: note}}
      Item:
        attributes: {name: String?}
        relationships: {note: {destination: Note, optional: true, inverse: entries}}
    """

  fileprivate static let tables = """
    CREATE TABLE note(id serial PRIMARY KEY, name text, item_count int NOT NULL DEFAULT 0);
    CREATE TABLE item(id serial PRIMARY KEY, name text, note_id int REFERENCES note);
    CREATE INDEX ON item(note_id);

    """

  fileprivate static let rows = """
    INSERT INTO note(name) VALUES ('first'), ('second');
    INSERT INTO item(name, note_id) VALUES ('a', 1), ('b', 1), ('c', 2), ('d', 1);

    """

  fileprivate func trigger(_ time: String, _ table: String, _ body: String, _ more: String = "") -> String {
    """
    CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $f$ \(body) $f$;
    CREATE TRIGGER t \(time) ON \(table) \(more.isEmpty ? "FOR EACH ROW" : more) EXECUTE FUNCTION f();

    """
  }

  @Test(arguments: [
    "timestamptz", "timestamp", "date", "interval", "int[]", "jsonb", "json", "uuid", "text", "numeric(9,2)",
    "real",
  ])
  func aColumnThatMembersChangeHasTheOriginalsValueWhateverItsType(_ type: String) throws {
    let values = [
      "timestamptz": ("2024-01-31 12:00+01", "now()"), "timestamp": ("2024-01-31 12:00", "now()"),
      "date": ("2024-01-31", "now()"), "interval": ("1 day", "'2 days'"), "int[]": ("{1,2}", "'{3}'"),
      "jsonb": ("{\"a\":1}", "'{}'"), "json": ("{\"a\": 1}", "'{}'"), "text": ("Abc", "'abc'"),
      "folded": ("Abc", "'abc'"),
      "uuid": ("a0000000-0000-4000-8000-000000000001", "gen_random_uuid()"), "numeric(9,2)": ("1.50", "2"),
      "real": ("0.1", "2"),
    ]
    let (first, other) = values[type]!
    let body = "BEGIN UPDATE note SET touched = \(other) WHERE id = NEW.note_id; RETURN NULL; END"
    let store = try DatabaseFixture(
      Self.model,
      "CREATE COLLATION folding (provider = icu, locale = 'und-u-ks-level2', deterministic = false);"
        + "CREATE DOMAIN folded AS text COLLATE folding;" + Self.tables
        + "ALTER TABLE note ADD touched \(type);" + trigger("AFTER INSERT", "item", body)
        + Self.rows
        + "UPDATE note SET touched = '\(first)';")
    try store.clone("Note", 1)
    #expect(try store.rows("SELECT DISTINCT touched::text COLLATE \"C\" FROM note").count == 1)
  }

  @Test(arguments: [
    ("BEGIN UPDATE note SET item_count = item_count + 1 WHERE id = NEW.note_id; RETURN NULL; END", ""),
    (
      "BEGIN UPDATE public.note n SET item_count = (SELECT count(*) FROM item) WHERE n.id = NEW.note_id; RETURN NULL; END",
      ""
    ),
    (
      "BEGIN UPDATE note SET item_count = item_count + c.n FROM (SELECT note_id, count(*) n FROM fresh GROUP BY 1) c WHERE note.id = c.note_id; RETURN NULL; END",
      "REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT"
    ),
  ])
  func aCounterOfMembersEqualsTheOriginals(_ body: String, _ more: String) throws {
    let store = try DatabaseFixture(
      Self.model, Self.tables + trigger("AFTER INSERT", "item", body, more) + Self.rows)
    let counts = try store.rows("SELECT item_count FROM note ORDER BY id")
    #expect(try store.clone("Note", 1).cloned == ["Note": 1, "Item": 3])
    #expect(try store.clone("Note", 2).cloned == ["Note": 1, "Item": 1])
    #expect(try store.rows("SELECT item_count FROM note WHERE id > 2 ORDER BY id") == counts)
  }

  @Test func aCounterThatIsExcludedIsLeftToItsTrigger() throws {
    let body = "BEGIN UPDATE note SET item_count = item_count + 1 WHERE id = NEW.note_id; RETURN NULL; END"
    let model = Self.model.replacing(
      "column: item_count}", with: "column: item_count, derived: trigger, default: 0}")
    let store = try DatabaseFixture(model, Self.tables + trigger("AFTER INSERT", "item", body) + Self.rows)
    try store.connection.run("UPDATE note SET item_count = 9")
    try store.clone("Note", 1)
    #expect(try store.rows("SELECT item_count FROM note WHERE id > 2") == ["3"])
  }

  /// Numbers within an owner, which its trigger counts, as those of the issues of a project.
  private static let numbered = """
    version: 1
    name: Test
    entities:
      Note:
        attributes: {name: String?, last: {type: Integer 32, column: item_count, default: 0}}
        relationships:
          entries: {destination: Item, toMany: true, inverse: note}
          marks: {destination: Mark, toMany: true, inverse: note}
      Item:
        attributes: {name: String?, number: Integer 32?}
        relationships:
          note: {destination: Note, optional: true, inverse: entries}
          marks: {destination: Mark, toMany: true, inverse: item}
        uniquenessConstraints: [[note, number]]
      Mark:
        attributes: {name: String?}
        relationships:
          note: {destination: Note, optional: true, inverse: marks}
          item:
            destination: Item
            optional: true
            inverse: marks
            column: [{column: note_id, references: note_id}, {column: number, references: number}]
    """

  private func numberedTables(_ body: String) -> String {
    Self.tables + """
      ALTER TABLE item ADD number int, ADD UNIQUE (note_id, number);
      CREATE TABLE mark(id serial PRIMARY KEY, name text, note_id int REFERENCES note, number int,
        FOREIGN KEY (note_id, number) REFERENCES item(note_id, number));
      CREATE INDEX ON mark(note_id, number);

      """ + trigger("BEFORE INSERT", "item", body)
  }

  @Test func numbersThatATriggerCountsInTheOwnerBeginAnew() throws {
    let store = try DatabaseFixture(
      Self.numbered,
      numberedTables(
        """
        BEGIN UPDATE note SET item_count = item_count + 1 WHERE id = NEW.note_id RETURNING item_count INTO NEW.number;
        RETURN NEW; END
        """) + Self.rows)
    try store.clone("Note", 1)
    #expect(try store.rows("SELECT item_count FROM note ORDER BY id") == ["3", "1", "3"])
    #expect(try store.rows("SELECT number FROM item WHERE note_id = 3 ORDER BY id") == ["1", "2", "3"])
  }

  @Test func aTriggerThatGivesOtherNumbersThanThoseReferencedIsNoticed() throws {
    let body =
      "BEGIN NEW.number := (SELECT coalesce(max(number), 0) + 1 FROM item WHERE note_id = NEW.note_id); RETURN NEW; END"
    let marks = """
      INSERT INTO item(name, note_id) VALUES ('e', 1); DELETE FROM item WHERE name = 'b';
      INSERT INTO mark(name, note_id, number) VALUES ('to d', 1, 3);
      """
    let store = try DatabaseFixture(Self.numbered, numberedTables(body) + Self.rows + marks)
    let error = #expect(throws: CloneError.self) { try store.clone("Note", 1) }
    #expect(error?.failures.map(\.code) == [.rowCount])
    #expect(error?.failures.first?.message.contains("'Mark.item' would lead to another object") == true)
    let target = try DatabaseFixture(Self.numbered, numberedTables(body))
    let copied = #expect(throws: CloneError.self) { try target.graph.copy(from: store.graph) }
    #expect(copied?.failures.map(\.code) == [.rowCount])
    // What nothing refers to may get another number.
    _ = try store.rows("DELETE FROM mark RETURNING id")
    try store.clone("Note", 1)
    try target.graph.copy(from: store.graph)
    let numbers = "SELECT number FROM item WHERE note_id = (SELECT max(id) FROM note) ORDER BY id"
    #expect(try store.rows(numbers) == ["1", "2", "3"])
  }

  @Test func aTriggerThatFillsAColumnOfTheNewRowHasTheLastWord() throws {
    let store = try DatabaseFixture(
      Self.model,
      Self.tables + trigger("BEFORE INSERT", "item", "BEGIN NEW.name := upper(NEW.name); RETURN NEW; END")
        + Self.rows + "UPDATE item SET name = lower(name)")
    #expect(try store.clone("Note", 1).cloned == ["Note": 1, "Item": 3])
    #expect(try store.rows("SELECT name FROM item WHERE note_id = 3 ORDER BY id") == ["A", "B", "D"])
  }

  @Test(arguments: [
    ("BEFORE INSERT", "IF NEW.name = 'b' AND NEW.note_id > 2 THEN RETURN NULL; END IF; RETURN NEW;"),
    ("AFTER INSERT", "DELETE FROM item WHERE id = NEW.id AND NEW.note_id > 2; RETURN NULL;"),
    ("AFTER INSERT", "EXECUTE 'DELETE FROM item WHERE note_id > 2'; RETURN NULL;"),
    ("BEFORE INSERT", "NEW.id := nextval('item_id_seq') + 100; RETURN NEW;"),
    ("BEFORE INSERT", "IF NEW.note_id > 2 THEN NEW.note_id := 2; END IF; RETURN NEW;"),
    ("AFTER INSERT", "UPDATE item SET note_id = 2 WHERE id = NEW.id AND NEW.note_id > 2; RETURN NULL;"),
    ("AFTER INSERT", "EXECUTE 'UPDATE item SET note_id = 2 WHERE note_id > 2'; RETURN NULL;"),
  ])
  func aRowThatATriggerKeepsBackIsNoticed(_ time: String, _ body: String) throws {
    let store = try DatabaseFixture(
      Self.model, Self.tables + trigger(time, "item", "BEGIN \(body) END") + Self.rows)
    #expect(try store.refusal("Note", 1)?.code == .rowCount)
    #expect(try store.rows("SELECT count(*) FROM note") == ["2"])
  }

  @Test func aRuleThatUpdatesAnOwnerIsPutRightToo() throws {
    let store = try DatabaseFixture(
      Self.model,
      Self.tables + Self.rows
        + "CREATE RULE r AS ON INSERT TO item DO ALSO UPDATE note SET item_count = item_count + 1 WHERE id = NEW.note_id"
    )
    try store.clone("Note", 1)
    #expect(try store.rows("SELECT item_count FROM note WHERE id > 2") == ["0"])
  }

  @Test func aFunctionThatIsReplacedCountsFromThenOn() throws {
    let store = try DatabaseFixture(
      Self.model, Self.tables + trigger("AFTER INSERT", "item", "BEGIN RETURN NULL; END") + Self.rows)
    try store.clone("Note", 1)
    try store.connection.run(
      "CREATE OR REPLACE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN UPDATE note SET item_count = 7 "
        + "WHERE id = NEW.note_id; RETURN NULL; END'")
    try store.clone("Note", 1)
    #expect(try store.rows("SELECT item_count FROM note WHERE id > 2") == ["0", "0"])
  }

  @Test func aFunctionThatAnEarlierTransactionReplacesLaterCountsToo() throws {
    let store = try DatabaseFixture(
      Self.model,
      Self.tables + trigger("AFTER INSERT", "item", "BEGIN RETURN NULL; END") + """
        CREATE FUNCTION g() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
        CREATE TRIGGER u AFTER INSERT ON item FOR EACH ROW EXECUTE FUNCTION g();

        """ + Self.rows)
    let earlier = try store.database.connect()
    try earlier.run("BEGIN; SELECT pg_current_xact_id()")
    try store.connection.run(
      "CREATE OR REPLACE FUNCTION g() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'")
    try store.clone("Note", 1)
    try earlier.run(
      "CREATE OR REPLACE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN UPDATE note SET item_count = 7 "
        + "WHERE id = NEW.note_id; RETURN NULL; END'; COMMIT")
    try store.clone("Note", 1)
    #expect(try store.rows("SELECT item_count FROM note WHERE id > 2") == ["0", "0"])
  }

  @Test func aTriggerThatWaitsForTheEndOfTheTransactionCountsToo() throws {
    let store = try DatabaseFixture(
      Self.model,
      Self.tables + """
        CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          UPDATE note SET item_count = item_count + 1 WHERE id = NEW.note_id; RETURN NULL; END $$;
        CREATE CONSTRAINT TRIGGER "Late" AFTER INSERT ON item DEFERRABLE INITIALLY DEFERRED
          FOR EACH ROW EXECUTE FUNCTION f();

        """ + Self.rows)
    try store.clone("Note", 1)
    #expect(try store.rows("SELECT item_count FROM note WHERE id IN (1, 3)") == ["3", "3"])
  }
}

/// Counters of clones that are not left to their originals' values.
extension TriggeredCloneTests {
  private static let counting =
    "BEGIN UPDATE note SET item_count = item_count + 1 WHERE id = NEW.note_id; RETURN NULL; END"

  private func counted() throws -> DatabaseFixture {
    try DatabaseFixture(
      Self.model, Self.tables + trigger("AFTER INSERT", "item", Self.counting) + Self.rows)
  }

  @Test func aCounterThatIsSetHoldsWhatWasSet() throws {
    let store = try counted()
    try store.clone("Note", 1, CloneRequest(count: 2, set: ["items": 50]))
    #expect(try store.rows("SELECT item_count FROM note WHERE id > 2") == ["50", "50"])
  }

  @Test func aCounterOfMembersThatAreExcludedBeginsAtItsBlankValue() throws {
    let store = try counted()
    try store.clone("Note", 1, CloneRequest(exclude: ["entries"]))
    try store.clone("Note", 1, CloneRequest(exclude: ["entries"]))
    #expect(try store.rows("SELECT item_count FROM note WHERE id > 2") == ["0", "0"])
    #expect(try store.rows("SELECT item_count FROM note WHERE id = 1") == ["3"])
  }

  @Test func aCounterOfWhatIsFurtherBelowBeginsAtItsBlankValueWhereThatIsExcluded() throws {
    let store = try DatabaseFixture(
      SharedModel.comments,
      """
      CREATE TABLE project(id serial PRIMARY KEY, name text NOT NULL, comments int NOT NULL DEFAULT 0);
      CREATE TABLE task(id serial PRIMARY KEY, title text NOT NULL, project_id int NOT NULL REFERENCES project);
      CREATE TABLE comment(id serial PRIMARY KEY, body text NOT NULL, task_id int NOT NULL REFERENCES task);
      CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        UPDATE project p SET comments = comments + 1 FROM task t WHERE t.id = NEW.task_id AND p.id = t.project_id;
        RETURN NULL; END $$;
      CREATE TRIGGER commented AFTER INSERT ON comment FOR EACH ROW EXECUTE FUNCTION f();
      INSERT INTO project(name) VALUES ('a'); INSERT INTO task(title, project_id) VALUES ('b', 1), ('c', 1);
      INSERT INTO comment(body, task_id) VALUES ('d', 1), ('e', 1), ('f', 2);
      """)
    for names in [[], ["tasks"], ["Task.comments"]] {
      try store.clone("Project", 1, CloneRequest(exclude: names))
    }
    #expect(try store.rows("SELECT comments FROM project ORDER BY id") == ["3", "3", "0", "0"])
    // What is only set says nothing of how many there are.
    try store.connection.run(
      """
      CREATE OR REPLACE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        UPDATE project p SET comments = 7 FROM task t WHERE t.id = NEW.task_id AND p.id = t.project_id;
        RETURN NULL; END $$
      """)
    try store.clone("Project", 1, CloneRequest(exclude: ["Task.comments"]))
    #expect(try store.rows("SELECT comments FROM project WHERE id = 5") == ["3"])
  }

  @Test func aCounterOfAnOwnerThatComesWithOneMemberCountsThatOne() throws {
    let model = Self.model.replacing(
      "inverse: entries}", with: "inverse: entries, userInfo: {onClone: clone}}")
    let store = try DatabaseFixture(
      model, Self.tables + trigger("AFTER INSERT", "item", Self.counting) + Self.rows)
    #expect(try store.clone("Item", 1).cloned == ["Item": 1, "Note": 1])
    #expect(try store.rows("SELECT item_count FROM note WHERE id > 2") == ["1"])
  }

  @Test func aCounterHasItsOpeningValueWhereAllExcludedMembersComeByAnotherWay() throws {
    let store = try DatabaseFixture(
      SharedModel.ledger(amount: "Decimal", zero: "\"0\""),
      """
      CREATE TABLE ledger(id serial PRIMARY KEY, name text);
      CREATE TABLE account(id serial PRIMARY KEY, ledger_id int NOT NULL REFERENCES ledger, balance numeric(9,2) NOT NULL DEFAULT 0);
      CREATE TABLE sheet(id serial PRIMARY KEY, ledger_id int NOT NULL REFERENCES ledger, name text);
      CREATE TABLE entry(id serial PRIMARY KEY, sheet_id int NOT NULL REFERENCES sheet, account_id int NOT NULL REFERENCES account,
        amount numeric(9,2) NOT NULL);
      CREATE INDEX ON entry(account_id);
      INSERT INTO ledger(name) VALUES ('main'), ('other');
      INSERT INTO account(ledger_id, balance) VALUES (1, 100), (1, 200);
      INSERT INTO sheet(ledger_id) VALUES (1), (2);

      """
        + trigger(
          "AFTER INSERT", "entry",
          "BEGIN UPDATE account SET balance = balance + NEW.amount WHERE id = NEW.account_id; RETURN NULL; END"
        ) + """
          INSERT INTO entry(sheet_id, account_id, amount)
            VALUES (1, 1, -10.5), (1, 2, 10.5), (1, 1, -1), (2, 2, 5);
          """)
    try store.clone("Ledger", 1)
    let balances = try store.rows("SELECT balance FROM account ORDER BY id")
    #expect(balances == ["88.50", "215.50", "88.50", "10.50"])
  }

  @Test(arguments: [
    "BEGIN PERFORM add_one(NEW.note_id); RETURN NULL; END",
    "BEGIN EXECUTE 'UPDATE note SET item_count = item_count + 1 WHERE id = $1' USING NEW.note_id; RETURN NULL; END",
  ])
  func aTriggerThatCannotBeReadIsWarnedOf(_ body: String) throws {
    let store = try DatabaseFixture(
      Self.model,
      Self.tables + """
        CREATE FUNCTION add_one(i int) RETURNS void LANGUAGE sql AS
          'UPDATE note SET item_count = item_count + 1 WHERE id = i';

        """ + trigger("AFTER INSERT", "item", body))
    let findings = try store.graph.storeFindings()
    #expect(
      findings.contains { $0.code == .insertTrigger && $0.message.contains("cannot be read") },
      "\(findings)")
    let readable = try counted()
    #expect(try !readable.graph.storeFindings().contains { $0.message.contains("cannot be read") })
  }

  @Test func theRightByWhichACounterIsPutRightIsNamed() throws {
    let store = try counted()
    let role = "r_" + UUID().uuidString.prefix(8).lowercased()
    try store.connection.run(
      """
      CREATE ROLE \(role); ALTER FUNCTION f() SECURITY DEFINER;
      GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA public TO \(role);
      GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO \(role)
      """)
    defer { try? store.connection.run("DROP OWNED BY \(role) CASCADE; DROP ROLE \(role)") }
    try store.graph.connection.run("SET ROLE \(role)")
    #expect(try store.refusal("Note", 1)?.description.contains("the right UPDATE is missing") == true)
    #expect(try store.rows("SELECT count(*) FROM note") == ["2"])
  }

  @Test func datesKeepTheirMicroseconds() throws {
    let store = try DatabaseFixture(
      """
      version: 1
      name: Test
      entities:
        Day: {attributes: {at: Date}}
      """,
      "CREATE TABLE day(id serial PRIMARY KEY, at timestamptz); INSERT INTO day(at) VALUES ('2025-01-31 12:34:56.789123Z')"
    )
    let value = try store.graph.object("Day", key: 1).value("at")
    #expect(value.description == "2025-01-31T12:34:56.789123Z")
    try store.graph.insert("Day", ["at": value])
    #expect(try store.rows("SELECT count(DISTINCT at) FROM day") == ["1"])
  }
}
