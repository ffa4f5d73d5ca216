import MOCloneEngine
import MOCloneModel
import TestSupport
import Testing

@testable import MOClonePostgres

/// What a refusal by the database says: a sentence, and what can be done.
@Suite("Refusals by a server", .enabled(if: TestDatabase.isAvailable, "\(TestDatabase.comment)"))
struct RefusalTextTests {
  private func text(_ sql: String) throws -> String {
    let store = try DatabaseFixture(
      """
      version: 1
      name: Bookings
      store: {naming: snakeCase}
      entities: {Booking: {attributes: {name: String}}}
      """, sql + "; INSERT INTO booking(name) VALUES ('A')")
    return "\(try #require(try store.refusal("Booking", 1)))"
  }

  @Test("An index of an expression")
  func expression() throws {
    let text = try text(
      "CREATE TABLE booking(id serial PRIMARY KEY, name text NOT NULL); CREATE UNIQUE INDEX lowered ON booking(lower(name))"
    )
    #expect(text.contains("hat an index computes of Booking is unique in the table 'booking'"), "\(text)")
    #expect(text.contains("\"lowered\""), "\(text)")
  }

  @Test("An exclusion constraint")
  func exclusion() throws {
    let text = try text(
      "CREATE TABLE booking(id serial PRIMARY KEY, name text NOT NULL, during tsrange NOT NULL DEFAULT '[2030-01-01, 2030-01-02)', "
        + "EXCLUDE USING gist (during WITH &&))")
    #expect(text.contains("name its columns in the model"), "\(text)")
  }

  @Test("A constraint that waits for the end of the transaction")
  func deferred() throws {
    let text = try text(
      "CREATE TABLE booking(id serial PRIMARY KEY, name text NOT NULL UNIQUE DEFERRABLE INITIALLY DEFERRED)")
    #expect(text.hasPrefix("'name' of Booking is unique in the table 'booking', but no rule"), "\(text)")
    #expect(text.contains("--set"), "\(text)")
  }
}
