import MOCloneKit
import Testing

/// References of sibling sub-entities in one column, in keys, one-to-one, composite, required and optional.
@Suite struct PolymorphicTests {
  // MARK: In the key

  static let votes = """
    entities:
      Post:
        attributes: {title: String?}
        relationships: {votes: {destination: PostVote, toMany: true, inverse: post}}
      Photo:
        relationships: {votes: {destination: PhotoVote, toMany: true, inverse: photo}}
      Vote:
        abstract: true
        primaryKey: [kind, subject_id, voter]
        attributes:
          voter: Integer 64
          title: {type: String, optional: true, userInfo: {followParent: title, withoutParent: keep}}
        discriminator: {column: kind}
        relationships: {remarks: {destination: Remark, toMany: true, inverse: vote}}
      PostVote:
        parent: Vote
        discriminator: {value: post}
        relationships: {post: {destination: Post, inverse: votes, column: subject_id}}
      PhotoVote:
        parent: Vote
        discriminator: {value: photo}
        relationships: {photo: {destination: Photo, optional: true, inverse: votes, column: subject_id}}
      Remark:
        relationships: {vote: {destination: Vote, inverse: remarks, column: [kind, subject, voter]}}
    """
  static let voteTables = """
    CREATE TABLE post(id INTEGER PRIMARY KEY, title TEXT);
    CREATE TABLE photo(id INTEGER PRIMARY KEY);
    CREATE TABLE vote(kind TEXT, subject_id INTEGER, voter INTEGER, title TEXT, PRIMARY KEY(kind, subject_id, voter));
    CREATE TABLE remark(id INTEGER PRIMARY KEY, kind TEXT, subject INTEGER, voter INTEGER,
      FOREIGN KEY(kind, subject, voter) REFERENCES vote);
    INSERT INTO post VALUES (1, 'old'), (2, 'b');
    INSERT INTO photo VALUES (1), (2), (7);
    INSERT INTO vote VALUES ('post', 1, 5, 'x'), ('photo', 1, 5, 'y'), ('post', 1, 6, 'z'), ('photo', 7, 5, 'w');
    INSERT INTO remark VALUES (1, 'post', 1, 5), (2, 'photo', 1, 5), (3, 'photo', 7, 5);
    """

  @Test func aPartOfTheKeyIsMappedByEachConcreteEntity() throws {
    let store = try StoreFixture(Self.votes, Self.voteTables)
    let result = try store.clone("Post", 1, CloneRequest(set: ["title": "new"]))
    #expect(result.cloned == ["Post": 1, "PostVote": 2, "Remark": 1])
    #expect(try store.rows("SELECT * FROM vote WHERE subject_id = 3") == ["post|3|5|new", "post|3|6|new"])
    #expect(try store.rows("SELECT * FROM remark WHERE id > 3") == ["4|post|3|5"])
    try store.clone("Photo", 1, CloneRequest(count: 2))
    #expect(
      try store.rows("SELECT * FROM vote WHERE subject_id > 7") == ["photo|8|5|y", "photo|9|5|y"])
    #expect(try store.rows("SELECT * FROM remark WHERE id > 4") == ["5|photo|8|5", "6|photo|9|5"])
  }

  @Test func aVoteAloneNeedsAnotherSubject() throws {
    let store = try StoreFixture(Self.votes, Self.voteTables)
    #expect(try store.refusal("Vote", ["photo", 1, 5])?.code == .uniqueValue)
    let result = try store.clone("Vote", ["photo", 1, 5], CloneRequest(set: ["photo": 2]))
    #expect(result.root == ObjectID("PhotoVote", key: ["photo", 2, 5]))
    #expect(try store.rows("SELECT * FROM remark WHERE id > 3") == ["4|photo|2|5"])
  }

  @Test func theGraphInsertsKeysOfReferences() throws {
    let store = try StoreFixture(Self.votes, Self.voteTables)
    let graph = SQLiteGraph(store.writer, model: store.model)
    let vote = try graph.insert("PhotoVote", key: [9], ["photo": 2])
    #expect(vote.id.key == ["photo", 2, 9])
    #expect(try graph.object("Photo", key: 2).destinations("votes") == [vote])
    #expect(try graph.object("Post", key: 2).destinations("votes") == [])
  }

  // MARK: One-to-one, and a key of its own

  static let covers = """
    entities:
      Book:
        relationships:
          cover: {destination: BookCover, inverse: book}
          pages: {destination: Page, toMany: true, inverse: book}
      Page:
        relationships:
          book: {destination: Book, inverse: pages}
          cover: {destination: PageCover, optional: true, inverse: page}
      Cover:
        abstract: true
        discriminator: {column: kind}
        attributes: {text: String?}
      BookCover:
        parent: Cover
        relationships: {book: {destination: Book, inverse: cover, column: [{column: owner}]}}
      PageCover:
        parent: Cover
        relationships: {page: {destination: Page, optional: true, inverse: cover, column: [{column: owner}]}}
    """
  static let coverTables = """
    CREATE TABLE book(id INTEGER PRIMARY KEY);
    CREATE TABLE page(id INTEGER PRIMARY KEY, book_id INTEGER NOT NULL REFERENCES book(id));
    CREATE TABLE cover(id INTEGER PRIMARY KEY, kind TEXT, owner INTEGER, text TEXT);
    INSERT INTO book VALUES (1), (2);
    INSERT INTO page VALUES (1, 1), (2, 1), (3, 2);
    INSERT INTO cover VALUES (1, 'PageCover', 1, 'p'), (2, 'BookCover', 1, 'b'), (3, 'PageCover', 3, 'q'),
      (4, 'BookCover', 2, 'c');
    """

  @Test func relatedObjectsOfSiblings() throws {
    let store = try StoreFixture(Self.covers, Self.coverTables)
    #expect(try store.clone("Book", 1).cloned == ["Book": 1, "Page": 2, "BookCover": 1, "PageCover": 1])
    #expect(
      try store.rows("SELECT kind, owner, text FROM cover WHERE id > 4 ORDER BY kind") == [
        "BookCover|3|b", "PageCover|4|p",
      ])
    // A page's cover of the same number is no related object of the book.
    let error = try store.refusal("Book", 1, CloneRequest(exclude: ["Book.cover", "BookCover.book"]))
    #expect(error?.code == .requiredLeftEmpty)
    #expect(
      try store.clone("Page", 1, CloneRequest(exclude: ["cover", "PageCover.page"])).cloned == ["Page": 1])
    // A related object is never moved.
    try store.clone("Cover", 1)
    #expect(try store.rows("SELECT kind, owner FROM cover WHERE text = 'p' ORDER BY id").count == 3)
    #expect(try store.refusal("Cover", 1, CloneRequest(set: ["page": 3]))?.code == .uniqueValue)
    #expect(try store.clone("Cover", 1, CloneRequest(set: ["page": 2])).root.entity == "PageCover")
  }

  @Test func aRelatedObjectOfASiblingIsInNobodysWay() throws {
    let store = try StoreFixture(
      """
      entities:
        Book:
          relationships: {cover: {destination: BookCover, optional: true, inverse: subject}}
        Page:
          relationships: {covers: {destination: PageCover, toMany: true, inverse: subject}}
        Cover:
          abstract: true
        BookCover:
          parent: Cover
          relationships: {subject: {destination: Book, optional: true, inverse: cover, column: owner}}
        PageCover:
          parent: Cover
          relationships: {subject: {destination: Page, optional: true, inverse: covers, column: owner}}
      """,
      """
      CREATE TABLE book(id INTEGER PRIMARY KEY);
      CREATE TABLE page(id INTEGER PRIMARY KEY);
      CREATE TABLE cover(id INTEGER PRIMARY KEY, entity TEXT, owner INTEGER);
      INSERT INTO book VALUES (1), (2);
      INSERT INTO page VALUES (1), (2);
      INSERT INTO cover VALUES (1, 'BookCover', 1), (2, 'PageCover', 2);
      """)
    try store.clone("Cover", 2, CloneRequest(count: 2, set: ["subject": 1]))
    #expect(
      try store.rows("SELECT entity, owner FROM cover WHERE id > 2") == ["PageCover|1", "PageCover|1"])
    #expect(try store.refusal("Cover", 1, CloneRequest(set: ["subject": 1]))?.code == .uniqueValue)
  }

  // MARK: Composite

  @Test func compositeReferencesThatShareBothColumns() throws {
    let store = try StoreFixture(
      """
      entities:
        Tenant:
          relationships:
            posts: {destination: Post, toMany: true, inverse: tenant}
            photos: {destination: Photo, toMany: true, inverse: tenant}
        Post:
          primaryKey: [tenant_id, {column: id, generate: uuid}]
          relationships:
            tenant: {destination: Tenant, inverse: posts}
            comments: {destination: PostComment, toMany: true, inverse: post}
        Photo:
          primaryKey: [tenant_id, {column: id, generate: uuid}]
          relationships:
            tenant: {destination: Tenant, inverse: photos}
            comments: {destination: PhotoComment, toMany: true, inverse: photo}
        Comment:
          abstract: true
          attributes: {text: String?}
        PhotoComment:
          parent: Comment
          relationships: {photo: {destination: Photo, optional: true, inverse: comments, column: [tenant_id, subject_id], references: [tenant_id, id]}}
        PostComment:
          parent: Comment
          relationships: {post: {destination: Post, inverse: comments, column: [tenant_id, subject_id], references: [tenant_id, id]}}
      """,
      """
      CREATE TABLE tenant(id INTEGER PRIMARY KEY);
      CREATE TABLE post(tenant_id INTEGER NOT NULL, id TEXT NOT NULL, PRIMARY KEY(tenant_id, id));
      CREATE TABLE photo(tenant_id INTEGER NOT NULL, id TEXT NOT NULL, PRIMARY KEY(tenant_id, id));
      CREATE TABLE comment(id INTEGER PRIMARY KEY, entity TEXT, tenant_id INTEGER, subject_id TEXT, text TEXT);
      INSERT INTO tenant VALUES (1), (2);
      INSERT INTO post VALUES (1, 'a'), (2, 'a');
      INSERT INTO photo VALUES (1, 'a'), (2, 'a');
      INSERT INTO comment VALUES (1, 'PostComment', 1, 'a', 'x'), (2, 'PhotoComment', 1, 'a', 'y'),
        (3, 'PhotoComment', 2, 'a', 'z');
      """)
    #expect(try store.clone("Post", [1, "a"]).cloned == ["Post": 1, "PostComment": 1])
    #expect(
      try store.clone("Tenant", 1).cloned == [
        "Tenant": 1, "Post": 2, "Photo": 1, "PostComment": 2, "PhotoComment": 1,
      ])
    #expect(
      try store.rows(
        "SELECT c.entity, c.text FROM comment c JOIN photo p ON p.tenant_id = c.tenant_id AND p.id = c.subject_id "
          + "WHERE c.tenant_id = 3") == ["PhotoComment|y"])
    #expect(
      try store.rows(
        "SELECT c.entity, c.text FROM comment c JOIN post p ON p.tenant_id = c.tenant_id AND p.id = c.subject_id "
          + "WHERE c.tenant_id = 3") == ["PostComment|x", "PostComment|x"])
  }

  // MARK: Followers over the key

  @Test func aFollowerOfAPartOfTheKeyHasItsNewValue() throws {
    let store = try StoreFixture(
      """
      entities:
        Order:
          relationships: {details: {destination: Detail, toMany: true, inverse: order}}
        Detail:
          primaryKey: [order_id, line]
          attributes: {orderNumber: {type: Integer 64, column: order_id}, line: Integer 64}
          relationships:
            order: {destination: Order, inverse: details}
            remarks: {destination: Remark, toMany: true, inverse: detail}
        Remark:
          attributes:
            orderNumber: {type: Integer 64, column: number, userInfo: {followParent: Detail.orderNumber, withoutParent: keep}}
          relationships: {detail: {destination: Detail, inverse: remarks, column: [o, l]}}
      """,
      """
      CREATE TABLE "order"(id INTEGER PRIMARY KEY);
      CREATE TABLE detail(order_id INTEGER NOT NULL REFERENCES "order"(id), line INTEGER NOT NULL, PRIMARY KEY(order_id, line));
      CREATE TABLE remark(id INTEGER PRIMARY KEY, o INTEGER, l INTEGER, number INTEGER NOT NULL);
      INSERT INTO "order" VALUES (4), (10);
      INSERT INTO detail VALUES (10, 1), (10, 2);
      INSERT INTO remark VALUES (1, 10, 1, 10), (2, 10, 2, 10);
      """)
    try store.clone("Order", 10, CloneRequest(count: 2))
    #expect(
      try store.rows("SELECT o, l, number FROM remark WHERE id > 2") == [
        "11|1|11", "11|2|11", "12|1|12", "12|2|12",
      ])
    try store.clone("Detail", [10, 1], CloneRequest(set: ["order": 4]))
    #expect(try store.rows("SELECT o, l, number FROM remark WHERE id > 6") == ["4|1|4"])
  }
}
