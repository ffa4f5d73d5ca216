import MOCloneKit
import TestSupport
import Testing

/// Attributes that a subtree leaves out on its way into another store.
@Suite struct ExcludedSubtreeTests {
  private let model = try! ObjectModel(
    yaml: """
      version: 1
      name: Folders
      entities:
        Folder:
          attributes: {name: String?, text: {type: String, optional: true, default: none}}
          relationships:
            parent: {destination: Folder, optional: true, inverse: parts}
            parts: {destination: Folder, toMany: true, inverse: parent, deleteRule: cascade}
          uniquenessConstraints: [[name]]
      """)

  private func clone(_ name: String, _ request: CloneRequest) throws -> SQLiteGraph {
    let (source, target) = (try SQLiteGraph.temporary(model), try SQLiteGraph.temporary(model))
    let top = try source.insert("Folder", ["name": "top", "text": "t"])
    let part = try source.insert("Folder", ["name": "part", "text": "p", "parent": top.id.key.reference])
    try target.insert("Folder", ["name": "top", "text": "own"])
    let plan = try ClonePlan(model: model, entity: "Folder", request: request)
    try target.clone(plan, roots: [name == "top" ? top.id : part.id], from: source)
    return target
  }

  @Test func aValueThatIsSetCountsWhereItsAttributeIsExcluded() throws {
    let target = try clone(
      "top", CloneRequest(exclude: ["name", "text"], set: ["name": "Copy", "text": "set"]))
    let folders = try target.objectIDs("Folder").dropFirst()
    #expect(try folders.map { try target.value("name", of: $0) } == ["Copy", .null])
    #expect(try folders.map { try target.value("text", of: $0) } == ["set", "none"])
  }

  @Test func aLinkedObjectIsFoundByWhatMembersLeaveOut() throws {
    let target = try clone("part", CloneRequest(exclude: ["name"]))
    let folders = try target.objectIDs("Folder")
    #expect(folders.count == 2)
    #expect(try target.destinations("parent", of: folders[1]) == [folders[0]])
    #expect(try target.value("name", of: folders[1]).isNull)
  }
}
