import MOCloneEngine
import MOCloneModel

extension ConformanceSuite {
  /// What becomes of objects of the source that have one identity.
  static let joinCases: [TransferCase] = [
    TransferCase("join: a tree that came twice is copied once, with the members of both") { make, found in
      for exists in [false, true] {
        let (source, target) = try make.pair(library())
        for (shelf, books) in [("a", ["x", "y"]), ("b", ["v"]), ("a", ["z", "x"])] {
          let shelf = try source.insert("Shelf", ["name": .string(shelf)])
          try shelf.setDestinations(
            books.map { try source.insert("Book", ["title": .string($0)]) }.reversed(), for: "books")
        }
        let labels = try ["red", "red"].map { try source.insert("Label", ["name": .string($0)]) }
        try source.object("Shelf", key: 1).setDestinations([labels[1]], for: "labels")
        try source.object("Shelf", key: 3).setDestinations([labels[0], labels[1]], for: "labels")
        if exists {
          let shelf = try target.insert("Shelf", ["name": "a"])
          try shelf.setDestinations([target.insert("Book", ["title": "old"])], for: "books")
        }
        let report = try join(source, into: target)
        found.equal(report.merged, ["Shelf": 1, "Book": 1, "Label": 1], "what was joined")
        found.equal(
          report.created,
          exists ? ["Shelf": 1, "Book": 4, "Label": 1] : ["Shelf": 2, "Book": 4, "Label": 1],
          "what was created")
        let shelf = try target.objects("Shelf").first { try $0.text("name") == "a" }!
        // The second book 'x' lies on the first shelf, as the first one does.
        found.equal(
          try shelf.texts("books", "title"), (exists ? ["old"] : []) + ["y", "x", "z"], "the books")
        found.equal(try shelf.destinations("labels").count, 1, "the labels")
        try found.unchanged(target) { try join(source, into: target) }
      }
    },
    TransferCase("join: the first object counts, and the report names what the others hold otherwise") {
      make, found in
      let (source, target) = try make.pair(library())
      let shelves = try ["a", "b"].map { try source.insert("Shelf", ["name": .string($0)]) }
      for (pages, shelf) in [(1, 0), (1, 0), (2, 0), (1, 1)] {
        try source.insert("Book", ["title": "x", "pages": .integer(Int64(pages))]).set(
          shelves[shelf], for: "shelf")
      }
      let report = try join(source, into: target)
      found.equal(try target.objects("Book").map { try $0.value("pages") }, [1], "the pages")
      found.equal(
        try target.objects("Book").map { try $0.destination("shelf")?.text("name") }, ["a"], "the shelf")
      found.equal(report.skipped?.map(\.place), ["Book 3", "Book 4"], "those that differ")
      found.expect(report.skipped?[0].reason.hasPrefix("'pages' differ") == true, "the pages are not named")
      found.expect(report.skipped?[1].reason.hasPrefix("'shelf' differ") == true, "the shelf is not named")
    },
    TransferCase("join: one-to-one objects that would belong to one object are refused with their list") {
      make, found in
      let (source, target) = try make.pair(library())
      for sign in ["s", "t"] {
        let shelf = try source.insert("Shelf", ["name": "a"])
        try source.insert("Sign", ["text": .string(sign)]).set(shelf, for: "shelf")
      }
      let error = try found.refuses(.constraintFailed, "two signs of one shelf", leaving: target) {
        try join(source, into: target)
      }
      found.expect("\(error!)".contains("of Sign 1 is one-to-one"), "the sign is not in '\(error!)'")
      let report = try join(source, into: target, signsBy: ["shelf"])
      found.equal(report.merged, ["Shelf": 1, "Sign": 1], "what was joined")
    },
    TransferCase(
      "join: a linked object is made as the first of its identity, though only a found one leads there"
    ) {
      make, found in
      let (source, target) = try make.pair(library())
      let kinds = try [1, 2].map { try source.insert("Kind", ["name": "k", "size": .integer($0)]) }
      let topic = try source.insert("Topic", ["name": "t", "kind": kinds[0].reference])
      let other = try target.insert("Kind", ["name": "other"])
      try target.insert("Topic", ["name": "t", "kind": other.reference])
      let book = try source.insert("Book", ["title": "x"])
      try book.set(topic, for: "topic")
      try book.set(kinds[1], for: "kind")
      let plan = try ClonePlan(model: source.model, entity: "Book", request: CloneRequest())
      _ = try copying(target).clone(
        plan, roots: [book.id], from: source, SubtreeRequest(identifiedBy: identities, missing: .create),
        options: TransferOptions())
      let copy = try target.objects("Book")[0]
      found.equal(try copy.destination("kind")?.value("size"), 1, "the kind")
      found.equal(
        try target.objects("Kind").map { try $0.text("name") }.sorted(), ["k", "other"], "the kinds")
    },
  ]

  @discardableResult
  private static func join(
    _ source: any ObjectGraph, into target: any ObjectGraph, signsBy: [String] = []
  ) throws -> TransferReport {
    var identities = identities
    if !signsBy.isEmpty { identities.paths["Sign"] = signsBy }
    return try copying(target).copyObjects(
      from: source, CopyRequest(identifiedBy: identities, joinsDuplicates: true), options: TransferOptions())
  }

  private static let identities: IdentityRequest = [
    "Shelf": ["name"], "Book": ["title"], "Label": ["name"], "Topic": ["name"], "Kind": ["name"],
  ]

  // Nothing is unique, so that there can be duplicates.

  private static func library() throws -> ObjectModel {
    try model(
      entity(
        "Shelf", [attribute("name")],
        [
          many("books", "Book", inverse: "shelf", ordered: true), many("labels", "Label", inverse: "shelves"),
          one("sign", "Sign", inverse: "shelf"),
        ]),
      entity(
        "Book", [attribute("title"), attribute("pages", .integer32)],
        [
          one("shelf", "Shelf", inverse: "books"), one("topic", "Topic", inverse: "books"),
          one("kind", "Kind", inverse: "books"),
        ]),
      entity("Label", [attribute("name")], [many("shelves", "Shelf", inverse: "labels")]),
      entity("Sign", [attribute("text")], [one("shelf", "Shelf", inverse: "sign")]),
      entity(
        "Topic", [attribute("name")],
        [many("books", "Book", inverse: "topic"), one("kind", "Kind", inverse: "topics", optional: false)]),
      entity(
        "Kind", [attribute("name"), attribute("size", .integer32)],
        [many("books", "Book", inverse: "kind"), many("topics", "Topic", inverse: "kind")]))
  }
}
