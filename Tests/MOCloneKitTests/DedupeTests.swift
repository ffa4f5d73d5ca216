import Foundation
import GRDB
import MOCloneKit
import Testing

@Suite("Duplicates")
struct DedupeTests {
  /// Items with a shelf (to-one), tags (pairs), parts (owned, ordered), a label (one-to-one) and a parent.
  private static let model = try! ObjectModel(
    name: "Shop",
    entities: [
      EntityDescription(
        name: "Item",
        attributes: [
          AttributeDescription(name: "name", type: .string, isOptional: true),
          AttributeDescription(name: "note", type: .string, isOptional: true),
          AttributeDescription(name: "price", type: .double, isOptional: true),
          AttributeDescription(name: "modified", type: .date, isOptional: true),
        ],
        relationships: [
          RelationshipDescription(name: "shelf", destination: "Shelf", isOptional: true, inverse: "items"),
          RelationshipDescription(
            name: "parts", destination: "Part", isToMany: true, isOrdered: true, inverse: "item",
            deleteRule: .cascade),
          RelationshipDescription(
            name: "tags", destination: "Tag", isToMany: true, isOrdered: true, inverse: "items"),
          RelationshipDescription(
            name: "label", destination: "Label", isOptional: true, inverse: "item", deleteRule: .cascade),
          RelationshipDescription(name: "parent", destination: "Item", isOptional: true, inverse: "children"),
          RelationshipDescription(name: "children", destination: "Item", isToMany: true, inverse: "parent"),
        ]),
      EntityDescription(
        name: "Shelf", attributes: [AttributeDescription(name: "name", type: .string)],
        relationships: [
          RelationshipDescription(name: "items", destination: "Item", isToMany: true, inverse: "shelf")
        ]),
      EntityDescription(
        name: "Part", attributes: [AttributeDescription(name: "name", type: .string)],
        relationships: [RelationshipDescription(name: "item", destination: "Item", inverse: "parts")]),
      EntityDescription(
        name: "Tag", attributes: [AttributeDescription(name: "name", type: .string)],
        relationships: [
          RelationshipDescription(name: "items", destination: "Item", isToMany: true, inverse: "tags")
        ]),
      EntityDescription(
        name: "Label", attributes: [AttributeDescription(name: "text", type: .string)],
        relationships: [RelationshipDescription(name: "item", destination: "Item", inverse: "label")]),
    ])

  private let byName: IdentityRequest = ["Item": ["name"], "Shelf": ["name"], "Tag": ["name"]]

  private func graphs() throws -> [any TransferGraph] {
    [MemoryGraph(model: Self.model), try SQLiteGraph.temporary(Self.model)]
  }

  private func day(_ day: Int) -> AttributeValue {
    .date(Date(timeIntervalSinceReferenceDate: Double(day) * 86_400))
  }

  @discardableResult
  private func item(
    _ graph: any TransferGraph, _ name: AttributeValue, day: Int?, note: AttributeValue = .null,
    price: AttributeValue = .null
  ) throws -> ManagedObject {
    try graph.insert(
      "Item", ["name": name, "note": note, "price": price, "modified": day.map(self.day) ?? .null])
  }

  private func keys(_ graph: any TransferGraph, _ entity: String = "Item") throws -> [String] {
    try graph.objectIDs(entity).map(\.key.description)
  }

  private func names(_ objects: [ManagedObject], _ attribute: String = "name") throws -> [String] {
    try objects.map { try $0.value(attribute).description }
  }

  @Test("The newest stays; then the one with more values; then the one with the least values")
  func survivors() throws {
    for graph in try graphs() {
      try item(graph, "date", day: 1, note: "x", price: 1)
      try item(graph, "date", day: 2)
      try item(graph, "count", day: 3)
      try item(graph, "count", day: 3, note: "x")
      try item(graph, "full", day: 4, note: "a")
      try item(graph, "full", day: 4, note: "b")
      try item(graph, "undated", day: nil, note: "x", price: 1)
      try item(graph, "undated", day: 1)
      try item(graph, "alone", day: 1)
      let report = try graph.dedupe(DedupeRequest(entities: ["Item"], identifiedBy: byName, fills: false))
      #expect(try keys(graph) == ["2", "4", "5", "8", "9"])
      #expect(report.merged == ["Item": 4])
      #expect(report.groups?.map(\.survivor) == ["2", "4", "5", "8"])
      #expect(report.groups?.first?.identity == ["date"])
      #expect(report.groups?.first?.merged == ["1"])
      #expect(try graph.dedupe(DedupeRequest(entities: ["Item"], identifiedBy: byName)).changes == 0)
    }
  }

  @Test("Two stores whose rows lie in another order keep the same objects", arguments: [false, true])
  func order(isReversed: Bool) throws {
    let rows: [(Int, String, String?, String?)] = [
      (1, "date", "2025-01-01T00:00:00.000Z", "x"), (2, "date", "2025-01-02T00:00:00Z", nil),
      (3, "date", "2025-01-02T00:00:00.500Z", nil), (4, "count", "2025-01-01T00:00:00.000Z", nil),
      (5, "count", "2025-01-01T01:00:00.000+01:00", "x"), (6, "full", nil, "a"), (7, "full", nil, "b"),
    ]
    let graph = try SQLiteGraph.temporary(Self.model)
    let queue = try DatabaseQueue()
    try queue.write { db in
      try SchemaWriter(Self.model).create(in: db)
      for (id, name, modified, note) in isReversed ? rows.reversed() : rows {
        try db.execute(
          sql: "INSERT INTO item(id, name, modified, note) VALUES (?, ?, ?, ?)",
          arguments: [id, name, modified, note])
      }
    }
    try graph.close()
    let store = SQLiteGraph(queue, model: Self.model)
    try store.dedupe(DedupeRequest(entities: ["Item"], identifiedBy: byName))
    #expect(try keys(store) == ["3", "5", "6"])
  }

  @Test("--keep oldest, --keep fullest, another date, and a choice in code")
  func otherSurvivors() throws {
    let requests: [(DedupeRequest, [String])] = [
      (DedupeRequest(entities: ["Item"], identifiedBy: byName, keep: .oldest), ["1"]),
      (DedupeRequest(entities: ["Item"], identifiedBy: byName, keep: .fullest), ["2"]),
      (DedupeRequest(entities: ["Item"], identifiedBy: byName), ["3"]),
      (
        DedupeRequest(
          entities: ["Item"], identifiedBy: byName,
          keep: .chosen { objects in try objects.first { try $0.value("price") == 7.0 } }), ["4"]
      ),
      (
        DedupeRequest(entities: ["Item"], identifiedBy: byName, keep: .chosen { _ in nil }),
        ["1", "2", "3", "4", "5"]
      ),
    ]
    for (request, expected) in requests {
      for graph in try graphs() {
        try item(graph, "a", day: 1)
        try item(graph, "a", day: 2, note: "x", price: 1)
        try item(graph, "a", day: 3)
        try item(graph, "a", day: 2, price: 7)
        try item(graph, "a", day: nil)
        let report = try graph.dedupe(request)
        #expect(try keys(graph) == expected)
        let isLeftAlone = report.skipped?.contains { $0.reason == "no survivor was chosen" } ?? false
        #expect(isLeftAlone == (expected.count > 1))
      }
    }
  }

  @Test("Ties can be left alone, and are reported")
  func ties() throws {
    for graph in try graphs() {
      for _ in 1...2 { try item(graph, "tie", day: 1) }
      for day in 1...2 { try item(graph, "clear", day: day) }
      let report = try graph.dedupe(DedupeRequest(entities: ["Item"], identifiedBy: byName, tie: .skip))
      #expect(try keys(graph) == ["1", "2", "4"])
      #expect(report.skipped?.map(\.place) == ["Item 1, Item 2"])
    }
  }

  @Test("Null and empty names are nobody's duplicates")
  func nulls() throws {
    for graph in try graphs() {
      for name in [AttributeValue.null, .null, "", ""] { try item(graph, name, day: 1) }
      #expect(try graph.dedupe(DedupeRequest(entities: ["Item"], identifiedBy: byName)).changes == 0)
      #expect(try keys(graph).count == 4)
    }
  }

  @Test("Members, references, pairs and the order of lists move to the survivor, nothing twice")
  func merging() throws {
    for graph in try graphs() {
      let tags = try ["red", "green", "blue"].map { try graph.insert("Tag", ["name": .string($0)]) }
      let shelf = try graph.insert("Shelf", ["name": "low"])
      let old = try item(graph, "Milk", day: 1, note: "fresh", price: 1)
      let new = try item(graph, "Milk", day: 2)
      let child = try item(graph, "Skimmed milk", day: 1)
      for (name, owner) in [("a", new), ("b", old), ("c", old), ("d", new)] {
        try graph.insert("Part", ["name": .string(name), "item": owner.id.key.parts[0]])
      }
      try old.set(shelf, for: "shelf")
      try child.set(old, for: "parent")
      try new.setDestinations([tags[1]], for: "tags")
      try old.setDestinations([tags[2], tags[1], tags[0]], for: "tags")
      let report = try graph.dedupe(DedupeRequest(entities: ["Item"], identifiedBy: byName))
      #expect(try keys(graph) == ["2", "3"])
      #expect(try names(new.destinations("parts")) == ["a", "d", "b", "c"])
      #expect(try names(new.destinations("tags")) == ["green", "blue", "red"])
      #expect(try child.destination("parent") == new)
      #expect(try new.destination("shelf") == shelf)
      #expect(try new.value("note") == "fresh")
      #expect(try new.value("price") == 1.0)
      #expect(report.updated == ["Item": 1])
      #expect(report.merged == ["Item": 1])
      #expect(report.deleted == nil)
      guard case .date(let modified) = try new.value("modified") else { throw CancellationError() }
      #expect(modified.timeIntervalSinceNow > -60)
    }
  }

  @Test("Without --fill the survivor keeps its nulls")
  func noFill() throws {
    for graph in try graphs() {
      try item(graph, "Milk", day: 1, note: "fresh")
      let new = try item(graph, "Milk", day: 2)
      try graph.dedupe(DedupeRequest(entities: ["Item"], identifiedBy: byName, fills: false))
      #expect(try new.value("note") == .null)
      #expect(try new.value("modified") == day(2))
    }
  }

  @Test("Duplicates that refer to each other leave no reference to the object itself")
  func mutualReferences() throws {
    for graph in try graphs() {
      let a = try item(graph, "Milk", day: 1)
      let b = try item(graph, "Milk", day: 2)
      try a.set(b, for: "parent")
      try b.set(a, for: "parent")
      try graph.dedupe(DedupeRequest(entities: ["Item"], identifiedBy: byName))
      #expect(try keys(graph) == ["2"])
      #expect(try b.destination("parent") == nil)
    }
  }

  @Test("A one-to-one related object moves where there is none; two of one content become one")
  func relatedObjects() throws {
    for texts in [["first"], ["same", "same"]] {
      for graph in try graphs() {
        let items = try (1...3).map { try item(graph, "Milk", day: $0) }
        for (text, owner) in zip(texts, items) {
          try graph.insert("Label", ["text": .string(text), "item": owner.id.key.parts[0]])
        }
        let report = try graph.dedupe(DedupeRequest(entities: ["Item"], identifiedBy: byName))
        #expect(try names(graph.objects("Label"), "text") == [texts[0]])
        #expect(try items[2].destination("label")?.value("text") == .string(texts[0]))
        #expect(report.deleted == nil)
        #expect(report.merged?["Label"] == (texts.count == 2 ? 1 : nil))
      }
    }
  }

  @Test(
    "One-to-one related objects of other content are refused with their list, and kept where they are not named"
  )
  func differingRelatedObjects() throws {
    for graph in try graphs() {
      let items = try (1...3).map { try item(graph, "Milk", day: $0) }
      for (text, owner) in [("first", items[0]), ("second", items[2])] {
        try graph.insert("Label", ["text": .string(text), "item": owner.id.key.parts[0]])
      }
      for entities in [["Item"], []] {
        for isDryRun in [true, false] {
          let error = #expect(throws: CloneError.self) {
            try graph.dedupe(
              DedupeRequest(entities: entities, identifiedBy: byName),
              options: TransferOptions(isDryRun: isDryRun))
          }
          #expect(error?.code == .uniqueValue)
          #expect("\(error!)".contains("Label 1 and Label 2"))
          #expect(try graph.count("Label") == 2)
        }
      }
      var request = byName
      request.paths["Label"] = ["item"]
      try graph.dedupe(DedupeRequest(entities: ["Item", "Label"], identifiedBy: request))
      #expect(try names(graph.objects("Label"), "text") == ["first"])
    }
  }

  @Test("The report counts what goes with groups that it does not list")
  func unlistedGroups() throws {
    for graph in try graphs() {
      for number in 0..<6 { try graph.insert("Tag", ["name": .string("t\(number % 3)")]) }
      let report = try graph.dedupe(DedupeRequest(entities: ["Tag"], identifiedBy: byName, listedGroups: 2))
      #expect(report.groups?.count == 2 && report.unlistedDuplicates == 1)
      #expect(report.text().hasSuffix("merged  1 more\n"))
    }
  }

  @Test("A tie is decided by values, which every device has, not by keys, which differ from store to store")
  func tiesByValues() throws {
    for notes in [["b", "a"], ["a", "b"]] {
      for graph in try graphs() {
        for note in notes { try item(graph, "Milk", day: 1, note: .string(note)) }
        try graph.dedupe(DedupeRequest(entities: ["Item"], identifiedBy: byName))
        #expect(try graph.objects("Item").map { try $0.value("note") } == ["a"])
      }
    }
  }

  @Test("--merge none deletes the others with what they own")
  func noMerge() throws {
    for graph in try graphs() {
      let old = try item(graph, "Milk", day: 1)
      try item(graph, "Milk", day: 2)
      try graph.insert("Part", ["name": "b", "item": old.id.key.parts[0]])
      let report = try graph.dedupe(DedupeRequest(entities: ["Item"], identifiedBy: byName, merge: .none))
      #expect(try keys(graph) == ["2"])
      #expect(try graph.count("Part") == 0)
      #expect(report.deleted == ["Item": 1, "Part": 1])
    }
  }

  @Test("A dry run tells the same and changes nothing")
  func dryRun() throws {
    for graph in try graphs() {
      let items = try (1...3).map { try item(graph, "Milk", day: $0, note: $0 == 1 ? "x" : .null) }
      for owner in items { try graph.insert("Label", ["text": "l", "item": owner.id.key.parts[0]]) }
      var planned = try graph.dedupe(
        DedupeRequest(entities: ["Item"], identifiedBy: byName), options: TransferOptions(isDryRun: true))
      #expect(planned.dryRun)
      #expect(try keys(graph).count == 3)
      #expect(try items[2].value("note") == .null)
      planned.dryRun = false
      #expect(try graph.dedupe(DedupeRequest(entities: ["Item"], identifiedBy: byName)) == planned)
    }
  }

  @Test("What becomes equal by a merge is merged as well")
  func dependents() throws {
    let model = try ObjectModel(
      name: "Prices",
      entities: [
        EntityDescription(
          name: "Article", attributes: [AttributeDescription(name: "name", type: .string)],
          relationships: [
            RelationshipDescription(
              name: "prices", destination: "Price", isToMany: true, inverse: "article", deleteRule: .cascade)
          ]),
        EntityDescription(
          name: "Price",
          attributes: [
            AttributeDescription(name: "currency", type: .string),
            AttributeDescription(name: "modified", type: .date, isOptional: true),
          ],
          relationships: [
            RelationshipDescription(name: "article", destination: "Article", inverse: "prices"),
            RelationshipDescription(
              name: "offers", destination: "Offer", isToMany: true, inverse: "price", deleteRule: .cascade),
          ], uniquenessConstraints: [["article", "currency"]]),
        EntityDescription(
          name: "Offer", attributes: [AttributeDescription(name: "text", type: .string)],
          relationships: [RelationshipDescription(name: "price", destination: "Price", inverse: "offers")]),
      ])
    for graph in [MemoryGraph(model: model), try SQLiteGraph.temporary(model)] as [any TransferGraph] {
      for article in 1...2 {
        try graph.insert("Article", ["name": "Milk"])
        for currency in ["EUR", article == 1 ? "USD" : "GBP"] {
          let price = try graph.insert(
            "Price",
            ["currency": .string(currency), "article": .integer(Int64(article)), "modified": day(article)])
          try graph.insert(
            "Offer", ["text": .string("\(article)\(currency)"), "price": price.id.key.parts[0]])
        }
      }
      let report = try graph.dedupe(DedupeRequest(entities: ["Article"], identifiedBy: ["Article": ["name"]]))
      #expect(report.merged == ["Article": 1, "Price": 1])
      let article = try graph.object("Article", key: 1)
      #expect(try names(article.destinations("prices"), "currency") == ["USD", "EUR", "GBP"])
      let euro = try #require(try article.destinations("prices").first { try $0.value("currency") == "EUR" })
      #expect(try names(euro.destinations("offers"), "text") == ["1EUR", "2EUR"])
      #expect(try graph.count("Offer") == 4)
    }
  }

  @Test("A request that names what is not there says everything at once")
  func wrongRequests() throws {
    for graph in try graphs() {
      #expect(throws: CloneError.self) {
        try graph.dedupe(DedupeRequest(entities: ["Itm"], identifiedBy: byName))
      }
      let none = #expect(throws: CloneError.self) { try graph.dedupe(DedupeRequest(entities: ["Part"])) }
      #expect("\(none!)".contains("--by"))
      let date = #expect(throws: CloneError.self) {
        try graph.dedupe(DedupeRequest(entities: ["Item"], identifiedBy: byName, newest: "modifed"))
      }
      #expect("\(date!)".contains("did you mean 'modified'"))
    }
  }

  @Test("Rows of tables that the model does not know follow as well")
  func unknownTables() throws {
    let queue = try DatabaseQueue()
    try queue.write { db in
      try SchemaWriter(Self.model).create(in: db)
      try db.execute(
        sql: """
          CREATE TABLE order_line(id INTEGER PRIMARY KEY, item_id INTEGER REFERENCES item(id) ON DELETE CASCADE);
          INSERT INTO item(id, name) VALUES (1, 'Milk'), (2, 'Milk');
          INSERT INTO order_line(item_id) VALUES (1), (2), (2), (NULL)
          """)
    }
    try SQLiteGraph(queue, model: Self.model).dedupe(DedupeRequest(entities: ["Item"], identifiedBy: byName))
    let owners = try queue.read { try Int?.fetchAll($0, sql: "SELECT item_id FROM order_line ORDER BY id") }
    #expect(owners == [1, 1, 1, nil])
  }

  /// A table beside the model in which an item has a kind once.
  private func kinds(_ action: String) throws -> DatabaseQueue {
    let queue = try DatabaseQueue()
    try queue.write { db in
      try SchemaWriter(Self.model).create(in: db)
      try db.execute(
        sql: """
          CREATE TABLE kind(item_id INTEGER NOT NULL REFERENCES item(id)\(action), name TEXT, UNIQUE (item_id, name));
          INSERT INTO item(id, name) VALUES (1, 'Milk'), (2, 'Milk'), (3, 'Milk');
          INSERT INTO kind VALUES (1, 'a'), (2, 'a'), (2, 'b'), (3, 'b')
          """)
    }
    return queue
  }

  @Test("A row beside the model that is there already goes with its item, and the report says so")
  func unknownPairs() throws {
    let queue = try kinds(" ON DELETE CASCADE")
    let report = try SQLiteGraph(queue, model: Self.model)
      .dedupe(DedupeRequest(entities: ["Item"], identifiedBy: byName))
    let names = try queue.read {
      try String.fetchAll($0, sql: "SELECT item_id || name FROM kind ORDER BY name")
    }
    #expect(names == ["1a", "1b"])
    #expect(report.merged == ["Item": 2])
    #expect(report.skipped?.map(\.place) == ["kind"])
    #expect(report.skipped?.first?.reason.contains(" in 2 rows collide") == true)
  }

  @Test("A row beside the model that is there already, and must not go, keeps its item")
  func unknownPairsThatStay() throws {
    let queue = try kinds("")
    let error = #expect(throws: CloneError.self) {
      try SQLiteGraph(queue, model: Self.model).dedupe(
        DedupeRequest(entities: ["Item"], identifiedBy: byName))
    }
    #expect(error?.code == .constraintFailed)
    #expect("\(error!)".contains("'kind'"))
    let counts = try queue.read { db in
      try ["item", "kind"].map { try Int.fetchOne(db, sql: "SELECT count(*) FROM \($0)") }
    }
    #expect(counts == [3, 4])
  }

  @Test("Keys of several parts, and texts, choose by their bytes; pairs of such keys move")
  func otherKeys() throws {
    let model = try ObjectModel(
      yaml: """
        version: 1
        name: Keys
        entities:
          Word:
            primaryKey: [{column: language, generate: none}, {column: number, generate: none}]
            attributes: {language: {type: String, column: language}, number: {type: Integer 32, column: number}, text: String}
            relationships: {tags: {destination: Tag, toMany: true, inverse: words}}
          Tag:
            attributes: {name: String}
            relationships: {words: {destination: Word, toMany: true, inverse: tags}}
        """)
    let queue = try DatabaseQueue()
    try queue.write { db in
      try SchemaWriter(model).create(in: db)
      try db.execute(
        sql: """
          INSERT INTO word(language, number, text) VALUES ('en', 10, 'a'), ('de', 7, 'a'), ('en', 9, 'b'), ('en', 11, 'b');
          INSERT INTO tag(id, name) VALUES (1, 'x'), (2, 'y');
          """)
    }
    let graph = SQLiteGraph(queue, model: model)
    let tags = try graph.objects("Tag")
    for word in try graph.objects("Word") { try word.setDestinations(tags, for: "tags") }
    let report = try graph.dedupe(DedupeRequest(entities: ["Word"], identifiedBy: ["Word": ["text"]]))
    #expect(try keys(graph, "Word") == ["de,7", "en,9"])
    #expect(report.groups?.map(\.merged) == [["en,10"], ["en,11"]])
    #expect(try graph.objects("Word").map { try $0.destinations("tags") } == [tags, tags])
    #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM tag_word") } == 4)
  }
}
