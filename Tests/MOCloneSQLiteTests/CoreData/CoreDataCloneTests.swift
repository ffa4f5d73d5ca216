import Foundation
import GRDB
import MOCloneKit
import Testing

@Suite("Clones inside a Core Data store")
struct CoreDataCloneTests {
  @discardableResult
  private func clone(
    _ entity: String, _ key: ObjectKey, _ request: CloneRequest = CloneRequest(), in store: LibraryStore
  ) throws -> [ObjectID] {
    try store.write { graph in
      try Cloner().clone(entity, keys: [key], in: graph, request: request).roots
    }
  }

  @Test("an ordered list of sub-entities and a one-to-one object get what Core Data keeps of them")
  func shelf() throws {
    let store = try LibraryStore()
    try store.addCoverFile()
    #expect(try clone("Shelf", 1, CloneRequest(set: ["label": "copy"]), in: store).map(\.key) == [3])
    try store.expect(
      "SELECT Z_PK, Z_ENT, Z_OPT, ZSTAMP, ZBOOKCOUNT, ZLABEL FROM ZSHELF",
      ["1|6|4|1|3|a", "2|6|1|-|0|b", "3|6|1|2|3|copy"])
    try store.expect(
      "SELECT Z_PK, Z_ENT, Z_OPT, Z4_OWNER, ZSHELF, Z_FOK_SHELF, ZTITLE FROM ZBOOK WHERE Z_PK > 9",
      ["10|1|1|4|3|3072|One", "11|2|1|5|3|2048|Two", "12|3|1|-|3|3584|Three"])
    try store.expect(
      "SELECT Z_ENT, Z_OPT, ZSHELF, ZDAY FROM ZSTAMP",
      [
        "7|1|1|700000000", "7|1|3|700000000",
      ])
    try store.expect("SELECT * FROM Z_1TAGS WHERE Z_1BOOKS > 9", ["10|1|3072", "10|2|2048", "11|1|2048"])
    try store.expect("SELECT Z_MAX FROM Z_PRIMARYKEY", ["12", "0", "0", "2", "0", "3", "2", "2"])
  }

  @Test("several copies, a small closure and a large one make the same keys", arguments: [0, 150])
  func keysFollowTheCounter(smallClosure: Int) throws {
    let store = try LibraryStore()
    try store.addCoverFile()
    let keys = try store.write { graph in
      var options = CloneOptions()
      options.smallClosure = smallClosure
      let plan = try ClonePlan(model: store.model, entity: "Shelf", request: CloneRequest(exclude: ["stamp"]))
      let roots = [try graph.object("Shelf", key: 1).id, try graph.object("Shelf", key: 1).id]
      return try graph.run(plan, roots: roots, options: options, saves: true).roots.map(\.key)
    }
    #expect(keys == [3, 4])
    try store.expect("SELECT min(Z_PK), max(Z_PK) FROM ZBOOK WHERE Z_PK > 4", ["10|15"])
    try store.expect("SELECT ZSTAMP FROM ZSHELF WHERE Z_PK > 2", ["-", "-"])
  }

  @Test("an object that joins an ordered list comes 1024 behind its last member")
  func position() throws {
    let store = try LibraryStore()
    try clone("Book", 1, CloneRequest(count: 2), in: store)
    try store.expect("SELECT ZSHELF, Z_FOK_SHELF FROM ZBOOK WHERE Z_PK > 9", ["1|4608", "1|5632"])
    try store.expect("SELECT Z_OPT, ZBOOKCOUNT FROM ZSHELF WHERE Z_PK = 1", ["5|5"])
    try clone("Tag", 1, CloneRequest(set: ["name": "green"]), in: store)
    try store.expect(
      "SELECT Z_1BOOKS, Z_FOK_8TAGS FROM Z_1TAGS WHERE Z_8TAGS = 3 ORDER BY 1",
      ["1|4096", "2|3072", "10|4096", "11|4096"])
  }

  @Test("a large value in a file gets a file of its own, which goes with a clone that is taken back")
  func externalFile() throws {
    let store = try LibraryStore()
    try store.addCoverFile()
    try clone("Book", 2, in: store)
    let new = store.files.subtracting([LibraryStore.coverName])
    #expect(new.count == 1 && store.files.count == 2)
    #expect(try store.content(new.first!) == Data("a large cover".utf8))
    let value = try store.rows(
      "SELECT hex(substr(ZCOVER, 1, 1)), substr(ZCOVER, 2, 36), length(ZCOVER) FROM ZBOOK WHERE Z_PK = 10")
    #expect(value == ["02|" + new.first!.utf8.map { String(format: "%02X", $0) }.joined() + "|38"])
    let graph = try store.graph()
    #expect(try graph.object("Book", key: 10).value("cover") == .binary(Data("a large cover".utf8)))
    #expect(try graph.object("Book", key: 1).value("cover") == .binary(Data([0xAA, 0xBB])))
    try Cloner().clone("Book", keys: [2], in: graph, request: CloneRequest(), saveBeforeReturn: false)
    #expect(store.files.count == 3)
    try graph.rollback()
    #expect(store.files.count == 2)
  }

  @Test("a large value whose file is missing is refused, and nothing is changed")
  func missingFile() throws {
    let store = try LibraryStore()
    let graph = try store.graph()
    let error = #expect(throws: CloneError.self) { try Cloner().clone(object: graph.object("Shelf", key: 1)) }
    #expect(error?.failures.first?.message.contains(LibraryStore.coverName) == true)
    #expect(try store.rows("SELECT count(*) FROM ZBOOK") == ["4"] && store.files.isEmpty)
    #expect(try store.rows("SELECT name FROM sqlite_temp_schema").isEmpty)
  }

  @Test("a trigger that calls a function which only Core Data has is refused by name")
  func unknownFunction() throws {
    let store = try LibraryStore()
    try store.execute(
      "CREATE TRIGGER canonical AFTER INSERT ON ZTAG BEGIN "
        + "UPDATE ZTAG SET ZNAME = NSCoreDataCanonical(NEW.ZNAME) WHERE Z_PK = NEW.Z_PK; END")
    let graph = try store.graph()
    let error = #expect(throws: CloneError.self) {
      try Cloner().clone("Tag", keys: [1], in: graph, request: CloneRequest(set: ["name": "x"]))
    }
    #expect(
      error?.failures.first?.message.contains("NSCoreDataCanonical") == true, "\(String(describing: error))")
    try clone("Book", 1, in: store)
  }

  @Test("a derived date is that of the change")
  func derivedNow() throws {
    let store = try LibraryStore()
    try store.execute(
      "CREATE TRIGGER now AFTER UPDATE OF Z_OPT ON ZSTAMP BEGIN "
        + "UPDATE ZSTAMP SET ZDAY = NSCoreDataNow() WHERE Z_PK = NEW.Z_PK; END")
    try clone("Stamp", 1, CloneRequest(exclude: ["shelf"]), in: store)
    let days = try store.rows("SELECT ZDAY > 760000000 FROM ZSTAMP ORDER BY Z_PK")
    #expect(days == ["0", "1"])
  }

  @Test("a clone in the caller's transaction is kept right, and a failed one leaves nothing")
  func callersTransaction() throws {
    let store = try LibraryStore()
    try store.addCoverFile()
    try DatabaseQueue(path: store.path).write { db in
      try SQLiteGraph.with(db, model: store.model, coreData: .allowed) { graph in
        try Cloner().clone("Shelf", keys: [1], in: graph)
        #expect(throws: CloneError.self) { try Cloner().clone("Person", keys: [1], in: graph) }
        try Cloner().clone("Shelf", keys: [1], in: graph)
      }
    }
    try store.checkSound()
    try store.expect("SELECT count(*), max(Z_PK), max(Z_OPT) FROM ZSHELF", ["4|4|4"])
  }
}
