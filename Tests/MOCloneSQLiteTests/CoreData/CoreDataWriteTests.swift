import Foundation
import GRDB
import MOCloneKit
import TestSupport
import Testing

@Suite("Changes of objects in a Core Data store")
struct CoreDataWriteTests {
  @Test("a new object counts from 1, and its list, its sub-entity and its destination's entity are noted")
  func insert() throws {
    let store = try LibraryStore()
    let id = try store.write { graph in
      let atlas = try graph.insert("Atlas", ["title": "Five", "scale": 7, "owner": 2, "shelf": 2])
      try graph.insert("Atlas", ["title": "Six", "shelf": 1])
      return atlas.id
    }
    #expect(id.key == 10)
    try store.expect(
      "SELECT Z_ENT, Z_OPT, ZOWNER, Z4_OWNER, ZSHELF, Z_FOK_SHELF, ZSCALE, ZLOWER FROM ZBOOK WHERE Z_PK > 9",
      ["2|1|2|5|2|2048|7|five", "2|1|-|-|1|4608|-|six"])
    try store.expect("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 1", ["11"])
  }

  @Test("a changed object counts on, once for each transaction, and an unchanged one does not")
  func change() throws {
    let store = try LibraryStore()
    try store.write { graph in
      let book = try graph.object("Book", key: 1)
      try graph.atomically {
        try book.setValue("new", for: "title")
        try book.setValue("newer", for: "title")
      }
      try graph.object("Book", key: 3).setValue("Three", for: "title")
    }
    try store.expect("SELECT Z_OPT, ZTITLE FROM ZBOOK", ["2|newer", "2|Two", "1|Three", "1|Four"])
  }

  @Test("either side of a one-to-one relationship is kept in step, and both sides count on")
  func oneToOne() throws {
    let store = try LibraryStore()
    try store.write { graph in
      let second = try graph.object("Shelf", key: 2).id
      try graph.setDestinations([second], "shelf", of: graph.object("Stamp", key: 1).id)
    }
    try store.expect("SELECT Z_OPT, ZSTAMP FROM ZSHELF", ["5|-", "2|1"])
    try store.expect("SELECT Z_OPT, ZSHELF FROM ZSTAMP", ["2|2"])
    try store.write { graph in
      try graph.setDestinations([], "stamp", of: graph.object("Shelf", key: 2).id)
    }
    try store.expect("SELECT Z_OPT, ZSTAMP FROM ZSHELF", ["5|-", "3|-"])
    try store.write { graph in
      try graph.setDestinations(
        [graph.object("Stamp", key: 1).id], "stamp", of: graph.object("Shelf", key: 1).id)
      try graph.delete(graph.object("Stamp", key: 1).id)
    }
    try store.expect("SELECT ZSTAMP FROM ZSHELF", ["-", "-"])
  }

  @Test(
    "a list that is set anew has keys in steps of 1024, and a member that moves takes its new owner's entity")
  func lists() throws {
    let store = try LibraryStore()
    try store.write { graph in
      let books = try [3, 4, 1].map { try graph.object("Book", key: ObjectKey($0)).id }
      try graph.setDestinations(books, "books", of: graph.object("Shelf", key: 2).id)
      try graph.setDestinations(books, "books", of: graph.object("Person", key: 2).id)
      try graph.setDestinations(
        [2, 1].map { try graph.object("Tag", key: ObjectKey($0)).id }, "tags", of: books[0])
    }
    try store.expect(
      "SELECT Z_PK, Z_OPT, Z4_OWNER, ZSHELF, Z_FOK_SHELF FROM ZBOOK",
      ["1|3|5|2|4096", "2|3|-|1|2048", "3|4|5|2|2048", "4|3|5|2|3072"])
    try store.expect(
      "SELECT Z_8TAGS, Z_FOK_8TAGS FROM Z_1TAGS WHERE Z_1BOOKS = 3 ORDER BY 2", ["2|2048", "1|3072"])
  }

  @Test("deleting by the delete rules keeps Z_MAX")
  func delete() throws {
    let store = try LibraryStore()
    try store.write { try $0.delete($0.object("Shelf", key: 1).id) }
    try store.expect("SELECT count(*) FROM ZBOOK", ["1"])
    try store.expect("SELECT count(*) FROM ZSTAMP", ["0"])
    let key = try store.write { try $0.insert("Stamp").id.key }
    #expect(key == 2)
  }

  @Test("a store of the same tables that Core Data did not make gets the files of what is copied into it")
  func filesOfACopy() throws {
    let store = try LibraryStore()
    try store.addCoverFile()
    let plain = store.folder.file("plain.sqlite").path
    let tables = try store.rows(
      "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name NOT IN "
        + "('Z_PRIMARYKEY', 'Z_METADATA', 'Z_MODELCACHE')")
    try DatabaseQueue(path: plain).write { try $0.execute(sql: tables.joined(separator: ";")) }
    let source = try SQLiteGraph(path: store.path, model: store.model, isReadOnly: true)
    let target = try SQLiteGraph(path: plain, model: store.model)
    try target.copy(from: source, CopyRequest())
    let covers = try DatabaseQueue(path: plain).read {
      try Data.fetchAll($0, sql: "SELECT ZCOVER FROM ZBOOK WHERE substr(ZCOVER, 1, 1) = x'02'")
    }
    #expect(covers.count == 1)
    let file = store.folder.file(".plain_SUPPORT/_EXTERNAL_DATA/\(LibraryStore.coverName)")
    #expect(try Data(contentsOf: file) == Data("a large cover".utf8))
  }

  @Test("a large value that is set stands in the row behind its mark")
  func largeValue() throws {
    let store = try LibraryStore()
    try store.write { graph in
      let book = try graph.object("Book", key: 4)
      try book.setValue(.binary(Data([7])), for: "cover")
      #expect(try book.value("cover") == .binary(Data([7])))
    }
    try store.expect("SELECT hex(ZCOVER) FROM ZBOOK WHERE Z_PK = 4", ["0107"])
  }
}

@Suite("A Core Data store that is not to be written")
struct CoreDataRefusalTests {
  private func refusal(_ store: LibraryStore, _ model: ObjectModel? = nil) throws -> String {
    let before = try Data(contentsOf: URL(fileURLWithPath: store.path))
    let error = #expect(throws: CloneError.self) {
      let graph = try SQLiteGraph(path: store.path, model: model ?? store.model, coreData: .allowed)
      try Cloner().clone("Tag", keys: [1], in: graph, request: CloneRequest(set: ["name": "x"]))
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: store.path)) == before)
    return error.map { "\($0.failures[0].message) [\($0.code.rawValue)]" } ?? ""
  }

  @Test(
    "is refused where a change would be missing in the history or in the cloud",
    arguments: ["ACHANGE", "ATRANSACTION", "ANSCKRECORDMETADATA"])
  func history(table: String) throws {
    let store = try LibraryStore()
    try store.execute("CREATE TABLE \(table)(Z_PK INTEGER PRIMARY KEY)")
    #expect(try refusal(store).hasSuffix("[core-data-store]"))
    #expect(try SQLiteGraph(path: store.path, model: store.model, isReadOnly: true).count("Tag") == 2)
  }

  private static let otherNaming = """
    version: 1
    name: Library
    store: {primaryKey: Z_PK}
    entities:
      Tag: {table: ZTAG, attributes: {name: {type: String, column: ZNAME}}, uniquenessConstraints: [[name]]}
    """

  @Test("is refused where the model names its tables otherwise")
  func naming() throws {
    let store = try LibraryStore()
    #expect(try refusal(store, ObjectModel(yaml: Self.otherNaming)).contains("naming: coreData"))
  }

  @Test(
    "is refused to an app's own writer where the model names its tables otherwise", arguments: [false, true])
  func otherNamingOnAWriter(isAllowed: Bool) throws {
    let store = try LibraryStore()
    let model = try ObjectModel(yaml: Self.otherNaming)
    let queue = try DatabaseQueue(path: store.path)
    let graph = SQLiteGraph(queue, model: model, coreData: isAllowed ? .allowed : .refused)
    let works: [() throws -> Void] = [
      { try Cloner().clone("Tag", keys: [1], in: graph, request: CloneRequest(set: ["name": "x"])) },
      { _ = try graph.insert("Tag", ["name": "x"]) },
      { try graph.delete(graph.object("Tag", key: 1)) },
    ]
    for work in works {
      let error = #expect(throws: CloneError.self) { try work() }
      #expect(error?.code == .coreDataStore)
    }
    #expect(try graph.count("Tag") == 2)
  }

  @Test("is refused where a trigger calls a function of which only Core Data knows what it does")
  func unknownFunction() throws {
    let store = try LibraryStore()
    try store.execute(
      "CREATE TRIGGER Z_DA_TAG AFTER INSERT ON ZTAG BEGIN UPDATE ZTAG SET ZNAME = NSCoreDataCanonical(NEW.ZNAME) "
        + "WHERE Z_PK = NEW.Z_PK; END")
    let message = try refusal(store)
    #expect(message.contains("'Z_DA_TAG'") && message.contains("'NSCoreDataCanonical'"), "\(message)")
    #expect(message.hasSuffix("[insert-refused]"), "\(message)")
  }

  @Test("is neither read nor written where the model numbers its entities otherwise, and the number is said")
  func numbers() throws {
    let store = try LibraryStore()
    try store.execute(
      "UPDATE Z_PRIMARYKEY SET Z_ENT = 20 WHERE Z_ENT = 2; UPDATE Z_PRIMARYKEY SET Z_ENT = 2 WHERE Z_ENT = 3;"
        + "UPDATE Z_PRIMARYKEY SET Z_ENT = 3 WHERE Z_ENT = 20")
    #expect(try refusal(store).contains("'discriminator: {value: 2}'"))
    let error = #expect(throws: CloneError.self) {
      try SQLiteGraph(path: store.path, model: store.model, isReadOnly: true).object("Book", key: 2)
    }
    #expect(error?.code == .storeMismatch && error?.failures.count == 2)
  }

  @Test("is refused to a graph on a writer that does not ask")
  func writer() throws {
    let store = try LibraryStore()
    let queue = try DatabaseQueue(path: store.path)
    let graph = SQLiteGraph(queue, model: store.model)
    #expect(throws: CloneError.self) { try graph.insert("Tag", ["name": "x"]) }
    #expect(throws: CloneError.self) { try Cloner().clone("Book", keys: [1], in: graph) }
    #expect(
      try graph.preview(graph.plan("Book", CloneRequest()), roots: [graph.object("Book", key: 1).id]).cloned
        == ["Book": 1])
    try SQLiteGraph(queue, model: store.model, coreData: .allowed).insert("Tag", ["name": "x"])
    try store.expect("SELECT Z_PK, Z_ENT, Z_OPT FROM ZTAG WHERE ZNAME = 'x'", ["3|8|1"])
  }
}
