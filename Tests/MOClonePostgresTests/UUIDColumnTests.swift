import Foundation
import MOCloneKit
import MOCloneYAML
import TestSupport
import Testing

@testable import MOClonePostgres

@Suite(
  "Columns of a server that hold UUIDs as the model says",
  .enabled(if: TestDatabase.isAvailable, "\(TestDatabase.comment)"))
struct UUIDColumnTests {
  struct Form: CustomTestStringConvertible, Sendable {
    var uuids: String
    var column: String
    /// How the server writes one of them.
    var sample: String
    /// What every one of them is like.
    var pattern: String
    var testDescription: String { "\(uuids) in \(column)" }
  }

  static let forms = [
    Form(
      uuids: "text", column: "text", sample: "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11",
      pattern: "^[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}$"),
    Form(
      uuids: "lowercaseText", column: "varchar(36)", sample: "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
      pattern: "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"),
    Form(
      uuids: "compactText", column: "text", sample: "a0eebc999c0b4ef8bb6d6bb9bd380a11",
      pattern: "^[0-9a-f]{32}$"),
    Form(
      uuids: "blob", column: "bytea", sample: "\\xa0eebc999c0b4ef8bb6d6bb9bd380a11",
      pattern: "^\\\\x[0-9a-f]{32}$"),
    // A type of its own has its own form.
    Form(
      uuids: "text", column: "uuid", sample: "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
      pattern: "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"),
  ]

  private static func model(_ uuids: String, identity: String) -> String {
    """
    version: 1
    name: Things
    store: {uuids: \(uuids)}
    entities:
      Thing:
        primaryKey: {column: id, generate: uuid}
        attributes: {name: String, own: {type: UUID, userInfo: {rebuild: uuid}}, given: UUID?}
        relationships: {parts: {destination: Part, toMany: true, inverse: thing}}
        uniquenessConstraints: \(identity)
      Part:
        primaryKey: {column: id, generate: uuid}
        relationships: {thing: {destination: Thing, inverse: parts}}
    """
  }

  private func database(_ form: Form, isFilled: Bool = true, identity: String = "[]") throws
    -> DatabaseFixture
  {
    let (type, id) = (form.column, form.sample)
    let rows = """
      INSERT INTO thing VALUES ('\(id)', 'a', '\(id)', NULL); INSERT INTO part VALUES ('\(id)', '\(id)')
      """
    return try DatabaseFixture(
      Self.model(form.uuids, identity: identity),
      """
      CREATE TABLE thing(id \(type) PRIMARY KEY, name text NOT NULL, own \(type) NOT NULL, given \(type));
      CREATE TABLE part(id \(type) PRIMARY KEY, thing_id \(type) NOT NULL REFERENCES thing);
      \(isFilled ? rows : "")
      """)
  }

  /// Every UUID that the tables hold, as the server writes it.
  private func stored(_ database: DatabaseFixture) throws -> [String] {
    try database.rows(
      """
      SELECT u FROM (SELECT id::text, own::text, given::text FROM thing) t, unnest(ARRAY[t.id, t.own, t.given]) u
      WHERE u IS NOT NULL
      UNION ALL SELECT u FROM (SELECT id::text, thing_id::text FROM part) p, unnest(ARRAY[p.id, p.thing_id]) u
      """)
  }

  private func expect(_ values: [String], count: Int, of form: Form) throws {
    let pattern = try Regex(form.pattern)
    #expect(values.count == count)
    #expect(values.allSatisfy { $0.wholeMatch(of: pattern) != nil }, "\(values)")
  }

  private let key: ObjectKey = ["a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"]

  @Test("Clones write keys, new UUIDs and given ones in the form of the column", arguments: forms)
  func clones(_ form: Form) throws {
    let database = try database(form)
    let given = UUID()
    for isRandom in [true, false] {
      let cloner = isRandom ? Cloner() : Cloner(generator: ValueGenerator(now: { Date() }, uuid: { UUID() }))
      let result = try cloner.clone(
        "Thing", keys: [key], in: database.graph, request: CloneRequest(set: ["given": .uuid(given)]))
      let root = try #require(result.roots.first)
      let clone = ManagedObject(id: root, graph: database.graph)
      #expect(try clone.value("given") == .uuid(given))
      #expect(try database.graph.objectIDs("Thing").contains(root))
    }
    try expect(stored(database), count: 14, of: form)
  }

  /// A note without items, and one with more of them than UUIDs are given at once.
  private func notes() throws -> DatabaseFixture {
    try DatabaseFixture(
      """
      entities:
        Note:
          attributes: {own: {type: UUID, userInfo: {rebuild: uuid}}}
          relationships: {items: {destination: Item, toMany: true, inverse: note, deleteRule: cascade}}
        Item:
          attributes: {own: {type: UUID, userInfo: {rebuild: uuid}}}
          relationships: {note: {destination: Note, inverse: items}}
      """,
      """
      CREATE TABLE note(id serial PRIMARY KEY, own uuid NOT NULL);
      CREATE TABLE item(id serial PRIMARY KEY, own uuid NOT NULL, note_id int NOT NULL REFERENCES note);
      CREATE INDEX ON item(note_id);
      INSERT INTO note(own) SELECT gen_random_uuid() FROM generate_series(1, 2);
      INSERT INTO item(own, note_id) SELECT gen_random_uuid(), 2 FROM generate_series(1, 1200)
      """)
  }

  @Test func aCloneThatNeedsMoreUUIDsOfAGeneratorThanItWasGivenIsGivenMore() throws {
    let database = try notes()
    let cloner = Cloner(generator: .fixed())
    for key: ObjectKey in [2, 1] { try cloner.clone("Note", keys: [key], in: database.graph) }
    let made = """
      SELECT count(DISTINCT own) FROM (SELECT own FROM note UNION ALL SELECT own FROM item) t
      WHERE own::text LIKE '00000000-0000-0000-0000-%'
      """
    #expect(try database.rows(made) == ["1202"])
  }

  @Test("The key of a clone is told as the store writes it", arguments: forms.filter { $0.uuids != "blob" })
  func told(_ form: Form) throws {
    let database = try database(form)
    let root = try #require(try database.clone("Thing", key).roots.first)
    let rows = try database.rows("SELECT id FROM thing WHERE id <> '\(form.sample)'")
    let told = root.key.description
    #expect(rows == [form.column == "uuid" ? told.lowercased() : told])
    #expect(try database.graph.find("Thing", key: [.string(told)]) == root)
  }

  @Test("New objects, copies and imports write UUIDs in the form of the column", arguments: forms)
  func moves(_ form: Form) throws {
    let source = try database(form, identity: "[[name]]")
    let target = try database(form, isFilled: false, identity: "[[name]]")
    _ = try target.graph.insert("Thing", ["name": "b", "own": .uuid(UUID()), "given": .uuid(UUID())])
    try target.graph.copy(from: source.graph)
    let mapping = try ImportMapping(
      yaml: "{entity: Thing, attributes: {name: '@name', own: '@own', given: '@own'}}")
    let file = Data("name,own\nc,\(UUID())\n".utf8)
    _ = try target.graph.importData(file, format: .csv, mapping: mapping)
    try expect(stored(target), count: 10, of: form)
    #expect(try target.graph.copy(from: source.graph).found?["Thing"] == 1)
  }

  @Test("Validation reads what the model says", arguments: forms)
  func validation(_ form: Form) throws {
    let database = try database(form)
    let codes = try database.graph.storeFindings().map(\.code)
    #expect(Set(codes).isDisjoint(with: [.columnType, .malformedValue, .storeMismatch]), "\(codes)")
  }

  @Test(
    "Validation warns of a form that the rows have, but new ones would not",
    arguments: [("text", forms[1]), ("lowercaseText", forms[0]), ("lowercaseText", forms[2])])
  func otherForm(_ uuids: String, _ form: Form) throws {
    let database = try DatabaseFixture(
      """
      version: 1
      store: {uuids: \(uuids)}
      entities: {Thing: {primaryKey: {column: id, generate: uuid}, attributes: {name: String}}}
      """,
      """
      CREATE TABLE thing(id \(form.column) PRIMARY KEY, name text NOT NULL);
      INSERT INTO thing VALUES ('\(form.sample)', 'a');
      """)
    let found = try database.graph.storeFindings().filter { $0.code == .malformedValue }
    #expect(found.count == 1)
    #expect(found.first?.help?.hasPrefix("write 'uuids: \(form.uuids)' under 'store'") == true)
  }

  @Test("A key in other letters than those of the server is told as a store of bytes holds it")
  func otherLetters() throws {
    let key = "11223344-5566-7788-99AA-BBCCDDEEFF00"
    let source = try DatabaseFixture(
      """
      version: 1
      name: Things
      store: {uuids: blob}
      entities: {Thing: {primaryKey: {column: id, generate: uuid}, attributes: {name: String}}}
      """,
      "CREATE TABLE thing(id text PRIMARY KEY, name text NOT NULL); INSERT INTO thing VALUES ('\(key)', 'a')"
    )
    let file = try SQLiteGraph.temporary(source.graph.model)
    let plan = try source.graph.plan("Thing", CloneRequest())
    let result = try file.clone(
      plan, roots: source.graph.objectIDs("Thing"), from: source.graph, SubtreeRequest(keepsKeys: true))
    #expect(result.roots.map(\.key.description) == [key])
    #expect(try file.objectIDs("Thing") == result.roots)
  }

  @Test("A key of texts has no room in a column of bytes: validation says so, and every clone")
  func textInBytes() throws {
    var form = Self.forms[3]
    form.uuids = "text"
    let database = try database(form)
    let finding = try #require(
      try database.graph.storeFindings().first { $0.code == .storeMismatch && $0.severity == .error })
    let refusal = try #require(try database.refusal("Thing", [.string(form.sample)]))
    #expect(refusal.failures.contains { $0.code == .storeMismatch })
    #expect(finding.help?.contains("uuids: blob") == true)
    #expect(refusal.failures.contains { $0.help?.contains("uuids: blob") == true })
  }
}
