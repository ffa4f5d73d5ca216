import MOCloneKit
import Testing

/// Keys of several columns, and keys that are references.
@Suite struct CompositeKeyTests {
  static let orders = """
    entities:
      Order:
        attributes: {name: String?}
        relationships:
          details: {destination: Detail, toMany: true, inverse: order}
      Product:
        attributes: {name: String?}
        relationships:
          details: {destination: Detail, toMany: true, inverse: product, userInfo: {exclude: ""}}
      Detail:
        primaryKey: [order_id, product_id]
        attributes: {quantity: Integer 32}
        relationships:
          order: {destination: Order, inverse: details}
          product: {destination: Product, inverse: details}
          remarks: {destination: Remark, toMany: true, inverse: detail}
      Remark:
        attributes: {text: String?}
        relationships:
          detail:
            {destination: Detail, inverse: remarks, column: [o, p], references: [order_id, product_id]}
    """
  static let tables = """
    CREATE TABLE "order"(id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE product(id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE detail(order_id INTEGER NOT NULL REFERENCES "order"(id),
      product_id INTEGER NOT NULL REFERENCES product(id), quantity INTEGER NOT NULL,
      PRIMARY KEY(order_id, product_id));
    CREATE TABLE remark(id INTEGER PRIMARY KEY, o INTEGER NOT NULL, p INTEGER NOT NULL, text TEXT,
      FOREIGN KEY(o, p) REFERENCES detail(order_id, product_id));
    INSERT INTO "order" VALUES (10, 'a'), (20, 'b');
    INSERT INTO product VALUES (1, 'x'), (2, 'y');
    INSERT INTO detail VALUES (10, 2, 5), (10, 1, 6), (20, 1, 7);
    INSERT INTO remark VALUES (1, 10, 2, 'r'), (2, 20, 1, 's'), (3, 10, 2, 't');
    """

  @Test func anOrderWithDetailsAndTheirRemarks() throws {
    let store = try StoreFixture(Self.orders, Self.tables)
    let result = try store.clone("Order", 10)
    #expect(result.cloned == ["Order": 1, "Detail": 2, "Remark": 2])
    #expect(result.linked == ["Product": 2])
    #expect(
      try store.rows("SELECT * FROM detail ORDER BY 1, 2")
        == ["10|1|6", "10|2|5", "20|1|7", "21|1|6", "21|2|5"])
    #expect(try store.rows("SELECT * FROM remark WHERE id > 3 ORDER BY id") == ["4|21|2|r", "5|21|2|t"])
  }

  @Test func aCloneInAnotherStoreThatWouldKeepItsWholeKeyIsRefusedWithOtherWays() throws {
    let (source, target) = (
      try StoreFixture(Self.orders, Self.tables), try StoreFixture(Self.orders, Self.tables)
    )
    let graph = SQLiteGraph(source.writer, model: source.model)
    let plan = try ClonePlan(model: source.model, entity: "Detail")
    let root = try graph.object("Detail", key: [10, 2]).id
    let error = #expect(throws: CloneError.self) {
      try SQLiteGraph(target.writer, model: target.model).clone(plan, roots: [root], from: graph)
    }
    #expect(error?.code == .uniqueValue)
    #expect(error?.failures[0].message.contains("--keep-keys") == true)
  }

  @Test func threeCopiesOfAnOrder() throws {
    let store = try StoreFixture(Self.orders, Self.tables)
    let result = try store.clone("Order", 10, CloneRequest(count: 3))
    #expect(result.roots.map(\.key) == [21, 22, 23])
    #expect(
      try store.rows("SELECT o, p, text FROM remark WHERE id > 3 ORDER BY id")
        == ["21|2|r", "21|2|t", "22|2|r", "22|2|t", "23|2|r", "23|2|t"])
  }

  @Test func aDetailAloneNeedsAnotherOrder() throws {
    let store = try StoreFixture(Self.orders, Self.tables)
    #expect(try store.refusal("Detail", [10, 2])?.code == .uniqueValue)
    let result = try store.clone("Detail", [10, 2], CloneRequest(set: ["order": 20]))
    #expect(result.root.key == [20, 2])
    #expect(try store.rows("SELECT * FROM remark WHERE id > 3") == ["4|20|2|r", "5|20|2|t"])
  }

  @Test func aKeyThatIsAForeignKeyOneToOne() throws {
    let store = try StoreFixture(
      """
      entities:
        Person:
          attributes: {name: String?}
          relationships:
            passport: {destination: Passport, optional: true, inverse: person}
        Passport:
          primaryKey: [person_id]
          attributes: {number: String?}
          relationships:
            person: {destination: Person, inverse: passport, column: person_id}
            stamps: {destination: Stamp, toMany: true, inverse: passport}
        Stamp:
          attributes: {land: String?}
          relationships:
            passport: {destination: Passport, inverse: stamps}
      """,
      """
      CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE passport(person_id INTEGER PRIMARY KEY REFERENCES person(id), number TEXT);
      CREATE TABLE stamp(id INTEGER PRIMARY KEY, passport_id INTEGER NOT NULL REFERENCES passport(person_id), land TEXT);
      INSERT INTO person VALUES (1, 'a'), (2, 'b'), (7, 'c');
      INSERT INTO passport VALUES (2, 'n');
      INSERT INTO stamp VALUES (1, 2, 'x'), (2, 2, 'y');
      """)
    try store.clone("Person", 2, CloneRequest(count: 3))
    #expect(
      try store.rows("SELECT * FROM passport ORDER BY 1") == ["2|n", "8|n", "9|n", "10|n"])
    #expect(
      try store.rows("SELECT passport_id, land FROM stamp WHERE id > 2 ORDER BY id")
        == ["8|x", "8|y", "9|x", "9|y", "10|x", "10|y"])
  }

  @Test func aReferenceToACompositeKeyIsGivenAsText() throws {
    let store = try StoreFixture(Self.orders, Self.tables)
    try store.clone("Remark", 1, CloneRequest(set: ["detail": "20,1"]))
    #expect(try store.rows("SELECT * FROM remark WHERE id > 3") == ["4|20|1|r"])
  }

  /// A part that is copied beside one that is generated, and a child whose key refers to both.
  @Test func aCopiedPartBesideAGeneratedOne() throws {
    let store = try StoreFixture(
      """
      entities:
        Note:
          primaryKey: [tenant, {column: id, generate: uuid}]
          attributes: {name: String?}
          relationships: {items: {destination: Item, toMany: true, inverse: note}}
        Item:
          primaryKey: [tenant, note_id, place]
          attributes: {place: Integer 64, name: String?}
          relationships:
            note: {destination: Note, inverse: items, column: [tenant, note_id], references: [tenant, id]}
      """,
      """
      CREATE TABLE note(tenant INTEGER, id TEXT, name TEXT, PRIMARY KEY(tenant, id)) WITHOUT ROWID;
      CREATE TABLE item(tenant INTEGER, note_id TEXT, place INTEGER, name TEXT,
        PRIMARY KEY(tenant, note_id, place), FOREIGN KEY(tenant, note_id) REFERENCES note);
      INSERT INTO note VALUES (1, 'a', 'n'), (2, 'a', 'm');
      INSERT INTO item VALUES (1, 'a', 1, 'x'), (1, 'a', 2, 'y'), (2, 'a', 1, 'z');
      """)
    let result = try store.clone("Note", [1, "a"], CloneRequest(count: 2))
    #expect(result.cloned == ["Note": 2, "Item": 4])
    #expect(result.roots.allSatisfy { $0.key.parts[0] == 1 })
    #expect(
      try store.rows("SELECT tenant, place, name FROM item WHERE note_id <> 'a' ORDER BY note_id, place")
        == ["1|1|x", "1|2|y", "1|1|x", "1|2|y"])
  }

  private func revisions(_ rows: String) throws -> StoreFixture {
    try StoreFixture(
      """
      entities:
        Doc:
          attributes: {name: String}
          relationships:
            current: {destination: Revision, optional: true, inverse: currentOf, column: [id, current]}
            revisions: {destination: Revision, toMany: true, inverse: doc}
        Revision:
          primaryKey: [doc_id, {column: number, generate: max}]
          attributes: {number: Integer 64, text: String?}
          relationships:
            doc: {destination: Doc, inverse: revisions}
            currentOf: {destination: Doc, optional: true, inverse: current}
      """,
      """
      CREATE TABLE doc(id INTEGER PRIMARY KEY, name TEXT NOT NULL, current INTEGER,
        FOREIGN KEY(id, current) REFERENCES revision(doc_id, number) DEFERRABLE INITIALLY DEFERRED);
      CREATE TABLE revision(doc_id INTEGER NOT NULL REFERENCES doc(id), number INTEGER NOT NULL, text TEXT,
        PRIMARY KEY(doc_id, number));

      """ + rows)
  }

  private static let revised = """
    INSERT INTO doc VALUES (3, 'a', 2), (4, 'b', NULL);
    INSERT INTO revision VALUES (3, 1, 'x'), (3, 2, 'y'), (4, 1, 'z');
    """

  /// A reference to what belongs to the row holds its whole key, which is made anew all the same.
  @Test func theCurrentOneOfWhatBelongsToARow() throws {
    let store = try revisions(Self.revised)
    try store.clone("Doc", 3, CloneRequest(count: 2))
    try store.clone("Doc", 4)
    #expect(
      try store.rows("SELECT * FROM doc WHERE id > 4 ORDER BY id") == ["5|a|2", "6|a|2", "7|b|-"])
    #expect(
      try store.rows("SELECT * FROM revision WHERE doc_id > 4 ORDER BY 1, 2")
        == ["5|1|x", "5|2|y", "6|1|x", "6|2|y", "7|1|z"])
  }

  @Test(arguments: [true, false])
  func theCurrentOneOfWhatBelongsToARowInAnotherStore(keepsKeys: Bool) throws {
    let (source, target) = (try revisions(Self.revised), try revisions(""))
    let from = SQLiteGraph(source.writer, model: source.model)
    try SQLiteGraph(target.writer, model: target.model).clone(
      from.plan("Doc", CloneRequest()), roots: [from.object("Doc", key: 3).id], from: from,
      SubtreeRequest(keepsKeys: keepsKeys))
    let key = keepsKeys ? 3 : 1
    #expect(try target.rows("SELECT * FROM doc") == ["\(key)|a|2"])
    #expect(try target.rows("SELECT * FROM revision ORDER BY number") == ["\(key)|1|x", "\(key)|2|y"])
  }

  @Test(arguments: [true, false])
  func oneWithoutAPredecessorWhoseKeySharesItsColumnComesIntoAnotherStore(keepsKeys: Bool) throws {
    let model = """
      entities:
        Project:
          attributes: {name: String}
          relationships: {builds: {destination: Build, toMany: true, inverse: project}}
        Build:
          primaryKey: [{column: id, generate: max}, part]
          attributes: {name: String}
          relationships:
            project: {destination: Project, inverse: builds}
            before: {destination: Build, optional: true, column: [before_id, part]}
      """
    let tables = """
      CREATE TABLE project(id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE build(id INTEGER NOT NULL, part INTEGER NOT NULL, project_id INTEGER NOT NULL REFERENCES project, name TEXT,
        before_id INTEGER, PRIMARY KEY (id, part), FOREIGN KEY (before_id, part) REFERENCES build(id, part));
      """
    let source = try StoreFixture(
      model,
      tables + """
        INSERT INTO project VALUES (1, 'p');
        INSERT INTO build VALUES (1, 100, 1, 'a', NULL), (2, 100, 1, 'b', 1);
        """)
    let from = SQLiteGraph(source.writer, model: source.model)
    let target = try StoreFixture(model, tables)
    try SQLiteGraph(target.writer, model: target.model).clone(
      from.plan("Project", CloneRequest()), roots: [from.object("Project", key: 1).id], from: from,
      SubtreeRequest(keepsKeys: keepsKeys))
    let rows =
      "SELECT b.name, b.part, coalesce(a.name, '-') FROM build b LEFT JOIN build a ON a.id = b.before_id AND a.part = b.part"
    #expect(try target.rows(rows + " ORDER BY 1") == ["a|100|-", "b|100|a"])
    let copy = try StoreFixture(model, tables)
    let report = try SQLiteGraph(copy.writer, model: copy.model).copy(from: from)
    #expect(report.skipped == nil)
    #expect(try copy.rows(rows + " ORDER BY 1") == ["a|100|-", "b|100|a"])
  }
  /// Devices of users, which share a UUID where one device is used by several.
  private func devices(_ rows: String) throws -> StoreFixture {
    try StoreFixture(
      """
      entities:
        User:
          attributes: {email: String}
          relationships: {devices: {destination: Device, toMany: true, inverse: user}}
          uniquenessConstraints: [[email]]
        Device:
          primaryKey: [{column: uuid, generate: uuid}, user_id]
          attributes: {uuid: UUID, name: String}
          relationships:
            user: {destination: User, inverse: devices}
            logins: {destination: Login, toMany: true, inverse: device}
        Login:
          attributes: {text: String}
          relationships:
            device: {destination: Device, inverse: logins, column: [device_uuid, user_id], references: [uuid, user_id]}
      """,
      """
      CREATE TABLE user(id INTEGER PRIMARY KEY, email TEXT NOT NULL);
      CREATE TABLE device(uuid TEXT NOT NULL, user_id INTEGER NOT NULL REFERENCES user(id), name TEXT NOT NULL,
        PRIMARY KEY (uuid, user_id));
      CREATE TABLE login(id INTEGER PRIMARY KEY, device_uuid TEXT NOT NULL, user_id INTEGER NOT NULL, text TEXT NOT NULL,
        FOREIGN KEY (device_uuid, user_id) REFERENCES device(uuid, user_id));

      """ + rows)
  }

  private static let device = "A0000000-0000-4000-8000-000000000001"
  private static let logins = """
    SELECT d.name, u.email, d.uuid = '\(device)', l.text FROM device d JOIN user u ON u.id = d.user_id
    LEFT JOIN login l ON l.device_uuid = d.uuid AND l.user_id = d.user_id ORDER BY d.name
    """
  private static let used = """
    INSERT INTO device VALUES ('\(device)', 1, 'x'), ('\(device)', 2, 'y');
    INSERT INTO login VALUES (1, '\(device)', 1, 'of x'), (2, '\(device)', 2, 'of y');
    """

  @Test func aUUIDBesideAReferenceIsKeptInACopyWhereTheKeyIsFree() throws {
    let source = try devices("INSERT INTO user VALUES (1, 'a'), (2, 'b');" + Self.used)
    let target = try devices(
      "INSERT INTO user VALUES (7, 'a'); INSERT INTO device VALUES ('\(Self.device)', 7, 'theirs');")
    let (from, into) = (
      SQLiteGraph(source.writer, model: source.model), SQLiteGraph(target.writer, model: target.model)
    )
    let report = try into.seed(from: from)
    #expect(try target.rows(Self.logins) == ["theirs|a|1|-", "x|a|0|of x", "y|b|1|of y"])
    #expect(
      try into.lacking(of: from, seeded: report).contains(
        "Device: 'uuid' is a part of its key, so new objects may have other values; pass --by Device=uuid,user"
      ))
    #expect(
      try into.copy(from: from, CopyRequest(entities: ["Device"])).created == ["Device": 2, "Login": 2])
    let byKey = CopyRequest(entities: ["Device"], identifiedBy: ["Device": ["uuid", "user"]])
    #expect(try into.copy(from: from, byKey).created == ["Login": 2])
  }

  @Test(arguments: [
    "", "PRAGMA defer_foreign_keys = ON; UPDATE device SET uuid = lower(uuid) WHERE user_id = 2;",
  ])
  func oneOfTwoUUIDsOfWhatBecomesOneObjectIsKept(otherLetterCase: String) throws {
    let source = try devices(
      "INSERT INTO user VALUES (1, 'c'), (2, 'c');" + Self.used + otherLetterCase
        + "UPDATE login SET device_uuid = (SELECT uuid FROM device d WHERE d.user_id = login.user_id)")
    let target = try devices("")
    try SQLiteGraph(target.writer, model: target.model).copy(
      from: SQLiteGraph(source.writer, model: source.model), CopyRequest(joinsDuplicates: true))
    #expect(try target.rows(Self.logins) == ["x|c|1|of x", "y|c|0|of y"])
    #expect(try target.rows("SELECT count(DISTINCT upper(uuid)) FROM device") == ["2"])
  }
}
