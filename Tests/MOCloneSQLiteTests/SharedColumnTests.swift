import MOCloneKit
import Testing

/// Columns that several references share: those of sibling sub-entities, and composite keys with one tenant.
@Suite struct SharedColumnTests {
  // MARK: Siblings

  static let comments = """
    entities:
      Album:
        relationships:
          posts: {destination: Post, toMany: true, inverse: album}
          photos: {destination: Photo, toMany: true, inverse: album}
      Post:
        attributes: {title: String?}
        relationships:
          album: {destination: Album, optional: true, inverse: posts}
          comments: {destination: PostComment, toMany: true, ordered: true, inverse: post, orderColumn: position}
      Photo:
        relationships:
          album: {destination: Album, optional: true, inverse: photos}
          comments: {destination: PhotoComment, toMany: true, ordered: true, inverse: photo, orderColumn: position, deleteRule: cascade}
      Comment:
        abstract: true
        discriminator: {column: subject_type}
        attributes: {text: String?}
      PostComment:
        parent: Comment
        discriminator: {value: post}
        relationships: {post: {destination: Post, inverse: comments, column: subject_id}}
      PhotoComment:
        parent: Comment
        discriminator: {value: photo}
        relationships: {photo: {destination: Photo, inverse: comments, column: subject_id}}
    """
  static let commentTables = """
    CREATE TABLE album(id INTEGER PRIMARY KEY);
    CREATE TABLE post(id INTEGER PRIMARY KEY, album_id INTEGER REFERENCES album(id), title TEXT);
    CREATE TABLE photo(id INTEGER PRIMARY KEY, album_id INTEGER REFERENCES album(id));
    CREATE TABLE comment(id INTEGER PRIMARY KEY, subject_type TEXT NOT NULL, subject_id INTEGER, position INTEGER,
      text TEXT);
    INSERT INTO album VALUES (1), (2);
    INSERT INTO post VALUES (1, 1, 'a'), (2, 1, 'b'), (3, 2, 'c');
    INSERT INTO photo VALUES (1, 1), (2, 1), (9, 2);
    INSERT INTO comment VALUES (1, 'post', 1, 2, 'p1'), (2, 'photo', 1, 1, 'f1'), (3, 'post', 1, 1, 'p2'),
      (4, 'photo', 2, 2, 'f2'), (5, 'photo', 2, 1, 'f3'), (6, 'post', 3, 1, 'other');
    """

  @Test func aPolymorphicReferenceIsMappedByEachConcreteEntity() throws {
    let store = try StoreFixture(Self.comments, Self.commentTables)
    let result = try store.clone("Album", 1)
    #expect(result.cloned == ["Album": 1, "Post": 2, "Photo": 2, "PostComment": 2, "PhotoComment": 3])
    #expect(
      try store.rows(
        "SELECT subject_type, subject_id, position, text FROM comment WHERE id > 6 ORDER BY 1, 2, 3")
        == ["photo|10|1|f1", "photo|11|1|f3", "photo|11|2|f2", "post|4|1|p2", "post|4|2|p1"])
    let again = try store.clone("Album", 1, CloneRequest(count: 2))
    #expect(again.cloned == ["Album": 2, "Post": 4, "Photo": 4, "PostComment": 4, "PhotoComment": 6])
    #expect(
      try store.rows(
        "SELECT subject_id, position, text FROM comment WHERE id > 11 AND subject_type = 'post' ORDER BY 1, 2"
      )
        == ["6|1|p2", "6|2|p1", "8|1|p2", "8|2|p1"])
  }

  @Test func commentsOfASiblingWithTheSameNumberStay() throws {
    let store = try StoreFixture(Self.comments, Self.commentTables)
    #expect(try store.clone("Post", 1).cloned == ["Post": 1, "PostComment": 2])
    #expect(
      try store.rows("SELECT subject_type, subject_id, text FROM comment WHERE id > 6 ORDER BY position")
        == ["post|4|p2", "post|4|p1"])
  }

  @Test func aCommentAloneIsLinkedAtTheEndOfItsOwnList() throws {
    let store = try StoreFixture(Self.comments, Self.commentTables)
    #expect(try store.clone("Comment", 4).linked == ["Photo": 1])
    #expect(try store.rows("SELECT * FROM comment WHERE id > 6") == ["7|photo|2|3|f2"])
    #expect(try store.clone("Comment", 1).linked == ["Post": 1])
    #expect(try store.rows("SELECT * FROM comment WHERE id > 7") == ["8|post|1|3|p1"])
    try store.clone("PostComment", 1, CloneRequest(set: ["post": 2]))
    #expect(try store.rows("SELECT * FROM comment WHERE id > 8") == ["9|post|2|1|p1"])
  }

  @Test func theGraphKeepsSiblingsApart() throws {
    let store = try StoreFixture(Self.comments, Self.commentTables)
    let graph = SQLiteGraph(store.writer, model: store.model)
    let photo = try graph.object("Photo", key: 1)
    let post = try graph.object("Post", key: 1)
    #expect(try photo.destinations("comments").map(\.id.key) == [2])
    #expect(try post.destinations("comments").map(\.id.key) == [3, 1])
    let made = try graph.insert("PhotoComment", ["photo": 1, "text": "new"])
    #expect(try photo.destinations("comments").map(\.id.key) == [2, made.id.key])
    try graph.delete(photo)
    #expect(try post.destinations("comments").map(\.id.key) == [3, 1])
    #expect(
      try store.rows("SELECT id, subject_id FROM comment WHERE subject_type = 'post'") == [
        "1|1", "3|1", "6|3",
      ])
  }

  @Test func aDatabaseNeedNotDeclareWhatItCannot() throws {
    let store = try StoreFixture(Self.comments, Self.commentTables)
    let found = try SQLiteGraph(store.writer, model: store.model).storeFindings()
    #expect(!found.contains { $0.code == .missingForeignKey })
    // A new store declares neither, and one index for both.
    let made = try SchemaWriter(store.model).statements()
    #expect(!made.contains { $0.contains("\"subject_id\") REFERENCES") })
    #expect(Set(made).count == made.count)
  }

  @Test func siblingsWithRelationshipsOfTheSameName() throws {
    let store = try StoreFixture(
      Self.comments.replacing(
        "{post: {destination: Post, inverse: comments",
        with: "{subject: {destination: Post, inverse: comments"
      )
      .replacing(
        "{photo: {destination: Photo, inverse: comments",
        with: "{subject: {destination: Photo, inverse: comments"
      )
      .replacing("inverse: post,", with: "inverse: subject,").replacing(
        "inverse: photo,", with: "inverse: subject,"),
      Self.commentTables)
    try store.clone("Album", 1)
    #expect(
      try store.rows(
        "SELECT subject_type, subject_id, text FROM comment WHERE id > 6 ORDER BY 1, 2, position")
        == ["photo|10|f1", "photo|11|f3", "photo|11|f2", "post|4|p2", "post|4|p1"])
    // Named by the base, the destination given is that of the entity met.
    try store.clone("Comment", 1, CloneRequest(set: ["subject": 3]))
    #expect(try store.rows("SELECT subject_type, subject_id FROM comment WHERE id = 12") == ["post|3"])
  }

  // MARK: Words

  @Test func theRelationshipThatLiesInAConstraintIsNamedOfThoseThatShareItsColumn() throws {
    let store = try StoreFixture(
      """
      entities:
        Tenant:
          attributes: {slug: String}
          relationships:
            members: {destination: Member, toMany: true, inverse: tenant}
            projects: {destination: Project, toMany: true, inverse: tenant}
        Member:
          primaryKey: [tenant_id, number]
          attributes: {number: Integer 64}
          relationships:
            tenant: {destination: Tenant, inverse: members}
            leads: {destination: Project, toMany: true, inverse: lead}
        Project:
          attributes: {code: String}
          relationships:
            tenant: {destination: Tenant, inverse: projects}
            lead: {destination: Member, optional: true, inverse: leads, column: [tenant_id, lead_id]}
      """,
      """
      CREATE TABLE tenant(id INTEGER PRIMARY KEY, slug TEXT);
      CREATE TABLE member(tenant_id INTEGER REFERENCES tenant, number INTEGER, PRIMARY KEY (tenant_id, number));
      CREATE TABLE project(id INTEGER PRIMARY KEY, tenant_id INTEGER NOT NULL REFERENCES tenant, lead_id INTEGER, code TEXT,
        UNIQUE (tenant_id, code), FOREIGN KEY (tenant_id, lead_id) REFERENCES member);
      INSERT INTO tenant VALUES (1, 'a'); INSERT INTO member VALUES (1, 1);
      INSERT INTO project VALUES (1, 1, 1, 'x'), (2, 1, NULL, 'y');
      """)
    let text = try store.refusal("Project", 1, CloneRequest(set: ["code": "y"]))?.failures.first?.message
    #expect(text?.hasPrefix("'tenant' and 'code' of Project") == true, "\(text ?? "")")
  }
}
