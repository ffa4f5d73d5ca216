import Foundation
import GRDB
import MOCloneSQLite
import Testing

@testable import Tracker

struct CopyTests {
  private let database: AppDatabase
  private let original: Project
  private let copy: Project

  init() throws {
    database = try AppDatabase(DatabaseQueue())
    original = try database.makeExample()
    copy = try database.copyProject(original.id!, named: "Garden, next year", generator: .fixed())
  }

  /// The same values in every run, so that a test can write them down.
  @Test func aCopyHasNewIdentifiersAndDates() {
    #expect(copy.name == "Garden, next year" && copy.ownerId == original.ownerId)
    #expect(copy.uuid == UUID(uuidString: "00000000-0000-0000-0000-000000000001"))
    #expect(copy.createdAt == Date(timeIntervalSinceReferenceDate: 0))
  }

  @Test func itsCardsAreCopiedWithTheirChecklistsAndLabels() throws {
    try database.writer.read { db in
      let cards = try copy.request(for: Project.cards).order(Column("id")).fetchAll(db)
      #expect(cards.map(\.title) == ["Buy seeds", "Water the beds"])
      for card in cards {
        #expect(card.projectUUID == copy.uuid && card.assigneeId == original.ownerId)
        #expect(try card.request(for: Card.items).fetchAll(db).map(\.isDone) == [false])
        #expect(try card.request(for: Card.labels).fetchAll(db).map(\.projectId) == [copy.id!])
      }
    }
  }

  @Test func countersAndSearchAreKeptByTheTriggersOfTheApp() throws {
    #expect(copy.cardCount == 2)
    #expect(try database.cards(with: "seeds").map(\.projectId) == [original.id!, copy.id!])
  }

  @Test func theOriginalIsAsItWas() throws {
    let now = try database.writer.read { try Project.find($0, key: original.id!) }
    #expect(now.uuid == original.uuid && now.cardCount == 2 && now.name == "Garden")
  }
}
