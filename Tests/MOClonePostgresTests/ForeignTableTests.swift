import Foundation
import MOCloneYAML
import TestSupport
import Testing

@testable import MOClonePostgres

/// Tables as other programs make them.
@Suite(.enabled(if: TestDatabase.isAvailable, "\(TestDatabase.comment)"))
struct ForeignTableTests {
  private let database: TestDatabase

  init() throws {
    database = try TestDatabase()
  }

  private func graph(_ entities: String, _ sql: String) throws -> PostgresGraph {
    let connection = try database.connect()
    try connection.run(sql)
    let model = try ObjectModel(
      yaml: "version: 1\nname: T\nstore: {naming: snakeCase}\nentities:\n" + entities)
    return PostgresGraph(connection, model: model)
  }

  @Test func aTableFromWhichOthersInheritIsRefused() throws {
    let graph = try graph(
      "  Part: {attributes: {name: String}}\n",
      """
      CREATE TABLE part(id bigserial PRIMARY KEY, name text); CREATE TABLE wheel(size int) INHERITS (part);
      INSERT INTO wheel(name, size) VALUES ('w', 3)
      """)
    #expect { try Cloner().clone(object: graph.object("Part", key: 1)) } throws: {
      ($0 as? CloneError)?.code == .storeMismatch && "\($0)".contains("inherit")
    }
  }

  @Test func aNumberThatTheDatabaseCountsBesideTheKeyIsCountedAgain() throws {
    let graph = try graph(
      "  Ticket: {attributes: {name: String}}\n",
      """
      CREATE TABLE ticket(id bigserial PRIMARY KEY, number bigint GENERATED ALWAYS AS IDENTITY, name text, labels text[]);
      INSERT INTO ticket(name, labels) VALUES ('a', '{x,"y z"}')
      """)
    try Cloner().clone(object: graph.object("Ticket", key: 1))
    let rows = try database.connect().rows("SELECT number, labels FROM ticket ORDER BY id")
    #expect(rows == [[.integer(1), .text("{x,\"y z\"}")], [.integer(2), .text("{x,\"y z\"}")]])
  }

  @Test func aDecimalWithMoreDigitsThanSwiftHoldsIsCopiedWholeAndReadNot() throws {
    let graph = try graph(
      "  Price: {attributes: {amount: Decimal}}\n",
      """
      CREATE TABLE price(id bigserial PRIMARY KEY, amount numeric);
      INSERT INTO price(amount) VALUES (99999999999999999999999999999999999999999.5)
      """)
    let price = try graph.object("Price", key: 1)
    #expect(throws: CloneError.self) { try price.value("amount") }
    try Cloner().clone(object: price)
    #expect(
      try database.connect().rows("SELECT count(DISTINCT amount), count(*) FROM price") == [
        [.integer(1), .integer(2)]
      ])
  }

  @Test func whatSaysThatNothingIsWrittenIsObeyed() throws {
    let graph = try graph(
      "  Note: {attributes: {name: String}}\n",
      """
      CREATE TABLE note(id bigserial PRIMARY KEY, name text); INSERT INTO note(name) VALUES ('n');
      SET default_transaction_read_only = on
      """)
    let note = try graph.object("Note", key: 1)
    #expect { try Cloner().clone(object: note) } throws: { ($0 as? CloneError)?.code == .storeReadOnly }
    #expect(try graph.preview(graph.plan("Note", CloneRequest()), roots: [note.id]).cloned == ["Note": 1])
  }

  @Test func aSequenceThatIsBehindItsTableIsNamed() throws {
    let graph = try graph(
      "  Note: {attributes: {name: String}}\n",
      "CREATE TABLE note(id bigserial PRIMARY KEY, name text); INSERT INTO note SELECT g, 'n' FROM generate_series(1, 5) g"
    )
    #expect { try Cloner().clone(object: graph.object("Note", key: 1)) } throws: {
      "\($0)".contains("setval")
    }
  }
}
