import Foundation
import GRDB
import MOCloneKit
import MOCloneSQL
import Testing

@testable import MOCloneSQLite

/// SQLite reads no more than a hundred parentheses in one another.
@Suite("Entities with hundreds of attributes")
struct WideEntityTests {
  private static let names = (0..<300).map { "a\($0)" }

  private func store(_ rows: String) throws -> StoreFixture {
    let attributes = Self.names.map { "\($0): String?" }.joined(separator: ", ")
    return try StoreFixture(
      "entities: {Item: {attributes: {code: String, \(attributes)}, uniquenessConstraints: [[code]]}}",
      """
      CREATE TABLE item(id INTEGER PRIMARY KEY, code TEXT, \(Self.names.map { "\($0) TEXT" }.joined(separator: ", ")));
      INSERT INTO item(code, a0, a299) VALUES \(rows);
      """)
  }

  private func graph(_ store: StoreFixture) -> SQLiteGraph { SQLiteGraph(store.writer, model: store.model) }

  @Test("Attributes and columns are found by their names, columns in upper or lower case")
  func lookups() throws {
    let store = try store("('x', NULL, NULL)")
    #expect(Self.names.allSatisfy { store.model.attribute($0, of: "Item")?.name == $0 })
    #expect(store.model.attribute("a300", of: "Item") == nil)
    let schema = try store.writer.read { try SchemaReader(db: $0).schema(of: ["item"]) }
    let table = try #require(schema["ITEM"])
    #expect(Self.names.allSatisfy { table.column($0.uppercased())?.name == $0 })
    #expect(table.column("a300") == nil)
  }

  @Test("Chains of thousands of terms are read")
  func chains() throws {
    let conditions = (0..<3000).map { Condition.sql($0 == 2999 ? "1 = 1" : "1 = 2") }
    let sum = Array(repeating: "1", count: 3000).chained(by: "+")
    let query = "SELECT \(conditions.any.text) + 10 * (\(conditions.all.text)) + \(sum)"
    #expect(try DatabaseQueue().read { try Int.fetchOne($0, sql: query) } == 3001)
  }

  @Test("An import changes an object", arguments: [ExistingPolicy.update, .fill])
  func imports(_ existing: ExistingPolicy) throws {
    let store = try store("('x', NULL, NULL)")
    let mapping = try ImportMapping(
      yaml:
        "{entity: Item, attributes: {code: '@code', \(Self.names.map { "\($0): '@\($0)'" }.joined(separator: ", "))}}"
    )
    let file = Data(
      "code,\(Self.names.joined(separator: ","))\nx,\(Self.names.map { "v\($0)" }.joined(separator: ","))\n"
        .utf8)
    let report = try graph(store).importData(
      file, format: .csv, mapping: mapping, options: ImportOptions(existing: existing))
    #expect(report?.updated == ["Item": 1])
    #expect(try store.rows("SELECT a0, a299 FROM item") == ["va0|va299"])
  }

  @Test("A sync changes an object, a merge fills one, a copy and a clone bring all values along")
  func others() throws {
    let store = try store("('x', '0', NULL), ('x', NULL, '299')")
    try graph(store).dedupe()
    #expect(try store.rows("SELECT a0, a299 FROM item") == ["0|299"])
    let values = Dictionary(uniqueKeysWithValues: Self.names.map { ($0, AttributeValue.string("new")) })
    let report = try graph(store).sync(
      SyncRequest(entity: "Item", overwriting: Self.names),
      from: [values.merging(["code": "x"]) { first, _ in first }])
    #expect(report.updated == ["Item": 1])
    let target = try self.store("('y', NULL, NULL)")
    #expect(try graph(target).copy(from: graph(store)).created == ["Item": 1])
    #expect(try target.rows("SELECT a0, a299 FROM item WHERE code = 'x'") == ["new|new"])
    try graph(target).seed(from: graph(store))
    try Cloner().clone("Item", keys: [1], in: graph(target), request: CloneRequest(set: ["code": "z"]))
    #expect(try target.rows("SELECT count(*) FROM item") == ["3"])
  }
}
