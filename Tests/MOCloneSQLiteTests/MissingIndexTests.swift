import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL
import MOCloneYAML
import Testing

@testable import MOCloneSQLite

/// Which indexes a store lacks for following relationships.
@Suite struct MissingIndexTests {
  private static let notes = """
    store: {primaryKey: pk}
    entities:
      Note:
        relationships:
          items: {destination: Item, toMany: true, inverse: note}
          memos: {destination: Memo, toMany: true, ordered: true, inverse: note}
          tags: {destination: Tag, toMany: true, inverse: notes}
      Item:
        relationships: {note: {destination: Note, inverse: items}}
      Memo:
        relationships: {note: {destination: Note, inverse: memos}}
      Tag:
        relationships: {notes: {destination: Note, toMany: true, inverse: tags}}
    """

  private static let tables = """
    CREATE TABLE note(pk INTEGER PRIMARY KEY);
    CREATE TABLE item(pk INTEGER PRIMARY KEY, note_id INTEGER);
    CREATE TABLE memo(pk INTEGER PRIMARY KEY, Note_ID INTEGER, note_id_order INTEGER);
    CREATE TABLE tag(pk INTEGER PRIMARY KEY);
    CREATE TABLE note_tag(note_id INTEGER, tag_id INTEGER, PRIMARY KEY (note_id, tag_id));
    """

  private func missing(_ sql: String, _ model: String = notes) throws -> MissingIndexes {
    let store = try StoreFixture(model, sql)
    let schema = try store.writer.read { db in
      let reader = SchemaReader(db: db)
      return try reader.schema(of: reader.tableNames())
    }
    return MissingIndexes(schema: schema, mapping: SchemaMapping(store.model), model: store.model)
  }

  @Test func foreignKeysAndTheSecondColumnOfPairs() throws {
    let found = try missing(Self.tables).all
    #expect(
      found.map(\.statement) == [
        "CREATE INDEX \"item_on_note_id\" ON \"item\" (\"note_id\")",
        "CREATE INDEX \"memo_on_Note_ID_note_id_order\" ON \"memo\" (\"Note_ID\", \"note_id_order\")",
        "CREATE INDEX \"note_tag_on_tag_id\" ON \"note_tag\" (\"tag_id\")",
      ])
    #expect(found.map { $0.relationship?.qualifiedName } == ["Note.items", "Note.memos", "Tag.notes"])
  }

  @Test func theStatementsMendIt() throws {
    let statements = try missing(Self.tables).all.map(\.statement)
    #expect(try missing(Self.tables + statements.joined(separator: ";")).all.isEmpty)
  }

  @Test func aStoreMadeForTheModelLacksNone() throws {
    let model = try ObjectModel(yaml: "version: 1\nname: Test\n" + Self.notes)
    let sql = try SchemaWriter(model).statements().joined(separator: ";")
    #expect(try missing(sql).all.isEmpty)
  }

  @Test func onlyThoseThatAreFollowed() throws {
    let missing = try missing(Self.tables)
    #expect(missing.following(["Note.items", "Note.tags"]).map(\.table) == ["item"])
    #expect(missing.following(["Tag.notes"]).map(\.columns) == [["tag_id"]])
  }

  @Test(arguments: [
    ("CREATE INDEX i ON item(note_id)", true),
    ("CREATE UNIQUE INDEX i ON item(note_id, pk)", true),
    ("CREATE INDEX i ON item(pk, note_id)", false),
    ("CREATE INDEX i ON item(note_id COLLATE NOCASE)", false),
    ("CREATE INDEX i ON item(note_id + 0)", false),
    ("CREATE INDEX i ON item(note_id) WHERE pk > 5", false),
    ("CREATE INDEX i ON item(note_id) WHERE \"note_id\" IS NOT NULL", true),
    ("CREATE INDEX i ON item(note_id) /* ) WHERE pk > 5 */ WHERE (note_id NOTNULL)", true),
    ("CREATE INDEX item_on_note_id ON tag(pk)", false),
  ])
  func indexesThatServe(_ index: String, _ serves: Bool) throws {
    let found = try missing(Self.tables + index).all.filter { $0.table == "item" }
    #expect(found.isEmpty == serves)
    let queries = "EXPLAIN QUERY PLAN SELECT * FROM note p CROSS JOIN item s ON p.pk = s.note_id"
    let plan = try StoreFixture(Self.notes, Self.tables + index).rows(queries)
    #expect(plan.contains { $0.contains("USING INDEX i") || $0.contains("USING COVERING INDEX i") } == serves)
    for statement in found.map(\.statement) { _ = try missing(Self.tables + index + ";" + statement) }
  }

  @Test func aKeyOfSeveralColumnsServesItsFirst() throws {
    let model = """
      entities:
        Order:
          table: orders
          relationships: {lines: {destination: Line, toMany: true, inverse: order}}
        Line:
          primaryKey: [order_id, product_id]
          relationships:
            order: {destination: Order, inverse: lines}
            product: {destination: Product, inverse: lines}
        Product:
          relationships: {lines: {destination: Line, toMany: true, inverse: product, userInfo: {exclude: ""}}}
      """
    let found = try missing(
      """
      CREATE TABLE orders(id INTEGER PRIMARY KEY);
      CREATE TABLE product(id INTEGER PRIMARY KEY);
      CREATE TABLE line(order_id INTEGER, product_id INTEGER, PRIMARY KEY (order_id, product_id)) WITHOUT ROWID;
      """, model)
    #expect(found.all.map(\.columns) == [["product_id"]])
  }
}
