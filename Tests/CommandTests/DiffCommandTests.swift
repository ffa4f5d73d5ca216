import Foundation
import TestSupport
import Testing

@Suite("moclone diff")
struct DiffCommandTests {
  private static let sample = project.appendingPathComponent("Models/HealthNotes.yml")

  /// A folder with HealthNotes and a copy of it without memos.
  private final class Folder {
    private let temporary: TemporaryFolder
    var url: URL { temporary.url }
    let changed: String

    init() throws {
      temporary = try TemporaryFolder()
      let text = try String(contentsOf: sample, encoding: .utf8)
      changed = text.replacingOccurrences(
        of: "ordered: true, inverse: note", with: "ordered: true, inverse: note, userInfo: {exclude: \"\"}")
      try write(text, "old.yml")
      try write(changed, "new.yml")
    }

    func write(_ text: String, _ name: String) throws {
      try text.write(to: url.appendingPathComponent(name), atomically: true, encoding: .utf8)
    }
  }

  @Test("A breaking change exits with 1, the reverse and none with 0")
  func status() throws {
    let folder = try Folder()
    let run = try moclone("diff", "old.yml", "new.yml", in: folder.url)
    #expect(run.status == 1)
    #expect(
      run.output.hasPrefix(
        "breaking: Note.memos is no longer copied\n    before:  cloned in order (its own)\n"))
    #expect(run.output.hasSuffix("\n1 breaking change, 0 others\n"))
    #expect(try moclone("diff", "new.yml", "old.yml", in: folder.url).status == 0)
    let same = try moclone("diff", "old.yml", "old.yml", in: folder.url)
    #expect(same.status == 0 && same.output == "Clones contain the same as before.\n")
  }

  @Test("JSON and Markdown say the same with the same status")
  func formats() throws {
    let folder = try Folder()
    let json = try moclone("diff", "old.yml", "new.yml", "--format", "json", in: folder.url)
    #expect(json.status == 1)
    let report = try #require(JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
    #expect(report["version"] as? Int == 1 && report["breaking"] as? Bool == true)
    let changes = try #require(report["changes"] as? [[String: Any]])
    #expect(changes.map { $0["kind"] as? String } == ["no-longer-cloned"])
    let markdown = try moclone("diff", "old.yml", "new.yml", "--format", "markdown", in: folder.url)
    #expect(markdown.status == 1)
    #expect(markdown.output.contains("| **breaking** | `Note.memos` is no longer copied |"))
  }

  @Test("A model is compared with itself in a commit of git, also from another folder")
  func against() throws {
    let folder = try Folder()
    func git(_ arguments: String...) throws -> Int32 {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org"] + arguments
      process.currentDirectoryURL = folder.url
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      return process.terminationStatus
    }
    guard try git("init") == 0 else { return print("skipped: git is not here") }
    try #require(git("add", "old.yml") == 0)
    try #require(git("commit", "-m", "A model") == 0)
    try folder.write(folder.changed, "old.yml")
    let run = try moclone("diff", "--against", "HEAD", "old.yml", in: folder.url)
    #expect(run.status == 1 && run.output.contains("Note.memos is no longer copied"))
    #expect(try moclone("diff", "--against", "HEAD", folder.url.path + "/old.yml").output == run.output)
    try folder.write("version: 1\nmodel: old.yml\n", "moclone.yml")
    #expect(try moclone("diff", "--against", "HEAD", in: folder.url).output == run.output)
    #expect(try moclone("diff", "--against", "HEAD", "new.yml", in: folder.url).status == 66)
    let unknown = try moclone("diff", "--against", "nowhere", "old.yml", in: folder.url)
    #expect(unknown.status == 64)
    #expect(unknown.errors == "moclone: Git knows no commit, branch or tag 'nowhere'.\n")
    #expect(try moclone("diff", "--against", "--output=x", "old.yml", in: folder.url).status == 64)
    #expect(!FileManager.default.fileExists(atPath: folder.url.path + "/x"))
  }

  @Test("Outside of a repository there is nothing to compare with")
  func withoutRepository() throws {
    let folder = try Folder()
    let run = try moclone("diff", "--against", "HEAD", "old.yml", in: folder.url)
    #expect(run.status == 64)
    #expect(run.errors.contains("'old.yml' is not in a Git repository, so --against cannot be used."))
  }

  @Test("A faulty model is reported as validate does, both where both are")
  func faulty() throws {
    let folder = try Folder()
    try folder.write("version: 1\nentities: {A: {atributes: {}}}\n", "bad.yml")
    try folder.write("version: 1\nentities: {A: {parnt: B}}\n", "worse.yml")
    let run = try moclone("diff", "old.yml", "bad.yml", in: folder.url)
    #expect(run.status == 1 && run.output.isEmpty && run.errors.contains("bad.yml:2:16: error:"))
    let both = try moclone("diff", "worse.yml", "bad.yml", in: folder.url)
    #expect(
      both.status == 1 && both.errors.contains("bad.yml:2:16") && both.errors.contains("worse.yml:2:16"))
    #expect(try moclone("diff", "old.yml", "nowhere.yml", in: folder.url).status == 66)
  }

  @Test(
    "Wrong numbers of models are refused",
    arguments: [["diff"], ["diff", "a"], ["diff", "a", "b", "c"], ["diff", "--against", "HEAD", "-"]])
  func usage(_ arguments: [String]) throws {
    #expect(try run("moclone", arguments).status == 64)
  }
}
