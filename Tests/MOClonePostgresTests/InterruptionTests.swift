#if PostgreSQL
  import Foundation
  import TestSupport
  import Testing

  @testable import MOClonePostgres

  /// What ends a clone of the command while its rows are being written: every new item waits in a CHECK.
  @Suite(.enabled(if: TestDatabase.isAvailable, "\(TestDatabase.comment)"))
  struct InterruptionTests {
    private let folder: TemporaryFolder

    private static let models = [
      // One statement.
      "version: 1\nname: Test\n" + SharedModel.notes,
      // Temporary tables.
      """
      version: 1
      name: Test
      entities:
        Note:
          attributes: {name: String?}
          relationships:
            items: {destination: Item, toMany: true, inverse: note}
            parent: {destination: Note, optional: true, inverse: notes}
            notes: {destination: Note, toMany: true, inverse: parent}
        Item:
          attributes: {name: String?}
          relationships: {note: {destination: Note, optional: true, inverse: items}}
      """,
    ]

    private static func tables(seconds: Double) -> String {
      """
      CREATE TABLE note(id serial PRIMARY KEY, name text, parent_id int REFERENCES note);
      CREATE TABLE item(id serial PRIMARY KEY, name text, note_id int REFERENCES note);
      CREATE INDEX ON item(note_id); CREATE INDEX ON note(parent_id);
      INSERT INTO note(name) VALUES ('first'), ('second');
      INSERT INTO item(name, note_id) VALUES ('a', 1), ('b', 1);
      CREATE FUNCTION waits() RETURNS boolean LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(\(seconds)); RETURN true; END';
      ALTER TABLE item ADD CHECK (note_id < 3 OR waits()) NOT VALID;
      """
    }

    init() throws { folder = try TemporaryFolder() }

    /// A clone under way.
    private final class Run {
      let process = Process()
      private let output = Pipe()
      private let errors = Pipe()

      init(_ model: String, in folder: TemporaryFolder, _ store: String, options: String = "") throws {
        try model.write(to: folder.url.appending(path: "m.yml"), atomically: true, encoding: .utf8)
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
          .appending(path: "moclone")
        process.arguments = ["note", "1", "--model", "m.yml", "--store", store]
        process.currentDirectoryURL = folder.url
        process.environment = ProcessInfo.processInfo.environment.merging(["PGOPTIONS": options]) { $1 }
        (process.standardOutput, process.standardError) = (output, errors)
        try process.run()
      }

      func end() -> (output: String, errors: String) {
        let texts = [output, errors].map {
          String(decoding: $0.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        }
        process.waitUntilExit()
        return (texts[0], texts[1])
      }
    }

    /// The number of the server's process that writes an item, as soon as there is one.
    private func writer(_ connection: PostgresConnection) throws -> Int32 {
      let waiting =
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'"
      while true {
        if let row = try connection.rows(waiting).first { return Int32(row[0].number) }
        usleep(5000)
      }
    }

    /// Waits until the sessions of the command have ended, and counts notes and items.
    private func left(_ connection: PostgresConnection) throws -> [Int] {
      let sessions =
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'moclone' AND pid <> "
        + "pg_backend_pid()"
      while try !connection.rows(sessions).isEmpty { usleep(5000) }
      return try connection.rows("SELECT (SELECT count(*) FROM note), (SELECT count(*) FROM item)")[0].map(
        \.number)
    }

    @Test(arguments: models, [SIGINT, SIGTERM])
    func aSignalEndsACloneAndLeavesNothing(_ model: String, _ signal: Int32) throws {
      let database = try TestDatabase()
      let connection = try database.connect()
      try connection.run(Self.tables(seconds: 30))
      let run = try Run(model, in: folder, database.location.description)
      _ = try writer(connection)
      kill(run.process.processIdentifier, signal)
      let (output, errors) = run.end()
      #expect(run.process.terminationReason == .uncaughtSignal && run.process.terminationStatus == signal)
      #expect(output == "" && errors == "", "\(errors)")
      #expect(try left(connection) == [2, 2])
    }

    @Test(arguments: models)
    func aCommandThatIsKilledLeavesNothing(_ model: String) throws {
      let database = try TestDatabase()
      let connection = try database.connect()
      try connection.run(Self.tables(seconds: 0.5))
      let run = try Run(model, in: folder, database.location.description)
      _ = try writer(connection)
      kill(run.process.processIdentifier, SIGKILL)
      _ = run.end()
      #expect(try left(connection) == [2, 2])
    }

    @Test(arguments: models, ["statement_timeout", "lock_timeout"])
    func aLimitOfTheServerIsNamed(_ model: String, _ setting: String) throws {
      let database = try TestDatabase()
      let connection = try database.connect()
      try connection.run(Self.tables(seconds: 30))
      let isLock = setting == "lock_timeout"
      if isLock { try connection.run("BEGIN; LOCK TABLE item IN EXCLUSIVE MODE") }
      let run = try Run(
        model, in: folder, database.location.description, options: "-c \(setting)=300ms")
      let (output, errors) = run.end()
      #expect(run.process.terminationStatus == (isLock ? 75 : 2))
      #expect(output == "" && errors.contains("'\(setting)'"), "\(errors)")
      if isLock { try connection.run("ROLLBACK") }
      #expect(try left(connection) == [2, 2])
    }

    @Test(arguments: models)
    func aWriterMeanwhileDoesNotChangeWhatIsCloned(_ model: String) throws {
      let database = try TestDatabase()
      let connection = try database.connect()
      try connection.run(Self.tables(seconds: 0.5))
      let run = try Run(model, in: folder, database.location.description)
      _ = try writer(connection)
      try connection.run(
        """
        UPDATE item SET note_id = 2, name = 'moved' WHERE name = 'b';
        DELETE FROM item WHERE name = 'a'; INSERT INTO item(name, note_id) VALUES ('c', 1);
        UPDATE note SET name = 'changed' WHERE id = 1
        """)
      let (output, errors) = run.end()
      #expect(output == "3\n" && errors == "", "\(errors)")
      let clone =
        "SELECT n.name, string_agg(i.name, ' ' ORDER BY i.id) FROM note n JOIN item i ON i.note_id = n.id"
      #expect(
        try connection.rows("\(clone) WHERE n.id = 3 GROUP BY 1") == [[.text("first"), .text("a b")]])
    }

    /// A process of the server that crashes takes all others with it, so the server is one of the test's own.
    @Test(.enabled(if: TestServer.isPossible, "no script that starts servers"), arguments: models)
    func aServerProcessThatIsKilledIsToldAndLeavesNothing(_ model: String) throws {
      let server = try TestServer()
      defer { server.stop() }
      try PostgresConnection(server.location).run(Self.tables(seconds: 30))
      let run = try Run(model, in: folder, server.location.description)
      kill(try writer(PostgresConnection(server.location)), SIGKILL)
      let (output, errors) = run.end()
      #expect(run.process.terminationStatus == 2 && output == "")
      #expect(errors.contains("The connection to the server was lost"), "\(errors)")
      #expect(try left(server.connectWhenReady()) == [2, 2])
    }
  }
#endif
