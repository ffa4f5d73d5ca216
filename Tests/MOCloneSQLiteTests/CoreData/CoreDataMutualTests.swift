import Foundation
import GRDB
import MOCloneKit
import TestSupport
import Testing

@Suite("A many-to-many relationship that is its own inverse, in a Core Data store")
struct CoreDataMutualTests {
  private let store: PeopleStore

  init() throws { store = try PeopleStore(isOrdered: false) }

  /// Compares the rows.
  private func expectFriends(_ expected: [String], sourceLocation: SourceLocation = #_sourceLocation) throws {
    let rows = try store.rows("SELECT * FROM Z_2FRIENDS ORDER BY 1, 2")
    #expect(rows == expected, sourceLocation: sourceLocation)
  }

  @Test("is read from its table, which has a column REFLEXIVE")
  func read() throws {
    let graph = try SQLiteGraph(path: store.path, model: store.model, isReadOnly: true)
    let findings = try graph.storeFindings()
    #expect(findings == [])
    #expect(try graph.object("Person", key: 1).destinations("friends").map(\.id.key) == [2, 3])
    #expect(try graph.object("Person", key: 4).destinations("friends").map(\.id.key) == [4])
  }

  @Test("is written in both directions, and both objects count on")
  func write() throws {
    try store.change { try store.set([2, 4], of: 1, in: $0) }
    try expectFriends(["1|2", "1|4", "2|1", "4|1", "4|4"])
    #expect(try store.rows("SELECT Z_OPT FROM ZPERSON") == ["2", "1", "2", "2"])
    try store.change { try store.set([], of: 4, in: $0) }
    try expectFriends(["1|2", "2|1"])
    try store.change { graph in
      try graph.atomically {
        try store.set([], of: 1, in: graph)
        try store.set([1], of: 2, in: graph)
      }
    }
    try expectFriends(["1|2", "2|1"])
  }

  @Test("goes with an object that is deleted")
  func delete() throws {
    try store.change { try $0.delete($0.object("Person", key: 1).id) }
    try expectFriends(["4|4"])
    #expect(try store.rows("SELECT Z_OPT FROM ZPERSON") == ["2", "2", "1"])
  }

  @Test("leads to clones where both objects are cloned, and to the other object where one is")
  func clone() throws {
    try store.change { try Cloner().clone("Club", keys: [1], in: $0, request: CloneRequest()) }
    try expectFriends(["1|2", "1|3", "2|1", "3|1", "3|5", "4|4", "5|3", "5|6", "6|5"])
    #expect(try store.rows("SELECT Z_OPT FROM ZPERSON") == ["1", "1", "2", "1", "1", "1"])
  }

  private static let names: IdentityRequest = ["Club": ["name"], "Person": ["name"]]

  @Test("comes along in copies, cut-outs and imports")
  func moves() throws {
    try store.write(to: "other.sqlite", "UPDATE ZPERSON SET ZNAME = upper(ZNAME) WHERE Z_PK > 1")
    let other = try SQLiteGraph(
      path: store.folder.file("other.sqlite").path, model: store.model, isReadOnly: true)
    try store.change { _ = try $0.copy(from: other, CopyRequest(identifiedBy: Self.names)) }
    try expectFriends(["1|2", "1|3", "1|6", "1|7", "2|1", "3|1", "4|4", "6|1", "7|1", "8|8"])
    let root = try other.object("Club", key: 1).id
    let subtree = store.folder.file("cut.sqlite").path
    _ = try other.makeStore(at: subtree) { target in
      try target.clone(
        other.plan("Club", CloneRequest()), roots: [root], from: other,
        SubtreeRequest(missing: .create, keepsKeys: true))
    }
    let pairs = try DatabaseQueue(path: subtree).read {
      try $0.texts("SELECT * FROM Z_2FRIENDS ORDER BY 1, 2")
    }
    #expect(pairs == ["1|2", "1|3", "2|1", "3|1"])
    let file = try store.folder.write("name,friend\ne,a\n".utf8, to: "rows.csv")
    let mapping = """
      entity: Person
      attributes: {name: '@name'}
      relationships: {friends: {attributes: {name: '@friend'}}}
      """
    try store.change {
      _ = try $0.importFile(
        file.path, mapping: ImportMapping(yaml: mapping), options: ImportOptions(identifiedBy: Self.names))
    }
    try expectFriends(["1|2", "1|3", "1|6", "1|7", "1|9", "2|1", "3|1", "4|4", "6|1", "7|1", "8|8", "9|1"])
  }
}
