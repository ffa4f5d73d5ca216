import Foundation
import MOCloneEngine
import MOCloneModel

extension ConformanceSuite {
  /// How objects follow rows that identify them over relationships.
  static let syncCases: [ConformanceCase] = [
    ConformanceCase("sync: identified over to-ones, rows name related objects by their values") {
      make, found in
      let graph = try groceries(make)
      let report = try follow(
        graph, [("bread", "de", "Brot"), ("bread", "fr", "le pain"), ("salt", "de", "Salz")])
      found.equal(report.created, ["Translation": 1], "what was made")
      found.equal(report.updated, ["Translation": 1], "what was changed")
      found.equal(report.unchanged, ["Translation": 1], "what stayed")
      found.equal(report.deleted, ["Translation": 1], "what was deleted")
      found.equal(
        try texts(graph), ["bread de Brot", "bread fr le pain", "salt de Salz"], "the translations")
      found.equal(
        [try graph.count("Article"), try graph.count("Language")], [2, 2], "the articles and languages")
      let again = try found.unchanged(graph) {
        try follow(graph, [("bread", "de", "Brot"), ("bread", "fr", "le pain"), ("salt", "de", "Salz")])
      }
      found.equal(again.changes, 0, "the changes of a second sync")
    },
    ConformanceCase("sync: a new object gets a required date of change that its row does not give") {
      make, found in
      let graph = try syncing(
        make(
          model(
            entity(
              "Item", [attribute("name"), attribute("modified", .date, optional: false)],
              unique: [["name"]]))))
      let now = Date(timeIntervalSince1970: 86_400)
      let report = try graph.sync(
        SyncRequest(entity: "Item"), from: [["name": "a"]],
        options: TransferOptions(generator: .fixed(now: now)))
      found.equal(report.created, ["Item": 1], "what was made")
      found.equal(try graph.objects("Item")[0].value("modified"), .date(now), "its date of change")
    },
    ConformanceCase("sync: rows of new objects that do not give what these require are refused, each named") {
      make, found in
      let graph = try syncing(
        make(
          model(entity("Item", [attribute("name"), attribute("kind", optional: false)], unique: [["name"]]))))
      try graph.insert("Item", ["name": "a", "kind": "k"])
      let error = try found.refuses(.invalidValue, "items without kind", leaving: graph) {
        _ = try graph.sync(
          SyncRequest(entity: "Item"), from: [["name": "a"], ["name": "b"], ["name": "c"]])
      }
      found.equal(error?.failures.map { $0.row?.line }, [2, 3], "the rows")
      found.equal(
        error?.failures.first?.problem,
        "row 2: 'kind' of Item is required, and the row of a new object does not give it", "the reason")
    },
    ConformanceCase("sync: a dry run is refused where the run would be: a unique value, too many deletions") {
      make, found in
      let graph = try syncing(
        make(
          model(entity("Card", [attribute("number"), attribute("code")], unique: [["number"], ["code"]]))))
      for (number, code) in [("1", "x"), ("2", "y"), ("3", "z")] {
        try graph.insert("Card", ["number": .string(number), "code": .string(code)])
      }
      for isDryRun in [true, false] {
        func follow(_ rows: [[String: AttributeValue]]) throws {
          try graph.sync(
            SyncRequest(entity: "Card"), from: rows, options: TransferOptions(isDryRun: isDryRun))
        }
        try found.refuses(.uniqueValue, "a code that another card has, dry run: \(isDryRun)", leaving: graph)
        {
          try follow([["number": "1"], ["number": "2"], ["number": "3"], ["number": "4", "code": "z"]])
        }
        try found.refuses(.tooManyDeletions, "two cards of three, dry run: \(isDryRun)", leaving: graph) {
          try follow([["number": "1"]])
        }
      }
    },
    ConformanceCase("sync: several stored objects or rows of one identity are named, whatever its type") {
      make, found in
      let date = AttributeValue.date(Date(timeIntervalSinceReferenceDate: 0.5))
      for (type, value) in [
        (AttributeType.boolean, true), (.integer32, 7), (.string, "x"), (.date, date),
      ] as [(AttributeType, AttributeValue)] {
        let model = try model(entity("Item", [attribute("mark", type)]))
        let (graph, empty) = (try syncing(make(model)), try syncing(make(model)))
        let request = SyncRequest(entity: "Item", identifiedBy: ["Item": ["mark"]])
        let items = try (1...2).map { _ in try graph.insert("Item", ["mark": value]) }
        try found.unchanged(graph) {
          let error = try found.refuses(.ambiguousIdentity, "two stored items of one \(type.rawValue)") {
            _ = try graph.sync(request, from: [["mark": value]])
          }
          found.equal(
            error?.failures.first?.problem,
            "2 objects have mark '\(value)': \(items[0].id), \(items[1].id)", "the list of items")
          let repeated = try found.refuses(.duplicateIdentity, "two rows of one \(type.rawValue)") {
            _ = try empty.sync(request, from: [["mark": value], ["mark": value]])
          }
          found.equal(
            repeated?.failures.first?.problem, "2 rows have mark '\(value)': row 1, 2", "the list of rows")
        }
      }
    },
    ConformanceCase("sync: references that become null with their object are counted") { make, found in
      let graph = try syncing(
        make(
          model(
            entity(
              "Shelf", [attribute("name")], [many("books", "Book", inverse: "shelf")], unique: [["name"]]),
            entity("Book", [attribute("title")], [one("shelf", "Shelf", inverse: "books")]))))
      let shelves = try ["A", "B", "C"].map { try graph.insert("Shelf", ["name": .string($0)]) }
      for (title, shelf) in [("1", 0), ("2", 2), ("3", 2)] {
        try graph.insert("Book", ["title": .string(title), "shelf": shelves[shelf].reference])
      }
      let rows: [[String: AttributeValue]] = [["name": "A"], ["name": "B"]]
      let request = SyncRequest(entity: "Shelf")
      let planned = try graph.sync(request, from: rows, options: TransferOptions(isDryRun: true))
      found.equal(planned.nullified, ["Book.shelf": 2], "what a dry run says of references")
      let report = try graph.sync(request, from: rows)
      found.equal(report.nullified, ["Book.shelf": 2], "the references that became null")
      found.equal(report.cascaded, nil, "what the store removed itself")
      found.equal(
        try graph.objects("Book").map { try $0.destination("shelf") == nil }, [false, true, true],
        "the books without a shelf")
    },
    ConformanceCase("sync: an object that has a row does not go with one that has none") { make, found in
      let graph = try syncing(
        make(
          model(
            entity(
              "Folder", [attribute("name")],
              [
                one("parent", "Folder", inverse: "folders"),
                many("folders", "Folder", inverse: "parent", delete: .cascade),
              ], unique: [["name"]]))))
      var parent: ManagedObject?
      for name in ["a", "b", "c", "d", "e"] {
        let folder = try graph.insert("Folder", ["name": .string(name)])
        if let parent, name < "d" { try folder.set(parent, for: "parent") }
        parent = folder
      }
      func names(_ names: String...) -> [[String: AttributeValue]] { names.map { ["name": .string($0)] } }
      let request = SyncRequest(entity: "Folder")
      let error = try found.refuses(.deleteDenied, "a folder within one that goes", leaving: graph) {
        try graph.sync(request, from: names("a", "c", "d", "e"))
      }
      found.expect("\(error!)".contains("2: Folder 3"), "'\(error!)' does not name row and object")
      let report = try graph.sync(request, from: names("a", "d", "e"))
      found.equal(report.deleted, ["Folder": 2], "what is deleted together")
      found.equal(report.unchanged, ["Folder": 3], "what stays")
    },
    ConformanceCase("sync: a row that gives what is deleted with another object is refused") { make, found in
      let graph = try syncing(
        make(
          model(
            entity(
              "Board", [attribute("name")],
              [many("cards", "Card", inverse: "board", delete: .cascade), one("lead", "Card")],
              unique: [["name"]]),
            entity("Card", [attribute("title")], [one("board", "Board", inverse: "cards")]))))
      let boards = try ["a", "b", "c"].map { try graph.insert("Board", ["name": .string($0)]) }
      let cards = try boards.map { try graph.insert("Card", ["title": "t", "board": $0.reference]) }
      var request = SyncRequest(entity: "Board", overwriting: ["lead"])
      request.isConfirmed = true
      for name in ["a", "new"] {
        try found.refuses(.noSuchObject, "a card of a board that goes", leaving: graph) {
          try graph.sync(
            request, from: [["name": .string(name), "lead": cards[2].reference], ["name": "b"]])
        }
      }
      try graph.sync(request, from: [["name": "a", "lead": cards[0].reference], ["name": "b"]])
      found.equal(try boards[0].destination("lead"), cards[0], "the lead of a board that stays")
    },
    ConformanceCase("sync: what an object was found by may go with others, in a tree of two entities") {
      make, found in
      let graph = try syncing(
        make(
          model(
            entity(
              "Folder", [attribute("name")],
              [one("parent", "Folder", inverse: "folders"), many("folders", "Folder", inverse: "parent")]),
            entity("Album", parent: "Folder"))))
      let top = try graph.insert("Folder", ["name": "top"])
      for (entity, name) in [("Folder", "a"), ("Album", "b"), ("Album", "c")] {
        try graph.insert(entity, ["name": .string(name), "parent": top.reference])
      }
      let report = try graph.sync(
        SyncRequest(entity: "Folder", identifiedBy: ["Folder": ["parent.name", "name"]]),
        from: ["a", "b"].map { ["parent.name": "top", "name": .string($0)] })
      found.equal(report.deleted, ["Album": 1, "Folder": 1], "what was deleted")
      found.equal(report.unchanged, ["Album": 1, "Folder": 1], "what was found")
      found.equal(report.nullified, ["Folder.parent": 2], "the references that became null")
    },
    ConformanceCase("sync: a one-to-one partner is taken from the object that had it, unless that keeps it") {
      make, found in
      for isRequired in [false, true] {
        let graph = try syncing(make(papers(required: isRequired)))
        let docs = try ["a", "b"].map { try graph.insert("Doc", ["title": .string($0)]) }
        for (text, doc) in zip(["1", "2"], docs) {
          try graph.insert("Meta", ["text": .string(text), "doc": doc.reference])
        }
        func follow(_ rows: (text: String, doc: Int?)...) throws {
          let rows = rows.map { row in
            var values: [String: AttributeValue] = ["text": .string(row.text)]
            values["doc"] = row.doc.map { docs[$0].reference }
            return values
          }
          try graph.sync(SyncRequest(entity: "Meta", overwriting: ["doc"]), from: rows)
        }
        func metas() throws -> [String] { try docs.flatMap { try $0.texts("meta", "text") } }
        try follow(("1", 1), ("2", 0))
        found.equal(try metas(), ["2", "1"], "the partners after a swap")
        try found.unchanged(graph) {
          try found.refuses(.constraintFailed, "a partner that its row keeps") {
            try follow(("1", 1), ("2", nil), ("3", 1))
          }
          try found.refuses(.constraintFailed, "a partner of two rows") {
            try follow(("1", nil), ("2", 1), ("3", 1))
          }
          guard isRequired else { return }
          try found.refuses(.constraintFailed, "a partner that is required") {
            try follow(("1", nil), ("2", nil), ("3", 0))
          }
        }
        if isRequired { continue }
        try follow(("1", nil), ("2", nil), ("3", 0))
        found.equal(try metas(), ["3", "1"], "the partners after one was taken")
        try follow(("1", 0), ("2", 1), ("3", nil))
        found.equal(try metas(), ["1", "2"], "the partners after a change of all")
      }
    },
    ConformanceCase("sync: objects are found by UUIDs") { make, found in
      let model = try model(
        entity(
          "Device", [attribute("code", .uuid, optional: false), attribute("name")], unique: [["code"]]))
      let graph = try syncing(make(model))
      let code = UUID(uuidString: "A0000000-0000-4000-8000-000000000001")!
      try graph.insert("Device", ["code": .uuid(code), "name": "old"])
      let report = try graph.sync(
        SyncRequest(entity: "Device", overwriting: ["name"]), from: [["code": .uuid(code), "name": "new"]])
      found.equal(report.updated, ["Device": 1], "what was changed")
      found.equal(report.created, nil, "what was made")
    },
    ConformanceCase("sync: new objects come to the end of the lists that they belong to") { make, found in
      let graph = try groceries(make)
      try follow(
        graph,
        [("bread", "de", "Brot"), ("bread", "fr", "pain"), ("salt", "fr", "sel"), ("salt", "de", "Salz")])
      let salt = try graph.objects("Article")[1]
      found.equal(try salt.texts("translations", "text"), ["sel", "Salz"], "the translations of salt")
    },
    ConformanceCase("sync: objects join a list in the order of their rows, new or moved there") {
      make, found in
      let graph = try groceries(make)
      let request = SyncRequest(
        entity: "Translation", identifiedBy: ["Translation": ["text"]], overwriting: ["article"],
        deletes: false)
      try graph.sync(
        request, from: ["Broetchen", "sel", "baguette"].map { ["text": .string($0), "article": 1] })
      let bread = try graph.objects("Article")[0]
      found.equal(
        try bread.texts("translations", "text"), ["Brot", "pain", "Broetchen", "sel", "baguette"],
        "the translations of bread")
    },
    ConformanceCase(
      "sync: a row whose related object is not there, or there twice, is refused with its place"
    ) {
      make, found in
      let graph = try groceries(make)
      try graph.insert("Article", ["name": "salt"])
      let rows = [
        ("bread", "de", "Brot"), ("bread", "fr", "pain"), ("salt", "de", "Salz"), ("milk", "de", "Milch"),
      ]
      for isDryRun in [false, true] {
        let error = try found.refuses(
          .ambiguousIdentity, "two articles 'salt', none 'milk'", leaving: graph
        ) {
          try follow(graph, rows, isDryRun: isDryRun)
        }
        for part in ["row 3: 2 objects of Article have the name 'salt'", "row 4: the store has no Article"] {
          found.expect("\(error!)".contains(part), "'\(part)' is not in '\(error!)'")
        }
      }
    },
    ConformanceCase(
      "sync: a row that names no related object is a bad row, and so are two for one object"
    ) {
      make, found in
      let graph = try groceries(make)
      try found.unchanged(graph) {
        let error = try found.refuses(.badRow, "a row without an article") {
          try follow(
            graph, [("bread", "de", "Brot"), ("bread", "fr", "pain"), ("", "de", "x"), ("salt", "fr", "sel")])
        }
        found.expect("\(error!)".contains("row 3"), "the row is not in '\(error!)'")
        found.expect(!"\(error!)".contains("row 3: row 3"), "the row is twice in '\(error!)'")
        try found.refuses(.duplicateIdentity, "two rows for one translation") {
          try follow(graph, [("bread", "de", "Brot"), ("bread", "de", "Brote")])
        }
      }
    },
    ConformanceCase("sync: several values of one related object, over several to-ones, and a limit") {
      make, found in
      let graph = try groceries(make)
      let bakers = try ["A", "B"].map { try graph.insert("Brand", ["name": .string($0)]) }
      for (name, baker) in zip(["roll", "roll"], bakers) {
        try graph.insert("Article", ["name": .string(name), "brand": baker.reference])
      }
      let request = SyncRequest(
        entity: "Translation",
        identifiedBy: ["Translation": ["article.name", "article.brand.name", "language.code"]],
        scope: ["article.name": "roll"])
      let rows: [[String: AttributeValue]] = ["B", "A"].map {
        ["article.brand.name": .string($0), "language.code": "de", "text": .string("Semmel " + $0)]
      }
      let report = try graph.sync(request, from: rows)
      found.equal(report.created, ["Translation": 2], "what was made")
      found.equal(report.deleted, nil, "what was deleted")
      let brands = try graph.objects("Translation").suffix(2).map {
        "\(try $0.text("text")) \(try $0.destination("article")!.destination("brand")!.text("name"))"
      }
      found.equal(brands, ["Semmel B B", "Semmel A A"], "the translations of both rolls")
      found.equal(try graph.sync(request, from: rows).changes, 0, "the changes of a second sync")
    },
    ConformanceCase("sync: a relationship that a value finds is not given by its key as well") {
      make, found in
      let graph = try groceries(make)
      let error = try found.refuses(.unknownName, "an article's key beside its name", leaving: graph) {
        try graph.sync(
          SyncRequest(entity: "Translation", identifiedBy: ["Translation": ["article.name"]]),
          from: [["article.name": "bread", "article": 2]])
      }
      found.expect("\(error!)".contains("give 'article.name' alone"), "'\(error!)'")
    },
    ConformanceCase("sync: what cannot be given by rows is refused with the reason") { make, found in
      let graph = try syncing(make(dictionary()))
      for (path, reason) in [
        ("article.brand", "name an attribute of Brand"), ("note.text", "is kept by Note"),
      ] {
        let error = try found.refuses(.invalidValue, path) {
          _ = try SyncPlan(
            graph.model, SyncRequest(entity: "Translation", identifiedBy: ["Translation": [path]]))
        }
        found.expect("\(error!)".contains(reason), "'\(reason)' is not in '\(error!)'")
      }
    },
  ]

  private static func syncing(_ graph: any ObjectGraph) throws -> any SyncingGraph {
    guard let graph = graph as? any SyncingGraph else {
      throw CloneError(.invalidValue, "this graph follows no rows")
    }
    return graph
  }

  @discardableResult
  private static func follow(
    _ graph: any SyncingGraph, _ rows: [(article: String, language: String, text: String)],
    isDryRun: Bool = false
  ) throws -> TransferReport {
    let request = SyncRequest(
      entity: "Translation", identifiedBy: ["Translation": ["article.name", "language.code"]],
      overwriting: ["text"])
    return try graph.sync(
      request,
      from: rows.map {
        [
          "article.name": .string($0.article), "language.code": .string($0.language),
          "text": .string($0.text),
        ]
      }, options: TransferOptions(isDryRun: isDryRun))
  }

  private static func texts(_ graph: any ObjectGraph) throws -> [String] {
    try graph.objects("Translation").map { translation in
      let names = try [("article", "name"), ("language", "code")].map {
        try translation.destination($0.0)?.text($0.1) ?? "-"
      }
      return (names + [try translation.text("text")]).joined(separator: " ")
    }.sorted()
  }

  /// Documents with one object each, which holds the reference.
  static func papers(required: Bool) throws -> ObjectModel {
    try model(
      entity("Doc", [attribute("title")], [one("meta", "Meta", inverse: "doc")]),
      entity(
        "Meta", [attribute("text")], [one("doc", "Doc", inverse: "meta", optional: !required)],
        unique: [["text"]]))
  }

  private static func dictionary() throws -> ObjectModel {
    try model(
      entity(
        "Article", [attribute("name", optional: false)],
        [many("translations", "Translation", inverse: "article", ordered: true), one("brand", "Brand")]),
      entity("Brand", [attribute("name")]), entity("Language", [attribute("code")], unique: [["code"]]),
      entity(
        "Translation", [attribute("text")],
        [
          one("article", "Article", inverse: "translations", optional: false), one("language", "Language"),
          one("note", "Note", inverse: "translation"),
        ]),
      entity(
        "Note", [attribute("text")], [one("translation", "Translation", inverse: "note", optional: false)]))
  }

  /// Bread in both languages, salt in one.
  private static func groceries(_ make: GraphMaker) throws -> any SyncingGraph {
    let graph = try syncing(make(dictionary()))
    let articles = try ["bread", "salt"].map { try graph.insert("Article", ["name": .string($0)]) }
    let languages = try ["de", "fr"].map { try graph.insert("Language", ["code": .string($0)]) }
    for (article, language, text) in [(0, 0, "Brot"), (0, 1, "pain"), (1, 1, "sel")] {
      try graph.insert(
        "Translation",
        [
          "text": .string(text), "article": articles[article].reference,
          "language": languages[language].reference,
        ])
    }
    try graph.save()
    return graph
  }
}
