import Foundation
import GRDB
import MOCloneModel
import Testing

@Suite("What comes after the commit")
struct AfterCommitTests {
  static let committed = "the objects are cloned and committed"

  static let writing: [(String, String)] = [
    ("note 42", committed), ("note 42 --format json", committed),
    ("clone note 42 --into other.sqlite --missing null", committed),
    ("copy --from notes.sqlite --into other.sqlite", "the copy is done and committed"),
    ("import items.csv --mapping map.yml", "the import is done and committed"),
    ("sync items.csv --entity item --by name --yes", "the sync is done and committed"),
    ("dedupe --by item=name", "the dedupe is done and committed"),
    ("seed --from other.sqlite --into notes.sqlite --yes", "the seed is done and committed"),
  ]

  static let reading = [
    "show note 42", "plan note 42", "plan note --sql", "note 42 --dry-run", "model show", "model schema",
    "model diagram", "plan note 42 --format dot",
    "store info", "store info --format json", "validate --format json", "explain", "explain unknown-key",
    "--help",
    "--version", "clone --help", "dedupe --dry-run", "import items.csv --mapping map.yml --dry-run",
  ]

  private func space() throws -> Workspace {
    let space = try Workspace()
    try #require(moclone("store", "init", "--store", "other.sqlite", in: space.folder).status == 0)
    try "name\nOats\n".write(
      to: space.folder.appendingPathComponent("items.csv"), atomically: true, encoding: .utf8)
    try "entity: Item\nattributes: {name: '@name'}\n".write(
      to: space.folder.appendingPathComponent("map.yml"), atomically: true, encoding: .utf8)
    return space
  }

  private func full(_ command: String, _ space: Workspace) throws -> Finished {
    let program = programs.appendingPathComponent("moclone").path
    return try run(
      "sh",
      ["-c", "exec \"$0\" \"$@\" > /dev/full", program] + command.split(separator: " ").map(String.init),
      in: space.folder, path: "/bin")
  }

  @Test("A full standard output after the commit is said with what is done", arguments: writing)
  func writtenToFullOutput(command: String, done: String) throws {
    let run = try full(command, space())
    #expect(run.status == 2, "\(run.errors)")
    #expect(
      run.errors.hasSuffix(
        "moclone: \(done.asSentence().dropLast()), but the result could not be written: the output cannot be written: "
          + "No space left on device.\n"), "\(run.errors)")
  }

  @Test("A full standard output is an error of every command that prints", arguments: reading)
  func readToFullOutput(command: String) throws {
    let space = try space()
    let before = try space.bytes()
    let run = try full(command, space)
    #expect(run.status == 2, "\(run.errors)")
    #expect(run.errors.contains("output cannot be written: No space left on device.\n"), "\(run.errors)")
    #expect(!run.errors.contains("committed"))
    #expect(try space.bytes() == before)
  }

  @Test(
    "A signal after the commit is raised again once the result is out and it is said what is done",
    arguments: [SIGTERM, SIGINT])
  func signal(number: Int32) throws {
    let space = try space()
    let process = Process()
    process.executableURL = programs.appendingPathComponent("moclone")
    // More keys than a pipe takes, so that the command waits for its reader.
    process.arguments = ["item", "7", "--count", "20000"]
    process.currentDirectoryURL = space.folder
    let (output, errors) = (Pipe(), Pipe())
    (process.standardOutput, process.standardError) = (output, errors)
    try process.run()
    // While it commits nobody can look.
    while (try? space.number("SELECT count(*) FROM item")) ?? 2 == 2 { Thread.sleep(forTimeInterval: 0.01) }
    kill(process.processIdentifier, number)
    // A busy machine may take a while to hand the signal over: a command that is done by then ends as if none came.
    Thread.sleep(forTimeInterval: 0.7)
    // The pipe is full before anything is read, or the command is still on its way there: both must do.
    let keys = output.fileHandleForReading.readDataToEndOfFile()
    let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == number)
    #expect(said.contains("\(Self.committed.asSentence().dropLast()) before the signal came"), "\(said)")
    #expect(keys.split(separator: UInt8(ascii: "\n")).count == 20_000)
    #expect(try space.number("SELECT count(*) FROM item") == 20_002)
  }

  @Test(
    "A stored value of another type is an error of the store that names it",
    arguments: [("quantity", "'many'", "Double"), ("name", "x'6869'", "String")])
  func wrongTypes(column: String, value: String, type: String) throws {
    let space = try space()
    try DatabaseQueue(path: space.store).write { db in
      try db.execute(sql: "UPDATE item SET \(column) = \(value) WHERE pk = 6")
    }
    for format in ["text", "json"] {
      let run = try moclone("show", "note", "42", "--format", format, in: space.folder)
      #expect(run.status == 1 && run.output.isEmpty, "\(run.output)")
      #expect(run.errors.contains("'\(column)' of Item 6 holds"), "\(run.errors)")
      #expect(run.errors.contains("which is not a valid \(type). [store-mismatch]"), "\(run.errors)")
    }
  }
}
