import Foundation
import GRDB
import MOCloneKit
import MOCloneModeling
import Testing

/// A database made by SQL, the model that was imported from it, and what became of its objects.
struct ImportedDatabase {
  let queue: DatabaseQueue
  let draft: ModelDraft
  let model: ObjectModel

  init(_ sql: String, annotated: Bool = false, options: ModelSourceOptions = ModelSourceOptions()) throws {
    let queue = try DatabaseQueue()
    try queue.writeWithoutTransaction { db in
      // Schemas of real databases are in an order of their own.
      try db.execute(sql: "PRAGMA foreign_keys = OFF")
      try db.execute(sql: sql)
      try db.execute(sql: "PRAGMA foreign_keys = ON")
    }
    try self.init(queue, annotated: annotated, options: options)
  }

  init(
    _ queue: DatabaseQueue, annotated: Bool = false, options: ModelSourceOptions = ModelSourceOptions()
  ) throws {
    self.queue = queue
    var draft = try queue.read { try ModelDraft(importing: $0, name: "Test", options: options) }
    if annotated { draft.applySuggestions() }
    self.draft = draft
    model = try draft.model()
  }

  var graph: SQLiteGraph { SQLiteGraph(queue, model: model) }

  /// The file is read as the same model, and the database has no errors by it.
  func check(sourceLocation: SourceLocation = #_sourceLocation) throws {
    let read = ModelParser.parse(SourceFile(path: "x.yml", text: draft.yaml))
    #expect(read.model == model, "\(draft.yaml)\n\(read.diagnostics)", sourceLocation: sourceLocation)
    #expect(throws: Never.self, "\(draft.yaml)", sourceLocation: sourceLocation) { try graph.validate() }
  }

  /// Clones an object of each entity, each in a transaction that is rolled back.
  ///
  /// - Returns: what refused, by entity.
  func cloneEach() throws -> [String: String] {
    var failures: [String: String] = [:]
    for entity in model.entities where entity.parent == nil {
      do {
        guard let id = try graph.objectIDs(entity.name).first else { continue }
        try queue.inTransaction { db in
          try Cloner().clone(id.entity, key: id.key, in: db, model: model)
          // SQLite cannot check keys that reference nothing unique.
          let broken = try? Row.fetchAll(db, sql: "PRAGMA foreign_key_check")
          #expect(broken?.isEmpty != false)
          return .rollback
        }
      } catch {
        failures[entity.name] = "\(error)"
      }
    }
    return failures
  }

  func entity(_ name: String) throws -> EntityDescription {
    try #require(model.entity(name), "\(model.entities.map(\.name))")
  }

  func attribute(_ name: String, of entity: String) throws -> AttributeDescription {
    try #require(model.attribute(name, of: entity), "\(model.attributes(of: entity).map(\.name))")
  }

  func relationship(_ name: String, of entity: String) throws -> RelationshipDescription {
    try #require(model.relationship(name, of: entity), "\(model.relationships(of: entity).map(\.name))")
  }
}
