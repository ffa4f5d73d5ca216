import Foundation
import MOCloneKit

/// The notes in a `MemoryGraph`.
struct MemoryByMoclone {
  let content: NotesContent
  let graph: MemoryGraph
  let note: ManagedObject

  init(_ content: NotesContent) throws {
    try self.init(content, in: MemoryGraph(model: NotesModel.model(payload: "String")))
  }

  /// Notes beside what a graph holds already.
  init(_ content: NotesContent, in graph: MemoryGraph) throws {
    self.content = content
    self.graph = graph
    let uuid = UUID()
    note = try graph.insert(
      "Note", ["uuid": .uuid(uuid), "name": "Note", "createDate": .date(NotesContent.date)])
    let tags = try (0..<NotesContent.tags).map { try graph.insert("Tag", ["name": .string("tag \($0)")]) }
    for i in 0..<content.items {
      let item = try graph.insert(
        "Item",
        [
          "uuid": .uuid(UUID()), "noteUUID": .uuid(uuid), "name": .string("Item \(i)"),
          "payload": .string(content.payload(i)), "note": note.id.key.parts[0],
        ])
      for k in 0..<content.datasOfItem {
        try graph.insert(
          "ItemData",
          [
            "createDate": .date(NotesContent.date), "value": .double(content.value(i, k)),
            "text": .string(content.text(i)), "item": item.id.key.parts[0],
          ])
      }
    }
    for i in 0..<content.memos {
      let memo = try graph.insert("Memo", ["text": .string("Memo \(i)"), "note": note.id.key.parts[0]])
      for tag in content.tagNumbers(ofMemo: i) { try memo.add(tags[tag], to: "tags") }
    }
    try graph.save()
  }

  func clone() throws -> CloneResult {
    try Cloner().clone("Note", keys: [note.id.key], in: graph)
  }

  func checkCounts(_ result: CloneResult) throws {
    let expected = [
      "Note": 1, "Item": content.items, "ItemData": content.datas, "Memo": content.memos,
    ]
    guard result.cloned == expected, result.linked == ["Tag": min(content.links, NotesContent.tags)] else {
      throw BenchmarkError("the graph in memory: \(result.cloned), \(result.linked)")
    }
  }

  /// Compares each clone with its original.
  func checkValues(_ result: CloneResult) throws {
    try checkValues(ManagedObject(id: result.root, graph: graph))
  }

  func checkValues(_ clone: ManagedObject) throws {
    let (items, newItems) = (try note.destinations("items"), try clone.destinations("items"))
    let uuid = try clone.value("uuid")
    guard items.count == newItems.count, try uuid != note.value("uuid") else { throw Self.failure("Note") }
    for (item, new) in zip(items, newItems) {
      try expectEqual(item, new, ["name", "payload"])
      guard try new.value("noteUUID") == uuid, try new.value("uuid") != item.value("uuid") else {
        throw Self.failure("Item")
      }
      let (datas, newDatas) = (try item.destinations("datas"), try new.destinations("datas"))
      guard datas.count == newDatas.count else { throw Self.failure("ItemData") }
      for (data, new) in zip(datas, newDatas) {
        try expectEqual(data, new, ["value", "text"])
        guard try new.value("createDate") == clone.value("createDate") else { throw Self.failure("ItemData") }
      }
    }
    for (memo, new) in zip(try note.destinations("memos"), try clone.destinations("memos")) {
      try expectEqual(memo, new, ["text"])
      guard try memo.destinations("tags") == new.destinations("tags") else { throw Self.failure("Memo") }
    }
  }

  private func expectEqual(_ a: ManagedObject, _ b: ManagedObject, _ attributes: [String]) throws {
    for attribute in attributes where try a == b || a.value(attribute) != b.value(attribute) {
      throw Self.failure(a.entity)
    }
  }

  private static func failure(_ entity: String) -> BenchmarkError {
    BenchmarkError("the graph in memory: a clone of \(entity) is not what it must be")
  }
}

extension Work {
  /// The first clone into a graph just filled.
  static let memoryByMoclone = Work(name: "memory-moclone") { input in
    let notes = try MemoryByMoclone(NotesContent(objects: input.size))
    var result: CloneResult?
    let duration = try ContinuousClock().measure { result = try notes.clone() }
    try notes.checkCounts(result!)
    return duration
  }

  /// The same, with a look at every value afterwards.
  static let memoryVerified = Work("memory-moclone-verified") { input in
    let notes = try MemoryByMoclone(NotesContent(objects: input.size))
    let result = try notes.clone()
    try notes.checkCounts(result)
    try notes.checkValues(result)
  }
}
