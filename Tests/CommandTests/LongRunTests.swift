import Foundation
import GRDB
import MOCloneEngine
import Testing

@testable import moclone

@Suite("Long runs: timing, progress, interruption")
struct LongRunTests {
  private static var phases: Regex<(Substring, Substring)> {
    /moclone: closure [\d.]+ ms, write [\d.]+ ms, joins [\d.]+ ms, commit [\d.]+ ms; (\d+) statements\n/
  }

  /// The statements that a run with --timing names; nil where it says anything else.
  private func statements(_ run: Finished) -> Int? {
    run.errors.wholeMatch(of: Self.phases).flatMap { Int($0.1) }
  }

  @Test("--timing says on standard error how long the phases took, and of how many statements they were")
  func timing() throws {
    let space = try Workspace()
    let run = try moclone("note", "42", "--timing", in: space.folder)
    #expect(run.status == 0)
    #expect(run.output == "43\n")
    #expect(try #require(statements(run)) > 5)
  }

  @Test("The statements of many copies are more than those of one, but not as many times more")
  func timingOfSeveralCopies() throws {
    let space = try Workspace()
    let one = try moclone("note", "42", "--timing", in: space.folder)
    let many = try moclone("note", "42", "--timing", "--count", "20", in: space.folder)
    #expect(many.output == (44...63).map { "\($0)\n" }.joined())
    let counts = (one: try #require(statements(one)), many: try #require(statements(many)))
    #expect(counts.one < counts.many && counts.many < counts.one * 20)
  }

  @Test("Progress is the phase, the objects so far and their rate")
  func progressText() {
    func text(_ phase: CloneProgress.Phase, _ objects: Int, after time: Duration) -> String {
      ProgressLine.text(CloneProgress(phase: phase, objects: objects), after: time)
    }
    #expect(text(.write, 1_300_000, after: .seconds(2)) == "Writing objects: 1,300,000 (650,000/s)")
    #expect(
      text(.closure, 999, after: .milliseconds(500))
        == "Collecting objects: 999 (1,998/s)")
    #expect(text(.joins, 0, after: .zero) == "Linking objects: 0 (0/s)")
  }

  @Test("A long run is silent where standard error is no terminal")
  func silence() throws {
    let space = try Workspace()
    try space.fill(items: 300_000)
    let run = try moclone("note", "42", in: space.folder)
    #expect(run.output == "43\n")
    #expect(run.errors == "")
  }

  @Test("Ctrl-C ends a run by the signal, and leaves nothing of the clone", arguments: [SIGINT, SIGTERM])
  func interruption(_ signal: Int32) throws {
    let space = try Workspace()
    try space.fill(items: 300_000)
    let process = Process()
    process.executableURL = programs.appendingPathComponent("moclone")
    process.arguments = ["note", "42"]
    process.currentDirectoryURL = space.folder
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    // The journal is there from the first page that is written to the commit.
    while process.isRunning, !FileManager.default.fileExists(atPath: space.store + "-journal") {
      usleep(1000)
    }
    kill(process.processIdentifier, signal)
    process.waitUntilExit()
    #expect(process.terminationReason == .uncaughtSignal)
    #expect(process.terminationStatus == signal)
    #expect(output.fileHandleForReading.readDataToEndOfFile().isEmpty)
    #expect(try space.number("SELECT count(*) FROM note") == 1)
    #expect(try space.number("SELECT count(*) FROM item") == 300_002)
    #expect(try space.number("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'") == 1)
  }

  @Test("A command whose signals its caller ignores, as nohup does, clones as any other")
  func ignoredSignals() throws {
    let space = try Workspace()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    let command = programs.appendingPathComponent("moclone").path
    process.arguments = ["-c", "trap '' HUP INT TERM; exec '\(command)' note 42"]
    process.currentDirectoryURL = space.folder
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self) == "")
    #expect(String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self) == "43\n")
  }
}

extension Workspace {
  /// Gives note 42 more items.
  fileprivate func fill(items: Int) throws {
    try DatabaseQueue(path: store).write { db in
      try db.execute(
        sql: """
          WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
          INSERT INTO item(pk, name, quantity, note_id) SELECT 1000 + i, 'Oats', i, 42 FROM n
          """, arguments: [items])
    }
  }
}
