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
        relationships: {items: {destination: Item, toMany: true, ordered: true, inverse: box, orderColumn: place}}
      Tag:
        relationships: {items: {destination: Item, toMany: true, ordered: true, inverse: tags, orderColumn: place}}
    """

  /// A shelf whose items are in three boxes, or none, and have one of three tags.
  private func store(items: Int) throws -> StoreFixture {
    try StoreFixture(
      Self.yaml,
      """
      CREATE TABLE shelf(id INTEGER PRIMARY KEY);
      CREATE TABLE box(id INTEGER PRIMARY KEY);
      CREATE TABLE tag(id INTEGER PRIMARY KEY);
      CREATE TABLE item(id INTEGER PRIMARY KEY, shelf_id INTEGER, box_id INTEGER, place REAL);
      CREATE TABLE item_tag(item_id INTEGER, tag_id INTEGER, place INTEGER, PRIMARY KEY (item_id, tag_id));
      CREATE INDEX items_of_shelf ON item(shelf_id);
      CREATE INDEX items_of_box ON item(box_id);
      CREATE INDEX items_of_tag ON item_tag(tag_id);
      INSERT INTO shelf VALUES (1);
      INSERT INTO box VALUES (1), (2), (3);
      INSERT INTO tag VALUES (1), (2), (3);
      WITH n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < \(items))
      INSERT INTO item SELECT i, 1, nullif(i % 4, 0), CASE WHEN i % 4 THEN i + 0.5 END FROM n;
      INSERT INTO item_tag SELECT id, 1 + id % 3, \(items) - id FROM item;
      """)
  }

  /// How many hundreds of its steps SQLite takes for a clone of the shelf.
  private func steps(items: Int) throws -> Int {
    let store = try store(items: items)
    let steps = UnsafeMutablePointer<Int>.allocate(capacity: 1)
    steps.initialize(to: 0)
    defer { steps.deallocate() }
    try store.writer.writeWithoutTransaction { db in
      sqlite3_progress_handler(
        db.sqliteConnection, 100,
        { steps in
          steps!.assumingMemoryBound(to: Int.self).pointee += 1
          return 0
        }, steps)
    }
    try Cloner().clone("Shelf", keys: [1], in: SQLiteGraph(store.writer, model: store.model))
    store.writer.writeWithoutTransaction { sqlite3_progress_handler($0.sqliteConnection, 0, nil, nil) }
    return steps.pointee
  }

  @Test("Four times the members take about four times the steps")
  func areFoundOnceAList() throws {
    let (few, many) = (try steps(items: 400), try steps(items: 1600))
    #expect(many < 6 * few, "\(few) \(many)")
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
