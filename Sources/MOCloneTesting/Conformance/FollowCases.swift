import Foundation
import MOCloneEngine
import MOCloneModel

extension ConformanceSuite {
  /// Attributes that take the value of an ancestor's clone.
  static let followCases: [ConformanceCase] = [
    ConformanceCase("followParent: items hold the new identifier of their note") { make, found in
      let graph = try make(followed())
      let old = UUID()
      let note = try graph.insert("Note", ["id": .uuid(old)])
      let item = try graph.insert("Item", ["noteID": .uuid(old), "note": note.reference])
      try graph.insert("Part", ["noteID": .uuid(old), "item": item.reference])
      try found.keepsOriginals(graph) {
        let copy = try Cloner(generator: fixedGenerator()).clone(object: note)
        let new = try copy.value("id")
        found.expect(new != .uuid(old), "the note's identifier is the old one")
        let items = try copy.destinations("items")
        found.equal(try items.map { try $0.value("noteID") }, [new], "the items' note identifier")
        let parts = try items.flatMap { try $0.destinations("parts") }
        found.equal(try parts.map { try $0.value("noteID") }, [new], "the parts' note identifier")
      }
    },
    ConformanceCase("withoutParent: keep and blank when an item is cloned without its note") { make, found in
      let graph = try make(followed())
      let old = UUID()
      let note = try graph.insert("Note", ["id": .uuid(old)])
      let item = try graph.insert("Item", ["noteID": .uuid(old), "note": note.reference])
      let part = try graph.insert("Part", ["noteID": .uuid(old), "item": item.reference])
      found.equal(try Cloner().clone(object: item).value("noteID"), .uuid(old), "what the item keeps")
      found.equal(try Cloner().clone(object: part).value("noteID"), .null, "what the part leaves blank")
    },
    ConformanceCase("followParent: the nearest ancestor that has the attribute gives it") { make, found in
      let graph = try make(levels())
      let top = try graph.insert("Top", ["code": "top"])
      let middle = try graph.insert("Middle", ["code": "middle", "top": top.reference])
      try graph.insert("Leaf", ["middle": middle.reference])
      let made = try Cloner().clone(object: top, request: CloneRequest(set: ["code": "new"]))
      let copy = try graph.object("Top", key: made.root.key)
      let middles = try copy.destinations("middles")
      found.equal(try middles.first?.value("code"), "new", "what the middle follows")
      let leaf = try middles.first?.destinations("leaves").first
      found.equal(try leaf?.value("code"), "new", "what the leaf follows, through the middle's own rules")
      found.equal(try leaf?.value("topCode"), "new", "what the leaf follows by the entity's name")
    },
    ConformanceCase("followParent: the value is carried down every level of a tree") { make, found in
      let graph = try make(
        model(
          entity(
            "Folder",
            [
              attribute("name"), attribute("above", ["followParent": "name", "withoutParent": "blank"]),
            ],
            [many("children", "Folder", inverse: "parent"), one("parent", "Folder", inverse: "children")])))
      var parent: ManagedObject?
      let folders = try ["a", "b", "c", "d"].map { name in
        parent = try graph.insert(
          "Folder", ["name": .string(name), "above": "old", "parent": parent?.reference ?? .null])
        return parent!
      }
      var copy: ManagedObject? = try Cloner().clone(object: folders[0])
      for above: AttributeValue in [.null, "a", "b", "c"] {
        found.equal(try copy?.value("above"), above, "what the clone of a level follows")
        copy = try copy?.destinations("children").first
      }
    },
    ConformanceCase("followParent: of several parents the first generation, then the first name counts") {
      make, found in
      let graph = try make(parents())
      let root = try graph.insert("Root", ["name": "r"])
      let early = try graph.insert("Early", ["code": "early", "root": root.reference])
      let second = try graph.insert("Later", ["code": "later", "root": root.reference])
      let deep = try graph.insert("Deep", ["code": "deep", "early": early.reference])
      let both = try graph.insert("Leaf", ["early": early.reference, "later": second.reference])
      let near = try graph.insert("Leaf", ["later": second.reference, "deep": deep.reference])
      let made = try Cloner(keepsMapping: true).clone(object: root, request: CloneRequest())
      func clone(_ original: ManagedObject) throws -> ManagedObject? {
        try made.mapping.first { $0.original == original.id }.map {
          try graph.object("Leaf", key: $0.clone.key)
        }
      }
      found.equal(try clone(both)?.value("code"), "early", "Early.leaves comes before Later.leaves")
      found.equal(try clone(near)?.value("code"), "later", "the shorter way comes first")
    },
    ConformanceCase("followParent: a parent reached over another access path hands on its own ancestors") {
      make, found in
      let graph = try make(otherPath())
      let root = try graph.insert("Root")
      let a = try graph.insert("A", ["code": "a", "root": root.reference])
      let middle = try graph.insert("Middle", ["a": a.reference])
      let shared = try graph.insert("Shared", ["middle": middle.reference])
      try graph.insert("W", ["code": "near", "root": root.reference, "shared": shared.reference])
      let far = try graph.insert("W", ["code": "far", "shared": shared.reference])
      let made = try Cloner(keepsMapping: true).clone(object: root, request: CloneRequest())
      let copy = try made.mapping.first { $0.original == far.id }.map {
        try graph.object("W", key: $0.clone.key)
      }
      found.equal(try copy?.value("above"), "near", "what W follows over Shared, whose parent is the other W")
    },
    ConformanceCase("followParent without an ancestor and without withoutParent is refused") { make, found in
      let graph = try make(
        model(
          entity("Note", [attribute("code")], [many("items", "Item", inverse: "note")]),
          entity(
            "Item", [attribute("noteCode", ["followParent": "code"])], [one("note", "Note", inverse: "items")]
          )))
      let item = try graph.insert("Item", ["noteCode": "x"])
      try found.refuses(.missingAncestor, "an item cloned alone", leaving: graph) {
        try Cloner().clone(object: item)
      }
      let made = try Cloner().clone(object: item, request: CloneRequest(set: ["noteCode": "given"]))
      let copy = try graph.object("Item", key: made.root.key)
      found.equal(try copy.value("noteCode"), "given", "a value that is set")
    },
  ]

  private static func followed() throws -> ObjectModel {
    try model(
      entity(
        "Note", [attribute("id", .uuid, ["rebuild": "uuid"], column: "uuid")],
        [many("items", "Item", inverse: "note")]),
      entity(
        "Item",
        [
          attribute(
            "noteID", .uuid, ["followParent": "Note.id", "withoutParent": "keep"], column: "note_uuid")
        ],
        [one("note", "Note", inverse: "items"), many("parts", "Part", inverse: "item")]),
      entity(
        "Part", [attribute("noteID", .uuid, ["followParent": "id", "withoutParent": "blank"])],
        [one("item", "Item", inverse: "parts")]))
  }

  /// `Shared` is reached from a `W` before it is reached from its `Middle`, and only from there leads to other `W`.
  private static func otherPath() throws -> ObjectModel {
    try model(
      entity(
        "Root", [attribute("name")],
        [many("ws", "W", inverse: "root"), many("as", "A", inverse: "root")]),
      entity(
        "A", [attribute("code")],
        [one("root", "Root", inverse: "as"), many("middles", "Middle", inverse: "a")]),
      entity(
        "Middle", [], [one("a", "A", inverse: "middles"), many("shareds", "Shared", inverse: "middle")]),
      entity(
        "Shared", [],
        [one("middle", "Middle", inverse: "shareds"), many("ws", "W", inverse: "shared")]),
      entity(
        "W", [attribute("code"), attribute("above", ["followParent": "code", "withoutParent": "blank"])],
        [
          one("root", "Root", inverse: "ws"),
          one("shared", "Shared", inverse: "ws", ["onClone": "clone"]),
        ]))
  }

  private static func levels() throws -> ObjectModel {
    let keep = ["followParent": "code", "withoutParent": "keep"]
    return try model(
      entity("Top", [attribute("code")], [many("middles", "Middle", inverse: "top")]),
      entity(
        "Middle", [attribute("code", keep)],
        [one("top", "Top", inverse: "middles"), many("leaves", "Leaf", inverse: "middle")]),
      entity(
        "Leaf",
        [
          attribute("code", keep),
          attribute("topCode", ["followParent": "Top.code", "withoutParent": "keep"]),
        ],
        [one("middle", "Middle", inverse: "leaves")]))
  }

  private static func parents() throws -> ObjectModel {
    try model(
      entity(
        "Root", [attribute("name")],
        [many("laters", "Later", inverse: "root"), many("earlies", "Early", inverse: "root")]),
      entity(
        "Later", [attribute("code")],
        [one("root", "Root", inverse: "laters"), many("leaves", "Leaf", inverse: "later")]),
      entity(
        "Early", [attribute("code")],
        [
          one("root", "Root", inverse: "earlies"), many("leaves", "Leaf", inverse: "early"),
          many("deeps", "Deep", inverse: "early"),
        ]),
      entity(
        "Deep", [attribute("code")],
        [one("early", "Early", inverse: "deeps"), many("leaves", "Leaf", inverse: "deep")]),
      entity(
        "Leaf", [attribute("code", ["followParent": "code", "withoutParent": "blank"])],
        [
          one("later", "Later", inverse: "leaves"), one("early", "Early", inverse: "leaves"),
          one("deep", "Deep", inverse: "leaves"),
        ]))
  }
}
