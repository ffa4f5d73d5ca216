import GRDB
import MOCloneKit
import MOCloneModeling
import Testing

@Suite("Shapes of imported models")
struct ImportedShapesTests {
  // MARK: Join tables

  private static let ends =
    "CREATE TABLE song (id INTEGER PRIMARY KEY); CREATE TABLE album (id INTEGER PRIMARY KEY);"

  @Test(arguments: [
    "CREATE TABLE j (album INTEGER REFERENCES album, song INTEGER REFERENCES song, PRIMARY KEY (album, song))",
    "CREATE TABLE j (id INTEGER PRIMARY KEY, album INTEGER NOT NULL REFERENCES album, song INTEGER NOT NULL REFERENCES song)",
    "CREATE TABLE j (album INTEGER REFERENCES album, song INTEGER REFERENCES song, UNIQUE (song, album))",
  ])
  func aTableOfTwoReferencesIsAManyToMany(table: String) throws {
    let database = try ImportedDatabase(Self.ends + table)
    #expect(database.model.entities.map(\.name) == ["Song", "Album"])
    #expect(try database.relationship("songs", of: "Album").inverse == "albums")
    try database.check()
  }

  @Test(arguments: [
    "CREATE TABLE j (album INTEGER REFERENCES album, song INTEGER REFERENCES song, since TEXT, PRIMARY KEY (album, song))",
    "CREATE TABLE j (id TEXT PRIMARY KEY, album INTEGER NOT NULL REFERENCES album, song INTEGER NOT NULL REFERENCES song)",
    "CREATE TABLE j (album INTEGER UNIQUE REFERENCES album, song INTEGER REFERENCES song, PRIMARY KEY (album, song))",
    "CREATE TABLE j (id INTEGER PRIMARY KEY, album INTEGER REFERENCES album, song INTEGER REFERENCES song); CREATE TABLE k (id INTEGER PRIMARY KEY, j INTEGER REFERENCES j)",
    "CREATE TABLE j (album INTEGER REFERENCES album, song INTEGER REFERENCES song, position INTEGER, PRIMARY KEY (album, song))",
    "CREATE TABLE j (album INTEGER REFERENCES album, song INTEGER REFERENCES song); INSERT INTO song VALUES (1); INSERT INTO album VALUES (1); INSERT INTO j VALUES (1, 1), (1, 1)",
  ])
  func aTableWithMoreThanTwoReferencesStaysAnEntity(table: String) throws {
    let database = try ImportedDatabase(Self.ends + table)
    #expect(database.model.entity("J") != nil)
    try database.check()
  }

  @Test func positionsWithoutGapsAreTheOrderOfAList() throws {
    let database = try ImportedDatabase(
      Self.ends
        + """
        CREATE TABLE album_song (album_id INTEGER REFERENCES album, song_id INTEGER REFERENCES song, position INTEGER NOT NULL, PRIMARY KEY (album_id, song_id));
        INSERT INTO album VALUES (1), (2); INSERT INTO song VALUES (1), (2), (3);
        INSERT INTO album_song VALUES (1, 3, 0), (1, 1, 1), (2, 2, 0), (2, 1, 1), (2, 3, 2);
        """)
    let songs = try database.relationship("songs", of: "Album")
    #expect(songs.isOrdered && songs.orderColumn == "position")
    #expect(try !database.relationship("albums", of: "Song").isOrdered)
    let copy = try Cloner().clone(object: database.graph.object("Album", key: 2))
    let keys = try copy.destinations("songs").map { $0.id.key.parts[0] }
    #expect(keys == [.integer(2), .integer(1), .integer(3)])
  }

  // MARK: References

  @Test func aReferenceToAUniqueColumnNamesIt() throws {
    let database = try ImportedDatabase(
      "CREATE TABLE country (id INTEGER PRIMARY KEY, code TEXT UNIQUE); CREATE TABLE city (id INTEGER PRIMARY KEY, country_code TEXT REFERENCES country(code))"
    )
    let country = try database.relationship("country", of: "City")
    #expect(country.columns == [ForeignKeyColumn("country_code", references: "code")])
    #expect(try database.entity("Country").uniquenessConstraints == [["code"]])
  }

  @Test func aKeyIsMadeAsAnyOtherWhereWhatBelongsToTheRowIsNamedByIt() throws {
    let database = try ImportedDatabase(
      """
      CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE project (team INTEGER NOT NULL REFERENCES team, id INTEGER NOT NULL, lead INTEGER, name TEXT,
        PRIMARY KEY (team, id), FOREIGN KEY (team, id, lead) REFERENCES member (team, project, id));
      CREATE TABLE member (team INTEGER NOT NULL, project INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT,
        PRIMARY KEY (team, id), UNIQUE (team, project, id), FOREIGN KEY (team, project) REFERENCES project);
      CREATE TABLE customer (id TEXT PRIMARY KEY, main TEXT,
        FOREIGN KEY (main, id) REFERENCES contact (id, customer));
      CREATE TABLE contact (id TEXT PRIMARY KEY, customer TEXT REFERENCES customer, UNIQUE (id, customer));
      INSERT INTO team VALUES (1, 't'); INSERT INTO project VALUES (1, 1, 2, 'p'), (1, 2, NULL, 'q');
      INSERT INTO member VALUES (1, 1, 1, 'm'), (1, 1, 2, 'n');
      """)
    try database.check()
    let project = try database.entity("Project")
    #expect(project.primaryKey == [KeyColumn("team"), KeyColumn("id", generate: .max)])
    #expect(project.attributes.map(\.name) == ["id", "name"])
    #expect(try database.entity("Customer").primaryKey == [KeyColumn("id", generate: .uuid)])
  }

  @Test func aComputedKindIsPartOfTheReferenceThatItIsIn() throws {
    let database = try ImportedDatabase(
      """
      CREATE TABLE vehicle (id INTEGER PRIMARY KEY, type TEXT NOT NULL, UNIQUE (id, type));
      CREATE TABLE truck (id INTEGER PRIMARY KEY, type TEXT GENERATED ALWAYS AS ('truck') STORED, axles INTEGER,
        FOREIGN KEY (id, type) REFERENCES vehicle (id, type) ON DELETE CASCADE);
      INSERT INTO vehicle VALUES (1, 'truck'); INSERT INTO truck (id, axles) VALUES (1, 3);
      """)
    try database.check()
    let vehicle = try database.relationship("vehicle", of: "Truck")
    #expect(
      vehicle.columns == [
        ForeignKeyColumn("id", references: "id"), ForeignKeyColumn("type", references: "type"),
      ])
    #expect(!vehicle.isOptional)
    #expect(try database.entity("Truck").attributes.map(\.name) == ["axles"])
  }

  @Test func whatACheckKeepsFromBeingNullIsRequired() throws {
    let database = try ImportedDatabase(
      """
      CREATE TABLE space (id INTEGER PRIMARY KEY);
      CREATE TABLE project (id INTEGER PRIMARY KEY, name TEXT CHECK (length(name) < 9), "Code" TEXT CHECK (code NOTNULL),
        note TEXT CHECK (note IS NOT NULL OR name IS NOT NULL), space_id INTEGER REFERENCES space,
        CONSTRAINT has_space CHECK ((space_id IS NOT NULL)));
      """)
    try database.check()
    #expect(try !database.relationship("space", of: "Project").isOptional)
    #expect(try database.entity("Project").attributes.map(\.isOptional) == [true, false, true])
  }

  @Test func compositeAndSharedKeysAreMapped() throws {
    let database = try ImportedDatabase(
      """
      CREATE TABLE project (tenant_id INTEGER NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (tenant_id, id));
      CREATE TABLE task (tenant_id INTEGER NOT NULL, id INTEGER NOT NULL, project_id INTEGER, parent_id INTEGER, PRIMARY KEY (tenant_id, id),
        FOREIGN KEY (tenant_id, project_id) REFERENCES project, FOREIGN KEY (parent_id, tenant_id) REFERENCES task (id, tenant_id));
      """)
    #expect(
      try database.relationship("project", of: "Task").columns.map(\.column) == ["tenant_id", "project_id"])
    #expect(
      try database.relationship("parent", of: "Task").columns.map(\.column) == ["tenant_id", "parent_id"])
    #expect(try database.relationship("parent", of: "Task").isOptional)
    #expect(
      try database.entity("Task").primaryKey == [KeyColumn("tenant_id"), KeyColumn("id", generate: .max)])
    try database.check()
  }

  @Test(arguments: [
    ("CASCADE", DeleteRule.cascade), ("SET NULL", .nullify), ("RESTRICT", .deny), ("NO ACTION", .nullify),
    ("SET DEFAULT", .noAction),
  ])
  func theDeleteRuleIsThatOfTheForeignKey(action: String, rule: DeleteRule) throws {
    let database = try ImportedDatabase(
      "CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE b (id INTEGER PRIMARY KEY, a_id INTEGER REFERENCES a ON DELETE \(action))"
    )
    #expect(try database.relationship("bs", of: "A").deleteRule == rule)
    #expect(try database.graph.storeFindings().contains { $0.code == .deleteAction } == false)
  }

  @Test func anIdentityIsBestOneThatNeedsNoOtherObject() throws {
    let database = try ImportedDatabase(
      "CREATE TABLE article (id INTEGER PRIMARY KEY, main_id INTEGER UNIQUE REFERENCES article, name TEXT UNIQUE)"
    )
    #expect(try database.entity("Article").uniquenessConstraints == [["name"], ["main"]])
  }

  @Test func whatNoRowLacksIsABetterIdentityThanWhatSomeLack() throws {
    let database = try ImportedDatabase(
      """
      CREATE TABLE account (id INTEGER PRIMARY KEY, phone TEXT UNIQUE, email TEXT UNIQUE);
      INSERT INTO account VALUES (1, NULL, 'a'), (2, '1', 'b');
      """)
    #expect(try database.entity("Account").uniquenessConstraints == [["email"], ["phone"]])
  }

  @Test func aKeyOfUUIDsIsTheIdentityWhereNoOtherIsSure() throws {
    let database = try ImportedDatabase(
      """
      CREATE TABLE trip (id BLOB PRIMARY KEY NOT NULL, name TEXT NOT NULL, code TEXT UNIQUE);
      CREATE TABLE photo (id BLOB PRIMARY KEY NOT NULL, trip_id BLOB NOT NULL REFERENCES trip(id) ON DELETE CASCADE);
      CREATE TABLE tag (id BLOB PRIMARY KEY NOT NULL, name TEXT NOT NULL UNIQUE);
      INSERT INTO trip VALUES (x'6e4f3b0a11114aaa8bbb000000000001', 'Alps', NULL);
      INSERT INTO photo VALUES (x'6e4f3b0a11114aaa8bbb000000000011', x'6e4f3b0a11114aaa8bbb000000000001');
      INSERT INTO tag VALUES (x'6e4f3b0a11114aaa8bbb000000000021', 'snow');
      """)
    try database.check()
    #expect(try database.entity("Trip").uniquenessConstraints == [["id"], ["code"]])
    #expect(try database.entity("Photo").uniquenessConstraints == [["id"]])
    #expect(try database.entity("Tag").uniquenessConstraints == [["name"]])
    let copy = try DatabaseQueue()
    try database.queue.backup(to: copy)
    let target = SQLiteGraph(copy, model: database.model)
    let report = try target.copy(from: database.graph, CopyRequest())
    #expect((report.created ?? [:]).isEmpty && report.found?["Photo"] == 1)
    let photo = try #require(try database.graph.objectIDs("Photo").first)
    _ = try Cloner().clone(photo.entity, keys: [photo.key], in: database.graph)
    #expect(try database.graph.count("Photo") == 2)
  }

  /// Rows that are arranged anew have other places.
  @Test func aKeyOfUUIDsIsABetterIdentityThanAPlaceOrWhatNeedsAnotherObject() throws {
    let database = try ImportedDatabase(
      """
      CREATE TABLE project (id TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL);
      CREATE TABLE task (id TEXT NOT NULL PRIMARY KEY, project_id TEXT NOT NULL REFERENCES project ON DELETE CASCADE,
        position INTEGER NOT NULL, UNIQUE (project_id, position));
      CREATE TABLE stage (id TEXT NOT NULL PRIMARY KEY, sort_order INTEGER NOT NULL UNIQUE);
      CREATE TABLE user (id TEXT NOT NULL PRIMARY KEY, project_id TEXT NOT NULL REFERENCES project,
        email TEXT NOT NULL UNIQUE, number INTEGER NOT NULL, UNIQUE (project_id, number));
      INSERT INTO project VALUES ('11111111-1111-4111-8111-111111111111', 'P');
      INSERT INTO task VALUES ('21111111-1111-4111-8111-111111111111', '11111111-1111-4111-8111-111111111111', 1);
      INSERT INTO stage VALUES ('31111111-1111-4111-8111-111111111111', 1);
      INSERT INTO user VALUES ('41111111-1111-4111-8111-111111111111', '11111111-1111-4111-8111-111111111111', 'a', 1);
      """)
    try database.check()
    #expect(try database.entity("Task").uniquenessConstraints == [["id"], ["project", "position"]])
    #expect(try database.entity("Stage").uniquenessConstraints == [["id"], ["sortOrder"]])
    #expect(try database.entity("User").uniquenessConstraints == [["email"], ["project", "number"]])
  }

  @Test func aNumberWithinAnOwnerIsAnIdentity() throws {
    let database = try ImportedDatabase(
      """
      CREATE TABLE project (id TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL);
      CREATE TABLE issue (project_id TEXT NOT NULL REFERENCES project ON DELETE CASCADE, number INTEGER NOT NULL,
        PRIMARY KEY (project_id, number));
      CREATE TABLE file (project_id TEXT NOT NULL REFERENCES project, id INTEGER NOT NULL, PRIMARY KEY (project_id, id));
      INSERT INTO project VALUES ('11111111-1111-4111-8111-111111111111', 'P');
      INSERT INTO issue VALUES ('11111111-1111-4111-8111-111111111111', 1), ('11111111-1111-4111-8111-111111111111', 2);
      """)
    try database.check()
    #expect(try database.entity("Issue").uniquenessConstraints == [["project", "number"]])
    #expect(try database.entity("File").uniquenessConstraints.isEmpty)
    let copy = try DatabaseQueue()
    try database.queue.backup(to: copy)
    let report = try SQLiteGraph(copy, model: database.model).copy(from: database.graph, CopyRequest())
    #expect((report.created ?? [:]).isEmpty && report.found?["Issue"] == 2)
    let project = try #require(try database.graph.objectIDs("Project").first)
    let cloned = try Cloner().clone("Project", keys: [project.key], in: database.graph).cloned
    #expect(cloned == ["Project": 1, "Issue": 2])
  }

  @Test func numbersWithinAParentAreCountedAndYearsAreCopied() throws {
    let database = try ImportedDatabase(
      """
      CREATE TABLE invoice (id INTEGER PRIMARY KEY); CREATE TABLE line (invoice_id INTEGER REFERENCES invoice, place INTEGER, PRIMARY KEY (invoice_id, place));
      CREATE TABLE part (invoice_id INTEGER REFERENCES invoice, part_type_id INTEGER, PRIMARY KEY (invoice_id, part_type_id));
      CREATE TABLE budget (invoice_id INTEGER REFERENCES invoice, year INTEGER, PRIMARY KEY (invoice_id, year));
      INSERT INTO invoice VALUES (1), (2); INSERT INTO line VALUES (1, 1), (1, 2), (2, 1); INSERT INTO budget VALUES (1, 1), (1, 2);
      INSERT INTO part VALUES (1, 1), (1, 2);
      CREATE TABLE house (invoice_id INTEGER REFERENCES invoice, house_no INTEGER, PRIMARY KEY (invoice_id, house_no));
      INSERT INTO house VALUES (1, 12), (1, 14);
      CREATE TABLE entry (invoice_id INTEGER REFERENCES invoice, place INTEGER, PRIMARY KEY (invoice_id, place));
      INSERT INTO entry VALUES (1, 0), (1, 1);
      CREATE TABLE step (invoice_id INTEGER REFERENCES invoice, step_no INTEGER, PRIMARY KEY (invoice_id, step_no));
      """)
    #expect(try database.entity("House").primaryKey.last == KeyColumn("house_no"))
    #expect(try database.entity("Entry").primaryKey.last == KeyColumn("place"))
    #expect(try database.entity("Step").primaryKey.last == KeyColumn("step_no", generate: .max))
    #expect(try database.entity("Line").primaryKey.last == KeyColumn("place", generate: .max))
    #expect(try database.entity("Budget").primaryKey.last == KeyColumn("year"))
    #expect(try database.entity("Part").primaryKey.last == KeyColumn("part_type_id"))
  }

  @Test func aKeyThatNothingGeneratesHasACommentThatSaysWhatToType() throws {
    let database = try ImportedDatabase(
      """
      CREATE TABLE "order" (id INTEGER PRIMARY KEY); CREATE TABLE product (id INTEGER PRIMARY KEY);
      CREATE TABLE detail (order_id INTEGER REFERENCES "order", product_id INTEGER REFERENCES product, price REAL, PRIMARY KEY (order_id, product_id));
      CREATE TABLE price (product_id INTEGER REFERENCES product, year INTEGER, PRIMARY KEY (product_id, year));
      INSERT INTO "order" VALUES (1), (2); INSERT INTO product VALUES (1), (2); INSERT INTO detail VALUES (1, 1, 2.5);
      INSERT INTO price VALUES (1, 2024), (1, 2025);
      """)
    let comments = ["Detail", "Price"].map { database.draft.comments[.entity($0), default: []].joined() }
    #expect(comments[0].contains("another 'order' or 'product', as in --set product=KEY."), "\(comments)")
    #expect(comments[1].contains("another 'product' or 'year', as in --set year=VALUE."), "\(comments)")
    #expect(throws: CloneError.self) { try Cloner().clone("Detail", keys: [[1, 1]], in: database.graph) }
    try Cloner().clone(
      "Detail", keys: [[1, 1]], in: database.graph, request: CloneRequest(set: ["product": 2]))
    #expect(try database.graph.count("Detail") == 2)
  }

  @Test func aJoinTableWithOneColumnForEachEndNamesThemWithoutLists() throws {
    let database = try ImportedDatabase(
      """
      CREATE TABLE person (id INTEGER PRIMARY KEY);
      CREATE TABLE likes (a INTEGER REFERENCES person, b INTEGER REFERENCES person, PRIMARY KEY (a, b));
      """)
    #expect(database.draft.yaml.contains("joinTable: {table: likes, column: a, inverseColumn: b}"))
    try database.check()
  }

  // MARK: References to several tables

  private static let comments = """
    CREATE TABLE posts (id INTEGER PRIMARY KEY, title TEXT); CREATE TABLE photos (id INTEGER PRIMARY KEY);
    CREATE TABLE comments (id INTEGER PRIMARY KEY, body TEXT, commentable_type TEXT, commentable_id INTEGER);
    INSERT INTO posts VALUES (1, 'a'); INSERT INTO photos VALUES (1), (2);
    """

  @Test func aReferenceToSeveralTablesHasASubEntityForEach() throws {
    let database = try ImportedDatabase(
      Self.comments
        + "INSERT INTO comments VALUES (1, 'x', 'Post', 1), (2, 'y', 'App\\Models\\Photo', 2), (3, 'z', 'Post', 1)"
    )
    #expect(database.model.concreteEntities(of: "Comment").sorted() == ["PhotoComment", "PostComment"])
    #expect(try database.entity("PhotoComment").discriminator?.value == "App\\Models\\Photo")
    #expect(try database.relationship("commentable", of: "PostComment").destination == "Post")
    try database.check()
    let copy = try Cloner().clone(object: database.graph.object("Post", key: 1))
    #expect(try copy.destinations("comments").count == 2)
    #expect(try database.graph.count("Comment") == 5)
  }

  @Test func rowsOfATypeWithoutKeysReferToNothingAndKeepTheirType() throws {
    let database = try ImportedDatabase(
      """
      CREATE TABLE projects (id INTEGER PRIMARY KEY);
      CREATE TABLE issues (id INTEGER PRIMARY KEY, project_id INTEGER NOT NULL REFERENCES projects ON DELETE CASCADE);
      CREATE TABLE notes (id INTEGER PRIMARY KEY, project_id INTEGER REFERENCES projects ON DELETE CASCADE, noteable_type TEXT, noteable_id INTEGER);
      INSERT INTO projects VALUES (1); INSERT INTO issues VALUES (1, 1);
      INSERT INTO notes VALUES (1, 1, 'Issue', 1), (2, 1, 'Issue', NULL), (3, 1, 'Commit', NULL);
      """)
    try database.check()
    #expect(database.model.concreteEntities(of: "Note").sorted() == ["CommitNote", "IssueNote"])
    #expect(try database.entity("CommitNote").relationships.isEmpty)
    _ = try Cloner().clone(object: database.graph.object("Project", key: 1))
    let clones = try database.queue.read {
      try String.fetchAll(
        $0,
        sql:
          "SELECT noteable_type || coalesce(noteable_id, '') FROM notes WHERE project_id = 2 ORDER BY 1")
    }
    #expect(clones == ["Commit", "Issue", "Issue2"])
  }

  @Test(arguments: [
    "INSERT INTO comments VALUES (1, 'x', 'Post', 1), (2, 'y', NULL, NULL)",
    "INSERT INTO comments VALUES (1, 'x', 'Post', 1), (2, 'y', 'Video', 1)",
    "INSERT INTO comments VALUES (1, 'x', 'Post', 7)", "",
  ])
  func aPairThatNotEveryRowFitsStaysTwoAttributes(rows: String) throws {
    let database = try ImportedDatabase(Self.comments + rows)
    #expect(try database.attribute("commentableType", of: "Comment").type == .string)
    #expect(database.model.entities.count == 3)
    #expect(database.draft.yaml.contains("look like a reference to several tables") == !rows.isEmpty)
  }

  @Test func aSecondReferenceToSeveralTablesStaysTwoAttributesWithAComment() throws {
    let database = try ImportedDatabase(
      """
      CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT); CREATE TABLE events (id INTEGER PRIMARY KEY, title TEXT);
      CREATE TABLE logs (id INTEGER PRIMARY KEY, subject_type TEXT, subject_id INTEGER, actor_type TEXT, actor_id INTEGER);
      INSERT INTO users VALUES (1, 'a'); INSERT INTO events VALUES (1, 'e');
      INSERT INTO logs VALUES (1, 'Event', 1, 'User', 1), (2, 'User', 1, 'User', 1);
      """)
    try database.check()
    #expect(database.model.concreteEntities(of: "Log").sorted() == ["EventLog", "UserLog"])
    #expect(try database.attribute("actorId", of: "Log").type == .integer64)
    let comments = database.draft.comments[.entity("Log"), default: []]
    #expect(comments.contains { $0.hasPrefix("'actor_type' and 'actor_id' look like a reference") })
    #expect(!comments.contains { $0.hasPrefix("'subject_type' and") })
  }

  @Test func aReferenceToSeveralTablesOfATenantHoldsTheTenantToo() throws {
    let database = try ImportedDatabase(
      """
      CREATE TABLE tenants (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE docs (tenant_id INTEGER NOT NULL REFERENCES tenants ON DELETE CASCADE, id INTEGER NOT NULL, title TEXT,
        PRIMARY KEY (tenant_id, id));
      CREATE TABLE users (tenant_id INTEGER NOT NULL REFERENCES tenants ON DELETE CASCADE, id INTEGER NOT NULL, name TEXT,
        PRIMARY KEY (tenant_id, id));
      CREATE TABLE comments (tenant_id INTEGER NOT NULL REFERENCES tenants ON DELETE CASCADE, id INTEGER NOT NULL,
        commentable_type TEXT NOT NULL, commentable_id INTEGER NOT NULL, body TEXT, PRIMARY KEY (tenant_id, id));
      INSERT INTO tenants VALUES (1, 't'), (2, 'u');
      INSERT INTO docs VALUES (1, 5, 'd'), (1, 7, 'e'), (2, 9, 'f'); INSERT INTO users VALUES (1, 6, 'u');
      INSERT INTO comments VALUES (1, 1, 'docs', 5, 'on d'), (1, 2, 'docs', 7, 'on e'), (1, 3, 'users', 6, 'on u');
      """, annotated: true)
    try database.check()
    #expect(database.model.concreteEntities(of: "Comment").sorted() == ["DocComment", "UserComment"])
    let columns = try database.relationship("commentable", of: "DocComment").columns.map(\.column)
    #expect(columns == ["tenant_id", "commentable_id"])
    _ = try Cloner().clone(object: database.graph.object("Tenant", key: 1))
    let comments = try database.queue.read {
      try String.fetchAll(
        $0,
        sql: """
          SELECT body || '|' || coalesce(title, name) FROM comments c
          LEFT JOIN docs d ON commentable_type = 'docs' AND d.tenant_id = c.tenant_id AND d.id = commentable_id
          LEFT JOIN users u ON commentable_type = 'users' AND u.tenant_id = c.tenant_id AND u.id = commentable_id
          WHERE c.tenant_id = 3 ORDER BY 1
          """)
    }
    #expect(comments == ["on d|d", "on e|e", "on u|u"])
  }

  @Test func aReferenceToAKeyOfWhichAPartIsElsewhereStaysTwoAttributesWithAComment() throws {
    let database = try ImportedDatabase(
      """
      CREATE TABLE docs (region TEXT NOT NULL, id INTEGER NOT NULL, title TEXT, PRIMARY KEY (region, id));
      CREATE TABLE comments (id INTEGER PRIMARY KEY, commentable_type TEXT NOT NULL, commentable_id INTEGER NOT NULL);
      INSERT INTO docs VALUES ('n', 1, 'd'); INSERT INTO comments VALUES (1, 'docs', 1);
      """)
    try database.check()
    #expect(try database.attribute("commentableId", of: "Comment").type == .integer64)
    let comments = database.draft.comments[.entity("Comment"), default: []]
    #expect(comments.contains { $0.contains("'commentable_id' is not the whole key of 'docs'") })
  }

  @Test func aKeyWhoseTableDjangoNamesHasAComment() throws {
    let database = try ImportedDatabase(
      """
      CREATE TABLE django_content_type (id INTEGER PRIMARY KEY, model TEXT);
      CREATE TABLE tagged (id INTEGER PRIMARY KEY, object_id INTEGER NOT NULL, content_type_id INTEGER NOT NULL REFERENCES django_content_type(id));
      """)
    try database.check()
    let comments = database.draft.comments[.entity("Tagged"), default: []]
    #expect(
      comments.contains { $0.hasPrefix("'object_id' is a key of the table that 'content_type_id' means") })
  }

  // MARK: What is left out

  @Test func ofTablesWhoseNamesUnicodeTakesForEqualOneIsLeftOutForThatReason() throws {
    let tables = ["caf\u{E9}", "cafe\u{301}"].map {
      "CREATE TABLE \"\($0)\" (id INTEGER PRIMARY KEY, x TEXT);"
    }
    let database = try ImportedDatabase(tables.joined())
    #expect(database.model.entities.count == 1)
    #expect(database.draft.omissions.count == 1)
    #expect(database.draft.omissions.first?.contains("only by Unicode normalization: 'caf") == true)
  }

  @Test func viewsVirtualTablesAndMigrationsAreLeftOutWithAComment() throws {
    let database = try ImportedDatabase(
      """
      CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT); CREATE VIEW recent AS SELECT * FROM note;
      CREATE VIRTUAL TABLE search USING fts5(body); CREATE TABLE grdb_migrations (identifier TEXT PRIMARY KEY);
      CREATE TABLE android_metadata (locale TEXT);
      """)
    #expect(database.model.entities.map(\.name) == ["Note"])
    #expect(database.draft.yaml.contains("# - views: 'recent'\n# - virtual tables: 'search'\n"))
    #expect(
      database.draft.yaml.contains(
        "# - tables of frameworks and migrations: 'grdb_migrations', 'android_metadata'"))
    #expect(database.draft.omissions.count == 4)
  }

  @Test func aForeignKeyThatNoModelCanHaveIsLeftOutWithAComment() throws {
    let database = try ImportedDatabase(
      """
      CREATE TABLE a (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE b (id INTEGER PRIMARY KEY, x INTEGER REFERENCES nowhere, y TEXT REFERENCES a(name));
      """)
    #expect(try database.entity("B").relationships.isEmpty)
    #expect(database.draft.yaml.contains("there is no table 'nowhere'"))
    #expect(database.draft.yaml.contains("is not unique"))
  }

  @Test func aForeignKeyToValuesOfSeveralKindsIsLeftOutWithAComment() throws {
    let database = try ImportedDatabase(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, code UNIQUE, label TEXT); CREATE TABLE u (id INTEGER PRIMARY KEY, t_code REFERENCES t(code));
      INSERT INTO t VALUES (1, 'a', 'x'), (2, 5, 'y'); INSERT INTO u VALUES (1, 'a'), (2, 5);
      """)
    // The validation says what is left of it.
    let error = #expect(throws: (any Error).self) { try database.graph.validate() }
    #expect(error.map { "\($0)" }?.contains("'t_code' of the table 'u' references 'T'") == true)
    #expect(try database.entity("U").relationships.isEmpty)
    let reason = "rows hold values of several kinds in 'code', which it references"
    #expect(
      database.draft.comments[.entity("U"), default: []].contains(
        "The foreign key on 't_code' is left out: \(reason)."))
    #expect(try database.cloneEach().keys.sorted() == ["T"])
  }

  @Test func anAppImportsTheModelOfItsDatabase() throws {
    let queue = try DatabaseQueue()
    try queue.write { try $0.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, fullName TEXT)") }
    let model = try ObjectModel(importing: queue)
    #expect(model.name == "Model" && model.entities.map(\.name) == ["Player"])
    #expect(try queue.read { try ObjectModel(importing: $0) } == model)
  }
}
