import Foundation
import GRDB
import MOCloneKit
import TestSupport
import Testing

@Suite("Objects moved into a Core Data store")
struct CoreDataMoveTests {
  private func importing(
    _ text: String, _ mapping: String, into store: LibraryStore, _ options: ImportOptions = ImportOptions(),
    isDryRun: Bool = false
  ) throws {
    let file = try store.folder.write(text.utf8, to: "rows.csv")
    try store.write { graph in
      _ = try graph.importFile(
        file.path, mapping: ImportMapping(yaml: mapping), options: options, run: MoveRun(isDryRun: isDryRun))
    }
  }

  private static let books = """
    entity: Atlas
    attributes: {title: '@title', scale: '@scale'}
    relationships:
      shelf: {attributes: {label: '@shelf'}}
      owner: {entity: Reader, attributes: {name: '@owner'}}
    """
  private static let identities = ImportOptions(
    existing: .update, identifiedBy: ["Shelf": ["label"], "Atlas": ["title"]])

  @Test("an import makes objects with all that Core Data keeps, and raises those that it changes")
  func imports() throws {
    let store = try LibraryStore()
    let text = "title,scale,shelf,owner\nTwo,51,a,Ben\nFive,7,a,Cid\nSix,8,c,Ben\nSeven,9,,\n"
    try importing(text, Self.books, into: store, Self.identities)
    try store.expect(
      "SELECT Z_PK, Z_ENT, Z_OPT, ZOWNER, Z4_OWNER, ZSHELF, Z_FOK_SHELF, ZSCALE FROM ZBOOK WHERE Z_ENT = 2",
      ["2|2|3|2|5|1|2048|51", "10|2|1|3|5|1|5632|7", "11|2|1|2|5|3|2048|8", "12|2|1|-|-|-|-|9"])
    try store.expect("SELECT * FROM ZPERSON", ["1|4|1|Ann", "2|5|4|Ben", "3|5|1|Cid"])
    try store.expect("SELECT Z_PK, Z_ENT, Z_OPT, ZLABEL FROM ZSHELF WHERE Z_PK = 3", ["3|6|1|c"])
  }

  @Test("the same import changes nothing the second time, nor does its dry run")
  func importsAgain() throws {
    let store = try LibraryStore()
    let text = "title,scale,shelf,owner\nTwo,51,a,Ben\nFive,7,a,Cid\n"
    let before = try store.rows("SELECT * FROM ZBOOK")
    try importing(text, Self.books, into: store, Self.identities, isDryRun: true)
    #expect(try store.rows("SELECT * FROM ZBOOK") == before)
    try importing(text, Self.books, into: store, Self.identities)
    let after = try store.rows("SELECT * FROM ZBOOK")
    try importing(text, Self.books, into: store, Self.identities)
    #expect(try store.rows("SELECT * FROM ZBOOK") == after)
  }

  @Test("an import into a store that was emptied begins behind the keys that were used")
  func importsIntoEmptied() throws {
    let store = try LibraryStore()
    try store.execute("DELETE FROM ZTAG; UPDATE Z_PRIMARYKEY SET Z_MAX = 40 WHERE Z_ENT = 8")
    try importing("name\nx\ny\n", "entity: Tag\nattributes: {name: '@name'}", into: store)
    try store.expect("SELECT Z_PK, Z_ENT, Z_OPT FROM ZTAG", ["41|8|1", "42|8|1"])
  }

  @Test("a sync makes, changes and deletes objects, each with its version")
  func sync() throws {
    let store = try LibraryStore()
    try store.write { graph in
      _ = try graph.update(
        entity: "Person", from: ["Ann": [:], "Dee": [:]], isConfirmed: true)
    }
    try store.expect("SELECT * FROM ZPERSON", ["1|4|1|Ann", "3|4|1|Dee"])
    try store.expect("SELECT Z_OPT, ZOWNER, Z4_OWNER FROM ZBOOK WHERE Z_PK < 3", ["1|1|4", "3|-|-"])
  }

  @Test("a copy of another store's objects brings their lists, their sub-entities and their files along")
  func copy() throws {
    let rows = ["One", "Two", "Three", "Four"].reduce(LibraryStore.rows) {
      $0.replacing("'\($1)', '\($1.lowercased())'", with: "'New \($1)', 'new \($1.lowercased())'")
    }
    let (store, other) = (try LibraryStore(), try LibraryStore(rows: rows))
    try other.addCoverFile()
    let source = try SQLiteGraph(path: other.path, model: other.model, isReadOnly: true)
    try store.write { graph in
      _ = try graph.copy(from: source, CopyRequest(identifiedBy: ["Book": ["title"]]))
    }
    try store.expect(
      "SELECT Z_PK, Z_ENT, Z_OPT, ZSTAMP FROM ZSHELF",
      [
        "1|6|4|1", "2|6|1|-", "3|6|1|2", "4|6|1|-",
      ])
    try store.expect(
      "SELECT Z_PK, Z_ENT, Z_OPT, Z4_OWNER, ZSHELF, Z_FOK_SHELF FROM ZBOOK WHERE Z_PK > 4",
      ["10|1|1|4|3|3072", "11|2|1|5|3|2048", "12|3|1|-|3|3584", "13|1|1|-|-|-"])
    try store.expect("SELECT Z_1BOOKS, Z_8TAGS FROM Z_1TAGS WHERE Z_1BOOKS > 4", ["10|1", "10|2", "11|1"])
    #expect(store.files.count == 1 && !store.files.contains(LibraryStore.coverName))
  }

  @Test("a subtree cloned out of another store is kept right, too")
  func cut() throws {
    let (store, other) = (try LibraryStore(), try LibraryStore())
    try other.addCoverFile()
    let source = try SQLiteGraph(path: other.path, model: other.model, isReadOnly: true)
    try store.write { graph in
      let plan = try ClonePlan(
        model: store.model, entity: "Shelf", request: CloneRequest(set: ["label": "cut"]))
      let result = try graph.clone(plan, roots: [source.object("Shelf", key: 1).id], from: source)
      #expect(result.roots.map(\.key) == [3])
    }
    try store.expect("SELECT Z_OPT, ZSTAMP, ZBOOKCOUNT, ZLABEL FROM ZSHELF WHERE Z_PK = 3", ["1|2|3|cut"])
  }

  @Test("duplicates are merged, and the survivor counts on")
  func dedupe() throws {
    let store = try LibraryStore()
    try store.execute(
      "UPDATE ZPERSON SET ZNAME = 'Ann', Z_ENT = 4; UPDATE ZBOOK SET Z4_OWNER = 4 WHERE ZOWNER = 2")
    try store.write { try $0.dedupe(DedupeRequest(), run: MoveRun()) }
    try store.expect("SELECT count(*) FROM ZPERSON", ["1"])
    try store.expect("SELECT count(*), sum(Z_OPT > 1) FROM ZBOOK WHERE ZOWNER NOT NULL", ["2|1"])
  }
}
