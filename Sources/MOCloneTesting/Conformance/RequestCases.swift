import MOCloneEngine
import MOCloneModel

extension ConformanceSuite {
  /// What a call asks for beyond the model.
  static let requestCases: [ConformanceCase] = [
    ConformanceCase("exclusion by name and by Entity.name holds along the chain") { make, found in
      for name in ["children", "Folder.children"] {
        let graph = try make(tree())
        let root = try graph.insert("Folder", ["name": "r"])
        try graph.insert("Folder", ["name": "c", "parent": root.reference])
        let made = try Cloner().clone(object: root, request: CloneRequest(exclude: [name]))
        found.equal(made.cloned, ["Folder": 1], "what \(name) leaves")
        found.equal(
          try graph.object("Folder", key: made.root.key).destinations("children"), [], "the clone's children")
      }
    },
    ConformanceCase("a count of copies that no store holds is refused") { make, found in
      let graph = try make(tree())
      let root = try graph.insert("Folder", ["name": "r"])
      for count in [Int.min, -1, 0, CloneRequest.mostCopies + 1, 1 << 62, .max] {
        try found.refuses(.invalidValue, "\(count) copies", leaving: graph) {
          try Cloner().clone(object: root, request: CloneRequest(count: count))
        }
      }
    },
    ConformanceCase("excluded names hold for the root only, unless the list is passed on") { make, found in
      let graph = try make(
        model(
          entity("Note", [attribute("tags")], [many("items", "Item", inverse: "note")]),
          entity("Item", [attribute("tags")], [one("note", "Note", inverse: "items")])))
      let note = try graph.insert("Note", ["tags": "n"])
      try graph.insert("Item", ["tags": "i", "note": note.reference])
      let rootOnly = try Cloner().clone(object: note, excludedRelationshipNames: ["tags"])
      found.equal(try rootOnly.value("tags"), .null, "the root's tags")
      found.equal(try rootOnly.texts("items", "tags"), ["i"], "the items' tags, root only")
      let passed = try Cloner().clone(
        object: note, excludedRelationshipNames: ["tags"], passingExclusionList: true)
      found.equal(try passed.texts("items", "tags"), ["null"], "the items' tags, passed on")
    },
    ConformanceCase("what one side excludes the other side may still connect") { make, found in
      let graph = try make(notes())
      let note = try graph.insert("Note", ["name": "n"])
      try graph.insert("Item", ["name": "i", "note": note.reference])
      try found.keepsOriginals(graph) {
        let made = try Cloner().clone(object: note, request: CloneRequest(exclude: ["note"]))
        let copy = try graph.object("Note", key: made.root.key)
        found.equal(try copy.texts("items", "name"), ["i"], "the clone's items")
      }
    },
    ConformanceCase("set and unset win over every annotation") { make, found in
      let graph = try make(
        model(
          entity(
            "Note", [attribute("name", ["exclude": ""]), attribute("text"), attribute("index", .integer32)],
            [one("folder", "Folder", inverse: "notes"), one("shelf", "Folder")]),
          entity("Folder", [attribute("name")], [many("notes", "Note", inverse: "folder")])))
      let folders = try ["a", "b"].map { try graph.insert("Folder", ["name": .string($0)]) }
      let note = try graph.insert(
        "Note", ["name": "n", "text": "t", "folder": folders[0].reference, "shelf": folders[0].reference])
      let request = CloneRequest(
        set: ["name": "given", "index": "12", "folder": folders[1].reference], unset: ["text", "shelf"])
      try found.keepsOriginals(graph) {
        let made = try Cloner().clone(object: note, request: request)
        let copy = try graph.object("Note", key: made.root.key)
        found.equal(try copy.value("name"), "given", "name")
        found.equal(try copy.value("index"), 12, "index")
        found.equal(try copy.value("text"), .null, "text")
        found.equal(try copy.destination("folder"), folders[1], "folder")
        found.equal(try copy.destination("shelf"), nil, "shelf")
        found.equal(try folders[1].destinations("notes"), [copy], "the notes of the given folder")
      }
    },
    ConformanceCase("count: several copies, one after another, and the mapping tells them apart") {
      make, found in
      let graph = try make(notes())
      let note = try graph.insert("Note", ["name": "n"])
      for name in ["a", "b"] { try graph.insert("Item", ["name": .string(name), "note": note.reference]) }
      try found.keepsOriginals(graph) {
        let made = try Cloner(keepsMapping: true).clone(object: note, request: CloneRequest(count: 3))
        found.equal(made.roots.count, 3, "the number of new roots")
        found.equal(Set(made.roots).count, 3, "the number of different roots")
        found.equal(made.cloned, ["Note": 3, "Item": 6], "what was cloned")
        found.equal(made.mapping.count, 9, "the pairs of the mapping")
        for root in made.roots {
          let copy = try graph.object("Note", key: root.key)
          found.equal(try copy.texts("items", "name").sorted(), ["a", "b"], "the items of \(root)")
        }
      }
    },
    ConformanceCase("links are counted by object, and only where the cloner is told to") { make, found in
      let graph = try make(
        model(
          entity("Note", [], [many("tags", "Tag", inverse: "notes")]),
          entity("Tag", [], [many("notes", "Note", inverse: "tags")])))
      let note = try graph.insert("Note")
      try note.setDestinations([graph.insert("Tag"), graph.insert("Tag")], for: "tags")
      let request = CloneRequest(count: 2)
      found.equal(try Cloner().clone(object: note, request: request).linked, ["Tag": 2], "what was linked")
      var cloner = Cloner()
      cloner.countsLinks = false
      found.equal(try cloner.clone(object: note, request: request).linked, [:], "what was linked, uncounted")
    },
    ConformanceCase("several keys are cloned in the order given") { make, found in
      let graph = try make(notes())
      let notes = try ["a", "b"].map { try graph.insert("Note", ["name": .string($0)]) }
      let made = try Cloner().clone(
        "Note", keys: [notes[1].id.key, notes[0].id.key], in: graph, request: CloneRequest(count: 2))
      let names = try made.roots.map { try graph.object("Note", key: $0.key).text("name") }
      found.equal(names, ["b", "b", "a", "a"], "the names of the new roots")
    },
    ConformanceCase("tree: of several keys each is cloned as if it were alone, whatever their order") {
      make, found in
      let graph = try make(tree())
      let top = try graph.insert("Folder", ["name": "top"])
      let sub = try graph.insert("Folder", ["name": "sub", "parent": top.reference])
      let leaf = try graph.insert("Folder", ["name": "leaf", "parent": sub.reference])
      let all = [leaf, sub, top]
      for keepsMapping in [false, true] {
        for (folders, count) in [(all, 1), (all.reversed(), 1), (all, 2)] {
          try found.keepsOriginals(graph) {
            let made = try Cloner(keepsMapping: keepsMapping).clone(
              "Folder", keys: folders.map(\.id.key), in: graph, request: CloneRequest(count: count))
            found.equal(made.cloned, ["Folder": 6 * count], "what was cloned")
            let copies = try made.roots.map { try graph.object("Folder", key: $0.key) }
            found.equal(
              try copies.map { try $0.text("name") },
              try folders.flatMap { Array(repeating: try $0.text("name"), count: count) }, "the new roots")
            found.equal(
              try copies.map { try $0.destination("parent") },
              try folders.flatMap { Array(repeating: try $0.destination("parent"), count: count) },
              "what the new roots are in")
            for copy in copies { try graph.delete(copy) }
          }
        }
      }
    },
    ConformanceCase("diamond: of several keys each brings along what it shares with others once") {
      make, found in
      let graph = try make(
        model(
          entity(
            "Person", [attribute("name")],
            [many("given", "Task", inverse: "giver"), many("taken", "Task", inverse: "taker")]),
          entity(
            "Task", [], [one("giver", "Person", inverse: "given"), one("taker", "Person", inverse: "taken")]))
      )
      let people = try ["a", "b"].map { try graph.insert("Person", ["name": .string($0)]) }
      try graph.insert("Task", ["giver": people[0].reference, "taker": people[1].reference])
      try found.keepsOriginals(graph) {
        let made = try Cloner().clone("Person", keys: people.map(\.id.key), in: graph)
        found.equal(made.cloned, ["Person": 2, "Task": 2], "what was cloned")
        for (root, list) in zip(made.roots, ["given", "taken"]) {
          found.equal(
            try graph.object("Person", key: root.key).destinations(list).count, 1, "the tasks of \(root)")
        }
      }
    },
    ConformanceCase("many-to-many: of several keys no clone is linked to a clone of an earlier one") {
      make, found in
      let friends = RelationshipDescription(
        name: "friends", destination: "Person", isToMany: true, inverse: "friendOf", minCount: 2,
        joinTable: JoinTableDescription(
          table: "friends", columns: ["person_id"], inverseColumns: ["friend_id"]))
      let model = try model(
        entity("Person", [attribute("name")], [friends, many("friendOf", "Person", inverse: "friends")]))
      for keepsMapping in [false, true] {
        for (roots, count) in [([0, 1], 1), ([1, 0], 1), ([0, 1], 2)] {
          let graph = try make(model)
          let people = try ["a", "b"].map { try graph.insert("Person", ["name": .string($0)]) }
          for (person, friend) in zip(people, people.reversed()) { try person.add(friend, to: "friends") }
          let made = try Cloner(keepsMapping: keepsMapping).clone(
            "Person", keys: roots.map { people[$0].id.key }, in: graph, request: CloneRequest(count: count))
          let expected = roots.flatMap { Array(repeating: [people[1 - $0].id], count: count) }
          for list in ["friends", "friendOf"] {
            found.equal(
              try made.roots.map { try graph.object("Person", key: $0.key).destinations(list).map(\.id) },
              expected, "the \(list) of the new roots")
          }
        }
      }
    },
    ConformanceCase("tree: of several keys all clones of the first come before those of the second") {
      make, found in
      let graph = try make(
        model(
          entity(
            "Folder", [attribute("name")],
            [
              one("parent", "Folder", inverse: "children"), many("children", "Folder", inverse: "parent"),
              many("tags", "Tag", inverse: "folders"),
            ]), entity("Tag", [], [many("folders", "Folder", inverse: "tags")])))
      let tag = try graph.insert("Tag")
      let tops = try ["a", "b"].map { try graph.insert("Folder", ["name": .string($0)]) }
      for top in tops {
        let leaf = try graph.insert("Folder", ["name": "leaf", "parent": top.reference])
        for folder in [top, leaf] { try folder.add(tag, to: "tags") }
      }
      for count in [1, 2] {
        try found.keepsOriginals(graph) {
          let made = try Cloner(keepsMapping: true).clone(
            "Folder", keys: tops.map(\.id.key), in: graph, request: CloneRequest(count: count))
          found.equal(made.linked, ["Tag": 2], "what was linked, in \(count) copies")
          let copies = try made.roots.map { try graph.object("Folder", key: $0.key) }
          let trees = try copies.map { try [$0] + $0.destinations("children") }
          let keys = trees.joined().map { $0.id.key.rowID ?? 0 }
          found.equal(keys, keys.sorted(), "the new keys, tree by tree, in \(count) copies")
          found.equal(try tag.destinations("folders").count, 4 + 4 * count, "the folders of the tag")
          for copy in trees.joined() { try graph.delete(copy) }
        }
      }
    },
    ConformanceCase("subentities: of several keys each is set its own one-to-one of the name, which is free")
    {
      make, found in
      func home(_ destination: String, inverse: String) -> RelationshipDescription {
        RelationshipDescription(
          name: "home", destination: destination, isOptional: true, inverse: inverse,
          columns: [ForeignKeyColumn("\(inverse)_home")])
      }
      let graph = try make(
        model(
          entity(
            "Pet", abstract: true, [],
            [one("mother", "Pet", inverse: "young"), many("young", "Pet", inverse: "mother")]),
          entity("Dog", parent: "Pet", [], [home("Kennel", inverse: "dog")]),
          entity("Cat", parent: "Pet", [], [home("Basket", inverse: "cat")]),
          entity("Kennel", [], [one("dog", "Dog", inverse: "home")]),
          entity("Basket", [], [one("cat", "Cat", inverse: "home")])))
      let homes = try [graph.insert("Kennel"), graph.insert("Basket")]
      let pets = try [graph.insert("Dog"), graph.insert("Cat"), graph.insert("Dog")]
      let request = CloneRequest(set: ["home": homes[0].reference])
      let made = try Cloner().clone("Pet", keys: pets.prefix(2).map(\.id.key), in: graph, request: request)
      let given = try made.roots.map { try graph.object($0.entity, key: $0.key).destination("home") }
      found.equal(given, homes, "the homes of the clones")
      try found.refuses(.uniqueValue, "one home for two dogs", leaving: graph) {
        try Cloner().clone("Pet", keys: [pets[0], pets[2]].map(\.id.key), in: graph, request: request)
      }
    },
    ConformanceCase("subentities: of several keys each is set its own attribute of the name") { make, found in
      let graph = try make(
        model(
          entity(
            "Pet", abstract: true, [],
            [one("mother", "Pet", inverse: "young"), many("young", "Pet", inverse: "mother")]),
          entity("Dog", parent: "Pet", [attribute("size", .integer32, column: "height")]),
          entity("Cat", parent: "Pet", [attribute("size", column: "weight")])))
      let pets = try [graph.insert("Dog", ["size": 1]), graph.insert("Cat", ["size": "1"])]
      for pets in [pets, pets.reversed()] {
        let made = try Cloner().clone(
          "Pet", keys: pets.map(\.id.key), in: graph, request: CloneRequest(set: ["size": "12"]))
        let sizes = try made.roots.map { try graph.object($0.entity, key: $0.key).value("size") }
        found.equal(sizes, pets.map { $0.id.entity == "Dog" ? 12 : "12" }, "the sizes of the clones")
      }
    },
    ConformanceCase("a plan is made once and followed by many clones") { make, found in
      let graph = try make(notes())
      let note = try graph.insert("Note", ["name": "n"])
      try graph.insert("Item", ["name": "i", "note": note.reference])
      let cloner = Cloner(plan: try ClonePlan(model: graph.model, entity: "Note"))
      for count in 2...4 {
        let copy = try cloner.clone(object: note)
        found.equal(try copy.texts("items", "name"), ["i"], "the items of a clone")
        found.equal(try graph.count("Item"), count, "the number of items")
      }
    },
  ]
}
