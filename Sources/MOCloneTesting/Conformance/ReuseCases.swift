import MOCloneEngine
import MOCloneModel

extension ConformanceSuite {
  /// A plan is a value: nothing of one run is left for the next, whatever has happened to the graph in between.
  static let reuseCases: [ConformanceCase] =
    changes.map { change in
      ConformanceCase("a plan that is used again: \(change.name)") { make, found in
        let reusing = try Shelf(make(shelves()))
        let planning = try Shelf(make(shelves()))
        let plan = try ClonePlan(model: reusing.graph.model, entity: "Note")
        try reusing.clone { Cloner(plan: plan) }
        try planning.clone { Cloner() }
        for round in 0..<2 {
          try change.apply(reusing) { Cloner(plan: plan) }
          try change.apply(planning) { Cloner() }
          try reusing.clone { Cloner(plan: plan) }
          try planning.clone { Cloner() }
          let differences = try GraphSnapshot(reusing.graph).differences(from: GraphSnapshot(planning.graph))
          found.equal(differences, [], "what differs from clones with plans of their own, round \(round)")
        }
      }
    }

  private struct Change {
    let name: String
    let apply: @Sendable (Shelf, @escaping () -> Cloner) throws -> Void
  }

  private static let changes: [Change] = [
    Change(name: "after nothing") { _, _ in },
    Change(name: "after objects were inserted") { shelf, _ in
      for i in 0..<40 { try shelf.addItem("new \(i)") }
      try shelf.graph.save()
    },
    Change(name: "after an object of the subtree was deleted") { shelf, _ in
      try shelf.graph.delete(shelf.note.destinations("items")[1])
    },
    Change(name: "after objects changed their owner and their order") { shelf, _ in
      let items = try shelf.note.destinations("items")
      try shelf.note.setDestinations(items.reversed(), for: "items")
      try shelf.other.add(items[0], to: "items")
      try shelf.note.setDestinations(shelf.tags.reversed(), for: "tags")
    },
    Change(name: "after a clone was taken back") { shelf, cloner in
      try shelf.graph.save()
      try cloner().clone(object: shelf.note, saveBeforeReturn: false)
      try shelf.graph.rollback()
    },
    Change(name: "after a clone inside of something that failed") { shelf, cloner in
      try? shelf.graph.atomically {
        try shelf.addItem("lost")
        try cloner().clone(object: shelf.note)
        throw CloneError(.invalidValue, "on purpose")
      }
    },
    Change(name: "after clones inside of each other's operations") { shelf, cloner in
      try shelf.graph.atomically {
        try cloner().clone(object: shelf.note)
        try? shelf.graph.atomically {
          try cloner().clone(object: shelf.note)
          throw CloneError(.invalidValue, "on purpose")
        }
        try shelf.addItem("inside")
        try cloner().clone(object: shelf.note)
      }
    },
    Change(name: "after a clone that was refused") { shelf, cloner in
      let item = try shelf.graph.insert(
        "Item", ["name": "unique", "code": "c", "note": shelf.other.reference])
      _ = try? cloner().clone(object: shelf.other)
      try shelf.graph.delete(item)
    },
    Change(name: "after a clone by another plan") { shelf, _ in
      try Cloner().clone(object: shelf.note, request: CloneRequest(exclude: ["tags"], count: 2))
    },
    Change(name: "after clones of other roots, together") { shelf, cloner in
      let notes = try shelf.graph.objects("Note").prefix(3).map(\.id.key)
      try cloner().clone("Note", keys: Array(notes), in: shelf.graph)
    },
  ]

  private static func shelves() throws -> ObjectModel {
    try model(
      entity(
        "Note", [attribute("name")],
        [
          many("items", "Item", inverse: "note", ordered: true),
          many("tags", "Tag", inverse: "notes", ordered: true),
        ]),
      entity(
        "Item",
        [
          attribute("name"), attribute("code"),
          attribute("noteName", ["followParent": "Note.name", "withoutParent": "keep"]),
        ],
        [one("note", "Note", inverse: "items"), one("next", "Item")], unique: [["code"]]),
      entity("Tag", [attribute("name")], [many("notes", "Note", inverse: "tags")]))
  }
}

/// Two notes with items, one of which refers to another, and tags.
private struct Shelf {
  let graph: any ObjectGraph
  let note: ManagedObject
  let other: ManagedObject
  let tags: [ManagedObject]

  init(_ graph: any ObjectGraph) throws {
    self.graph = graph
    note = try graph.insert("Note", ["name": "n"])
    other = try graph.insert("Note", ["name": "o"])
    tags = try ["s", "t"].map { try graph.insert("Tag", ["name": .string($0)]) }
    try note.setDestinations(tags, for: "tags")
    for name in ["a", "b", "c", "d"] { try addItem(name) }
    try graph.save()
  }

  func addItem(_ name: String) throws {
    let items = try note.destinations("items")
    let item = try graph.insert("Item", ["name": .string(name), "note": note.reference])
    if let last = items.last { try item.set(last, for: "next") }
  }

  func clone(_ cloner: () -> Cloner) throws {
    let copy = try cloner().clone(object: note)
    try copy.setValue("copy", for: "name")
    try graph.save()
  }
}
