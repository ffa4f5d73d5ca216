import Foundation
import MOCloneKit
import MOCloneYAML
import TestSupport
import Testing

@testable import MOClonePostgres

/// A generated column that the model has as an attribute like any: what the server computes is not given.
@Suite(
  "Attributes that the server computes, whatever the model says",
  .enabled(if: TestDatabase.isAvailable, "\(TestDatabase.comment)"))
struct ComputedAttributeTests {
  private static let plain = "note text"
  private static let computed = "note text GENERATED ALWAYS AS (upper(code)) STORED"

  private func fixture(_ column: String, _ rows: String = "") throws -> DatabaseFixture {
    try DatabaseFixture(
      "entities: {Thing: {attributes: {code: String, note: String?}, uniquenessConstraints: [[code]]}}",
      "CREATE TABLE thing(id bigserial PRIMARY KEY, code text NOT NULL UNIQUE, \(column));" + rows)
  }

  private let notes = "SELECT code, note FROM thing ORDER BY code"

  @Test("Clones, imports and syncs that give them are refused")
  func given() throws {
    let fixture = try fixture(Self.computed, "INSERT INTO thing(code) VALUES ('x');")
    let mapping = try ImportMapping(yaml: "{entity: Thing, attributes: {code: '@code', note: '@note'}}")
    let calls: [() throws -> Void] = [
      { _ = try fixture.clone("Thing", 1, CloneRequest(set: ["code": "w", "note": "given"])) },
      {
        _ = try fixture.graph.importData(Data("code,note\nz,a\n".utf8), format: .csv, mapping: mapping)
      },
      { _ = try fixture.graph.sync(SyncRequest(entity: "Thing"), from: [["code": "x", "note": "a"]]) },
    ]
    for call in calls {
      let error = #expect(throws: CloneError.self) { try call() }
      #expect(error?.code == .generatedColumn)
      #expect(error?.failures.first?.property == "note")
    }
    #expect(try fixture.rows(notes) == ["x|X"])
  }

  @Test("Seeds, copies and subtrees name objects with other values than the server computes")
  func otherValues() throws {
    let source = try fixture(Self.plain, "INSERT INTO thing(code, note) VALUES ('x', 'X'), ('y', 'mine');")
    let target = try fixture(Self.computed)
    let report = try target.graph.seed(from: source.graph)
    #expect(report.skipped?.map(\.place) == ["Thing 2"])
    #expect(try !target.graph.lacking(of: source.graph, seeded: report).isEmpty)
    let again = try target.graph.seed(from: source.graph)
    #expect(try target.graph.lacking(of: source.graph, seeded: again) == ["Thing 2: note"])
    #expect(try target.rows(notes) == ["x|X", "y|Y"])
    let plan = try source.graph.plan("Thing", CloneRequest())
    for keepsKeys in [false, true] {
      let other = try fixture(Self.computed)
      let made = try other.graph.clone(
        plan, roots: source.graph.objectIDs("Thing"), from: source.graph, SubtreeRequest(keepsKeys: keepsKeys)
      )
      #expect(made.report.skipped?.map(\.place) == ["Thing 2"])
      #expect(try other.rows(notes) == ["x|X", "y|Y"])
    }
  }

  @Test("What both databases compute is nobody's own value")
  func computedByBoth() throws {
    let column = "note text GENERATED ALWAYS AS (code || id::text) STORED"
    let source = try fixture(column, "INSERT INTO thing(id, code) VALUES (5, 'x');")
    let target = try fixture(column)
    let report = try target.graph.seed(from: source.graph)
    #expect(try target.graph.lacking(of: source.graph, seeded: report) == [])
    #expect(try target.rows(notes) == ["x|x1"])
  }
}
