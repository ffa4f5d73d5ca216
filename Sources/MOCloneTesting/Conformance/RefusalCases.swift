import MOCloneEngine
import MOCloneModel

extension ConformanceSuite {
  /// What is refused, and leaves the graph as it was.
  static let refusalCases: [ConformanceCase] = [
    ConformanceCase("a unique value that no rule makes new is refused") { make, found in
      let graph = try make(
        model(
          entity("Note", [attribute("name")], [many("items", "Item", inverse: "note")]),
          entity("Item", [attribute("code")], [one("note", "Note", inverse: "items")], unique: [["code"]])))
      let note = try graph.insert("Note", ["name": "n"])
      let item = try graph.insert("Item", ["code": "c", "note": note.reference])
      let error = try found.refuses(.uniqueValue, "a copied unique value", leaving: graph) {
        try Cloner().clone(object: note)
      }
      found.equal(error?.failures.first?.property, "code", "the attribute")
      found.equal(error?.failures.first?.object, item.id, "the original")
      try item.setValue(.null, for: "code")
      try Cloner().clone(object: note)
      found.equal(try graph.count("Item"), 2, "the number of items, null being equal to nothing")
    },
    ConformanceCase("values that are unique together are called so") { make, found in
      let graph = try make(
        model(entity("Item", [attribute("name"), attribute("code")], unique: [["name", "code"]])))
      let item = try graph.insert("Item", ["name": "n", "code": "c"])
      let error = try found.refuses(.uniqueValue, "values that are unique together") {
        try Cloner().clone(object: item)
      }
      let message = error?.failures.first?.message ?? ""
      found.expect(message.contains("are unique together"), "the refusal is '\(message)'")
    },
    ConformanceCase("a required destination left out is refused") { make, found in
      let graph = try make(notes())
      let note = try graph.insert("Note", ["name": "n"])
      let item = try graph.insert("Item", ["name": "i", "note": note.reference])
      let error = try found.refuses(.requiredLeftEmpty, "an item without its note", leaving: graph) {
        try Cloner().clone(object: item, request: CloneRequest(exclude: ["note"]))
      }
      found.equal(error?.failures.first?.property, "note", "the relationship")
      found.equal(error?.failures.first?.entity, "Item", "the entity")
    },
    ConformanceCase(
      "a list that needs several is refused where a clone has fewer, unless it has all that its original has"
    ) { make, found in
      let model = try model(
        entity(
          "Box", [],
          [
            many("albums", "Album", inverse: "box"), many("songs", "Song", inverse: "box"),
            many("tags", "Tag", inverse: "box"),
          ]),
        entity(
          "Album", [],
          [
            one("box", "Box", inverse: "albums"), required("songs", "Song", inverse: "album", least: 2),
            required("tags", "Tag", inverse: "albums", least: 2),
          ]),
        entity("Song", [], [one("album", "Album", inverse: "songs"), one("box", "Box", inverse: "songs")]),
        entity(
          "Tag", [],
          [
            many("albums", "Album", inverse: "tags", ["onClone": "clone"]),
            one("box", "Box", inverse: "tags"),
          ]))
      for (name, kind) in [("songs", "Song"), ("tags", "Tag")] {
        let graph = try make(model)
        let box = try graph.insert("Box")
        let album = try graph.insert("Album", ["box": box.reference])
        let members = try (1...3).map { _ in try graph.insert(kind, ["box": box.reference]) }
        try album.setDestinations(members, for: name)
        // Those in the box come along of it.
        let request = CloneRequest(exclude: ["Album.\(name)"])
        try members[2].set(nil, for: "box")
        let made = try Cloner().clone(object: box, request: request)
        found.equal(made.cloned, ["Box": 1, "Album": 1, kind: 2], "what was cloned")
        try members[1].set(nil, for: "box")
        try found.unchanged(graph) {
          let error = try found.refuses(.requiredLeftEmpty, "an album with one of three \(name)") {
            try Cloner().clone(object: box, request: request)
          }
          found.equal(error?.failures.first?.property, name, "the relationship")
          found.equal(error?.failures.first?.object, album.id, "the original")
        }
        try album.setDestinations([members[0]], for: name)
        try Cloner().clone(object: box, request: request)
      }
    },
    ConformanceCase(
      "a required list left empty is refused, unless the original's is empty or the other side fills it"
    ) {
      make, found in
      let graph = try make(albums())
      func refuses(_ name: String, _ album: ManagedObject, _ clone: () throws -> Void) throws {
        let error = try found.refuses(
          .requiredLeftEmpty, "an album without \(name)", leaving: graph, clone)
        found.equal(error?.failures.first?.property, name, "the relationship")
        found.equal(error?.failures.first?.object, album.id, "the original")
      }
      let album = try graph.insert("Album")
      let without = CloneRequest(exclude: ["Album.songs", "tags"])
      try Cloner().clone(object: album, request: without)
      let box = try graph.insert("Box")
      try box.add(album, to: "albums")
      let song = try graph.insert("Song", ["album": album.reference, "box": box.reference])
      try album.setDestinations([graph.insert("Tag")], for: "tags")
      for name in ["songs", "tags"] {
        try refuses(name, album) {
          try Cloner().clone(object: album, request: CloneRequest(exclude: [name]))
        }
      }
      let made = try Cloner().clone(object: box, request: CloneRequest(exclude: ["Album.songs"]))
      found.equal(made.cloned, ["Box": 1, "Album": 1, "Song": 1], "what was cloned")
      try song.set(nil, for: "box")
      try refuses("songs", album) {
        try Cloner().clone(object: box, request: CloneRequest(exclude: ["Album.songs"]))
      }
      let covered = try graph.insert("Album")
      try graph.insert("Cover", ["album": covered.reference])
      try refuses("covers", covered) { try Cloner().clone(object: covered) }
    },
    ConformanceCase("a required attribute that would follow a null is refused, in a sub-entity too") {
      make, found in
      for fallback in [["withoutParent": "keep"], [:]] {
        let graph = try make(drawings(fallback))
        func refuses(_ drawing: ManagedObject, _ original: ManagedObject, exclude: [String] = []) throws {
          let error = try found.refuses(.requiredLeftEmpty, "a mark that follows nothing", leaving: graph) {
            try Cloner().clone(object: drawing, request: CloneRequest(exclude: exclude))
          }
          found.equal(error?.failures.first?.property, "mark", "the attribute")
          found.equal(error?.failures.first?.object, original.id, "the original")
        }
        for entity in ["Circle", "Label"] {
          let drawing = try graph.insert("Drawing", ["name": nil])
          let original = try graph.insert(entity, ["mark": "m", "drawing": drawing.reference])
          try refuses(drawing, original)
          try drawing.setValue("n", for: "name")
          try refuses(drawing, original, exclude: ["Drawing.name"])
          try Cloner().clone(object: drawing)
        }
        let drawing = try graph.insert("Drawing", ["name": nil])
        try graph.insert("Hint", ["mark": "m", "drawing": drawing.reference])
        let made = try Cloner().clone(object: drawing, request: CloneRequest())
        found.equal(made.cloned, ["Drawing": 1, "Hint": 1], "what was cloned with an optional mark")
      }
    },
    ConformanceCase("unknown entities, objects and names are refused, with the nearest name at hand") {
      make, found in
      let graph = try make(notes())
      let note = try graph.insert("Note", ["name": "n"])
      try found.unchanged(graph) {
        try found.refuses(.unknownEntity, "an unknown entity") {
          try Cloner().clone("Nota", keys: [1], in: graph)
        }
        try found.refuses(.noSuchObject, "an unknown key") {
          try Cloner().clone("Note", keys: [4711], in: graph)
        }
        try found.refuses(.unknownName, "an unknown exclusion") {
          try Cloner().clone(object: note, request: CloneRequest(exclude: ["itens"]))
        }
        try found.refuses(.unknownName, "an unknown attribute") {
          try graph.insert("Note", ["nane": "x"])
        }
        try found.refuses(.invalidValue, "a value of another type") {
          try graph.insert("Note", ["name": 7])
        }
      }
    },
    ConformanceCase("an attribute that is a part of the key is not unset") { make, found in
      let graph = try make(
        model(
          EntityDescription(
            name: "Note", attributes: [attribute("own", .uuid, column: "id")],
            primaryKey: [KeyColumn("id", generate: .uuid)])))
      let note = try graph.insert("Note")
      for request in [CloneRequest(unset: ["own"]), CloneRequest(set: ["own": .null])] {
        try found.refuses(.invalidValue, "a clone without key", leaving: graph) {
          try Cloner().clone(object: note, request: request)
        }
      }
    },
    ConformanceCase("all or nothing: a second root that fails takes the first clone back") { make, found in
      let graph = try make(
        model(entity("Note", [attribute("name"), attribute("code")], unique: [["code"]])))
      let notes = try [AttributeValue.null, "c"].map { try graph.insert("Note", ["name": "n", "code": $0]) }
      try found.refuses(.uniqueValue, "the second of two roots", leaving: graph) {
        try Cloner().clone("Note", keys: notes.map(\.id.key), in: graph)
      }
    },
    ConformanceCase("a clone that is not saved is pending until rollback or save") { make, found in
      let graph = try make(notes())
      let note = try graph.insert("Note", ["name": "n"])
      try graph.insert("Item", ["name": "i", "note": note.reference])
      try graph.save()
      try found.unchanged(graph) {
        let copy = try Cloner().clone(object: note, saveBeforeReturn: false)
        found.equal(try copy.texts("items", "name"), ["i"], "the pending clone's items")
        try graph.rollback()
      }
      try Cloner().clone(object: note, saveBeforeReturn: false)
      try graph.save()
      try graph.rollback()
      found.equal(try graph.count("Item"), 2, "the number of items after save and rollback")
    },
    ConformanceCase("a clone that is saved takes along what is pending") { make, found in
      let graph = try make(notes())
      let note = try graph.insert("Note", ["name": "n"])
      try graph.save()
      try Cloner().clone(object: note, saveBeforeReturn: false)
      try Cloner().clone(object: note)
      try graph.rollback()
      found.equal(try graph.count("Note"), 3, "the number of notes after save and rollback")
    },
    ConformanceCase("a cancelled clone leaves nothing") { make, found in
      let graph = try make(notes())
      let note = try graph.insert("Note", ["name": "n"])
      try graph.insert("Item", ["name": "i", "note": note.reference])
      try found.unchanged(graph) {
        var options = Cloner().options
        options.progress = { _ in withUnsafeCurrentTask { $0?.cancel() } }
        let plan = try ClonePlan(model: graph.model, entity: "Note")
        // Outside a task nothing can be cancelled.
        guard withUnsafeCurrentTask(body: { $0 != nil }) else { return }
        do {
          _ = try graph.run(plan, roots: [note.id], options: options, saves: true)
          found.expect(false, "a cancelled clone is finished")
        } catch is CancellationError {}
      }
    },
  ]

  /// Drawings, and what follows their names: a sub-entity, an entity of its own, and one that may have none.
  private static func drawings(_ fallback: [String: String]) throws -> ObjectModel {
    func mark(optional: Bool = false) -> AttributeDescription {
      AttributeDescription(
        name: "mark", type: .string, isOptional: optional,
        userInfo: fallback.merging(["followParent": "name"]) { $1 })
    }
    return try model(
      entity(
        "Drawing", [attribute("name")],
        [
          many("shapes", "Shape", inverse: "drawing"), many("labels", "Label", inverse: "drawing"),
          many("hints", "Hint", inverse: "drawing"),
        ]),
      entity("Shape", abstract: true, [], [one("drawing", "Drawing", inverse: "shapes")]),
      entity("Circle", parent: "Shape", [mark()]),
      entity("Label", [mark()], [one("drawing", "Drawing", inverse: "labels")]),
      entity("Hint", [mark(optional: true)], [one("drawing", "Drawing", inverse: "hints")]))
  }

  /// A to-many that needs some destinations.
  static func required(
    _ name: String, _ destination: String, inverse: String, least: Int = 1,
    _ userInfo: [String: String] = [:]
  ) -> RelationshipDescription {
    RelationshipDescription(
      name: name, destination: destination, isToMany: true, inverse: inverse, minCount: least,
      userInfo: userInfo)
  }

  /// Albums that need songs and tags; their covers are linked, which would take them from the original.
  private static func albums() throws -> ObjectModel {
    try model(
      entity("Box", [], [many("albums", "Album", inverse: "box"), many("songs", "Song", inverse: "box")]),
      entity(
        "Album", [],
        [
          one("box", "Box", inverse: "albums"), required("songs", "Song", inverse: "album"),
          required("tags", "Tag", inverse: "albums"),
          required("covers", "Cover", inverse: "album", ["onClone": "link"]),
        ]),
      entity("Song", [], [one("album", "Album", inverse: "songs"), one("box", "Box", inverse: "songs")]),
      entity("Tag", [], [many("albums", "Album", inverse: "tags")]),
      entity("Cover", [], [one("album", "Album", inverse: "covers")]))
  }
}
