import Foundation
import GRDB
import MOCloneKit
import Testing

/// The strategies of GRDB beside the model's words, as the article on getting started has them.
@Suite("Dates and UUIDs of records and of models")
struct StrategyTests {
  private struct Entry: Codable, FetchableRecord, PersistableRecord {
    @TaskLocal static var dates: (DatabaseDateEncodingStrategy, DatabaseDateDecodingStrategy) = (
      .deferredToDate, .deferredToDate
    )
    @TaskLocal static var uuids = DatabaseUUIDEncodingStrategy.deferredToUUID

    var id: Int64
    var at: Date
    var made: Date
    var code: UUID

    static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy { dates.0 }
    static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy { dates.1 }
    static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy { uuids }
  }

  /// - Parameter at: a date that the copy is given.
  private func copies(dates: String, uuids: String, at: Date? = nil) throws {
    let model = try ObjectModel(
      yaml: """
        version: 1
        name: Entries
        store: {naming: grdb, dates: \(dates), uuids: \(uuids)}
        entities:
          Entry:
            attributes: {at: Date, made: {type: Date, userInfo: {rebuild: now}}, code: {type: UUID, userInfo: {rebuild: uuid}}}
        """)
    let queue = try DatabaseQueue()
    try queue.write { db in
      try db.execute(sql: "CREATE TABLE entry (id INTEGER PRIMARY KEY, at, made, code)")
      let entry = Entry(
        id: 1, at: Date(timeIntervalSince1970: 1_700_000_000), made: .distantPast, code: UUID())
      try entry.insert(db)
      let graph = try SQLiteGraph.with(db, model: model) {
        try [$0.value("at", of: $0.objectIDs("Entry")[0]), $0.value("code", of: $0.objectIDs("Entry")[0])]
      }
      #expect(graph == [.date(entry.at), .uuid(entry.code)])
      let request = CloneRequest(set: at.map { ["at": .date($0)] } ?? [:])
      let copy = try Cloner(model: model).clone(entry, in: db, request: request)
      #expect(
        copy.at == at ?? entry.at && copy.code != entry.code && abs(copy.made.timeIntervalSinceNow) < 600)
    }
  }

  @Test("Dates")
  func dates() throws {
    try copies(dates: "sqlite", uuids: "blob")
    try Entry.$dates.withValue((.timeIntervalSince1970, .timeIntervalSince1970)) {
      try copies(dates: "unix", uuids: "blob")
    }
    try Entry.$dates.withValue((.secondsSince1970, .timeIntervalSince1970)) {
      try copies(dates: "unix", uuids: "blob")
    }
    try Entry.$dates.withValue((.millisecondsSince1970, .millisecondsSince1970)) {
      try copies(dates: "unixMilliseconds", uuids: "blob")
    }
    try Entry.$dates.withValue((.timeIntervalSinceReferenceDate, .timeIntervalSinceReferenceDate)) {
      try copies(dates: "referenceDate", uuids: "blob")
    }
    try Entry.$dates.withValue((.iso8601, .iso8601)) {
      try copies(dates: "iso8601Seconds", uuids: "blob")
      let whole = Date(timeIntervalSince1970: 1_800_000_000)
      try copies(dates: "iso8601Seconds", uuids: "blob", at: whole)
      #expect(throws: RowDecodingError.self) {
        try copies(dates: "iso8601Seconds", uuids: "blob", at: whole.addingTimeInterval(0.25))
      }
      #expect(throws: RowDecodingError.self) { try copies(dates: "iso8601", uuids: "blob") }
    }
  }

  @Test("UUIDs")
  func uuids() throws {
    try Entry.$uuids.withValue(.uppercaseString) { try copies(dates: "sqlite", uuids: "text") }
    try Entry.$uuids.withValue(.lowercaseString) { try copies(dates: "sqlite", uuids: "lowercaseText") }
  }
}
