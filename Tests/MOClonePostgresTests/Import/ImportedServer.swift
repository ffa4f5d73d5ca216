import Foundation
import MOCloneEngine
import MOCloneModel
import MOCloneSQL
import MOCloneYAML
import TestSupport
import Testing

@testable import MOCloneModeling
@testable import MOClonePostgres

/// A database made by SQL, the model that was imported from it, and what becomes of its objects.
struct ImportedServer {
  let database: TestDatabase
  let connection: PostgresConnection
  let draft: ModelDraft
  let model: ObjectModel

  init(
    _ sql: String, schemas: [String] = [], annotated: Bool = false,
    options: ModelSourceOptions = ModelSourceOptions()
  ) throws {
    database = try TestDatabase()
    connection = try database.connect()
    try connection.run(sql)
    var draft = try Self.draft(connection, schemas, options)
    if annotated { draft.applySuggestions() }
    self.draft = draft
    model = try draft.model()
  }

  static func draft(
    _ connection: PostgresConnection, _ schemas: [String] = [],
    _ options: ModelSourceOptions = ModelSourceOptions()
  ) throws -> ModelDraft {
    try connection.inTransaction(readOnly: true) {
      try ModelDraft(
        importing: connection, StoreListing(connection, schemas: schemas, known: options.knownTables),
        name: "Test", options: options)
    }
  }

  var graph: PostgresGraph {
    get throws { PostgresGraph(try database.connect(), model: model) }
  }

  /// The file is read as the same model, and neither it nor the database has errors.
  func check(sourceLocation: SourceLocation = #_sourceLocation) throws {
    let read = ModelParser.parse(SourceFile(path: "x.yml", text: draft.yaml))
    #expect(read.model == model, "\(draft.yaml)\n\(read.diagnostics)", sourceLocation: sourceLocation)
    let errors = try draft.refusals + graph.storeFindings().filter { $0.severity == .error }
    #expect(errors.isEmpty, "\(draft.yaml)\n\(errors)", sourceLocation: sourceLocation)
  }

  func entity(_ name: String) throws -> EntityDescription {
    try #require(model.entity(name), "\(model.entities.map(\.name))")
  }

  func attribute(_ name: String, of entity: String) throws -> AttributeDescription {
    try #require(model.attribute(name, of: entity), "\(draft.yaml)")
  }

  func relationship(_ name: String, of entity: String) throws -> RelationshipDescription {
    try #require(model.relationship(name, of: entity), "\(draft.yaml)")
  }

  /// How many rows each table of the model has, by the name of the table.
  func counts() throws -> [String: Int] {
    let tables = StoreCheck.tables(of: model.entities.map(\.name), model, mapping: SchemaMapping(model))
    return try tables.reduce(into: [:]) { counts, table in
      counts[table] = try connection.rows("SELECT count(*) FROM \(Dialect.postgres.table(table))")[0][0]
        .number
    }
  }

  /// Clones an object.
  ///
  /// - Returns: how many rows each table has more, those that have as many as before left out.
  func clone(_ entity: String, _ key: ObjectKey, _ request: CloneRequest = CloneRequest()) throws -> [String:
    Int]
  {
    let before = try counts()
    try Cloner().clone(entity, keys: [key], in: graph, request: request)
    return try counts().reduce(into: [:]) { more, count in
      if count.value != before[count.key] { more[count.key] = count.value - (before[count.key] ?? 0) }
    }
  }
}

/// A file of this folder's neighbour.
enum Fixture {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Fixtures")

  static func text(_ name: String) throws -> String {
    try String(contentsOf: folder.appending(path: name), encoding: .utf8)
  }

  /// Compares a text with a file; UPDATE_FIXTURES=1 rewrites the file and fails the test all the same.
  static func expect(
    _ text: String, _ name: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let expected = try? self.text(name)
    if ProcessInfo.processInfo.environment["UPDATE_FIXTURES"] == "1", text != expected {
      try text.write(to: folder.appending(path: name), atomically: true, encoding: .utf8)
    }
    #expect(text == expected, sourceLocation: sourceLocation)
  }
}
