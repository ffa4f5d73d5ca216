import Foundation
import GRDB
import MOCloneKit
import MOCloneTesting
import MOCloneYAML
import TestSupport
import Testing

@testable import MOClonePostgres

/// Values that columns would round, cut off or not take.
@Suite(.enabled(if: TestDatabase.isAvailable, "\(TestDatabase.comment)"))
struct NarrowColumnTests {
  private static let yaml = """
    version: 1
    name: Shop
    entities:
      Article:
        attributes:
          name: String
          price: Decimal?
          code: String?
          count: Integer 64?
          weight: Double?
          rate: Decimal?
          tax: Decimal?
          parts: Integer 64?
          size: Integer 64?
          made: Date?
          day: Date?
          cost: Decimal?
          mass: Float?
          opens: String?
          shuts: String?
          lasts: String?
          login: String?
          grade: String?
          born: String?
          share: String?
        uniquenessConstraints: [[name]]
    """

  private static let tables = """
    CREATE DOMAIN price AS numeric(7,2);
    CREATE TABLE article(id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text, price price, code varchar(3),
      count smallint, weight real, rate float8, tax real, parts float8, size real,
      made timestamptz(0), day date, cost money, mass real, opens time(0), shuts timetz(0), lasts interval(0),
      login name, grade "char", born date, share real);
    INSERT INTO article(name, price) VALUES ('there', 1.50)
    """

  /// By attribute: a value that fits, and one that does not.
  private static let values: [String: (fits: String, doesNot: String)] = [
    "price": ("12345.600", "1.505"), "code": ("abc", "abcd"), "count": ("-32768", "32768"),
    "day": ("2024-01-31T00:00:00Z", "2024-01-31T23:59:59Z"),
    "weight": ("0.1", "0.123456789"), "made": ("2024-01-31T12:00:00Z", "2024-01-31T12:00:00.5Z"),
    "rate": ("0.30000000000000004", "9007199254740993"), "tax": ("12.50", "3.14159265"),
    "parts": ("9007199254740992", "9007199254740993"), "size": ("16777216", "16777217"),
    "cost": ("12.50", "1.005"), "mass": ("16777216", "16777217"), "opens": ("7:05", "07:05:00.9"),
    "shuts": ("7:05+01", "07:05:00.9+01"), "lasts": ("24:00", "00:00:01.6"),
    "login": (String(repeating: "x", count: 63), String(repeating: "x", count: 64)), "grade": ("A", "AB"),
    "born": ("2024-05-06 00:00", "2024-05-06 07:08"), "share": ("0.50", "0.123456789"),
  ]

  private func fixture() throws -> DatabaseFixture { try DatabaseFixture(Self.yaml, Self.tables) }

  private func value(_ text: String, _ attribute: String) throws -> AttributeValue {
    let model = try ObjectModel(yaml: Self.yaml)
    return try #require(model.attribute(attribute, of: "Article")!.type.value(from: text))
  }

  private func refusal(_ body: () throws -> Void) -> String {
    do { try body() } catch { return "\(error)" }
    return "done"
  }

  @Test("A clone gets what fits, and refuses what does not", arguments: values.keys.sorted())
  func clones(_ attribute: String) throws {
    let database = try fixture()
    let (fits, doesNot) = Self.values[attribute]!
    func request(_ text: String) throws -> CloneRequest {
      CloneRequest(set: ["name": .string(text), attribute: try value(text, attribute)])
    }
    // Twice, because a plan that has run takes a shorter way.
    for name in ["first", "second"] {
      var request = try request(fits)
      request.set["name"] = .string(name)
      try database.clone("Article", 1, request)
    }
    let before = try database.rows("SELECT * FROM article")
    let text = refusal { try database.clone("Article", 1, request(doesNot)) }
    let place = attribute == "count" ? "out of range" : "does not fit the column '\(attribute)'"
    #expect(text.contains(place), "\(text)")
    #expect(try database.rows("SELECT * FROM article") == before)
  }

  @Test(
    "An object of a program refuses a number that a column of real numbers would round",
    arguments: ["rate", "tax", "parts", "size"])
  func objects(_ attribute: String) throws {
    let database = try fixture()
    let (fits, doesNot) = Self.values[attribute]!
    let article = try database.graph.object("Article", key: 1)
    for text in [fits] + (attribute == "rate" || attribute == "tax" ? ["0.1", "-1234.5"] : ["-12"]) {
      try article.setValue(value(text, attribute), for: attribute)
      #expect(try article.value(attribute) == value(text, attribute))
    }
    let before = try database.rows("SELECT * FROM article")
    for change in [
      { try article.setValue(value(doesNot, attribute), for: attribute) },
      { _ = try database.graph.insert("Article", ["name": "b", attribute: value(doesNot, attribute)]) },
    ] {
      let text = refusal { try change() }
      #expect(text.contains("does not fit the column '\(attribute)'"), "\(text)")
    }
    #expect(try database.rows("SELECT * FROM article") == before)
  }

  @Test(
    "An import takes what fits, and names the row and the column of what does not",
    arguments: values.keys.sorted())
  func imports(_ attribute: String) throws {
    let database = try fixture()
    let (fits, doesNot) = Self.values[attribute]!
    let mapping = try ImportMapping(
      yaml: "{entity: Article, attributes: {name: '@name', \(attribute): '@\(attribute)'}}")
    func load(_ text: String) throws {
      let file = "name,\(attribute)\na,\(fits)\nb,\(text)\n"
      _ = try database.graph.importData(Data(file.utf8), format: .csv, mapping: mapping)
    }
    let message = refusal { try load(doesNot) }
    #expect(message.contains("'\(attribute)'") && message.contains("does not fit"), "\(message)")
    #expect(message.contains(":3:"), "\(message)")
    #expect(try database.rows("SELECT count(*) FROM article") == ["1"])
    try load(fits)
    #expect(
      try database.rows("SELECT count(*) FROM article WHERE \(attribute) IS NOT NULL AND name <> 'there'")
        == ["2"])
  }

  /// A label that the type does not have, a value that a domain refuses, a character that no text takes.
  private static let untaken: [String: (fits: String, doesNot: String)] = [
    "state": ("open", "ajar"), "share": ("0.5", "1.5"), "note": ("fine", "a\u{0}b"), "data": ("{}", "{bad"),
  ]

  private static let typedYAML = """
    version: 1
    name: Shop
    entities:
      Article:
        attributes: {name: String, state: String?, share: Decimal?, note: String?, data: String?}
        uniquenessConstraints: [[name]]
    """

  private static let typedTables = """
    CREATE TYPE state AS ENUM ('open', 'shut');
    CREATE DOMAIN share AS numeric CHECK (VALUE BETWEEN 0 AND 1);
    CREATE TABLE article(id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text, state state, share share, note text,
      data jsonb)
    """

  @Test(
    "A value that a type does not take is refused with its row, also far down in a file; bad rows can be kept apart",
    arguments: untaken.keys.sorted(), [3, 12_000])
  func refusesWhatTypesDoNotTake(_ attribute: String, row: Int) throws {
    let database = try DatabaseFixture(Self.typedYAML, Self.typedTables)
    let (fits, doesNot) = Self.untaken[attribute]!
    let mapping = try ImportMapping(
      yaml: "{entity: Article, attributes: {name: '@name', \(attribute): '@\(attribute)'}}")
    let lines = (1...row + 1).map { "n\($0),\($0 == row ? doesNot : fits)" }
    let folder = try TemporaryFolder()
    let text = "name,\(attribute)\n" + lines.joined(separator: "\n") + "\n"
    let file = try folder.write(text.utf8, to: "articles.csv").path
    let message = refusal { _ = try database.graph.importFile(file, mapping: mapping) }
    #expect(message.contains("csv:\(row + 1): "), "\(message)")
    #expect(message.contains("of Article") && message.contains(attribute), "\(message)")
    #expect(try database.rows("SELECT count(*) FROM article") == ["0"])
    let report = try database.graph.importFile(
      file, mapping: mapping, options: ImportOptions(badRows: .skip(rejects: folder.file("rejects").path)))
    #expect(report?.rejected?.rows == 1)
    #expect(try database.rows("SELECT count(*) FROM article") == ["\(row)"])
  }

  /// An array reads its domain's values, and the domain fails as one of them says.
  private static let failingYAML = """
    version: 1
    name: Shop
    entities:
      Article:
        attributes: {name: String, labels: String?, words: String?}
        uniquenessConstraints: [[name]]
    """

  private static let failingTables = """
    CREATE FUNCTION taken(label text) RETURNS boolean LANGUAGE plpgsql AS $$
    BEGIN
      IF label <> 'good' THEN RAISE EXCEPTION 'on purpose' USING ERRCODE = label; END IF;
      RETURN true;
    END $$;
    CREATE DOMAIN label AS text CHECK (taken(VALUE));
    CREATE TABLE article(id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text, labels label[], words tsvector)
    """

  /// Loads three rows of which the second one fails, and tells the error.
  private func failure(
    _ state: String, in database: DatabaseFixture, syncs: Bool = false, skips: Bool = false
  ) throws -> CloneError? {
    let folder = try TemporaryFolder()
    let rows = "name,labels\na,{good}\nb,{\(state)}\nc,{good}\n"
    let file = try folder.write(rows.utf8, to: "articles.csv").path
    do {
      if syncs {
        try database.graph.sync(
          SyncRequest(entity: "Article", overwriting: ["labels"], deletes: false), fromFile: file)
      } else {
        let mapping = try ImportMapping(
          yaml: "{entity: Article, attributes: {name: '@name', labels: '@labels'}}")
        let rejects = ImportOptions.BadRows.skip(rejects: folder.file("rejects").path)
        _ = try database.graph.importFile(
          file, mapping: mapping, options: skips ? ImportOptions(badRows: rejects) : ImportOptions())
      }
      return nil
    } catch let error as CloneError { return error }
  }

  private static let failures: [(String, DiagnosticCode)] = [
    ("57014", .storeFailed), ("57P01", .storeFailed), ("08000", .storeFailed), ("53200", .storeFailed),
    ("53100", .storeFull), ("58030", .storeFailed), ("55P03", .storeBusy), ("40001", .storeBusy),
  ]

  @Test(
    "What the server fails for while it reads a row, as a cancelled statement, is no fault of the row",
    arguments: failures)
  func failuresOfTheServer(_ state: String, code: DiagnosticCode) throws {
    let database = try DatabaseFixture(Self.failingYAML, Self.failingTables)
    for error in [
      try failure(state, in: database), try failure(state, in: database, skips: true),
      try failure(state, in: database, syncs: true),
    ] {
      #expect(error?.code == code, "\(String(describing: error))")
      #expect(error?.failures.first?.row == nil)
    }
    #expect(try database.rows("SELECT count(*) FROM article") == ["0"])
  }

  @Test(
    "What a type refuses is the fault of its row, whatever the code",
    arguments: ["22000", "23514", "P0001", "42601", "54000", "XX000", "42P01", "42704"])
  func failuresOfValues(_ state: String) throws {
    let database = try DatabaseFixture(Self.failingYAML, Self.failingTables)
    for syncs in [false, true] {
      let error = try #require(try failure(state, in: database, syncs: syncs))
      #expect(error.code == .invalidValue && error.failures[0].row?.line == 3, "\(error)")
    }
    #expect(try failure(state, in: database, skips: true) == nil)
    #expect(try database.rows("SELECT name FROM article ORDER BY name") == ["a", "c"])
  }

  @Test("A sync names the line of a label that a type does not have")
  func syncsNameLines() throws {
    let database = try DatabaseFixture(Self.typedYAML, Self.typedTables)
    let folder = try TemporaryFolder()
    let file = try folder.write("name,state\na,open\nb,ajar\n".utf8, to: "articles.csv").path
    let message = refusal {
      try database.graph.sync(
        SyncRequest(entity: "Article", overwriting: ["state"], deletes: false), fromFile: file)
    }
    #expect(message.contains("csv:3: 'ajar' of Article does not fit the column 'state'"), "\(message)")
    let ofProgram = refusal {
      try database.graph.sync(
        SyncRequest(entity: "Article", overwriting: ["state"], deletes: false),
        from: [["name": "a", "state": "open"], ["name": "b", "state": "ajar"]])
    }
    #expect(ofProgram.contains("row 2: 'ajar' of Article does not fit the column 'state'"), "\(ofProgram)")
  }

  @Test(
    "So does a sync, of new objects and of those that exist", arguments: values.keys.sorted(),
    ["there", "new"])
  func syncs(_ attribute: String, name: String) throws {
    let database = try fixture()
    let (fits, doesNot) = Self.values[attribute]!
    func sync(_ text: String) throws {
      try database.graph.sync(
        SyncRequest(entity: "Article", overwriting: [attribute], deletes: false),
        from: [["name": .string(name), attribute: try value(text, attribute)]])
    }
    let message = refusal { try sync(doesNot) }
    #expect(message.contains("'\(attribute)'") && message.contains("does not fit"), "\(message)")
    #expect(
      try database.rows("SELECT count(*) FROM article WHERE \(attribute) IS NOT NULL") == [
        attribute == "price" ? "1" : "0"
      ])
    try sync(fits)
    #expect(
      try database.rows("SELECT count(*) FROM article WHERE name = '\(name)' AND \(attribute) IS NOT NULL")
        == ["1"])
  }

  @Test("A sync changes nothing where columns hold what its rows give", arguments: values.keys.sorted())
  func syncsAgain(_ attribute: String) throws {
    let database = try fixture()
    func sync() throws -> TransferReport {
      try database.graph.sync(
        SyncRequest(entity: "Article", overwriting: [attribute], deletes: false),
        from: [["name": "new", attribute: try value(Self.values[attribute]!.fits, attribute)]])
    }
    _ = try sync()
    #expect(try sync().unchanged == ["Article": 1])
  }

  @Test("Money is found by what identifies it")
  func money() throws {
    let database = try fixture()
    try database.connection.run("UPDATE article SET cost = 12.5")
    let mapping = try ImportMapping(yaml: "{entity: Article, attributes: {name: '@name', cost: '@cost'}}")
    _ = try database.graph.importData(
      Data("name,cost\nb,12.5\n".utf8), format: .csv, mapping: mapping,
      options: ImportOptions(existing: .update, identifiedBy: ["Article": ["cost"]]))
    #expect(try database.rows("SELECT name, cost::numeric FROM article") == ["b|12.50"])
  }

  @Test("A whole number that a file of SQLite holds is not rounded", arguments: ["mass", "size", "weight"])
  func wholeNumbers(_ attribute: String) throws {
    let database = try fixture()
    let number = attribute == "weight" ? "9007199254740993" : "16777217"
    let queue = try DatabaseQueue()
    try queue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE article(id INTEGER PRIMARY KEY, name TEXT, \(Self.values.keys.joined(separator: ", ")));
          INSERT INTO article(name, \(attribute)) VALUES ('new', \(number))
          """)
    }
    let file = SQLiteGraph(queue, model: database.graph.model)
    #expect(throws: CloneError.self) { try database.graph.copy(from: file) }
    #expect(try database.rows("SELECT count(*) FROM article") == ["1"])
  }

  @Test("So does a copy from memory", arguments: values.keys.sorted())
  func copies(_ attribute: String) throws {
    let database = try fixture()
    let (fits, doesNot) = Self.values[attribute]!
    func copy(_ text: String) throws {
      let memory = MemoryGraph(model: try ObjectModel(yaml: Self.yaml))
      _ = try memory.insertObject(
        "Article", key: nil, values: ["name": "new", attribute: try value(text, attribute)])
      try database.graph.copy(from: memory)
    }
    let message = refusal { try copy(doesNot) }
    #expect(message.contains("'\(attribute)'") && message.contains("does not fit"), "\(message)")
    #expect(message.hasSuffix("[invalid-value]"), "\(message)")
    try copy(fits)
    #expect(
      try database.rows("SELECT count(*) FROM article WHERE name = 'new' AND \(attribute) IS NOT NULL") == [
        "1"
      ])
  }

  @Test(
    "A copy names the object and the column of a value that a type does not take, also far down",
    arguments: ["ajar", "{bad", #""\u0000""#], [2, 12_000])
  func copiesNameObjects(_ text: String, row: Int) throws {
    let database = try DatabaseFixture(Self.typedYAML, Self.typedTables)
    let attribute = text == "ajar" ? "state" : "data"
    let memory = MemoryGraph(model: database.graph.model)
    for number in 1...row + 1 {
      let value = number == row ? text : Self.untaken[attribute]!.fits
      _ = try memory.insertObject(
        "Article", key: nil, values: ["name": .string("n\(number)"), attribute: .string(value)])
    }
    let file = try SQLiteGraph.temporary(database.graph.model)
    try file.copy(from: memory)
    // The table is empty at first, so that rows could be written to it at once.
    let sources: [(any ObjectGraph, String)] = [(memory, "0"), (file, "1")]
    for (source, rows) in sources {
      let error = #expect(throws: CloneError.self) { try database.graph.copy(from: source) }
      #expect(error?.code == .invalidValue && error?.failures.first?.property == attribute)
      #expect(error?.failures.first?.object == ObjectID("Article", key: ObjectKey(row)))
      let message =
        "'\(text)' of Article \(row) does not fit the column '\(attribute)' of the table 'article', which is "
      #expect("\(error!)".hasPrefix(message), "\(error!)")
      #expect(try database.rows("SELECT count(*) FROM article") == [rows])
      try database.connection.run("INSERT INTO article(name) VALUES ('there')")
    }
  }

  private static let keyedYAML = """
    version: 1
    name: Labels
    entities:
      Tag:
        primaryKey: {column: code, generate: none}
        attributes: {code: String}
        uniquenessConstraints: [[code]]
      Cell:
        primaryKey: [{column: code, generate: none}, {column: place, generate: none}]
        attributes: {code: String, place: Integer 64}
        uniquenessConstraints: [[code, place]]
    """

  private static let keyedTables = """
    CREATE TABLE tag(code varchar(5) PRIMARY KEY);
    CREATE TABLE cell(code varchar(5), place int, PRIMARY KEY (code, place))
    """

  @Test(
    "A copy names the object and the column of a key that has no room, or holds U+0000",
    arguments: ["Tag", "Cell"], ["toolong", "a\0b"])
  func keys(_ entity: String, key: String) throws {
    let database = try DatabaseFixture(Self.keyedYAML, Self.keyedTables)
    let file = try SQLiteGraph.temporary(database.graph.model)
    for code in ["short", key] {
      let place: [String: AttributeValue] = entity == "Cell" ? ["place": 1] : [:]
      _ = try file.insert(entity, place.merging(["code": .string(code)]) { $1 })
    }
    let error = #expect(throws: CloneError.self) { try database.graph.copy(from: file) }
    #expect(error?.code == .invalidValue && error?.failures.count == 1, "\(error!)")
    #expect(error?.failures.first?.object?.key.parts.first == .string(key))
    #expect(error?.failures.first?.property == "code")
    let reason = key == "toolong" ? "does not fit the column 'code'" : "contains the character U+0000"
    let object = "\(entity) \(ObjectKey(key))"
    #expect("\(error!)".contains(object) && "\(error!)".contains(reason), "\(error!)")
    #expect(try database.rows("SELECT count(*) FROM \(entity.lowercased())") == ["0"])
  }

  @Test("A key that has no room is no fault where another object of that identity stays")
  func keysOfFoundObjects() throws {
    let yaml = """
      version: 1
      name: Labels
      entities:
        Tag:
          primaryKey: {column: code, generate: none}
          attributes: {code: String, name: String}
          uniquenessConstraints: [[name]]
      """
    let database = try DatabaseFixture(
      yaml, "CREATE TABLE tag(code varchar(5) PRIMARY KEY, name text NOT NULL UNIQUE)")
    try database.connection.run("INSERT INTO tag VALUES ('short', 'a')")
    let file = try SQLiteGraph.temporary(database.graph.model)
    _ = try file.insert("Tag", ["code": "toolong", "name": "a"])
    try database.graph.copy(from: file)
    #expect(try database.rows("SELECT code FROM tag") == ["short"])
  }

  @Test("A subtree names the table of the model, whatever it passes through", arguments: [false, true])
  func subtreesNameTables(keepsKeys: Bool) throws {
    let yaml = "entities: {Note: {attributes: {data: String?}}}"
    func table(_ type: String) -> String {
      "CREATE TABLE note(id int GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, data \(type));"
    }
    let source = try DatabaseFixture(yaml, table("text") + "INSERT INTO note(data) VALUES ('{')")
    let target = try DatabaseFixture(yaml, table("jsonb"))
    let plan = try source.graph.plan("Note", CloneRequest())
    let root = try source.graph.object("Note", key: 1).id
    let error = #expect(throws: CloneError.self) {
      try target.graph.clone(plan, roots: [root], from: source.graph, SubtreeRequest(keepsKeys: keepsKeys))
    }
    #expect(error?.code == .invalidValue)
    let message = "'{' of Note 1 does not fit the column 'data' of the table 'note', which is jsonb"
    #expect("\(error!)".hasPrefix(message), "\(error!)")
    #expect(try target.rows("SELECT count(*) FROM note") == ["0"])
  }

  @Test("A subtree that keeps its keys rounds no number where its rows are written as they stand")
  func subtreesOfNumbers() throws {
    let yaml = "entities: {Note: {attributes: {share: Double?}}}"
    func table(_ type: String) -> String {
      "CREATE TABLE note(id int GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, share \(type));"
    }
    let source = try DatabaseFixture(
      yaml, table("double precision") + "INSERT INTO note(share) VALUES (0.123456789)")
    let target = try DatabaseFixture(yaml, table("real"))
    let plan = try source.graph.plan("Note", CloneRequest())
    let root = try source.graph.object("Note", key: 1).id
    let error = #expect(throws: CloneError.self) {
      try target.graph.clone(plan, roots: [root], from: source.graph, SubtreeRequest(keepsKeys: true))
    }
    #expect(error?.code == .invalidValue)
    #expect(try target.rows("SELECT count(*) FROM note") == ["0"])
  }

  @Test(
    "What is no finite number comes from one server to another", arguments: ["NaN", "Infinity", "-Infinity"])
  func infinite(_ number: String) throws {
    let (source, target) = (try fixture(), try fixture())
    try source.connection.run("INSERT INTO article(name, weight) VALUES ('new', '\(number)')")
    try target.graph.copy(from: source.graph)
    #expect(try target.rows("SELECT weight::text FROM article WHERE name = 'new'") == [number])
  }

  @Test("A seed does not round what it fills nulls with")
  func seeds() throws {
    let database = try fixture()
    try database.connection.run("UPDATE article SET price = NULL")
    let memory = MemoryGraph(model: try ObjectModel(yaml: Self.yaml))
    _ = try memory.insertObject(
      "Article", key: nil, values: ["name": "there", "price": try value("1.505", "price")])
    let message = refusal { _ = try database.graph.seed(from: memory) }
    #expect(message.contains("does not fit"), "\(message)")
    #expect(
      try database.rows("SELECT price FROM article") == ["null"]
        || database.rows("SELECT price FROM article") == [""])
  }

  @Test("An identity that the column would round finds no object that it is not")
  func identities() throws {
    let database = try fixture()
    let mapping = try ImportMapping(yaml: "{entity: Article, attributes: {name: '@name', price: '@price'}}")
    let message = refusal {
      _ = try database.graph.importData(
        Data("name,price\nb,1.504\n".utf8), format: .csv, mapping: mapping,
        options: ImportOptions(existing: .update, identifiedBy: ["Article": ["price"]]))
    }
    #expect(message.contains("does not fit"), "\(message)")
    #expect(try database.rows("SELECT name, price FROM article") == ["there|1.50"])
  }

  @Test("A string with the character U+0000 is refused with its object")
  func zeros() throws {
    let database = try fixture()
    let memory = MemoryGraph(model: try ObjectModel(yaml: Self.yaml))
    _ = try memory.insertObject("Article", key: nil, values: ["name": "a\0b"])
    let message = refusal { try database.graph.copy(from: memory) }
    #expect(message.contains("'name' of Article 1") && message.contains("U+0000"), "\(message)")
  }

  @Test("A number with zeros behind the digits that a Decimal holds is read")
  func scales() throws {
    let database = try fixture()
    try database.connection.run(
      """
      ALTER TABLE article ALTER price TYPE numeric(60,20);
      UPDATE article SET price = 12345678901234567890.5
      """)
    let article = try #require(try database.graph.objects("Article").first)
    #expect(try article.value("price") == .decimal(Decimal(string: "12345678901234567890.5")!))
  }
}
