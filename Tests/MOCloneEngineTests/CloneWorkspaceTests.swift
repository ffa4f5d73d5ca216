import MOCloneModel
import MOCloneTesting
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

  /// What is reported from within a run may begin another one.
  @Test func aCloneInsideOfACloneHasItsOwn() throws {
    let inner = Inner(Cloner(plan: plan), root)
    let result = try Cloner(plan: plan, progress: { _ in inner.cloneOnce() })
      .clone(object: root, request: CloneRequest())
    #expect(result.cloned == ["Folder": 2])
    #expect(inner.cloned == ["Folder": 2])
    #expect(try GraphSnapshot(graph).objects.count == 6)
    #expect(try count(ManagedObject(id: result.root, graph: graph)) == 2)
  }

  /// Clones once, on the thread of the run that it is called from.
  private final class Inner: @unchecked Sendable {
    // Everything here happens on one thread.
    private let cloner: Cloner
    private let root: ManagedObject
    private(set) var cloned: [String: Int]?

    init(_ cloner: Cloner, _ root: ManagedObject) {
      self.cloner = cloner
      self.root = root
    }

    func cloneOnce() {
      guard cloned == nil else { return }
      let made = try? cloner.clone(object: root, request: CloneRequest(), saveBeforeReturn: false)
      cloned = made?.cloned
    }
  }
}
