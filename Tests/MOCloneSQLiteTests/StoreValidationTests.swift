import Foundation
import GRDB
import MOCloneKit
import Testing

/// In what a database disagrees with its model.
@Suite struct StoreValidationTests {
  private func findings(_ model: String, _ sql: String) throws -> [Diagnostic] {
    let store = try StoreFixture(model, sql)
    let before = try store.contents()
    let found = try SQLiteGraph(store.writer, model: store.model).storeFindings()
    #expect(try store.contents() == before)
    #expect(found.allSatisfy { $0.help != nil })
    return found
  }

  private func expect(
    _ expected: [String], _ model: String, _ sql: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let found = try findings(model, sql)
    #expect(
      found.map {
        "\($0.severity.rawValue) \($0.code.rawValue) \($0.path.components.dropFirst().joined(separator: "."))"
      }
        == expected, "\(found.map(\.message))", sourceLocation: sourceLocation)
  }

  /// The findings of an example of an explanation; foreign keys may be off in it.
  private func findings(_ yaml: String, store sql: String) throws -> [Diagnostic] {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    let queue = try DatabaseQueue(configuration: configuration)
    try queue.write { try $0.execute(sql: sql) }
    return try SQLiteGraph(queue, model: ObjectModel(yaml: yaml)).storeFindings()
  }

  @Test(arguments: DiagnosticCode.allCases.filter { $0.explanation.badStore != nil })
  func badExamplesHaveTheFindingAndNoOther(_ code: DiagnosticCode) throws {
    let explanation = code.explanation
    let bad = try findings(#require(explanation.bad), store: #require(explanation.badStore))
    #expect(bad.map(\.code) == [code], "\(bad.map(\.message))")
    #expect(bad.map(\.severity) == [code.defaultSeverity])
    let good = try findings(#require(explanation.good), store: #require(explanation.goodStore))
    #expect(good.isEmpty, "\(good.map(\.message))")
  }

  @Test(arguments: ["HealthNotes"])
  func aStoreMadeForAModelHasNoFinding(_ name: String) throws {
    let model = try ObjectModel(contentsOf: RealData.package.appending(path: "Models/\(name).yml"))
    let queue = try DatabaseQueue()
    try queue.write { try SchemaWriter(model).create(in: $0) }
    let found = try SQLiteGraph(queue, model: model).storeFindings()
    #expect(found.isEmpty, "\(found.map(\.message))")
  }

  // MARK: Uniqueness

  @Test(arguments: [
    ("(kind, name)", 0), ("(name)", 0), ("(kind)", 0), ("(code)", 1), ("(name) WHERE name IS NOT NULL", 0),
    ("(name, code)", 1),
  ])
  func whatIsUniqueWithinAKindNeedsNoIndexOverAllKinds(_ index: String, _ missing: Int) throws {
    let found = try findings(
      """
      entities:
        Item: {abstract: true, discriminator: {column: kind}, attributes: {name: String, code: String?}}
        Book: {parent: Item, uniquenessConstraints: [[name]]}
        Film: {parent: Item}
      """,
      "CREATE TABLE item(id INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, code TEXT); CREATE UNIQUE INDEX i ON item\(index)"
    ).filter { $0.code == .missingUnique }
    #expect(found.count == missing)
    #expect(found.allSatisfy { $0.help?.hasSuffix(#"ON "item" ("kind", "name")"#) == true }, "\(found)")
  }

  // MARK: Types

  private static func note(_ attribute: String) -> String {
    "entities: {Note: {attributes: {a: \(attribute)}}}"
  }

  private static func note(column: String) -> String {
    "CREATE TABLE note(id INTEGER PRIMARY KEY, a \(column))"
  }

  @Test(arguments: [
    ("String?", "STRING", true), ("String?", "VARCHAR(5)", false), ("String?", "", false),
    ("Integer 16?", "TEXT", true), ("Boolean?", "BOOLEAN", false), ("Double?", "FLOATING POINT", false),
    ("Decimal?", "DECIMAL(5,2)", false), ("Decimal?", "REAL", true), ("Binary?", "IMAGE", false),
    ("UUID?", "BLOB", true), ("{type: UUID, optional: true, storage: blob}", "BLOB", false),
    ("{type: UUID, optional: true, storage: blob}", "CHAR(36)", true),
    ("Date?", "DATETIME", false), ("Date?", "INTEGER", true),
    ("{type: Date, optional: true, storage: unixMilliseconds}", "INTEGER", false),
  ])
  func typesOfColumns(_ attribute: String, _ type: String, _ differs: Bool) throws {
    try expect(
      differs ? ["warning column-type Note.attributes.a"] : [], Self.note(attribute), Self.note(column: type))
  }

  @Test func aNewValueOfAnotherFormInAStrictTable() throws {
    try expect(
      ["error column-type Note.attributes.a"], Self.note("{type: UUID, userInfo: {rebuild: uuid}}"),
      Self.note(column: "BLOB NOT NULL") + " STRICT")
    try expect(
      ["error column-type Note.attributes.a"],
      "userInfoKeys: {rebuild: renew}\n" + Self.note("{type: UUID, userInfo: {renew: uuid}}"),
      Self.note(column: "BLOB NOT NULL") + " STRICT")
  }

  @Test func aReferenceOfAnotherClassThanTheKey() throws {
    let found = try findings(
      Self.items,
      "CREATE TABLE note(id INTEGER PRIMARY KEY); "
        + "CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, note_id TEXT REFERENCES note(id)); CREATE INDEX i ON item(note_id)"
    )
    #expect(found.map(\.code) == [.columnType])
  }

  private static let items = """
    entities:
      Note: {relationships: {items: {destination: Item, toMany: true, inverse: note}}}
      Item:
        attributes: {name: String?}
        relationships: {note: {destination: Note, optional: true, inverse: items}}
    """

  private static func items(_ columns: String, _ rest: String = "") -> String {
    "CREATE TABLE note(id INTEGER PRIMARY KEY); CREATE TABLE item(id INTEGER PRIMARY KEY, \(columns)); "
      + "CREATE INDEX i ON item(note_id); \(rest)"
  }

  // MARK: Constraints

  @Test func columnsThatMayNotBeNull() throws {
    try expect(
      ["warning column-required Item.attributes.name", "warning column-required Item.relationships.note"],
      Self.items, Self.items("name TEXT NOT NULL, note_id INTEGER NOT NULL REFERENCES note"))
    try expect(
      ["error column-required Note.attributes.a.userInfo.exclude"],
      Self.note("{type: String, optional: true, userInfo: {exclude: \"\"}}"),
      Self.note(column: "TEXT NOT NULL DEFAULT 'x'"))
  }

  @Test func nullsAreCountedInTheRowsOfTheirEntity() throws {
    let found = try findings(
      "entities: {Part: {abstract: true}, Text: {parent: Part, attributes: {a: String}}, Image: {parent: Part}}",
      "CREATE TABLE part(id INTEGER PRIMARY KEY, entity TEXT NOT NULL, a TEXT); "
        + "INSERT INTO part VALUES (1, 'Image', NULL), (2, 'Text', NULL), (3, 'Text', NULL), (4, 'Text', 'a')"
    )
    #expect(found.map(\.code) == [.requiredNull])
    #expect(found.first?.message.contains("2 rows") == true && found.first?.message.contains("id 2") == true)
  }

  @Test(arguments: [
    ("CREATE UNIQUE INDEX u ON item(name)", "warning"),
    ("CREATE UNIQUE INDEX u ON item(name) WHERE name <> ''", "warning"),
    ("CREATE UNIQUE INDEX u ON item(lower(\"name\"))", "warning"),
    ("CREATE UNIQUE INDEX u ON item(note_id, name)", ""),
    ("CREATE UNIQUE INDEX u ON item(name || id)", ""),
  ])
  func uniqueIndexesThatTheModelDoesNotKnow(_ index: String, _ severity: String) throws {
    try expect(
      severity.isEmpty ? [] : ["\(severity) unknown-unique Item"], Self.items,
      Self.items("name TEXT, note_id INTEGER REFERENCES note", index))
  }

  @Test func aUniqueColumnOfAnObjectThatComesWithItsOwnerFailsEveryClone() throws {
    let store = Self.items("name TEXT, code TEXT NOT NULL UNIQUE, note_id INTEGER REFERENCES note")
    try expect(["error unknown-unique Item"], Self.items, store)
    let fixture = try StoreFixture(
      Self.items, store + "INSERT INTO note VALUES (1); INSERT INTO item VALUES (1, 'n', 'c', 1)")
    _ = try fixture.refusal("Note", 1)
  }

  @Test("A number that is unique within an owner is no finding; --set gives it where the owner is not cloned")
  func aNumberWithinAnOwner() throws {
    let model = """
      entities:
        Album:
          relationships: {tracks: {destination: Track, toMany: true, inverse: album, deleteRule: cascade}}
        Track:
          attributes: {pos: Integer 64}
          relationships: {album: {destination: Album, inverse: tracks}}
          uniquenessConstraints: [[album, pos]]
      """
    let sql = """
      CREATE TABLE album(id INTEGER PRIMARY KEY);
      CREATE TABLE track(id INTEGER PRIMARY KEY, pos INTEGER NOT NULL,
        album_id INTEGER NOT NULL REFERENCES album(id) ON DELETE CASCADE, UNIQUE (album_id, pos));
      INSERT INTO album VALUES (1), (2);
      INSERT INTO track VALUES (1, 1, 1), (2, 2, 1), (3, 1, 2);
      """
    try expect([], model, sql)
    let store = try StoreFixture(model, sql)
    #expect(ModelValidator.validate(store.model).isEmpty)
    try store.clone("Album", 1)
    #expect(try store.refusal("Track", 1)?.code == .uniqueValue)
    try store.clone("Track", 1, CloneRequest(set: ["pos": 9]))
    #expect(try store.rows("SELECT pos, album_id FROM track WHERE id > 3") == ["1|3", "2|3", "9|1"])
  }

  // MARK: Foreign keys

  @Test func foreignKeysThatLeadElsewhere() throws {
    let path = "Item.relationships.note"
    let plain = "name TEXT, note_id INTEGER"
    try expect(["note missing-foreign-key \(path)"], Self.items, Self.items(plain))
    try expect(["error foreign-key-mismatch \(path)"], Self.items, Self.items("\(plain) REFERENCES item"))
    try expect(["error foreign-key-mismatch \(path)"], Self.items, Self.items("\(plain) REFERENCES note(x)"))
    try expect([], Self.items, Self.items("\(plain) REFERENCES Note(ID) ON DELETE SET NULL"))
    try expect(
      ["warning delete-action Note.relationships.items.deleteRule"], Self.items,
      Self.items("\(plain) REFERENCES note ON DELETE CASCADE"))
  }

  @Test func anAttributeThatIsAReference() throws {
    try expect(
      ["warning unknown-reference Note.attributes.a"], Self.note("Integer 64?"),
      Self.note(column: "INTEGER REFERENCES note(id)"))
  }

  /// A build's clone is of the clone of its run, which is in the same year.
  @Test(arguments: [("year", true), ("run_id", false)])
  func aUniqueIndexOnAColumnThatAReferenceDoesNotChange(column: String, isFound: Bool) throws {
    let model = """
      entities:
        Run:
          primaryKey: [{column: id, generate: max}, year]
          attributes: {id: Integer 64, year: Integer 64}
          relationships: {builds: {destination: Build, toMany: true, inverse: run}}
        Build:
          attributes: {code: String?}
          relationships:
            run: {destination: Run, optional: true, inverse: builds, column: [run_id, year]}
      """
    let sql = """
      CREATE TABLE run(id INTEGER NOT NULL, year INTEGER NOT NULL, PRIMARY KEY (id, year));
      CREATE TABLE build(id INTEGER PRIMARY KEY, code TEXT, run_id INTEGER, year INTEGER,
        FOREIGN KEY (run_id, year) REFERENCES run(id, year));
      CREATE INDEX builds ON build(run_id, year);
      CREATE UNIQUE INDEX codes ON build(code, \(column)) WHERE code IS NOT NULL;
      """
    try expect(isFound ? ["warning unknown-unique Build"] : [], model, sql)
  }

  @Test func theHelpForAnUnknownReferenceNamesWhatItReferences() throws {
    let model = """
      version: 1
      name: Test
      entities:
        Vehicle: {attributes: {type: String}}
        Truck: {attributes: {vehicle: Integer 64?, type: String?}}
      """
    let found = try findings(
      model,
      store: """
        CREATE TABLE vehicle(id INTEGER PRIMARY KEY, type TEXT NOT NULL, UNIQUE (id, type));
        CREATE TABLE truck(id INTEGER PRIMARY KEY, vehicle INTEGER, type TEXT,
          FOREIGN KEY (vehicle, type) REFERENCES vehicle(id, type));
        """)
    let help = try #require(found.first { $0.code == .unknownReference }?.help)
    #expect(
      help.contains("'column: [{column: vehicle, references: id}, {column: type, references: type}]'"))
  }

  @Test(arguments: [false, true])
  func rowsThatBelongToThoseOfAJoinTableAreNotCopiedUntilItIsAnEntity(isEntity: Bool) throws {
    let store = """
      CREATE TABLE memo(id INTEGER PRIMARY KEY, a TEXT);
      CREATE TABLE tag(id INTEGER PRIMARY KEY, a TEXT);
      CREATE TABLE memo_tag(id INTEGER PRIMARY KEY, memo_id INTEGER NOT NULL REFERENCES memo(id),
        tag_id INTEGER NOT NULL REFERENCES tag(id), UNIQUE (memo_id, tag_id));
      CREATE TABLE remark(id INTEGER PRIMARY KEY, a TEXT, memo_tag_id INTEGER NOT NULL REFERENCES memo_tag(id));
      """
    let remark = isEntity ? "Remark: {attributes: {a: String?}}" : ""
    let joined = try findings(
      """
      version: 1
      name: Test
      entities:
        Memo:
          attributes: {a: String?}
          relationships:
            tags: {destination: Tag, toMany: true, inverse: memos, joinTable: {table: memo_tag}}
        Tag:
          attributes: {a: String?}
          relationships:
            memos: {destination: Memo, toMany: true, inverse: tags}
        \(remark)
      """, store: store)
    let found = try #require(joined.first { $0.code == .unknownReference })
    #expect(found.message.contains("its rows are not copied with those of 'memo_tag'"), "\(found.message)")
    #expect(found.path.components.contains("tags"))
    #expect(try #require(found.help).contains("an entity with 'table: memo_tag'"))
    let followed = try findings(
      """
      version: 1
      name: Test
      entities:
        Memo:
          attributes: {a: String?}
          relationships:
            memoTags: {destination: MemoTag, toMany: true, inverse: memo}
        Tag:
          attributes: {a: String?}
          relationships:
            memoTags: {destination: MemoTag, toMany: true, inverse: tag}
        MemoTag:
          table: memo_tag
          relationships:
            memo: {destination: Memo, inverse: memoTags}
            tag: {destination: Tag, inverse: memoTags}
            remarks: {destination: Remark, toMany: true, inverse: memoTag}
        Remark:
          attributes: {a: String?}
          relationships:
            memoTag: {destination: MemoTag, inverse: remarks}
      """, store: store)
    #expect(!followed.contains { $0.code == .unknownReference }, "\(followed.map(\.message))")
  }

  @Test func aKeyThatNothingGenerates() throws {
    try expect(
      ["error store-mismatch Note.primaryKey"], Self.note("String?"),
      "CREATE TABLE note(id TEXT PRIMARY KEY NOT NULL, a TEXT)")
    try expect([], Self.note("String?"), "CREATE TABLE note(id INT PRIMARY KEY, a TEXT)")
  }

  @Test(
    "A key of UUIDs has no room in a column of numbers: validation says so, and every clone",
    arguments: ["INTEGER PRIMARY KEY", "INT PRIMARY KEY NOT NULL", "REAL PRIMARY KEY NOT NULL"],
    ["", "id: UUID, ", "id: String, "])
  func aKeyOfUUIDsInAColumnOfNumbers(column: String, attribute: String) throws {
    let model =
      "entities: {Note: {primaryKey: {column: id, generate: uuid}, attributes: {\(attribute)a: String?}}}"
    let sql = "CREATE TABLE note(id \(column), a TEXT)"
    try expect(["error store-mismatch Note.primaryKey"], model, sql)
    let store = try StoreFixture(model, sql + "; INSERT INTO note VALUES (1, 'a')")
    let error = try store.refusal("Note", 1)
    #expect(error?.code == .storeMismatch && error?.failures.count == 1, "\(String(describing: error))")
    #expect(error?.description.contains("the key of Note is a UUID, but its column 'id'") == true)
    try expect([], model, "CREATE TABLE note(id TEXT PRIMARY KEY NOT NULL, a TEXT)")
  }

  @Test("A type whose name has a number's in it holds UUIDs as texts, as SQLite stores them")
  func aKeyOfUUIDsInAColumnOfPoints() throws {
    let model = "entities: {Note: {primaryKey: {column: id, generate: uuid}, attributes: {a: String?}}}"
    let store = try StoreFixture(
      model,
      "CREATE TABLE note(id POINT_ID PRIMARY KEY NOT NULL, a TEXT);"
        + "INSERT INTO note VALUES ('ABCDEFAB-CDEF-4ABC-8ABC-DEFABCDEFABC', 'a')")
    try store.clone("Note", "ABCDEFAB-CDEF-4ABC-8ABC-DEFABCDEFABC")
    #expect(try store.rows("SELECT count(*) FROM note WHERE typeof(id) = 'text' AND a = 'a'") == ["2"])
  }

  @Test func theAdviceForAKeyOfUUIDsInAColumnOfNumbersHelps() throws {
    let model =
      "entities: {Note: {primaryKey: {column: id, generate: max}, attributes: {id: Integer 64, a: String?}}}"
    for column in ["INTEGER PRIMARY KEY", "INT PRIMARY KEY NOT NULL"] {
      let sql = "CREATE TABLE note(id \(column), a TEXT)"
      try expect([], model, sql)
      let store = try StoreFixture(model, sql + "; INSERT INTO note VALUES (1, 'a')")
      #expect(try store.clone("Note", 1).root.key == 2)
    }
  }

  @Test func aColumnWithoutDefaultThatIsLeftToTheDatabase() throws {
    try expect(
      ["note unmapped-column Note", "error column-required Note"],
      "store: {unmapped: default}\n" + Self.note("String?"), Self.note(column: "TEXT, b TEXT NOT NULL"))
  }

  @Test("A join table or a column of it that does not exist is one finding, where it is described")
  func wrongJoinTables() throws {
    func model(_ join: String) -> String {
      "entities: {Memo: {relationships: {tags: {destination: Tag, toMany: true, inverse: memos\(join)}}}, "
        + "Tag: {relationships: {memos: {destination: Memo, toMany: true, inverse: tags}}}}"
    }
    let store =
      "CREATE TABLE memo(id INTEGER PRIMARY KEY); CREATE TABLE tag(id INTEGER PRIMARY KEY);"
      + "CREATE TABLE memo_tag(memo_id INTEGER NOT NULL REFERENCES memo(id), "
      + "tag_id INTEGER NOT NULL REFERENCES tag(id), PRIMARY KEY(memo_id, tag_id));"
      + "CREATE INDEX tag_of_memo ON memo_tag(tag_id)"
    let place = "error store-mismatch Memo.relationships.tags"
    try expect([], model(""), store)
    try expect([place], model(", joinTable: {table: memo_tags}"), store)
    try expect([place], model(", joinTable: {column: memos_id}"), store)
  }

  @Test(
    "A default that exclude writes and a CHECK of its column refuses",
    arguments: [
      ("TEXT NOT NULL CHECK (a IN ('on', 'off'))", true), ("TEXT NOT NULL CHECK (length(a) < 9)", false),
      ("TEXT NOT NULL, CHECK (a <> 'new' OR id > 0)", false),
      ("TEXT NOT NULL, CHECK (\"a\" LIKE 'o%')", true),
    ])
  func checks(column: String, isRefused: Bool) throws {
    try expect(
      isRefused ? ["error default-outside-limits Note.attributes.a.default"] : [],
      Self.note("{type: String, default: new, userInfo: {exclude: \"\"}}"), Self.note(column: column))
    try expect([], Self.note("{type: String, default: new}"), Self.note(column: column))
  }

  @Test func violationsAreCountedWithTheirFirstRows() throws {
    let found = try findings(
      "version: 1\nname: T\n" + Self.items,
      store: Self.items(
        "name TEXT, note_id INTEGER REFERENCES note",
        "INSERT INTO note VALUES (1); INSERT INTO item VALUES (1, 'a', 1), (2, 'b', 8), (3, 'c', 9)"))
    #expect(found.map(\.code) == [.foreignKeyViolation])
    #expect(found.first?.message == "2 rows of 'item' reference a missing 'note'.")
    #expect(found.first?.help?.contains("id 2; id 3") == true)
  }
}
