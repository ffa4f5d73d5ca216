import MOCloneKit
import MOCloneTesting
import Testing

@Suite("The reference cloner")
struct ReferenceClonerTests {
  @Test func itRefusesARequiredAttributeThatFollowsNothing() throws {
    let label = AttributeDescription(name: "mark", type: .string, userInfo: ["followParent": "name"])
    let model = try ObjectModel(
      name: "Drawings",
      entities: [
        EntityDescription(
          name: "Drawing", attributes: [AttributeDescription(name: "name", type: .string, isOptional: true)],
          relationships: [
            RelationshipDescription(
              name: "labels", destination: "Label", isToMany: true, inverse: "drawing")
          ]),
        EntityDescription(
          name: "Label", attributes: [label],
          relationships: [
            RelationshipDescription(
              name: "drawing", destination: "Drawing", isOptional: true, inverse: "labels")
          ]),
      ])
    let graph = MemoryGraph(model: model)
    let drawing = try graph.insert("Drawing")
    let original = try graph.insert("Label", ["mark": "m"])
    try original.set(drawing, for: "drawing")
    try graph.save()
    let error = #expect(throws: CloneError.self) { try ReferenceCloner().clone(drawing.id, in: graph) }
    #expect(error?.code == .requiredLeftEmpty && error?.failures.first?.object == original.id)
  }
}
