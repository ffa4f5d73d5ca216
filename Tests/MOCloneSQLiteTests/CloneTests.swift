import GRDB
import MOCloneKit
import Testing

@Suite struct CloneTests {
  @Test func aNoteWithItemsMemosAndTags() throws {
    let model = try notesModel()
    let graph = try makeGraph(model)
    let note = try graph.insert(
      "Note", ["id": "6A0D5A6E-0000-4000-8000-000000000001", "name": "Groceries", "index": 7])
    let tag = try graph.insert("Tag", ["name": "food"])
    for name in ["milk", "bread", "eggs"] {
      let item = try graph.insert("Item", ["name": .string(name), "noteID": note.value("id")])
      try note.add(item, to: "items")
      try item.add(tag, to: "tags")
      try note.add(graph.insert("Memo", ["text": .string("buy " + name)]), to: "memos")
    }
    let copy = try Cloner().clone(object: note)
    #expect(copy != note)
    #expect(try copy.value("name") == "Groceries")
    #expect(try copy.value("index") == 0)
    #expect(try copy.value("id") != note.value("id"))
    let items = try copy.destinations("items")
    #expect(try items.map { try $0.value("name") } == ["milk", "bread", "eggs"])
    #expect(try items.allSatisfy { try $0.value("noteID") == copy.value("id") })
    #expect(try tag.destinations("items").count == 6)
    #expect(
      try copy.destinations("memos").map { try $0.value("text") } == ["buy milk", "buy bread", "buy eggs"])
    #expect(try note.destinations("items").count == 3)
  }

  @Test func countedCopiesFollowEachOther() throws {
    let model = try notesModel()
    let graph = try makeGraph(model)
    let note = try graph.insert("Note", ["id": "6A0D5A6E-0000-4000-8000-000000000001", "name": "A"])
    for _ in 0..<2 { try note.add(graph.insert("Item", ["name": "x"]), to: "items") }
    let result = try Cloner().clone(object: note, request: CloneRequest(count: 3, set: ["name": "Copy"]))
    #expect(result.roots.map(\.key) == [2, 3, 4])
    #expect(result.cloned == ["Note": 3, "Item": 6])
    #expect(try graph.object("Note", key: 3).destinations("items").map(\.id.key) == [5, 6])
    #expect(try graph.object("Note", key: 4).value("name") == "Copy")
  }
}
