import Foundation
import GRDB
import MOCloneKit
import TestSupport
import Testing

@Suite("An ordered many-to-many relationship that is its own inverse, in a Core Data store")
struct CoreDataOrderedMutualTests {
  private let store: PeopleStore

  init() throws { store = try PeopleStore(isOrdered: true) }

  /// Compares the lists, and each row with that of the other direction.
  private func expectLists(_ expected: [String], sourceLocation: SourceLocation = #_sourceLocation) throws {
    let (lists, faults) = try DatabaseQueue(path: store.path).read { db in
      try (
        db.texts(
          """
          SELECT Z_2FRIENDS || ': ' || group_concat(REFLEXIVE, ' ')
          FROM (SELECT * FROM Z_2FRIENDS ORDER BY Z_2FRIENDS, FOK_REFLEXIVE) GROUP BY Z_2FRIENDS
          """),
        db.texts(
          """
          SELECT t.Z_2FRIENDS || ' and ' || t.REFLEXIVE FROM Z_2FRIENDS t LEFT JOIN Z_2FRIENDS o
            ON o.Z_2FRIENDS = t.REFLEXIVE AND o.REFLEXIVE = t.Z_2FRIENDS AND o.Z_FOK_2FRIENDS = t.FOK_REFLEXIVE
          WHERE o.REFLEXIVE IS NULL OR t.FOK_REFLEXIVE IS NULL
          UNION ALL SELECT Z_2FRIENDS || ' has one position twice' FROM Z_2FRIENDS
          GROUP BY Z_2FRIENDS, FOK_REFLEXIVE HAVING count(*) > 1
          """)
      )
    }
    #expect(lists == expected, sourceLocation: sourceLocation)
    #expect(faults == [], sourceLocation: sourceLocation)
  }

  @Test("is read in the order of FOK_REFLEXIVE")
  func read() throws {
    try expectLists(["1: 3 2", "2: 1", "3: 1", "4: 4"])
    let graph = try SQLiteGraph(path: store.path, model: store.model, isReadOnly: true)
    let findings = try graph.storeFindings()
    #expect(findings == [])
    #expect(try graph.object("Person", key: 1).destinations("friends").map(\.id.key) == [3, 2])
  }

  @Test("is written in both directions, at the end of the other list")
  func write() throws {
    try store.change { try store.set([2, 4, 3], of: 1, in: $0) }
    try expectLists(["1: 2 4 3", "2: 1", "3: 1", "4: 4 1"])
    try store.change { try store.set([1, 4], of: 4, in: $0) }
    try expectLists(["1: 2 4 3", "2: 1", "3: 1", "4: 1 4"])
    try store.change { graph in
      try graph.atomically {
        try store.set([3, 1], of: 2, in: graph)
        try store.set([1, 2], of: 3, in: graph)
        try store.set([], of: 4, in: graph)
      }
    }
    try expectLists(["1: 2 3", "2: 3 1", "3: 1 2"])
  }

  @Test("goes with an object that is deleted")
  func delete() throws {
    try store.change { try $0.delete($0.object("Person", key: 1).id) }
    try expectLists(["4: 4"])
  }

  @Test("keeps its order in a clone, whose members come last in the lists of the others")
  func clone() throws {
    try store.change { try Cloner().clone("Club", keys: [1], in: $0, request: CloneRequest(count: 2)) }
    try expectLists(["1: 3 2", "2: 1", "3: 1 5 7", "4: 4", "5: 3 6", "6: 5", "7: 3 8", "8: 7"])
  }

  @Test("comes along in a copy, in its order")
  func copy() throws {
    try store.write(
      to: "other.sqlite",
      """
      UPDATE ZPERSON SET ZNAME = upper(ZNAME) WHERE Z_PK > 1;
      UPDATE Z_2FRIENDS SET FOK_REFLEXIVE = 4096 WHERE Z_2FRIENDS = 1 AND REFLEXIVE = 3;
      UPDATE Z_2FRIENDS SET Z_FOK_2FRIENDS = 4096 WHERE Z_2FRIENDS = 3 AND REFLEXIVE = 1;
      """)
    let other = try SQLiteGraph(
      path: store.folder.file("other.sqlite").path, model: store.model, isReadOnly: true)
    try store.change {
      _ = try $0.copy(from: other, CopyRequest(identifiedBy: ["Club": ["name"], "Person": ["name"]]))
    }
    try expectLists(["1: 3 2 6 7", "2: 1", "3: 1", "4: 4", "6: 1", "7: 1", "8: 8"])
  }
}
