import Foundation
import MOCloneEngine
import MOCloneModel

extension ConformanceSuite {
  /// What a graph does without cloning.
  /// The cases that are about objects, without clones.
  public static let graphCases: [ConformanceCase] = [
    ConformanceCase("inverses are kept in step") { make, found in
      let graph = try make(tree())
      let folders = try ["a", "b", "c"].map { try graph.insert("Folder", ["name": .string($0)]) }
      try folders[0].setDestinations([folders[1], folders[2]], for: "children")
      found.equal(try folders[1].destination("parent"), folders[0], "the parent of a member")
      try folders[2].set(folders[1], for: "parent")
      found.equal(try folders[0].destinations("children"), [folders[1]], "the members that are left")
      try folders[0].add(folders[2], to: "children")
      found.equal(try folders[1].destinations("children"), [], "the members after a move")
      try folders[0].remove(folders[1], from: "children")
      found.equal(try folders[1].destination("parent"), nil, "the parent of a removed member")
    },
    ConformanceCase("one-to-one: a partner is taken over from the one that had it") { make, found in
      let graph = try make(
        model(
          entity("Man", [attribute("name")], [one("hat", "Hat", inverse: "man")]),
          entity("Hat", [attribute("name")], [one("man", "Man", inverse: "hat")])))
      let men = try ["a", "b"].map { try graph.insert("Man", ["name": .string($0)]) }
      let hat = try graph.insert("Hat", ["name": "h"])
      try men[0].set(hat, for: "hat")
      try men[1].set(hat, for: "hat")
      found.equal(try men[0].destination("hat"), nil, "the hat of the first man")
      found.equal(try hat.destination("man"), men[1], "the man under the hat")
      try hat.set(men[0], for: "man")
      found.equal(try men[1].destination("hat"), nil, "the hat of the second man")
    },
    ConformanceCase("one-to-one: a new object takes the partner of the one that had it") { make, found in
      let graph = try make(papers(required: false))
      let doc = try graph.insert("Doc", ["title": "d"])
      let metas = try ["1", "2"].map {
        try graph.insert("Meta", ["text": .string($0), "doc": doc.reference])
      }
      found.equal(try doc.destinations("meta"), [metas[1]], "what belongs to the document")
      found.equal(try metas[0].destination("doc"), nil, "the document of the first one")
    },
    ConformanceCase("an object that is named twice is one destination") { make, found in
      let graph = try make(
        model(
          entity(
            "Post", [attribute("name")],
            [many("tags", "Tag", inverse: "posts"), many("notes", "Note", inverse: "post")]),
          entity("Tag", [attribute("name")], [many("posts", "Post", inverse: "tags")]),
          entity("Note", [attribute("name")], [one("post", "Post", inverse: "notes")])))
      let (post, tag, note) = try (graph.insert("Post"), graph.insert("Tag"), graph.insert("Note"))
      try post.setDestinations([tag, tag], for: "tags")
      found.equal(try post.destinations("tags"), [tag], "the tags")
      try post.setDestinations([note, note], for: "notes")
      found.equal(try post.destinations("notes"), [note], "the notes")
      try note.setDestinations([post, post], for: "post")
      found.equal(try note.destinations("post"), [post], "the post")
    },
    ConformanceCase("a to-one that has a destination takes no second one") { make, found in
      let graph = try make(tree())
      let folders = try ["a", "b", "c"].map { try graph.insert("Folder", ["name": .string($0)]) }
      for _ in 0..<2 { try folders[2].add(folders[0], to: "parent") }
      try found.refuses(.invalidValue, "a second parent", leaving: graph) {
        try folders[2].add(folders[1], to: "parent")
      }
      found.equal(try folders[2].destination("parent"), folders[0], "the parent")
    },
    ConformanceCase("a to-many is not read or set as if it had one destination") { make, found in
      let graph = try make(cards())
      let owner = try graph.insert("Owner", ["name": "o"])
      let cards = try ["a", "b"].map {
        try graph.insert("Card", ["name": .string($0), "owner": owner.reference])
      }
      let problem = "'cards' of \(owner.id) is to-many, so it does not have one destination"
      try found.unchanged(graph) {
        for error in try [
          found.refuses(.invalidValue, "one of the cards") { _ = try owner.destination("cards") },
          found.refuses(.invalidValue, "one card instead of all") { try owner.set(cards[1], for: "cards") },
          found.refuses(.invalidValue, "no card instead of all") { try owner.set(nil, for: "cards") },
        ] {
          found.equal(error?.failures.first?.problem, problem, "the problem")
        }
      }
    },
    ConformanceCase("a wrong name and a wrong key are refused in the same words everywhere") { make, found in
      let graph = try make(cards())
      let owner = try graph.insert("Owner", ["name": "o"])
      func refuses(_ code: DiagnosticCode, _ message: String, _ call: () throws -> Void) throws {
        let error = try found.refuses(code, message, call)
        found.equal(error?.failures.first?.message, message, "what is said")
      }
      try found.unchanged(graph) {
        try refuses(.unknownName, "Owner has no attribute 'cards'; 'cards' is a relationship") {
          _ = try owner.value("cards")
        }
        try refuses(.unknownName, "Owner has no attribute 'cards'; 'cards' is a relationship") {
          try owner.setValue("x", for: "cards")
        }
        try refuses(.unknownName, "Owner has no relationship 'name'; 'name' is an attribute") {
          _ = try owner.destinations("name")
        }
        try refuses(.unknownName, "Owner has no property 'nam'; did you mean 'name'?") {
          try graph.insert("Owner", ["nam": "x"])
        }
        try refuses(.invalidKey, "'abc' is not a valid key of Owner, whose keys are integers") {
          _ = try graph.object("Owner", key: "abc")
        }
        try found.refuses(.noSuchObject, "a key that is too great") {
          _ = try graph.object("Owner", key: "2000000000")
        }
        try found.refuses(.noSuchObject, "a key beyond 64 bits") {
          _ = try graph.object("Owner", key: "9223372036854775808")
        }
        try refuses(.invalidKey, "'1.5' is not a valid key of Owner, whose keys are integers") {
          _ = try graph.object("Owner", key: "1.5")
        }
        try found.refuses(.noSuchObject, "a key in another notation") {
          _ = try graph.object("Owner", key: "2e9")
        }
        for notation in [".0", "e0", " "] {
          let same = try graph.object("Owner", key: ObjectKey([.string("\(owner.id.key)\(notation)")]))
          found.equal(same.id, owner.id, "the object of a key in another notation")
        }
        try found.refuses(.invalidValue, "a to-many of a new object") {
          try graph.insert("Owner", ["name": "x", "cards": 1])
        }
      }
    },
    ConformanceCase(
      "where a to-one must not be null, the model's words say so",
      exceptInMemory: "objects there can be incomplete"
    ) { make, found in
      let graph = try make(cards())
      if found.isException(graph) { return }
      let owner = try graph.insert("Owner", ["name": "o"])
      let card = try graph.insert("Card", ["name": "c", "owner": owner.reference])
      try found.unchanged(graph) {
        for error in try [
          found.refuses(.requiredLeftEmpty, "no owner at first") { try graph.insert("Card", ["name": "d"]) },
          found.refuses(.requiredLeftEmpty, "no owner any more") { try card.set(nil, for: "owner") },
          found.refuses(.requiredLeftEmpty, "a removed card") { try owner.remove(card, from: "cards") },
        ] {
          let failure = error?.failures.first
          found.equal(failure?.problem, "'owner' of Card is required, so it cannot be empty", "the problem")
          found.equal(failure?.entity, "Card", "the entity")
          found.equal(failure?.property, "owner", "the property")
        }
      }
    },
    ConformanceCase("an ordered to-many keeps the order it is given") { make, found in
      let graph = try make(
        model(
          entity("List", [attribute("name")], [many("lines", "Line", inverse: "list", ordered: true)]),
          entity("Line", [attribute("text")], [one("list", "List", inverse: "lines")])))
      let list = try graph.insert("List", ["name": "l"])
      let lines = try ["a", "b", "c"].map { try graph.insert("Line", ["text": .string($0)]) }
      try list.setDestinations([lines[2], lines[0], lines[1]], for: "lines")
      found.equal(try list.texts("lines", "text"), ["c", "a", "b"], "the lines")
      try list.setDestinations([lines[0], lines[2]], for: "lines")
      found.equal(try list.texts("lines", "text"), ["a", "c"], "the lines after a change")
      try lines[1].set(list, for: "list")
      found.equal(try list.texts("lines", "text"), ["a", "c", "b"], "the lines after one was added")
    },
    ConformanceCase("delete rules: cascade, nullify and deny") { make, found in
      let graph = try make(deleting())
      let note = try graph.insert("Note", ["name": "n"])
      let item = try graph.insert("Item", ["name": "i", "note": note.reference])
      let label = try graph.insert("Label", ["name": "l", "note": note.reference])
      let lock = try graph.insert("Lock", ["name": "k", "note": note.reference])
      try graph.insert("Part", ["name": "p", "item": item.reference])
      try found.refuses(.deleteDenied, "a note with a lock", leaving: graph) { try graph.delete(note) }
      try graph.delete(lock)
      try graph.delete(note)
      found.equal(try graph.count("Item") + graph.count("Part") + graph.count("Note"), 0, "what is left")
      found.equal(try label.destination("note"), nil, "the label's note")
      try found.refuses(.noSuchObject, "a deleted object") { _ = try note.value("name") }
    },
    ConformanceCase("keys of deleted objects are not used again, links to them are gone") { make, found in
      let graph = try make(reflexive())
      let people = try ["a", "b"].map { try graph.insert("Person", ["name": .string($0)]) }
      try people[0].setDestinations([people[1]], for: "follows")
      try graph.delete(people[1])
      found.equal(try people[0].destinations("follows"), [], "whom a follows")
      found.equal(try graph.objects("Person"), [people[0]], "who is left")
    },
    ConformanceCase("limits and patterns are checked when an object is made") { make, found in
      var name = attribute("name", optional: false)
      name.maximum = 5
      name.pattern = "[a-z]+"
      var age = attribute("age", .integer16)
      age.minimum = 0
      let graph = try make(model(entity("Person", [name, age])))
      for values: [String: AttributeValue] in [
        ["name": "abcdef"], ["name": "A"], ["name": "a", "age": -1], ["age": 3], ["name": .null],
        ["name": "a", "age": 40_000],
      ] {
        try found.refuses(.invalidValue, "\(values)", leaving: graph) { try graph.insert("Person", values) }
      }
      try graph.insert("Person", ["name": "abc", "age": 0])
    },
    ConformanceCase(
      "rollback takes back a pending clone with values, links, new and deleted objects after it"
    ) { make, found in
      let graph = try make(deleting())
      let note = try graph.insert("Note", ["name": "n"])
      let item = try graph.insert("Item", ["name": "i", "note": note.reference])
      let label = try graph.insert("Label", ["name": "l", "note": note.reference])
      try graph.save()
      try found.unchanged(graph) {
        // A pending clone opens what the rollback ends, in stores that save every other change at once.
        try Cloner().clone(object: note, saveBeforeReturn: false)
        try label.set(nil, for: "note")
        try item.setValue("changed", for: "name")
        let other = try graph.insert("Note", ["name": "other"])
        try item.set(other, for: "note")
        try graph.delete(note)
        try graph.insert("Item", ["name": "new", "note": other.reference])
        try graph.rollback()
      }
    },
  ]

  private static func cards() throws -> ObjectModel {
    try model(
      entity("Owner", [attribute("name")], [many("cards", "Card", inverse: "owner")]),
      entity("Card", [attribute("name")], [one("owner", "Owner", inverse: "cards", optional: false)]))
  }

  private static func deleting() throws -> ObjectModel {
    try model(
      entity(
        "Note", [attribute("name")],
        [
          many("items", "Item", inverse: "note", delete: .cascade), many("labels", "Label", inverse: "note"),
          many("locks", "Lock", inverse: "note", delete: .deny),
        ]),
      entity(
        "Item", [attribute("name")],
        [
          one("note", "Note", inverse: "items", optional: false),
          many("parts", "Part", inverse: "item", delete: .cascade),
        ]),
      entity("Part", [attribute("name")], [one("item", "Item", inverse: "parts", optional: false)]),
      entity("Label", [attribute("name")], [one("note", "Note", inverse: "labels")]),
      entity("Lock", [attribute("name")], [one("note", "Note", inverse: "locks", optional: false)]))
  }
}
