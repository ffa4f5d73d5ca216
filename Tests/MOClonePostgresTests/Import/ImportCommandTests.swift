#if PostgreSQL
  import Foundation
  import TestSupport
  import Testing

  @testable import MOClonePostgres

  @Suite(
    "moclone model import of a server", .enabled(if: TestDatabase.isAvailable, "\(TestDatabase.comment)"))
  struct ImportCommandTests {
    private let database: TestDatabase
    private let moclone: Command
    private var address: String { database.location.description }

    init() throws {
      database = try TestDatabase()
      moclone = try Command()
    }

    @Test func anImportedModelIsValidAndItsObjectsAreCloned() throws {
      try database.connect().run(Fixture.text("rental.sql"))
      let imported = try moclone("model", "import", address, "-o", "rental.yml")
      #expect(imported.status == 0 && imported.output == "", "\(imported)")
      #expect(imported.errors.contains("The model has no place for views: 'film_list'."), "\(imported)")
      let valid = try moclone("validate", "rental.yml", "--store", address)
      #expect(valid.status == 0, "\(valid)")
      let clone = try moclone(
        "film", "1", "--model", "rental.yml", "--store", address, "--format", "json")
      #expect(
        clone.output.contains(#""cloned":{"Film":1,"FilmCategory":2,"Inventory":3,"Rental":2}"#), "\(clone)")
      let named = try moclone("model", "import", "--from", address)
      #expect(
        named.output
          == (try String(contentsOf: moclone.folder.url.appending(path: "rental.yml"), encoding: .utf8)))
      let updated = try moclone("model", "import", address, "--update", "rental.yml")
      #expect(
        updated.status == 0 && updated.errors.lowercased().contains("'rental.yml' is up to date"),
        "\(updated)")
    }

    @Test func schemasAreNamedWhereTheSearchPathHasNoTables() throws {
      let empty = try moclone("model", "import", address)
      #expect(empty.status == 1 && empty.output == "", "\(empty)")
      #expect(empty.errors.contains("has no tables in the schema 'public'"), "\(empty)")
      #expect(empty.errors.contains("is it the right database?"), "\(empty)")
      try database.connect().run(Fixture.text("trade.sql"))
      let path = try moclone("model", "import", address)
      #expect(path.status == 1 && path.errors.contains("there are tables in 'crm', 'trade'"), "\(path)")
      let misspelt = try moclone("model", "import", address, "--schema", "trad")
      #expect(misspelt.status == 66 && misspelt.errors.contains("did you mean 'trade'?"), "\(misspelt)")
      let both = try moclone("model", "import", address, "--schema", "trade", "--schema", "crm")
      #expect(both.status == 0 && both.output.contains("table: crm.customers"), "\(both)")
      let nowhere = try moclone("model", "import", "\(address) options='-c search_path=nowhere'")
      #expect(nowhere.errors.contains("its search path (nowhere), which leads to no schema"), "\(nowhere)")
    }

    @Test func whatARoleMayNotSeeIsSaidWithTheRightThatItNeeds() throws {
      let owner = try database.connect()
      let role = database.name + "_role"
      try owner.run(Fixture.text("trade.sql") + "; CREATE ROLE \(role) LOGIN")
      defer { try? owner.run("DROP OWNED BY \(role); DROP ROLE \(role)") }
      let own = "\(address) user=\(role)"
      let path = try moclone("model", "import", own)
      #expect(path.status == 1 && path.errors.contains("GRANT USAGE ON SCHEMA \"crm\""), "\(path)")
      let schema = try moclone("model", "import", own, "--schema", "trade")
      #expect(schema.status == 1 && schema.errors.contains("[missing-right]"), "\(schema)")
      try owner.run(try #require(schema.errors.firstMatch(of: #/GRANT .*"/#)).output.description)
      let unread = try moclone("model", "import", own, "--schema", "trade")
      #expect(unread.status == 0 && unread.output.contains("ON \"trade\".\"orders\" TO"), "\(unread)")
      try owner.run("GRANT SELECT ON ALL TABLES IN SCHEMA trade TO \(role)")
      let read = try moclone("model", "import", own, "--schema", "trade")
      #expect(read.status == 0 && !read.output.contains("may not read"), "\(read)")
    }

    @Test(arguments: [
      "postgresql://me:secret@127.0.0.1:1/db", "postgresql://me:se/cret@host/db",
      "host=/nowhere password=secret dbname=db", "postgresql:///db?host=/nowhere&password=secret&nokey=1",
    ])
    func aServerThatCannotBeReachedIsAnErrorWithoutThePassword(_ address: String) throws {
      let run = try moclone("model", "import", address, "--verbose")
      #expect(run.status == 2 && run.output == "" && run.errors.contains("[store-failed]"), "\(run)")
      #expect(!run.errors.contains("secret") && !run.errors.contains("cret@"), "\(run)")
    }

    @Test func aFolderIsSetUpForADatabaseWithoutItsPassword() throws {
      try database.connect().run(Fixture.text("trade.sql"))
      let run = try moclone("init", "\(address) password=secret", "--schema", "trade")
      #expect(run.status == 0 && run.errors.contains("set PGPASSWORD"), "\(run)")
      #expect(run.output.contains("Order, OrderDetail, Shipment") && !"\(run)".contains("secret"), "\(run)")
      let settings = try String(
        contentsOf: moclone.folder.url.appending(path: "moclone.yml"), encoding: .utf8)
      #expect(
        settings == "version: 1\nmodel: \(database.name).moclone.yml\nstore: \"\(address)\"\n", "\(settings)")
      let next = try #require(run.output.split(separator: "\n").last).split(separator: " ").map(String.init)
      let shown = try moclone(Array(next.dropFirst()))
      #expect(next.first == "moclone" && shown.status == 0 && !shown.output.isEmpty, "\(shown)")
      let again = try moclone("init", "\(address) password=secret", "--schema", "trade")
      #expect(again.status == 1 && !"\(again)".contains("secret"), "\(again)")
    }

    @Test func aFolderIsSetUpForADatabaseByItsAddress() throws {
      try database.connect().run(Fixture.text("trade.sql"))
      let run = try moclone(
        "init", "postgresql:///?" + address.replacing("'", with: "").replacing(" ", with: "&"), "--schema",
        "trade")
      let next = try #require(run.output.split(separator: "\n").last).split(separator: " ").map(String.init)
      let shown = try moclone(Array(next.dropFirst()))
      #expect(next.first == "moclone" && shown.status == 0 && !shown.output.isEmpty, "\(run) \(shown)")
    }

    @Test func aSourceIsNamedOnceAndSchemasAreThoseOfAServer() throws {
      #expect(try moclone("model", "import").status == 64)
      #expect(try moclone("model", "import", address, "--from", address).status == 64)
      let file = try moclone("model", "import", "shop.sqlite", "--schema", "app")
      #expect(file.status == 64 && file.errors.contains("'shop.sqlite' is a file"), "\(file)")
    }
  }
#endif
