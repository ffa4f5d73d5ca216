import MOCloneKit
import Testing

/// A tree per tenant: the key is (tenant, number), and a folder shares its tenant with the folder above it.
@Suite("Trees whose rows share a part of their keys")
struct TreeKeyTests {
  private static let model = """
    entities:
      Folder:
        primaryKey: [tenant, {column: number, generate: max}]
        attributes: {name: String}
        relationships:
          above: {destination: Folder, optional: true, inverse: below, column: [tenant, above_number]}
          below: {destination: Folder, toMany: true, inverse: above}
    """
  private static let rows =
    "SELECT tenant, number, name, ifnull(above_number, '-') FROM folder ORDER BY tenant, number"

  private func store(_ sql: String = "") throws -> StoreFixture {
    try StoreFixture(
      Self.model,
      """
      CREATE TABLE folder(tenant INTEGER NOT NULL, number INTEGER NOT NULL, name TEXT, above_number INTEGER,
        PRIMARY KEY (tenant, number),
        FOREIGN KEY (tenant, above_number) REFERENCES folder(tenant, number));
      """ + sql)
  }

  private func graph(_ store: StoreFixture) -> SQLiteGraph { SQLiteGraph(store.writer, model: store.model) }
  private let folders =
    "INSERT INTO folder VALUES (1, 1, 'a', NULL), (1, 2, 'b', 1), (1, 3, 'c', 2), (2, 1, 'd', NULL);"

  @Test("Their tables are made of the model")
  func tables() throws {
    #expect(try SQLiteGraph.temporary(graph(store()).model).count("Folder") == 0)
  }

  @Test("They are copied, and copied once more under new numbers")
  func copies() throws {
    let (source, target) = (try store(folders), try store())
    try graph(target).copy(from: graph(source))
    #expect(try target.rows(Self.rows) == ["1|1|a|-", "1|2|b|1", "1|3|c|2", "2|1|d|-"])
    try graph(target).copy(from: graph(source))
    #expect(
      try target.rows(Self.rows) == [
        "1|1|a|-", "1|2|b|1", "1|3|c|2", "1|4|a|-", "1|5|b|4", "1|6|c|5", "2|1|d|-", "2|2|d|-",
      ])
  }

  @Test("A part of them is cut out, with its keys or new ones", arguments: [true, false])
  func subtrees(keepsKeys: Bool) throws {
    let (source, target) = (try store(folders), try store())
    let from = graph(source)
    try graph(target).clone(
      from.plan("Folder", CloneRequest()), roots: [from.object("Folder", key: "1,2").id], from: from,
      SubtreeRequest(missing: .null, keepsKeys: keepsKeys))
    let pairs = """
      SELECT f.tenant, f.name, ifnull(a.name, '-') FROM folder f
      LEFT JOIN folder a ON a.tenant = f.tenant AND a.number = f.above_number ORDER BY f.name
      """
    #expect(try target.rows(pairs) == ["1|b|-", "1|c|b"])
  }
}
