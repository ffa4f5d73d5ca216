import GRDB
import MOCloneSQLite
import Testing

@testable import Tracker

struct ModelTests {
  @Test func theModelFitsTheMigrations() throws {
    try SQLiteGraph(AppDatabase(DatabaseQueue()).writer, model: .tracker).validate()
  }

  /// What a later migration could bring: a table that refers to cards, and that a copy would leave out.
  @Test func aTableThatTheModelDoesNotKnowIsFound() throws {
    let database = try AppDatabase(DatabaseQueue())
    try database.writer.write { db in
      try db.create(table: "attachment") { $0.belongsTo("card", onDelete: .cascade).notNull() }
    }
    let graph = SQLiteGraph(database.writer, model: .tracker)
    #expect(throws: ModelError.self) { try graph.validate() }
    try graph.validate(ignoring: ["attachment"])
  }
}
