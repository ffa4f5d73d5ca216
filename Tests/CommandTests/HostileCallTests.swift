import Foundation
import TestSupport
import Testing

@Suite("Hostile input at the command line")
struct HostileCallTests {
  @Test("An argument that is not UTF-8 is refused before anything else")
  func arguments() throws {
    let program = programs.appendingPathComponent("moclone").path
    let run = try run(
      "sh", ["-c", "exec '\(program)' validate \"$(printf 'a\\377.yml')\""],
      path: "/bin")
    #expect(run.status == 64)
    #expect(run.errors == "moclone: Argument 2 is not valid UTF-8; write names and paths in UTF-8.\n")
  }

  @Test("Fifty megabytes of zeros on standard input are refused quickly, in a short message")
  func zeros() throws {
    let program = programs.appendingPathComponent("moclone").path
    let workspace = try Workspace()
    for command in ["validate -", "note -", "diff - new.yml"] {
      let run = try run(
        "sh", ["-c", "head -c 52428800 /dev/zero | '\(program)' \(command)"], in: workspace.folder,
        path: "/bin")
      #expect(run.status != 0)
      #expect(run.output.utf8.count + run.errors.utf8.count < 2000, "\(command)")
    }
  }

  @Test("Names with characters that steer a terminal are printed without them")
  func names() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "version: 1\nname: A\nentities:\n  \"No\\u202Ete\": {attributes: {\"a\\u001Bb\": String}}\n".utf8,
      to: "m.yml")
    for arguments in [["model", "show"], ["validate", "m.yml"]] {
      let run = try run(
        "moclone", arguments, in: folder.url, environment: ["MOCLONE_MODEL": "m.yml"])
      let text = run.output + run.errors
      #expect(!text.unicodeScalars.contains { $0 == "\u{202E}" || $0 == "\u{1B}" })
    }
  }
}
