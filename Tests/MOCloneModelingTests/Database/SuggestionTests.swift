import GRDB
import MOCloneKit
import MOCloneModeling
import Testing

@Suite("Suggestions for imported models")
struct SuggestionTests {
  private func suggestions(_ sql: String) throws -> [String] {
    let database = try ImportedDatabase(sql)
    let annotated = try ImportedDatabase(sql, annotated: true)
    try annotated.check()
    return database.draft.suggestions.map { suggestion in
      let place = [suggestion.path.components[1], suggestion.path.components[3]].joined(separator: ".")
      switch suggestion.edit {
      case .annotate(let key, let value): return "\(place) \(key): \(value)"
      case .derive(let derivation): return "\(place) derived: \(derivation.rawValue)"
      }
    }.sorted()
  }

  @Test func uniqueUUIDsAndDatesOfChangeAreMadeAnew() throws {
    let found = try suggestions(
      """
      CREATE TABLE note (id INTEGER PRIMARY KEY, uuid TEXT UNIQUE, created_at DATETIME, last_update DATETIME, deleted_at DATETIME, due DATE);
      INSERT INTO note VALUES (1, '1B4E28BA-2FA1-11D2-883F-0016D3CCA427', '2024-01-01 10:00:00', '2024-01-01 10:00:00', NULL, '2024-01-01');
      """)
    #expect(
      found == ["Note.createdAt rebuild: now", "Note.lastUpdate rebuild: now", "Note.uuid rebuild: uuid"])
  }

  /// Nothing shows how an app writes dates that no row has; the other dates are what is told of the row.
  @Test func datesThatAreDataAreKept() throws {
    let found = try suggestions(
      """
      CREATE TABLE sensor (id INTEGER PRIMARY KEY, name TEXT, created DATETIME, updated_at DATETIME, changed_at DATETIME);
      CREATE TABLE state (id INTEGER PRIMARY KEY, sensor_id INTEGER NOT NULL REFERENCES sensor, created_at DATETIME NOT NULL);
      CREATE TABLE door (id INTEGER PRIMARY KEY, last_changed DATETIME, last_updated DATETIME, created_at DATETIME);
      INSERT INTO sensor VALUES (1, 'a', NULL, NULL, NULL), (2, 'b', NULL, '2024-01-01 10:00:00', '2024-01-01 10:00:00');
      INSERT INTO state VALUES (1, 1, '2024-01-01 10:00:00');
      INSERT INTO door VALUES (1, '2024-01-01 10:00:00', '2024-01-01 10:00:00', '2024-01-01 10:00:00');
      """)
    #expect(found == ["Door.createdAt rebuild: now", "Sensor.updatedAt rebuild: now"])
  }

  /// A task that was finished before it is cloned would be refused with a new date.
  @Test func datesThatACheckComparesAreKept() throws {
    let database = try ImportedDatabase(
      """
      CREATE TABLE task (id INTEGER PRIMARY KEY, created_at DATETIME NOT NULL CHECK (created_at > '2000'), updated_at DATETIME,
        finished_at DATETIME, CHECK (finished_at >= updated_at));
      INSERT INTO task VALUES (1, '2024-01-01 10:00:00', '2024-01-01 10:00:00', '2024-01-02 10:00:00');
      """, annotated: true)
    #expect(try database.attribute("createdAt", of: "Task").userInfo == ["rebuild": "now"])
    let compared = try database.attribute("updatedAt", of: "Task")
    #expect(compared.userInfo.isEmpty)
    #expect(
      database.draft.comments[.attribute(compared)] == [
        "A CHECK reads it together with 'finished_at', so clones keep the date."
      ])
  }

  @Test func uniqueValuesThatMayBeEmptyAreLeftOut() throws {
    let found = try suggestions(
      "CREATE TABLE user (id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE, nick TEXT UNIQUE)")
    #expect(found == ["User.nick exclude: "])
  }

  /// Nulls are equal to nothing, so an index that leaves them out keeps apart no fewer rows.
  /// Copies into another store would leave out the rows without them.
  @Test func whatAnIndexThatLeavesOutNullsKeepsUniqueIsNoIdentity() throws {
    let sql = """
      CREATE TABLE user (id INTEGER PRIMARY KEY, uri TEXT, host TEXT, name TEXT, is_local INTEGER);
      CREATE TABLE badge (id INTEGER PRIMARY KEY, user_id INTEGER REFERENCES user ON DELETE CASCADE);
      CREATE UNIQUE INDEX a ON user (uri) WHERE uri IS NOT NULL;
      CREATE UNIQUE INDEX b ON user (host, name) WHERE (host IS NOT NULL) AND name IS NOT NULL;
      CREATE UNIQUE INDEX c ON user (name) WHERE is_local IS NOT NULL;
      CREATE UNIQUE INDEX d ON badge (user_id) WHERE user_id IS NOT NULL;
      INSERT INTO user VALUES (1, 'a', NULL, 'a', NULL); INSERT INTO badge VALUES (1, 1);
      """
    #expect(try suggestions(sql).contains("User.uri exclude: "))
    let database = try ImportedDatabase(sql, annotated: true)
    #expect(try database.entity("User").uniquenessConstraints.isEmpty)
    #expect(try !database.relationship("badge", of: "User").isToMany)
    let cloned = try Cloner().clone("User", keys: [1], in: database.graph).cloned
    #expect(cloned == ["User": 1, "Badge": 1])
  }

  /// Without it every clone of a team that has players would be refused, so it is more than a suggestion.
  @Test func rowsThatWouldRepeatUniqueValuesAreNotTakenAlong() throws {
    let database = try ImportedDatabase(
      """
      CREATE TABLE team (id INTEGER PRIMARY KEY);
      CREATE TABLE player (id INTEGER PRIMARY KEY, team_id INTEGER NOT NULL REFERENCES team, passport TEXT NOT NULL UNIQUE);
      CREATE TABLE coach (id INTEGER PRIMARY KEY, team_id INTEGER NOT NULL REFERENCES team, uuid TEXT NOT NULL UNIQUE);
      INSERT INTO coach VALUES (1, 1, '1B4E28BA-2FA1-11D2-883F-0016D3CCA427');
      """)
    #expect(database.draft.suggestions.isEmpty)
    let players = try database.relationship("players", of: "Team")
    #expect(players.userInfo == ["exclude": ""])
    #expect(
      database.draft.comments[.relationship(players)] == [
        "copies of these rows would repeat unique values: 'passport'"
      ])
    #expect(try database.attribute("uuid", of: "Coach").userInfo == ["rebuild": "uuid"])
    #expect(try database.relationship("coaches", of: "Team").userInfo.isEmpty)
  }

  /// Only what a column is computed from can be given or made anew.
  @Test func rowsWhoseUniqueValuesAreComputedFromCopiedOnesAreNotTakenAlong() throws {
    let found = try suggestions(
      """
      CREATE TABLE site (id INTEGER PRIMARY KEY, name TEXT NOT NULL, slug TEXT AS (lower(name)) STORED UNIQUE);
      CREATE TABLE block (id INTEGER PRIMARY KEY, site_id INTEGER NOT NULL REFERENCES site ON DELETE CASCADE, name TEXT NOT NULL,
        path TEXT AS ('b/' || lower(name)) STORED UNIQUE);
      CREATE TABLE page (id INTEGER PRIMARY KEY, site_id INTEGER NOT NULL REFERENCES site ON DELETE CASCADE,
        path TEXT AS ('p/' || id) VIRTUAL UNIQUE);
      INSERT INTO site(id, name) VALUES (1, 'A'); INSERT INTO block(site_id, name) VALUES (1, 'one'), (1, 'two');
      INSERT INTO page(site_id) VALUES (1);
      """)
    #expect(found == ["Site.blocks exclude: "])
  }

  /// A library's clone makes the keys of its items new, and an item's clone does not make those of the items of its notes.
  @Test func rowsOfWhichEachNeedsAnotherUniqueRowAreNotTakenAlong() throws {
    let sql = """
      CREATE TABLE library (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE item (id INTEGER PRIMARY KEY, library_id INTEGER NOT NULL REFERENCES library ON DELETE CASCADE,
        code TEXT NOT NULL, UNIQUE (library_id, code));
      CREATE TABLE note (item_id INTEGER PRIMARY KEY REFERENCES item ON DELETE CASCADE,
        parent_id INTEGER REFERENCES item ON DELETE CASCADE);
      INSERT INTO library VALUES (1, 'a'); INSERT INTO item VALUES (1, 1, 'a'), (2, 1, 'b');
      INSERT INTO note VALUES (2, 1);
      """
    #expect(try suggestions(sql) == ["Item.parentNotes exclude: "])
    let database = try ImportedDatabase(sql, annotated: true)
    let request = CloneRequest(set: ["code": "c"])
    let item = try Cloner().clone("Item", keys: [1], in: database.graph, request: request).cloned
    #expect(item == ["Item": 1])
    let library = try Cloner().clone("Library", keys: [1], in: database.graph).cloned
    #expect(library == ["Library": 1, "Item": 3, "Note": 1])
  }

  @Test func whatAnObjectPointsToIsNoRecordOfIt() throws {
    let found = try suggestions(
      """
      CREATE TABLE page(id INTEGER PRIMARY KEY, title TEXT NOT NULL, current_revision_id INTEGER REFERENCES revision);
      CREATE TABLE revision(id INTEGER PRIMARY KEY, page_id INTEGER NOT NULL REFERENCES page ON DELETE CASCADE, body TEXT);
      INSERT INTO page VALUES (1, 'Home', NULL); INSERT INTO revision VALUES (1, 1, 'a'); UPDATE page SET current_revision_id = 1;
      """)
    #expect(found == ["Revision.pages exclude: "])
  }

  /// An order's clone has addresses of its own, and an address that is cloned by itself no order.
  @Test func whatAnObjectHasInARoleIsTakenAlong() throws {
    let sql = """
      CREATE TABLE address (id INTEGER PRIMARY KEY, street TEXT NOT NULL);
      CREATE TABLE orders (id INTEGER PRIMARY KEY, billing_id INTEGER NOT NULL UNIQUE REFERENCES address,
        shipping_id INTEGER UNIQUE REFERENCES address);
      CREATE TABLE image (id INTEGER PRIMARY KEY, path TEXT NOT NULL);
      CREATE TABLE user (id INTEGER PRIMARY KEY, avatar_id INTEGER UNIQUE REFERENCES image ON DELETE SET NULL);
      INSERT INTO address VALUES (1, 'a'), (2, 'b'), (3, 'c'); INSERT INTO orders VALUES (1, 1, 2), (2, 3, NULL);
      INSERT INTO image VALUES (1, 'a.png'); INSERT INTO user VALUES (1, 1), (2, NULL);
      """
    #expect(
      try suggestions(sql) == [
        "Address.billingOrder exclude: ", "Address.shippingOrder exclude: ", "Image.user exclude: ",
        "Order.billing onClone: clone", "Order.shipping onClone: clone", "User.avatar onClone: clone",
      ])
    let graph = try ImportedDatabase(sql, annotated: true).graph
    #expect(try Cloner().clone("Order", keys: [1], in: graph).cloned == ["Order": 1, "Address": 2])
    #expect(try Cloner().clone("User", keys: [1], in: graph).cloned == ["User": 1, "Image": 1])
    #expect(try Cloner().clone("Address", keys: [1], in: graph).cloned == ["Address": 1])
  }

  /// A profile belongs to its user, a lead has more than the team, and what is paid is not done again.
  @Test(arguments: [
    "owner_id INTEGER NOT NULL UNIQUE REFERENCES user", "user_id INTEGER UNIQUE REFERENCES user",
    "picture_id INTEGER UNIQUE REFERENCES image ON DELETE CASCADE", "head_id INTEGER UNIQUE REFERENCES lead",
    "last_id INTEGER UNIQUE REFERENCES payment",
  ])
  func whatOwnsAnObjectOrIsNoPartIsNotTakenAlong(_ column: String) throws {
    let found = try suggestions(
      """
      CREATE TABLE user (id INTEGER PRIMARY KEY, name TEXT); CREATE TABLE image (id INTEGER PRIMARY KEY, path TEXT);
      CREATE TABLE lead (id INTEGER PRIMARY KEY, name TEXT); CREATE TABLE payment (id INTEGER PRIMARY KEY, amount REAL);
      CREATE TABLE phone (id INTEGER PRIMARY KEY, lead_id INTEGER NOT NULL REFERENCES lead ON DELETE CASCADE);
      CREATE TABLE team (id INTEGER PRIMARY KEY, \(column));
      """)
    #expect(!found.contains { $0.contains("onClone") }, "\(found)")
  }

  /// A version that is cloned is one more of its document.
  @Test func whatAnObjectNamesAmongItsPartsDoesNotTakeItAlong() throws {
    let sql = """
      CREATE TABLE doc (id INTEGER PRIMARY KEY, title TEXT, current_id INTEGER UNIQUE REFERENCES version ON DELETE SET NULL);
      CREATE TABLE version (id INTEGER PRIMARY KEY, doc_id INTEGER NOT NULL REFERENCES doc ON DELETE CASCADE, body TEXT);
      INSERT INTO doc VALUES (1, 'a', 2); INSERT INTO version VALUES (1, 1, 'x'), (2, 1, 'y');
      """
    #expect(try suggestions(sql) == ["Doc.current onClone: clone", "Version.currentDoc exclude: "])
    let database = try ImportedDatabase(sql, annotated: true)
    #expect(try Cloner().clone("Doc", keys: [1], in: database.graph).cloned == ["Doc": 1, "Version": 2])
    let current = try database.queue.read {
      try String.fetchAll($0, sql: "SELECT body FROM doc JOIN version ON version.id = current_id")
    }
    #expect(current == ["y", "y"])
    #expect(try Cloner().clone("Version", keys: [2], in: database.graph).cloned == ["Version": 1])
  }

  @Test func neitherOfTwoOfAKindTakesTheOtherAlong() throws {
    let sql = """
      CREATE TABLE person (id INTEGER PRIMARY KEY, spouse_id INTEGER UNIQUE REFERENCES person ON DELETE SET NULL);
      CREATE TABLE phone (id INTEGER PRIMARY KEY, person_id INTEGER NOT NULL REFERENCES person ON DELETE CASCADE);
      INSERT INTO person VALUES (1, 2), (2, 1); INSERT INTO phone VALUES (1, 1), (2, 2);
      """
    let found = try suggestions(sql)
    #expect(found.count == 2 && found.contains("Person.spouse exclude: "), "\(found)")
    let graph = try ImportedDatabase(sql, annotated: true).graph
    #expect(try Cloner().clone("Person", keys: [1], in: graph).cloned == ["Person": 1, "Phone": 1])
  }

  /// The one before is no other owner of a page, and the links between the pages of a project are copied with it.
  @Test func aChainComesAlongWithItsOwner() throws {
    let sql = """
      CREATE TABLE project (id INTEGER PRIMARY KEY, home_page_id INTEGER NOT NULL REFERENCES page DEFERRABLE INITIALLY DEFERRED);
      CREATE TABLE page (id INTEGER PRIMARY KEY, project_id INTEGER NOT NULL REFERENCES project ON DELETE CASCADE,
        previous_id INTEGER UNIQUE REFERENCES page ON DELETE SET NULL);
      INSERT INTO project VALUES (1, 1), (2, 3); INSERT INTO page VALUES (1, 1, NULL), (2, 1, 1), (3, 2, NULL);
      """
    #expect(try !suggestions(sql).contains("Project.pages exclude: "))
    let database = try ImportedDatabase(sql, annotated: true)
    #expect(try Cloner().clone("Project", keys: [1], in: database.graph).cloned == ["Project": 1, "Page": 2])
    let links = try database.queue.read {
      try Int.fetchOne($0, sql: "SELECT count(*) FROM page WHERE project_id = 3 AND previous_id > 3")
    }
    #expect(links == 1)
  }

  @Test func receiptsWithoutAnAmountAreNoDocuments() throws {
    let found = try suggestions(
      """
      CREATE TABLE message(id INTEGER PRIMARY KEY, body TEXT NOT NULL);
      CREATE TABLE receipt(id INTEGER PRIMARY KEY, message_id INTEGER NOT NULL REFERENCES message, read_at TEXT);
      CREATE TABLE purchase(id INTEGER PRIMARY KEY, shop TEXT NOT NULL);
      CREATE TABLE till_receipt(id INTEGER PRIMARY KEY, purchase_id INTEGER NOT NULL REFERENCES purchase, total_cents INTEGER);
      """)
    #expect(found == ["Purchase.tillReceipts exclude: "])
  }

  @Test func whatIsPaidIsADocumentAlsoWhereItsOwnerPointsToTheLast() throws {
    let found = try suggestions(
      """
      CREATE TABLE orders(id INTEGER PRIMARY KEY, name TEXT NOT NULL, last_payment_id INTEGER REFERENCES payment);
      CREATE TABLE payment(id INTEGER PRIMARY KEY, order_id INTEGER NOT NULL REFERENCES orders, amount INTEGER);
      """)
    #expect(found.contains("Order.payments exclude: "))
  }

  /// A clone of a question would add options to other questions.
  @Test func rowsThatOnlyMentionAnObjectStayWithTheirOwner() throws {
    let found = try suggestions(
      """
      CREATE TABLE question(id INTEGER PRIMARY KEY, title TEXT NOT NULL);
      CREATE TABLE option(id INTEGER PRIMARY KEY, label TEXT NOT NULL,
        question_id INTEGER NOT NULL REFERENCES question ON DELETE CASCADE,
        jump_to_question_id INTEGER REFERENCES question ON DELETE SET NULL);
      INSERT INTO question VALUES (1, 'a'), (2, 'b'); INSERT INTO option VALUES (1, 'yes', 1, 2);
      """)
    #expect(found == ["Question.jumpToOptions exclude: "])
  }

  /// The first constraint is the identity.
  @Test func whatEveryRowHasIdentifiesIt() throws {
    let database = try ImportedDatabase(
      """
      CREATE TABLE user(id INTEGER PRIMARY KEY, tenant INTEGER NOT NULL, email TEXT NOT NULL, reset_token TEXT UNIQUE,
        reverses INTEGER UNIQUE REFERENCES user, UNIQUE(tenant, email));
      """)
    #expect(
      database.model.entity("User")?.uniquenessConstraints == [
        ["tenant", "email"], ["resetToken"], ["reverses"],
      ])
  }

  @Test func whatIsUniqueForOneOfSeveralTablesIdentifiesItsSubEntities() throws {
    let database = try ImportedDatabase(
      """
      CREATE TABLE tag(id INTEGER PRIMARY KEY, name TEXT NOT NULL); CREATE TABLE post(id INTEGER PRIMARY KEY, title TEXT);
      CREATE TABLE photo(id INTEGER PRIMARY KEY, path TEXT);
      CREATE TABLE tagging(id INTEGER PRIMARY KEY, tag_id INTEGER NOT NULL REFERENCES tag, taggable_type TEXT NOT NULL,
        taggable_id INTEGER NOT NULL, UNIQUE(tag_id, taggable_type, taggable_id));
      INSERT INTO tag VALUES (1, 'red'), (2, 'red'), (3, 'blue'); INSERT INTO post VALUES (1, 'a'); INSERT INTO photo VALUES (1, 'p');
      INSERT INTO tagging VALUES (1, 1, 'Post', 1), (2, 2, 'Post', 1), (3, 2, 'Photo', 1), (4, 3, 'Post', 1);
      """)
    try database.check()
    #expect(database.model.entity("PostTagging")?.uniquenessConstraints == [["tag", "taggable"]])
    try database.graph.dedupe(DedupeRequest(entities: ["Tag"], identifiedBy: ["Tag": ["name"]]))
    let rows = try database.queue.read {
      try String.fetchAll(
        $0, sql: "SELECT name || taggable_type FROM tagging JOIN tag ON tag.id = tag_id ORDER BY 1")
    }
    #expect(rows == ["bluePost", "redPhoto", "redPost"])
  }

  @Test func datesWithoutFractionsAreWrittenWithoutThem() throws {
    let database = try ImportedDatabase(
      """
      CREATE TABLE note(id INTEGER PRIMARY KEY, a DATETIME, b TEXT, c DATETIME, d TEXT);
      INSERT INTO note VALUES (1, '2024-01-31 10:00:00', '2024-01-31T10:00:00Z', '2024-01-31 10:00:00.000', '2024-01-31T10:00:00');
      """)
    try database.check()
    let mapping = SchemaMapping(database.model)["Note"]
    let forms = ["a", "b", "c", "d"].map { mapping.attributes[$0]?.dates.rawValue }
    #expect(forms == ["sqliteSeconds", "iso8601Seconds", "sqlite", "iso8601"])
  }

  @Test func logsAndInvoicesAreNotTakenAlong() throws {
    let found = try suggestions(
      """
      CREATE TABLE customer (id INTEGER PRIMARY KEY); CREATE TABLE invoices (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customer);
      CREATE TABLE audit_log (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customer);
      CREATE TABLE address (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customer);
      """)
    #expect(found == ["Customer.auditLogs exclude: ", "Customer.invoices exclude: "])
  }

  @Test func whatPlainlyBelongsToOneIsNotTakenAlongWithAnother() throws {
    let found = try suggestions(
      """
      CREATE TABLE orders (id INTEGER PRIMARY KEY); CREATE TABLE product (id INTEGER PRIMARY KEY, name TEXT, price REAL, weight REAL);
      CREATE TABLE order_line (id INTEGER PRIMARY KEY, order_id INTEGER NOT NULL REFERENCES orders, product_id INTEGER NOT NULL REFERENCES product, quantity INTEGER);
      """)
    #expect(found == ["Product.orderLines exclude: "])
  }

  @Test(arguments: ["film_actor", "films_actors", "actor_film_map"])
  func rowsThatBelongToBothAreTakenAlongWithBoth(_ table: String) throws {
    let found = try suggestions(
      """
      CREATE TABLE film (id INTEGER PRIMARY KEY, a TEXT, b TEXT, c TEXT); CREATE TABLE actor (id INTEGER PRIMARY KEY, a TEXT, b TEXT, c TEXT);
      CREATE TABLE \(table) (id INTEGER PRIMARY KEY, film_id INTEGER NOT NULL REFERENCES film, actor_id INTEGER NOT NULL REFERENCES actor, role TEXT);
      """)
    #expect(found.isEmpty)
  }

  /// The teams of a copied organization would have the members of the original one.
  @Test func linksToRowsThatStayWithTheirOtherOwnerAreLeftOut() throws {
    let found = try suggestions(
      """
      CREATE TABLE person (id INTEGER PRIMARY KEY, email TEXT, name TEXT, phone TEXT);
      CREATE TABLE organization (id INTEGER PRIMARY KEY, name TEXT, city TEXT, phone TEXT);
      CREATE TABLE membership (id INTEGER PRIMARY KEY, person_id INTEGER NOT NULL REFERENCES person,
        org_id INTEGER NOT NULL REFERENCES organization, level INTEGER);
      CREATE TABLE team (id INTEGER PRIMARY KEY, organization_id INTEGER NOT NULL REFERENCES organization, name TEXT);
      CREATE TABLE team_members (team_id INTEGER NOT NULL REFERENCES team, membership_id INTEGER NOT NULL REFERENCES membership,
        UNIQUE (team_id, membership_id));
      """)
    #expect(found == ["Organization.memberships exclude: ", "Team.memberships exclude: "])
  }

  /// A clone of a batch alone would be empty otherwise, and one of a user lack what is in no batch.
  @Test func rowsOfAnOwnerAndOfWhatItOwnsAreTakenAlongWithBoth() throws {
    let found = try suggestions(
      """
      CREATE TABLE user (id INTEGER PRIMARY KEY, email TEXT, name TEXT, phone TEXT);
      CREATE TABLE currency (id INTEGER PRIMARY KEY, code TEXT, name TEXT, symbol TEXT);
      CREATE TABLE batch (id INTEGER PRIMARY KEY, user_id INTEGER NOT NULL REFERENCES user ON DELETE CASCADE, title TEXT);
      CREATE TABLE journal (id INTEGER PRIMARY KEY, user_id INTEGER NOT NULL REFERENCES user ON DELETE CASCADE,
        batch_id INTEGER REFERENCES batch ON DELETE CASCADE, currency_id INTEGER REFERENCES currency ON DELETE CASCADE, text TEXT);
      """)
    #expect(found == ["Currency.journals exclude: "])
  }

  /// A project's clone stays in the namespace, where the numbers are taken.
  @Test func rowsThatAreUniqueWithinAnOwnerAreLeftOutByItsParts() throws {
    let sql = """
      CREATE TABLE namespace (id INTEGER PRIMARY KEY, name TEXT, place TEXT, phone TEXT);
      CREATE TABLE project (id INTEGER PRIMARY KEY, namespace_id INTEGER NOT NULL REFERENCES namespace ON DELETE CASCADE);
      CREATE TABLE issue (id INTEGER PRIMARY KEY, project_id INTEGER REFERENCES project ON DELETE CASCADE,
        namespace_id INTEGER NOT NULL REFERENCES namespace ON DELETE CASCADE, number INTEGER, UNIQUE (namespace_id, number));
      INSERT INTO namespace (name) VALUES ('a'); INSERT INTO project VALUES (1, 1), (2, 1);
      INSERT INTO issue VALUES (1, 1, 1, 1), (2, 2, 1, 2);
      """
    #expect(try suggestions(sql) == ["Project.issues exclude: "])
    let database = try ImportedDatabase(sql, annotated: true)
    let list = try database.relationship("issues", of: "Project")
    #expect(
      database.draft.comments[.relationship(list)] == [
        "an Issue is cloned with its Namespace: copies here would repeat values that are unique there"
      ])
    let cloned = try Cloner().clone("Namespace", keys: [1], in: database.graph).cloned
    #expect(cloned == ["Namespace": 1, "Project": 2, "Issue": 2])
    #expect(try database.cloneEach().keys.sorted() == ["Issue"])
  }

  @Test func rowsOfOneOwnerOrTheOtherAreTakenAlongWithEach() throws {
    let sql = """
      CREATE TABLE namespace (id INTEGER PRIMARY KEY, name TEXT, place TEXT, phone TEXT);
      CREATE TABLE project (id INTEGER PRIMARY KEY, namespace_id INTEGER NOT NULL REFERENCES namespace ON DELETE CASCADE);
      CREATE TABLE milestone (id INTEGER PRIMARY KEY, title TEXT, project_id INTEGER REFERENCES project ON DELETE CASCADE,
        group_id INTEGER REFERENCES namespace ON DELETE CASCADE, CHECK ((project_id IS NULL) <> (group_id IS NULL)));
      INSERT INTO namespace (name) VALUES ('a'); INSERT INTO project VALUES (1, 1);
      INSERT INTO milestone VALUES (1, 'a', 1, NULL), (2, 'b', NULL, 1);
      """
    #expect(try suggestions(sql).isEmpty)
    let database = try ImportedDatabase(sql, annotated: true)
    let cloned = try Cloner().clone("Namespace", keys: [1], in: database.graph).cloned
    #expect(cloned == ["Namespace": 1, "Project": 1, "Milestone": 2])
  }

  /// They are its splits; what an account booked stays with the account.
  @Test func whatAJournalConsistsOfIsNoRecord() throws {
    let found = try suggestions(
      """
      CREATE TABLE account (id INTEGER PRIMARY KEY, name TEXT, email TEXT, phone TEXT);
      CREATE TABLE transaction_journal (id INTEGER PRIMARY KEY, title TEXT, place TEXT, phone TEXT);
      CREATE TABLE transactions (id INTEGER PRIMARY KEY, account_id INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
        transaction_journal_id INTEGER NOT NULL REFERENCES transaction_journal ON DELETE CASCADE, amount REAL NOT NULL);
      """)
    #expect(found == ["Account.transactions exclude: "])
  }

  /// A trip's clone would come to another trip, whose cover is one of its photos.
  @Test(arguments: ["trip_id INTEGER PRIMARY KEY", "id INTEGER PRIMARY KEY, trip_id INTEGER NOT NULL UNIQUE"])
  func theOnlyRowOfAnOwnerIsNotTakenAlongWithItsOtherParts(_ key: String) throws {
    let sql = """
      CREATE TABLE trip (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
      CREATE TABLE photo (id INTEGER PRIMARY KEY, trip_id INTEGER NOT NULL REFERENCES trip ON DELETE CASCADE);
      CREATE TABLE cover (\(key) REFERENCES trip ON DELETE CASCADE,
        photo_id INTEGER NOT NULL REFERENCES photo ON DELETE CASCADE);
      INSERT INTO trip VALUES (1, 'a'), (2, 'b'); INSERT INTO photo VALUES (1, 1), (2, 1), (3, 2);
      INSERT INTO cover (trip_id, photo_id) VALUES (1, 2), (2, 1);
      """
    #expect(try suggestions(sql) == ["Photo.covers exclude: "])
    let database = try ImportedDatabase(sql, annotated: true)
    let cloned = try Cloner().clone("Trip", keys: [1], in: database.graph).cloned
    #expect(cloned == ["Trip": 1, "Photo": 2, "Cover": 1])
  }

  private static let posts = """
    CREATE TABLE account (id INTEGER PRIMARY KEY, name TEXT, email TEXT, phone TEXT);
    CREATE TABLE post (id INTEGER PRIMARY KEY, account_id INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
      reply_to_id INTEGER REFERENCES post ON DELETE SET NULL, boosted_id INTEGER REFERENCES post ON DELETE CASCADE);
    INSERT INTO account (name) VALUES ('a'), ('b'); INSERT INTO post VALUES (1, 1, NULL, NULL), (2, 1, 1, 1);

    """

  @Test(arguments: [
    ("", [String]()),
    ("INSERT INTO post VALUES (3, 2, 1, NULL)", ["Post.replies exclude: "]),
    ("INSERT INTO post VALUES (3, 2, NULL, 1)", ["Post.boostedPosts exclude: "]),
  ])
  func rowsOfOthersThatReferToARowAreNotTakenAlong(_ more: String, _ expected: [String]) throws {
    #expect(try suggestions(Self.posts + more) == expected)
  }

  /// A copied post has the whole thread, and a copied comment its replies.
  @Test func repliesInAThreadAreTakenAlong() throws {
    let found = try suggestions(
      """
      CREATE TABLE user (id INTEGER PRIMARY KEY, name TEXT, email TEXT, phone TEXT);
      CREATE TABLE post (id INTEGER PRIMARY KEY, title TEXT, place TEXT, phone TEXT);
      CREATE TABLE post_comment (id INTEGER PRIMARY KEY, post_id INTEGER NOT NULL REFERENCES post ON DELETE CASCADE,
        user_id INTEGER NOT NULL REFERENCES user ON DELETE CASCADE, parent_id INTEGER REFERENCES post_comment);
      INSERT INTO user (name) VALUES ('a'), ('b'); INSERT INTO post (title) VALUES ('a');
      INSERT INTO post_comment VALUES (1, 1, 1, NULL), (2, 1, 2, 1);
      """)
    #expect(found == ["User.postComments exclude: "])
  }

  /// The parts of an order belong to it, whatever they are.
  @Test(arguments: [
    ("label", "label_links", "owner_id, item_type, item_id", true),
    ("tags", "taggings", "owner_id, item_type, item_id", true),
    ("user", "member", "item_type, item_id, owner_id", true),
    ("orders", "line", "owner_id, item_type, item_id", false),
  ])
  func rowsThatAreOnOneOfSeveralTablesBelongToIt(
    _ other: String, _ table: String, _ columns: String, _ isTakenAlong: Bool
  ) throws {
    let types = [
      "item_type": "item_type TEXT", "item_id": "item_id INTEGER",
      "owner_id": "owner_id INTEGER REFERENCES \(other) ON DELETE CASCADE",
    ]
    let declared = columns.split(separator: ", ").compactMap { types[String($0)] }.joined(separator: ", ")
    let database = try ImportedDatabase(
      """
      CREATE TABLE \(other) (id INTEGER PRIMARY KEY, title TEXT, place TEXT, phone TEXT);
      CREATE TABLE issue (id INTEGER PRIMARY KEY, title TEXT);
      CREATE TABLE photo (id INTEGER PRIMARY KEY, path TEXT);
      CREATE TABLE \(table) (id INTEGER PRIMARY KEY, \(declared));
      INSERT INTO \(other) (id) VALUES (1); INSERT INTO issue VALUES (1, 'a'); INSERT INTO photo VALUES (1, 'p');
      INSERT INTO \(table) (owner_id, item_type, item_id) VALUES (1, 'Issue', 1), (1, 'Photo', 1);
      """, annotated: true)
    try database.check()
    let cloned = try Cloner().clone("Issue", keys: [1], in: database.graph).cloned
    #expect(cloned.count == (isTakenAlong ? 2 : 1), "\(database.draft.yaml)")
  }

  @Test func theKindOfRowsIsNotTheirOwner() throws {
    let found = try suggestions(
      """
      CREATE TABLE entry (id INTEGER PRIMARY KEY, title TEXT, body TEXT, place TEXT);
      CREATE TABLE link_type (id INTEGER PRIMARY KEY, name TEXT, outward TEXT, inward TEXT);
      CREATE TABLE connection (id INTEGER PRIMARY KEY, link_type_id INTEGER NOT NULL REFERENCES link_type ON DELETE CASCADE,
        source_id INTEGER NOT NULL REFERENCES entry ON DELETE CASCADE, target_id INTEGER NOT NULL REFERENCES entry ON DELETE CASCADE,
        UNIQUE (link_type_id, source_id, target_id));
      """)
    #expect(found == ["LinkType.connections exclude: "])
  }

  @Test func whatIsNumberedWithinAnOwnerBelongsToIt() throws {
    let found = try suggestions(
      """
      CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, email TEXT, phone TEXT);
      CREATE TABLE game (id INTEGER PRIMARY KEY, title TEXT, place TEXT, day TEXT);
      CREATE TABLE score (game_id INTEGER NOT NULL REFERENCES game ON DELETE CASCADE, round INTEGER NOT NULL,
        player_id INTEGER NOT NULL REFERENCES player ON DELETE CASCADE, points INTEGER, PRIMARY KEY (game_id, round));
      """)
    #expect(found == ["Player.scores exclude: "])
  }

  /// With any other owner the rows would keep their key, however plainly they go when that owner goes.
  @Test func rowsWhoseKeyBeginsWithAnOwnerAreTakenAlongWithThatOneOnly() throws {
    let sql = """
      CREATE TABLE room (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
      CREATE TABLE booking (a_id INTEGER NOT NULL REFERENCES room ON DELETE RESTRICT, day DATE NOT NULL,
        b_id INTEGER NOT NULL REFERENCES room ON DELETE CASCADE, note TEXT, PRIMARY KEY (a_id, day));
      INSERT INTO room VALUES (1, 'a'), (2, 'b'), (3, 'c');
      INSERT INTO booking VALUES (1, '2020-01-01', 2, NULL), (2, '2020-01-02', 1, NULL), (3, '2020-01-03', 1, NULL);
      """
    #expect(try suggestions(sql) == ["Room.bBookings exclude: "])
    let database = try ImportedDatabase(sql, annotated: true)
    #expect(try database.cloneEach().keys.sorted() == ["Booking"])
    #expect(try Cloner().clone("Room", keys: [1], in: database.graph).cloned == ["Room": 1, "Booking": 1])
  }

  /// A copied project has new roles and stages, so no pair of them is there already.
  @Test func rowsWhoseUniqueReferencesAllComeAlongAreTakenAlong() throws {
    let sql = """
      CREATE TABLE project (id INTEGER PRIMARY KEY, name TEXT, place TEXT, phone TEXT);
      CREATE TABLE stage (id INTEGER PRIMARY KEY, project_id INTEGER NOT NULL REFERENCES project ON DELETE CASCADE);
      CREATE TABLE role (id INTEGER PRIMARY KEY, project_id INTEGER NOT NULL REFERENCES project ON DELETE CASCADE);
      CREATE TABLE restriction (id INTEGER PRIMARY KEY, project_id INTEGER NOT NULL REFERENCES project ON DELETE CASCADE,
        role_id INTEGER NOT NULL REFERENCES role ON DELETE CASCADE, stage_id INTEGER NOT NULL REFERENCES stage ON DELETE CASCADE,
        UNIQUE (role_id, stage_id));
      INSERT INTO project (name) VALUES ('a'); INSERT INTO stage VALUES (1, 1); INSERT INTO role VALUES (1, 1);
      INSERT INTO restriction VALUES (1, 1, 1, 1);
      """
    let database = try ImportedDatabase(sql, annotated: true)
    #expect(try database.relationship("restrictions", of: "Project").userInfo.isEmpty)
    let cloned = try Cloner().clone("Project", keys: [1], in: database.graph).cloned
    #expect(cloned == ["Project": 1, "Stage": 1, "Role": 1, "Restriction": 1])
  }

  private static let counted = """
    CREATE TABLE list (id INTEGER PRIMARY KEY, item_count INTEGER NOT NULL DEFAULT 0, total REAL NOT NULL DEFAULT 0);
    CREATE TABLE item (id INTEGER PRIMARY KEY, list_id INTEGER NOT NULL REFERENCES list, price REAL, number INTEGER);
    INSERT INTO list (id) VALUES (1), (2);

    """

  @Test(arguments: [
    ("item_count = item_count + 1", "", "List.itemCount"),
    (
      "item_count = list.item_count + 1, total = coalesce(total, 0) + new.price", "",
      "List.itemCount List.total"
    ),
    // An opening value, also of an owner without members; one that was corrected; one that numbers rows; one of which nothing
    // is known; one that no aggregate makes; one that is raised now and then.
    ("total = total + new.price", "UPDATE list SET total = 10 WHERE id = 1;", ""),
    ("total = total + new.price", "UPDATE list SET total = 10 WHERE id = 2;", ""),
    (
      "item_count = (SELECT count(*) FROM item WHERE list_id = new.list_id)",
      "UPDATE list SET item_count = 9 WHERE id = 2;", ""
    ),
    ("item_count = item_count + 1", "DELETE FROM item WHERE id = 2;", ""),
    (
      "item_count = item_count + 1 WHERE id = new.list_id; UPDATE item SET number = (SELECT item_count FROM list)",
      "", ""
    ),
    ("item_count = item_count + 1", "DELETE FROM item; UPDATE list SET item_count = 0;", ""),
    ("total = max(total, new.price)", "UPDATE list SET total = 1000 WHERE id = 1;", ""),
    ("total = total + CASE WHEN new.price > 100 THEN 1 ELSE 0 END", "", ""),
  ])
  func countersOfTriggersAreDerivedWhereTheRowsShowIt(_ sets: String, _ more: String, _ names: String) throws
  {
    let found = try suggestions(
      Self.counted
        + """
        CREATE TRIGGER ai AFTER INSERT ON item BEGIN UPDATE list SET \(sets) WHERE id = new.list_id; END;
        INSERT INTO item (list_id, price) VALUES (1, 1.5), (1, 2.5), (1, 7); \(more)
        """)
    #expect(found == names.split(separator: " ").map { "\($0) derived: trigger" })
  }

  @Test(arguments: [
    "post_count + 1",
    "(SELECT count(*) FROM post WHERE forum_id = NEW.forum_id AND topic_number = NEW.topic_number)",
  ])
  func countersOfOwnersWithKeysOfSeveralColumnsAreDerived(_ value: String) throws {
    let found = try suggestions(
      """
      CREATE TABLE forum (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
      CREATE TABLE topic (forum_id INTEGER NOT NULL REFERENCES forum ON DELETE CASCADE, number INTEGER NOT NULL,
        post_count INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (forum_id, number));
      CREATE TABLE post (id INTEGER PRIMARY KEY, forum_id INTEGER NOT NULL, topic_number INTEGER NOT NULL,
        FOREIGN KEY (forum_id, topic_number) REFERENCES topic (forum_id, number) ON DELETE CASCADE);
      CREATE TRIGGER ai AFTER INSERT ON post BEGIN
        UPDATE topic SET post_count = \(value) WHERE forum_id = NEW.forum_id AND number = NEW.topic_number; END;
      INSERT INTO forum VALUES (1, 'A'), (2, 'B'); INSERT INTO topic(forum_id, number) VALUES (1, 1), (1, 2), (2, 1);
      INSERT INTO post VALUES (1, 1, 1), (2, 1, 1), (3, 1, 2), (4, 2, 1);
      """)
    #expect(found == ["Topic.postCount derived: trigger"])
  }

  @Test func whatTotalsTheRowsOfAnOwnerIsNotFollowedByThem() throws {
    let found = try suggestions(
      """
      CREATE TABLE orders (id INTEGER PRIMARY KEY, amount INTEGER NOT NULL DEFAULT 0);
      CREATE TABLE order_line (id INTEGER PRIMARY KEY, order_id INTEGER NOT NULL REFERENCES orders, amount INTEGER NOT NULL);
      CREATE TRIGGER ai AFTER INSERT ON order_line BEGIN UPDATE orders SET amount = amount + new.amount WHERE id = new.order_id; END;
      INSERT INTO orders (id) VALUES (1), (2), (3); INSERT INTO order_line (order_id, amount) VALUES (1, 120), (2, 250), (3, 90);
      """)
    #expect(found == ["Order.amount derived: trigger"])
  }

  @Test func oneOfSeveralWaysToRowsIsLeft() throws {
    let found = try suggestions(
      """
      CREATE TABLE tenant (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE region (tenant_id INTEGER NOT NULL REFERENCES tenant, code TEXT NOT NULL, label TEXT, PRIMARY KEY (tenant_id, code));
      CREATE TABLE cust (id INTEGER PRIMARY KEY, tenant_id INTEGER NOT NULL REFERENCES tenant, region_code TEXT, name TEXT NOT NULL,
        FOREIGN KEY (tenant_id, region_code) REFERENCES region, UNIQUE (tenant_id, name));
      """)
    #expect(!found.contains { $0.hasPrefix("Tenant.") }, "\(found)")
  }

  /// A board's clone has new lists as well; that of a list alone repeats numbers, which is a comment's matter.
  @Test func rowsOfTwoOwnersStayWhereACloneOfBothMakesTheirUniqueValuesNew() throws {
    let database = try ImportedDatabase(
      """
      CREATE TABLE board (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
      CREATE TABLE list (id INTEGER PRIMARY KEY, board_id INTEGER NOT NULL REFERENCES board ON DELETE CASCADE, name TEXT NOT NULL);
      CREATE TABLE card (id INTEGER PRIMARY KEY, board_id INTEGER NOT NULL REFERENCES board ON DELETE CASCADE,
        list_id INTEGER NOT NULL REFERENCES list ON DELETE CASCADE, number INTEGER NOT NULL, position INTEGER NOT NULL,
        UNIQUE (board_id, number), UNIQUE (list_id, position));
      INSERT INTO board VALUES (1, 'Home'); INSERT INTO list VALUES (1, 1, 'Todo'), (2, 1, 'Done');
      INSERT INTO card VALUES (1, 1, 1, 1, 0), (2, 1, 1, 2, 1), (3, 1, 2, 3, 0);
      """, annotated: true)
    try database.check()
    let cards = try ["Board", "List"].map { try database.relationship("cards", of: $0) }
    #expect(cards.allSatisfy { $0.userInfo.isEmpty })
    #expect(database.draft.comments[.relationship(cards[0])] == nil)
    #expect(
      database.draft.comments[.relationship(cards[1])] == [
        "Copies of these rows would repeat unique values where a List is cloned by itself, unless "
          + "'--exclude cards' leaves them out: 'board', 'number'."
      ])
    let cloned = try Cloner().clone("Board", keys: [1], in: database.graph).cloned
    #expect(cloned == ["Board": 1, "List": 2, "Card": 3])
    #expect(try database.cloneEach().keys.sorted() == ["Card", "List"])
    let request = CloneRequest(exclude: ["cards"])
    #expect(try Cloner().clone("List", keys: [1], in: database.graph, request: request).cloned == ["List": 1])
  }

  /// Where something owns both, clones of one owner alone would be refused all the same.
  @Test(arguments: ["", "school_id INTEGER NOT NULL DEFAULT 1 REFERENCES school, "])
  func rowsOfTwoOwnersOfWhichNeitherOwnsTheOtherAreNotTakenAlong(_ school: String) throws {
    let sql = """
      CREATE TABLE school (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE student (id INTEGER PRIMARY KEY, \(school)name TEXT);
      CREATE TABLE course (id INTEGER PRIMARY KEY, \(school)name TEXT);
      CREATE TABLE enrollment (id INTEGER PRIMARY KEY, student_id INTEGER NOT NULL REFERENCES student,
        course_id INTEGER NOT NULL REFERENCES course, seat INTEGER NOT NULL, term INTEGER NOT NULL,
        UNIQUE (course_id, seat), UNIQUE (student_id, term));
      INSERT INTO school VALUES (1, 'A'); INSERT INTO student (name) VALUES ('Ann'), ('Bo');
      INSERT INTO course (name) VALUES ('Art'); INSERT INTO enrollment VALUES (1, 1, 1, 1, 1), (2, 2, 1, 2, 1);
      """
    #expect(try suggestions(sql) == ["Course.enrollments exclude: ", "Student.enrollments exclude: "])
    #expect(try ImportedDatabase(sql, annotated: true).cloneEach().keys.sorted() == ["Enrollment"])
  }

  private static func matches(unique: String = "") -> String {
    """
    CREATE TABLE league (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE team (id INTEGER PRIMARY KEY, league_id INTEGER NOT NULL REFERENCES league ON DELETE CASCADE, name TEXT NOT NULL);
    CREATE TABLE "match" (id INTEGER PRIMARY KEY, league_id INTEGER NOT NULL REFERENCES league ON DELETE CASCADE,
      home_id INTEGER NOT NULL REFERENCES team ON DELETE CASCADE, away_id INTEGER NOT NULL REFERENCES team ON DELETE CASCADE,
      day INTEGER NOT NULL, number INTEGER NOT NULL, UNIQUE (home_id, day), UNIQUE (away_id, day)\(unique));
    INSERT INTO league VALUES (1, 'A'); INSERT INTO team VALUES (1, 1, 'a'), (2, 1, 'b'), (3, 1, 'c');
    INSERT INTO "match" VALUES (1, 1, 1, 2, 1, 1), (2, 1, 2, 3, 2, 2);
    """
  }

  /// The team that a match is reached from is copied, but the other one stays.
  @Test func rowsOfTwoOwnersOfOneKindAreNotTakenAlong() throws {
    let sql = Self.matches()
    #expect(
      try suggestions(sql) == [
        "League.matches exclude: ", "Team.awayMatches exclude: ", "Team.homeMatches exclude: ",
      ])
    #expect(try ImportedDatabase(sql, annotated: true).cloneEach().keys.sorted() == ["Match"])
  }

  @Test func aCommentNamesTheValuesOfTheOtherOwnerOfOneKind() throws {
    let sql = Self.matches(unique: ", UNIQUE (league_id, number)")
    let database = try ImportedDatabase(sql, annotated: true)
    try database.check()
    let home = try database.relationship("homeMatches", of: "Team")
    let remarks = database.draft.comments[.relationship(home), default: []]
    #expect(remarks.count == 2)
    #expect(remarks.contains { $0.hasSuffix("leaves them out: 'away', 'day'.") })
    #expect(remarks.contains { $0.hasSuffix("leaves them out: 'league', 'number'.") })
    let cloned = try Cloner().clone("League", keys: [1], in: database.graph).cloned
    #expect(cloned == ["League": 1, "Team": 3, "Match": 2])
  }

  /// Comments on other posts would keep their number.
  @Test func rowsThatComeWithTheOwnerOfTheirValuesAreLeftOutElsewhere() throws {
    let sql = """
      CREATE TABLE user (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE post (id INTEGER PRIMARY KEY, user_id INTEGER NOT NULL REFERENCES user ON DELETE CASCADE);
      CREATE TABLE comment (id INTEGER PRIMARY KEY, post_id INTEGER NOT NULL REFERENCES post ON DELETE CASCADE,
        user_id INTEGER NOT NULL REFERENCES user ON DELETE CASCADE, number INTEGER NOT NULL, UNIQUE (post_id, number));
      INSERT INTO user VALUES (1, 'Ann'), (2, 'Bo'); INSERT INTO post VALUES (1, 1), (2, 2);
      INSERT INTO comment VALUES (1, 1, 2, 1), (2, 2, 1, 1);
      """
    #expect(try suggestions(sql) == ["User.comments exclude: "])
    #expect(try ImportedDatabase(sql, annotated: true).cloneEach().keys.sorted() == ["Comment"])
  }

  /// A trigger is run as a whole: what it sets beside the label, as a state that changes later, would be lost in a new store.
  @Test func valuesThatTriggersSetNowAndThenOrOnlyAdjustAreNotDerived() throws {
    let found = try suggestions(
      """
      CREATE TABLE list (id INTEGER PRIMARY KEY, status TEXT NOT NULL DEFAULT 'new', email TEXT, slug TEXT, label TEXT, best REAL, kind TEXT, balance REAL, state TEXT, title TEXT);
      CREATE TABLE item (id INTEGER PRIMARY KEY, list_id INTEGER NOT NULL REFERENCES list, price REAL);
      CREATE TRIGGER a AFTER INSERT ON item WHEN new.price > 500 BEGIN UPDATE list SET status = 'vip' WHERE id = new.list_id; END;
      CREATE TRIGGER b AFTER INSERT ON list BEGIN UPDATE list SET email = lower(email) WHERE id = new.id; END;
      CREATE TRIGGER c AFTER INSERT ON list WHEN new.slug IS NULL BEGIN UPDATE list SET slug = 'x' || id WHERE id = new.id; END;
      CREATE TRIGGER f AFTER INSERT ON list WHEN new.id > 5 BEGIN UPDATE list SET kind = 'late' WHERE id = new.id; END;
      CREATE TRIGGER g AFTER INSERT ON list BEGIN UPDATE list SET balance = balance + 0.5 WHERE id = new.id; END;
      CREATE TRIGGER d AFTER INSERT ON list BEGIN UPDATE list SET label = 'List ' || id, state = 'new' WHERE id = new.id; END;
      CREATE TRIGGER h AFTER INSERT ON list BEGIN UPDATE list SET title = 'List ' || id WHERE id = new.id; END;
      CREATE TRIGGER e AFTER INSERT ON item BEGIN
        UPDATE list SET best = (SELECT max(price) FROM item WHERE list_id = new.list_id) WHERE id = new.list_id; END;
      INSERT INTO list (id) VALUES (1), (2); INSERT INTO item (list_id, price) VALUES (1, 2), (1, 3); UPDATE list SET state = 'old' WHERE id = 2;
      """)
    #expect(found == ["List.best derived: trigger", "List.title derived: trigger"])
  }

  /// A currency that is copied equals that of the copied note as well, and an item with another one keeps it.
  @Test func columnsThatAlwaysEqualTheParentsFollowItWhereACloneChangesThose() throws {
    let found = try suggestions(
      """
      CREATE TABLE note (id INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE, color TEXT NOT NULL UNIQUE, currency TEXT);
      CREATE TABLE item (id INTEGER PRIMARY KEY, note_id INTEGER NOT NULL REFERENCES note, note_code TEXT, color TEXT, currency TEXT);
      INSERT INTO note VALUES (1, 'a', 'red', 'EUR'), (2, 'b', 'blue', 'USD');
      INSERT INTO item VALUES (1, 1, 'a', 'red', 'EUR'), (2, 1, 'a', 'green', 'EUR'), (3, 2, 'b', 'blue', 'USD');
      """)
    #expect(found == ["Item.noteCode followParent: Note.code", "Item.noteCode withoutParent: keep"])
  }

  // MARK: Relationships that are not declared

  private static let undeclared = """
    CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE posts (id INTEGER PRIMARY KEY, user_id INTEGER, editor_id INTEGER, parent_id INTEGER, team_id INTEGER, year INTEGER);
    INSERT INTO users VALUES (1, 'a'), (2, 'b'); INSERT INTO posts VALUES (1, 1, 2, NULL, 1, 1), (2, 2, 2, 1, 2, 2), (3, 2, NULL, 1, 3, 2);
    """

  @Test func relationshipsAreProposedWithTheirEvidence() throws {
    let database = try ImportedDatabase(Self.undeclared, options: .init(infersRelationships: true))
    let yaml = database.draft.yaml
    #expect(yaml.contains("2 of 2 different values are keys of 'User'"))
    #expect(yaml.contains("#     user: {destination: User, optional: true, inverse: posts, column: user_id}"))
    #expect(yaml.contains("#     editor: {destination: User"))
    #expect(
      yaml.contains("#     parent: {destination: Post, optional: true, inverse: children, column: parent_id}")
    )
    #expect(!yaml.contains("column: team_id"))
    #expect(!yaml.contains("column: year"))
    #expect(try database.entity("Post").relationships.isEmpty)
  }

  @Test func partsOfAKeyAndParentsAreProposedToo() throws {
    let database = try ImportedDatabase(
      """
      CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT); CREATE TABLE roles (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE role_user (user_id INTEGER NOT NULL, role_id INTEGER NOT NULL, PRIMARY KEY (user_id, role_id));
      CREATE TABLE folders (id INTEGER PRIMARY KEY, parent INTEGER, title TEXT);
      INSERT INTO users VALUES (1, 'a'), (2, 'b'); INSERT INTO roles VALUES (1, 'x'), (2, 'y');
      INSERT INTO role_user VALUES (1, 1), (1, 2), (2, 2); INSERT INTO folders VALUES (1, NULL, 'r'), (2, 1, 's'), (3, 2, 't');
      """, options: .init(infersRelationships: true))
    let yaml = database.draft.yaml
    #expect(yaml.contains("#     user: {destination: User, inverse: roleUsers, column: user_id}"), "\(yaml)")
    #expect(yaml.contains("#     role: {destination: Role, inverse: roleUsers, column: role_id}"))
    #expect(
      yaml.contains("#     parent: {destination: Folder, optional: true, inverse: children, column: parent}"))
    let model = try ObjectModel(
      yaml: """
        version: 1
        name: Test
        store: {naming: snakeCase}
        entities:
          User: {table: users, attributes: {name: String?}, relationships: {roleUsers: {destination: RoleUser, toMany: true, inverse: user}}}
          Role: {table: roles, attributes: {name: String?}, relationships: {roleUsers: {destination: RoleUser, toMany: true, inverse: role}}}
          RoleUser:
            primaryKey: [user_id, role_id]
            relationships:
              user: {destination: User, inverse: roleUsers, column: user_id}
              role: {destination: Role, inverse: roleUsers, column: role_id}
        """)
    let clone = try Cloner().clone("User", keys: [1], in: SQLiteGraph(database.queue, model: model))
    #expect(clone.cloned == ["User": 1, "RoleUser": 2])
  }

  @Test func nothingIsProposedUnlessAskedFor() throws {
    #expect(try !ImportedDatabase(Self.undeclared).draft.yaml.contains("Maybe a relationship"))
  }

  @Test func aProposalThatIsUncommentedIsValid() throws {
    let database = try ImportedDatabase(Self.undeclared, options: .init(infersRelationships: true))
    let yaml = database.draft.yaml
      .replacing("\n      userId: Integer 64?\n", with: "\n")
      .replacing(
        "    attributes:\n      name: String?\n",
        with:
          "    attributes:\n      name: String?\n    relationships:\n      posts: {destination: Post, toMany: true, inverse: user}\n"
      )
      .replacing(
        "\n      year: Integer 64?\n",
        with:
          "\n      year: Integer 64?\n    relationships:\n      user: {destination: User, optional: true, inverse: posts, column: user_id}\n"
      )
    let model = try ObjectModel(yaml: yaml)
    #expect(try SQLiteGraph(database.queue, model: model).validate().allSatisfy { $0.severity != .error })
    #expect(model.relationship("user", of: "Post")?.destination == "User")
  }
}
