import GRDB
import MOCloneKit
import TestSupport
import Testing

/// More objects than are kept in memory at a time.
@Suite("Large subtrees on their way into another store")
struct LargeSubtreeTests {
  private static let tables = """
    CREATE TABLE note(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
    CREATE TABLE item(
      id INTEGER PRIMARY KEY, name TEXT NOT NULL, note_id INTEGER NOT NULL REFERENCES note(id));
    CREATE INDEX item_note ON item(note_id);
    """
  private static let rows = """
    INSERT INTO note VALUES (1, 'a'), (2, 'b');
    WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 3000)
    INSERT INTO item SELECT n, 'item ' || n, 1 + n % 2 FROM number;
    """

  private func source() throws -> (graph: SQLiteGraph, roots: [ObjectID]) {
    let fixture = try StoreFixture(SharedModel.ownedItems, Self.tables + Self.rows)
    let graph = SQLiteGraph(fixture.writer, model: fixture.model)
    return (graph, try ([1, 2] as [ObjectKey]).map { try graph.object("Note", key: $0).id })
  }

  @Test("Pairs that are kept elsewhere are not in the result, and come in their order")
  func keptPairs() throws {
    let (graph, roots) = try source()
    let plan = try graph.plan("Note", CloneRequest())
    let keeper = try #require(try graph.pairKeeper())
    var options = CloneOptions(keepsMapping: true)
    options.keeper = keeper
    let result = try graph.run(plan, roots: roots, options: options, saves: true)
    var pairs: [CloneResult.Pair] = []
    try keeper.each { pairs.append($0) }
    #expect(result.mapping.isEmpty)
    #expect(pairs.count == 3002)
    #expect(pairs.filter { $0.clone.entity == "Note" }.map(\.original) == roots)
    #expect(pairs.filter { $0.clone.entity == "Note" }.map(\.clone) == result.roots)
    #expect(try keeper.clones.all() == Set(pairs.map(\.clone)))
    #expect(try keeper.clones.entities() == ["Note", "Item"])
  }

  @Test("An object of several roots is a member once")
  func members() throws {
    let (graph, roots) = try source()
    let plan = try graph.plan("Note", CloneRequest())
    var count = 0
    try graph.members(of: plan, roots + roots).each { _ in count += 1 }
    #expect(count == 3002)
  }

  @Test("All of it arrives, with new keys and with its own", arguments: [false, true], [false, true])
  func arrival(keepsKeys: Bool, keepsMapping: Bool) throws {
    let (graph, roots) = try source()
    let target = try StoreFixture(SharedModel.ownedItems, Self.tables)
    let result = try SQLiteGraph(target.writer, model: target.model).clone(
      graph.plan("Note", CloneRequest()), roots: roots, from: graph,
      SubtreeRequest(keepsKeys: keepsKeys, keepsMapping: keepsMapping))
    #expect(
      try target.rows("SELECT n.name, count(*) FROM item i JOIN note n ON n.id = i.note_id GROUP BY 1")
        == ["a|1500", "b|1500"])
    #expect(result.mapping.count == (keepsMapping && !keepsKeys ? 3002 : 0))
    for pair in result.mapping where pair.original.entity == "Note" {
      #expect(result.roots[roots.firstIndex(of: pair.original)!] == pair.clone)
    }
  }
}
