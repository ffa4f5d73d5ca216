import MOCloneEngine
import MOCloneModel
import TestSupport
import Testing

@testable import MOClonePostgres

@Suite(
  "References to unique keys that are renewed, in a server",
  .enabled(if: TestDatabase.isAvailable, "\(TestDatabase.comment)"))
struct RenewedKeyTests {
  /// Entities that are identified by such a reference come first in the model.
  private static let model = """
    version: 1
    name: Clinic
    entities:
      Appointment:
        attributes: {note: String}
        relationships:
          doctor: {destination: Doctor, inverse: appointments, column: [{column: doctor_user_id, references: user_id}]}
        uniquenessConstraints: [[doctor]]
      Doctor:
        attributes: {spec: String}
        relationships:
          user: {destination: User, inverse: doctor}
          appointments: {destination: Appointment, toMany: true, inverse: doctor}
        uniquenessConstraints: [[spec], [user]]
      User:
        attributes: {name: String}
        relationships: {doctor: {destination: Doctor, optional: true, inverse: user}}
        uniquenessConstraints: [[name]]
    """

  private static let tables = """
    CREATE TABLE "user"(id bigserial PRIMARY KEY, name text NOT NULL UNIQUE);
    CREATE TABLE doctor(id bigserial PRIMARY KEY, spec text NOT NULL UNIQUE, user_id bigint NOT NULL UNIQUE REFERENCES "user");
    CREATE TABLE appointment(id bigserial PRIMARY KEY, note text, doctor_user_id bigint NOT NULL UNIQUE REFERENCES doctor(user_id));
    """

  @Test("What is identified by one is copied once its key is known, and found again")
  func identified() throws {
    let source = try DatabaseFixture(
      Self.model,
      Self.tables + """
        INSERT INTO "user"(name) VALUES ('a'), ('b'); INSERT INTO doctor(spec, user_id) VALUES ('sa', 1), ('sb', 2);
        INSERT INTO appointment(note, doctor_user_id) VALUES ('of a', 1), ('of b', 2);
        """)
    let target = try DatabaseFixture(
      Self.model,
      Self.tables + """
        INSERT INTO "user"(name) VALUES ('p'), ('q'), ('b'); INSERT INTO doctor(spec, user_id) VALUES ('sp', 1), ('sb', 3);
        INSERT INTO appointment(note, doctor_user_id) VALUES ('of p', 1);
        """)
    let report = try target.graph.copy(from: source.graph)
    #expect(report.skipped == nil && report.created == ["Appointment": 2, "Doctor": 1, "User": 1])
    let links = """
      SELECT a.note, u.name FROM appointment a JOIN doctor d ON d.user_id = a.doctor_user_id JOIN "user" u ON u.id = d.user_id
      ORDER BY 1
      """
    #expect(try target.rows(links) == ["of a|a", "of b|b", "of p|p"])
    #expect(try target.graph.copy(from: source.graph).changes == 0)
  }
  private func notes(_ key: String, _ rows: String) throws -> DatabaseFixture {
    try DatabaseFixture(
      SharedModel.pairs,
      """
      CREATE TABLE note(id bigserial PRIMARY KEY, name text NOT NULL);
      CREATE TABLE tag(id bigserial PRIMARY KEY, name text NOT NULL);
      CREATE TABLE pair(id \(key) PRIMARY KEY, note bigint NOT NULL REFERENCES note, tag bigint NOT NULL REFERENCES tag,
        UNIQUE (note, tag));
      INSERT INTO note(name) VALUES ('n');
      INSERT INTO tag(name) VALUES ('a'), ('b');
      INSERT INTO pair VALUES \(rows);
      """)
  }

  @Test("Numbers of join rows are counted anew in a copy", arguments: ["bigserial", "bigint"])
  func joinRows(key: String) throws {
    let source = try notes(key, "(10, 1, 2), (11, 1, 1)")
    let target = try notes(key, "(10, 1, 1), (11, 1, 2)")
    try target.graph.copy(from: source.graph)
    #expect(try target.rows("SELECT note, tag FROM pair WHERE note = 2 ORDER BY id") == ["2|4", "2|3"])
    #expect(try target.rows("SELECT count(*) FROM pair") == ["4"])
  }

  @Test("Join rows with keys of their own are cloned", arguments: ["bigserial", "bigint", "uuid", "text"])
  func clonedJoinRows(key: String) throws {
    let id = { (number: Int) in
      key.hasPrefix("big") ? "1\(number)" : "'a0000000-0000-4000-8000-00000000000\(number)'"
    }
    let store = try notes(key, "(\(id(0)), 1, 2), (\(id(1)), 1, 1)")
    if key == "bigserial" { _ = try store.rows("SELECT setval('pair_id_seq', 11)") }
    let note = try store.graph.object("Note", key: 1)
    try Cloner().clone(object: note)
    try Cloner(keepsMapping: true).clone(object: note, request: CloneRequest(count: 2))
    let order = key.hasPrefix("big") ? "id" : "note, tag DESC"
    #expect(
      try store.rows("SELECT note, tag FROM pair WHERE note > 1 ORDER BY \(order)")
        == [2, 3, 4].flatMap { ["\($0)|2", "\($0)|1"] })
  }

  @Test("UUIDs of join rows are kept in a copy where they are free")
  func joinRowsWithUUIDs() throws {
    func id(_ number: Int) -> String { "'a0000000-0000-4000-8000-00000000000\(number)'" }
    let source = try notes("uuid", "(\(id(1)), 1, 2), (\(id(2)), 1, 1)")
    let target = try notes("uuid", "(\(id(1)), 1, 1)")
    try target.graph.copy(from: source.graph)
    let kept = "CASE id WHEN \(id(1)) THEN 'taken' WHEN \(id(2)) THEN 'free' ELSE 'new' END"
    #expect(
      try target.rows("SELECT \(kept), note, tag FROM pair ORDER BY note, tag")
        == ["taken|1|1", "free|2|3", "new|2|4"])
  }

  @Test("A UUID beside a reference is kept in a copy where the key is free", arguments: ["uuid", "text"])
  func besideReference(type: String) throws {
    let id = "'A0000000-0000-4000-8000-000000000001'"
    let model = """
      version: 1
      name: Devices
      entities:
        Member:
          attributes: {email: String}
          relationships: {devices: {destination: Device, toMany: true, inverse: member}}
          uniquenessConstraints: [[email]]
        Device:
          primaryKey: [{column: uuid, generate: uuid}, member_id]
          attributes: {name: String}
          relationships: {member: {destination: Member, inverse: devices}}
      """
    let tables = """
      CREATE TABLE member(id bigserial PRIMARY KEY, email text NOT NULL UNIQUE);
      CREATE TABLE device(uuid \(type) NOT NULL, member_id bigint NOT NULL REFERENCES member, name text NOT NULL,
        PRIMARY KEY (uuid, member_id));

      """
    let source = try DatabaseFixture(
      model,
      tables + """
        INSERT INTO member(email) VALUES ('a'), ('b');
        INSERT INTO device VALUES (\(id), 1, 'x'), (\(id), 2, 'y');
        """)
    let target = try DatabaseFixture(
      model,
      tables + "INSERT INTO member(email) VALUES ('a'); INSERT INTO device VALUES (\(id), 1, 'theirs');")
    try target.graph.copy(from: source.graph)
    let rows = """
      SELECT d.name, m.email, CASE d.uuid WHEN \(id) THEN 'kept' ELSE 'new' END FROM device d
      JOIN member m ON m.id = d.member_id ORDER BY d.name
      """
    #expect(try target.rows(rows) == ["theirs|a|kept", "x|a|new", "y|b|kept"])
  }

  /// Slots are told apart within their box.
  private static let boxes = """
    version: 1
    name: Boxes
    entities:
      Slot:
        primaryKey: [box_id, code]
        attributes: {label: String}
        relationships:
          box: {destination: Box, inverse: slots}
          uses: {destination: Use, toMany: true, inverse: slot}
          tags:
            destination: Tag
            toMany: true
            inverse: slots
            joinTable: {table: slot_tag, column: [box_id, code], inverseColumn: tag_id}
      Box:
        attributes: {name: String}
        relationships: {slots: {destination: Slot, toMany: true, inverse: box}}
        uniquenessConstraints: [[name]]
      Tag:
        attributes: {name: String}
        relationships: {slots: {destination: Slot, toMany: true, inverse: tags}}
      Use:
        attributes: {name: String}
        relationships:
          slot:
            destination: Slot
            optional: true
            inverse: uses
            column: [s_box, s_code]
            references: [box_id, code]
    """

  /// - Parameter rule: what the foreign keys are declared with; nil where none are declared.
  private func boxes(_ rule: String?) -> String {
    func key(_ columns: String) -> String {
      rule.map { ", FOREIGN KEY (\(columns)) REFERENCES slot \($0)" } ?? ""
    }
    return """
      CREATE TABLE box(id bigserial PRIMARY KEY, name text NOT NULL);
      CREATE TABLE slot(box_id bigint NOT NULL, code text NOT NULL, label text NOT NULL, PRIMARY KEY (box_id, code));
      CREATE TABLE tag(id bigserial PRIMARY KEY, name text NOT NULL);
      CREATE TABLE slot_tag(box_id bigint, code text, tag_id bigint, PRIMARY KEY (box_id, code, tag_id)\(key("box_id, code")));
      CREATE TABLE use(id bigserial PRIMARY KEY, name text NOT NULL, s_box bigint, s_code text\(key("s_box, s_code")));
      INSERT INTO box(name) VALUES ('A'), ('A'); INSERT INTO slot VALUES (1, 'b', 'L'), (2, 'c', 'M');
      INSERT INTO tag(name) VALUES ('red'), ('blue'); INSERT INTO slot_tag VALUES (1, 'b', 1), (2, 'c', 2);
      INSERT INTO use(name, s_box, s_code) VALUES ('u', 1, 'b'), ('v', 2, 'c');
      """
  }

  @Test("Join rows and references follow a row whose key becomes another one with its owner")
  func followers() throws {
    for rule in ["DEFERRABLE", "ON UPDATE CASCADE", nil] {
      let fixture = try DatabaseFixture(Self.boxes, boxes(rule))
      try fixture.graph.dedupe(DedupeRequest(entities: ["Box"]))
      #expect(try fixture.rows("SELECT box_id, code FROM slot ORDER BY code") == ["1|b", "1|c"])
      #expect(
        try fixture.rows("SELECT box_id, code, tag_id FROM slot_tag ORDER BY code") == ["1|b|1", "1|c|2"])
      #expect(try fixture.rows("SELECT s_box, s_code FROM use ORDER BY id") == ["1|b", "1|c"])
    }
  }

  @Test("A foreign key that is checked at once is named with what to do about it")
  func checkedAtOnce() throws {
    let fixture = try DatabaseFixture(Self.boxes, boxes(""))
    let error = #expect(throws: CloneError.self) {
      try fixture.graph.dedupe(DedupeRequest(entities: ["Box"]))
    }
    #expect(error?.code == .constraintFailed && error?.failures.first?.property == "tags")
    for text in ["'Slot.tags'", "(2, c)", "ALTER CONSTRAINT \"slot_tag_box_id_code_fkey\" DEFERRABLE"] {
      #expect("\(error!)".contains(text))
    }
    #expect(try fixture.rows("SELECT box_id, code FROM slot ORDER BY code") == ["1|b", "2|c"])
  }

  @Test(
    "A merge that needs two values in a column of two references is refused with the cause",
    arguments: ["", "DEFERRABLE"])
  func sharedColumns(_ rule: String) throws {
    let fixture = try DatabaseFixture(
      """
      version: 1
      name: Bank
      entities:
        Account:
          attributes: {currency: String, name: String}
          relationships:
            spent: {destination: Payment, toMany: true, inverse: payer}
            got: {destination: Payment, toMany: true, inverse: payee}
        Payment:
          relationships:
            payer:
              destination: Account
              inverse: spent
              column: [{column: payer, references: id}, {column: currency, references: currency}]
            payee:
              destination: Account
              inverse: got
              column: [{column: payee, references: id}, {column: currency, references: currency}]
      """,
      """
      CREATE TABLE account(id serial PRIMARY KEY, currency text NOT NULL, name text NOT NULL, UNIQUE (id, currency));
      CREATE TABLE payment(id serial PRIMARY KEY, payer int NOT NULL, payee int NOT NULL, currency text NOT NULL,
        FOREIGN KEY (payer, currency) REFERENCES account(id, currency) \(rule),
        FOREIGN KEY (payee, currency) REFERENCES account(id, currency) \(rule));
      INSERT INTO account(currency, name) VALUES ('EUR', 'a'), ('USD', 'b'), ('USD', 'a'), ('USD', 'a');
      INSERT INTO payment(payer, payee, currency) VALUES (3, 2, 'USD'), (4, 2, 'USD');
      """)
    let error = #expect(throws: CloneError.self) {
      try fixture.graph.dedupe(DedupeRequest(entities: ["Account"], identifiedBy: ["Account": ["name"]]))
    }
    #expect(error?.code == .constraintFailed)
    for text in ["'currency' of Payment", "'Payment.payer' and 'Payment.payee'"] {
      #expect("\(error!)".contains(text), "\(error!)")
    }
    #expect(!"\(error!)".contains("DEFERRABLE"))
    // What the advice says.
    try fixture.graph.dedupe(
      DedupeRequest(entities: ["Account"], identifiedBy: ["Account": ["name", "currency"]]))
    #expect(
      try fixture.rows("SELECT payer, payee, currency FROM payment ORDER BY id") == ["3|2|USD", "3|2|USD"])
  }
}
