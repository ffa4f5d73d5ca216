import Foundation
import GRDB
import MOCloneKit
import Testing

/// Stores that other programs wrote: one value in several notations, references to rows that do not exist.
@Suite("Identities in another notation")
struct TransferNotationTests {
  static let model = """
    entities:
      Reading:
        attributes:
          code: UUID?
          price: Decimal?
          at: Date?
          label: String?
          modified: Date?
    """
  static let tables = """
    CREATE TABLE reading(
      id INTEGER PRIMARY KEY, code, price, at, label TEXT COLLATE NOCASE, modified TEXT);
    CREATE UNIQUE INDEX reading_code ON reading(code);
    """
  static let upper = "7D444840-9DC0-11D1-B245-5FFDCE74FAD2"
  static let blob = "x'7D4448409DC011D1B2455FFDCE74FAD2'"

  static func store(_ rows: String) throws -> StoreFixture {
    try StoreFixture(
      model, tables + "INSERT INTO reading(id, code, price, at, label, modified) VALUES \(rows);")
  }

  /// The same value as one store and the other write it, by attribute.
  static let notations: [(attribute: String, here: String, there: String)] = [
    ("code", "'\(upper)'", "'\(upper.lowercased())'"), ("code", "'\(upper.lowercased())'", "'\(upper)'"),
    ("code", blob, "'\(upper)'"), ("code", "'\(upper)'", blob),
    ("price", "'1.50'", "'1.5'"), ("price", "1.5", "'1.500'"), ("price", "2", "'2.0'"),
    ("at", "'2025-01-31 12:34:56.789'", "'2025-01-31T12:34:56.789Z'"),
    ("at", "'2025-01-31T12:34:56Z'", "'2025-01-31T13:34:56.000+01:00'"),
    ("at", "'2025-01-31'", "'2025-01-31T00:00:00.000Z'"),
    ("at", "'2025-01-31T12:34:56Z'", "'2025-01-31T14:04:56+01:30'"),
    ("at", "'2025-01-31T12:34:56.789000Z'", "'2025-01-31T14:04:56.789+01:30'"),
    ("at", "'2025-01-31T12:34:56.000100Z'", "'2025-01-31 12:34:56.0001'"),
    ("at", "'2025-01-31T12:34:56.999900Z'", "'2025-01-31T13:34:56.9999+01:00'"),
    ("label", "'Milk'", "'MILK'"),
  ]

  private func row(_ attribute: String, _ value: String, id: Int) -> String {
    let values = ["code", "price", "at", "label"].map { $0 == attribute ? value : "NULL" }
    return "(\(id), \(values.joined(separator: ", ")), '2025-01-01T00:00:00.000Z')"
  }

  @Test("An object made of several rows keeps the identity of the first", arguments: ExistingPolicy.allCases)
  func rowsOfOneIdentity(_ existing: ExistingPolicy) throws {
    let store = try Self.store("(1, NULL, NULL, NULL, 'other', NULL)")
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("moclone-rows-\(UUID()).csv")
    try Data("label,price\nMilk,1\nMILK,2\n".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    try SQLiteGraph(store.writer, model: store.model).importFile(
      file.path,
      mapping: ImportMapping(yaml: "entity: Reading\nattributes: {label: '@label', price: '@price'}"),
      options: ImportOptions(existing: existing, identifiedBy: ["Reading": ["label"]]))
    #expect(
      try store.rows("SELECT label, price FROM reading WHERE id > 1")
        == ["Milk|\(existing == .update ? 2 : 1)"])
  }

  @Test("Null overwrites what is not a value of the type", arguments: ["price", "at", "code"])
  func invalidValues(_ attribute: String) throws {
    let store = try Self.store("(1, NULL, NULL, NULL, 'a', NULL)")
    try store.execute("UPDATE reading SET \(attribute) = 'soon'")
    let request = SyncRequest(
      entity: "Reading", identifiedBy: ["Reading": ["label"]], overwriting: [attribute])
    let graph = SQLiteGraph(store.writer, model: store.model)
    for updated in [["Reading": 1], nil] {
      let report = try graph.sync(request, from: [["label": "a", attribute: .null]])
      #expect(report.updated == updated)
      #expect(try store.rows("SELECT \(attribute) FROM reading") == ["-"])
    }
  }

  @Test("A copy finds the object, whatever notation either store uses", arguments: notations)
  func copies(_ attribute: String, _ here: String, _ there: String) throws {
    let source = try Self.store(row(attribute, here, id: 1))
    let target = try Self.store(row(attribute, there, id: 7))
    let graph = SQLiteGraph(target.writer, model: target.model)
    let before = try target.contents()
    let report = try graph.copy(
      from: SQLiteGraph(source.writer, model: source.model),
      CopyRequest(identifiedBy: ["Reading": [attribute]]))
    #expect(report.created == [:])
    #expect(report.found == ["Reading": 1])
    #expect(try target.contents() == before)
  }

  @Test("A copy refuses two objects of the source that hold one value in two notations", arguments: notations)
  func refusesRepeated(_ attribute: String, _ here: String, _ there: String) throws {
    let source = try Self.store(row(attribute, here, id: 1) + ", " + row(attribute, there, id: 2))
    let target = try Self.store(row(attribute, "NULL", id: 7))
    let error = #expect(throws: CloneError.self) {
      try SQLiteGraph(target.writer, model: target.model).copy(
        from: SQLiteGraph(source.writer, model: source.model),
        CopyRequest(identifiedBy: ["Reading": [attribute]]))
    }
    #expect(error?.code == .ambiguousIdentity)
  }

  @Test(
    "A condition selects the object in the notation of its store",
    arguments: notations.filter { $0.attribute != "label" })
  func selects(_ attribute: String, _ here: String, _ there: String) throws {
    let source = try Self.store(row(attribute, here, id: 1) + ", (2, NULL, NULL, NULL, NULL, NULL)")
    let target = try Self.store(row(attribute, "NULL", id: 7))
    let value = try SQLiteGraph(source.writer, model: source.model).object("Reading", key: 1).value(attribute)
    let report = try SQLiteGraph(target.writer, model: target.model).copy(
      from: SQLiteGraph(source.writer, model: source.model),
      CopyRequest(
        identifiedBy: ["Reading": [attribute]], filters: [CopyFilter("Reading", attribute, value)]))
    #expect(report.created == ["Reading": 1])
  }

  @Test("A seed leaves what it finds in another notation with its newer values")
  func seeds() throws {
    let source = try Self.store(
      "(1, '\(Self.upper.lowercased())', NULL, NULL, 'old', '2020-01-01T00:00:00.000Z')")
    let target = try Self.store("(7, '\(Self.upper)', NULL, NULL, 'new', '2025-01-01T00:00:00.000Z')")
    let report = try SQLiteGraph(target.writer, model: target.model).seed(
      from: SQLiteGraph(source.writer, model: source.model), identifiedBy: ["Reading": ["code"]])
    #expect(report.created == [:])
    #expect(try target.rows("SELECT id, label FROM reading") == ["7|new"])
  }
}

@Suite("References to rows that do not exist, moved to another store")
struct TransferDanglingTests {
  private static let model = """
    entities:
      Owner:
        attributes: {name: String}
        uniquenessConstraints: [[name]]
      Thing:
        attributes: {name: String}
        relationships:
          owner: {destination: Owner, optional: OPTIONAL}
          tags: {destination: Tag, toMany: true, inverse: things}
        uniquenessConstraints: [[name]]
      Tag:
        attributes: {name: String}
        relationships: {things: {destination: Thing, toMany: true, inverse: tags}}
        uniquenessConstraints: [[name]]
    """
  private static let tables = """
    CREATE TABLE owner(id INTEGER PRIMARY KEY, name TEXT UNIQUE);
    CREATE TABLE thing(id INTEGER PRIMARY KEY, name TEXT UNIQUE, owner_id INTEGER);
    CREATE TABLE tag(id INTEGER PRIMARY KEY, name TEXT UNIQUE);
    CREATE TABLE tag_thing(tag_id INTEGER, thing_id INTEGER, PRIMARY KEY (tag_id, thing_id));
    """

  private func store(isOptional: Bool = true, _ rows: String) throws -> StoreFixture {
    try StoreFixture(Self.model.replacing("OPTIONAL", with: "\(isOptional)"), Self.tables + rows)
  }

  private static let strangers = """
    INSERT INTO owner VALUES (1, 'a'), (2, 'b'), (3, 'c'), (9, 'stranger');
    INSERT INTO tag VALUES (1, 'x'), (5, 'stranger');
    """

  /// With holes among the numbers, below them and above them.
  private static let dangling = """
    INSERT INTO owner VALUES (3, 'here'), (5, 'there');
    INSERT INTO thing VALUES (1, 'one', 3), (2, 'two', 4), (3, 'three', 1), (4, 'four', 9), (5, 'five', NULL);
    INSERT INTO tag VALUES (1, 'red');
    INSERT INTO tag_thing VALUES (1, 1), (5, 1), (1, 99);
    """

  @Test("A copy and a seed make them null and count them", arguments: [false, true])
  func areNull(isSeed: Bool) throws {
    let (source, target) = try (store(Self.dangling), store(Self.strangers))
    let graph = SQLiteGraph(target.writer, model: target.model)
    let from = SQLiteGraph(source.writer, model: source.model)
    let report = try isSeed ? graph.seed(from: from) : graph.copy(from: from)
    #expect(report.dangling == ["Thing.owner": 3, "Thing.tags": 2])
    #expect(
      try target.rows(
        "SELECT t.name, o.name FROM thing t LEFT JOIN owner o ON o.id = t.owner_id ORDER BY t.id")
        == ["one|here", "two|-", "three|-", "four|-", "five|-"])
    #expect(try target.rows("SELECT count(*) FROM thing WHERE owner_id IS NOT NULL") == ["1"])
    #expect(
      try target.rows(
        "SELECT t.name, x.name FROM tag_thing j JOIN tag t ON t.id = j.tag_id JOIN thing x ON x.id = j.thing_id"
      )
        == ["red|one"])
    #expect(try target.rows("SELECT count(*) FROM tag_thing") == ["1"])
  }

  @Test("Numbers without a hole below or above which a reference leads are noticed, too")
  func areOutsideOfNumbers() throws {
    let source = try store(
      "INSERT INTO owner VALUES (3, 'h'), (4, 'i'); INSERT INTO thing VALUES (1, 'one', 9);")
    let target = try store(Self.strangers)
    let report = try SQLiteGraph(target.writer, model: target.model).copy(
      from: SQLiteGraph(source.writer, model: source.model))
    #expect(report.dangling == ["Thing.owner": 1])
    #expect(try target.rows("SELECT owner_id FROM thing") == ["-"])
  }

  @Test("A part of a store that is selected or cut out has them null", arguments: [false, true])
  func areNullInParts(isSubtree: Bool) throws {
    let (source, target) = try (store(Self.dangling), store(Self.strangers))
    let graph = SQLiteGraph(target.writer, model: target.model)
    let from = SQLiteGraph(source.writer, model: source.model)
    let report: TransferReport
    if isSubtree {
      let plan = try from.plan("Thing", CloneRequest())
      let root = try from.object("Thing", key: 4).id
      report = try graph.clone(plan, roots: [root], from: from, SubtreeRequest(keepsKeys: true)).report
    } else {
      report = try graph.copy(from: from, CopyRequest(filters: [CopyFilter("Thing", "name", "four")]))
    }
    #expect(report.dangling == ["Thing.owner": 1])
    #expect(try target.rows("SELECT name, owner_id FROM thing") == ["four|-"])
  }

  @Test("Where the relationship is required the copy is refused with the list")
  func areRefused() throws {
    let source = try store(isOptional: false, Self.dangling)
    let target = try store(isOptional: false, Self.strangers)
    let before = try target.contents()
    let error = #expect(throws: CloneError.self) {
      try SQLiteGraph(target.writer, model: target.model).copy(
        from: SQLiteGraph(source.writer, model: source.model))
    }
    #expect(error?.code == .requiredLeftEmpty)
    #expect(error?.failures.count == 3)
    #expect(try target.contents() == before)
  }
}
