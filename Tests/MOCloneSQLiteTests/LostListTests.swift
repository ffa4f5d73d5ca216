import MOCloneKit
import Testing

/// Objects that come into another store without the ordered list that they are in.
@Suite struct LostListTests {
  private static let model = """
    entities:
      Board:
        attributes: {name: String}
        relationships:
          cards: {destination: Card, toMany: true, ordered: true, inverse: board, orderColumn: pos}
        uniquenessConstraints: [[name]]
      Card:
        attributes: {name: String}
        relationships:
          board: {destination: Board, optional: true, inverse: cards}
          next: {destination: Card, optional: true, inverse: previous}
          previous: {destination: Card, toMany: true, inverse: next}
    """
  private static let tables = """
    CREATE TABLE board(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
    CREATE TABLE card(
      id INTEGER PRIMARY KEY, name TEXT NOT NULL, board_id INTEGER, pos INTEGER, next_id INTEGER);
    """
  private static let rows = """
    INSERT INTO board VALUES (1, 'b');
    INSERT INTO card VALUES (1, 'c', 1, 7, 2), (2, 'd', 1, 8, NULL);
    """

  /// The cards of a store into which the first one was cloned: whether each has a board, and a position.
  private func cards(_ missing: MissingPolicy, keepsKeys: Bool) throws -> [String] {
    let source = try StoreFixture(Self.model, Self.tables + Self.rows)
    let target = try StoreFixture(Self.model, Self.tables)
    let graph = SQLiteGraph(source.writer, model: source.model)
    try SQLiteGraph(target.writer, model: target.model).clone(
      graph.plan("Card", CloneRequest()), roots: [graph.object("Card", key: 1).id], from: graph,
      SubtreeRequest(missing: missing, keepsKeys: keepsKeys))
    return try target.rows("SELECT name, board_id IS NOT NULL, pos IS NOT NULL FROM card ORDER BY name")
  }

  @Test(arguments: [false, true])
  func aCloneHasNoPositionWithoutItsList(keepsKeys: Bool) throws {
    #expect(try cards(.null, keepsKeys: keepsKeys) == ["c|0|0"])
  }

  @Test(arguments: [false, true])
  func anObjectThatIsMadeBesideASubtreeHasNoPositionWithoutItsList(keepsKeys: Bool) throws {
    #expect(try cards(.create, keepsKeys: keepsKeys) == ["c|1|1", "d|0|0"])
  }
}
