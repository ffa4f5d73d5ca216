import Foundation
import GRDB
import MOCloneKit
import TestSupport
import Testing

@Suite("A subtree cut out of a Core Data store into a new file")
struct CoreDataSubtreeTests {
  private let store: LibraryStore
  private var path: String { store.folder.file("new.sqlite").path }
  private var support: URL { store.folder.file(".new_SUPPORT") }

  init() throws {
    store = try LibraryStore()
    try store.addCoverFile()
    try store.execute(
      "INSERT INTO Z_METADATA VALUES (1, 'the-uuid', x'0102'); INSERT INTO Z_MODELCACHE VALUES (x'0304')")
  }

  @discardableResult
  private func cloneSubtree(
    _ entity: String = "Shelf", keepsKeys: Bool = true, isDryRun: Bool = false,
    then fail: (any Error)? = nil
  ) throws -> SubtreeResult {
    let source = try SQLiteGraph(path: store.path, model: store.model, isReadOnly: true)
    let root = try source.object(entity, key: 1).id
    return try source.makeStore(at: path, isDryRun: isDryRun) { target in
      let result = try target.clone(
        source.plan(entity, CloneRequest()), roots: [root], from: source,
        SubtreeRequest(missing: .create, keepsKeys: keepsKeys), options: TransferOptions(isDryRun: isDryRun))
      if let fail { throw fail }
      return result
    }
  }

  private func rows(_ sql: String) throws -> [String] {
    try DatabaseQueue(path: path).read { try $0.texts(sql) }
  }

  private func expectNoFile() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: store.folder.path)
    #expect(names.filter { $0.contains("new") } == [])
  }

  @Test("has the objects with their keys, and all that Core Data knows of the store")
  func keptKeys() throws {
    let before = try Data(contentsOf: URL(fileURLWithPath: store.path))
    let result = try cloneSubtree()
    #expect(result.roots.map(\.key) == [1])
    try store.checkSound(in: "new.sqlite")
    #expect(try rows("SELECT Z_PK, Z_ENT, Z_OPT, ZSTAMP, ZBOOKCOUNT, ZLABEL FROM ZSHELF") == ["1|6|1|1|3|a"])
    #expect(
      try rows("SELECT Z_PK, Z_ENT, Z_OPT, ZOWNER, Z4_OWNER, ZSHELF, Z_FOK_SHELF, ZTITLE, ZLOWER FROM ZBOOK")
        == ["1|1|1|1|4|1|3072|One|one", "2|2|1|2|5|1|2048|Two|two", "3|3|1|-|-|1|3584|Three|three"])
    #expect(try rows("SELECT Z_PK, Z_ENT, Z_OPT, ZNAME FROM ZPERSON") == ["1|4|1|Ann", "2|5|1|Ben"])
    #expect(try rows("SELECT * FROM Z_1TAGS") == store.rows("SELECT * FROM Z_1TAGS"))
    for table in ["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE", "sqlite_schema"] {
      let columns = table == "sqlite_schema" ? "sql" : "*"
      let sql = "SELECT \(columns) FROM \(table) ORDER BY 1"
      #expect(try rows(sql) == store.rows(sql), "\(table)")
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: store.path)) == before)
  }

  @Test("counts new keys on from those that the store has used")
  func newKeys() throws {
    let result = try cloneSubtree(keepsKeys: false)
    #expect(result.roots.map(\.key) == [3])
    try store.checkSound(in: "new.sqlite")
    #expect(
      try rows("SELECT Z_PK, ZSHELF, Z_FOK_SHELF FROM ZBOOK ORDER BY 3") == [
        "11|3|2048", "10|3|3072", "12|3|3584",
      ])
    #expect(try rows("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT IN (1, 6)") == ["12", "3"])
  }

  @Test("takes the files of its large values along, beside the new file", arguments: [true, false])
  func files(keepsKeys: Bool) throws {
    try cloneSubtree(keepsKeys: keepsKeys)
    let folder = support.appending(path: "_EXTERNAL_DATA")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(names.count == 1)
    let file = try #require(names.first)
    #expect(try Data(contentsOf: folder.appending(path: file)) == Data("a large cover".utf8))
    #expect(
      try rows("SELECT count(*) FROM ZBOOK WHERE CAST(substr(ZCOVER, 2, 36) AS TEXT) = '\(file)'") == ["1"])
    #expect(store.files == [LibraryStore.coverName])
    let all = try FileManager.default.contentsOfDirectory(atPath: store.folder.path)
    #expect(all.filter { $0.contains("tmp") || $0.contains(".new.") } == [])
  }

  @Test("holds no byte of what stayed behind, and gives pages back as Core Data's file does")
  func leftovers() throws {
    try DatabaseQueue(path: store.path).writeWithoutTransaction {
      try $0.execute(sql: "PRAGMA auto_vacuum = 2; VACUUM")
    }
    try cloneSubtree()
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)).range(of: Data("Four".utf8)) == nil)
    #expect(try rows("PRAGMA auto_vacuum") == ["2"])
    #expect(try rows("PRAGMA integrity_check") == ["ok"])
  }

  private struct Failure: Error {}

  @Test("leaves nothing behind where it fails, and where it is only tried")
  func failure() throws {
    #expect(throws: Failure.self) { try cloneSubtree(then: Failure()) }
    try expectNoFile()
    #expect(try cloneSubtree(isDryRun: true).report.created?["Book"] == 1)
    try expectNoFile()
    try FileManager.default.removeItem(at: store.folder.file(".library_SUPPORT"))
    let error = #expect(throws: CloneError.self) { try cloneSubtree() }
    #expect(error?.failures[0].message.contains(LibraryStore.coverName) == true)
    try expectNoFile()
  }

  @Test("leaves files alone that lie there, and a store that another process made meanwhile")
  func race() throws {
    try store.folder.write("kept".utf8, to: ".new_SUPPORT/_EXTERNAL_DATA/B")
    let error = #expect(throws: CloneError.self) {
      let source = try SQLiteGraph(path: store.path, model: store.model, isReadOnly: true)
      try source.makeStore(at: path) { target in
        _ = try target.clone(
          source.plan("Shelf", CloneRequest()), roots: [source.object("Shelf", key: 1).id], from: source,
          SubtreeRequest(missing: .create, keepsKeys: true))
        try store.folder.write(Data(contentsOf: URL(fileURLWithPath: store.path)), to: "new.sqlite")
      }
    }
    #expect(error?.code == .storeExists)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: support.appending(path: "_EXTERNAL_DATA").path)
        == ["B"])
  }

  @Test(
    "is refused where it would be missing in the history or in the cloud, and where the model says nothing of Core Data",
    arguments: ["ACHANGE", "ANSCKRECORDMETADATA", nil])
  func refused(table: String?) throws {
    var model = store.model
    if let table {
      try store.execute("CREATE TABLE \(table)(Z_PK INTEGER PRIMARY KEY)")
    } else {
      model = try ObjectModel(
        yaml: "version: 1\nname: L\nstore: {primaryKey: Z_PK}\nentities: {Tag: {table: ZTAG}}")
    }
    let source = try SQLiteGraph(path: store.path, model: model, isReadOnly: true)
    let error = #expect(throws: CloneError.self) { try source.makeStore(at: path) { _ in } }
    #expect(error?.code == .coreDataStore)
    #expect(
      error?.failures[0].message.contains(table.map { String($0.prefix(5)) } ?? "naming: coreData") == true)
    try expectNoFile()
  }

  @Test("of the same tables that Core Data did not make takes the files along, too")
  func tablesAlone() throws {
    let triggers = try store.rows("SELECT 'DROP TRIGGER ' || name FROM sqlite_schema WHERE type = 'trigger'")
    try store.execute((triggers + ["DROP TABLE Z_PRIMARYKEY"]).joined(separator: ";"))
    try cloneSubtree()
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: support.appending(path: "_EXTERNAL_DATA").path)
        == [LibraryStore.coverName])
    #expect(try rows("SELECT count(*) FROM ZBOOK") == ["3"])
  }
}
