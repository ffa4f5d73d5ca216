import Foundation
import MOCloneEngine
import MOCloneModel
import MOCloneTesting
import MOCloneYAML
import Testing

struct MemoryClonerTests {
  /// One object a generation: recursion would overflow the stack, and a step a table would never end.
  @Test func aChainOfAMillionObjects() throws {
    let model = try ObjectModel(
      name: "Chain",
      entities: [
        EntityDescription(
          name: "Link", attributes: [AttributeDescription(name: "number", type: .integer64)],
          relationships: [RelationshipDescription(name: "next", destination: "Link", isOptional: true)])
      ])
    let graph = MemoryGraph(model: model)
    var root = try graph.insert("Link", ["number": 0])
    for number in 1..<1_000 {
      root = try graph.insert("Link", ["number": .integer(Int64(number)), "next": root.id.key.parts[0]])
    }
    // A thousand short chains, joined end to head, are made faster than a million single links.
    let chains = try Cloner().clone(object: root, request: CloneRequest(count: 999))
    var tail = ObjectID("Link", key: 1)
    for (i, head) in chains.roots.enumerated() {
      try graph.setDestinations([head], "next", of: tail)
      tail = ObjectID("Link", key: ObjectKey([.integer(Int64(i + 2) * 1_000)]))
    }
    try graph.save()
    let copy = try Cloner().clone(object: root)
    #expect(try graph.count("Link") == 2_000_000)
    #expect(copy.id.key == 1_000_001)
    #expect(try copy.destination("next")?.id.key == 1_000_002)
  }

  @Test func newKeysAscendByGenerationAndThenByTheOriginalsKey() throws {
    let graph = MemoryGraph(model: try folders())
    let names = ["c", "a", "root", "b", "d"]
    let objects = try names.map { try graph.insert("Folder", ["name": .string($0)]) }
    try objects[2].setDestinations([objects[3], objects[1]], for: "children")
    try objects[1].setDestinations([objects[4], objects[0]], for: "children")
    let result = try Cloner(keepsMapping: true).clone(object: objects[2], request: CloneRequest(count: 2))
    let clones = try graph.objects("Folder").dropFirst(5).map { try $0.value("name").description }
    #expect(clones == ["root", "a", "b", "c", "d", "root", "a", "b", "c", "d"])
    #expect(result.roots.map(\.key) == [6, 11])
    #expect(result.mapping.count == 10)
  }

  @Test func copiesThatHaveNoRoomAreRefusedBeforeARowIsMade() throws {
    let model = try ObjectModel(
      yaml: """
        version: 1
        entities:
          Note: {relationships: {items: {destination: Item, toMany: true, inverse: note}}}
          Item: {relationships: {note: {destination: Note, inverse: items}}}
        """)
    let graph = MemoryGraph(model: model)
    let note = try graph.insert("Note")
    for _ in 0..<3 { try graph.insert("Item", ["note": note.id.key.parts[0]]) }
    let log = Log()
    let error = #expect(throws: CloneError.self) {
      try Cloner(progress: { log.add($0) }).clone(object: note, request: CloneRequest(count: 1_000_000_000))
    }
    #expect(error?.code == .noRoomForKeys)
    #expect(!log.entries.contains { $0.phase == .write })
  }

  @Test func theClosureIsReportedByGenerations() throws {
    let graph = MemoryGraph(model: try folders())
    let root = try graph.insert("Folder")
    for _ in 0..<3 { try graph.insert("Folder", ["parent": root.id.key.parts[0]]) }
    let log = Log()
    try Cloner(progress: { log.add($0) }).clone(object: root)
    #expect(log.entries.filter { $0.phase == .closure }.map(\.objects) == [1, 4])
    #expect(log.entries.last?.phase == .joins)
  }

  @Test func aPlanOfAnotherModelIsRefused() throws {
    let graph = MemoryGraph(model: try folders())
    let other = try ObjectModel(name: "Other", entities: [EntityDescription(name: "Note")])
    let root = try graph.insert("Folder")
    let plan = try ClonePlan(model: other, entity: "Note")
    #expect(throws: CloneError.self) {
      try graph.run(plan, roots: [root.id], options: CloneOptions(), saves: true)
    }
  }

  @Test func cancellationBetweenGenerationsLeavesNothing() async throws {
    let model = try folders()
    let count = await Task {
      let graph = MemoryGraph(model: model)
      let root = try? graph.insert("Folder")
      try? graph.save()
      withUnsafeCurrentTask { $0?.cancel() }
      _ = try? Cloner().clone(object: root!)
      return try? graph.count("Folder")
    }.value
    #expect(count == 1)
  }

  @Test func aOneToOneThatIsSetMustBeFree() throws {
    let model = try ObjectModel(
      name: "Hats",
      entities: [
        EntityDescription(
          name: "Hat",
          relationships: [
            RelationshipDescription(name: "man", destination: "Man", isOptional: true, inverse: "hat")
          ]),
        EntityDescription(
          name: "Man",
          relationships: [
            RelationshipDescription(
              name: "hat", destination: "Hat", isOptional: true, inverse: "man",
              columns: [ForeignKeyColumn("hat_id")])
          ]),
      ])
    let graph = MemoryGraph(model: model)
    let hats = try (0..<2).map { _ in try graph.insert("Hat") }
    let man = try graph.insert("Man", ["hat": 1])
    #expect(throws: CloneError.self) {
      try Cloner().clone(object: man, request: CloneRequest(set: ["hat": "1"]))
    }
    let made = try Cloner().clone(object: man, request: CloneRequest(set: ["hat": "2"]))
    #expect(try hats[1].destination("man")?.id == made.root)
    #expect(try hats[0].destination("man") == man)
  }

  private func folders() throws -> ObjectModel {
    try ObjectModel(
      name: "Folders",
      entities: [
        EntityDescription(
          name: "Folder", attributes: [AttributeDescription(name: "name", type: .string, isOptional: true)],
          relationships: [
            RelationshipDescription(
              name: "children", destination: "Folder", isToMany: true, inverse: "parent"),
            RelationshipDescription(
              name: "parent", destination: "Folder", isOptional: true, inverse: "children"),
          ])
      ])
  }
}

/// What a run reported, in order.
private final class Log: @unchecked Sendable {
  // The lock guards `stored`, which is all there is.
  private let lock = NSLock()
  private var stored: [CloneProgress] = []

  var entries: [CloneProgress] { lock.withLock { stored } }

  func add(_ progress: CloneProgress) {
    lock.withLock { stored.append(progress) }
  }
}
