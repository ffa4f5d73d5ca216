import MOCloneEngine
import MOCloneModel
import Testing

/// The rules of a plan, node by node.
struct PlanTests {
  private func notes() throws -> ObjectModel {
    try ObjectModel(
      name: "Notes",
      entities: [
        EntityDescription(
          name: "Note",
          attributes: [
            AttributeDescription(name: "id", type: .uuid, userInfo: ["rebuild": "uuid"], column: "uuid"),
            AttributeDescription(name: "made", type: .date, isOptional: true, userInfo: ["rebuild": "now"]),
            AttributeDescription(name: "index", type: .integer32, defaultValue: 3, userInfo: ["exclude": ""]),
            AttributeDescription(name: "name", type: .string),
          ],
          relationships: [
            RelationshipDescription(name: "items", destination: "Item", isToMany: true, inverse: "note"),
            RelationshipDescription(name: "tags", destination: "Tag", isToMany: true, inverse: "notes"),
            RelationshipDescription(
              name: "log", destination: "Tag", isOptional: true, userInfo: ["exclude": ""]),
          ]),
        EntityDescription(
          name: "Item",
          attributes: [
            AttributeDescription(
              name: "noteID", type: .uuid, isOptional: true,
              userInfo: ["followParent": "Note.id", "withoutParent": "keep"], column: "note_uuid")
          ],
          relationships: [RelationshipDescription(name: "note", destination: "Note", inverse: "items")]),
        EntityDescription(
          name: "Tag",
          relationships: [
            RelationshipDescription(name: "notes", destination: "Note", isToMany: true, inverse: "tags")
          ]),
      ])
  }

  @Test func relationshipsAreCloneLinkIncomingAndExclude() throws {
    let plan = try ClonePlan(model: notes(), entity: "Note")
    let note = try #require(plan.root(of: "Note"))
    #expect(note.plan(ofRelationship: "items")?.rule == .clone)
    #expect(note.plan(ofRelationship: "tags")?.rule == .link)
    #expect(note.plan(ofRelationship: "log")?.rule == .exclude)
    let item = try #require(plan.nodes.first { $0.entity == "Item" })
    #expect(item.plan(ofRelationship: "note")?.rule == .incoming)
    #expect(plan.entities == ["Note", "Item"])
  }

  @Test func aRootSeesItsOwnerAsShared() throws {
    let plan = try ClonePlan(model: notes(), entity: "Item")
    #expect(plan.root(of: "Item")?.plan(ofRelationship: "note")?.rule == .link)
    #expect(plan.nodes.count == 1)
  }

  @Test func attributesFollowTheOrderOfPrecedence() throws {
    let request = CloneRequest(set: ["name": "x"])
    let plan = try ClonePlan(model: notes(), entity: "Note", request: request)
    let note = try #require(plan.root(of: "Note"))
    #expect(note.rule(ofAttribute: "id") == .rebuild(.uuid))
    #expect(note.rule(ofAttribute: "made") == .rebuild(.now))
    #expect(note.rule(ofAttribute: "index") == .exclude(3))
    #expect(note.rule(ofAttribute: "name") == .set("x"))
    let item = try #require(plan.nodes.first { $0.entity == "Item" })
    #expect(
      item.rule(ofAttribute: "noteID") == .followParent(slot: 0, sources: .root, fallback: .rule(.copy)))
    let alone = try ClonePlan(model: notes(), entity: "Item")
    #expect(alone.root(of: "Item")?.rule(ofAttribute: "noteID") == .copy)
  }

  @Test func excludedNamesAreKnownWhereTheChainWouldHaveLed() throws {
    let request = CloneRequest(exclude: ["items", "Item.noteID"])
    let plan = try ClonePlan(model: notes(), entity: "Note", request: request)
    #expect(plan.entities == ["Note"])
    let inOtherCase = CloneRequest(exclude: ["items", "item.noteID"])
    #expect(try ClonePlan(model: notes(), entity: "Note", request: inOtherCase).entities == ["Note"])
    #expect(throws: CloneError.self) {
      try ClonePlan(model: notes(), entity: "Note", request: CloneRequest(exclude: ["Tag.notes"]))
    }
  }

  @Test func whatTheRequestAloneShowsToBeWrongIsFoundBeforeAnyRow() throws {
    let model = try notes()
    let faults: [(CloneRequest, DiagnosticCode)] = [
      (CloneRequest(exclude: ["itens"]), .unknownName),
      (CloneRequest(exclude: ["name"]), .requiredLeftEmpty),
      (CloneRequest(count: 0), .invalidValue),
      (CloneRequest(set: ["index": "many"]), .invalidValue),
      (CloneRequest(set: ["items": "1"]), .invalidValue),
      (CloneRequest(unset: ["name"]), .invalidValue),
      (CloneRequest(set: ["nome": "x"]), .unknownName),
    ]
    for (request, code) in faults {
      let error = #expect(throws: CloneError.self) {
        try ClonePlan(model: model, entity: "Note", request: request)
      }
      #expect(error?.code == code)
    }
  }
}
