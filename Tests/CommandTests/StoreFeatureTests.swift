import Foundation
import GRDB
import Testing

/// What a schema may use of SQLite in tables, indexes and triggers, beside tables of the model.
@Suite("Stores with virtual tables, checks and indexes on functions")
struct StoreFeatureTests {
  struct Feature: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var sql: String
    /// What follows a clone of note 42 by its triggers, and how many there are then.
    var count: (sql: String, expected: Int) = ("SELECT count(*) FROM note", 2)
  }

  static let features = [
    Feature(
      testDescription: "FTS5 with external content",
      sql: """
        CREATE VIRTUAL TABLE item_search USING fts5(name, content='item', content_rowid='pk');
        INSERT INTO item_search(rowid, name) SELECT pk, name FROM item;
        CREATE TRIGGER item_added AFTER INSERT ON item BEGIN
          INSERT INTO item_search(rowid, name) VALUES (new.pk, new.name);
        END;
        CREATE TRIGGER item_changed AFTER UPDATE ON item BEGIN
          INSERT INTO item_search(item_search, rowid, name) VALUES ('delete', old.pk, old.name);
          INSERT INTO item_search(rowid, name) VALUES (new.pk, new.name);
        END;
        """, count: ("SELECT count(*) FROM item_search WHERE item_search MATCH 'oats'", 2)),
    Feature(
      testDescription: "FTS4",
      sql: """
        CREATE VIRTUAL TABLE item_search USING fts4(name);
        INSERT INTO item_search(docid, name) SELECT pk, name FROM item;
        CREATE TRIGGER item_added AFTER INSERT ON item BEGIN
          INSERT INTO item_search(docid, name) VALUES (new.pk, new.name);
        END;
        """, count: ("SELECT count(*) FROM item_search WHERE item_search MATCH 'oats'", 2)),
    Feature(
      testDescription: "R-tree",
      sql: """
        CREATE VIRTUAL TABLE item_range USING rtree(pk, low, high);
        INSERT INTO item_range SELECT pk, quantity, quantity + 1 FROM item;
        CREATE TRIGGER item_added AFTER INSERT ON item BEGIN
          INSERT INTO item_range VALUES (new.pk, new.quantity, new.quantity + 1);
        END;
        """, count: ("SELECT count(*) FROM item_range WHERE low >= 80", 4)),
    Feature(
      testDescription: "CHECK with json_valid",
      sql: "ALTER TABLE item ADD COLUMN extra TEXT DEFAULT '[]' CHECK (json_valid(extra))",
      count: ("SELECT count(*) FROM item WHERE extra = '[]'", 4)),
    Feature(
      testDescription: "index on a JSON expression",
      sql: """
        ALTER TABLE item ADD COLUMN extra TEXT;
        UPDATE item SET extra = '{"brand": "Alp"}';
        CREATE INDEX item_on_brand ON item(json_extract(extra, '$.brand'));
        """, count: ("SELECT count(*) FROM item WHERE json_extract(extra, '$.brand') = 'Alp'", 4)),
    Feature(
      testDescription: "generated column on JSON",
      sql: """
        ALTER TABLE item ADD COLUMN extra TEXT;
        ALTER TABLE item ADD COLUMN brand TEXT AS (json_extract(extra, '$.brand')) VIRTUAL;
        UPDATE item SET extra = '{"brand": "Alp"}';
        """, count: ("SELECT count(*) FROM item WHERE brand = 'Alp'", 4)),
  ]

  @Test("are cloned in, shown, validated and imported into", arguments: features)
  func written(_ feature: Feature) throws {
    let space = try Workspace()
    try DatabaseQueue(path: space.store).write { try $0.execute(sql: feature.sql) }
    func succeeds(_ arguments: String...) throws {
      let run = try run("moclone", arguments, in: space.folder)
      #expect(run.status == 0, "\(arguments): \(run.errors)")
    }
    try succeeds("note", "42", "--dry-run")
    try succeeds("note", "42")
    #expect(try space.number(feature.count.sql) == feature.count.expected)
    try succeeds("show", "note", "43")
    try succeeds("plan", "note", "43")
    try succeeds("store", "info")
    try succeeds("validate", "--store", space.store)
    try "entity: Item\nattributes: {name: '@name', quantity: '@quantity'}\n"
      .write(to: space.folder.appendingPathComponent("map.yml"), atomically: true, encoding: .utf8)
    try "name,quantity\nHoney,7\n"
      .write(to: space.folder.appendingPathComponent("items.csv"), atomically: true, encoding: .utf8)
    try succeeds("import", "items.csv", "--mapping", "map.yml", "--dry-run")
    try succeeds("import", "items.csv", "--mapping", "map.yml")
    #expect(try space.number("SELECT count(*) FROM item WHERE name = 'Honey'") == 1)
    try succeeds("clone", "note", "43", "--into", "other.sqlite", "--keep-keys")
    let faults = "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'"
    #expect(try space.number(faults) == 0)
  }
}
