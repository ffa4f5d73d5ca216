import MOCloneEngine
import TestSupport
import Testing

@testable import MOClonePostgres

/// Clones of so many rows that their maps get keys behind their rows.
@Suite(.enabled(if: TestDatabase.isAvailable, "\(TestDatabase.comment)"))
struct LongCloneTests {
  private static let model = """
    version: 1
    name: Test
    entities:
      Note:
        attributes: {name: String?}
        relationships:
          items: {destination: Item, toMany: true, inverse: note}
          pages: {destination: Page, toMany: true, inverse: note}
      Item:
        attributes: {name: String?}
        relationships:
          note: {destination: Note, inverse: items}
          page: {destination: Page, optional: true, inverse: item}
      Page:
        attributes: {name: String?}
        relationships:
          note: {destination: Note, optional: true, inverse: pages}
          item: {destination: Item, optional: true, inverse: page, userInfo: {onClone: clone}}
    """

  private static let tables = """
    CREATE TABLE note(id serial PRIMARY KEY, name text);
    CREATE TABLE item(id serial PRIMARY KEY, name text, note_id int REFERENCES note);
    CREATE TABLE page(id serial PRIMARY KEY, name text, note_id int REFERENCES note, item_id int UNIQUE REFERENCES item);
    CREATE INDEX ON item(note_id); CREATE INDEX ON page(note_id);
    INSERT INTO note(name) VALUES ('long'), ('short');
    INSERT INTO item(name, note_id) SELECT n, 1 FROM generate_series(1, 3000) n;
    INSERT INTO item(name, note_id) SELECT n, 2 FROM generate_series(1, 3) n;
    INSERT INTO page(name, note_id, item_id) SELECT name, note_id, id FROM item ORDER BY id DESC;
    """

  /// Long and short clones take turns in one transaction, whose tables they share; each item keeps the page of its name.
  @Test func longAndShortClonesShareTheTablesOfATransaction() throws {
    let store = try DatabaseFixture(Self.model, Self.tables)
    for (key, count): (ObjectKey, Int) in [(2, 1), (1, 1), (2, 2), (1, 2), (2, 1)] {
      let note = try store.graph.object("Note", key: key)
      try Cloner().clone(object: note, request: CloneRequest(count: count), saveBeforeReturn: false)
    }
    try store.graph.save()
    let found = try store.rows(
      """
      SELECT n.name, count(DISTINCT n.id), count(*), count(DISTINCT i.id), count(DISTINCT p.id) FROM note n
        JOIN item i ON i.note_id = n.id JOIN page p ON p.item_id = i.id AND p.note_id = n.id AND p.name = i.name
      GROUP BY n.name ORDER BY n.name
      """)
    #expect(found == ["long|4|12000|12000|12000", "short|5|15|15|15"])
  }
}
