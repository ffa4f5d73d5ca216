import Foundation
import GRDB
import MOCloneKit
import TestSupport
import Testing

@Suite("Objects whose to-many relationships change in a Core Data store")
struct CoreDataOwnersTests {
  private let store: LibraryStore

  init() throws { store = try LibraryStore() }

  private func versions(_ table: String) throws -> [String] {
    try store.rows("SELECT Z_PK || ':' || Z_OPT FROM \(table) ORDER BY Z_PK")
  }

  @Test("an object that gains or loses a member by a foreign key counts on, once for each transaction")
  func foreignKeys() throws {
    try store.write { graph in
      try graph.insert("Book", ["title": "Five", "shelf": 2])
      let person = try graph.object("Person", key: 2).id
      try graph.setDestinations([person], "owner", of: graph.object("Book", key: 1).id)
    }
    #expect(try versions("ZSHELF") == ["1:4", "2:2"])
    #expect(try versions("ZPERSON") == ["1:2", "2:4"])
    try store.write { graph in
      try graph.atomically {
        try graph.delete(graph.object("Book", key: 1).id)
        try graph.delete(graph.object("Book", key: 2).id)
      }
    }
    #expect(try versions("ZSHELF") == ["1:5", "2:2"])
    #expect(try versions("ZPERSON") == ["1:2", "2:5"])
  }

  @Test("a member that keeps its owner raises nobody but itself, and one that moves in the list does")
  func moves() throws {
    try store.write { try $0.object("Book", key: 1).setValue("new", for: "title") }
    #expect(try versions("ZSHELF") == ["1:4", "2:1"])
    try store.write { graph in
      let books = try [1, 3, 2].map { try graph.object("Book", key: ObjectKey($0)).id }
      try graph.setDestinations(books, "books", of: graph.object("Shelf", key: 1).id)
    }
    #expect(try versions("ZSHELF") == ["1:5", "2:1"])
  }

  @Test(
    "both sides of a join row that is written or deleted count on, and of one that moves its list's owner")
  func joins() throws {
    func setTags(_ keys: [Int], of book: ObjectKey) throws {
      try store.write { graph in
        let tags = try keys.map { try graph.object("Tag", key: ObjectKey($0)).id }
        try graph.setDestinations(tags, "tags", of: graph.object("Book", key: book).id)
      }
    }
    try setTags([1, 2], of: 4)
    #expect(try versions("ZBOOK") == ["1:1", "2:2", "3:1", "4:2"])
    #expect(try versions("ZTAG") == ["1:2", "2:2"])
    try setTags([2, 1], of: 4)
    #expect(try versions("ZBOOK") == ["1:1", "2:2", "3:1", "4:3"])
    try setTags([2], of: 4)
    #expect(try versions("ZBOOK") == ["1:1", "2:2", "3:1", "4:4"])
    #expect(try versions("ZTAG").first == "1:3")
    try store.write { try $0.delete($0.object("Tag", key: 1).id) }
    #expect(try versions("ZBOOK") == ["1:2", "2:3", "3:1", "4:4"])
  }

  @Test("a clone that comes into the lists of originals raises these, and counts from 1 itself")
  func clone() throws {
    try store.write { graph in
      try Cloner().clone("Book", keys: [1], in: graph, request: CloneRequest(set: ["title": "x"]))
    }
    try store.expect("SELECT Z_OPT, ZSHELF, ZOWNER FROM ZBOOK WHERE Z_PK = 10", ["1|1|1"])
    #expect(try versions("ZSHELF") == ["1:5", "2:1"])
    #expect(try versions("ZPERSON") == ["1:2", "2:3"])
    #expect(try versions("ZTAG") == ["1:2", "2:2"])
    #expect(try versions("ZBOOK").prefix(4) == ["1:1", "2:2", "3:1", "4:1"])
  }
}

@Suite("A many-to-many relationship that is its own inverse, in a Core Data store")
struct CoreDataMutualTests {
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
              friends: {destination: Person, toMany: true, userInfo: {onClone: link}, x-coredata: {inverseName: friends}}
        """)
    try write(to: "people.sqlite", "")
  }

  private func write(to file: String, _ sql: String) throws {
    try DatabaseQueue(path: folder.file(file).path).write {
      try $0.execute(
        sql: """
          CREATE TABLE Z_PRIMARYKEY(Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
          INSERT INTO Z_PRIMARYKEY VALUES (1, 'Club', 0, 2), (2, 'Person', 0, 4);
          CREATE TABLE ZCLUB(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
          CREATE TABLE ZPERSON(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCLUB INTEGER, ZNAME VARCHAR);
          CREATE TABLE Z_2FRIENDS(Z_2FRIENDS INTEGER, REFLEXIVE INTEGER, PRIMARY KEY (Z_2FRIENDS, REFLEXIVE));
          CREATE INDEX ZPERSON_ZCLUB_INDEX ON ZPERSON(ZCLUB);
          INSERT INTO ZCLUB VALUES (1, 1, 1, 'x'), (2, 1, 1, 'y');
          INSERT INTO ZPERSON VALUES (1, 2, 1, 1, 'a'), (2, 2, 1, 1, 'b'), (3, 2, 1, 2, 'c'), (4, 2, 1, NULL, 'd');
          INSERT INTO Z_2FRIENDS VALUES (1, 2), (2, 1), (1, 3), (3, 1), (4, 4);
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

  private func rows(_ sql: String) throws -> [String] {
    try DatabaseQueue(path: path).read { try $0.texts(sql) }
  }

  /// Compares the rows.
  private func expectFriends(_ expected: [String], sourceLocation: SourceLocation = #_sourceLocation) throws {
    let rows = try rows("SELECT * FROM Z_2FRIENDS ORDER BY 1, 2")
    #expect(rows == expected, sourceLocation: sourceLocation)
  }

  private func set(_ keys: [Int], of person: ObjectKey, in graph: SQLiteGraph) throws {
    let friends = try keys.map { try graph.object("Person", key: ObjectKey($0)).id }
    try graph.setDestinations(friends, "friends", of: graph.object("Person", key: person).id)
  }

  @Test("is read from its table, which has a column REFLEXIVE")
  func read() throws {
    let graph = try SQLiteGraph(path: path, model: model, isReadOnly: true)
    let findings = try graph.storeFindings()
    #expect(findings == [])
    #expect(try graph.object("Person", key: 1).destinations("friends").map(\.id.key) == [2, 3])
    #expect(try graph.object("Person", key: 4).destinations("friends").map(\.id.key) == [4])
  }

  @Test("is written in both directions, and both objects count on")
  func write() throws {
    try change { try set([2, 4], of: 1, in: $0) }
    try expectFriends(["1|2", "1|4", "2|1", "4|1", "4|4"])
    #expect(try rows("SELECT Z_OPT FROM ZPERSON") == ["2", "1", "2", "2"])
    try change { try set([], of: 4, in: $0) }
    try expectFriends(["1|2", "2|1"])
    try change { graph in
      try graph.atomically {
        try set([], of: 1, in: graph)
        try set([1], of: 2, in: graph)
      }
    }
    try expectFriends(["1|2", "2|1"])
  }

  @Test("goes with an object that is deleted")
  func delete() throws {
    try change { try $0.delete($0.object("Person", key: 1).id) }
    try expectFriends(["4|4"])
    #expect(try rows("SELECT Z_OPT FROM ZPERSON") == ["2", "2", "1"])
  }

  @Test("leads to clones where both objects are cloned, and to the other object where one is")
  func clone() throws {
    try change { try Cloner().clone("Club", keys: [1], in: $0, request: CloneRequest()) }
    try expectFriends(["1|2", "1|3", "2|1", "3|1", "3|5", "4|4", "5|3", "5|6", "6|5"])
    #expect(try rows("SELECT Z_OPT FROM ZPERSON") == ["1", "1", "2", "1", "1", "1"])
  }

  private static let names: IdentityRequest = ["Club": ["name"], "Person": ["name"]]

  @Test("comes along in copies, cut-outs and imports")
  func moves() throws {
    try write(to: "other.sqlite", "UPDATE ZPERSON SET ZNAME = upper(ZNAME) WHERE Z_PK > 1")
    let other = try SQLiteGraph(path: folder.file("other.sqlite").path, model: model, isReadOnly: true)
    try change { _ = try $0.copy(from: other, CopyRequest(identifiedBy: Self.names)) }
    try expectFriends(["1|2", "1|3", "1|6", "1|7", "2|1", "3|1", "4|4", "6|1", "7|1", "8|8"])
    let root = try other.object("Club", key: 1).id
    let cut = folder.file("cut.sqlite").path
    _ = try other.makeStore(at: cut) { target in
      try target.clone(
        other.plan("Club", CloneRequest()), roots: [root], from: other,
        CutRequest(missing: .create, keepsKeys: true))
    }
    let pairs = try DatabaseQueue(path: cut).read { try $0.texts("SELECT * FROM Z_2FRIENDS ORDER BY 1, 2") }
    #expect(pairs == ["1|2", "1|3", "2|1", "3|1"])
    let file = try folder.write("name,friend\ne,a\n".utf8, to: "rows.csv")
    let mapping = """
      entity: Person
      attributes: {name: '@name'}
      relationships: {friends: {attributes: {name: '@friend'}}}
      """
    try change {
      _ = try $0.importFile(
        file.path, mapping: ImportMapping(yaml: mapping), options: ImportOptions(identifiedBy: Self.names))
    }
    try expectFriends(["1|2", "1|3", "1|6", "1|7", "1|9", "2|1", "3|1", "4|4", "6|1", "7|1", "8|8", "9|1"])
  }
}
