import Foundation
import GRDB
import MOCloneKit
import Testing

/// Unique indexes that hold some rows only, or compare what is computed from values.
@Suite("Unique indexes of some rows, of expressions and of generated columns")
struct PartialIndexTests {
  private static let indexes = ["it(q)", "it(q) WHERE live", "it(abs(q))", "it(g)"]

  private func store(_ index: String, _ rows: String) throws -> StoreFixture {
    try StoreFixture(
      """
      entities:
        It:
          attributes: {name: String, q: Integer 64?, live: Boolean?, note: String?, modified: Date?}
          uniquenessConstraints: [[name]]
      """,
      """
      CREATE TABLE it(
        id INTEGER PRIMARY KEY, name TEXT NOT NULL, q INT, live INT, note TEXT, modified TEXT, g INT AS (q * 2));
      CREATE UNIQUE INDEX once ON \(index);
      INSERT INTO it(name, q, live, note, modified) VALUES \(rows);
      """)
  }

  private func graph(_ store: StoreFixture) -> SQLiteGraph { SQLiteGraph(store.writer, model: store.model) }

  private func values(_ store: StoreFixture) throws -> [String] {
    try store.rows("SELECT name, q, live, note FROM it ORDER BY id")
  }

  @Test("A seed leaves a null whose value another object has, and says so", arguments: indexes)
  func seeds(index: String) throws {
    let source = try store(index, "('milk', 5, 1, 'cold', NULL), ('new', 8, 1, NULL, NULL)")
    let target = try store(index, "('milk', NULL, 1, NULL, NULL), ('tea', 5, 1, NULL, NULL)")
    let report = try graph(target).seed(from: graph(source))
    #expect(try values(target) == ["milk|-|1|cold", "tea|5|1|-", "new|8|1|-"])
    #expect(report.created == ["It": 1] && report.updated == ["It": 1])
    #expect(report.skipped?.map(\.place) == ["It 1"])
    #expect(report.skipped?.first?.reason.hasPrefix("its 'q' does not come along: it is unique, and") == true)
  }

  @Test(
    "A seed leaves nulls of what an index reads that refuses a value which no other object has",
    arguments: [
      ("it(abs(q))", "('milk', -5, 1, 'cold', NULL)", "('milk', NULL, 1, NULL, NULL)", "milk|-|1|cold", "q"),
      (
        "it(q) WHERE live", "('milk', 5, 1, 'cold', NULL)", "('milk', 5, NULL, NULL, NULL)", "milk|5|-|cold",
        "live"
      ),
    ])
  func refusedFills(index: String, row: String, found: String, filled: String, name: String) throws {
    let source = try store(index, row)
    let target = try store(index, found + ", ('tea', 5, 1, NULL, NULL)")
    let report = try graph(target).seed(from: graph(source))
    #expect(try values(target) == [filled, "tea|5|1|-"])
    #expect(report.updated == ["It": 1])
    #expect(report.skipped?.map(\.place) == ["It 1"])
    #expect(
      report.skipped?.first?.reason
        == "its '\(name)' does not come along: a unique index of the store reads it, and refused such values")
  }

  @Test("A computed value that a new object may not have is no identity")
  func computed() throws {
    let source = try store("it(g)", "('new', 5, 1, NULL, NULL)")
    let target = try store("it(g)", "('tea', 5, 1, NULL, NULL)")
    let error = #expect(throws: CloneError.self) { try graph(target).seed(from: graph(source)) }
    let text = error?.failures.first?.message ?? ""
    #expect(text.hasSuffix("identify It with --by by what tells all its objects apart"), "\(text)")
  }

  @Test("A seed and a merge fill a value that others have outside of the index, or beside another one")
  func fitting() throws {
    for index in ["it(q) WHERE live", "it(live, q) WHERE name <> ''"] {
      let found = "('milk', NULL, 1, NULL, '2024-02-01T00:00:00.000Z'), ('tea', 5, 0, NULL, NULL)"
      let source = try store(index, "('milk', 5, 1, 'cold', NULL)")
      let target = try store(index, found)
      let report = try graph(target).seed(from: graph(source))
      #expect(try values(target) == ["milk|5|1|cold", "tea|5|0|-"])
      #expect(report.skipped == nil)
    }
    let doubles = try store(
      "it(q) WHERE live",
      """
      ('milk', NULL, 1, NULL, '2024-02-01T00:00:00.000Z'), ('tea', 5, 0, NULL, NULL),
      ('milk', 5, 0, 'cold', '2024-01-01T00:00:00.000Z')
      """)
    try graph(doubles).dedupe(DedupeRequest(entities: ["It"]))
    #expect(try values(doubles) == ["milk|5|1|cold", "tea|5|0|-"])
  }

  @Test("A merge that would give a value which another object has names the entity and the way out")
  func takenByMerge() throws {
    let store = try store(
      "it(q) WHERE live",
      """
      ('milk', NULL, 1, NULL, '2024-02-01T00:00:00.000Z'), ('milk', 5, 0, 'cold', '2024-01-01T00:00:00.000Z'),
      ('tea', 5, 1, NULL, NULL)
      """)
    let error = #expect(throws: CloneError.self) {
      try graph(store).dedupe(DedupeRequest(entities: ["It"]))
    }
    #expect(error?.failures.map(\.code) == [.uniqueValue])
    try graph(store).dedupe(DedupeRequest(entities: ["It"], fills: false))
    #expect(try values(store) == ["milk|-|1|-", "tea|5|1|-"])
  }

  @Test("A merge that would fill one value twice names the entity and the way out")
  func refusedMerges() throws {
    let store = try store(
      "it(q) WHERE live",
      """
      ('milk', NULL, 1, NULL, '2024-02-01T00:00:00.000Z'), ('milk', 5, 0, NULL, '2024-01-01T00:00:00.000Z'),
      ('tea', NULL, 1, NULL, '2024-02-01T00:00:00.000Z'), ('tea', 5, 0, NULL, '2024-01-01T00:00:00.000Z')
      """)
    let error = #expect(throws: CloneError.self) {
      try graph(store).dedupe(DedupeRequest(entities: ["It"]))
    }
    let text = error?.failures.first?.message ?? ""
    #expect(error?.failures.map(\.code) == [.uniqueValue])
    #expect(text.contains("'q' of It is unique among the rows of the index 'once'"), "\(text)")
    #expect(text.hasSuffix("--no-fill"), "\(text)")
    try graph(store).dedupe(DedupeRequest(entities: ["It"], fills: false))
    #expect(try values(store) == ["milk|-|1|-", "tea|-|1|-"])
  }

  @Test("Values are swapped", arguments: indexes)
  func swaps(index: String) throws {
    let store = try store(index, "('milk', 1, 1, NULL, NULL), ('tea', 2, 1, NULL, NULL)")
    let report = try graph(store).sync(
      SyncRequest(entity: "It", overwriting: ["q"]),
      from: [["name": "milk", "q": 2], ["name": "tea", "q": 1]])
    #expect(try values(store) == ["milk|2|1|-", "tea|1|1|-"])
    #expect(report.updated == ["It": 2])
  }

  @Test("A value is handed on by an object that leaves the index and keeps it", arguments: ["new", "tea"])
  func handedOn(name: String) throws {
    let store = try store("it(q) WHERE live", "('milk', 1, 1, NULL, NULL), ('tea', 1, 0, NULL, NULL)")
    let mapping = try ImportMapping(
      yaml: "{entity: It, attributes: {name: '@name', q: '@q', live: '@live'}}")
    for rows in [[name, "milk"], ["milk", name]] {
      try graph(store).importData(
        Data("name,q,live\n\(rows[0]),1,true\n\(rows[1]),1,false\n".utf8), format: .csv, mapping: mapping,
        options: ImportOptions(existing: .update))
      #expect(try store.rows("SELECT name FROM it WHERE live AND q = 1") == [rows[0]])
      #expect(try store.rows("SELECT count(*) FROM it WHERE q IS NOT 1") == ["0"])
    }
  }
}
