import Foundation
import GRDB
import MOCloneKit
import TestSupport
import Testing

@Suite("An ordered many-to-many relationship that is its own inverse, in a Core Data store")
struct CoreDataOrderedMutualTests {
  private let folder: TemporaryFolder
  private let model: ObjectModel
  private var path: String { folder.file("people.sqlite").path }

  init() throws {
    folder = try TemporaryFolder()
    model = try ObjectModel(
      yaml: """
        version: 1
        name: People
        store: {naming: coreData}
        entities:
          Club:
            attributes: {name: String}
            relationships: {members: {destination: Person, toMany: true, inverse: club, deleteRule: cascade}}
          Person:
            attributes: {name: String}
            relationships:
              club: {destination: Club, optional: true, inverse: members}
              friends:
                destination: Person
                toMany: true
                ordered: true
                userInfo: {onClone: link}
                x-coredata: {inverseName: friends}
        """)
    try write(to: "people.sqlite")
  }

  private func write(to file: String, _ sql: String = "") throws {
    try DatabaseQueue(path: folder.file(file).path).write {
      try $0.execute(
        sql: """
          CREATE TABLE Z_PRIMARYKEY(Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
          INSERT INTO Z_PRIMARYKEY VALUES (1, 'Club', 0, 2), (2, 'Person', 0, 4);
          CREATE TABLE ZCLUB(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
          CREATE TABLE ZPERSON(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCLUB INTEGER, ZNAME VARCHAR);
          CREATE TABLE Z_2FRIENDS(
            Z_2FRIENDS INTEGER, REFLEXIVE INTEGER, Z_FOK_2FRIENDS INTEGER, FOK_REFLEXIVE INTEGER,
            PRIMARY KEY (Z_2FRIENDS, REFLEXIVE));
          CREATE INDEX ZPERSON_ZCLUB_INDEX ON ZPERSON(ZCLUB);
          INSERT INTO ZCLUB VALUES (1, 1, 1, 'x'), (2, 1, 1, 'y');
          INSERT INTO ZPERSON VALUES (1, 2, 1, 1, 'a'), (2, 2, 1, 1, 'b'), (3, 2, 1, 2, 'c'), (4, 2, 1, NULL, 'd');
          INSERT INTO Z_2FRIENDS VALUES
            (1, 3, 2048, 2048), (1, 2, 2048, 3072), (2, 1, 3072, 2048), (3, 1, 2048, 2048), (4, 4, 2048, 2048);
          \(sql)
          """)
    }
  }

  @discardableResult
  private func change<T>(_ body: (SQLiteGraph) throws -> T) throws -> T {
    let graph = try SQLiteGraph(path: path, model: model, coreData: .allowed)
    let result = try body(graph)
    try graph.close()
    return result
  }

  /// Compares the lists, and each row with that of the other direction.
  private func expectLists(_ expected: [String], sourceLocation: SourceLocation = #_sourceLocation) throws {
    let (lists, faults) = try DatabaseQueue(path: path).read { db in
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

  private func set(_ keys: [Int], of person: ObjectKey, in graph: SQLiteGraph) throws {
    let friends = try keys.map { try graph.object("Person", key: ObjectKey($0)).id }
    try graph.setDestinations(friends, "friends", of: graph.object("Person", key: person).id)
  }

  @Test("is read in the order of FOK_REFLEXIVE")
  func read() throws {
    try expectLists(["1: 3 2", "2: 1", "3: 1", "4: 4"])
    let graph = try SQLiteGraph(path: path, model: model, isReadOnly: true)
    let findings = try graph.storeFindings()
    #expect(findings == [])
    #expect(try graph.object("Person", key: 1).destinations("friends").map(\.id.key) == [3, 2])
  }

  @Test("is written in both directions, at the end of the other list")
  func write() throws {
    try change { try set([2, 4, 3], of: 1, in: $0) }
    try expectLists(["1: 2 4 3", "2: 1", "3: 1", "4: 4 1"])
    try change { try set([1, 4], of: 4, in: $0) }
    try expectLists(["1: 2 4 3", "2: 1", "3: 1", "4: 1 4"])
    try change { graph in
      try graph.atomically {
        try set([3, 1], of: 2, in: graph)
        try set([1, 2], of: 3, in: graph)
        try set([], of: 4, in: graph)
      }
    }
    try expectLists(["1: 2 3", "2: 3 1", "3: 1 2"])
  }

  @Test("goes with an object that is deleted")
  func delete() throws {
    try change { try $0.delete($0.object("Person", key: 1).id) }
    try expectLists(["4: 4"])
  }

  @Test("keeps its order in a clone, whose members come last in the lists of the others")
  func clone() throws {
    try change { try Cloner().clone("Club", keys: [1], in: $0, request: CloneRequest(count: 2)) }
    try expectLists(["1: 3 2", "2: 1", "3: 1 5 7", "4: 4", "5: 3 6", "6: 5", "7: 3 8", "8: 7"])
  }

  @Test("comes along in a copy, in its order")
  func copy() throws {
    try write(
      to: "other.sqlite",
      """
      UPDATE ZPERSON SET ZNAME = upper(ZNAME) WHERE Z_PK > 1;
      UPDATE Z_2FRIENDS SET FOK_REFLEXIVE = 4096 WHERE Z_2FRIENDS = 1 AND REFLEXIVE = 3;
      UPDATE Z_2FRIENDS SET Z_FOK_2FRIENDS = 4096 WHERE Z_2FRIENDS = 3 AND REFLEXIVE = 1;
      """)
    let other = try SQLiteGraph(path: folder.file("other.sqlite").path, model: model, isReadOnly: true)
    try change {
      _ = try $0.copy(from: other, CopyRequest(identifiedBy: ["Club": ["name"], "Person": ["name"]]))
    }
    try expectLists(["1: 3 2 6 7", "2: 1", "3: 1", "4: 4", "6: 1", "7: 1", "8: 8"])
  }
}
