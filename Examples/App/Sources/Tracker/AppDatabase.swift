import Foundation
import GRDB

/// The database of the app: projects with cards, whose text can be searched.
public struct AppDatabase: Sendable {
  public let writer: any DatabaseWriter

  /// Brings the tables of a database up to date.
  public init(_ writer: any DatabaseWriter) throws {
    self.writer = writer
    try Self.migrator.migrate(writer)
  }

  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("projects") { db in
      try db.create(table: "person") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("name", .text).notNull()
      }
      try db.create(table: "project") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("uuid", .blob).notNull().unique()
        t.column("name", .text).notNull()
        t.column("createdAt", .datetime).notNull()
        t.column("cardCount", .integer).notNull().defaults(to: 0)
        t.belongsTo("owner", inTable: "person", onDelete: .restrict).notNull()
      }
      try db.create(table: "milestone") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("name", .text).notNull()
        t.column("due", .datetime)
        t.belongsTo("project", onDelete: .cascade).notNull()
      }
      try db.create(table: "label") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("name", .text).notNull()
        t.column("color", .text).notNull()
        t.belongsTo("project", onDelete: .cascade).notNull()
      }
    }
    migrator.registerMigration("cards") { db in
      try db.create(table: "card") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("uuid", .blob).notNull().unique()
        t.column("title", .text).notNull()
        t.column("text", .text).notNull().defaults(to: "")
        t.column("projectUUID", .blob).notNull()
        t.column("projectId_order", .integer)
        t.belongsTo("project", onDelete: .cascade).notNull()
        t.belongsTo("milestone", onDelete: .setNull)
        t.belongsTo("assignee", inTable: "person", onDelete: .setNull)
      }
      try db.create(table: "checklistItem") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("text", .text).notNull()
        t.column("isDone", .boolean).notNull().defaults(to: false)
        t.column("cardId_order", .integer)
        t.belongsTo("card", onDelete: .cascade).notNull()
      }
      try db.create(table: "comment") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("text", .text).notNull()
        t.column("createdAt", .datetime).notNull()
        t.belongsTo("card", onDelete: .cascade).notNull()
        t.belongsTo("author", inTable: "person", onDelete: .restrict).notNull()
      }
      try db.create(table: "cardLabel") { t in
        t.primaryKey {
          t.belongsTo("card", onDelete: .cascade)
          t.belongsTo("label", onDelete: .cascade)
        }
      }
    }
    migrator.registerMigration("search, counts, events") { db in
      try db.create(virtualTable: "cardText", using: FTS5()) { t in
        t.synchronize(withTable: "card")
        t.column("title")
        t.column("text")
      }
      try db.execute(
        sql: """
          CREATE TRIGGER cardCountUp AFTER INSERT ON card BEGIN
            UPDATE project SET cardCount = cardCount + 1 WHERE id = new.projectId;
          END;
          CREATE TRIGGER cardCountDown AFTER DELETE ON card BEGIN
            UPDATE project SET cardCount = cardCount - 1 WHERE id = old.projectId;
          END;
          """)
      try db.create(table: "event") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("text", .text).notNull()
        t.column("createdAt", .datetime).notNull()
        t.belongsTo("project", onDelete: .cascade).notNull()
      }
    }
    return migrator
  }
}
