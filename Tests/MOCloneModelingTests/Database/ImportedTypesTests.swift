import MOCloneKit
import MOCloneModeling
import Testing

@Suite("Types of imported models")
struct ImportedTypesTests {
  struct Column: CustomTestStringConvertible, Sendable {
    var declared: String
    var name = "x"
    var values: [String] = []
    var type: AttributeType?
    var storage: ValueStorage?

    var testDescription: String { "\(name) \(declared): \(values.joined(separator: ", "))" }

    init(
      _ declared: String, _ values: String..., name: String = "x", is type: AttributeType?,
      storage: ValueStorage? = nil
    ) {
      (self.declared, self.name, self.values, self.type, self.storage) = (
        declared, name, values, type, storage
      )
    }
  }

  @Test(arguments: columns)
  func aColumnHasTheTypeOfItsValues(column: Column) throws {
    // A second date column of the usual form keeps the store's notation what it is.
    let rows = column.values.map { "INSERT INTO t (\"\(column.name)\") VALUES (\($0));" }.joined()
    let database = try ImportedDatabase(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, \"\(column.name)\" \(column.declared)); CREATE TABLE u (id INTEGER PRIMARY KEY, a DATETIME, b DATETIME, c UUID, d UUID);"
        + "INSERT INTO u (a, b, c, d) VALUES ('2024-01-01T10:00:00.123Z', '2024-01-01T10:00:00.123Z', '1B4E28BA-2FA1-11D2-883F-0016D3CCA427', '1B4E28BA-2FA1-11D2-883F-0016D3CCA427');"
        + rows)
    try database.check()
    let attribute = database.model.attributes(of: "T").first
    #expect(attribute?.type == column.type)
    #expect(attribute?.storage == column.storage)
  }

  static let columns: [Column] = [
    Column("INTEGER", "1", is: .integer64), Column("INTEGER", is: .integer64),
    Column("SMALLINT", "300", is: .integer16),
    Column("SMALLINT", "70000", is: .integer64), Column("INT4", "70000", is: .integer32),
    Column("INTEGER", "1.5", is: .double),
    Column("REAL", "1", is: .double), Column("TEXT", "'a'", is: .string),
    Column("BLOB", "x'00'", is: .binary),
    Column("", "'a'", is: .string), Column("", "1", is: .integer64), Column("", "1", "2.5", is: .double),
    Column("", is: .string),
    Column("BOOLEAN", "1", "0", is: .boolean), Column("BOOLEAN", "2", is: .integer64),
    Column("TINYINT(1)", "1", is: .boolean),
    Column("BOOLEAN", "'t'", is: .string), Column("INTEGER", "1", "0", name: "is_done", is: .boolean),
    Column("DECIMAL(10,2)", "1.5", is: .decimal), Column("DECIMAL(10,2)", "'1.50'", is: .decimal),
    Column("DECIMAL(10,0)", "3", is: .integer64),
    Column("NUMERIC", "1", is: .decimal), Column("DECIMAL(10,2)", "'free'", is: .string),
    Column("MONEY", is: .decimal),
    Column("DATETIME", "'2024-01-31T10:00:00.123Z'", is: .date),
    Column("TEXT", "'2024-01-31T10:00:00Z'", is: .date, storage: .date(.iso8601Seconds)),
    Column("DATETIME", "'2024-01-31 10:00:00'", is: .date, storage: .date(.sqliteSeconds)),
    Column(
      "DATETIME", "'2024-01-31 10:00:00'", "'2024-01-31 10:00:00.5'", is: .date, storage: .date(.sqlite)),
    Column("DATE", "'2024-01-31'", is: .date, storage: .date(.day)),
    Column("TEXT", "'2024-01-31'", is: .string),
    Column("TEXT", "'2024-01-31'", name: "birth_date", is: .date, storage: .date(.day)),
    Column("DATETIME", "'31.1.2024'", is: .string),
    Column("DATETIME", "'2024-01-31 10:00:00'", "'soon'", is: .string),
    Column("DATETIME", "1700000000", is: .date, storage: .date(.unix)),
    Column("INTEGER", "1700000000", name: "created_at", is: .date, storage: .date(.unix)),
    Column("INTEGER", "1700000000123", name: "created_at", is: .date, storage: .date(.unixMilliseconds)),
    Column("REAL", "700000000.5", name: "created_at", is: .date, storage: .date(.referenceDate)),
    Column("INTEGER", "5", name: "created_at", is: .integer64),
    Column("INTEGER", "1700000000", name: "size", is: .integer64),
    Column("DATETIME", is: .date),
    Column("TEXT", "'1B4E28BA-2FA1-11D2-883F-0016D3CCA427'", is: .uuid),
    Column("TEXT", "'1b4e28ba-2fa1-11d2-883f-0016d3cca427'", is: .uuid, storage: .uuid(.lowercaseText)),
    Column("BLOB", "x'1b4e28ba2fa111d2883f0016d3cca427'", is: .uuid, storage: .uuid(.blob)),
    Column(
      "TEXT", "'1b4e28ba2fa111d2883f0016d3cca427'", name: "guid", is: .uuid, storage: .uuid(.compactText)),
    Column("TEXT", "'1b4e28ba2fa111d2883f0016d3cca427'", is: .string),
    Column("TEXT", "'1B4E28BA2FA111D2883F0016D3CCA427'", name: "guid", is: .string),
    Column("CHAR(32)", name: "uuid", is: .uuid, storage: .uuid(.compactText)),
    Column("BLOB", "x'00000000000000000000000000000000'", is: .binary),
    Column("BLOB", "x'00000000000000000000000000000000'", name: "uuid", is: .uuid, storage: .uuid(.blob)),
    Column("TEXT", "'1b4e28ba'", name: "uuid", is: .string), Column("CHAR(36)", name: "uuid", is: .uuid),
    Column("JSON", "'{\"a\": 1}'", is: .string), Column("STRING", "'a'", is: .string),
    Column("BLOB", "'a'", is: .string),
    Column("TEXT", "x'00'", is: .binary), Column("INTEGER", "'a'", "1", is: nil),
    Column("TEXT", "x'00'", "'a'", is: nil),
  ]

  @Test func columnsThatAreComputedOrHaveDefaultsSaySo() throws {
    let database = try ImportedDatabase(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER NOT NULL DEFAULT 1, b TEXT DEFAULT 'it''s', c REAL DEFAULT (1.5), d TEXT DEFAULT CURRENT_TIMESTAMP,
        e BOOLEAN NOT NULL DEFAULT FALSE, f INTEGER DEFAULT -5, g TEXT DEFAULT (lower('X')), h TEXT DEFAULT 0, i INTEGER AS (a + f));
      """)
    let values = try database.entity("T").attributes.map(\.defaultValue)
    let expected: [AttributeValue?] = [
      .integer(1), .string("it's"), .double(1.5), nil, .bool(false), .integer(-5), nil, .string("0"), nil,
    ]
    #expect(values == expected)
    #expect(try database.attribute("i", of: "T").derivation == .computed)
    #expect(try !database.attribute("a", of: "T").isOptional)
  }

  @Test func aFileSaysWhyAColumnIsNotNamedOrHasATypeOfItsOwn() throws {
    let database = try ImportedDatabase(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER, j JSON); INSERT INTO t VALUES (1, 'x', '[]'), (2, 3, '{}')"
    )
    let yaml = database.draft.yaml
    #expect(yaml.contains("several kinds there"))
    #expect(yaml.contains("# JSON\n"))
    #expect(yaml.contains("# moclone:allow column-type declared JSON"))
  }

  /// By such values objects are not found, so a sync would delete them.
  @Test(arguments: [("7", "'7x'"), ("1.5", "'a'"), ("x'61'", "'b'"), ("'1'", "1")])
  func aUniqueColumnWithValuesOfSeveralKindsIsNeitherNamedNorAnIdentity(_ a: String, _ b: String) throws {
    let database = try ImportedDatabase(
      "CREATE TABLE box (id INTEGER PRIMARY KEY, code UNIQUE, name TEXT); INSERT INTO box VALUES (1, \(a), 'a'), (2, \(b), 'b')"
    )
    try database.check()
    let box = try database.entity("Box")
    #expect(box.attributes.map(\.name) == ["name"])
    #expect(box.uniquenessConstraints.isEmpty)
    #expect(database.draft.comments[.entity("Box")]?.count == 1)
    #expect(database.draft.yaml.contains("several kinds there"))
  }

  @Test func aKeyWithValuesOfSeveralKindsStaysNamed() throws {
    let database = try ImportedDatabase(
      "CREATE TABLE box (code PRIMARY KEY, name TEXT); INSERT INTO box VALUES (7, 'a'), ('7x', 'b')")
    try database.check()
    #expect(try database.attribute("code", of: "Box").type == .string)
  }

  @Test func aFileNamesTheDatesWhoseNotationNoValueShows() throws {
    let dates =
      "CREATE TABLE t (id INTEGER PRIMARY KEY, made DATETIME NOT NULL, read TIMESTAMP, size INTEGER);"
    let empty = try ImportedDatabase(dates).draft.yaml
    #expect(empty.contains("look whether 'storage: iso8601' is right"))
    #expect(empty.contains("'made', 'read'."))
    let filled = try ImportedDatabase(dates + "INSERT INTO t VALUES (1, 1700000000123, 1700000000123, 3)")
      .draft.yaml
    #expect(!filled.contains("No value shows"))
  }

  /// Digits at random have no version, and a clone's are as good; of another length or case nothing makes them.
  @Test func keysThatADefaultMakesOfRandomDigitsAreUUIDsWithoutHyphens() throws {
    func table(_ name: String, _ standard: String) -> String {
      "CREATE TABLE \(name) (uri VARCHAR(32) NOT NULL \(standard) PRIMARY KEY, name TEXT);"
    }
    let random = "DEFAULT (lower(hex(randomblob(16))))"
    let tables = [
      table("note", random), table("blank", random), table("loud", "DEFAULT (hex(randomblob(16)))"),
      table("short", "DEFAULT (lower(hex(randomblob(8))))"), table("plain", ""),
    ]
    let rows = """
      INSERT INTO note VALUES ('9a5d3664f34033f3feefdf7e213bae96', 'a'); INSERT INTO loud (name) VALUES ('a');
      INSERT INTO short (name) VALUES ('a'); INSERT INTO plain VALUES ('9a5d3664f34033f3feefdf7e213bae96', 'a');
      """
    let database = try ImportedDatabase(tables.joined() + rows)
    try database.check()
    let keys = try ["Note", "Blank", "Loud", "Short", "Plain"].map {
      try database.entity($0).primaryKey.map(\.generate)
    }
    let none: [KeyGeneration?] = [KeyGeneration.none]
    #expect(keys == [[.uuid], [.uuid], none, none, none])
    let comments = ["Note", "Loud", "Short"].map {
      database.draft.comments[.entity($0), default: []].joined()
    }
    #expect(
      comments[0].isEmpty && comments.dropFirst().allSatisfy { $0.contains("The DEFAULT of the column") })
    let note = try Cloner().clone("Note", keys: ["9a5d3664f34033f3feefdf7e213bae96"], in: database.graph)
    let key = note.roots[0].key.description
    #expect(key.count == 32 && key.allSatisfy { $0.isHexDigit && !$0.isUppercase }, "\(key)")
  }

  @Test func uuidsWithoutHyphensAreOnesWhereTheirNamesOrTheirNumberSaySo() throws {
    let database = try ImportedDatabase(
      """
      CREATE TABLE account (id CHAR(32) PRIMARY KEY, uuid CHAR(32) NOT NULL UNIQUE, token TEXT);
      CREATE TABLE session (id CHAR(32) PRIMARY KEY, guid CHAR(32));
      CREATE TABLE empty (uuid CHAR(32) PRIMARY KEY);
      CREATE TABLE device (id CHAR(32) PRIMARY KEY, account_id CHAR(32) REFERENCES account(id), digest TEXT);
      INSERT INTO account VALUES ('1b4e28ba2fa141d2883f0016d3cca427', '2b4e28ba2fa141d2883f0016d3cca427', 'a');
      INSERT INTO session VALUES ('3b4e28ba2fa141d2883f0016d3cca427', NULL);
      WITH n(i) AS (VALUES (10) UNION ALL SELECT i + 1 FROM n WHERE i < 21)
      INSERT INTO device SELECT '1b4e28ba2fa141d2883f0016d3cca4' || i, '1b4e28ba2fa141d2883f0016d3cca427',
        '1b4e28ba2fa141d2' || CASE i WHEN 10 THEN '0' ELSE '8' END || '83f0016d3cca4' || i FROM n;
      """)
    #expect(database.model.store.uuids == .compactText)
    #expect(try database.attribute("uuid", of: "Account").type == .uuid)
    #expect(try database.attribute("guid", of: "Session").type == .uuid)
    #expect(try database.attribute("digest", of: "Device").type == .string)
    let keys = try ["Account", "Session", "Empty", "Device"].map {
      try database.entity($0).primaryKey.map(\.generate)
    }
    #expect(keys == [[KeyGeneration.none], [KeyGeneration.none], [.uuid], [.uuid]])
    try database.check()
    #expect(throws: CloneError.self) {
      try Cloner().clone("Session", keys: ["3b4e28ba2fa141d2883f0016d3cca427"], in: database.graph)
    }
    let device = try Cloner().clone("Device", keys: ["1b4e28ba2fa141d2883f0016d3cca411"], in: database.graph)
    let key = device.roots[0].key.description
    #expect(key.count == 32 && key.allSatisfy { $0.isHexDigit && !$0.isUppercase }, "\(key)")
  }
}
