import Foundation
import MOCloneKit
import MOCloneModeling
import TestSupport
import Testing

@Suite("The files of an Xcode model")
struct XcodeBundleTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    for version in ["Notes", "Notes 2"] {
      let entity = version == "Notes" ? "Old" : "New"
      try folder.write(
        xcodeModel("<entity name=\"\(entity)\"/>").utf8,
        to: "Notes.xcdatamodeld/\(version).xcdatamodel/contents")
    }
  }

  private func setCurrent(_ name: String) throws {
    let list = try PropertyListSerialization.data(
      fromPropertyList: ["_XCCurrentVersionName": name], format: .xml, options: 0)
    try folder.write(list, to: "Notes.xcdatamodeld/.xccurrentversion")
  }

  private func draft(_ path: String, version: String? = nil) throws -> ModelDraft {
    try ModelDraft(contentsOf: folder.file(path), options: ModelSourceOptions(version: version))
  }

  private func failure(_ path: String, version: String? = nil) -> String {
    do {
      _ = try draft(path, version: version)
      return "nothing"
    } catch {
      return (error as? CloneError)?.failures.first.map { "\($0.code.rawValue): \($0.message)" } ?? "\(error)"
    }
  }

  @Test func theCurrentVersionIsRead() throws {
    try setCurrent("Notes 2.xcdatamodel")
    let draft = try draft("Notes.xcdatamodeld")
    #expect(draft.entities.map(\.name) == ["New"])
    #expect(draft.name == "Notes")
    #expect(draft.comments[.model] == ["Read from Notes.xcdatamodeld/Notes 2.xcdatamodel."])
  }

  @Test(arguments: ["Notes", "Notes.xcdatamodel"])
  func aVersionCanBeNamed(version: String) throws {
    try setCurrent("Notes 2.xcdatamodel")
    #expect(try draft("Notes.xcdatamodeld", version: version).entities.map(\.name) == ["Old"])
  }

  @Test(arguments: [("\u{C4}", "A\u{308}"), ("A\u{308}", "\u{C4}")])
  func aVersionIsFoundByANameOfOtherCharacters(name: String, folderName: String) throws {
    try folder.write(
      xcodeModel("<entity name=\"Newest\"/>").utf8,
      to: "Notes.xcdatamodeld/\(folderName).xcdatamodel/contents")
    try setCurrent("\(name).xcdatamodel")
    #expect(try draft("Notes.xcdatamodeld").entities.map(\.name) == ["Newest"])
    #expect(try draft("Notes.xcdatamodeld", version: name).entities.map(\.name) == ["Newest"])
  }

  @Test func oneVersionAndItsFileAreReadAlone() throws {
    #expect(try draft("Notes.xcdatamodeld/Notes 2.xcdatamodel").entities.map(\.name) == ["New"])
    let contents = try draft("Notes.xcdatamodeld/Notes 2.xcdatamodel/contents")
    #expect(contents.entities.map(\.name) == ["New"] && contents.name == "Notes 2")
  }

  @Test func withoutACurrentVersionTheOnlyOneIsRead() throws {
    #expect(failure("Notes.xcdatamodeld").contains("; name a version by its path: '"))
    #expect(failure("Notes.xcdatamodeld").hasSuffix("/Notes.xcdatamodeld/Notes.xcdatamodel'"))
    try FileManager.default.removeItem(at: folder.file("Notes.xcdatamodeld/Notes.xcdatamodel"))
    #expect(try draft("Notes.xcdatamodeld").entities.map(\.name) == ["New"])
  }

  /// Xcode writes such a file for a model that never had a second version.
  @Test func aCurrentVersionWithoutANameIsTheOnlyOne() throws {
    let list = "<plist version=\"1.0\"><dict/></plist>"
    try folder.write(list.utf8, to: "Notes.xcdatamodeld/.xccurrentversion")
    #expect(failure("Notes.xcdatamodeld").contains("does not say which version is the current one; name"))
    try FileManager.default.removeItem(at: folder.file("Notes.xcdatamodeld/Notes.xcdatamodel"))
    #expect(try draft("Notes.xcdatamodeld").entities.map(\.name) == ["New"])
  }

  @Test func versionsThatAreNotThereAreRefused() throws {
    try setCurrent("Notes 3.xcdatamodel")
    #expect(failure("Notes.xcdatamodeld").contains("names 'Notes 3' as its current version, which"))
    #expect(failure("Notes.xcdatamodeld", version: "Other").contains("has no version 'Other'"))
    #expect(failure("Notes.xcdatamodeld/Notes.xcdatamodel", version: "Notes").contains("has no versions"))
    try folder.write("broken".utf8, to: "Notes.xcdatamodeld/.xccurrentversion")
    #expect(failure("Notes.xcdatamodeld").contains("does not say which version is the current one"))
  }

  @Test(arguments: ["Notes.mom", "Notes.omo", "Notes.momd/Notes.mom", "Compiled"])
  func compiledModelsAreRefusedByName(path: String) throws {
    try folder.write(Data("bplist00".utf8) + Data(repeating: 0, count: 40), to: path)
    #expect(failure(path).hasPrefix("unsupported-model-source: '"))
    #expect(failure(path).contains("is a compiled model"))
  }

  @Test func theBinaryFormatOfXcode3IsRefusedByName() throws {
    try folder.write("bplist00".utf8, to: "Old.xcdatamodel/elements")
    try folder.write("bplist00".utf8, to: "Old.xcdatamodel/layout")
    #expect(failure("Old.xcdatamodel").contains("is in the binary format of Xcode 3"))
    try FileManager.default.createDirectory(
      at: folder.file("Empty.xcdatamodel"), withIntermediateDirectories: true)
    #expect(failure("Empty.xcdatamodel").contains("holds no file 'contents'"))
    try FileManager.default.createDirectory(
      at: folder.file("Empty.xcdatamodeld"), withIntermediateDirectories: true)
    #expect(failure("Empty.xcdatamodeld").contains("holds no .xcdatamodel"))
  }

  @Test func otherFilesAreRefused() throws {
    try folder.write("version: 1".utf8, to: "model.yml")
    #expect(failure("model.yml").contains("is neither a SQLite database nor an Xcode model"))
    #expect(failure("missing.xcdatamodeld").contains("does not exist"))
  }
}

@Suite("Files that hold no model")
struct NoModelTests {
  @Test(arguments: [".", "/", "/dev/zero"])
  func aFolderOrADeviceIsRefused(path: String) {
    let error = #expect(throws: CloneError.self) { try ModelDraft(contentsOf: URL(fileURLWithPath: path)) }
    #expect(error?.code == .unsupportedModelSource)
  }

  @Test func aNamedPipeIsRefusedAndNotWaitedFor() throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try #require(mkfifo(path.path, 0o600) == 0)
    defer { try? FileManager.default.removeItem(at: path) }
    let error = #expect(throws: CloneError.self) { try ModelDraft(contentsOf: path) }
    #expect(error?.code == .unsupportedModelSource)
  }
}
