#if PostgreSQL
  import TestSupport
  import Testing

  @testable import MOClonePostgres

  @Suite(.enabled(if: TestDatabase.isAvailable, "\(TestDatabase.comment)"))
  struct CommandTests {
    private let database: TestDatabase
    private let command: Command

    init() throws {
      database = try TestDatabase()
      command = try Command()
      try command.write(ValidationTests.model, to: "m.yml")
    }

    private func moclone(_ arguments: String...) throws -> (status: Int32, text: String) {
      let run = try command(arguments + ["--store", database.location.description])
      return (run.status, run.output + run.errors)
    }

    @Test(.enabled(if: !TestDatabase.goesThroughPooler))
    func aDatabaseThatDoesNotExistIsAMissingStore() throws {
      let missing = try database.location("dbname=moclone_missing").description
      let run = try command(["note", "1", "--model", "m.yml", "--store", missing])
      #expect(run.status == 66 && run.errors.contains("[no-such-store]"), "\(run.errors)")
      #expect(run.errors.contains("moclone_missing"), "\(run.errors)")
    }

    /// As `psql -t` prints it.
    @Test func aKeyIsReadBetweenBlanks() throws {
      try database.connect().run(
        "CREATE TABLE a(id bigint PRIMARY KEY, name text NOT NULL); INSERT INTO a VALUES (1, 'one')")
      try command.write("version: 1\nname: T\nentities: {A: {attributes: {name: String}}}\n", to: "a.yml")
      let shown = try moclone("show", "a", "        1 ", "--model", "a.yml")
      #expect(shown.status == 0 && shown.text == "A 1  name=\"one\"\n", "\(shown.text)")
    }

    @Test func tablesAreMadeOnceAndAreValid() throws {
      let before = try moclone("validate", "m.yml")
      #expect(before.status == 1 && before.text.contains("[store-mismatch]"), "\(before.text)")
      let made = try moclone("store", "init", "--model", "m.yml")
      #expect(made.status == 0 && made.text == "", "\(made.text)")
      let again = try moclone("store", "init", "--model", "m.yml")
      #expect(
        again.status == 0 && again.text.contains("already has the tables of the model"), "\(again.text)")
      let valid = try moclone("validate", "m.yml")
      #expect(valid.status == 0, "\(valid.text)")
      try database.connect().run("DROP TABLE item")
      let partly = try moclone("store", "init", "--model", "m.yml")
      #expect(partly.status != 0 && partly.text.contains("[store-exists]"), "\(partly.text)")
      #expect(try moclone("store", "init", "--from", "m.yml").text.contains("--from"))
    }
  }
#endif
