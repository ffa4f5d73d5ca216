import Foundation
import MOCloneKit
import MOCloneYAML
import TestSupport
import Testing

@testable import MOClonePostgres

/// What a refusal by the database says: a sentence, and what can be done.
@Suite("Refusals by a server", .enabled(if: TestDatabase.isAvailable, "\(TestDatabase.comment)"))
struct RefusalTextTests {
  private func text(_ sql: String) throws -> String {
    let store = try DatabaseFixture(
      """
      version: 1
      name: Bookings
      store: {naming: snakeCase}
      entities: {Booking: {attributes: {name: String}}}
      """, sql + "; INSERT INTO booking(name) VALUES ('A')")
    return "\(try #require(try store.refusal("Booking", 1)))"
  }

  @Test("An index of an expression")
  func expression() throws {
    let text = try text(
      "CREATE TABLE booking(id serial PRIMARY KEY, name text NOT NULL); CREATE UNIQUE INDEX lowered ON booking(lower(name))"
    )
    #expect(
      text.contains("hat the index 'lowered' computes of Booking is unique in the table 'booking'"), "\(text)"
    )
    #expect(text.contains("\"lowered\""), "\(text)")
  }

  @Test("An index of a column and an expression, and one of a part of the rows")
  func partly() throws {
    let table = "CREATE TABLE booking(id serial PRIMARY KEY, name text NOT NULL);"
    let mixed = try text(table + "CREATE UNIQUE INDEX mixed ON booking(name, lower(name))")
    #expect(
      mixed.contains("'name' and what the index 'mixed' computes of Booking are unique together"), "\(mixed)")
    let partial = try text(table + "CREATE UNIQUE INDEX once ON booking(name) WHERE name <> ''")
    #expect(
      partial.contains("'booking' among the rows of the index 'once' (WHERE ")
        && partial.contains("name' of Booking"),
      "\(partial)")
  }

  @Test("An exclusion constraint")
  func exclusion() throws {
    let text = try text(
      "CREATE TABLE booking(id serial PRIMARY KEY, name text NOT NULL, during tsrange NOT NULL DEFAULT '[2030-01-01, 2030-01-02)', "
        + "EXCLUDE USING gist (during WITH &&))")
    #expect(text.contains("name its columns in the model"), "\(text)")
  }

  /// A copy gives no values.
  @Test("An exclusion constraint in a copy")
  func exclusionInACopy() throws {
    func store(_ name: String) throws -> DatabaseFixture {
      try DatabaseFixture(
        """
        version: 1
        name: Bookings
        store: {naming: snakeCase}
        entities: {Booking: {attributes: {room: Integer 32, name: String}}}
        """,
        """
        CREATE TABLE booking(id serial PRIMARY KEY, room int NOT NULL, name text NOT NULL,
          EXCLUDE USING gist (int4range(room, room + 1) WITH &&));
        INSERT INTO booking(room, name) VALUES (1, '\(name)');
        """)
    }
    let (source, target) = (try store("A"), try store("B"))
    let error = try #require(throws: CloneError.self) {
      try target.graph.copy(from: source.graph, CopyRequest(identifiedBy: ["Booking": ["name"]]))
    }
    #expect(error.failures.first?.help?.hasPrefix("identify Booking with --by") == true, "\(error)")
  }

  @Test("An exclusion constraint that keeps rows of a sync from exchanging values, until it is deferrable")
  func exclusionInASync() throws {
    let store = try DatabaseFixture(
      """
      version: 1
      name: Bookings
      store: {naming: snakeCase}
      entities: {Booking: {attributes: {room: Integer 32, name: String}, uniquenessConstraints: [[name]]}}
      """,
      """
      CREATE TABLE booking(id serial PRIMARY KEY, room int NOT NULL, name text NOT NULL UNIQUE,
        CONSTRAINT apart EXCLUDE (room WITH =));
      INSERT INTO booking(room, name) VALUES (1, 'A'), (2, 'B')
      """)
    func exchange(in graph: PostgresGraph) throws {
      _ = try graph.sync(
        SyncRequest(entity: "Booking", overwriting: ["room"]),
        from: [["name": "A", "room": 2], ["name": "B", "room": 1]])
    }
    let error = try #require(throws: CloneError.self) { try exchange(in: store.graph) }
    #expect(error.failures.first?.help?.contains("DEFERRABLE") == true, "\(error)")
    try store.connection.run(
      "ALTER TABLE booking DROP CONSTRAINT apart, ADD CONSTRAINT apart EXCLUDE (room WITH =) DEFERRABLE")
    let graph = PostgresGraph(try store.database.connect(), model: store.graph.model)
    try exchange(in: graph)
    #expect(try store.rows("SELECT room FROM booking ORDER BY id") == ["2", "1"])
  }

  @Test(
    "A foreign key that keeps rows of a sync from exchanging values is named, and either advice about it works",
    arguments: [
      #"ALTER TABLE "public"."doc" ALTER CONSTRAINT "of_login" DEFERRABLE"#,
      "ALTER TABLE doc DROP CONSTRAINT of_login, ADD FOREIGN KEY (login) REFERENCES account(login) ON UPDATE CASCADE",
    ])
  func foreignKeyInASync(_ change: String) throws {
    let store = try DatabaseFixture(
      """
      version: 1
      name: Accounts
      store: {naming: snakeCase}
      entities: {Account: {attributes: {number: Integer 32, login: String}, uniquenessConstraints: [[number], [login]]}}
      """,
      """
      CREATE TABLE account(id serial PRIMARY KEY, number int NOT NULL UNIQUE, login text NOT NULL UNIQUE);
      CREATE TABLE doc(login text CONSTRAINT of_login REFERENCES account(login));
      INSERT INTO account(number, login) VALUES (1, 'ann'), (2, 'bob');
      INSERT INTO doc VALUES ('ann'), ('bob')
      """)
    func exchange(in graph: PostgresGraph) throws {
      _ = try graph.sync(
        SyncRequest(entity: "Account", identifiedBy: ["Account": ["number"]], overwriting: ["login"]),
        from: [["number": 1, "login": "bob"], ["number": 2, "login": "ann"]])
    }
    let error = try #require(throws: CloneError.self) { try exchange(in: store.graph) }
    let failure = try #require(error.failures.first)
    #expect(failure.code == .uniqueValue, "\(error)")
    #expect(
      failure.problem.contains("the store checks the foreign key 'of_login' of the table 'public.doc'"),
      "\(error)")
    let help = try #require(failure.help)
    #expect(help.contains(#"ALTER TABLE "public"."doc" ALTER CONSTRAINT "of_login" DEFERRABLE"#), "\(help)")
    #expect(help.contains("ON UPDATE CASCADE"), "\(help)")
    try store.connection.run(change)
    try exchange(in: PostgresGraph(try store.database.connect(), model: store.graph.model))
    #expect(try store.rows("SELECT login FROM account ORDER BY id") == ["bob", "ann"])
  }

  @Test(
    "A copy names the object that a constraint refuses, and the columns of a domain or a foreign key",
    arguments: [
      ("DOMAIN amount ADD CHECK (value > 0)", "'price' of Item 30: value for domain amount", "price"),
      ("TABLE item ADD FOREIGN KEY (oa, ob) REFERENCES owner MATCH FULL", "'oa' and 'ob' of Item 30: ", "oa"),
      ("TABLE item ADD CHECK (price > 0)", "a row of Item 30: new row for relation", nil),
    ] as [(String, String, String?)])
  func objectInACopy(_ change: String, _ text: String, _ property: String?) throws {
    func store(_ sql: String) throws -> DatabaseFixture {
      try DatabaseFixture(
        """
        version: 1
        name: Items
        store: {naming: snakeCase}
        entities:
          Item:
            attributes: {code: String, price: Integer 32?, oa: Integer 32?, ob: Integer 32?}
            uniquenessConstraints: [[code]]
        """,
        """
        CREATE DOMAIN amount AS int;
        CREATE TABLE owner(a int, b int, PRIMARY KEY (a, b));
        CREATE TABLE item(id serial PRIMARY KEY, code text NOT NULL UNIQUE, price amount, oa int, ob int);
        \(sql)
        """)
    }
    let source = try store(
      """
      INSERT INTO item(id, code, price, oa) VALUES (10, 'a', 1, NULL), (20, 'b', NULL, NULL), (30, 'c', -3, 1),
        (40, 'd', 4, NULL), (50, 'e', -5, 1)
      """)
    let target = try store("ALTER \(change)")
    let error = try #require(throws: CloneError.self) {
      try target.graph.copy(from: source.graph, CopyRequest())
    }
    #expect("\(error)".contains("the store refused \(text)"), "\(error)")
    let failure = try #require(error.failures.first)
    #expect(failure.object == ObjectID("Item", key: 30) && failure.property == property, "\(failure)")
    #expect(try target.rows("SELECT count(*) FROM item") == ["0"])
  }

  @Test("A constraint that waits for the end of the transaction")
  func deferred() throws {
    let text = try text(
      "CREATE TABLE booking(id serial PRIMARY KEY, name text NOT NULL UNIQUE DEFERRABLE INITIALLY DEFERRED)")
    #expect(text.hasPrefix("'name' of Booking is unique in the table 'booking', but no rule"), "\(text)")
    #expect(text.contains("--set"), "\(text)")
  }

  @Test("A trigger that waits for the end of the transaction, with what it proposes")
  func deferredTrigger() throws {
    let text = try text(
      """
      CREATE TABLE booking(id serial PRIMARY KEY, name text NOT NULL);
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF new.id > 1 THEN
          RAISE EXCEPTION 'no more bookings' USING ERRCODE = '23514', HINT = 'ask the owner';
        END IF;
        RETURN NULL;
      END $$;
      CREATE CONSTRAINT TRIGGER waiting AFTER INSERT ON booking DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION refuse()
      """)
    #expect(text.hasPrefix("the store refused a row: no more bookings Hint: ask the owner"), "\(text)")
  }

  @Test(
    "A constraint that waits is told in the model's words after a copy, its dry run, and what is saved later")
  func deferredInOtherOperations() throws {
    func store(_ code: String) throws -> DatabaseFixture {
      try DatabaseFixture(
        """
        version: 1
        name: Bookings
        store: {naming: snakeCase}
        entities: {Booking: {attributes: {name: String, code: String}}}
        """,
        """
        CREATE TABLE booking(id serial PRIMARY KEY, name text NOT NULL UNIQUE DEFERRABLE INITIALLY DEFERRED, code text NOT NULL);
        INSERT INTO booking(name, code) VALUES ('A', '\(code)');
        """)
    }
    let (source, target) = (try store("a"), try store("b"))
    func refuse(_ body: () throws -> Void) {
      let error = #expect(throws: CloneError.self) { try body() }
      #expect(error?.code == .uniqueValue)
      #expect("\(error!)".hasPrefix("'name' of Booking is unique, but another object"), "\(error!)")
    }
    let request = CopyRequest(identifiedBy: ["Booking": ["code"]])
    refuse { try target.graph.copy(from: source.graph, request) }
    refuse { try target.graph.copy(from: source.graph, request, options: TransferOptions(isDryRun: true)) }
    try Cloner().clone(object: target.graph.object("Booking", key: 1), saveBeforeReturn: false)
    refuse { try target.graph.save() }
    #expect(try target.rows("SELECT name, code FROM booking") == ["A|b"])
  }

  @Test(
    "A constraint or a trigger that may wait refuses an import that leaves bad rows out, since it names no row",
    arguments: [
      "ALTER TABLE booking ADD UNIQUE (code) DEFERRABLE",
      "ALTER TABLE booking ADD UNIQUE (code) DEFERRABLE INITIALLY DEFERRED",
      """
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF new.code = 'a' THEN RAISE EXCEPTION 'no more of it' USING ERRCODE = '23514'; END IF;
        RETURN NULL;
      END $$;
      CREATE CONSTRAINT TRIGGER waiting AFTER INSERT ON booking DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION refuse()
      """,
    ])
  func deferredInAnImport(_ waiting: String) throws {
    let store = try DatabaseFixture(
      """
      version: 1
      name: Bookings
      store: {naming: snakeCase}
      entities: {Booking: {attributes: {name: String, code: String}, uniquenessConstraints: [[name]]}}
      """,
      """
      CREATE TABLE booking(id serial PRIMARY KEY, name text NOT NULL UNIQUE, code text NOT NULL);
      INSERT INTO booking(name, code) VALUES ('A', 'a');
      \(waiting)
      """)
    let folder = try TemporaryFolder()
    let file = try folder.write("name,code\nB,b\nC,a\n".utf8, to: "bookings.csv").path
    let mapping = try ImportMapping(yaml: "{entity: Booking, attributes: {name: '@name', code: '@code'}}")
    let options = ImportOptions(badRows: .skip(rejects: folder.file("rejects").path))
    let error = #expect(throws: CloneError.self) {
      _ = try store.graph.importFile(file, mapping: mapping, options: options)
    }
    let code = waiting.contains("UNIQUE") ? DiagnosticCode.uniqueValue : .constraintFailed
    #expect(error?.code == code, "\(String(describing: error))")
    #expect(try store.rows("SELECT name FROM booking") == ["A"])
  }

  @Test(
    "A row that a trigger refuses by an exception is named by an import, or left out",
    arguments: ["", " USING ERRCODE = '23514'"])
  func refusedByATrigger(_ code: String) throws {
    let store = try DatabaseFixture(
      "entities: {Booking: {attributes: {name: String}, uniquenessConstraints: [[name]]}}",
      """
      CREATE TABLE booking(id serial PRIMARY KEY, name text NOT NULL UNIQUE);
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF new.name LIKE 'y%' THEN RAISE EXCEPTION 'no y names'\(code); END IF;
        RETURN new;
      END $$;
      CREATE TRIGGER t BEFORE INSERT ON booking FOR EACH ROW EXECUTE FUNCTION refuse()
      """)
    let folder = try TemporaryFolder()
    let file = try folder.write("name\nb\ny1\nc\ny2\n".utf8, to: "bookings.csv").path
    let mapping = try ImportMapping(yaml: "{entity: Booking, attributes: {name: '@name'}}")
    let error = #expect(throws: CloneError.self) {
      _ = try store.graph.importFile(file, mapping: mapping, options: ImportOptions())
    }
    #expect(error?.code == .constraintFailed && error?.failures.first?.row?.line == 3, "\(error!)")
    #expect("\(error!)".contains("the store refused a row of Booking: no y names"), "\(error!)")
    let rejects = folder.file("rejects")
    let report = try store.graph.importFile(
      file, mapping: mapping, options: ImportOptions(badRows: .skip(rejects: rejects.path)))
    #expect(report?.rejected?.rows == 2)
    #expect(try store.rows("SELECT name FROM booking ORDER BY name") == ["b", "c"])
  }

  @Test("A key that rows of two partitions share")
  func sharedKey() throws {
    let error = try #require(
      try DatabaseFixture(
        """
        version: 1
        name: Bookings
        store: {naming: snakeCase}
        entities: {Booking: {attributes: {year: Integer 32, code: String?}}}
        """,
        """
        CREATE TABLE booking(id bigint NOT NULL, year int NOT NULL, code text) PARTITION BY LIST (year);
        CREATE TABLE booking_2030 PARTITION OF booking(PRIMARY KEY (id)) FOR VALUES IN (2030);
        CREATE TABLE booking_2031 PARTITION OF booking(PRIMARY KEY (id)) FOR VALUES IN (2031);
        INSERT INTO booking VALUES (1, 2030, 'A'), (1, 2031, 'B')
        """
      ).refusal("Booking", 1))
    #expect(error.code == .storeMismatch)
    #expect(
      "\(error)".contains("Booking 1 cannot be cloned, because its key is not unique in the table 'booking'"))
    #expect(!"\(error)".contains("moclone_map"))
  }

  @Test("An index of a partition")
  func partition() throws {
    let store = try DatabaseFixture(
      """
      version: 1
      name: Bookings
      store: {naming: snakeCase}
      entities:
        Booking:
          primaryKey: [{column: id, generate: max}, year]
          attributes: {id: Integer 64, year: Integer 32, code: String?}
      """,
      """
      CREATE TABLE booking(id bigint GENERATED BY DEFAULT AS IDENTITY, year int, code text, PRIMARY KEY (id, year))
        PARTITION BY LIST (year);
      CREATE TABLE booking_2030 PARTITION OF booking FOR VALUES IN (2030);
      CREATE UNIQUE INDEX ON booking(code, year);
      INSERT INTO booking(year, code) VALUES (2030, 'A');
      """)
    let error = try #require(try store.refusal("Booking", ObjectKey(text: "1,2030")))
    #expect(error.code == .uniqueValue)
    #expect(
      "\(error)".hasPrefix("'code' and 'year' of Booking 1,2030 are unique together in the table 'booking'"),
      "\(error)"
    )
  }
}
