#if PostgreSQL
  import Foundation
  import TestSupport
  import Testing

  @testable import MOClonePostgres

  @Suite(
    "Commands that move data do the same in both databases",
    .enabled(if: TestDatabase.isAvailable, "\(TestDatabase.comment)"))
  struct TransferCommandTests {
    private let database: TestDatabase
    private let folder: TemporaryFolder

    private static let model = """
      version: 1
      name: Shop
      store: {naming: snakeCase}
      entities:
        Item:
          attributes:
            name: String
            price: Decimal?
            listed: {type: Boolean, default: true}
            modified: Date?
          relationships:
            unit: {destination: Unit, optional: true, inverse: items}
            tags: {destination: Tag, toMany: true, inverse: items, joinTable: {table: item_tag, column: item_id, inverseColumn: tag_id}}
          uniquenessConstraints: [[name]]
        Unit:
          attributes: {name: String, uuid: {type: UUID, optional: true}}
          relationships: {items: {destination: Item, toMany: true, inverse: unit}}
          uniquenessConstraints: [[name]]
        Tag:
          attributes: {name: String}
          relationships: {items: {destination: Item, toMany: true, inverse: tags}}
          uniquenessConstraints: [[name]]
      """

    private static let mapping = """
      entity: Item
      attributes: {name: '@name', price: '@price'}
      set: {listed: false}
      relationships:
        unit: {attributes: {name: '@unit'}}
        tags: {attributes: {name: '@tag'}}
      """

    init() throws {
      database = try TestDatabase()
      folder = try TemporaryFolder()
      try write(Self.model, to: "m.yml")
      // Without constraints everything is made anew by each import.
      try write(
        Self.model.split(separator: "\n").filter { !$0.contains("uniqueness") }.joined(separator: "\n"),
        to: "old.yml")
      try write(Self.mapping, to: "map.yml")
      try write(
        "name,price,unit,tag\nMilk,1.50,l,cold\nBread,2,piece,baked\nBeer,1.5,l,cold\n", to: "items.csv")
      try write("name,price\nMilk,1.5\nBread,2.25\nSalt,0.4\n", to: "prices.csv")
    }

    private func write(_ text: String, to name: String) throws {
      try text.write(to: folder.url.appending(path: name), atomically: true, encoding: .utf8)
    }

    private func moclone(_ arguments: [String]) throws -> String {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appending(path: "moclone")
      process.arguments = arguments
      process.currentDirectoryURL = folder.url
      let output = Pipe()
      process.standardOutput = output
      process.standardError = output
      try process.run()
      let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      return "\(process.terminationStatus) \(text)"
    }

    /// What the commands print with a store, whose name is left out.
    private func printed(_ commands: [[String]], _ store: String) throws -> [String] {
      try commands.map { command in
        try moclone(command.map { $0.replacing("STORE", with: store) }).replacing(store, with: "STORE")
          // What only one of the databases says: keys of its own, and its words for a refusal.
          .replacing(/^0 [0-9]+$/.anchorsMatchLineEndings(), with: "0 KEY")
          .replacing(/\((UNIQUE|duplicate).*\);/, with: "(...);")
      }
    }

    private func expectSame(_ commands: [[String]], contain expected: [String]) throws {
      let inFile = try printed(commands, "store.sqlite")
      let onServer = try printed(commands, database.location.description)
      for (command, (a, b)) in zip(commands, zip(inFile, onServer)) {
        #expect(a == b, "\(command.joined(separator: " "))")
      }
      for (text, words) in zip(onServer, expected) { #expect(text.contains(words), "\(text)") }
    }

    private func run(_ command: String...) -> [String] {
      command.flatMap { $0.split(separator: " ").map(String.init) }
    }

    @Test func importOnceWithARehearsalAndThenSync() throws {
      let load = "import items.csv --mapping map.yml --model m.yml --store STORE --once first"
      let sync = "sync prices.csv --entity item --overwriting price --model m.yml --store STORE"
      try expectSame(
        [
          run("store init --model m.yml --store STORE"), run(load, "--dry-run"), run(load), run(load),
          run("store metadata remove first --store STORE"), run(load), run(sync, "--dry-run"), run(sync),
          run(sync), run("dedupe --model m.yml --store STORE"),
        ],
        contain: [
          "0 ", "would create  3  Item", "created  3  Item", "'first' was done before", "0 ",
          "found  3  Item", "would delete  1  Item", "created  1  Item", "unchanged  3  Item",
          "nothing changed",
        ])
    }

    /// More of them than are listed.
    @Test(arguments: [
      "sync narrow.csv --entity article --overwriting price,code", "import narrow.csv --mapping n.yml",
    ])
    func valuesOfAFileThatColumnsHaveNoRoomForAreRefusedAndNoMistakeOfTheCall(_ command: String) throws {
      try database.connect().run(
        "CREATE TABLE article(id serial PRIMARY KEY, name text NOT NULL, price numeric(10,2), code varchar(3))"
      )
      try write(
        """
        version: 1
        name: Shop
        store: {naming: snakeCase}
        entities:
          Article:
            attributes: {name: String, price: Decimal?, code: String?}
            uniquenessConstraints: [[name]]
        """, to: "narrow.yml")
      try write(
        "{entity: Article, attributes: {name: '@name', price: '@price', code: '@code'}}", to: "n.yml")
      try write(
        "name,price,code\n" + (1...25).map { "n\($0),1.234,abcd\n" }.joined(), to: "narrow.csv")
      let text = try moclone(
        run(command, "--model narrow.yml") + ["--store", database.location.description])
      #expect(text.hasPrefix("1 "), "\(text)")
      for (column, value) in ["code": "abcd", "price": "1.234"] {
        let fault = "narrow.csv:2: '\(value)' of Article does not fit the column '\(column)'"
        #expect(text.contains(fault), "\(text)")
      }
      // Ten rows are listed, each with both of its faults.
      #expect(text.contains("15 more rows are refused"), "\(text)")
    }

    /// The server takes no constraint for `ON CONFLICT` that can wait.
    @Test(arguments: ["UNIQUE DEFERRABLE", "UNIQUE DEFERRABLE INITIALLY DEFERRED", "UNIQUE"])
    func anImportFillsAnEmptyTableWhoseConstraintCanWait(_ constraint: String) throws {
      try database.connect().run(
        "CREATE TABLE mark(id bigserial PRIMARY KEY, name text NOT NULL \(constraint), note text)")
      try write(
        """
        version: 1
        name: Marks
        store: {naming: snakeCase}
        entities: {Mark: {attributes: {name: String, note: String?}, uniquenessConstraints: [[name]]}}
        """, to: "marks.yml")
      try write("{entity: Mark, attributes: {name: '@name', note: '@note'}}", to: "marks.map")
      try write("name,note\nA,1\nB,2\nA,3\n", to: "marks.csv")
      let text = try moclone(
        run("import marks.csv --mapping marks.map --model marks.yml --store")
          + [database.location.description])
      #expect(text.hasPrefix("0 ") && text.contains("created  2  Mark"), "\(text)")
      let rows = try database.connect().rows("SELECT name, note FROM mark ORDER BY id")
      #expect(rows == [[.text("A"), .text("1")], [.text("B"), .text("2")]])
    }

    @Test func duplicatesAreMergedAndAStoreIsSeeded() throws {
      let load = "import items.csv --mapping map.yml --model old.yml --store STORE"
      _ = try moclone(run("store init --model m.yml --store local.sqlite"))
      _ = try moclone(run("import items.csv --mapping map.yml --model m.yml --store local.sqlite"))
      try expectSame(
        [
          run("store init --model old.yml --store STORE"), run(load), run(load),
          run("dedupe --model m.yml --store STORE --dry-run"), run("dedupe --model m.yml --store STORE"),
          run("copy --model m.yml --from local.sqlite --into STORE"),
          run("seed --model m.yml --from local.sqlite --into STORE --yes"),
        ],
        contain: [
          "0 ", "created  3  Item", "created  3  Item", "would merge  3  Item", "merged  3  Item",
          "found  3  Item", "found  3  Item",
        ])
    }

    @Test func aSubtreeComesIntoAnotherStoreAndASourceGoesWhenNothingIsLost() throws {
      _ = try moclone(run("store init --model m.yml --store local.sqlite"))
      _ = try moclone(run("import items.csv --mapping map.yml --model m.yml --store local.sqlite"))
      let subtree = "clone item name=Milk --model m.yml --store local.sqlite --into STORE"
      try expectSame(
        [
          run("store init --model m.yml --store STORE"), run(subtree),
          run(subtree, "--missing create --dry-run"),
          run(subtree, "--missing create"), run(subtree, "--missing null"),
          run("seed --model m.yml --from local.sqlite --into STORE --yes"),
        ],
        contain: ["0 ", "missing-linked", "would clone  1  Item", "0 ", "unique", "created  2  Item"])
    }

    /// A file has no schemas, and plain tables instead.
    @Test func aModelOfASchemaIsOneOfFilesAsWell() throws {
      try database.connect().run("CREATE SCHEMA app")
      try write(
        Self.model.replacing("naming: snakeCase", with: "naming: snakeCase, schema: app")
          .replacing("  Unit:\n", with: "  Unit:\n    table: app.units\n"), to: "app.yml")
      for command in [
        run("store init --model app.yml --store app.sqlite"),
        run("store init --model app.yml --store STORE"),
        run("import items.csv --mapping map.yml --model app.yml --store app.sqlite"),
        run("copy --model app.yml --from app.sqlite --into STORE"),
        run("store init --model app.yml --store back.sqlite"),
        run("copy --model app.yml --from STORE --into back.sqlite"),
      ] {
        let text = try moclone(command.map { $0.replacing("STORE", with: database.location.description) })
        #expect(text.hasPrefix("0 "), "\(command.joined(separator: " ")): \(text)")
      }
      let counts = """
        SELECT (SELECT count(*) FROM app.item), (SELECT count(*) FROM app.units), (SELECT count(*) FROM app.item_tag)
        """
      #expect(try database.connect().rows(counts) == [[.integer(3), .integer(2), .integer(3)]])
    }

    @Test func noPasswordIsPrinted() throws {
      _ = try moclone(run("store init --model m.yml --store local.sqlite"))
      let server = "postgresql://somebody:secret@localhost:1/shop"
      for command in [
        run("copy --model m.yml --from local.sqlite --into \(server)"),
        run("seed --model m.yml --from local.sqlite --into \(server) --yes"),
        run("seed --model m.yml --from \(server) --into local.sqlite --yes"),
        run("copy --whole --model m.yml --from \(server) --into other.sqlite"),
        run("clone item 1 --model m.yml --store local.sqlite --into \(server)"),
        run("store metadata list --store \(server)"),
      ] {
        let text = try moclone(command)
        #expect(!text.hasPrefix("0 ") && !text.contains("secret"), "\(text)")
      }
    }
  }
#endif
