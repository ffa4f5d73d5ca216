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

  @Test("an owner of members that only a sub-entity declares is raised, too")
  func subEntities() throws {
    let queue = try DatabaseQueue()
    try queue.write {
      try $0.execute(
        sql: """
          CREATE TABLE Z_PRIMARYKEY(Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
          INSERT INTO Z_PRIMARYKEY VALUES (1, 'Person', 0, 4), (2, 'Student', 1, 0), (3, 'Teacher', 1, 0);
          CREATE TABLE ZPERSON(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTEACHER INTEGER, ZNAME VARCHAR);
          CREATE INDEX ZPERSON_ZTEACHER_INDEX ON ZPERSON(ZTEACHER);
          INSERT INTO ZPERSON VALUES (1, 3, 5, NULL, 'a'), (2, 2, 5, 1, 'b'), (4, 3, 5, NULL, 'c');
          """)
    }
    let model = try ObjectModel(
      yaml: """
        version: 1
        name: T
        store: {naming: coreData}
        entities:
          Person: {attributes: {name: String?}}
          Student:
            parent: Person
            relationships: {teacher: {destination: Teacher, optional: true, inverse: pupils}}
          Teacher:
            parent: Person
            relationships: {pupils: {destination: Student, toMany: true, inverse: teacher}}
        """)
    let graph = SQLiteGraph(queue, model: model, coreData: .allowed)
    func versions() throws -> [String] {
      try queue.read { try $0.texts("SELECT Z_PK || ':' || Z_OPT FROM ZPERSON ORDER BY 1") }
    }
    let student = try graph.object("Student", key: 2)
    try Cloner().clone(object: student)
    #expect(try versions() == ["1:6", "2:5", "4:5", "5:1"])
    try student.set(graph.object("Teacher", key: 4), for: "teacher")
    #expect(try versions() == ["1:7", "2:6", "4:6", "5:1"])
    try graph.delete(student.id)
    #expect(try versions() == ["1:7", "4:7", "5:1"])
  }
}
