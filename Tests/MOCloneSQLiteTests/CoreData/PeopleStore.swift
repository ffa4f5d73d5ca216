import Foundation
import GRDB
import MOCloneKit
import TestSupport

/// A Core Data store of people whose friends are the inverse of themselves.
struct PeopleStore {
  let folder: TemporaryFolder
  let model: ObjectModel
  private let isOrdered: Bool
  var path: String { folder.file("people.sqlite").path }

  init(isOrdered: Bool) throws {
    self.isOrdered = isOrdered
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
                ordered: \(isOrdered)
                userInfo: {onClone: link}
                x-coredata: {inverseName: friends}
        """)
    try write(to: "people.sqlite")
  }

  func write(to file: String, _ sql: String = "") throws {
    try DatabaseQueue(path: folder.file(file).path).write {
      try $0.execute(
        sql: """
          CREATE TABLE Z_PRIMARYKEY(Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
          INSERT INTO Z_PRIMARYKEY VALUES (1, 'Club', 0, 2), (2, 'Person', 0, 4);
          CREATE TABLE ZCLUB(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
          CREATE TABLE ZPERSON(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCLUB INTEGER, ZNAME VARCHAR);
          CREATE TABLE Z_2FRIENDS(
            Z_2FRIENDS INTEGER, REFLEXIVE INTEGER\(isOrdered ? ", Z_FOK_2FRIENDS INTEGER, FOK_REFLEXIVE INTEGER" : ""),
            PRIMARY KEY (Z_2FRIENDS, REFLEXIVE));
          CREATE INDEX ZPERSON_ZCLUB_INDEX ON ZPERSON(ZCLUB);
          INSERT INTO ZCLUB VALUES (1, 1, 1, 'x'), (2, 1, 1, 'y');
          INSERT INTO ZPERSON VALUES (1, 2, 1, 1, 'a'), (2, 2, 1, 1, 'b'), (3, 2, 1, 2, 'c'), (4, 2, 1, NULL, 'd');
          INSERT INTO Z_2FRIENDS VALUES \(isOrdered ? Self.orderedFriends : Self.friends);
          \(sql)
          """)
    }
  }

  private static let friends = "(1, 2), (2, 1), (1, 3), (3, 1), (4, 4)"
  private static let orderedFriends =
    "(1, 3, 2048, 2048), (1, 2, 2048, 3072), (2, 1, 3072, 2048), (3, 1, 2048, 2048), (4, 4, 2048, 2048)"

  @discardableResult
  func change<T>(_ body: (SQLiteGraph) throws -> T) throws -> T {
    let graph = try SQLiteGraph(path: path, model: model, coreData: .allowed)
    let result = try body(graph)
    try graph.close()
    return result
  }

  func set(_ keys: [Int], of person: ObjectKey, in graph: SQLiteGraph) throws {
    let friends = try keys.map { try graph.object("Person", key: ObjectKey($0)).id }
    try graph.setDestinations(friends, "friends", of: graph.object("Person", key: person).id)
  }

  func rows(_ sql: String) throws -> [String] {
    try DatabaseQueue(path: path).read { try $0.texts(sql) }
  }
}
