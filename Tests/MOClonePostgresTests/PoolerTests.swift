import Foundation
import MOCloneYAML
import TestSupport
import Testing

@testable import MOClonePostgres

/// Graphs behind a pooler in transaction mode: each transaction may run in another session, and others run in it next.
@Suite(
  .enabled(
    if: TestDatabase.isAvailable && TestDatabase.pooler != nil, "no pooler: install the package 'pgbouncer'"))
struct PoolerTests {
  private let database: TestDatabase
  private let location: PostgresLocation
  private let model: ObjectModel

  init() throws {
    database = try TestDatabase()
    location = try #require(try database.pooled())
    model = try ObjectModel(
      yaml: """
        version: 1
        name: Folders
        entities:
          Folder:
            attributes:
              name: String
              made: {type: Date, optional: true}
              data: {type: Binary, optional: true}
              token: {type: UUID, optional: true, userInfo: {rebuild: uuid}}
            relationships:
              children: {destination: Folder, toMany: true, ordered: true, inverse: parent, deleteRule: cascade}
              parent: {destination: Folder, optional: true, inverse: children}
              files: {destination: File, toMany: true, inverse: folder, deleteRule: cascade}
            uniquenessConstraints: [[token]]
          File:
            attributes: {name: String}
            relationships: {folder: {destination: Folder, inverse: files}}
        """)
    // What clients get that do not say otherwise: the settings by which values are read must not depend on it.
    try database.connect().run(
      """
      DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET DateStyle = ''SQL, DMY''', current_database());
      EXECUTE format('ALTER DATABASE %I SET bytea_output = escape', current_database());
      EXECUTE format('ALTER DATABASE %I SET TimeZone = ''Europe/Berlin''', current_database()); END $$
      """)
    let graph = try graph()
    try graph.createTables()
    let root = try graph.insert(
      "Folder",
      [
        "name": "root", "made": .date(Self.instant), "data": .binary(Data([1, 92, 200])),
        "token": .uuid(UUID()),
      ])
    for number in 1...3 {
      let child = try graph.insert(
        "Folder", ["name": "c\(number)", "token": .uuid(UUID()), "parent": root.id.key.reference])
      try graph.insert("File", ["name": "f\(number)", "folder": child.id.key.reference])
    }
  }

  private static let instant = Date(timeIntervalSince1970: 1_700_000_000.5)

  private func graph() throws -> PostgresGraph {
    PostgresGraph(try PostgresConnection(location), model: model)
  }

  private func number(_ sql: String) throws -> Int {
    try database.connect().rows(sql).first?.first?.number ?? -1
  }

  @Test func aPoolerIsKnownByItsNumbersAndNoStatementIsPreparedThere() throws {
    #expect(try database.connect().ownsSession)
    #expect(try !PostgresConnection(location).ownsSession)
  }

  @Test func valuesAreReadAndWrittenWhateverTheSessionsSettings() throws {
    let graph = try graph()
    let clone = try Cloner().clone(object: graph.object("Folder", key: 1))
    #expect(try clone.value("made") == .date(Self.instant))
    #expect(try clone.value("data") == .binary(Data([1, 92, 200])))
    #expect(try clone.destinations("children").map { try $0.value("name") } == ["c1", "c2", "c3"])
    let made = try number("SELECT count(*) FROM folder WHERE made = '2023-11-14 22:13:20.5+00'")
    #expect(made == 2)
  }

  @Test func sixClientsShareTwoSessionsAndNoneFails() async throws {
    let roots = try await withThrowingTaskGroup(of: [ObjectKey].self) { group in
      for client in 0..<6 {
        group.addTask {
          let graph = try graph()
          let root = try graph.object("Folder", key: 1)
          return try (0..<5).map { turn in
            let request = CloneRequest(set: ["name": "\(client).\(turn)"])
            let result = try Cloner().clone("Folder", keys: [1], in: graph, request: request)
            #expect(try root.value("name") == "root")
            #expect(try graph.count("File") >= 3)
            return result.root.key
          }
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(Set(roots).count == 30)
    #expect(try number("SELECT count(*) FROM folder") == 31 * 4)
    #expect(try number("SELECT count(*) FROM file") == 31 * 3)
  }

  @Test func nothingStaysInTheSessions() throws {
    let graph = try graph()
    try Cloner(generator: .fixed()).clone("Folder", keys: [1], in: graph)
    try Cloner().clone("Folder", keys: [1], in: graph, saveBeforeReturn: false)
    try graph.save()
    let memory = MemoryGraph(model: model)
    try memory.insert("Folder", ["name": "new", "token": .uuid(UUID())])
    #expect(try graph.copy(from: memory).created == ["Folder": 1])
    #expect(try number("SELECT count(*) FROM pg_class WHERE relpersistence = 't'") == 0)
    for _ in 0..<4 {
      let connection = try PostgresConnection(location)
      #expect(try connection.rows("SHOW DateStyle").first?.first?.string == "SQL, DMY")
      #expect(try connection.rows("SELECT count(*) FROM pg_prepared_statements").first?.first?.number == 0)
    }
  }
}
