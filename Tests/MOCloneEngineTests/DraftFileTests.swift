import Foundation
import MOCloneEngine
import MOCloneModel
import Testing

@Suite("Files that are written beside their place")
struct DraftFileTests {
  /// Writes a file, and lists what is in its folder then.
  private func written(replacing: Bool, meanwhile: String?) throws -> (
    text: String, failed: Bool, files: [String]
  ) {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let place = folder.appendingPathComponent("moclone.yml")
    func write() throws {
      let file = try DraftFile(path: place.path)
      try file.write(Data("new".utf8))
      if let meanwhile { try Data(meanwhile.utf8).write(to: place) }
      try file.moveIntoPlace(replacing: replacing)
    }
    var failed = false
    do { try write() } catch let error as CloneError {
      failed = error.code == .storeExists
    }
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    return (try String(contentsOf: place, encoding: .utf8), failed, files)
  }

  @Test(
    "A new file replaces nothing that appears in its place, and no draft stays", arguments: [nil, "other"])
  func appearing(meanwhile: String?) throws {
    let written = try written(replacing: false, meanwhile: meanwhile)
    #expect(written.text == meanwhile ?? "new")
    #expect(written.failed == (meanwhile != nil))
    #expect(written.files == ["moclone.yml"])
  }

  @Test("Another file is replaced as a whole", arguments: [nil, "other"])
  func replaced(meanwhile: String?) throws {
    let written = try written(replacing: true, meanwhile: meanwhile)
    #expect(written.text == "new" && !written.failed && written.files == ["moclone.yml"])
  }
}
