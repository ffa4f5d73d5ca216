import Foundation
import TestSupport
import Testing

@Suite("moclone diff in CI")
struct DiffAcceptanceTests {
  private static let old = """
    version: 1
    name: Notes
    entities:
      Note:
        attributes: {name: String}
        relationships:
          memos: {destination: Memo, toMany: true, inverse: note}
      Memo:
        relationships: {note: {destination: Note, inverse: memos}}

    """
  private static let new = old.replacing("inverse: note}", with: "inverse: note, userInfo: {exclude: \"\"}}")
  private let temporary: TemporaryFolder
  private var folder: URL { temporary.url }

  init() throws {
    temporary = try TemporaryFolder()
    try write("old.yml", Self.old)
    try write("new.yml", Self.new)
  }

  private func write(_ name: String, _ text: String) throws {
    try temporary.write(text.utf8, to: name)
  }

  private func diff(_ arguments: String..., input: String = "") throws -> Finished {
    try run("moclone", ["diff"] + arguments, input: input, in: folder)
  }

  // MARK: What fails

  @Test func theLowestSeverityThatFailsCanBeChosen() throws {
    #expect(try diff("old.yml", "new.yml", "--fail-on", "never").status == 0)
    #expect(try diff("new.yml", "old.yml").status == 0)
    #expect(try diff("new.yml", "old.yml", "--fail-on", "note").status == 1)
    try write("moclone.yml", "version: 1\nseverities: {no-longer-cloned: note, newly-cloned: error}\n")
    #expect(try diff("old.yml", "new.yml").status == 0)
    #expect(try diff("new.yml", "old.yml").status == 1)
  }

  @Test("A comment on the line before accepts a change; validate has nothing to say to it")
  func comments() throws {
    let accepted = Self.new.replacing(
      "      memos:", with: "      # moclone:allow no-longer-cloned memos are private\n      memos:")
    try write("new.yml", accepted)
    let run = try diff("old.yml", "new.yml")
    #expect(run.status == 0)
    #expect(run.output == "All changes are accepted: 1.\n")
    #expect(run.errors.contains("'Note.memos' is no longer copied, which is accepted: memos are private."))
    #expect(!(try moclone("validate", "new.yml", in: folder).output.contains("no-longer-cloned")))
    try write("new.yml", accepted.replacing("no-longer-cloned", with: "copy-became-link"))
    #expect(try diff("old.yml", "new.yml").status == 1)
  }

  @Test("A baseline accepts changes with their reasons, and keeps the reasons that it has")
  func baselines() throws {
    #expect(try diff("old.yml", "new.yml", "--write-baseline", "breaks.json").status == 64)
    let written = try diff("old.yml", "new.yml", "--write-baseline", "breaks.json", "--reason", "version 2")
    #expect(written.status == 0)
    let run = try diff("old.yml", "new.yml", "--baseline", "breaks.json")
    #expect(run.status == 0 && run.errors.contains("is accepted: version 2."))
    try write("new.yml", Self.new.replacing("attributes: {name: String}", with: "attributes: {}"))
    let more = try diff("old.yml", "new.yml", "--baseline", "breaks.json")
    #expect(more.status == 1)
    #expect(more.output.contains("breaking: Note.name is no longer copied"))
    #expect(!more.output.contains("Note.memos"))
    _ = try diff("old.yml", "new.yml", "--write-baseline", "breaks.json", "--reason", "version 3")
    let text = try String(contentsOf: folder.appendingPathComponent("breaks.json"), encoding: .utf8)
    #expect(text.contains("\"reason\":\"version 2\"") && text.contains("\"reason\":\"version 3\""))
    try write("new.yml", Self.old)
    let stale = try diff("old.yml", "new.yml", "--baseline", "breaks.json")
    #expect(stale.status == 0 && stale.errors.contains("[stale-baseline]"))
    #expect(try diff("old.yml", "new.yml", "--baseline", "breaks.json", "--fail-on", "warning").status == 1)
  }

  // MARK: Formats

  @Test func githubShowsChangesAtTheirLines() throws {
    let run = try diff("old.yml", "new.yml", "--format", "github")
    #expect(run.status == 1)
    #expect(
      run.output.hasPrefix(
        "::error file=new.yml,line=7,endLine=7,col=7,endColumn=11,title=no-longer-cloned::"))
    #expect(run.output.contains("'Note.memos' is no longer copied: before cloned (its own), now left out"))
  }

  @Test func sarifHasRulesAndAcceptedChanges() throws {
    _ = try diff("old.yml", "new.yml", "--write-baseline", "breaks.json", "--reason", "version 2")
    let run = try diff("old.yml", "new.yml", "--format", "sarif", "--baseline", "breaks.json")
    #expect(run.status == 0)
    #expect(run.output.contains("\"ruleId\" : \"no-longer-cloned\""))
    #expect(run.output.contains("\"justification\" : \"version 2\""))
    #expect(
      try moclone("explain", "no-longer-cloned").output.contains("Category: difference. Severity: error."))
  }

  @Test func jsonNamesTheModelAndWhatIsAccepted() throws {
    _ = try diff("old.yml", "new.yml", "--write-baseline", "breaks.json", "--reason", "version 2")
    let run = try diff("old.yml", "new.yml", "--format", "json", "--baseline", "breaks.json")
    let report = try #require(JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
    #expect(report["breaking"] as? Bool == false)
    let accepted = try #require(report["accepted"] as? [[String: Any]])
    #expect(accepted.map { $0["reason"] as? String } == ["version 2"])
    #expect(accepted.map { $0["model"] as? String } == ["new.yml"])
  }

  @Test func anEmptyReasonIsNone() throws {
    let run = try diff("old.yml", "new.yml", "--write-baseline", "empty.json", "--reason", " ")
    #expect(run.status == 64 && run.errors.hasPrefix("moclone: --reason is empty"))
    #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("empty.json").path))
  }

  // MARK: Models

  @Test func standardInputIsEitherModel() throws {
    #expect(try diff("-", "new.yml", input: Self.old).status == 1)
    #expect(try diff("old.yml", "-", input: Self.old).status == 0)
    #expect(try diff("-", "-", input: Self.old).status == 64)
    #expect(try diff("--against", "HEAD", "-").status == 64)
  }

  @Test("Several models of a project are compared with a commit, moved ones with what they were")
  func severalModels() throws {
    func git(_ arguments: String...) throws -> Bool {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org"] + arguments
      process.currentDirectoryURL = folder
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      return process.terminationStatus == 0
    }
    guard try git("init") else { return print("skipped: git is not here") }
    try write("Models/a.yml", Self.old)
    try write("Models/b.yml", Self.old.replacing("Memo", with: "Comment"))
    try write("moclone.yml", "version: 1\ninclude: [Models]\n")
    try #require(try git("add", "."))
    try #require(try git("commit", "-m", "Models"))
    #expect(try diff("--against", "HEAD").status == 0)
    try #require(try git("mv", "Models/a.yml", "Models/moved.yml"))
    try write("Models/moved.yml", Self.new)
    try write("Models/fresh.yml", Self.old)
    let run = try diff("--against", "HEAD")
    #expect(run.status == 1)
    #expect(run.output.contains("Models/b.yml\n\nClones contain the same as before.\n"))
    #expect(run.output.contains("Models/moved.yml\n\nbreaking: Note.memos is no longer copied"))
    #expect(run.errors.contains("'Models/fresh.yml' is not compared"))
    #expect(try diff("--against", "HEAD", "Models/moved.yml", "Models/b.yml").status == 1)
    #expect(try diff("--against", "HEAD", "Models/fresh.yml").status == 66)
    try FileManager.default.removeItem(at: folder.appendingPathComponent("Models/b.yml"))
    for gone in [try diff("--against", "HEAD"), try diff("--against", "HEAD", "Models/b.yml")] {
      #expect(gone.status == 1)
      #expect(gone.output.contains("breaking: Comment went\n    before:  can be cloned\n"), "\(gone)")
    }
  }

  @Test("A plan of many access paths is summed up by entity")
  func plans() throws {
    let entities = (0..<16).map { i in
      let relationships = (0..<16).filter { $0 != i }.map { j in
        j > i
          ? "      to\(j): {destination: E\(j), toMany: true, inverse: to\(i)}\n"
          : "      to\(j): {destination: E\(j), optional: true, inverse: to\(i), userInfo: {onClone: clone}}\n"
      }
      return "  E\(i):\n    relationships:\n" + relationships.joined()
    }
    try write("dense.yml", "version: 1\nname: Dense\nentities:\n" + entities.joined())
    let run = try moclone("plan", "E0", "--model", "dense.yml", in: folder)
    #expect(run.status == 0)
    #expect(run.output.hasPrefix("E0, the root\n"))
    #expect(run.output.contains("241 access paths, by entity (--all shows each of them)\n"))
    #expect(run.output.contains("  E15  over 15 relationships (E0.to15, "))
    let all = try moclone("plan", "E0", "--model", "dense.yml", "--all", in: folder)
    #expect(all.output.contains("\nE15, over E3.to15\n"))
  }
}
