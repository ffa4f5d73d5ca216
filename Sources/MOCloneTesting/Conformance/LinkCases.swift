import MOCloneEngine
import MOCloneModel

extension ConformanceSuite {
  /// What is shared instead of cloned.
  static let linkCases: [ConformanceCase] = [
    ConformanceCase("to-one link: the clone joins the original's owner") { make, found in
      let graph = try make(notes())
      let note = try graph.insert("Note", ["name": "n"])
      let item = try graph.insert("Item", ["name": "i", "note": note.reference])
      try found.keepsOriginals(graph) {
        let copy = try Cloner().clone(object: item)
        found.equal(try copy.destination("note"), note, "the clone's note")
        found.equal(try note.destinations("items"), [item, copy], "the note's items")
        found.equal(try graph.count("Note"), 1, "the number of notes")
      }
    },
    ConformanceCase("many-to-many: tags are shared and gain the clone") { make, found in
      let graph = try make(
        model(
          entity("Memo", [attribute("text")], [many("tags", "Tag", inverse: "memos")]),
          entity("Tag", [attribute("name")], [many("memos", "Memo", inverse: "tags")])))
      let tags = try ["x", "y"].map { try graph.insert("Tag", ["name": .string($0)]) }
      let memo = try graph.insert("Memo", ["text": "m"])
      try memo.setDestinations(tags, for: "tags")
      try found.keepsOriginals(graph) {
        let made = try Cloner().clone(object: memo, request: CloneRequest())
        let copy = try graph.object("Memo", key: made.root.key)
        found.equal(try copy.destinations("tags"), tags, "the clone's tags")
        found.equal(try tags.map { try $0.destinations("memos").count }, [2, 2], "memos of each tag")
        found.equal(made.cloned, ["Memo": 1], "what was cloned")
        found.equal(made.linked, ["Tag": 2], "what was linked")
      }
    },
    ConformanceCase("link into the closure: references inside stay inside") { make, found in
      let graph = try make(inside())
      let project = try graph.insert("Project", ["name": "p"])
      let person = try graph.insert("Person", ["name": "in", "project": project.reference])
      let guest = try graph.insert("Person", ["name": "out"])
      try graph.insert("Task", ["name": "t", "project": project.reference, "doer": person.reference])
      try graph.insert("Task", ["name": "u", "project": project.reference, "doer": guest.reference])
      try found.keepsOriginals(graph) {
        let made = try Cloner().clone(object: project, request: CloneRequest())
        let copy = try graph.object("Project", key: made.root.key)
        let member = try copy.destinations("people").first
        let tasks = try copy.destinations("tasks")
        let doers = try tasks.sorted { try $0.text("name") < $1.text("name") }.map {
          try $0.destination("doer")
        }
        found.equal(doers, [member, guest], "who does the new tasks")
        found.expect(member != person, "the person inside is shared")
        found.equal(made.linked, ["Person": 1], "what was linked")
      }
    },
    ConformanceCase("an outside ordered to-many gains the clones at its end, in order") { make, found in
      let graph = try make(
        model(
          entity("Set", [attribute("name")], [many("cards", "Card", inverse: "set")]),
          entity("Deck", [attribute("name")], [many("cards", "Card", inverse: "deck", ordered: true)]),
          entity(
            "Card", [attribute("name")],
            [one("set", "Set", inverse: "cards"), one("deck", "Deck", inverse: "cards")])))
      let set = try graph.insert("Set", ["name": "s"])
      let deck = try graph.insert("Deck", ["name": "d"])
      let cards = try ["a", "b", "c"].map {
        try graph.insert("Card", ["name": .string($0), "set": $0 == "b" ? .null : set.reference])
      }
      try deck.setDestinations([cards[2], cards[1], cards[0]], for: "cards")
      try found.keepsOriginals(graph) {
        try Cloner().clone(object: set)
        found.equal(try deck.texts("cards", "name"), ["c", "b", "a", "c", "a"], "the deck")
      }
    },
    ConformanceCase("an outside ordered to-many gains roots in the order of the keys given") { make, found in
      let graph = try make(
        model(
          entity("Deck", [attribute("name")], [many("cards", "Card", inverse: "deck", ordered: true)]),
          entity("Card", [attribute("name")], [one("deck", "Deck", inverse: "cards")])))
      let deck = try graph.insert("Deck", ["name": "d"])
      let cards = try ["a", "b", "c"].map { try graph.insert("Card", ["name": .string($0)]) }
      try deck.setDestinations([cards[2], cards[0], cards[1]], for: "cards")
      try Cloner().clone("Card", keys: [1, 0, 2].map { cards[$0].id.key }, in: graph)
      found.equal(try deck.texts("cards", "name"), ["c", "a", "b", "b", "a", "c"], "the deck")
    },
    ConformanceCase("ordered relationships keep their order, in both ends of a many-to-many") { make, found in
      let graph = try make(
        model(
          entity("List", [attribute("name")], [many("songs", "Song", inverse: "lists", ordered: true)]),
          entity("Song", [attribute("name")], [many("lists", "List", inverse: "songs", ordered: true)])))
      let songs = try ["a", "b", "c"].map { try graph.insert("Song", ["name": .string($0)]) }
      let lists = try ["l", "m"].map { try graph.insert("List", ["name": .string($0)]) }
      try lists[0].setDestinations([songs[2], songs[0], songs[1]], for: "songs")
      try lists[1].setDestinations([songs[0]], for: "songs")
      try songs[0].setDestinations([lists[1], lists[0]], for: "lists")
      try found.keepsOriginals(graph) {
        let copy = try Cloner().clone(object: lists[0])
        found.equal(try copy.texts("songs", "name"), ["c", "a", "b"], "the clone's songs")
        found.equal(try songs[0].destinations("lists"), [lists[1], lists[0], copy], "the lists of a song")
      }
    },
    ConformanceCase("reflexive many-to-many with inverse: links stay apart from back links") { make, found in
      let graph = try make(reflexive())
      let people = try ["a", "b", "c"].map { try graph.insert("Person", ["name": .string($0)]) }
      try people[0].setDestinations([people[1], people[2]], for: "follows")
      try people[2].setDestinations([people[0]], for: "follows")
      try found.keepsOriginals(graph) {
        let copy = try Cloner().clone(object: people[0])
        found.equal(try copy.texts("follows", "name"), ["b", "c"], "whom the clone follows")
        found.equal(try copy.texts("followers", "name"), ["c"], "who follows the clone")
        found.equal(try people[2].texts("follows", "name"), ["a", "a"], "whom c follows")
      }
    },
    ConformanceCase("onClone: link shares what would be cloned") { make, found in
      let graph = try make(
        model(
          entity(
            "Note", [attribute("name")], [one("style", "Style", ["onClone": "link"]), one("cover", "Style")]),
          entity("Style", [attribute("name")])))
      let style = try graph.insert("Style", ["name": "s"])
      let note = try graph.insert("Note", ["style": style.reference, "cover": style.reference])
      try found.keepsOriginals(graph) {
        let copy = try Cloner().clone(object: note)
        // The cover is cloned, so the style is inside, and links inside stay inside.
        found.expect(try copy.destination("style") == copy.destination("cover"), "two styles")
        let plain = try Cloner().clone(object: note, request: CloneRequest(exclude: ["cover"]))
        found.equal(
          try graph.object("Note", key: plain.root.key).destination("style"), style, "the linked style")
      }
    },
    ConformanceCase("onClone: link leaves out what it would take from an original") { make, found in
      let graph = try make(
        model(
          entity("Note", [attribute("name")], [many("items", "Item", inverse: "note", ["onClone": "link"])]),
          entity("Item", [attribute("name")], [one("note", "Note", inverse: "items")])))
      let note = try graph.insert("Note", ["name": "n"])
      let item = try graph.insert("Item", ["name": "i", "note": note.reference])
      try found.keepsOriginals(graph) {
        let copy = try Cloner().clone(object: note)
        found.equal(try copy.destinations("items"), [], "the clone's items")
        found.equal(try item.destination("note"), note, "the item's note")
      }
    },
    ConformanceCase("onClone: clone copies what would be shared") { make, found in
      let graph = try make(
        model(
          entity("Memo", [attribute("text")], [many("tags", "Tag", inverse: "memos", ["onClone": "clone"])]),
          entity("Tag", [attribute("name")], [many("memos", "Memo", inverse: "tags")])))
      let tag = try graph.insert("Tag", ["name": "t"])
      let memo = try graph.insert("Memo", ["text": "m"])
      try memo.setDestinations([tag], for: "tags")
      try found.keepsOriginals(graph) {
        let copy = try Cloner().clone(object: memo)
        found.equal(try graph.count("Tag"), 2, "the number of tags")
        let new = try copy.destinations("tags").first
        found.expect(new != nil && new != tag, "the tag is shared")
        // The tag arrived over the inverse of its memos, so it links to no other memo.
        found.equal(try new?.destinations("memos") ?? [], [copy], "the memos of the new tag")
      }
    },
  ]

  private static func inside() throws -> ObjectModel {
    try model(
      entity(
        "Project", [attribute("name")],
        [many("people", "Person", inverse: "project"), many("tasks", "Task", inverse: "project")]),
      entity(
        "Person", [attribute("name")],
        [
          one("project", "Project", inverse: "people"),
          many("tasks", "Task", inverse: "doer", ["exclude": ""]),
        ]),
      entity(
        "Task", [attribute("name")],
        [one("project", "Project", inverse: "tasks"), one("doer", "Person", inverse: "tasks")]))
  }

  static func reflexive() throws -> ObjectModel {
    let join = JoinTableDescription(
      table: "follow", columns: ["follower_id"], inverseColumns: ["followed_id"])
    return try model(
      entity(
        "Person", [attribute("name")],
        [
          many("follows", "Person", inverse: "followers", join: join),
          many("followers", "Person", inverse: "follows"),
        ]))
  }
}
