import CPostgreSQL
import Foundation
import MOCloneEngine
import MOCloneYAML
import TestSupport
import Testing

@testable import MOClonePostgres

/// Graphs on a connection that the caller has opened by libpq.
@Suite(.enabled(if: TestDatabase.isAvailable, "\(TestDatabase.comment)"))
final class CallersConnectionTests {
  private let database: TestDatabase
  private let connection: OpaquePointer
  private let model: ObjectModel

  private static let instant = Date(timeIntervalSince1970: 1_700_000_000.5)

  init() throws {
    database = try TestDatabase()
    model = try ObjectModel(
      yaml: """
        version: 1
        name: Test
        entities:
          Folder:
            attributes: {name: String?, made: Date?, data: Binary?, token: {type: UUID, optional: true, userInfo: {rebuild: uuid}}}
            relationships:
              children: {destination: Folder, toMany: true, inverse: parent}
              parent: {destination: Folder, optional: true, inverse: children}
              files: {destination: File, toMany: true, inverse: folder}
          File:
            attributes: {name: String?}
            relationships: {folder: {destination: Folder, inverse: files}}
        """)
    let graph = PostgresGraph(try database.connect(), model: model)
    try graph.createTables()
    let values: [String: AttributeValue] = [
      "name": "ä", "made": .date(Self.instant), "data": .binary(Data([1, 92, 200])),
    ]
    let folder = try graph.insert("Folder", values)
    try graph.insert("Folder", ["name": "b", "parent": folder.id.key.reference])
    try graph.insert("File", ["name": "c", "folder": folder.id.key.reference])
    connection = try #require(PQconnectdb(database.location.description))
    try run(Self.settings)
  }

  deinit { PQfinish(connection) }

  private static let settings = """
    SET DateStyle = 'SQL, DMY'; SET TimeZone = 'Europe/Berlin'; SET bytea_output = escape; SET client_encoding = LATIN1;
    SET client_min_messages = error; SET extra_float_digits = 0; SET standard_conforming_strings = off
    """

  @discardableResult
  private func run(_ sql: String) throws -> [String] {
    let result = PQexec(connection, sql)
    defer { PQclear(result) }
    try #require(
      [PGRES_COMMAND_OK, PGRES_TUPLES_OK].contains(PQresultStatus(result)),
      "\(String(cString: PQerrorMessage(connection)))")
    return (0..<PQntuples(result)).map { String(cString: PQgetvalue(result, $0, 0)) }
  }

  /// What the session of the connection is like.
  private func session() throws -> [String] {
    try run(
      """
      SELECT name || '=' || setting FROM pg_settings
        WHERE name <> 'transaction_isolation'
      UNION ALL SELECT name FROM pg_prepared_statements
      UNION ALL SELECT relname FROM pg_class WHERE relpersistence = 't' ORDER BY 1
      """) + ["\(PQisnonblocking(connection))"]
  }

  /// As others see it.
  private func folders() throws -> Int {
    try database.connect().rows("SELECT count(*) FROM folder")[0][0].number
  }

  @Test func clonesOutsideATransactionAreCommittedAndLeaveTheSessionAsItWas() throws {
    let before = try session()
    do {
      let graph = try PostgresGraph(connection: connection, model: model)
      let folder = try graph.object("Folder", key: 1)
      for _ in 1...3 { try Cloner().clone(object: folder) }
      #expect(try folder.value("made") == .date(Self.instant))
      #expect(try folder.value("name") == "ä")
      try Cloner().clone(object: folder, saveBeforeReturn: false)
      try graph.save()
      let copy = try Cloner(generator: .fixed()).clone(object: folder)
      #expect(try copy.value("data") == .binary(Data([1, 92, 200])))
      #expect(throws: CloneError.self) { try graph.object("Folder", key: 99) }
    }
    #expect(try session() == before)
    #expect(try folders() == 12)
  }

  @Test func aGeneratorGivesTheNextCloneWhatTheLastOneDidNotTake() throws {
    let graph = try PostgresGraph(connection: connection, model: model)
    let (cloner, folder) = (Cloner(generator: .fixed()), try graph.object("Folder", key: 2))
    let tokens = try (1...3).map { _ in try cloner.clone(object: folder).value("token").description }
    #expect(tokens.map { $0.suffix(2) } == ["01", "02", "03"])
  }

  @Test func pendingClonesThatWereLostAreNotSaved() throws {
    let graph = try PostgresGraph(connection: connection, model: model)
    let folder = try graph.object("Folder", key: 1)
    for lost in ["SELECT 1 / 0", "ROLLBACK"] {
      try Cloner().clone(object: folder, saveBeforeReturn: false)
      PQclear(PQexec(connection, lost))
      #expect(throws: CloneError.self, "\(lost)") { try graph.save() }
      #expect(PQtransactionStatus(connection) == PQTRANS_IDLE)
    }
    #expect(try folders() == 2)
    try Cloner().clone(object: folder)
    #expect(try folders() == 4)
  }

  @Test func clonesInATransactionAreTheCallersToCommit() throws {
    try run("BEGIN")
    try run("SET LOCAL TimeZone = 'Asia/Tokyo'; UPDATE folder SET name = 'new' WHERE id = 1")
    let before = try session()
    let graph = try PostgresGraph(connection: connection, model: model)
    let folder = try graph.object("Folder", key: 1)
    let copy = try Cloner().clone(object: folder)
    try Cloner().clone(object: folder, saveBeforeReturn: false)
    try graph.save()
    #expect(try copy.value("name") == "new")
    #expect(try copy.value("made") == .date(Self.instant))
    #expect(PQtransactionStatus(connection) == PQTRANS_INTRANS)
    #expect(try session().filter { !$0.contains("moclone_") } == before)
    #expect(try folders() == 2)
    try run("COMMIT")
    #expect(try folders() == 6)
    #expect(try !session().contains { $0.contains("moclone_") || $0.contains("Tokyo") })
  }

  @Test func aCloneThatFailsLeavesTheCallersTransactionAsItWas() throws {
    try run("BEGIN; INSERT INTO folder(name) VALUES ('mine'); ALTER TABLE file ADD CHECK (folder_id < 2)")
    let before = try session()
    do {
      let graph = try PostgresGraph(connection: connection, model: model)
      let folder = try graph.object("Folder", key: 1)
      #expect(throws: CloneError.self) { try Cloner().clone(object: folder) }
    }
    #expect(try session().filter { !$0.contains("moclone_") } == before)
    try run("COMMIT")
    #expect(try run("SELECT name FROM folder ORDER BY id") == ["\u{FFFD}", "b", "mine"])
  }

  @Test func aRollbackOfTheCallersTakesTheClonesBack() throws {
    try run("BEGIN")
    try Cloner().clone("Folder", keys: [1], in: PostgresGraph(connection: connection, model: model))
    try run("ROLLBACK")
    #expect(try folders() == 2)
  }

  @Test func aGraphThatIsClosedThrowsAndLeavesTheCallersConnectionOpen() throws {
    let graphs = try [
      PostgresGraph(connection: connection, model: model), PostgresGraph(database.location, model: model),
    ]
    for graph in graphs {
      let folder = try graph.object("Folder", key: 1)
      try Cloner().clone(object: folder, saveBeforeReturn: false)
      for _ in 1...2 { try graph.close() }
      let calls: [() throws -> Void] = [
        { _ = try graph.count("Folder") }, { _ = try folder.value("name") },
        { _ = try Cloner().clone(object: folder) },
        { _ = try Cloner().clone(object: folder, saveBeforeReturn: false) }, { try graph.atomically {} },
      ]
      for call in calls {
        let error = #expect(throws: CloneError.self) { try call() }
        #expect(error?.code == .graphEnded)
      }
    }
    #expect(try run("SELECT count(*) FROM folder") == ["2"])
  }

  @Test func aConnectionThatCannotBeUsedIsRefused() throws {
    let closed = try #require(PQconnectdb("host=/nowhere"))
    defer { PQfinish(closed) }
    #expect(throws: CloneError.self) { try PostgresGraph(connection: closed, model: model) }
    let earlier = try PostgresGraph(connection: connection, model: model)
    PQenterPipelineMode(connection)
    let calls: [() throws -> Void] = [
      { [connection, model] in _ = try PostgresGraph(connection: connection, model: model) },
      { _ = try earlier.count("Folder") },
    ]
    for call in calls {
      #expect { try call() } throws: { "\($0)".contains("the connection is in pipeline mode") }
    }
    PQexitPipelineMode(connection)
    try run("BEGIN")
    PQclear(PQexec(connection, "SELECT nothing"))
    let graph = try PostgresGraph(connection: connection, model: model)
    #expect { try graph.object("Folder", key: 1) } throws: { "\($0)".contains("aborted") }
  }
}
