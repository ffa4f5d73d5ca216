import Foundation
import TestSupport
import Testing

@Suite("moclone validate --fix")
struct FixCommandTests {
  private let temporary: TemporaryFolder
  private var folder: URL { temporary.url }
  private let broken =
    "version: 1   # the format\nentities:\n  E:\n    atributes: {a: Date}   # one\n    tabel: e\n"
  private let fixed =
    "version: 1   # the format\nentities:\n  E:\n    attributes: {a: Date}   # one\n    table: e\n"
  private var file: URL { folder.appendingPathComponent("m.yml") }

  init() throws { temporary = try TemporaryFolder() }

  private func withFile(_ text: String, _ body: () throws -> Void) throws {
    try text.write(to: file, atomically: true, encoding: .utf8)
    try body()
  }

  private func text() throws -> String { try String(contentsOf: file, encoding: .utf8) }

  @Test("Mends the file, says so, and exits as the mended file deserves")
  func fixes() throws {
    try withFile(broken) {
      let run = try moclone("validate", "--fix", "m.yml", in: folder)
      #expect(run.status == 0 && run.output.isEmpty)
      let lines = run.errors.split(separator: "\n")
      #expect(
        lines.first == "moclone: m.yml: 2 misspelt keys were fixed."
          && lines.dropFirst().first == "moclone: No findings in 1 file.")
      #expect(try text() == fixed)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["m.yml"])
    }
  }

  @Test("What is left is reported with its edit")
  func rest() throws {
    try withFile(broken + "    parent: F\n") {
      let run = try moclone("validate", "--fix", "m.yml", in: folder)
      #expect(run.status == 1)
      #expect(run.output.contains("[unknown-parent]") && !run.output.contains("[unknown-key]"))
      #expect(run.output.contains("help: add the entity 'F', or remove 'parent'"))
      #expect(try text() == fixed + "    parent: F\n")
    }
  }

  @Test("The dry run writes nothing and prints what `patch` accepts; the findings stand apart")
  func dryRun() throws {
    try withFile(broken) {
      let run = try moclone("validate", "--fix", "--dry-run", "m.yml", in: folder)
      #expect(run.status == 1 && run.errors.contains("[unknown-key]"))
      #expect(run.output.hasPrefix("--- m.yml\n+++ m.yml\n@@ -1,5 +1,5 @@\n"))
      #expect(try text() == broken)
      let patch = Process()
      patch.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      patch.arguments = ["patch", "-p0", "--quiet"]
      patch.currentDirectoryURL = folder
      let input = Pipe()
      patch.standardInput = input
      try patch.run()
      try? input.fileHandleForWriting.write(contentsOf: Data(run.output.utf8))
      try input.fileHandleForWriting.close()
      patch.waitUntilExit()
      guard patch.terminationStatus != 127 else { return print("skipped: patch is not here") }
      #expect(patch.terminationStatus == 0)
      #expect(try text() == fixed)
    }
  }

  @Test("A link stays a link, and permissions stay")
  func permissions() throws {
    try withFile(broken) {
      try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file.path)
      let link = folder.appendingPathComponent("link.yml").path
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "m.yml")
      #expect(try moclone("validate", "--fix", "link.yml", in: folder).status == 0)
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "m.yml")
      #expect(try text() == fixed)
      let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
      #expect(attributes[.posixPermissions] as? Int == 0o640)
    }
  }

  @Test("A file without misspelt keys, and one that cannot be read as YAML, stay untouched")
  func untouched() throws {
    for text in [fixed, "version: 1\nentities: {E: {atributes: {a: [}}}\n"] {
      try withFile(text) {
        let before = try FileManager.default.attributesOfItem(atPath: file.path)[.systemFileNumber] as? Int
        _ = try moclone("validate", "--fix", "m.yml", in: folder)
        #expect(try self.text() == text)
        let after = try FileManager.default.attributesOfItem(atPath: file.path)[.systemFileNumber] as? Int
        #expect(before == after)
      }
    }
  }

  @Test("Standard input, and a dry run of nothing, are refused")
  func usage() throws {
    #expect(try moclone("validate", "--fix", "-", input: broken).status == 64)
    #expect(try moclone("validate", "--dry-run", "m.yml").status == 64)
  }

  @Test(
    "A misspelt key that is allowed, turned off or in the baseline stays as it is",
    arguments: ["comment", "severity", "baseline"])
  func accepted(_ by: String) throws {
    let allowed =
      by == "comment" ? "      # moclone:allow misspelt-annotation the export reads this key\n" : ""
    let text =
      "version: 1\nname: x\nentities:\n  Note:\n    attributes:\n" + allowed
      + "      n: {type: String, optional: true, userInfo: {Exclude: \"1\"}}\n"
    try withFile(text) {
      #expect(try moclone("validate", "m.yml", "--write-baseline", "known.json", in: folder).status == 0)
      if by == "severity" {
        try "version: 1\nseverities: {misspelt-annotation: off}\n".write(
          to: folder.appendingPathComponent("moclone.yml"), atomically: true, encoding: .utf8)
      }
      let baseline = by == "baseline" ? ["--baseline", "known.json"] : []
      let run = try run("moclone", ["validate", "--fix", "m.yml"] + baseline, in: folder)
      #expect(run.status == 0 && run.errors.hasPrefix("moclone: No findings in 1 file"), "\(run)")
      #expect(try self.text() == text)
    }
  }
}
