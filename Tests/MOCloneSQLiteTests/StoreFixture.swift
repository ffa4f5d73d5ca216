import Foundation
import GRDB
import MOCloneKit
import Testing

/// A store whose tables a test wrote by hand, and the model of it.
struct StoreFixture {
  let writer: any DatabaseWriter
  let model: ObjectModel

  /// - Parameters:
  ///   - yaml: the model from its `store:` or `entities:` on.
  ///   - sql: statements that make and fill the tables.
  init(_ yaml: String, _ sql: String, in writer: (any DatabaseWriter)? = nil) throws {
    model = try ObjectModel(yaml: "version: 1\nname: Test\n" + yaml)
    self.writer = try writer ?? DatabaseQueue()
    try self.writer.write { try $0.execute(sql: sql) }
  }

  /// Clones through a graph of its own; the store must then be sound.
  @discardableResult
  func clone(_ entity: String, _ key: ObjectKey, _ request: CloneRequest = CloneRequest()) throws
    -> CloneResult
  {
    let counts = try plainCounts(entity, key, request)
    let result = try Cloner(keepsMapping: true).clone(
      entity, keys: [key], in: SQLiteGraph(writer, model: model), request: request)
    #expect(try rows("PRAGMA foreign_key_check") == [])
    #expect(result.cloned == counts)
    return result
  }

  /// What a run without a mapping copies, which takes shorter ways; it is taken back.
  private func plainCounts(
    _ entity: String, _ key: ObjectKey, _ request: CloneRequest
  ) throws -> [String: Int] {
    let graph = SQLiteGraph(writer, model: model)
    let result = try Cloner().clone(
      entity, keys: [key], in: graph, request: request, saveBeforeReturn: false)
    try graph.rollback()
    return result.cloned
  }

  /// What a clone is refused with; the store must be as it was.
  func refusal(
    _ entity: String, _ key: ObjectKey, _ request: CloneRequest = CloneRequest(),
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> CloneError? {
    let before = try contents()
    let error = #expect(throws: CloneError.self, sourceLocation: sourceLocation) {
      try Cloner().clone(entity, keys: [key], in: SQLiteGraph(writer, model: model), request: request)
    }
    #expect(try contents() == before, sourceLocation: sourceLocation)
    return error
  }

  /// The rows of a query, values divided by `|`.
  func rows(_ sql: String) throws -> [String] {
    try writer.read { try $0.texts(sql) }
  }

  func execute(_ sql: String) throws {
    try writer.write { try $0.execute(sql: sql) }
  }

  /// Everything that the tables hold; the last numbers of AUTOINCREMENT are left out where they may grow.
  func contents(withSequences: Bool = true) throws -> [String] {
    try writer.read { db in
      let own = withSequences ? "" : " AND name <> 'sqlite_sequence'"
      let tables = try String.fetchAll(
        db, sql: "SELECT name FROM main.sqlite_schema WHERE type = 'table'\(own)")
      return try tables.flatMap { try db.texts("SELECT * FROM main.\"\($0.replacing("\"", with: "\"\""))\"") }
    }
  }
}

extension Database {
  /// The rows of a query, values divided by `|`.
  func texts(_ sql: String) throws -> [String] {
    try Row.fetchAll(self, sql: sql).map { row in
      row.databaseValues.map(\.text).joined(separator: "|")
    }
  }
}

extension DatabaseValue {
  fileprivate var text: String {
    switch storage {
    case .null: "-"
    case .int64(let number): String(number)
    case .double(let number): String(number)
    case .string(let text): text
    case .blob(let bytes): bytes.map { String(format: "%02X", $0) }.joined()
    }
  }
}
