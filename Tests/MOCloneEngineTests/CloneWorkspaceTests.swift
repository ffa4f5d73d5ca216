import Foundation
import MOCloneModel
import Testing

@testable import MOCloneEngine

/// What is kept between the clones of one plan.
struct CloneWorkspaceTests {
  private let model: ObjectModel
  private let graph: MemoryGraph
  private let root: ManagedObject
  private let plan: ClonePlan

  init() throws {
    model = try ObjectModel(
      name: "Folders",
      entities: [
        EntityDescription(
          name: "Folder", attributes: [AttributeDescription(name: "code", type: .string, isOptional: true)],
          relationships: [
            RelationshipDescription(
              name: "children", destination: "Folder", isToMany: true, inverse: "parent"),
            RelationshipDescription(
              name: "parent", destination: "Folder", isOptional: true, inverse: "children"),
          ], uniquenessConstraints: [["code"]])
      ])
    graph = MemoryGraph(model: model)
    root = try graph.insert("Folder")
    plan = try ClonePlan(model: model, entity: "Folder")
    try graph.insert("Folder", ["parent": root.id.key.parts[0]])
    try graph.save()
  }

  private func count(_ root: ManagedObject) throws -> Int {
    try root.destinations("children").reduce(1) { try $0 + count($1) }
  }

  private func takes(_ plan: ClonePlan) -> CloneWorkspace? {
    graph.workspaces.take(for: plan.identity)
  }

  @Test func isKeptForThePlanAndItsCopiesOnly() throws {
    try Cloner(plan: plan).clone(object: root)
    let workspace = try #require(takes(plan))
    graph.workspaces.give(workspace)
    let copy = plan
    try Cloner(plan: copy).clone(object: root)
    #expect(takes(plan) === workspace)
    let equal = try ClonePlan(model: model, entity: "Folder")
    #expect(equal == plan)
    #expect(takes(equal) == nil)
  }

  @Test func isForgottenWhereAnotherEightPlansWereRun() throws {
    try Cloner(plan: plan).clone(object: root)
    for _ in 0..<8 { try Cloner(plan: ClonePlan(model: model, entity: "Folder")).clone(object: root) }
    #expect(takes(plan) == nil)
    #expect(try count(Cloner(plan: plan).clone(object: root)) == 2)
  }

  @Test func isNotKeptWhereACloneFailed() throws {
    let cloner = Cloner(plan: plan)
    try cloner.clone(object: root)
    let child = try root.destinations("children")[0]
    try child.setValue("unique", for: "code")
    #expect(throws: CloneError.self) { try cloner.clone(object: root) }
    #expect(takes(plan) == nil)
    try child.setValue(.null, for: "code")
    #expect(try count(cloner.clone(object: root)) == 2)
  }

  @Test func isNotKeptWhereACloneWasLarge() throws {
    let cloner = Cloner(plan: plan)
    for _ in 0..<20_000 { try graph.insert("Folder", ["parent": root.id.key.parts[0]]) }
    try cloner.clone(object: root)
    #expect(takes(plan) == nil)
    #expect(try graph.count("Folder") == 40_004)
  }

  /// A table that has outgrown the numbers kept for its rows gets new ones.
  @Test func growsWithTheTable() throws {
    let cloner = Cloner(plan: plan)
    for _ in 0..<200 {
      let copy = try cloner.clone(object: root)
      #expect(try count(copy) == 2)
      #expect(try count(cloner.clone(object: copy)) == 2)
    }
    #expect(try graph.count("Folder") == 802)
  }

  @Test("Closures that a clone calls cannot change its graph, with another clone neither")
  func closures() throws {
    let (graph, root, plan) = (graph, root, plan)
    let changes: [() throws -> Void] = [
      { try graph.rollback() }, { try graph.delete(root) }, { try graph.insert("Folder") },
      { try root.setValue("a", for: "code") }, { try Cloner(plan: plan).clone(object: root) },
    ]
    for change in changes {
      try graph.insert("Folder", ["parent": root.id.key.parts[0]])
      let count = try count(root)
      let inner = Inner(change)
      let generator = ValueGenerator(
        now: {
          inner.perform()
          return Date()
        }, uuid: { UUID() })
      for cloner in [Cloner(progress: { _ in inner.perform() }), Cloner(generator: generator)] {
        let result = try cloner.clone(object: root, request: CloneRequest(), saveBeforeReturn: false)
        #expect(result.cloned == ["Folder": count])
        #expect(inner.takeError()?.code == .invalidValue)
        #expect(try self.count(ManagedObject(id: result.root, graph: graph)) == count)
        #expect(try self.count(root) == count)
      }
    }
    try graph.rollback()
    #expect(try graph.count("Folder") == 2)
  }

  /// Changes a graph, on the thread of the run that it is called from.
  private final class Inner: @unchecked Sendable {
    // Everything here happens on one thread.
    private let change: () throws -> Void
    private var error: (any Error)?

    init(_ change: @escaping () throws -> Void) { self.change = change }

    func perform() {
      do { try change() } catch { self.error = error }
    }

    func takeError() -> CloneError? {
      defer { error = nil }
      return error as? CloneError
    }
  }
}
