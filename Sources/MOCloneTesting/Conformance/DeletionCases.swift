import MOCloneEngine
import MOCloneModel

extension ConformanceSuite {
  /// What goes with a deleted object, and what holds it back.
  static let deletionCases: [ConformanceCase] = [
    ConformanceCase("deletion: what denies it is no obstacle where it is deleted as well") { make, found in
      let model = try model(
        entity(
          "Note", [attribute("name")],
          [
            many("items", "Item", inverse: "note", delete: .cascade),
            many("locks", "Lock", inverse: "note", delete: .deny),
          ]),
        entity(
          "Item", [attribute("name")],
          [one("note", "Note", inverse: "items"), many("locks", "Lock", inverse: "item", delete: .cascade)]),
        entity(
          "Lock", [attribute("name")],
          [one("note", "Note", inverse: "locks"), one("item", "Item", inverse: "locks")]))
      let graph = try make(model)
      let note = try graph.insert("Note", ["name": "n"])
      let item = try graph.insert("Item", ["name": "i", "note": note.reference])
      let own = try graph.insert("Lock", ["name": "own", "note": note.reference, "item": item.reference])
      let free = try graph.insert("Lock", ["name": "free", "note": note.reference])
      try found.refuses(.deleteDenied, "a note with a lock of its own", leaving: graph) {
        try graph.delete(note)
      }
      try graph.delete([note.id, free.id])
      found.equal(try graph.count("Note") + graph.count("Item") + graph.count("Lock"), 0, "what is left")
      try found.refuses(.noSuchObject, "a lock that went with its item") { _ = try own.value("name") }
    },
    ConformanceCase("deletion: cascades in a circle, over a tree and to itself end") { make, found in
      let model = try model(
        entity(
          "Folder", [attribute("name")],
          [
            one("parent", "Folder", inverse: "children"),
            many("children", "Folder", inverse: "parent", delete: .cascade),
            one("twin", "Folder", inverse: "twinOf", delete: .cascade),
            one("twinOf", "Folder", inverse: "twin"),
          ]))
      let graph = try make(model)
      let folders = try (0..<6).map { try graph.insert("Folder", ["name": .string("f\($0)")]) }
      try folders[0].setDestinations([folders[0], folders[1]], for: "children")
      try folders[1].set(folders[2], for: "twin")
      try folders[2].setDestinations([folders[3]], for: "children")
      try folders[3].set(folders[1], for: "twin")
      try folders[4].set(folders[5], for: "twin")
      try graph.delete(folders[1])
      found.equal(
        try graph.objects("Folder").map { try $0.text("name") }, ["f0", "f4", "f5"], "what is left")
      try graph.delete(folders[0])
      try graph.delete(folders[5])
      found.equal(try graph.objects("Folder").map { try $0.text("name") }, ["f4"], "what is left at the end")
      found.expect(try folders[4].destination("twin") == nil, "f4 has its twin still")
    },
    ConformanceCase("deletion: lists close up and keep their order, pairs go on both sides") { make, found in
      let model = try model(
        entity(
          "Note", [attribute("name")],
          [
            many("items", "Item", inverse: "note", ordered: true),
            many("tags", "Tag", inverse: "notes", ordered: true),
          ]),
        entity("Item", [attribute("name")], [one("note", "Note", inverse: "items")]),
        entity("Tag", [attribute("name")], [many("notes", "Note", inverse: "tags", ordered: true)]))
      let graph = try make(model)
      let notes = try ["m", "n"].map { try graph.insert("Note", ["name": .string($0)]) }
      let items = try ["a", "b", "c"].map { try graph.insert("Item", ["name": .string($0)]) }
      let tags = try ["x", "y", "z"].map { try graph.insert("Tag", ["name": .string($0)]) }
      try notes[0].setDestinations([items[2], items[0], items[1]], for: "items")
      for note in notes { try note.setDestinations([tags[2], tags[1], tags[0]], for: "tags") }
      try tags[1].setDestinations([notes[1], notes[0]], for: "notes")
      try graph.delete([items[0].id, tags[2].id])
      found.equal(try notes[0].texts("items", "name"), ["c", "b"], "the items")
      found.equal(try notes[1].texts("tags", "name"), ["y", "x"], "the tags")
      try graph.delete(notes[1])
      found.equal(try tags[1].texts("notes", "name"), ["m"], "the notes of a tag")
      try graph.delete(notes[0])
      found.equal(
        try items.dropFirst().map { try $0.destination("note") == nil }, [true, true], "free items")
    },
    ConformanceCase("deletion: a sub-entity follows the rules of its base and its own") { make, found in
      let model = try model(
        entity(
          "Document", abstract: true, [attribute("name")],
          [many("pages", "Page", inverse: "document", delete: .cascade)]),
        entity("Letter", parent: "Document", [], [many("stamps", "Stamp", inverse: "letter", delete: .deny)]),
        entity("Memo", parent: "Document"),
        entity("Page", [attribute("name")], [one("document", "Document", inverse: "pages", optional: false)]),
        entity("Stamp", [attribute("name")], [one("letter", "Letter", inverse: "stamps")]))
      let graph = try make(model)
      let letter = try graph.insert("Letter", ["name": "l"])
      let memo = try graph.insert("Memo", ["name": "m"])
      for document in [letter, memo] {
        for _ in 0..<2 { try graph.insert("Page", ["document": document.reference]) }
      }
      let stamp = try graph.insert("Stamp", ["letter": letter.reference])
      try graph.delete(memo)
      try found.refuses(.deleteDenied, "a letter with a stamp") { try graph.delete(letter) }
      found.equal(try graph.count("Page"), 2, "the pages of the letter")
      try graph.delete([stamp.id, letter.id])
      found.equal([try graph.count("Page"), try graph.count("Document")], [0, 0], "what is left")
    },
    ConformanceCase("deletion: what cannot do without a deleted object refuses it, unless it goes too") {
      make, found in
      for rule in [DeleteRule.nullify, .noAction] {
        let model = try model(
          entity("Note", [attribute("name")], [many("items", "Item", inverse: "note", delete: rule)]),
          entity("Item", [attribute("name")], [one("note", "Note", inverse: "items", optional: false)]))
        let graph = try make(model)
        let note = try graph.insert("Note", ["name": "n"])
        let item = try graph.insert("Item", ["name": "i", "note": note.reference])
        try found.unchanged(graph) {
          let error = try deletionError { try graph.delete(note) }
          // A foreign key that the database itself holds names no object.
          let isNamed = error?.contains("Item 1") == true || (error != nil && rule == .noAction)
          found.expect(isNamed, "\(rule): '\(error ?? "nothing")' does not name the item")
        }
        try graph.delete([item.id, note.id])
        found.equal(try graph.count("Note") + graph.count("Item"), 0, "what is left")
      }
    },
    ConformanceCase("deletion: to-ones without inverse become empty where they may") { make, found in
      let model = try model(
        entity("Person", [attribute("name")]),
        entity(
          "Note", [attribute("name")], [one("author", "Person"), one("editor", "Person", optional: true)]))
      let graph = try make(model)
      let people = try ["a", "b"].map { try graph.insert("Person", ["name": .string($0)]) }
      let note = try graph.insert(
        "Note", ["author": people[0].reference, "editor": people[1].reference])
      try graph.delete(people[0])
      found.expect(try note.destination("author") == nil, "the author is still there")
      found.equal(try note.destination("editor")?.text("name"), "b", "the editor")
    },
    ConformanceCase(
      "deletion: one object asked for several times is deleted once, one that is gone is refused"
    ) {
      make, found in
      let model = try model(entity("Note", [attribute("name")]))
      let graph = try make(model)
      let notes = try (0..<3).map { try graph.insert("Note", ["name": .string("n\($0)")]) }
      try graph.delete([notes[0].id, notes[0].id])
      try found.refuses(.noSuchObject, "a note that is gone, after one that is there", leaving: graph) {
        try graph.delete([notes[1].id, notes[0].id])
      }
      try graph.delete([ObjectID]())
      found.equal(try graph.count("Note"), 2, "the notes")
    },
  ]

  private static func deletionError(_ body: () throws -> Void) throws -> String? {
    do {
      try body()
      return nil
    } catch let error as CloneError { return "\(error)" }
  }
}
