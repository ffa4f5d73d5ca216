import GRDB
import MOCloneKit
import Testing

@testable import MOCloneSQLite

@Suite struct StoreErrorTests {
  @Test func aMessageHoldsTheBeginningOfALongStatement() {
    let sql = "SELECT " + String(repeating: "1, ", count: 10_000) + "1"
    let error = StoreErrors.translated(DatabaseError(message: "it is too long", sql: sql)) as? CloneError
    let message = error?.failures.first?.message ?? ""
    #expect(message.contains("it is too long"))
    #expect(message.contains("SELECT 1, 1"))
    #expect(message.count < 500)
  }
}
