import Foundation
import MOCloneKit
import TestSupport
import Testing

/// Foreign keys that the database computes.
@Suite struct GeneratedReferenceTests {
  static let orders = """
    entities:
      Order:
        attributes: {name: String?}
        relationships: {lines: {destination: Line, toMany: true, inverse: order}}
      Line:
        attributes: {data: String?}
        relationships: {order: {destination: Order, optional: true, inverse: lines}}
    """

  private func orders(_ column: String, _ row: String) throws -> StoreFixture {
    try StoreFixture(
      Self.orders,
      """
      CREATE TABLE "order"(id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE line(id INTEGER PRIMARY KEY, data TEXT, \(column));
      INSERT INTO "order" VALUES (1, 'a'), (2, 'b');
      INSERT INTO line(id, data) VALUES \(row);
      """)
  }

  @Test(arguments: ["VIRTUAL", "STORED"])
  func aForeignKeyComputedFromWhatIsCopiedIsRefused(kind: String) throws {
    let store = try orders(
      "order_id INTEGER REFERENCES \"order\"(id) GENERATED ALWAYS AS (json_extract(data, '$.order')) \(kind)",
      "(1, '{\"order\": 1}'), (2, '{\"order\": 2}')")
    let error = try store.refusal("Order", 1)
    #expect(error?.code == .generatedColumn)
    #expect(error?.failures.first?.property == "order")
    // A line alone stays with its order, which is what a link says.
    #expect(try store.clone("Line", 1).linked == ["Order": 1])
    #expect(try store.rows("SELECT order_id FROM line") == ["1", "2", "1"])
    #expect(try store.refusal("Line", 1, CloneRequest(exclude: ["order"]))?.code == .generatedColumn)
    #expect(try store.refusal("Line", 1, CloneRequest(set: ["order": 2]))?.code == .generatedColumn)
  }

  @Test func aCloneThatWouldBeOfAnotherEntityIsRefused() throws {
    let store = try StoreFixture(
      """
      entities:
        Shape: {abstract: true, discriminator: {column: kind}}
        Circle: {parent: Shape, attributes: {radius: {type: Double, optional: true}}}
        Square: {parent: Shape, attributes: {side: {type: Double, optional: true}}}
      """,
      """
      CREATE TABLE shape(id INTEGER PRIMARY KEY, radius REAL, side REAL,
        kind TEXT AS (CASE WHEN radius IS NULL THEN 'Square' ELSE 'Circle' END));
      INSERT INTO shape(id, radius, side) VALUES (1, 2.0, NULL), (2, NULL, 3.0);
      """)
    #expect(try store.refusal("Shape", 1, CloneRequest(exclude: ["radius"]))?.code == .generatedColumn)
    try store.clone("Shape", 1)
    try store.clone("Shape", 2)
    #expect(try store.rows("SELECT kind FROM shape") == ["Circle", "Square", "Circle", "Square"])
  }

  @Test func aForeignKeyComputedFromAMappedColumn() throws {
    let store = try StoreFixture(
      """
      entities:
        Order:
          attributes: {number: {type: Integer 64, column: id}}
          relationships: {lines: {destination: Line, toMany: true, inverse: order}}
        Line:
          attributes: {number: {type: Integer 64, column: order_number, userInfo: {followParent: number, withoutParent: keep}}}
          relationships: {order: {destination: Order, inverse: lines}}
      """,
      """
      CREATE TABLE "order"(id INTEGER PRIMARY KEY);
      CREATE TABLE line(id INTEGER PRIMARY KEY, order_number INTEGER NOT NULL,
        order_id INTEGER AS (order_number) STORED REFERENCES "order"(id));
      INSERT INTO "order" VALUES (1), (2);
      INSERT INTO line(id, order_number) VALUES (1, 1), (2, 1), (3, 2);
      """)
    #expect(try store.clone("Order", 1, CloneRequest(count: 2)).cloned == ["Order": 2, "Line": 4])
    #expect(
      try store.rows("SELECT order_number, order_id FROM line WHERE id > 3") == ["3|3", "3|3", "4|4", "4|4"])
  }

  @Test func aComputedKindBesideTheKeyStaysTheSame() throws {
    let store = try StoreFixture(
      """
      entities:
        Fleet:
          relationships: {vehicles: {destination: Vehicle, toMany: true, inverse: fleet}}
        Vehicle:
          attributes: {type: String}
          relationships:
            fleet: {destination: Fleet, inverse: vehicles}
            truck: {destination: Truck, optional: true, inverse: vehicle}
        Truck:
          attributes: {axles: Integer 64?}
          relationships:
            vehicle:
              destination: Vehicle
              inverse: truck
              column: [{column: id, references: id}, {column: type, references: type}]
      """,
      """
      CREATE TABLE fleet(id INTEGER PRIMARY KEY);
      CREATE TABLE vehicle(id INTEGER PRIMARY KEY, type TEXT NOT NULL, fleet_id INTEGER REFERENCES fleet, UNIQUE (id, type));
      CREATE TABLE truck(id INTEGER PRIMARY KEY, type TEXT GENERATED ALWAYS AS ('truck') STORED, axles INTEGER,
        FOREIGN KEY (id, type) REFERENCES vehicle(id, type));
      INSERT INTO fleet VALUES (1);
      INSERT INTO vehicle VALUES (1, 'truck', 1), (2, 'bus', 1), (3, 'truck', 1);
      INSERT INTO truck(id, axles) VALUES (1, 3), (3, 2);
      """)
    #expect(try store.clone("Fleet", 1).cloned == ["Fleet": 1, "Vehicle": 3, "Truck": 2])
    #expect(try store.rows("SELECT id, type, axles FROM truck WHERE id > 3") == ["4|truck|3", "6|truck|2"])
    #expect(
      try store.refusal("Vehicle", 1, CloneRequest(set: ["type": "van"]))?.code == .generatedColumn)
  }

  private func shop(_ rows: String) throws -> StoreFixture {
    try StoreFixture(
      SharedModel.shop,
      """
      CREATE TABLE product(id INTEGER PRIMARY KEY, type TEXT NOT NULL, name TEXT NOT NULL, UNIQUE (id, type));
      CREATE TABLE book(id INTEGER PRIMARY KEY, product_id INTEGER NOT NULL, pages INTEGER NOT NULL,
        type TEXT GENERATED ALWAYS AS ('book') STORED,
        FOREIGN KEY (product_id, type) REFERENCES product(id, type));
      \(rows)
      """)
  }

  @Test func copiesAndMergesLeaveAComputedKindToTheDatabase() throws {
    let source = try shop(
      """
      INSERT INTO product VALUES (1, 'book', 'B'), (2, 'cd', 'C'), (3, 'book', 'E');
      INSERT INTO book(product_id, pages) VALUES (1, 100);
      """)
    let target = try shop("INSERT INTO product VALUES (1, 'cd', 'X'), (2, 'book', 'B');")
    let graphs = [source, target].map { SQLiteGraph($0.writer, model: $0.model) }
    let books = "SELECT name, b.type, pages FROM book b JOIN product p ON p.id = product_id"
    try graphs[1].copy(from: graphs[0])
    #expect(try target.rows(books) == ["B|book|100"])
    try source.execute("UPDATE book SET product_id = 3")
    try graphs[1].copy(from: graphs[0], CopyRequest(overwrites: true))
    #expect(try target.rows(books) == ["E|book|100"])
    try target.execute(
      """
      INSERT INTO product VALUES (101, 'book', 'E'), (102, 'book', 'B');
      INSERT INTO book(product_id, pages) VALUES (101, 5), (102, 6);
      """)
    try graphs[1].dedupe(DedupeRequest(entities: ["Product"]))
    #expect(try target.rows("SELECT name FROM product ORDER BY 1") == ["B", "C", "E", "X"])
    #expect(try target.rows(books + " ORDER BY pages") == ["E|book|5", "B|book|6", "E|book|100"])
  }

  @Test func whatRefersToDuplicatesByAComputedKeyIsNotMerged() throws {
    let store = try orders(
      "order_id INTEGER REFERENCES \"order\"(id) GENERATED ALWAYS AS (json_extract(data, '$.order')) STORED",
      "(1, '{\"order\": 1}'), (2, '{\"order\": 2}')")
    try store.execute("UPDATE \"order\" SET name = 'a'")
    let before = try store.contents()
    let error = #expect(throws: CloneError.self) {
      try SQLiteGraph(store.writer, model: store.model).dedupe(
        DedupeRequest(entities: ["Order"], identifiedBy: ["Order": ["name"]]))
    }
    #expect(
      error?.failures.first?.help == "change the columns from which the database computes these references")
    #expect(try store.contents() == before)
  }

  static let notes = """
    entities:
      Owner:
        attributes: {code: String}
        relationships: {notes: {destination: Note, toMany: true, inverse: owner}}
        uniquenessConstraints: [[code]]
      Note:
        attributes: {name: String, target: Integer 64}
        relationships: {owner: {destination: Owner, inverse: notes}}
        uniquenessConstraints: [[name]]
    """

  private func notes(_ rows: String) throws -> (store: StoreFixture, graph: SQLiteGraph) {
    let store = try StoreFixture(
      Self.notes,
      """
      CREATE TABLE owner(id INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE);
      CREATE TABLE note(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, target INTEGER NOT NULL,
        owner_id INTEGER AS (target) STORED REFERENCES owner(id));
      \(rows)
      """)
    return (store, SQLiteGraph(store.writer, model: store.model))
  }

  @Test func copiesWhoseComputedReferencesWouldLeadToOthersAreRefused() throws {
    let rows =
      "INSERT INTO owner VALUES (1, 'a'), (2, 'b'); INSERT INTO note(name, target) VALUES ('of b', 2);"
    let source = try notes(rows)
    let empty = try notes("")
    try empty.graph.copy(from: source.graph)
    let owners = "SELECT name, code FROM note JOIN owner ON owner.id = owner_id"
    #expect(try empty.store.rows(owners) == ["of b|b"])
    let filled = try notes("INSERT INTO owner VALUES (1, 'x'), (2, 'y');")
    let before = try filled.store.contents()
    let error = #expect(throws: CloneError.self) { try filled.graph.copy(from: source.graph) }
    #expect(error?.code == .generatedColumn)
    #expect(error?.failures.first?.property == "owner")
    #expect(error?.failures.first?.object == ObjectID("Note", key: 1))
    #expect(try filled.store.contents() == before)
    // What was there keeps what it has, unless it is to be overwritten.
    let other = try notes(
      "INSERT INTO owner VALUES (1, 'x'), (2, 'b'); INSERT INTO note(name, target) VALUES ('of b', 1);")
    try other.graph.copy(from: source.graph)
    #expect(try other.store.rows(owners) == ["of b|x"])
    let overwriting = #expect(throws: CloneError.self) {
      try other.graph.copy(from: source.graph, CopyRequest(overwrites: true))
    }
    #expect(overwriting?.code == .generatedColumn)
  }

  @Test func importsWhoseComputedReferencesLeadToOthersAreRefused() throws {
    let (store, graph) = try notes("INSERT INTO owner VALUES (1, 'a'), (2, 'b');")
    let mapping = try ImportMapping(
      yaml: """
        entity: Note
        attributes: {name: '@name', target: '@target'}
        relationships: {owner: {attributes: {code: '@code'}}}
        """)
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("moclone-computed-\(UUID()).csv")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data("name,target,code\nn,1,b\n".utf8).write(to: file)
    let error = #expect(throws: CloneError.self) { _ = try graph.importFile(file.path, mapping: mapping) }
    #expect(error?.code == .generatedColumn)
    #expect(try store.rows("SELECT count(*) FROM note") == ["0"])
    try Data("name,target,code\nn,2,b\n".utf8).write(to: file)
    _ = try graph.importFile(file.path, mapping: mapping)
    #expect(try store.rows("SELECT name, owner_id FROM note") == ["n|2"])
  }

  @Test func aMappedColumnThatComesOutWrongIsRefused() throws {
    let store = try StoreFixture(
      """
      entities:
        Order:
          relationships: {lines: {destination: Line, toMany: true, inverse: order}}
        Line:
          relationships:
            order: {destination: Order, inverse: lines}
            next: {destination: Line, optional: true, inverse: previous}
            previous: {destination: Line, optional: true, inverse: next, column: previous_id}
      """,
      """
      CREATE TABLE "order"(id INTEGER PRIMARY KEY);
      CREATE TABLE line(id INTEGER PRIMARY KEY, order_id INTEGER AS (id / 100 + 1), previous_id INTEGER);
      INSERT INTO "order" VALUES (1), (2);
      INSERT INTO line(id) VALUES (1), (2), (103);
      """)
    #expect(try store.refusal("Order", 1)?.code == .generatedColumn)
  }

  @Test func aReferencedColumnThatIsGeneratedIsRefused() throws {
    let store = try StoreFixture(
      """
      entities:
        Order:
          attributes: {code: {type: String, optional: true, derived: true}}
          relationships: {lines: {destination: Line, toMany: true, inverse: order}}
          uniquenessConstraints: [[code]]
        Line:
          relationships: {order: {destination: Order, inverse: lines, column: [{column: order_code, references: code}]}}
      """,
      """
      CREATE TABLE "order"(id INTEGER PRIMARY KEY, code TEXT AS ('N' || id) STORED UNIQUE);
      CREATE TABLE line(id INTEGER PRIMARY KEY, order_code TEXT REFERENCES "order"(code));
      INSERT INTO "order"(id) VALUES (1), (2);
      INSERT INTO line VALUES (1, 'N1'), (2, 'N2');
      """)
    #expect(try store.refusal("Order", 1)?.code == .generatedColumn)
    #expect(try store.clone("Line", 1).linked == ["Order": 1])
  }

  @Test func theAdviceOnAUniqueGeneratedColumnNamesWhatItIsComputedFrom() throws {
    let store = try StoreFixture(
      """
      entities:
        Site:
          attributes: {name: String, slug: {type: String, optional: true, derived: true}}
          uniquenessConstraints: [[slug]]
      """,
      """
      CREATE TABLE site(id INTEGER PRIMARY KEY, name TEXT NOT NULL, slug TEXT AS (lower(name)) STORED UNIQUE);
      INSERT INTO site(id, name) VALUES (1, 'A'), (2, 'B');
      """)
    let failure = try #require(try store.refusal("Site", 1)?.failures.first)
    #expect(failure.help == "give 'name' a new value with --set, since the database computes 'slug'")
    let given = try store.refusal("Site", 1, CloneRequest(set: ["name": "b"]))
    #expect(given?.failures.first?.message.contains("--set gives a new root one") == true)
    #expect(try store.clone("Site", 1, CloneRequest(set: ["name": "C"])).cloned == ["Site": 1])
  }

  @Test func aFollowerOfAGeneratedColumnIsRefusedWhereItWouldDiffer() throws {
    let yaml = """
      entities:
        Order:
          attributes: {name: String?, label: {type: String, optional: true, derived: true}}
          relationships: {lines: {destination: Line, toMany: true, inverse: order}}
        Line:
          attributes: {label: {type: String, optional: true, userInfo: {followParent: Order.label, withoutParent: keep}}}
          relationships: {order: {destination: Order, inverse: lines}}
      """
    let store = try StoreFixture(
      yaml.replacing("{name: String?,", with: "{name: {type: String, optional: true},"),
      """
      CREATE TABLE "order"(id INTEGER PRIMARY KEY, name TEXT, label TEXT AS (upper(name)));
      CREATE TABLE line(id INTEGER PRIMARY KEY, order_id INTEGER, label TEXT);
      INSERT INTO "order"(id, name) VALUES (1, 'a');
      INSERT INTO line VALUES (1, 1, 'A');
      """)
    try store.clone("Order", 1)
    #expect(try store.rows("SELECT label FROM line") == ["A", "A"])
    #expect(try store.refusal("Order", 1, CloneRequest(set: ["name": "b"]))?.code == .generatedColumn)
  }
}
