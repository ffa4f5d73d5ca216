import MOCloneEngine
import MOCloneModel
import MOCloneSQLite
import MOCloneYAML
import TestSupport
import Testing

@testable import MOClonePostgres

/// What a role is not let see or do.
@Suite(.enabled(if: TestDatabase.isAvailable, "\(TestDatabase.comment)"))
struct RoleTests {
  private static let tables = """
    \(ValidationTests.note); \(ValidationTests.item); \(ValidationTests.index);
    INSERT INTO note(name) VALUES ('a'); INSERT INTO item(name, note_id) VALUES ('x', 1), ('hidden', 1);
    """

  /// Runs a body with a graph of a new role's own, beside one of the tables' owner.
  /// - Parameter grants: statements of the owner, in which ROLE is the role.
  private func withRole(
    _ grants: String,
    _ body: (_ graph: PostgresGraph, _ role: String, _ owner: DatabaseFixture) throws -> Void
  ) throws {
    let owner = try DatabaseFixture(ValidationTests.model, Self.tables)
    let role = owner.database.name + "_role"
    try owner.connection.run("CREATE ROLE \(role) LOGIN; \(grants.replacing("ROLE", with: role))")
    do {
      let graph = PostgresGraph(
        try PostgresConnection(owner.database.location("user=\(role)")), model: owner.graph.model)
      try body(graph, role, owner)
    }
    try owner.connection.run("DROP OWNED BY \(role); DROP ROLE \(role)")
  }

  private static let all =
    "GRANT ALL ON note, item TO ROLE; GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO ROLE;"

  @Test(arguments: [
    "SELECT ON note, item", "INSERT, SELECT (id, name, made) ON item",
  ])
  func rightsThatAreMissingAreNamedWithTheirTable(_ rights: String) throws {
    try withRole("GRANT \(rights) TO ROLE") { graph, role, owner in
      let found = try graph.storeFindings().filter { $0.code == .missingRight }
      let item = try #require(found.first { $0.path == .entity("Item") })
      if rights.hasPrefix("SELECT") {
        #expect(found.map(\.severity) == [.warning, .warning])
        #expect(
          item.message
            == "the role '\(role)' lacks the rights INSERT, UPDATE, DELETE, USAGE of public.item_id_seq for the table 'item'"
        )
      } else {
        #expect(found.map(\.severity) == [.error, .error])
        #expect(item.message.contains("SELECT (note_id), UPDATE, DELETE"))
        let error = #expect(throws: CloneError.self) {
          try Cloner().clone("Item", keys: [1], in: graph, request: CloneRequest())
        }
        #expect(error?.code == .storeReadOnly)
        #expect("\(error!)".contains("`moclone validate --store` names the rights"), "\(error!)")
      }
      for finding in found { try owner.connection.run(try #require(finding.help)) }
      #expect(try graph.storeFindings() == [])
    }
  }

  /// Its triggers are looked for, but nothing of it is read.
  @Test func aTableThatACloneLeavesOutMayBeInASchemaThatTheRoleMayNotUse() throws {
    try withRole(
      Self.all
        + "CREATE SCHEMA secret; CREATE TABLE secret.log(id serial PRIMARY KEY, line text NOT NULL, item_id bigint REFERENCES item)"
    ) { graph, role, owner in
      let model = try ObjectModel(
        yaml: """
          version: 1
          store: {naming: snakeCase}
          entities:
            Note:
              attributes: {name: String?}
              relationships: {items: {destination: Item, toMany: true, inverse: note}}
            Item:
              attributes: {name: String?}
              relationships:
                note: {destination: Note, optional: true, inverse: items}
                logs: {destination: Log, toMany: true, inverse: item}
            Log:
              table: secret.log
              attributes: {line: String}
              relationships: {item: {destination: Item, optional: true, inverse: logs}}
          """)
      let own = PostgresGraph(
        try PostgresConnection(owner.database.location("user=\(role)")), model: model)
      let result = try Cloner().clone(
        "Note", keys: [1], in: own, request: CloneRequest(exclude: ["items"]))
      #expect(result.cloned == ["Note": 1])
    }
  }

  @Test func aRoleWithoutTemporaryTablesHasSubtreesAllTheSame() throws {
    try withRole("GRANT SELECT ON note, item TO ROLE") { graph, _, owner in
      try owner.connection.run("REVOKE TEMPORARY ON DATABASE \(owner.database.name) FROM PUBLIC")
      let memory = MemoryGraph(model: graph.model)
      let plan = try graph.plan("Note", CloneRequest())
      let root = try graph.object("Note", key: 1).id
      let created = try memory.clone(plan, roots: [root], from: graph).report.created
      #expect(created == ["Note": 1, "Item": 2])
    }
  }

  @Test func aRoleWithoutTemporaryTablesHasSelectionsAsSwiftHasThem() throws {
    let yaml = """
      version: 1
      name: Prices
      store: {naming: snakeCase}
      entities: {Price: {attributes: {name: String, amount: Decimal?, at: Date?}, uniquenessConstraints: [[name]]}}
      """
    let table =
      "CREATE TABLE price(id serial PRIMARY KEY, name text NOT NULL UNIQUE, amount numeric, at timestamptz);"
    try withRole(
      table
        + """
        INSERT INTO price(name, amount, at) VALUES ('a', 1.50, '2030-01-01'), ('b', 2.50, 'infinity');
        GRANT SELECT ON price TO ROLE
        """
    ) { _, role, owner in
      try owner.connection.run("REVOKE TEMPORARY ON DATABASE \(owner.database.name) FROM PUBLIC")
      let source = PostgresGraph(
        try PostgresConnection(owner.database.location("user=\(role)")), model: try ObjectModel(yaml: yaml))
      let query = "SELECT amount::text, isfinite(at)::text FROM price ORDER BY name"
      let whole = try DatabaseFixture(yaml, table)
      try whole.graph.copy(from: source)
      #expect(try whole.rows(query) == ["1.50|true", "2.50|false"])
      let (selected, request) = (try DatabaseFixture(yaml, table), CopyRequest(entities: ["Price"]))
      let error = #expect(throws: CloneError.self) { try selected.graph.copy(from: source, request) }
      #expect(error?.code == .storeMismatch)
      try owner.connection.run("DELETE FROM price WHERE name = 'b'")
      try selected.graph.copy(from: source, request)
      #expect(try selected.rows(query) == ["1.5|true"])
    }
  }

  /// A server compares no UUID with a text.
  @Test(arguments: [false, true])
  func aRoleWithoutTemporaryTablesHasReferencesOfOtherTypesThanTheKeys(isJoined: Bool) throws {
    let join = "joinTable: {table: io, column: owner_id, inverseColumn: item_id}"
    let yaml = """
      version: 1
      name: Owners
      store: {naming: snakeCase}
      entities:
        Owner:
          primaryKey: {column: id, generate: uuid}
          attributes: {name: String}
          relationships: {items: {destination: Item, toMany: true, inverse: owner\(isJoined ? ", " + join : "")}}
          uniquenessConstraints: [[name]]
        Item:
          attributes: {name: String}
          relationships: {owner: {destination: Owner, inverse: items, \(isJoined ? "toMany" : "optional"): true}}
          uniquenessConstraints: [[name]]
      """
    let tables = """
      CREATE TABLE owner(id uuid PRIMARY KEY, name text UNIQUE);
      CREATE TABLE item(id bigint PRIMARY KEY, name text UNIQUE, owner_id text);
      CREATE TABLE io(item_id bigint, owner_id text);
      """
    let (first, second) = ("3f2504e0-4f89-41d3-9a0c-0305e82c3301", "3f2504e0-4f89-41d3-9a0c-0305e82c3302")
    try withRole(
      """
      DROP TABLE item, note;
      \(tables)
      INSERT INTO owner VALUES ('\(first)', 'a'), ('\(second)', 'b');
      INSERT INTO item VALUES (1, 'x', '\(first)'), (2, 'y', '\(first)'), (3, 'z', '\(second)');
      INSERT INTO io SELECT id, owner_id FROM item;
      GRANT SELECT ON owner, item, io TO ROLE
      """
    ) { _, role, owner in
      try owner.connection.run("REVOKE TEMPORARY ON DATABASE \(owner.database.name) FROM PUBLIC")
      let source = PostgresGraph(
        try PostgresConnection(owner.database.location("user=\(role)")), model: try ObjectModel(yaml: yaml))
      let target = try SQLiteGraph.temporary(source.model)
      try target.copy(
        from: source, CopyRequest(entities: ["Owner"], filters: [CopyFilter("Owner", "name", "a")]))
      #expect(try target.objects("Owner").map { try $0.value("name") } == ["a"])
      let items = try target.objects("Owner").flatMap { try $0.destinations("items") }
      #expect(try items.map { try $0.value("name") } == ["x", "y"])
      #expect(try target.count("Item") == 2)
    }
  }

  @Test func aRoleWithoutTemporaryTablesIsWarned() throws {
    try withRole(
      Self.all
        + "DO $$ BEGIN EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database()); END $$"
    ) { graph, role, owner in
      let found = try graph.storeFindings()
      #expect(found.map(\.code) == [.missingRight])
      try owner.connection.run(try #require(found.first?.help))
      #expect(try graph.storeFindings() == [])
    }
  }

  @Test func aMergeIsRefusedWhereRowsBesideTheModelCanBeHidden() throws {
    try withRole(
      Self.all
        + """
        CREATE TABLE extra(note_id bigint REFERENCES note ON DELETE CASCADE);
        GRANT ALL ON extra TO ROLE;
        INSERT INTO note(name) SELECT name FROM note;
        INSERT INTO extra SELECT id FROM note;
        ALTER TABLE extra ENABLE ROW LEVEL SECURITY
        """
    ) { graph, role, owner in
      let error = #expect(throws: CloneError.self) {
        try graph.dedupe(DedupeRequest(entities: ["Note"], identifiedBy: ["Note": ["name"]]))
      }
      #expect(error?.code == .rowSecurity)
      #expect(error?.failures.first?.message.contains("table 'extra' from the role '\(role)'") == true)
      let left = try owner.rows("SELECT count(*) FROM extra")
      #expect(left == ["2"])
    }
  }

  @Test func aCloneIsRefusedWhereRowsCanBeHidden() throws {
    try withRole(
      Self.all
        + """
        ALTER TABLE item ENABLE ROW LEVEL SECURITY;
        CREATE POLICY p ON item TO ROLE USING (name <> 'hidden') WITH CHECK (true)
        """
    ) { graph, role, owner in
      let found = try graph.storeFindings()
      #expect(found.map(\.code) == [.rowSecurity])
      #expect(found.map(\.path) == [.entity("Item")])
      let error = #expect(throws: CloneError.self) { try Cloner().clone("Note", keys: [1], in: graph) }
      #expect(error?.code == .rowSecurity)
      let merge = #expect(throws: CloneError.self) {
        try graph.dedupe(DedupeRequest(entities: ["Note"], identifiedBy: ["Note": ["name"]]))
      }
      #expect(merge?.code == .rowSecurity)
      let copy = #expect(throws: CloneError.self) {
        try SQLiteGraph.temporary(graph.model).copy(from: graph)
      }
      #expect(copy?.code == .rowSecurity)
      #expect(error?.failures.first?.message.contains("table 'item' from the role '\(role)'") == true)
      #expect(throws: CloneError.self) {
        try graph.preview(graph.plan("Note", CloneRequest()), roots: [ObjectID("Note", key: 1)])
      }
      #expect(try owner.rows("SELECT count(*) FROM note") == ["1"])
      let alone = try Cloner().clone("Note", keys: [1], in: graph, request: CloneRequest(exclude: ["items"]))
      #expect(alone.cloned == ["Note": 1])
      try owner.connection.run("DELETE FROM note WHERE id <> 1")
      #expect(try owner.clone("Note", 1).cloned == ["Note": 1, "Item": 2])
      try owner.connection.run("ALTER TABLE item DISABLE ROW LEVEL SECURITY")
      #expect(try Cloner().clone("Note", keys: [1], in: graph).cloned == ["Note": 1, "Item": 2])
    }
  }

  @Test(arguments: [
    "GRANT SELECT ON note TO ROLE",
    "GRANT SELECT ON note, item TO ROLE; ALTER TABLE item ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON item USING (false)",
  ])
  func whatACopyLeavesOutNeedNotBeSeen(_ grants: String) throws {
    try withRole(grants) { graph, _, _ in
      let copied = try SQLiteGraph.temporary(graph.model)
      let request = CopyRequest(entities: ["Note"], exclude: ["items"])
      #expect(try copied.copy(from: graph, request).created == ["Note": 1])
      let subtree = try SQLiteGraph.temporary(graph.model)
      try subtree.clone(
        "Note", request: CloneRequest(exclude: ["items"]), roots: [ObjectID("Note", key: 1)], from: graph,
        SubtreeRequest(missing: .create, keepsKeys: true))
      #expect(try subtree.count("Note") == 1)
      let code = grants.contains("POLICY") ? DiagnosticCode.rowSecurity : .storeReadOnly
      for entities in [["Note"], ["Item"]] {
        let error = #expect(throws: CloneError.self) {
          try SQLiteGraph.temporary(graph.model).copy(from: graph, CopyRequest(entities: entities))
        }
        #expect(error?.code == code)
      }
    }
  }

  @Test(
    arguments: ["Book", "Shelf"],
    [
      "", "GRANT SELECT ON HIDDEN TO ROLE; CREATE TABLE old() INHERITS (HIDDEN)",
      """
      GRANT SELECT ON HIDDEN TO ROLE; ALTER TABLE HIDDEN ENABLE ROW LEVEL SECURITY;
      CREATE POLICY p ON HIDDEN USING (false)
      """,
    ])
  func whatACopyLeavesOutNeedsNoRightInTheTargetEither(_ entity: String, _ grants: String) throws {
    let hidden = entity == "Book" ? "shelf" : "book"
    let tables = """
      CREATE TABLE shelf(id bigserial PRIMARY KEY, name text NOT NULL UNIQUE);
      CREATE TABLE book(id bigserial PRIMARY KEY, name text NOT NULL UNIQUE, shelf_id bigint REFERENCES shelf);
      GRANT SELECT, INSERT, UPDATE ON \(entity) TO ROLE; GRANT USAGE ON SEQUENCE \(entity)_id_seq TO ROLE;
      """
    let model = try ObjectModel(
      yaml: """
        version: 1
        name: Library
        store: {naming: snakeCase}
        entities:
          Shelf:
            attributes: {name: String}
            relationships: {books: {destination: Book, toMany: true, inverse: shelf}}
            uniquenessConstraints: [[name]]
          Book:
            attributes: {name: String}
            relationships: {shelf: {destination: Shelf, optional: true, inverse: books}}
            uniquenessConstraints: [[name]]
        """)
    let source = try SQLiteGraph.temporary(model)
    let shelf = try source.insertObject("Shelf", key: nil, values: ["name": "s"])
    let book = try source.insertObject("Book", key: nil, values: ["name": "b"])
    try source.setDestinations([shelf], "shelf", of: book)
    try withRole(tables + grants.replacing("HIDDEN", with: hidden)) { _, role, owner in
      let target = PostgresGraph(
        try PostgresConnection(owner.database.location("user=\(role)")), model: model)
      let request = CopyRequest(entities: [entity], exclude: ["shelf", "books"])
      #expect(try target.copy(from: source, request).created == [entity: 1])
      #expect(try target.copy(from: source, request).found == [entity: 1])
      #expect(try owner.rows("SELECT name FROM \(entity)") == [entity == "Book" ? "b" : "s"])
      #expect(throws: CloneError.self) { try target.copy(from: source, CopyRequest(entities: [entity])) }
      #expect(try owner.rows("SELECT count(*) FROM \(hidden)") == ["0"])
    }
  }

  @Test func whatReferredObjectsOwnNeedNotBeSeen() throws {
    let tables = """
      CREATE TABLE tag(id bigserial PRIMARY KEY, name text NOT NULL);
      CREATE TABLE note_tag(note_id bigint REFERENCES note, tag_id bigint REFERENCES tag, PRIMARY KEY (note_id, tag_id));
      CREATE TABLE use(id bigserial PRIMARY KEY, name text NOT NULL, tag_id bigint NOT NULL REFERENCES tag);
      INSERT INTO tag(name) VALUES ('red'); INSERT INTO note_tag VALUES (1, 1); INSERT INTO use(name, tag_id) VALUES ('u', 1);
      """
    try withRole(tables + "GRANT SELECT ON note, tag, note_tag TO ROLE") { graph, _, owner in
      let model = try ObjectModel(
        yaml: """
          version: 1
          store: {naming: snakeCase}
          entities:
            Note:
              attributes: {name: String?}
              relationships:
                tags:
                  destination: Tag
                  toMany: true
                  inverse: notes
                  joinTable: {table: note_tag, column: note_id, inverseColumn: tag_id}
            Tag:
              attributes: {name: String}
              relationships:
                notes: {destination: Note, toMany: true, inverse: tags}
                uses: {destination: Use, toMany: true, inverse: tag}
            Use:
              attributes: {name: String}
              relationships: {tag: {destination: Tag, inverse: uses}}
          """)
      let source = PostgresGraph(graph.connection, model: model)
      func copy(_ request: CopyRequest) throws -> [String: Int]? {
        try SQLiteGraph.temporary(model).copy(from: source, request).created
      }
      #expect(try copy(CopyRequest(entities: ["Note"])) == ["Note": 1, "Tag": 1])
      // Whoever asks for tags, or for everything that they are related to, asks for what they own.
      for request in [CopyRequest(entities: ["Tag"]), CopyRequest(entities: ["Note"], follow: .all)] {
        let error = #expect(throws: CloneError.self) { _ = try copy(request) }
        #expect(error?.code == .storeReadOnly)
      }
      try owner.connection.run("GRANT SELECT ON use TO PUBLIC")
      #expect(try copy(CopyRequest(entities: ["Tag"])) == ["Note": 1, "Tag": 1, "Use": 1])
    }
  }

  @Test(arguments: ["note", "item"])
  func whatACopyLeadsToMustBeSeen(_ hidden: String) throws {
    try withRole(
      Self.all + "ALTER TABLE \(hidden) ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON \(hidden) USING (true)"
    ) { graph, _, _ in
      let error = #expect(throws: CloneError.self) {
        try SQLiteGraph.temporary(graph.model).copy(from: graph, CopyRequest(entities: ["Item"]))
      }
      #expect(error?.code == .rowSecurity)
    }
  }

  @Test func theOwnerOfATableThatHidesRowsFromItsOwnerIsToldWhatHelps() throws {
    try withRole(
      Self.all
        + """
        ALTER TABLE item OWNER TO ROLE; ALTER TABLE item ENABLE ROW LEVEL SECURITY;
        ALTER TABLE item FORCE ROW LEVEL SECURITY; CREATE POLICY p ON item USING (true)
        """
    ) { graph, role, owner in
      func refusal() -> CloneError? {
        return #expect(throws: CloneError.self) { try Cloner().clone("Note", keys: [1], in: graph) }
      }
      for help in [refusal()?.failures.first?.help, try graph.storeFindings().first?.help] {
        #expect(help?.contains("a role with BYPASSRLS") == true, "\(String(describing: help))")
        #expect(help?.contains("no FORCE ROW LEVEL SECURITY") == true, "\(String(describing: help))")
      }
      for (change, undoing) in [
        ("ROLE \(role) BYPASSRLS", "ROLE \(role) NOBYPASSRLS"),
        ("TABLE item NO FORCE ROW LEVEL SECURITY", "TABLE item FORCE ROW LEVEL SECURITY"),
      ] {
        try owner.connection.run("ALTER \(change)")
        #expect(try Cloner().clone("Note", keys: [1], in: graph).cloned == ["Note": 1, "Item": 2])
        try owner.connection.run("ALTER \(undoing)")
        #expect(refusal()?.code == .rowSecurity)
      }
    }
  }

  @Test func aSessionThatRefusesHiddenRowsSaysSo() throws {
    try withRole(Self.all + "ALTER TABLE item ENABLE ROW LEVEL SECURITY") { graph, _, _ in
      try graph.connection.run("SET row_security = off")
      let error = #expect(throws: CloneError.self) { try graph.count("Item") }
      #expect(error?.code == .rowSecurity)
    }
  }
}
