import MOCloneKit
import Testing

/// A UUID is kept as a key where it is free, also where references of the target lead to it that have dangled so far.
@Suite("Keys that come along, and references that wait for them")
struct ArrivingKeyTests {
  private static let model = """
    entities:
      Board:
        primaryKey: [{column: id, generate: uuid}]
        attributes: {name: String}
        relationships:
          cards: {destination: Card, toMany: true, ordered: true, inverse: board}
          tags: {destination: Tag, toMany: true, ordered: true, inverse: boards,
            joinTable: {table: board_tag, column: board_id, inverseColumn: tag_id, orderColumn: place}}
        uniquenessConstraints: [[name]]
      Card:
        attributes: {name: String}
        relationships: {board: {destination: Board, optional: true, inverse: cards}}
        uniquenessConstraints: [[name]]
      Line:
        attributes: {name: String}
        relationships: {board: {destination: Board, optional: true}}
        uniquenessConstraints: [[board, name]]
      Tag:
        attributes: {name: String}
        relationships: {boards: {destination: Board, toMany: true, inverse: tags}}
        uniquenessConstraints: [[name]]
    """
  private static let key = "'7D444840-9DC0-11D1-B245-5FFDCE74FAD2'"

  private func store(_ sql: String) throws -> StoreFixture {
    try StoreFixture(
      Self.model,
      """
      CREATE TABLE board(id TEXT PRIMARY KEY, name TEXT UNIQUE);
      CREATE TABLE card(id INTEGER PRIMARY KEY, name TEXT, board_id TEXT, board_id_order INTEGER);
      CREATE INDEX card_board ON card(board_id);
      CREATE TABLE line(id INTEGER PRIMARY KEY, name TEXT, board_id TEXT);
      CREATE TABLE tag(id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE board_tag(board_id TEXT, tag_id INTEGER, place INTEGER, PRIMARY KEY (board_id, tag_id));
      PRAGMA foreign_keys = OFF;
      """ + sql.replacing("KEY", with: Self.key))
  }

  private func copied(from source: String, into target: String) throws -> StoreFixture {
    let (source, target) = (
      try store("INSERT INTO board VALUES (KEY, 'b');" + source), try store(target)
    )
    try SQLiteGraph(target.writer, model: target.model).copy(
      from: SQLiteGraph(source.writer, model: source.model))
    return target
  }

  @Test("Many-to-many, ordered: a join row that waits is not written again, and others come behind it")
  func joinRows() throws {
    let target = try copied(
      from: """
        INSERT INTO tag VALUES (5, 'x'), (6, 't'); INSERT INTO board_tag VALUES (KEY, 5, 1), (KEY, 6, 2);
        """,
      into: "INSERT INTO tag VALUES (1, 't'); INSERT INTO board_tag VALUES (KEY, 1, 4);")
    let tags = "SELECT t.name FROM board_tag j JOIN tag t ON t.id = j.tag_id ORDER BY j.place"
    #expect(try target.rows(tags) == ["t", "x"])
  }

  @Test("New numbers keep the distances that they have in the source")
  func distances() throws {
    let target = try copied(
      from: "INSERT INTO tag VALUES (1, 'a'), (5, 'b'), (9, 'c');", into: "INSERT INTO tag VALUES (10, 'x');")
    #expect(try target.rows("SELECT id FROM tag ORDER BY id") == ["10", "11", "15", "19"])
  }

  @Test("One-to-many, ordered: members come behind those that wait")
  func members() throws {
    let target = try copied(
      from: "INSERT INTO card VALUES (1, 'new', KEY, 1), (2, 'newer', KEY, 2);",
      into: "INSERT INTO card VALUES (1, 'old', KEY, 7);")
    #expect(
      try target.rows(
        "SELECT name FROM card WHERE board_id IN (SELECT id FROM board) ORDER BY board_id_order")
        == ["old", "new", "newer"])
  }

  @Test("An identity over a reference that dangled before is none")
  func identities() throws {
    let target = try copied(
      from: "INSERT INTO line VALUES (1, 'l', KEY);", into: "INSERT INTO line VALUES (4, 'l', KEY);")
    #expect(try target.rows("SELECT id FROM line ORDER BY id") == ["4", "5"])
  }

  @Test("What a subtree is linked to keeps its key, so that join rows that wait find it")
  func linkedObjects() throws {
    let source = try store(
      "INSERT INTO board VALUES (KEY, 'b'); INSERT INTO card VALUES (1, 'c', KEY, 1);")
    let target = try store("INSERT INTO tag VALUES (1, 't'); INSERT INTO board_tag VALUES (KEY, 1, 4);")
    let from = SQLiteGraph(source.writer, model: source.model)
    try SQLiteGraph(target.writer, model: target.model).clone(
      from.plan("Card", CloneRequest()), roots: [from.object("Card", key: 1).id], from: from,
      SubtreeRequest(missing: .create))
    #expect(
      try target.rows(
        "SELECT t.name FROM board b JOIN board_tag j ON j.board_id = b.id JOIN tag t ON t.id = tag_id")
        == ["t"])
  }
}
