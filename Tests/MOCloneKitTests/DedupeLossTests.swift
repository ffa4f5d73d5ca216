import Foundation
import GRDB
import MOCloneKit
import Testing

@Suite("What a merge of duplicates must not lose")
struct DedupeLossTests {
  /// Authors with books (with ordered chapters), a card (one-to-one) and tags (pairs).
  private static let model = try! ObjectModel(
    yaml: """
      version: 1
      name: Books
      entities:
        Author:
          attributes: {name: String?, born: Integer 32?, modified: Date?}
          relationships:
            books: {destination: Book, toMany: true, inverse: author, deleteRule: cascade}
            card: {destination: Card, optional: true, inverse: owner, deleteRule: cascade}
            tags: {destination: Tag, toMany: true, inverse: authors}
        Card:
          attributes: {number: String?}
          relationships: {owner: {destination: Author, inverse: card}}
        Book:
          attributes: {title: String?, year: Integer 32?, modified: Date?}
          relationships:
            author: {destination: Author, optional: true, inverse: books}
            chapters: {destination: Chapter, toMany: true, ordered: true, inverse: book, deleteRule: cascade}
        Chapter:
          attributes: {title: String?}
          relationships: {book: {destination: Book, inverse: chapters}}
        Tag:
          attributes: {name: String?}
          relationships: {authors: {destination: Author, toMany: true, inverse: tags}}
      """)

  private let identities: IdentityRequest = [
    "Author": ["name"], "Book": ["author", "title"], "Chapter": ["book", "title"], "Tag": ["name"],
  ]

  private func request(
    tie: DedupeRequest.Tie = .leastKey, merge: DedupeRequest.Merge = .merge
  ) -> DedupeRequest {
    DedupeRequest(entities: ["Author"], identifiedBy: identities, tie: tie, merge: merge)
  }

  /// Author 1 stays, and takes over what author 2 has.
  private static let doubled = """
    INSERT INTO author(id, name, born, modified) VALUES
      (1, 'Ann', NULL, '2025-01-01T00:00:00.000Z'), (2, 'Ann', 1950, NULL);
    INSERT INTO book(id, title, author_id) VALUES (1, 'T', 2);
    INSERT INTO card(id, number, owner_id) VALUES (1, 'c', 2);
    INSERT INTO tag(id, name) VALUES (1, 'red');
    INSERT INTO author_tag(author_id, tag_id) VALUES (2, 1);
    """

  private func store(_ statements: String...) throws -> DatabaseQueue {
    let queue = try DatabaseQueue()
    try queue.write { db in
      try SchemaWriter(Self.model).create(in: db)
      for statement in statements { try db.execute(sql: statement) }
    }
    return queue
  }

  private func counts(_ queue: DatabaseQueue) throws -> [Int?] {
    try queue.read { db in
      try ["author", "book", "card", "tag", "author_tag"].map {
        try Int.fetchOne(db, sql: "SELECT count(*) FROM \($0)")
      }
    }
  }

  @Test(
    "A trigger that swallows a part of the merge is refused, and nothing changes",
    arguments: [
      "UPDATE ON book", "UPDATE ON card", "UPDATE ON author_tag", "UPDATE ON author", "DELETE ON author",
      "UPDATE ON note",
    ])
  func ignored(event: String) throws {
    let queue = try store(
      "CREATE TABLE note(id INTEGER PRIMARY KEY, author_id INTEGER REFERENCES author(id) ON DELETE CASCADE)",
      Self.doubled, "INSERT INTO note VALUES (1, 2)",
      "CREATE TRIGGER swallow BEFORE \(event) BEGIN SELECT raise(ignore); END")
    let error = #expect(throws: CloneError.self) {
      try SQLiteGraph(queue, model: Self.model).dedupe(request())
    }
    #expect(error?.code == .rowCount)
    #expect("\(error!)".contains(event.components(separatedBy: " ").last!))
    #expect(try counts(queue) == [2, 1, 1, 1, 1])
    #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT author_id FROM book") } == 2)
  }

  @Test("A trigger that leads a row back is refused as well")
  func ledBack() throws {
    let queue = try store(
      Self.doubled,
      "CREATE TRIGGER back AFTER UPDATE OF author_id ON book BEGIN UPDATE book SET author_id = 2; END")
    let error = #expect(throws: CloneError.self) {
      try SQLiteGraph(queue, model: Self.model).dedupe(request())
    }
    #expect(error?.code == .rowCount)
    #expect(try counts(queue) == [2, 1, 1, 1, 1])
  }

  @Test("A trigger that swallows deletions is refused also where nothing is merged")
  func ignoredDeletion() throws {
    let queue = try store(
      Self.doubled, "CREATE TRIGGER swallow BEFORE DELETE ON author BEGIN SELECT raise(ignore); END")
    let graph = SQLiteGraph(queue, model: Self.model)
    for body in [
      { _ = try graph.dedupe(request(merge: .none)) },
      { try graph.delete([ObjectID("Author", key: 2)]) },
    ] {
      let error = #expect(throws: CloneError.self) { try body() }
      #expect(error?.code == .rowCount)
      #expect(try counts(queue) == [2, 1, 1, 1, 1])
    }
  }

  @Test("Triggers that swallow nothing are in nobody's way")
  func otherTriggers() throws {
    let queue = try store(
      Self.doubled, "CREATE TABLE log(text)",
      "CREATE TRIGGER moved AFTER UPDATE ON book BEGIN INSERT INTO log VALUES ('moved'); END",
      "CREATE TRIGGER gone AFTER DELETE ON author BEGIN INSERT INTO log VALUES ('gone'); END")
    try SQLiteGraph(queue, model: Self.model).dedupe(request())
    #expect(try counts(queue) == [1, 1, 1, 1, 1])
    #expect(
      try queue.read { try String.fetchAll($0, sql: "SELECT text FROM log ORDER BY text") } == [
        "gone", "moved",
      ])
  }

  @Test("Columns that the model does not name are filled as well, and none is overwritten")
  func unnamedColumns() throws {
    let queue = try store(
      "ALTER TABLE author ADD COLUMN extra TEXT", "ALTER TABLE author ADD COLUMN other TEXT",
      "ALTER TABLE author ADD COLUMN twice TEXT AS (extra || extra)", Self.doubled,
      "UPDATE author SET extra = 'precious', other = 'old' WHERE id = 2",
      "UPDATE author SET other = 'new' WHERE id = 1")
    let report = try SQLiteGraph(queue, model: Self.model).dedupe(request())
    #expect(report.updated == ["Author": 1])
    let values = try queue.read {
      try Row.fetchOne($0, sql: "SELECT id, born, extra, other, twice FROM author")
    }
    #expect(values?["id"] == 1)
    #expect(values?["born"] == 1950)
    #expect(values?["extra"] == "precious")
    #expect(values?["other"] == "new")
    #expect(values?["twice"] == "preciousprecious")
  }

  // MARK: Chains

  private func graphs() throws -> [any TransferGraph] {
    [MemoryGraph(model: Self.model), try SQLiteGraph.temporary(Self.model)]
  }

  private func day(_ day: Int) -> AttributeValue {
    .date(Date(timeIntervalSinceReferenceDate: Double(day) * 86_400))
  }

  @Test("A date that the merge itself wrote makes no object the newest")
  func ownDates() throws {
    for graph in try graphs() {
      for day in [2, 1] { try graph.insert("Author", ["name": "Ann", "modified": self.day(day)]) }
      for author in 1...2 {
        try graph.insert(
          "Book", ["title": "T", "year": .integer(Int64(author)), "author": .integer(Int64(author))])
      }
      let report = try graph.dedupe(request(tie: .skip))
      #expect(report.merged == ["Author": 1, "Book": 1])
      #expect(try graph.objects("Book").map { try $0.value("year") } == [1])
    }
  }

  @Test("A member that takes the place of its double takes its position in an ordered list")
  func positions() throws {
    for graph in try graphs() {
      for day in 1...2 { try graph.insert("Author", ["name": "Ann", "modified": self.day(day)]) }
      for day in 1...2 {
        try graph.insert("Book", ["title": "T", "author": .integer(Int64(day)), "modified": self.day(day)])
      }
      for (title, book) in [("a", 1), ("c", 1), ("a", 2), ("b", 2)] {
        try graph.insert("Chapter", ["title": .string(title), "book": .integer(Int64(book))])
      }
      try graph.dedupe(request())
      let book = try #require(try graph.objects("Book").first)
      #expect(try graph.count("Book") == 1)
      #expect(try book.destinations("chapters").map { try $0.value("title").description } == ["a", "b", "c"])
    }
  }

  // MARK: Main members

  /// Customers with contacts, of which one is the main one.
  ///
  /// - Parameter holder: the relationship in whose entity's table the reference lies.
  private func contacts(_ holder: String) throws -> ObjectModel {
    func column(_ relationship: String) -> String { relationship == holder ? ", column: main_key" : "" }
    return try ObjectModel(
      yaml: """
        version: 1
        name: Customers
        entities:
          Customer:
            attributes: {name: String, modified: Date?}
            relationships:
              contacts: {destination: Contact, toMany: true, inverse: customer, deleteRule: cascade}
              main: {destination: Contact, optional: true, inverse: mainOf\(column("main"))}
          Contact:
            attributes: {mail: String}
            relationships:
              customer: {destination: Customer, optional: true, inverse: contacts}
              mainOf: {destination: Customer, optional: true, inverse: main\(column("mainOf"))}
        """)
  }

  @Test(
    "The main contact of the customer that stays counts, and those of the others are kept as contacts",
    arguments: ["main", "mainOf"], [["Customer"], ["Customer", "Contact"]])
  func mainMembers(holder: String, entities: [String]) throws {
    let model = try contacts(holder)
    for mails in [["u", "v", "w"], ["u", "v"], ["u"]] {
      for graph in [MemoryGraph(model: model), try SQLiteGraph.temporary(model)] as [any TransferGraph] {
        let customers = try (1...3).map {
          try graph.insert("Customer", ["name": "a", "modified": day($0)])
        }
        for (mail, customer) in zip(mails, customers) {
          let contact = try graph.insert(
            "Contact", ["mail": .string(mail), "customer": customer.id.key.parts[0]])
          try customer.set(contact, for: "main")
        }
        let report = try graph.dedupe(
          DedupeRequest(entities: entities, identifiedBy: ["Customer": ["name"], "Contact": ["mail"]]))
        #expect(report.merged == ["Customer": 2] && report.deleted == nil)
        let givenUp = (1..<mails.count).map { ["Customer \($0)": ["main": "\($0)"]] }
        #expect((report.skipped ?? []).map { [$0.place: $0.givenUp ?? [:]] } == givenUp)
        let customer = try #require(try graph.objects("Customer").first)
        #expect(customer == customers[2])
        #expect(try customer.destination("main")?.value("mail") == mails.last.map(AttributeValue.string))
        let members = try customer.destinations("contacts")
        #expect(try members.map { try $0.value("mail").description }.sorted() == mails)
        #expect(try members.filter { try $0.destination("mainOf") != nil }.count == 1)
      }
    }
  }

  // MARK: Deletion without merging

  @Test("Without merging nothing is reported as merged, and what goes with its owner is no group")
  func deletedOnly() throws {
    for graph in try graphs() {
      for day in 1...3 {
        try graph.insert("Author", ["name": day == 3 ? "Bob" : "Ann", "modified": self.day(day)])
      }
      for author in [1, 1, 2, 3, 3] {
        let book = try graph.insert("Book", ["title": "T", "author": .integer(Int64(author))])
        try graph.insert("Chapter", ["title": "One", "book": book.id.key.parts[0]])
      }
      let one = try graph.dedupe(request(merge: .none), options: TransferOptions(isDryRun: true))
      #expect(one.merged == nil)
      #expect(one.deleted == ["Author": 1, "Book": 2, "Chapter": 2])
      #expect(
        one.groups == [.init(entity: "Author", identity: ["Ann"], survivor: "2", merged: [], deleted: ["1"])])
      #expect(one.text().contains("would delete  Author 1 beside 2: Ann\n"))
      let all = try graph.dedupe(
        DedupeRequest(entities: ["Author", "Book"], identifiedBy: identities, merge: .none))
      #expect(all.merged == nil)
      #expect(all.deleted == ["Author": 1, "Book": 3, "Chapter": 3])
      #expect(all.groups?.map(\.entity) == ["Author", "Book"])
      #expect(all.groups?.map(\.survivor) == ["2", "4"])
      #expect(try graph.count("Book") == 2)
    }
  }

  @Test("Every entity that is unknown is named at once")
  func unknownEntities() throws {
    for graph in try graphs() {
      let error = #expect(throws: CloneError.self) {
        try graph.dedupe(DedupeRequest(entities: ["Bok", "Athor"], identifiedBy: ["Tagg": ["name"]]))
      }
      #expect(error?.failures.map(\.code) == [.unknownEntity, .unknownEntity, .unknownEntity])
    }
  }
}
