import Foundation
import GRDB
import MOCloneKit
import Testing

@Suite("Imports, in memory and in SQLite")
struct ImportTests {
  private static let orders = """
    {"orders": [
      {"number": 1, "customer": "Ann", "lines": [
        {"position": 2, "quantity": "1.50", "article": "Milk", "price": 1.2, "tags": ["cold", "white"]},
        {"position": 1, "article": "Bread", "tags": []}]},
      {"number": "2", "customer": "Ann", "rush": true, "lines": {"position": 1, "article": "Milk", "price": 9, "tags": ["cold", "new"]}},
      {"number": 3, "note": null}
    ]}
    """

  private static let transferOptions = TransferOptions(
    generator: ValueGenerator(now: { Date(timeIntervalSince1970: 1000) }, uuid: { UUID() }))

  @Test("Rows make objects, nested rows their members; equal keys are joined", arguments: Backend.allCases)
  func nested(_ backend: Backend) throws {
    let graph = try backend.shop()
    let report = try graph.importText(Self.orders, .json, ordersMapping)
    #expect(report.created == ["Order": 3, "Line": 3, "Article": 2, "Tag": 3, "Customer": 1])
    #expect(report.linked == ["Article.tags": 3])
    let order = try #require(try graph.objects("Order").first { try $0.value("number") == 1 })
    #expect(try order.destinations("lines").map { try $0.value("position") } == [2, 1])
    #expect(try order.destination("customer")?.value("name") == "Ann")
    #expect(try order.value("rush") == false)
    let milk = try #require(try graph.objects("Article").first { try $0.value("name") == "Milk" })
    #expect(try milk.value("price") == 1.2)
    #expect(Set(try milk.destinations("tags").map { try $0.value("name") }) == ["cold", "white", "new"])
    #expect(try milk.destinations("lines").count == 2)
  }

  @Test("Memory and SQLite hold the same, from JSON and from XML", arguments: ExistingPolicy.allCases)
  func same(_ existing: ExistingPolicy) throws {
    let xml = """
      <shop><orders number="1"><customer>Ann</customer>
        <lines position="2" quantity="1.50" article="Milk" price="1.2"><tags>cold</tags><tags>white</tags></lines>
        <lines position="1" article="Bread"/></orders>
      <orders number="2" customer="Ann" rush="true"><lines position="1" article="Milk" price="9"><tags>cold</tags><tags>new</tags></lines></orders>
      <orders number="3"/></shop>
      """
    var options = ImportOptions(existing: existing)
    let graphs = try Backend.allCases.flatMap { backend -> [any ImportingGraph] in
      let (first, second) = (try backend.shop(), try backend.shop())
      try first.importText(Self.orders, .json, ordersMapping, options, transferOptions: Self.transferOptions)
      options.format = .xml
      try second.importText(xml, .xml, ordersMapping, options, transferOptions: Self.transferOptions)
      options.format = nil
      return [first, second]
    }
    let lines = try graphs.map { try $0.lines() }
    for other in lines { #expect(other == lines[0]) }
  }

  @Test("A second import finds everything and changes nothing", arguments: Backend.allCases)
  func again(_ backend: Backend) throws {
    let graph = try backend.shop()
    try graph.importText(Self.orders, .json, ordersMapping)
    let before = try graph.lines()
    let report = try graph.importText(Self.orders, .json, ordersMapping)
    #expect(report.changes == 0)
    #expect(report.found == ["Order": 3, "Line": 3, "Article": 2, "Tag": 3, "Customer": 1])
    #expect(report.unchanged == report.found)
    #expect(try graph.lines() == before)
  }

  private let priceMapping = """
    entity: Article
    attributes: {name: '@name', price: '@price'}
    """

  @Test("Objects that are there are kept, updated or filled", arguments: Backend.allCases)
  func policies(_ backend: Backend) throws {
    let csv = "name,price\nMilk,2\nBread,3\nMilk,4\nNew,5\nNew,6\n"
    for (existing, milk, bread, new, updated) in [
      (ExistingPolicy.keep, 1.0, nil as Double?, 5.0, nil as [String: Int]?),
      (.update, 4, 3, 6, ["Article": 2]),
      (.fill, 1, 3, 5, ["Article": 1]),
    ] {
      let graph = try backend.shop()
      try graph.insert("Article", ["name": "Milk", "price": 1])
      try graph.insert("Article", ["name": "Bread"])
      let report = try graph.importText(csv, .csv, priceMapping, ImportOptions(existing: existing))
      #expect(
        report.created == ["Article": 1] && report.found == ["Article": 2] && report.updated == updated,
        "\(existing)")
      let prices = try graph.objects("Article").reduce(into: [:]) {
        $0[try $1.value("name")] = try $1.value("price")
      }
      #expect(
        prices == ["Milk": .double(milk), "Bread": bread.map { .double($0) } ?? .null, "New": .double(new)],
        "\(existing)")
    }
  }

  @Test("What a row does not say is no null; a new object gets the default", arguments: Backend.allCases)
  func absent(_ backend: Backend) throws {
    let graph = try backend.shop()
    let mapping = "entity: Order\nattributes: {number: '@number', note: '@note', rush: '@rush'}"
    try graph.importText(
      "{\"number\": 1, \"note\": \"a\", \"rush\": true}\n{\"number\": 2}", .ndjson, mapping)
    let update = ImportOptions(existing: .update)
    let report = try graph.importText(
      "{\"number\": 1, \"note\": null}\n{\"number\": 1}\n{\"number\": 2, \"note\": \"b\"}", .ndjson, mapping,
      update)
    #expect(report.updated == ["Order": 2])
    let orders = try graph.objects("Order")
    #expect(try orders.map { try $0.value("note") } == [.null, "b"])
    #expect(try orders.map { try $0.value("rush") } == [true, false])
  }

  @Test(
    "A null that is given for a required attribute is a bad row, whether or not it has a default",
    arguments: Backend.allCases, ExistingPolicy.allCases)
  func nullForDefault(_ backend: Backend, _ existing: ExistingPolicy) throws {
    let graph = try backend.shop()
    let mapping = "entity: Order\nattributes: {number: '@number', rush: '@rush'}\nnull: NULL"
    let options = ImportOptions(existing: existing)
    try graph.importText("number,rush\n1,true\n2,\n", .csv, mapping)
    let rows: [(String, FileFormat, String)] = [
      ("{\"number\": 1}\n{\"number\": 1, \"rush\": null}", .ndjson, ":2:23: "),
      ("number,rush\n3,\n3,NULL\n", .csv, ":3:3: "),
    ]
    for (text, format, place) in rows {
      let found = message { try graph.importText(text, format, mapping, options) }
      #expect(found.contains("\(place)'rush' of Order is required, but '@rush' is null"), "\(found)")
    }
    #expect(try graph.objects("Order").map { try $0.value("rush") } == [true, false])
    // An empty text is none.
    try graph.importText("{\"number\": 3, \"rush\": \"\"}", .ndjson, mapping, options)
    try graph.importText("<a><r number='4' rush=''/></a>", .xml, mapping + "\nrows: r", options)
    #expect(try graph.objects("Order").map { try $0.value("rush") } == [true, false, false, false])
  }

  @Test("A null that a sync gives for a required attribute is a bad row, too", arguments: Backend.allCases)
  func nullForDefaultInSync(_ backend: Backend) throws {
    let graph = try backend.shop()
    try graph.insert("Order", ["number": 1, "rush": true])
    try graph.save()
    let syncing = try #require(graph as? any SyncingGraph)
    let request = SyncRequest(entity: "Order", overwriting: ["rush"])
    let file = try TestFile("{\"number\": 1, \"rush\": null}", "ndjson")
    let found = message { try syncing.sync(request, fromFile: file.path) }
    #expect(found.contains("'rush' of Order is required, but '@rush' is null"), "\(found)")
    #expect(try graph.objects("Order").map { try $0.value("rush") } == [true])
  }

  @Test(
    "What changes an object sets its date of change, unless the row gives one", arguments: Backend.allCases)
  func modified(_ backend: Backend) throws {
    let graph = try backend.shop()
    let (first, second) = (Date(timeIntervalSince1970: 1000), Date(timeIntervalSince1970: 2000))
    func options(_ date: Date) -> TransferOptions {
      TransferOptions(generator: ValueGenerator(now: { date }, uuid: { UUID() }))
    }
    let mapping = "entity: Order\nattributes: {number: '@number', note: '@note', modified: '@modified'}"
    let update = ImportOptions(existing: .update)
    try graph.importText(
      "{\"number\": 1, \"note\": \"a\"}\n{\"number\": 2, \"modified\": \"1970-01-01\"}", .ndjson, mapping,
      transferOptions: options(first))
    try graph.importText(
      "{\"number\": 1, \"note\": \"a\"}\n{\"number\": 2, \"note\": \"b\"}", .ndjson, mapping, update,
      transferOptions: options(second))
    #expect(try graph.objects("Order").map { try $0.value("modified") } == [.date(first), .date(second)])
  }

  @Test("A key that is null or empty makes no object and is said with its place", arguments: Backend.allCases)
  func nullKeys(_ backend: Backend) throws {
    let graph = try backend.shop()
    let mapping =
      "entity: Order\nattributes: {number: '@number'}\nrelationships: {customer: {attributes: {name: '@who', mail: '@mail'}}}"
    let report = try graph.importText("number,who,mail\n1,,\n2,\"\",a@b\n3,Ann,\n", .csv, mapping)
    #expect(report.created == ["Order": 3, "Customer": 1])
    // Where the row says nothing of the object there is nothing to say, either.
    #expect(report.skipped?.count == 1)
    #expect(report.skipped?.first?.place.hasSuffix(".csv:3:1") == true)
    #expect(
      report.skipped?.first?.reason
        == "no object is inserted for 'customer' of Order: Customer is identified by name, which is null or empty"
    )
    let tags = message {
      try graph.importText("name\nx\n\"\"\n", .csv, "entity: Tag\nattributes: {name: '@name'}")
    }
    #expect(tags.contains(":3:1: Tag is identified by name, which is null or empty"))
  }

  @Test("Several stored objects with one key are refused with their list", arguments: Backend.allCases)
  func ambiguous(_ backend: Backend) throws {
    let graph = try backend.shop()
    for name in ["a", "b", "c"] {
      try graph.insert("Customer", ["name": .string(name), "mail": name == "c" ? "z" : "x"])
    }
    let options = ImportOptions(identifiedBy: ["Customer": ["mail"]])
    let mapping = "entity: Customer\nattributes: {name: '@name', mail: '@mail'}"
    let before = try graph.lines()
    let text = message { try graph.importText("name,mail\nd,y\ne,x\n", .csv, mapping, options) }
    #expect(text.contains("2 objects have mail 'x': Customer 1, Customer 2") && text.contains("dedupe"))
    #expect(try graph.lines() == before)
    let fine = try graph.importText("name,mail\nd,y\ne,z\n", .csv, mapping, options)
    #expect(fine.created == ["Customer": 1] && fine.found == ["Customer": 1])
  }

  @Test("An identity that leads through a relationship to an attribute", arguments: Backend.allCases)
  func throughRelationship(_ backend: Backend) throws {
    let graph = try backend.shop()
    let mapping = """
      entity: Line
      attributes: {position: '@position', quantity: '@quantity'}
      relationships:
        order: {attributes: {number: '@order'}}
        article: {attributes: {name: '@article'}}
      """
    let options = ImportOptions(existing: .update, identifiedBy: ["Line": ["order.number", "article.name"]])
    let csv = "order,position,article,quantity\n1,1,Milk,1\n1,2,Bread,2\n1,3,Milk,3\n2,1,Milk,4\n"
    let first = try graph.importText(csv, .csv, mapping, options)
    #expect(first.created == ["Order": 2, "Line": 3, "Article": 2])
    let second = try graph.importText(csv, .csv, mapping, options)
    #expect(second.created == nil && second.found?["Line"] == 3)
    #expect(second.changes == 0)
    let quantities = try graph.objects("Line").map {
      "\(try $0.value("position")) \(try $0.value("quantity"))"
    }
    #expect(quantities.sorted() == ["1 4", "2 2", "3 3"])
  }

  @Test("Sub-entities of one table", arguments: Backend.allCases)
  func subEntities(_ backend: Backend) throws {
    let graph = try backend.shop()
    for (entity, count) in [("Shelf", 2), ("Aisle", 1), ("Shelf", 0)] {
      let csv = entity == "Aisle" ? "name\nx\n" : "name\nx\ny\n"
      let report = try graph.importText(
        csv, .csv, "entity: \(entity)\nattributes: {name: '@name'}\nset: {text: t}")
      #expect(report.created?[entity] ?? 0 == count)
    }
    #expect(try graph.count("Place") == 3)
  }

  @Test(
    "A one-to-one relationship is formed, and without an update never taken away from another object",
    arguments: Backend.allCases)
  func oneToOne(_ backend: Backend) throws {
    let graph = try backend.shop()
    let mapping =
      "entity: Customer\nattributes: {name: '@name'}\nrelationships: {card: {attributes: {code: '@code'}}}"
    let code = "7D444840-9DC0-11D1-B245-5FFDCE74FAD2"
    let report = try graph.importText("name,code\nAnn,\(code)\n", .csv, mapping)
    #expect(report.created == ["Customer": 1, "Card": 1])
    #expect(try graph.importText("name,code\nAnn,\(code)\n", .csv, mapping).changes == 0)
    let before = try graph.lines()
    let other = "8D444840-9DC0-11D1-B245-5FFDCE74FAD2"
    let text = message { try graph.importText("name,code\nAnn,\(other)\n", .csv, mapping) }
    #expect(text.contains("is one-to-one, but Customer 1 would belong to two objects"))
    #expect(try graph.lines() == before)
  }

  @Test(
    "A new object that lacks what it must have is refused; one that is there does without",
    arguments: Backend.allCases)
  func incomplete(_ backend: Backend) throws {
    let graph = try backend.shop()
    try graph.importText(Self.orders, .json, ordersMapping)
    let mapping =
      "entity: Line\nattributes: {quantity: '@quantity'}\nrelationships: {article: {attributes: {name: '@article'}}}"
    let options = ImportOptions(existing: .update, identifiedBy: ["Line": ["article.name"]])
    let report = try graph.importText("article,quantity\nBread,7\n", .csv, mapping, options)
    #expect(report.updated == ["Line": 1])
    let before = try graph.lines()
    let text = message {
      try graph.importText("article,quantity\nBread,8\nCheese,7\n", .csv, mapping, options)
    }
    #expect(text.contains(":3: the row inserts a new Line, which requires 'position' and 'order'"))
    #expect(try graph.lines() == before)
  }

  @Test("An entity without identity gets an object for every row", arguments: Backend.allCases)
  func withoutIdentity(_ backend: Backend) throws {
    let model = try ObjectModel(yaml: "version: 1\nentities:\n  Entry: {attributes: {text: String}}")
    let graph = try backend.graph(model)
    for count in [2, 4] {
      try graph.importText("text\na\na\n", .csv, "entity: Entry\nattributes: {text: '@text'}")
      #expect(try graph.count("Entry") == count)
    }
  }

  @Test(
    "With fill a parent that a row refers to before its own row gets what that row says",
    arguments: Backend.allCases)
  func forwardReferences(_ backend: Backend) throws {
    let model = try ObjectModel(
      yaml: """
        version: 1
        entities:
          Part:
            attributes: {name: String, weight: Integer 32?}
            relationships:
              whole: {destination: Part, optional: true, inverse: parts}
              parts: {destination: Part, toMany: true, inverse: whole}
            uniquenessConstraints: [[name]]
        """)
    let graph = try backend.graph(model)
    let mapping = """
      entity: Part
      attributes: {name: '@name', weight: '@weight'}
      relationships: {whole: {attributes: {name: '@whole'}}}
      """
    let csv = "name,weight,whole\nb,2,a\na,1,c\nc,3,\n"
    let report = try graph.importText(csv, .csv, mapping, ImportOptions(existing: .fill))
    #expect(report.created == ["Part": 3])
    let parts = try graph.objects("Part").map { part in
      "\(try part.value("name")) \(try part.value("weight")) \(try part.destination("whole")?.value("name") ?? "-")"
    }
    #expect(parts.sorted() == ["a 1 c", "b 2 a", "c 3 -"])
  }

  @Test("A dry run says what an import would do, and does nothing", arguments: Backend.allCases)
  func dryRun(_ backend: Backend) throws {
    let graph = try backend.shop()
    try graph.insert("Article", ["name": "Milk", "price": 7])
    let before = try graph.lines()
    let options = ImportOptions(existing: .update)
    var planned = try graph.importText(
      Self.orders, .json, ordersMapping, options, transferOptions: TransferOptions(isDryRun: true))
    #expect(try graph.lines() == before)
    #expect(planned.dryRun)
    (planned.dryRun, planned.skipped) = (false, nil)
    var done = try graph.importText(Self.orders, .json, ordersMapping, options)
    done.skipped = nil
    #expect(done == planned)
  }

  @Test("An import that is marked happens once, with the hash of its input", arguments: Backend.allCases)
  func once(_ backend: Backend) throws {
    let graph = try backend.shop()
    let file = try TestFile("name\nx\n", "csv")
    let mapping = try ImportMapping(yaml: "entity: Tag\nattributes: {name: '@name'}")
    let options = ImportOptions(once: "tags")
    #expect(try graph.importFile(file.path, mapping: mapping, options: options)?.created == ["Tag": 1])
    #expect(try graph.onceMark("tags")?.hash == SHA256.text(ofFile: file.path))
    #expect(try graph.importFile(file.path, mapping: mapping, options: options) == nil)
    let broken = try TestFile("name\nx,y\n", "csv")
    #expect(throws: CloneError.self) {
      try graph.importFile(broken.path, mapping: mapping, options: ImportOptions(once: "other"))
    }
    #expect(try graph.onceMark("other") == nil)
  }

  @Test("A URL and bytes in memory are imported as a file is", arguments: Backend.allCases)
  func urlsAndData(_ backend: Backend) throws {
    let graph = try backend.shop()
    let mapping = try ImportMapping(yaml: "entity: Tag\nattributes: {name: '@name'}")
    let file = try TestFile("name\nx\n", "csv")
    #expect(
      try graph.importFile(at: URL(fileURLWithPath: file.path), mapping: mapping)?.created == ["Tag": 1])
    #expect(
      try graph.importData(Data("name\nx\ny\n".utf8), format: .csv, mapping: mapping)?.created == ["Tag": 1])
    let error = try #require(throws: CloneError.self) {
      try graph.importData(Data("name\n\"".utf8), name: "the answer", format: .csv, mapping: mapping)
    }
    #expect("\(error)".contains("the answer"))
  }

  @Test("An import can be awaited, and a cancelled one leaves nothing")
  func awaited() async throws {
    let model = try shopModel()
    let queue = try DatabaseQueue()
    try await queue.write { try SchemaWriter(model).create(in: $0) }
    let mapping = try ImportMapping(yaml: "entity: Tag\nattributes: {name: '@name'}")
    let report = try await SQLiteGraph.perform(on: queue, model: model) { graph in
      try graph.importData(Data("name\nx\n".utf8), format: .csv, mapping: mapping)
    }
    #expect(report?.created == ["Tag": 1])
    let cancelled = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await SQLiteGraph.perform(on: queue, model: model) { graph in
        try graph.importData(Data("name\ny\n".utf8), format: .csv, mapping: mapping)
      }
    }
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    #expect(try SQLiteGraph(queue, model: model).count("Tag") == 1)
  }

  @Test("In the caller's transaction an import is a part of it")
  func callersTransaction() throws {
    let model = try shopModel()
    let queue = try DatabaseQueue()
    try queue.write { try SchemaWriter(model).create(in: $0) }
    let file = try TestFile(Self.orders, "json")
    let mapping = try ImportMapping(yaml: ordersMapping)
    let broken = try TestFile(Self.orders.replacing("\"number\": 3", with: "\"number\": true"), "json")
    try queue.inTransaction { db in
      try SQLiteGraph.with(db, model: model) { graph in
        try graph.insert("Tag", ["name": "mine"])
        #expect(throws: CloneError.self) { try graph.importFile(broken.path, mapping: mapping) }
        #expect(try graph.count("Tag") == 1 && graph.count("Order") == 0)
        for _ in 0..<2 { try graph.importFile(file.path, mapping: mapping) }
        #expect(try graph.count("Tag") == 4 && graph.count("Order") == 3)
      }
      return .rollback
    }
    #expect(try SQLiteGraph(queue, model: model).count("Tag") == 0)
    #expect(try queue.read { try Bool.fetchOne($0, sql: "PRAGMA foreign_keys") } == true)
  }

  @Test("What other rows refer to is updated as the store's foreign keys have it")
  func referencedColumns() throws {
    let model = try ObjectModel(
      yaml: """
        version: 1
        entities:
          Parent: {attributes: {name: String, code: String}, uniquenessConstraints: [[name]]}
        """)
    for (rule, child, said) in [("ON UPDATE CASCADE", "new", "no error"), ("", "old", "would dangle")] {
      let queue = try DatabaseQueue()
      try queue.write { db in
        try db.execute(
          sql: """
            CREATE TABLE parent(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, code TEXT NOT NULL UNIQUE);
            CREATE TABLE child(id INTEGER PRIMARY KEY, parent_code TEXT REFERENCES parent(code) \(rule));
            INSERT INTO parent VALUES (1, 'a', 'old');
            INSERT INTO child VALUES (1, 'old');
            """)
      }
      let graph = SQLiteGraph(queue, model: model)
      let text = message {
        try graph.importText(
          "name,code\na,new\n", .csv, "entity: Parent\nattributes: {name: '@name', code: '@code'}",
          ImportOptions(existing: .update))
      }
      #expect(text.contains(said))
      #expect(try queue.read { try String.fetchAll($0, sql: "SELECT parent_code FROM child") } == [child])
    }
  }

  @Test("An attribute that is a foreign key in the store must lead somewhere")
  func attributeAsForeignKey() throws {
    let model = try ObjectModel(
      yaml: """
        version: 1
        entities:
          Item:
            attributes: {name: String, category: {type: Integer 64, column: category_id}}
            uniquenessConstraints: [[name]]
        """)
    let queue = try DatabaseQueue()
    try queue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE category(id INTEGER PRIMARY KEY);
          CREATE TABLE item(
            id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,
            category_id INTEGER NOT NULL REFERENCES category(id));
          INSERT INTO category VALUES (1);
          """)
    }
    let graph = SQLiteGraph(queue, model: model)
    let mapping = "entity: Item\nattributes: {name: '@name', category: '@category'}"
    #expect(
      message { try graph.importText("name,category\na,1\nb,9\n", .csv, mapping) }.contains("would dangle"))
    #expect(try graph.count("Item") == 0)
    try graph.importText("name,category\na,1\n", .csv, mapping)
    #expect(try graph.count("Item") == 1)

    // What dangled before must not be taken for what the file does.
    try queue.writeWithoutTransaction { db in
      try db.execute(
        sql: """
          PRAGMA foreign_keys = OFF;
          CREATE TABLE aisle(id INTEGER PRIMARY KEY, gone REFERENCES category(id));
          INSERT INTO aisle VALUES (1, 7);
          PRAGMA foreign_keys = ON;
          """)
    }
    let refusal = message { try graph.importText("name,category\nb,9\n", .csv, mapping) }
    for table in ["aisle", "item"] {
      #expect(refusal.contains("a row of '\(table)' references a missing 'category'"), "\(refusal)")
    }
  }
}
