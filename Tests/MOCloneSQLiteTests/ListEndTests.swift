import GRDB
import GRDBSQLite
import MOCloneKit
import Testing

/// Clones join lists outside at their end, which is found once a list: looked up for each of them, it takes time that grows with
/// the square of the list.
@Suite("Ends of lists that clones join") struct ListEndTests {
  private static let yaml = """
    entities:
      Shelf:
        relationships: {items: {destination: Item, toMany: true, inverse: shelf}}
      Item:
        relationships:
          shelf: {destination: Shelf, inverse: items}
          box: {destination: Box, inverse: items}
          tags: {destination: Tag, toMany: true, inverse: items,
            joinTable: {table: item_tag, column: item_id, inverseColumn: tag_id}}
      Box:
        attributes: {name: String}
        uniquenessConstraints: [[name]]
        relationships: {items: {destination: Item, toMany: true, ordered: true, inverse: box, orderColumn: place}}
      Tag:
        attributes: {name: String}
        uniquenessConstraints: [[name]]
        relationships: {items: {destination: Item, toMany: true, ordered: true, inverse: tags, orderColumn: place}}
    """

  /// A shelf whose items are in three boxes, or none, and have one of three tags.
  private func store(items: Int) throws -> StoreFixture {
    try StoreFixture(
      Self.yaml,
      """
      CREATE TABLE shelf(id INTEGER PRIMARY KEY);
      CREATE TABLE box(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
      CREATE TABLE tag(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
      CREATE TABLE item(id INTEGER PRIMARY KEY, shelf_id INTEGER, box_id INTEGER, place REAL);
      CREATE TABLE item_tag(item_id INTEGER, tag_id INTEGER, place INTEGER, PRIMARY KEY (item_id, tag_id));
      CREATE INDEX items_of_shelf ON item(shelf_id);
      CREATE INDEX items_of_box ON item(box_id, place);
      CREATE INDEX items_of_tag ON item_tag(tag_id);
      INSERT INTO shelf VALUES (1);
      INSERT INTO box VALUES (1, 'a'), (2, 'b'), (3, 'c');
      INSERT INTO tag VALUES (1, 'a'), (2, 'b'), (3, 'c');
      WITH n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < \(items))
      INSERT INTO item SELECT i, 1, nullif(i % 4, 0), CASE WHEN i % 4 THEN i + 0.5 END FROM n;
      INSERT INTO item_tag SELECT id, 1 + id % 3, \(items) - id FROM item;
      """)
  }

  /// How many steps SQLite takes for the statements of a body.
  private func steps(_ store: StoreFixture, _ body: () throws -> Void) throws -> Int {
    let steps = UnsafeMutablePointer<Int>.allocate(capacity: 1)
    steps.initialize(to: 0)
    defer { steps.deallocate() }
    store.writer.writeWithoutTransaction { db in
      _ = sqlite3_trace_v2(
        db.sqliteConnection, UInt32(SQLITE_TRACE_PROFILE),
        { _, steps, statement, _ in
          let made = sqlite3_stmt_status(OpaquePointer(statement), SQLITE_STMTSTATUS_VM_STEP, 1)
          steps!.assumingMemoryBound(to: Int.self).pointee += Int(made)
          return 0
        }, steps)
    }
    try body()
    store.writer.writeWithoutTransaction { _ = sqlite3_trace_v2($0.sqliteConnection, 0, nil, nil) }
    return steps.pointee
  }

  @Test("Four times the members take about four times the steps")
  func areFoundOnceAList() throws {
    func steps(items: Int) throws -> Int {
      let store = try store(items: items)
      return try self.steps(store) {
        try Cloner().clone("Shelf", keys: [1], in: SQLiteGraph(store.writer, model: store.model))
      }
    }
    let (few, many) = (try steps(items: 400), try steps(items: 1600))
    #expect(few > 0 && many < 6 * few, "\(few) \(many)")
  }

  @Test("So they do in another store") func areFoundOnceAListOfAnotherStore() throws {
    func steps(items: Int) throws -> Int {
      let (source, target) = (try store(items: items), try store(items: 1))
      let graph = SQLiteGraph(source.writer, model: source.model)
      let plan = try graph.plan("Shelf", CloneRequest())
      return try self.steps(target) {
        _ = try SQLiteGraph(target.writer, model: target.model).clone(
          plan, roots: [ObjectID("Shelf", key: 1)], from: graph, SubtreeRequest())
      }
    }
    let (few, many) = (try steps(items: 400), try steps(items: 1600))
    #expect(few > 0 && many < 6 * few, "\(few) \(many)")
  }

  @Test("Clones come behind the members that were there, in their order", arguments: [1, 2])
  func positions(count: Int) throws {
    let store = try store(items: 8)
    try store.clone("Shelf", 1, CloneRequest(count: count))
    let places = (1...(2 * count)).map(Double.init)
    func list(_ last: Double) -> [String] { places.map { "\(last + $0)" } }
    for (box, last) in [(1, 5.5), (2, 6.5), (3, 7.5)] {
      #expect(
        try store.rows("SELECT place FROM item WHERE box_id = \(box) AND id > 8 ORDER BY id") == list(last))
    }
    #expect(try store.rows("SELECT DISTINCT place FROM item WHERE box_id IS NULL") == ["-"])
    let tags = try store.rows(
      "SELECT item_id - 8, place FROM item_tag WHERE tag_id = 2 AND item_id > 8 ORDER BY place")
    let order = (0..<count).flatMap { copy in [7, 4, 1].map { $0 + 8 * copy } }
    #expect(tags == order.enumerated().map { "\($1)|\(8 + $0)" })
  }
}
