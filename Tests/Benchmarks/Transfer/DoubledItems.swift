import Foundation
import MOCloneKit

/// A store of items, one in ten of which is the double of another one; those and their originals have parts.
struct DoubledItems {
  let count: Int

  var store: String { "doubles-\(count).sqlite" }
  private var doubles: Int { count / 10 }

  static let model = """
    version: 1
    name: Doubles
    entities:
      Item:
        attributes:
          name: String
          note: String?
          price: Double?
          modified: Date?
        relationships:
          parts: {destination: Part, toMany: true, inverse: item, deleteRule: cascade}
      Part:
        attributes: {text: String}
        relationships:
          item: {destination: Item, inverse: parts}
    """

  /// Every ninth item has a double later on, of which every second one is newer; the older one has the note.
  func make(at path: String) throws {
    let connection = try Connection(path)
    try connection.execute("PRAGMA journal_mode = WAL; BEGIN")
    try connection.makeTables(Self.model)
    let item = try connection.prepare(
      "INSERT INTO item(id, name, note, price, modified) VALUES (?, ?, ?, ?, ?)")
    let part = try connection.prepare("INSERT INTO part(item_id, text) VALUES (?, ?)")
    for i in 0..<count {
      let isDouble = i >= count - doubles
      let number = isDouble ? (i - (count - doubles)) * 9 : i
      let isNewer = isDouble == (number % 2 == 0)
      try item.run([
        .integer(Int64(i + 1)), .text("Item " + String(10_000_000 + number)),
        isNewer ? .null : .text("note \(i)"),
        .double(Double(i) / 4), .text(isNewer ? "2025-06-01T00:00:00.000Z" : "2025-01-01T00:00:00.000Z"),
      ])
      guard isDouble || (i % 9 == 0 && i / 9 < doubles) else { continue }
      for text in ["a", "b"] { try part.run([.integer(Int64(i + 1)), .text(text)]) }
    }
    try connection.execute("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)")
  }

  /// Looks whether a store holds what it must hold afterwards.
  func check(_ path: String, _ name: String) throws {
    let checks = try StoreChecks(path, of: name)
    try checks.expect("SELECT count(*) FROM item", count - doubles)
    try checks.expect("SELECT count(DISTINCT name) FROM item", count - doubles)
    try checks.expect("SELECT count(*) FROM part", 4 * doubles)
    try checks.expect(
      "SELECT count(*) FROM (SELECT 1 FROM part GROUP BY item_id HAVING count(*) = 4)", doubles)
    try checks.expect(
      "SELECT count(DISTINCT i.id) FROM item i JOIN part p ON p.item_id = i.id WHERE i.note IS NOT NULL",
      doubles)
    try checks.expect(
      "SELECT count(DISTINCT i.id) FROM item i JOIN part p ON p.item_id = i.id WHERE (i.id > \(count - doubles)) "
        + "= ((substr(i.name, 6) - 10000000) % 2 = 0)", doubles)
    try checks.expectForeignKeysHold()
  }
}

extension Work {
  static let doublesByMoclone = Work("doubles-moclone") { input in
    let graph = try SQLiteGraph(path: input.path, model: ObjectModel(yaml: DoubledItems.model))
    try graph.dedupe(DedupeRequest(entities: ["Item"], identifiedBy: ["Item": ["name"]], listedGroups: 20))
    try graph.close()
  }

  static let doublesBySQL = Work("doubles-sql") { input in
    try Connection(input.path).execute(
      """
      BEGIN IMMEDIATE;
      CREATE TEMP TABLE map(loser INTEGER PRIMARY KEY, survivor INTEGER);
      INSERT INTO map SELECT id, survivor FROM (
        SELECT i.id, first_value(i.id) OVER (PARTITION BY i.name ORDER BY i.modified DESC,
          (i.note IS NOT NULL) + (i.price IS NOT NULL) DESC, i.id) AS survivor
        FROM item i WHERE i.name IN (SELECT name FROM item GROUP BY name HAVING count(*) > 1))
      WHERE id <> survivor;
      CREATE INDEX temp.map_survivor ON map(survivor);
      UPDATE part SET item_id = (SELECT survivor FROM map WHERE loser = item_id)
        WHERE item_id IN (SELECT loser FROM map);
      UPDATE item SET modified = strftime('%Y-%m-%dT%H:%M:%fZ', 'now'),
        note = coalesce(note, (SELECT l.note FROM map m JOIN item l ON l.id = m.loser
          WHERE m.survivor = item.id AND l.note IS NOT NULL LIMIT 1)),
        price = coalesce(price, (SELECT l.price FROM map m JOIN item l ON l.id = m.loser
          WHERE m.survivor = item.id AND l.price IS NOT NULL LIMIT 1))
        WHERE id IN (SELECT survivor FROM map) AND (note IS NULL OR price IS NULL);
      DELETE FROM item WHERE id IN (SELECT loser FROM map);
      COMMIT
      """)
  }
}
