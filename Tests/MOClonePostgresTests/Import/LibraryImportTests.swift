import CPostgreSQL
import MOCloneEngine
import MOClonePostgresModeling
import TestSupport
import Testing

/// Models of a server's database as an app asks for them.
@Suite(.enabled(if: TestDatabase.isAvailable, "\(TestDatabase.comment)"))
struct LibraryImportTests {
  private let database: TestDatabase

  init() throws {
    database = try TestDatabase()
    try database.connect().run(
      """
      CREATE TABLE folder(id bigserial PRIMARY KEY, name text NOT NULL);
      CREATE SCHEMA app;
      CREATE TABLE app.note(id bigserial PRIMARY KEY, folder_id bigint NOT NULL REFERENCES folder, name text)
      """)
  }

  @Test func aModelIsMadeOfAnAddressAndItsSchemas() throws {
    let own = try ObjectModel(importing: database.location)
    #expect(own.entities.map(\.name) == ["Folder"])
    let both = try ObjectModel(importing: database.location, schemas: ["public", "app"], name: "Both")
    #expect(both.name == "Both")
    #expect(both.relationship("folder", of: "Note")?.destination == "Folder")
  }

  @Test func aTransactionOfTheCallersIsReadAsItStands() throws {
    let connection = try #require(PQconnectdb(database.location.description))
    defer { PQfinish(connection) }
    PQclear(PQexec(connection, "BEGIN; CREATE TABLE label(id bigserial PRIMARY KEY, name text)"))
    let model = try ObjectModel(importing: connection)
    #expect(model.entities.map(\.name).sorted() == ["Folder", "Label"])
    #expect(PQtransactionStatus(connection) == PQTRANS_INTRANS)
  }

  @Test func aMissingSchemaAndAServerThatDoesNotAnswerAreNamed() throws {
    #expect(throws: CloneError.self) {
      try ObjectModel(importing: database.location, schemas: ["elsewhere"])
    }
    let error = #expect(throws: CloneError.self) {
      try ObjectModel(importing: PostgresLocation("postgresql://localhost:1/notes"))
    }
    #expect(error?.failures.first?.code == .storeFailed)
  }
}
