import Foundation
import MOCloneModel
import Testing

/// Without MOCloneYAML, as in an app for iOS, `ObjectModel(contentsOf:)` reads JSON.
struct JSONModelTests {
  private func file(_ name: String, _ text: String) throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let url = folder.appendingPathComponent(name)
    try Data(text.utf8).write(to: url)
    return url
  }

  private func model(_ name: String, _ text: String) throws -> ObjectModel {
    let url = try file(name, text)
    defer { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }
    // The type of the function picks the one of MOCloneModel, where other files of the tests import MOCloneYAML.
    let read: (URL) throws(ModelError) -> ObjectModel = ObjectModel.init(contentsOf:)
    return try read(url)
  }

  @Test func aJSONFileIsReadWithoutYAML() throws {
    let model = try model(
      "Notes.json",
      #"{"version": 1, "name": "Notes 🎈", "entities": {"Note": {"attributes": {"name": {"type": "String"}}}}}"#
    )
    #expect(model.entities.map(\.name) == ["Note"])
  }

  @Test func aYAMLFileIsRefusedByName() throws {
    let error = #expect(throws: ModelError.self) { try model("Notes.yml", "version: 1") }
    #expect(error?.diagnostics.first?.help?.contains("import MOCloneYAML") == true)
  }

  @Test func brokenJSONIsASyntaxFinding() throws {
    let error = #expect(throws: ModelError.self) { try model("Notes.json", #"{"version": 1,"#) }
    #expect(error?.diagnostics.map(\.code) == [.syntax])
  }

  @Test func allFindingsOfAFaultyModelAreThrown() throws {
    let error = #expect(throws: ModelError.self) {
      try model(
        "Notes.json", #"{"version": 1, "entities": {"Note": {"attributs": {}, "parent": "Missing"}}}"#)
    }
    #expect(error?.diagnostics.map(\.code) == [.unknownKey, .unknownParent])
  }
}
