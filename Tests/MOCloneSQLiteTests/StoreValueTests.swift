import GRDB
import MOCloneKit
import Testing

@Suite("Stored values that nobody can read")
struct StoreValueTests {
  private func findings(_ entities: String, _ sql: String) throws -> [Diagnostic] {
    let queue = try DatabaseQueue()
    try queue.write { try $0.execute(sql: sql) }
    return try SQLiteGraph(queue, model: ObjectModel(yaml: "version: 1\nentities:\n" + entities))
      .storeFindings()
  }

  @Test("Dates, UUIDs and decimals in another form are counted, the first with their keys")
  func malformedValues() throws {
    let found = try findings(
      "  Note: {attributes: {at: {type: Date, optional: true}, uid: UUID, price: Decimal}}\n",
      """
      CREATE TABLE note(id INTEGER PRIMARY KEY, at TEXT, uid TEXT NOT NULL, price TEXT NOT NULL);
      INSERT INTO note VALUES
        (1, '2025-01-31T12:34:56.789Z', '7D444840-9DC0-11D1-B245-5FFDCE74FAD2', '1.50'),
        (2, NULL, '7d444840-9dc0-11d1-b245-5ffdce74fad2', '2'), (3, 'soon', 'x', '1,5'),
        (4, '2025-13-40', '7D444840-9DC0-11D1-B245-5FFDCE74FAD3', '3'), (5, 'a', 'b', 'c'), (6, 'd', 'e', '4');
      """)
    #expect(found.map(\.code) == [.malformedValue, .malformedValue, .malformedValue])
    let messages = found.map(\.message)
    #expect(messages[0].hasPrefix("4 values of the column 'at' in 'note' cannot be read as Date"))
    #expect(messages[0].hasSuffix("'soon' in id 3; '2025-13-40' in id 4; 'a' in id 5; ..."))
    #expect(
      messages[1].hasPrefix("3 values of the column 'uid' in 'note' cannot be read as UUID: 'x' in id 3"))
    #expect(messages[2].hasPrefix("2 values of the column 'price' in 'note' cannot be read as Decimal"))
  }

  @Test("A form of UUIDs that most rows have, but new ones would not, is a warning until the model says it")
  func otherUUIDs() throws {
    let rows = """
      CREATE TABLE note(id TEXT PRIMARY KEY NOT NULL, uid TEXT, other TEXT);
      INSERT INTO note VALUES
        ('7d444840-9dc0-11d1-b245-5ffdce74fad2', '7d4448409dc011d1b2455ffdce74fad2',
          '7D444840-9DC0-11D1-B245-5FFDCE74FAD2'),
        ('7d444840-9dc0-11d1-b245-5ffdce74fad3', NULL, '7d444840-9dc0-11d1-b245-5ffdce74fad3');
      """
    func found(_ uuids: String, _ uid: String) throws -> [Diagnostic] {
      let attributes = "{uid: {type: UUID, optional: true\(uid)}, other: {type: UUID, optional: true}}"
      return try findings(
        "  Note: {primaryKey: {column: id, generate: uuid}, attributes: \(attributes)}\nstore: {uuids: \(uuids)}\n",
        rows
      ).filter { $0.code == .malformedValue }
    }
    let wrong = try found("text", ", storage: compactText")
    #expect(wrong.map(\.severity) == [.warning])
    #expect(
      wrong.first?.message.hasPrefix(
        "2 of the first 2 values of the column 'id' in 'note' are UUIDs in the form 'lowercaseText'") == true)
    #expect(wrong.first?.help?.hasPrefix("write 'uuids: lowercaseText' under 'store'") == true)
    #expect(try found("lowercaseText", ", storage: compactText") == [])
    #expect(try found("compactText", "").map(\.help) == [wrong.first?.help])
  }

  @Test(
    "Keys of UUIDs in two forms have none that all can be written in, and the advice for one of them helps")
  func keysInTwoForms() throws {
    func found(_ uuids: String, _ key: String = "") throws -> [Diagnostic] {
      try findings(
        "  A: {primaryKey: {column: id, generate: uuid}\(key)}\n  B: {primaryKey: {column: id, generate: uuid}}\n"
          + "store: {uuids: \(uuids)}\n",
        """
        CREATE TABLE a(id TEXT PRIMARY KEY NOT NULL);
        CREATE TABLE b(id TEXT PRIMARY KEY NOT NULL);
        INSERT INTO a VALUES ('7d444840-9dc0-11d1-b245-5ffdce74fad2');
        INSERT INTO b VALUES ('7D444840-9DC0-11D1-B245-5FFDCE74FAD2');
        """
      ).filter { $0.code == .malformedValue }
    }
    #expect(try found("lowercaseText").map(\.severity) == [.warning])
    let other = try found("text")
    #expect(
      other.first?.help?.hasSuffix(
        "make the column an attribute with 'type: UUID' and 'storage: lowercaseText'")
        == true)
    #expect(try found("text", ", attributes: {id: {type: UUID, storage: lowercaseText}}") == [])
    let attribute = try found("text", ", attributes: {id: {type: UUID, storage: text}}")
    #expect(attribute.first?.help?.hasSuffix("'storage: lowercaseText' at the attribute") == true)
  }

  @Test func numbersAmongTheStringsOfAColumnWithoutATypeAreCounted() throws {
    let found = try findings(
      "  Note: {attributes: {code: String, name: String}}\n",
      """
      CREATE TABLE note(id INTEGER PRIMARY KEY, code NOT NULL, name TEXT NOT NULL);
      INSERT INTO note VALUES (1, 7, 7), (2, '7x', '7x');
      """)
    #expect(found.map(\.code) == [.malformedValue])
    #expect(
      found.first?.message.contains("1 value of the column 'code' in 'note' cannot be read as String") == true
    )
  }

  @Test func discriminatorsOfNoEntityAreCounted() throws {
    let found = try findings(
      "  Party: {abstract: true, attributes: {name: String}}\n  Person: {parent: Party}\n  Firm: {parent: Party}\n",
      """
      CREATE TABLE party(id INTEGER PRIMARY KEY, entity TEXT, name TEXT NOT NULL);
      INSERT INTO party VALUES (1, 'Person', 'a'), (2, 'Club', 'b'), (3, 'Club', 'c'), (4, NULL, 'd');
      """)
    let unknown = found.filter { $0.code == .unknownDiscriminator }
    #expect(unknown.map(\.severity) == [.error, .error])
    #expect(unknown.contains { $0.message.hasPrefix("2 rows of 'party' have the discriminator 'Club'") })
    #expect(unknown.contains { $0.message.hasPrefix("1 row of 'party' has the discriminator NULL") })
  }

  @Test func positionsInATextColumnAreAWarning() throws {
    let entities = """
        Note: {relationships: {memos: {destination: Memo, toMany: true, ordered: true, inverse: note}}}
        Memo: {relationships: {note: {destination: Note, inverse: memos}}}

      """
    func table(_ type: String) -> String {
      """
      CREATE TABLE note(id INTEGER PRIMARY KEY);
      CREATE TABLE memo(id INTEGER PRIMARY KEY, note_id INTEGER NOT NULL REFERENCES note(id),
        note_id_order \(type));
      CREATE INDEX memo_note ON memo(note_id);
      """
    }
    #expect(try findings(entities, table("INTEGER")).isEmpty)
    let found = try findings(entities, table("TEXT"))
    #expect(found.map(\.code) == [.columnType])
    #expect(found.first?.path.name == "Note.memos")
  }
}
