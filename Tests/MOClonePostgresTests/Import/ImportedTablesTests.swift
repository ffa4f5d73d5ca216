import MOCloneEngine
import MOCloneModel
import MOCloneModeling
import MOCloneYAML
import TestSupport
import Testing

@testable import MOClonePostgres

@Suite(
  "Tables and keys of PostgreSQL in models",
  .enabled(if: TestDatabase.isAvailable, "\(TestDatabase.comment)"))
struct ImportedTablesTests {
  // MARK: Keys

  @Test(arguments: [
    ("serial PRIMARY KEY", KeyGeneration?.none), ("bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY", nil),
    ("int PRIMARY KEY", nil), ("uuid PRIMARY KEY DEFAULT gen_random_uuid()", .uuid),
    ("uuid PRIMARY KEY", .uuid),
    ("text PRIMARY KEY", .uuid), ("varchar(36) PRIMARY KEY", .uuid),
    ("varchar(35) PRIMARY KEY", .some(.none)),
    ("char(5) PRIMARY KEY", .some(.none)), ("date PRIMARY KEY", .some(.none)),
    ("bytea PRIMARY KEY", .some(.none)),
  ])
  func aKeyIsMadeAsItsTypeAllows(_ definition: String, _ generation: KeyGeneration?) throws {
    let server = try ImportedServer("CREATE TABLE note(id \(definition), name text)")
    try server.check()
    let key = try server.entity("Note").primaryKey
    #expect(key == (generation == nil ? [] : [KeyColumn("id", generate: generation)]))
  }

  @Test func aNumberInACompositeKeyThatASequenceCountsIsCounted() throws {
    let server = try ImportedServer(
      """
      CREATE TABLE note(tenant int, id int GENERATED ALWAYS AS IDENTITY, name text, PRIMARY KEY (tenant, id));
      INSERT INTO note(tenant, name) VALUES (1, 'a'), (2, 'b')
      """)
    try server.check()
    #expect(try server.clone("Note", [.integer(1), .integer(1)]) == ["note": 1])
    #expect(try server.connection.rows("SELECT max(id) FROM note WHERE tenant = 1") == [[.integer(3)]])
  }

  @Test func aTableWithoutPrimaryKeyHasAUniqueOneOrNoEntity() throws {
    let server = try ImportedServer(
      """
      CREATE TABLE note(code uuid NOT NULL UNIQUE, other uuid UNIQUE, text text);
      CREATE TABLE line(text text, code uuid UNIQUE)
      """)
    try server.check()
    #expect(try server.entity("Note").primaryKey == [KeyColumn("code", generate: .uuid)])
    #expect(server.model.entity("Line") == nil)
    #expect(server.draft.omissions == ["The model has no place for tables without a key: 'line'."])
  }

  /// As Rails' `create_join_table` makes them, and Hibernate.
  @Test func aTableOfPairsNeedsNoKeyAndClonesKeepTheLinks() throws {
    let server = try ImportedServer(
      """
      CREATE TABLE post(id serial PRIMARY KEY, title text); CREATE TABLE tag(id serial PRIMARY KEY, name text);
      CREATE TABLE posts_tags(post_id int NOT NULL REFERENCES post, tag_id int NOT NULL REFERENCES tag);
      CREATE TABLE visits(post_id int NOT NULL REFERENCES post, tag_id int NOT NULL REFERENCES tag, at timestamptz);
      CREATE TABLE twice(post_id int NOT NULL REFERENCES post, tag_id int NOT NULL REFERENCES tag);
      INSERT INTO post(title) VALUES ('a'); INSERT INTO tag(name) VALUES ('x'), ('y');
      INSERT INTO posts_tags VALUES (1, 1), (1, 2); INSERT INTO twice VALUES (1, 1), (1, 1)
      """)
    try server.check()
    #expect(server.draft.omissions == ["The model has no place for tables without a key: 'twice', 'visits'."])
    #expect(try server.clone("Post", 1) == ["post": 1, "posts_tags": 2])
    #expect(
      try server.connection.rows("SELECT tag_id FROM posts_tags WHERE post_id = 2 ORDER BY 1") == [
        [.integer(1)], [.integer(2)],
      ])
  }

  /// Another role's search path would lead a name alone to the other one.
  @Test func tablesOfOneNameInTwoSchemasAreNamedWithThem() throws {
    let server = try ImportedServer(
      """
      CREATE SCHEMA shop; CREATE SCHEMA app;
      CREATE TABLE shop.item(id serial PRIMARY KEY, name text); CREATE TABLE app.item(id serial PRIMARY KEY, name text);
      INSERT INTO shop.item(name) VALUES ('s'); INSERT INTO app.item(name) VALUES ('a'), ('b');
      SET search_path = shop
      """, schemas: ["shop", "app"])
    try server.check()
    #expect(
      Set(server.model.entities.map { SchemaMapping(server.model)[$0.name].table }) == [
        "shop.item", "app.item",
      ])
    // A model that is brought up to date keeps the names that it has.
    var options = ModelSourceOptions()
    options.knownTables = ["item", "app.item"]
    let updated = try ImportedServer.draft(server.connection, ["shop", "app"], options).model()
    #expect(Set(updated.entities.map { SchemaMapping(updated)[$0.name].table }) == ["app.item", "item"])
    try server.connection.run("SET search_path = app")
    try server.check()
    let model = try ObjectModel(
      yaml:
        "version: 1\nentities: {A: {table: item, attributes: {name: String}}, B: {table: app.item, attributes: {name: String}}}"
    )
    let graph = PostgresGraph(server.connection, model: model)
    let error = #expect(throws: CloneError.self) {
      try graph.dedupe(DedupeRequest(identifiedBy: ["A": ["name"]]))
    }
    #expect(error?.code == .storeMismatch)
    let findings = try graph.storeFindings()
    #expect(
      findings.contains { $0.severity == .error && $0.message.contains("mean one table") }, "\(findings)")
  }

  // MARK: Tables

  @Test func commentsOfTheDatabaseAreCommentsOfTheFileAndAllowNoFindings() throws {
    let server = try ImportedServer(
      """
      CREATE TABLE box(id serial PRIMARY KEY); CREATE TABLE note(id serial PRIMARY KEY, name text, box_id int REFERENCES box);
      COMMENT ON TABLE note IS 'Notes.
      moclone:allow syntax'; COMMENT ON COLUMN note.name IS 'As people # type "it":'; COMMENT ON COLUMN note.box_id IS 'Its box.'
      """)
    try server.check()
    for line in ["  # Notes.\n", "      # As people # type \"it\":\n", "      # Its box.\n"] {
      #expect(server.draft.yaml.contains(line), "\(server.draft.yaml)")
    }
    #expect(!server.draft.yaml.contains("moclone:allow"))
  }

  @Test func whatNoEntityCanHaveIsListed() throws {
    let server = try ImportedServer(
      """
      CREATE TABLE note(id serial PRIMARY KEY); CREATE VIEW v AS SELECT 1 AS a; CREATE MATERIALIZED VIEW m AS SELECT 1 AS a;
      CREATE TABLE base(id serial PRIMARY KEY); CREATE TABLE heir(a int) INHERITS (base);
      CREATE TABLE "a.b"(id int PRIMARY KEY); CREATE TABLE "Case"(id int PRIMARY KEY); CREATE TABLE "case"(id int PRIMARY KEY);
      CREATE TABLE flyway_schema_history(id int PRIMARY KEY); CREATE TABLE twice(id int PRIMARY KEY, "Name" text, name text)
      """)
    try server.check()
    #expect(server.model.entities.map(\.name) == ["Note"])
    #expect(
      server.draft.omissions.map { $0.dropFirst("The model has no place for ".count) } == [
        "views: 'v'.", "materialized views: 'm'.",
        "tables that inherit from others, and those that they inherit from: 'base', 'heir'.",
        "tables whose names have a dot, or differ from others in letter case only: 'Case', 'a.b', 'case'.",
        "tables with columns whose names differ in letter case only: 'twice'.",
        "tables of frameworks and migrations: 'flyway_schema_history'.",
      ])
  }

  @Test func namesInCamelCaseAreKeptWithTheirLetterCase() throws {
    let server = try ImportedServer(
      """
      CREATE TABLE "userAccount"(id serial PRIMARY KEY, "firstName" text);
      CREATE TABLE "blogPost"(id serial PRIMARY KEY, "userAccountId" int NOT NULL REFERENCES "userAccount");
      CREATE INDEX ON "blogPost"("userAccountId");
      INSERT INTO "userAccount"("firstName") VALUES ('Ann'); INSERT INTO "blogPost"("userAccountId") VALUES (1), (1)
      """)
    try server.check()
    #expect(server.model.store.naming == .grdb)
    #expect(try server.relationship("blogPosts", of: "UserAccount").inverse == "userAccount")
    #expect(try server.clone("UserAccount", 1) == ["userAccount": 1, "blogPost": 2])
  }

  @Test func severalColumnsReferToOneRow() throws {
    let server = try ImportedServer(
      """
      CREATE TABLE box(a int, b uuid DEFAULT gen_random_uuid(), PRIMARY KEY (a, b));
      CREATE TABLE note(id serial PRIMARY KEY, box_a int, box_b uuid, FOREIGN KEY (box_a, box_b) REFERENCES box ON DELETE RESTRICT);
      CREATE INDEX ON note(box_a, box_b);
      INSERT INTO box VALUES (1, '6f5902ac-237c-4ac9-8b6d-d6d0b1d63d2a'); INSERT INTO note(box_a, box_b) SELECT * FROM box
      """)
    try server.check()
    #expect(try server.relationship("notes", of: "Box").deleteRule == .deny)
    #expect(
      try server.clone("Box", ObjectKey(text: "1,6f5902ac-237c-4ac9-8b6d-d6d0b1d63d2a")) == [
        "box": 1, "note": 1,
      ])
  }

  @Test func aForeignKeyToAPartitionIsLeftOutWithThatReason() throws {
    let server = try ImportedServer(
      """
      CREATE TABLE part(id bigint NOT NULL, y int NOT NULL, PRIMARY KEY (id, y)) PARTITION BY LIST (y);
      CREATE TABLE part_one PARTITION OF part FOR VALUES IN (1);
      CREATE TABLE note(id serial PRIMARY KEY, part_id bigint, y int, FOREIGN KEY (part_id, y) REFERENCES part_one(id, y));
      CREATE TABLE memo(id serial PRIMARY KEY, part_id bigint, y int, FOREIGN KEY (part_id, y) REFERENCES part(id, y))
      """)
    try server.check()
    #expect(
      server.draft.comments[.entity("Note")] == [
        "The foreign key on 'part_id', 'y' is left out: 'part_one' is a partition, and the model has no partitions, "
          + "only the table that they divide."
      ])
    #expect(try server.entity("Memo").relationships.map(\.destination) == ["Part"])
  }

  // MARK: Schemas

  @Test func tablesOffTheSearchPathAreNamedWithTheirSchema() throws {
    let sql = """
      CREATE SCHEMA app; CREATE TABLE box(id serial PRIMARY KEY);
      CREATE TABLE app.box(id serial PRIMARY KEY, box_id int REFERENCES public.box);
      """
    let one = try ImportedServer(sql)
    #expect(one.model.entities.map(\.name) == ["Box"])
    #expect(
      one.draft.omissions == [
        "The model has no place for tables of other schemas that reference these, so clones leave their rows behind: 'app.box'."
      ])
    let both = try ImportedServer(sql, schemas: ["app", "public"])
    try both.check()
    #expect(both.model.entities.map(\.name) == ["AppBox", "Box"])
    #expect(both.model.entities.map(\.table) == ["app.box", "public.box"])
    let app = try ImportedServer(sql, schemas: ["app"])
    try app.check()
    #expect(
      app.draft.comments[.entity("Box")] == [
        "The foreign key on 'box_id' is left out: the model does not have 'box'."
      ])
  }

  @Test func theSearchPathOfTheConnectionDecides() throws {
    let server = try ImportedServer(
      "CREATE TABLE box(id serial PRIMARY KEY); CREATE SCHEMA app; CREATE TABLE app.note(id serial PRIMARY KEY)"
    )
    let connection = try PostgresConnection(server.database.location("options='-c search_path=app,public'"))
    let draft = try ImportedServer.draft(connection)
    #expect(draft.entities.map(\.name) == ["Note", "Box"] && draft.entities.allSatisfy { $0.table == nil })
  }

  // MARK: Suggestions

  @Test func whatClonesNeedIsAppliedAndTheRestIsSuggested() throws {
    let sql = """
      CREATE TABLE box(id serial PRIMARY KEY, token uuid DEFAULT gen_random_uuid());
      CREATE TABLE note(id serial PRIMARY KEY, public_id uuid NOT NULL UNIQUE, box_id int NOT NULL REFERENCES box);
      CREATE TABLE plate(number varchar(8) PRIMARY KEY, box_id int NOT NULL REFERENCES box);
      """
    let server = try ImportedServer(sql)
    try server.check()
    #expect(try server.attribute("publicId", of: "Note").userInfo == ["rebuild": "uuid"])
    #expect(try server.attribute("token", of: "Box").userInfo.isEmpty)
    #expect(try server.relationship("plates", of: "Box").userInfo == ["exclude": ""])
    let annotated = try ImportedServer(sql, annotated: true)
    #expect(try annotated.attribute("token", of: "Box").userInfo == ["rebuild": "uuid"])
  }

  @Test func rowsThatNeedAnotherUniqueRowAreClonedWithItOrForAnother() throws {
    let server = try ImportedServer(
      """
      CREATE TABLE users(id serial PRIMARY KEY, email text NOT NULL UNIQUE);
      CREATE TABLE office(id serial PRIMARY KEY, name text);
      CREATE TABLE profile(id serial PRIMARY KEY, user_id int NOT NULL UNIQUE REFERENCES users, office_id int NOT NULL REFERENCES office);
      INSERT INTO users(email) VALUES ('a@b'), ('c@d'); INSERT INTO office(name) VALUES ('x');
      INSERT INTO profile(user_id, office_id) VALUES (1, 1);
      """)
    try server.check()
    #expect(try server.relationship("user", of: "Profile").userInfo == ["onClone": "link"])
    #expect(try server.clone("Office", 1) == ["office": 1])
    #expect(try server.clone("User", 1, CloneRequest(set: ["email": "e@f"])) == ["users": 1, "profile": 1])
    #expect(throws: CloneError.self) { try server.clone("Profile", 1) }
    #expect(try server.clone("Profile", 1, CloneRequest(set: ["user": 2])) == ["profile": 1])
  }

  @Test func namesAndValuesSuggestReferencesThatAreNotDeclared() throws {
    let server = try ImportedServer(
      """
      CREATE TABLE box(id serial PRIMARY KEY, name text); CREATE TABLE note(id serial PRIMARY KEY, box_id int, tag_id text);
      CREATE TABLE tag(id serial PRIMARY KEY);
      INSERT INTO box(name) VALUES ('a'), ('b'); INSERT INTO note(box_id, tag_id) VALUES (1, '1'), (2, '1'); INSERT INTO tag DEFAULT VALUES
      """, options: ModelSourceOptions(infersRelationships: true))
    try server.check()
    let note = try server.entity("Note")
    let comments = note.attributes.map { server.draft.comments[.attribute($0)]?.first }
    #expect(comments[0]?.contains("2 of 2 different values are keys of 'Box'") == true)
    #expect(comments[1] == nil)
  }

  @Test func aReferenceToSeveralTablesIsFound() throws {
    let server = try ImportedServer(
      """
      CREATE TABLE box(id serial PRIMARY KEY); CREATE TABLE tag(id serial PRIMARY KEY);
      CREATE TABLE comment(id serial PRIMARY KEY, owner_type text NOT NULL, owner_id int NOT NULL);
      INSERT INTO box DEFAULT VALUES; INSERT INTO tag DEFAULT VALUES;
      INSERT INTO comment(owner_type, owner_id) VALUES ('Box', 1), ('Tag', 1)
      """)
    try server.check()
    #expect(try server.clone("Box", 1) == ["box": 1, "comment": 1])
  }

  @Test func aFileIsBroughtUpToDateWithTheDatabase() throws {
    let server = try ImportedServer("CREATE TABLE note(id serial PRIMARY KEY, name text, gone int)")
    try server.connection.run(
      """
      ALTER TABLE note DROP gone; ALTER TABLE note ADD tags text[], ADD on_shelf date;
      ALTER TABLE note ALTER name SET NOT NULL; CREATE TABLE page(id serial PRIMARY KEY, note_id int NOT NULL REFERENCES note)
      """)
    let update = try ModelUpdate(
      of: SourceFile(path: "x.yml", text: server.draft.yaml), from: ImportedServer.draft(server.connection))
    #expect(
      update.changes.map(\.description).sorted() == [
        "added 'Note.onShelf' (Date?)", "added 'Note.pages' (many Page)", "added 'Page'",
        "changed 'Note.name': String, was String?",
        "commented out 'Note.gone', because the column 'gone' no longer exists",
      ])
  }
}
