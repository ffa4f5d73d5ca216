import Foundation
import MOCloneEngine
import MOCloneModel

extension ConformanceSuite {
  /// Shapes of models whose objects come from one graph into another, and from there into a third.
  static let copyShapeCases: [TransferCase] = [
    roundTrip("a tree whose children have an order, with a second relationship, in a cycle") {
      try model(
        entity(
          "Folder", [attribute("name")],
          [
            one("parent", "Folder", inverse: "children"),
            many("children", "Folder", inverse: "parent", ordered: true), one("shortcut", "Folder"),
          ], unique: [["name"]]))
    } fill: { graph in
      let folders = try (0..<5).map { try graph.insert("Folder", ["name": .string("f\($0)")]) }
      try folders[0].setDestinations([folders[3], folders[1], folders[2]], for: "children")
      try folders[1].setDestinations([folders[4]], for: "children")
      try folders[4].set(folders[0], for: "shortcut")
      try folders[0].set(folders[4], for: "shortcut")
    },
    roundTrip("many-to-many, ordered on both sides") {
      try model(
        entity(
          "Song", [attribute("name")], [many("lists", "List", inverse: "songs", ordered: true)],
          unique: [["name"]]),
        entity(
          "List", [attribute("name")], [many("songs", "Song", inverse: "lists", ordered: true)],
          unique: [["name"]]))
    } fill: { graph in
      let songs = try ["a", "b", "c"].map { try graph.insert("Song", ["name": .string($0)]) }
      let lists = try ["x", "y", "z"].map { try graph.insert("List", ["name": .string($0)]) }
      try lists[0].setDestinations([songs[2], songs[0]], for: "songs")
      try lists[2].setDestinations([songs[1], songs[2], songs[0]], for: "songs")
      try lists[1].setDestinations([songs[2]], for: "songs")
      try songs[2].setDestinations([lists[2], lists[1], lists[0]], for: "lists")
    },
    roundTrip("lists and pairs that only their owner knows of") {
      try model(
        entity(
          "Album", [attribute("name")],
          [many("photos", "Photo", ordered: true), many("tags", "Tag", join: JoinTableDescription())],
          unique: [["name"]]),
        entity("Photo", [attribute("name")], unique: [["name"]]),
        entity("Tag", [attribute("name")], unique: [["name"]]))
    } fill: { graph in
      let photos = try ["a", "b", "c"].map { try graph.insert("Photo", ["name": .string($0)]) }
      let tags = try ["t", "u"].map { try graph.insert("Tag", ["name": .string($0)]) }
      for (name, members) in [("x", [2, 0]), ("y", [1])] {
        let album = try graph.insert("Album", ["name": .string(name)])
        try album.setDestinations(members.map { photos[$0] }, for: "photos")
        try album.setDestinations(tags, for: "tags")
      }
    },
    roundTrip("sub-entities whose references share a column") {
      let subject = ForeignKeyColumn("subject_id")
      func subjectOf(_ destination: String) -> RelationshipDescription {
        RelationshipDescription(
          name: destination.lowercased(), destination: destination, isOptional: true, inverse: "comments",
          columns: [subject])
      }
      return try model(
        entity(
          "Post", [attribute("name")], [many("comments", "PostComment", inverse: "post")], unique: [["name"]]),
        entity(
          "Photo", [attribute("name")], [many("comments", "PhotoComment", inverse: "photo")],
          unique: [["name"]]),
        entity("Comment", abstract: true, [attribute("text")], unique: [["text"]]),
        entity("PostComment", parent: "Comment", [], [subjectOf("Post")]),
        entity("PhotoComment", parent: "Comment", [attribute("place")], [subjectOf("Photo")]))
    } fill: { graph in
      let photos = try ["p", "q", "r"].map { try graph.insert("Photo", ["name": .string($0)]) }
      let post = try graph.insert("Post", ["name": "n"])
      for (text, photo) in [("1", 2), ("2", 0), ("3", 2)] {
        try graph.insert(
          "PhotoComment", ["text": .string(text), "place": "here", "photo": photos[photo].reference])
      }
      try graph.insert("PostComment", ["text": "4", "post": post.reference])
      try graph.insert("PostComment", ["text": "5"])
    },
    roundTrip("keys of a reference and a part, which other references are made of") {
      var line = entity(
        "Line", [attribute("part", .integer32, optional: false, column: "part"), attribute("text")],
        [
          one("order", "Order", inverse: "lines", optional: false),
          many("remarks", "Remark", inverse: "line"),
        ])
      line.primaryKey = [KeyColumn("order_id"), KeyColumn("part")]
      let own = RelationshipDescription(
        name: "line", destination: "Line", isOptional: true, inverse: "remarks",
        columns: [ForeignKeyColumn("o", references: "order_id"), ForeignKeyColumn("p", references: "part")])
      return try model(
        entity("Order", [attribute("name")], [many("lines", "Line", inverse: "order")], unique: [["name"]]),
        line, entity("Remark", [attribute("name")], [own], unique: [["name"]]))
    } fill: { graph in
      let remarks = try ["r", "s", "t"].map { try graph.insert("Remark", ["name": .string($0)]) }
      for (name, remark) in [("o", 0), ("p", 1)] {
        let order = try graph.insert("Order", ["name": .string(name)])
        for part in 1...2 {
          let line = try graph.insert(
            "Line", ["part": .integer(Int64(part)), "text": .string(name), "order": order.reference])
          if part == 2 { try remarks[remark].set(line, for: "line") }
        }
      }
    },
    roundTrip("an object that names one of those that belong to it, by a reference that holds its own key") {
      try customers()
    } fill: { graph in
      try fillCustomers(graph)
    },
    roundTrip("an object that names one of its parts by the whole key of that, which holds its own") {
      var revision = entity(
        "Revision",
        [attribute("number", .integer32, optional: false, column: "number"), attribute("text")],
        [
          one("doc", "Doc", inverse: "revisions", optional: false),
          one("currentOf", "Doc", inverse: "current"),
        ])
      revision.primaryKey = [KeyColumn("doc_id"), KeyColumn("number")]
      let current = RelationshipDescription(
        name: "current", destination: "Revision", isOptional: true, inverse: "currentOf",
        columns: [
          ForeignKeyColumn("id", references: "doc_id"), ForeignKeyColumn("current", references: "number"),
        ])
      return try model(
        entity(
          "Doc", [attribute("name")], [current, many("revisions", "Revision", inverse: "doc")],
          unique: [["name"]]), revision)
    } fill: { graph in
      for name in ["a", "b"] {
        let doc = try graph.insert("Doc", ["name": .string(name)])
        for number in 1...2 {
          let revision = try graph.insert(
            "Revision",
            ["number": .integer(Int64(number)), "text": .string(name), "doc": doc.reference])
          if name == "b", number == 2 { try doc.set(revision, for: "current") }
        }
      }
    },
    roundTrip("keys that are UUIDs or texts, and references to them") {
      var author = entity("Author", [attribute("name")], [one("friend", "Author")], unique: [["name"]])
      author.primaryKey = [KeyColumn("id", generate: .uuid)]
      var country = entity(
        "Country", [attribute("code", optional: false, column: "code"), attribute("name")])
      country.primaryKey = [KeyColumn("code", generate: KeyGeneration.none)]
      author.relationships.append(one("country", "Country"))
      author.relationships.append(many("books", "Book", inverse: "authors"))
      return try model(
        author, country,
        entity("Book", [attribute("name")], [many("authors", "Author", inverse: "books")], unique: [["name"]])
      )
    } fill: { graph in
      let authors = try ["a", "b", "c"].map { try graph.insert("Author", ["name": .string($0)]) }
      let books = try ["x", "y"].map { try graph.insert("Book", ["name": .string($0)]) }
      let country = try graph.insert("Country", ["code": "CH", "name": "Switzerland"])
      try authors[0].set(authors[2], for: "friend")
      try authors[2].set(authors[1], for: "friend")
      try authors[1].set(country, for: "country")
      try books[0].setDestinations([authors[2], authors[0]], for: "authors")
      try books[1].setDestinations([authors[2]], for: "authors")
    },
    roundTrip("one-to-one, from either side, by which an object is identified") {
      try model(
        entity(
          "Man", [attribute("name")],
          [one("card", "Card", inverse: "man"), one("dog", "Dog", inverse: "man")], unique: [["name"]]),
        entity(
          "Card", [attribute("number")], [one("man", "Man", inverse: "card", optional: false)],
          unique: [["man"]]),
        entity("Dog", [attribute("name")], [one("man", "Man", inverse: "dog")], unique: [["name"]]))
    } fill: { graph in
      let dogs = try ["x", "y"].map { try graph.insert("Dog", ["name": .string($0)]) }
      for (name, dog) in [("m", 1), ("n", 0)] {
        let man = try graph.insert("Man", ["name": .string(name)])
        try graph.insert("Card", ["number": .string(name), "man": man.reference])
        try man.set(dogs[dog], for: "dog")
      }
    },
    TransferCase("copy: a selected object is identified by what does not come along") { make, found in
      let model = try model(
        entity("Town", [attribute("name")], [many("streets", "Street", inverse: "town")], unique: [["name"]]),
        entity(
          "Street", [attribute("name")], [one("town", "Town", inverse: "streets")]))
      let (source, target) = try make.pair(model)
      for graph in [source, target] {
        for name in graph === source ? ["a", "b"] : ["b", "c"] {
          let town = try graph.insert("Town", ["name": .string(name)])
          try graph.insert("Street", ["name": "main", "town": town.reference])
        }
      }
      let request = CopyRequest(
        entities: ["Street"], identifiedBy: ["Street": ["town.name", "name"]], exclude: ["Street.town"])
      let report = try copying(target).copyObjects(from: source, request, options: TransferOptions())
      found.equal(report.created, ["Street": 1], "what was created")
      found.equal(report.found, ["Street": 1], "what was found")
      found.equal(report.skipped, nil, "what was left out")
    },
    TransferCase("copy: a tree whose names are unique within their parent, into a store that has none of it")
    {
      make, found in
      let model = try model(
        entity(
          "Folder", [attribute("name")],
          [
            one("parent", "Folder", inverse: "children"), many("children", "Folder", inverse: "parent"),
            many("files", "File", inverse: "folder"),
          ], unique: [["parent", "name"]]),
        entity(
          "File", [attribute("name")], [one("folder", "Folder", inverse: "files", optional: false)],
          unique: [["folder", "name"]]))
      let (source, target) = try make.pair(model)
      var folder = try source.insert("Folder", ["name": "root"])
      for name in ["a", "a", "b"] {
        try source.insert("File", ["name": "text", "folder": folder.reference])
        folder = try source.insert("Folder", ["name": .string(name), "parent": folder.reference])
      }
      let report = try copying(target).copyObjects(from: source, CopyRequest(), options: TransferOptions())
      found.equal(report.created, ["Folder": 4, "File": 3], "what was created")
      found.equal(
        try GraphSnapshot(target).keyless(model), try GraphSnapshot(source).keyless(model), "the copy")
      try found.refuses(.identityCycle, "a second copy") {
        try copying(target).copyObjects(from: source, CopyRequest(), options: TransferOptions())
      }
      found.equal(try target.count("Folder"), 4, "the folders after the second copy")
    },
    TransferCase("copy: long decimals and texts that look like numbers arrive as they are") {
      make, found in
      let model = try model(
        entity(
          "Thing", [attribute("name"), attribute("price", .decimal)],
          unique: [["name"]]))
      let (source, target) = try make.pair(model)
      let price = AttributeValue.decimal(Decimal(string: "12345678901234567890.12345678901234567")!)
      try source.insert("Thing", ["name": "007", "price": price])
      try copying(target).copyObjects(from: source, CopyRequest(), options: TransferOptions())
      let thing = try target.objects("Thing")[0]
      found.equal(try thing.value("name"), "007", "the name")
      found.equal(try thing.value("price"), price, "the price")
    },
  ]

  /// Customers with contacts, of which one is the main one: it must be one of their own.
  static func customers() throws -> ObjectModel {
    let main = RelationshipDescription(
      name: "main", destination: "Contact", isOptional: true, inverse: "mainOf",
      columns: [
        ForeignKeyColumn("main_id", references: "id"), ForeignKeyColumn("id", references: "customer_id"),
      ])
    return try model(
      entity(
        "Customer", [attribute("name"), attribute("kind")],
        [main, many("contacts", "Contact", inverse: "customer")],
        unique: [["name"]]),
      entity(
        "Contact", [attribute("name")],
        [one("customer", "Customer", inverse: "contacts"), one("mainOf", "Customer", inverse: "main")],
        unique: [["name"]]))
  }

  /// Makes two customers with two contacts each, of which the second one of the second customer is the main one.
  static func fillCustomers(_ graph: any ObjectGraph) throws {
    for (name, contacts) in [("x", ["a", "b"]), ("y", ["c", "d"])] {
      let customer = try graph.insert("Customer", ["name": .string(name), "kind": "k"])
      for contact in contacts {
        let made = try graph.insert(
          "Contact", ["name": .string(contact), "customer": customer.reference])
        if contact == "d" { try customer.set(made, for: "main") }
      }
    }
  }

  private static func roundTrip(
    _ shape: String, model: @escaping @Sendable () throws -> ObjectModel,
    fill: @escaping @Sendable (any ObjectGraph) throws -> Void
  ) -> TransferCase {
    TransferCase("copy: \(shape): there and back, and again") { make, found in
      let model = try model()
      let (source, target) = try make.pair(model, filling: fill)
      let before = try GraphSnapshot(source).keyless(model)
      try copying(target).copyObjects(from: source, CopyRequest(), options: TransferOptions())
      found.equal(try GraphSnapshot(target).keyless(model), before, "the copy")
      let back = try copying(make.source(model))
      try back.copyObjects(from: target, CopyRequest(), options: TransferOptions())
      found.equal(try GraphSnapshot(back).keyless(model), before, "the copy that came back")
      let again = try found.unchanged(target) {
        try copying(target).copyObjects(from: source, CopyRequest(), options: TransferOptions())
      }
      found.equal(again.created, [:], "what the second copy created")
    }
  }
}
