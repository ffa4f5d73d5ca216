import Foundation
import Testing

@Suite("What every command prints, and in which colors")
struct ConsoleTests {
  /// Every command that does something, as it is typed.
  private static let commands = [
    "clone", "plan", "validate", "diff", "explain", "show", "model show", "model import",
    "model diagram", "model schema", "init", "store init",
    "store info", "store pack", "store reset", "store metadata get", "store metadata set",
    "store metadata list", "store metadata remove", "copy", "import", "sync", "dedupe", "seed",
  ]

  @Test(
    "The help of a command is a sentence, has an example, and lists the common options", arguments: commands)
  func help(_ command: String) throws {
    let words = command.split(separator: " ").map(String.init)
    let text = try run("moclone", words + ["--help"]).output
    let overview = text.prefix(upTo: try #require(text.firstRange(of: "\n\n")).lowerBound)
    #expect(overview.hasPrefix("OVERVIEW: ") && overview.hasSuffix("."), "\(overview)")
    #expect(text.contains("EXAMPLES:\n") && text.contains("  moclone "), "\(text)")
    let usage = try #require(text.split(separator: "\n").first { $0.hasPrefix("USAGE: ") })
    #expect(usage.count <= 110, "\(usage)")
    // A line ends where the next word does not fit.
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).prefix { $0 != "EXAMPLES:" }
    for (line, next) in zip(lines, lines.dropFirst()) where !line.isEmpty && !next.isEmpty {
      #expect(line.count + 1 + next.prefix { $0 != " " }.count >= 80, "\(line)")
    }
    for option in ["-v, --verbose", "--quiet", "--color <color>"] {
      #expect(text.contains(option), "\(option)")
    }
    let opensNoStore = ["explain", "model schema", "model import"].contains(command)
    #expect(text.contains("--timeout <seconds>") != opensNoStore)
  }

  @Test("--quiet leaves results and errors only; --verbose also names the files")
  func verbosity() throws {
    let space = try Workspace()
    #expect(try moclone("validate", in: space.folder).errors.contains("No findings in 1 file"))
    #expect(try moclone("validate", "--quiet", in: space.folder).errors == "")
    #expect(try moclone("--quiet", "store", "init", in: space.folder).errors == "")
    let refused = try moclone("note", "7", "--quiet", in: space.folder)
    #expect(refused.status == 66 && refused.errors.contains("no Note with the key '7'"))
    let detailed = try moclone("note", "42", "--verbose", in: space.folder)
    #expect(detailed.output == "43\n")
    #expect(detailed.errors.contains("Opening the store '"))
    #expect(try moclone("note", "42", in: space.folder).errors == "")
    #expect(try moclone("note", "42", "--quiet", "--verbose", in: space.folder).status == 64)
  }

  @Test("Colors are for terminals; --color always and never decide for all")
  func colors() throws {
    let bad = "version: 1\nname: Bad\nentities:\n  Note:\n    atributes: {name: String}\n"
    for (choice, isColored) in [("auto", false), ("never", false), ("always", true)] {
      let run = try moclone("validate", "-", "--color", choice, input: bad)
      #expect(run.output.contains("\u{1B}[") == isColored, "\(choice)")
    }
    let refused = try moclone(
      "validate", "-", "--color", "always", input: bad, environment: ["NO_COLOR": "1"])
    #expect(refused.output.contains("\u{1B}["))
  }

  @Test(
    "On a terminal NO_COLOR and TERM=dumb turn colors off",
    arguments: [([:], true), (["NO_COLOR": "1"], false), (["TERM": "dumb"], false)])
  func terminals(_ environment: [String: String], _ isColored: Bool) throws {
    let space = try Workspace()
    let url = space.folder.appendingPathComponent("bad.yml")
    try "version: 1\nname: Bad\nentities: {Note: {atributes: {}}}\n"
      .write(to: url, atomically: true, encoding: .utf8)
    let terminal = try TerminalRun(
      ["validate", "bad.yml"], in: space.folder,
      environment: ["TERM": "xterm", "PATH": "/usr/bin:/bin"].merging(environment) { $1 })
    #expect(terminal.status == 1)
    #expect(terminal.text.contains("\u{1B}[") == isColored, "\(terminal.text)")
  }
}
