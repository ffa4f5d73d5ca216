import Foundation
import GRDB
import TestSupport
import Testing

/// A finished run of a program.
struct Finished {
  var status: Int32
  var output: String
  var errors: String
}

/// The folder of the built programs: the test bundle lies there too.
let programs = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()

let project = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..")
  .standardized

/// Runs `moclone` as a user would.
func moclone(
  _ arguments: String..., input: String = "", in folder: URL? = nil, environment: [String: String] = [:]
)
  throws -> Finished
{
  try run("moclone", arguments, input: input, in: folder, environment: environment)
}

func run(
  _ program: String, _ arguments: [String], input: String = "", in folder: URL? = nil,
  environment: [String: String] = [:], path: String? = nil
) throws -> Finished {
  let process = Process()
  process.executableURL = (path.map { URL(fileURLWithPath: $0) } ?? programs).appendingPathComponent(program)
  process.arguments = arguments
  process.currentDirectoryURL = folder
  // Inside a workflow the reports would look otherwise.
  process.environment = ProcessInfo.processInfo.environment.merging(["GITHUB_ACTIONS": ""]) { $1 }
    .merging(environment) { $1 }
  let (stdin, stdout, stderr) = (Pipe(), Pipe(), Pipe())
  process.standardInput = stdin
  process.standardOutput = stdout
  process.standardError = stderr
  try process.run()
  stdin.fileHandleForWriting.write(Data(input.utf8))
  try stdin.fileHandleForWriting.close()
  let output = stdout.fileHandleForReading.readDataToEndOfFile()
  let errors = stderr.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  return Finished(
    status: process.terminationStatus, output: String(decoding: output, as: UTF8.self),
    errors: String(decoding: errors, as: UTF8.self))
}

/// A folder with `moclone.yml`, the model HealthNotes and a store with note 42, removed in the end.
final class Workspace {
  private let temporary: TemporaryFolder
  var folder: URL { temporary.url }
  var store: String { folder.appendingPathComponent("notes.sqlite").path }

  init() throws {
    temporary = try TemporaryFolder()
    let model = project.appendingPathComponent("Models/HealthNotes.yml").path
    try "version: 1\nmodel: \(model)\nstore: notes.sqlite\n"
      .write(to: folder.appendingPathComponent("moclone.yml"), atomically: true, encoding: .utf8)
    try #require(moclone("store", "init", in: folder).status == 0)
    try DatabaseQueue(path: store).write { db in
      try db.execute(
        sql: """
          INSERT INTO note(pk, uuid, name, create_date, "index")
            VALUES (42, '7D444840-9DC0-11D1-B245-5FFDCE74FAD2', 'Breakfast', '2025-01-31T12:34:56.789Z', 2);
          INSERT INTO item(pk, name, quantity, note_uuid, note_name, note_id)
            VALUES (6, 'Oats', 80, '7D444840-9DC0-11D1-B245-5FFDCE74FAD2', 'Breakfast', 42),
              (7, 'Milk', 200, '7D444840-9DC0-11D1-B245-5FFDCE74FAD2', 'Breakfast', 42);
          INSERT INTO memo(pk, text, note_id, note_id_order) VALUES (2, 'hungry', 42, 1);
          INSERT INTO tag(pk, name) VALUES (1, 'mood');
          INSERT INTO memo_tag(memo_id, tag_id) VALUES (2, 1);
          """)
    }
  }

  func number(_ sql: String) throws -> Int {
    try DatabaseQueue(path: store).read { try Int.fetchOne($0, sql: sql)! }
  }

  func bytes() throws -> Data {
    try Data(contentsOf: URL(fileURLWithPath: store))
  }
}
