import MOCloneEngine
import MOCloneModel
import MOCloneModeling
import TestSupport
import Testing

@testable import MOClonePostgres

/// Databases as people have them, with the model files that they give.
@Suite("Models of PostgreSQL databases", .enabled(if: TestDatabase.isAvailable, "\(TestDatabase.comment)"))
struct FixtureImportTests {
  private static func rental(annotated: Bool = false) throws -> ImportedServer {
    try ImportedServer(Fixture.text("rental.sql"), annotated: annotated)
  }

  private static func trade(annotated: Bool = false) throws -> ImportedServer {
    try ImportedServer(Fixture.text("trade.sql"), schemas: ["trade", "crm"], annotated: annotated)
  }

  @Test func theModelOfFilmsIsTheExpectedFileAndHasNoErrors() throws {
    let rental = try Self.rental()
    try Fixture.expect(rental.draft.yaml, "rental.yml")
    try rental.check()
    try Self.rental(annotated: true).check()
  }

  @Test func theModelOfOrdersInTwoSchemasIsTheExpectedFileAndHasNoErrors() throws {
    let trade = try Self.trade()
    try Fixture.expect(trade.draft.yaml, "trade.yml")
    try trade.check()
    try Self.trade(annotated: true).check()
  }

  @Test func aFilmIsClonedWithWhatBelongsToIt() throws {
    let rental = try Self.rental()
    #expect(
      try rental.clone("Film", 1)
        == ["film": 1, "film_actor": 3, "film_category": 2, "inventory": 3, "rental": 2])
    let films = try rental.connection.rows(
      """
      SELECT count(DISTINCT public_id), count(DISTINCT number), count(DISTINCT special_features), max(extras::text),
        bool_and(fulltext @@ 'epic'), max(price_per_minute) - min(price_per_minute)
      FROM film WHERE title = 'ACADEMY DINOSAUR'
      """)
    #expect(
      films == [
        [
          .integer(2), .integer(2), .integer(1), .text("{\"discs\": 2}"), .integer(1),
          .text("0.00000000000000000000"),
        ]
      ])
  }

  @Test func rowsOfPartitionsAreClonedIntoTheTable() throws {
    let rental = try Self.rental()
    #expect(
      try rental.clone("Customer", 1, CloneRequest(set: ["email": "m@example.org"]))
        == ["customer": 1, "payment": 2, "rental": 2])
    let payments = try rental.connection.rows(
      "SELECT tableoid::regclass::text FROM payment WHERE customer_id = 3 ORDER BY 1")
    #expect(payments == [[.text("payment_2024")], [.text("payment_2025")]])
    #expect(
      try rental.connection.rows("SELECT rentals FROM customer WHERE customer_id IN (1, 3)")
        == [[.integer(2)], [.integer(2)]])
  }

  @Test func annotationsThatAreSuggestedLeaveRecordsAndOtherOwnersBehind() throws {
    let rental = try Self.rental(annotated: true)
    #expect(
      try rental.clone("Film", 1) == ["film": 1, "film_actor": 3, "film_category": 2, "inventory": 3])
    #expect(try rental.clone("Customer", 1) == ["customer": 1, "rental": 2])
  }

  @Test func anOrderIsClonedWithItsCompositeKeys() throws {
    let trade = try Self.trade()
    #expect(
      try trade.clone("Order", 10248)
        == ["trade.orders": 1, "trade.order_details": 2, "trade.shipments": 4])
    let shipments = try trade.connection.rows(
      "SELECT count(DISTINCT product_id), min(number), max(number) FROM trade.shipments WHERE order_id = 10251"
    )
    #expect(shipments == [[.integer(2), .integer(1), .integer(2)]])
  }

  @Test func aKeyThatNothingMakesIsGiven() throws {
    let trade = try Self.trade()
    #expect(throws: CloneError.self) { try trade.clone("TradeCustomer", "ALFKI") }
    #expect(
      try trade.clone("TradeCustomer", "ALFKI", CloneRequest(set: ["customerId": "ALFK2"]))["trade.orders"]
        == 2)
  }
}
