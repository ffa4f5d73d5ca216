import Foundation
import MOCloneKit
import TestSupport
import Testing

/// A generated column that the model has as an attribute like any: what the store computes is not given.
@Suite("Attributes that the store computes, whatever the model says")
struct ComputedAttributeTests {
  private static let plain = "note TEXT"
  private static let computed = "note TEXT AS (upper(code)) STORED"

  private func store(
    _ column: String, _ rows: String = "", note: String = "String?"
  ) throws -> (store: StoreFixture, graph: SQLiteGraph) {
    let store = try StoreFixture(
      """
      entities:
        Thing:
          attributes: {code: String, note: \(note)}
          uniquenessConstraints: [[code]]
      """,
      "CREATE TABLE thing(id INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE, \(column));" + rows)
    return (store, SQLiteGraph(store.writer, model: store.model))
  }

  private let notes = "SELECT code, note FROM thing ORDER BY code"

  // MARK: Given values

  @Test(
    "A clone that is to set them is refused, declared as derived or not",
    arguments: ["String?", "{type: String, optional: true, derived: true}"])
  func clones(note: String) throws {
    let store = try store(Self.computed, "INSERT INTO thing(code) VALUES ('x');", note: note).store
    let requests = [
      CloneRequest(set: ["code": "w", "note": "given"]), CloneRequest(set: ["code": "w"], unset: ["note"]),
    ]
    for request in requests {
      let failure = try store.refusal("Thing", 1, request)?.failures.first
      #expect(failure?.code == .generatedColumn)
      #expect(failure?.property == "note")
      #expect(failure?.message.contains("because the store computes it") == true)
    }
    try store.clone("Thing", 1, CloneRequest(set: ["code": "w"]))
    #expect(try store.rows(notes) == ["w|W", "x|X"])
  }

  @Test("A clone into another store that is to set what that store computes is refused")
  func clonesIntoOthers() throws {
    let (source, target) = (
      try store(Self.plain, "INSERT INTO thing VALUES (1, 'x', 'mine');"), try store(Self.computed)
    )
    let plan = try source.graph.plan("Thing", CloneRequest(set: ["note": "given"]))
    let root = try source.graph.object("Thing", key: 1).id
    let error = #expect(throws: CloneError.self) {
      try target.graph.clone(plan, roots: [root], from: source.graph)
    }
    #expect(error?.code == .generatedColumn)
    #expect(try target.store.rows(notes) == [])
  }

  @Test("An import that gives them is refused, another one is not")
  func imports() throws {
    let (store, graph) = try store(Self.computed)
    func importRows(_ rows: String, _ attributes: String) throws {
      let mapping = try ImportMapping(yaml: "{entity: Thing, attributes: {\(attributes)}}")
      try graph.importData(Data(rows.utf8), format: .csv, mapping: mapping)
    }
    let error = #expect(throws: CloneError.self) {
      try importRows("code,note\nz,hello\n", "code: '@code', note: '@note'")
    }
    #expect(error?.code == .generatedColumn)
    #expect(error?.failures.first?.property == "note")
    #expect(try store.rows(notes) == [])
    try importRows("code\nz\n", "code: '@code'")
    #expect(try store.rows(notes) == ["z|Z"])
  }

  @Test(
    "A sync whose rows give them, or that is to overwrite them, is refused, another one is not",
    arguments: [[], ["note"]])
  func syncs(overwriting: [String]) throws {
    let (store, graph) = try store(Self.computed, "INSERT INTO thing(code) VALUES ('x');")
    let error = #expect(throws: CloneError.self) {
      try graph.sync(
        SyncRequest(entity: "Thing", overwriting: overwriting), from: [["code": "x", "note": "hello"]])
    }
    #expect(error?.code == .generatedColumn)
    #expect(error?.failures.first?.property == "note")
    let report = try graph.sync(SyncRequest(entity: "Thing"), from: [["code": "x"], ["code": "y"]])
    #expect(report.unchanged == ["Thing": 1])
    #expect(try store.rows(notes) == ["x|X", "y|Y"])
  }

  // MARK: Values of other stores

  @Test(
    "A seed names objects with other values than the store computes, at once and later, so the source is kept"
  )
  func seeds() throws {
    let source = try store(Self.plain, "INSERT INTO thing VALUES (1, 'x', 'my note'), (2, 'y', 'Y');")
    let target = try store(Self.computed)
    let expected = [
      "Thing 1: its 'note' does not come along: the store computes it, and holds another value",
      "Thing 1: note",
    ]
    for lacking in expected {
      let report = try target.graph.seed(from: source.graph)
      #expect(try target.graph.lacking(of: source.graph, seeded: report) == [lacking])
    }
    #expect(try target.store.rows(notes) == ["x|X", "y|Y"])
    try source.store.execute("UPDATE thing SET note = 'X' WHERE id = 1")
    let report = try target.graph.seed(from: source.graph)
    #expect(try target.graph.lacking(of: source.graph, seeded: report) == [])
  }

  @Test("A copy names new objects with other values than the store computes, unless they are left out")
  func copies() throws {
    let source = try store(Self.plain, "INSERT INTO thing VALUES (1, 'x', 'X'), (2, 'y', 'mine');")
    let report = try store(Self.computed).graph.copy(from: source.graph)
    #expect(report.skipped?.map(\.place) == ["Thing 2"])
    #expect(report.skipped?.first?.reason.contains("'note'") == true)
    let without = try store(Self.computed).graph.copy(from: source.graph, CopyRequest(exclude: ["note"]))
    #expect(without.skipped == nil)
    let memory = MemoryGraph(model: source.store.model)
    try memory.insert("Thing", ["code": "z", "note": "mine"])
    #expect(try store(Self.computed).graph.copy(from: memory).skipped?.map(\.place) == ["Thing 1"])
  }

  @Test(
    "A subtree in another store names originals with other values than that computes",
    arguments: [false, true])
  func subtrees(keepsKeys: Bool) throws {
    let source = try store(Self.plain, "INSERT INTO thing VALUES (1, 'x', 'mine'), (2, 'y', NULL);")
    let target = try store(Self.computed)
    let roots = try source.graph.objectIDs("Thing")
    let report = try target.graph.clone(
      source.graph.plan("Thing", CloneRequest()), roots: roots, from: source.graph,
      SubtreeRequest(keepsKeys: keepsKeys)
    ).report
    #expect(report.skipped?.map(\.place) == ["Thing 1"])
    #expect(try target.store.rows(notes) == ["x|X", "y|Y"])
  }

  @Test("What both stores compute is nobody's own value")
  func computedByBoth() throws {
    let column = "note TEXT AS (code || id)"
    let source = try store(column, "INSERT INTO thing(id, code) VALUES (5, 'x');")
    let target = try store(column)
    let report = try target.graph.seed(from: source.graph)
    #expect(try target.graph.lacking(of: source.graph, seeded: report) == [])
    let clone = try target.graph.clone(
      source.graph.plan("Thing", CloneRequest(set: ["code": "w"])),
      roots: [source.graph.object("Thing", key: 5).id], from: source.graph)
    #expect(clone.report.skipped == nil)
    #expect(try target.store.rows(notes) == ["w|w2", "x|x1"])
  }
}
