import Foundation
import GRDB
import MOCloneKit
import TestSupport
import Testing

@Suite("Objects moved into a Core Data store")
struct CoreDataTransferTests {
  private func importing(
    _ text: String, _ mapping: String, into store: LibraryStore, _ options: ImportOptions = ImportOptions(),
    isDryRun: Bool = false
  ) throws {
    let file = try store.folder.write(text.utf8, to: "rows.csv")
    try store.write { graph in
      _ = try graph.importFile(
        file.path, mapping: ImportMapping(yaml: mapping), options: options,
        transferOptions: TransferOptions(isDryRun: isDryRun))
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
      _ = try graph.sync(
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
  func cloneSubtree() throws {
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
    try store.write { try $0.dedupe(DedupeRequest(), options: TransferOptions()) }
    try store.expect("SELECT count(*) FROM ZPERSON", ["1"])
    try store.expect("SELECT count(*), sum(Z_OPT > 1) FROM ZBOOK WHERE ZOWNER NOT NULL", ["2|1"])
  }
}

@Suite("Values in files beside a Core Data store")
struct CoreDataFileTests {
  private static let otherName = "0A4D3C3E-6E6A-4B52-8F2E-000000000002"
  private static let byTitle: IdentityRequest = ["Book": ["title"]]

  private static let identities: IdentityRequest = ["Book": ["title"], "Shelf": ["label"], "Stamp": ["day"]]

  private func source(_ store: LibraryStore) throws -> SQLiteGraph {
    try SQLiteGraph(path: store.path, model: store.model, isReadOnly: true)
  }

  private func expectCover(_ store: LibraryStore, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let row = try store.rows("SELECT Z_PK FROM ZBOOK WHERE ZTITLE = 'Two'").first
    let key = try #require(row.flatMap { Int($0) }, sourceLocation: sourceLocation)
    let value = try source(store).object("Book", key: ObjectKey(key)).value("cover")
    #expect(value == .binary(Data("a large cover".utf8)), sourceLocation: sourceLocation)
  }

  @Test("are copied where a seed fills a null")
  func seed() throws {
    let (store, other) = (try LibraryStore(), try LibraryStore())
    try other.addCoverFile()
    try store.execute("UPDATE ZBOOK SET ZCOVER = NULL WHERE Z_PK = 2")
    let source = try source(other)
    try store.write { graph in
      _ = try graph.seed(from: source, identifiedBy: Self.identities)
      let differences = try graph.differences(from: source, identifiedBy: Self.identities)
      #expect(differences.filter { $0.contains("cover") || $0.contains("_SUPPORT") } == [])
    }
    try expectCover(store)
    #expect(store.files.count == 1 && !store.files.contains(LibraryStore.coverName))
  }

  @Test(
    "keep a source that has a file which the target names and lacks, or which has other bytes there",
    arguments: ["a large cover", "of the target", nil])
  func otherBytes(text: String?) throws {
    let (store, other) = (try LibraryStore(), try LibraryStore())
    let isOther = text != "a large cover"
    if let text { try store.addCoverFile(holding: text) }
    try other.addCoverFile()
    let source = try source(other)
    try store.write { graph in
      _ = try graph.seed(from: source, identifiedBy: Self.identities)
      let differences = try graph.differences(from: source, identifiedBy: Self.identities)
      #expect(differences.contains { $0.contains("the file '\(LibraryStore.coverName)'") } == isOther)
      #expect(differences.contains { $0.hasSuffix(": cover") } == isOther)
    }
  }

  @Test(
    "are named as what no copy takes along where the model has no value in files", arguments: [true, false])
  func unnamed(isNamed: Bool) throws {
    let other = try LibraryStore()
    try other.addCoverFile()
    let named = ", x-coredata: {allowsExternalBinaryDataStorage: YES}"
    let model = try ObjectModel(yaml: LibraryStore.model.replacing(named, with: isNamed ? named : ""))
    let source = try SQLiteGraph(path: other.path, model: model, isReadOnly: true)
    let contents = try source.unnamedContents(of: source)
    #expect(contents.filter { $0.contains("_SUPPORT") }.count == (isNamed ? 0 : 1))
  }

  @Test(
    "stay where they are when an object is merged into one that takes the value, which names a missing one then",
    arguments: [true, false])
  func merge(exists: Bool) throws {
    let store = try LibraryStore.twice(scale: "1", cover: "NULL")
    if exists { try store.addCoverFile() }
    try store.execute("UPDATE ZBOOK SET ZSCALE = NULL WHERE Z_PK = 2")
    try store.write { graph in
      _ = try graph.dedupe(DedupeRequest(identifiedBy: Self.byTitle), options: TransferOptions())
    }
    if exists { try expectCover(store) }
    try store.expect(
      "SELECT CAST(substr(ZCOVER, 2, 36) AS TEXT) FROM ZBOOK WHERE ZTITLE = 'Two'", [LibraryStore.coverName])
    #expect(store.files == (exists ? [LibraryStore.coverName] : []))
  }

  @Test("stay the target's where a seed merges its objects, also where the source has a file of that name")
  func mergeOfSeed() throws {
    let (store, other) = (try LibraryStore.twice(scale: "1", cover: "NULL"), try LibraryStore())
    try store.addCoverFile()
    try other.addCoverFile(holding: "of the source")
    try store.execute("UPDATE ZBOOK SET ZSCALE = NULL WHERE Z_PK = 2")
    try other.execute("DELETE FROM Z_1TAGS WHERE Z_1BOOKS = 2; DELETE FROM ZBOOK WHERE Z_PK = 2")
    let source = try source(other)
    try store.write { graph in
      _ = try graph.seed(from: source, identifiedBy: Self.identities)
    }
    try expectCover(store)
    #expect(store.files == [LibraryStore.coverName])
  }

  @Test("are given a file of their own where another object of the store names the source's, too")
  func sharedName() throws {
    let (store, other) = (try LibraryStore(), try LibraryStore())
    try store.addCoverFile()
    try other.addCoverFile()
    try store.execute("UPDATE ZBOOK SET ZCOVER = NULL WHERE Z_PK = 1")
    try other.execute(
      "UPDATE ZBOOK SET ZCOVER = (SELECT ZCOVER FROM ZBOOK WHERE Z_PK = 2) WHERE Z_PK = 1;"
        + "UPDATE ZBOOK SET ZCOVER = NULL WHERE Z_PK = 2")
    let source = try source(other)
    try store.write { graph in
      _ = try graph.seed(from: source, identifiedBy: Self.identities)
    }
    #expect(store.files.count == 2)
    try store.expect("SELECT count(DISTINCT ZCOVER) FROM ZBOOK WHERE Z_PK < 3", ["2"])
  }

  private func clone(from source: SQLiteGraph, into graph: SQLiteGraph) throws -> SubtreeResult {
    let root = try source.object("Shelf", key: 1).id
    return try graph.clone(ClonePlan(model: graph.model, entity: "Shelf"), roots: [root], from: source)
  }

  @Test("are read from the source's folder, also where the target has a file of that name")
  func sourceFirst() throws {
    let (store, other) = (try LibraryStore(), try LibraryStore())
    try store.addCoverFile(holding: "of the target")
    try other.addCoverFile()
    let source = try source(other)
    try store.write { graph in
      _ = try clone(from: source, into: graph)
      _ = try graph.copy(from: source, CopyRequest())
    }
    let new = store.files.subtracting([LibraryStore.coverName])
    #expect(try new.map(store.content) == [Data("a large cover".utf8), Data("a large cover".utf8)])
  }

  @Test("are missed in the source's folder", arguments: [false, true])
  func missingInSource(isSubtree: Bool) throws {
    let (store, other) = (try LibraryStore(), try LibraryStore())
    let (source, graph) = (try source(other), try store.graph())
    let error = #expect(throws: CloneError.self) {
      if isSubtree {
        _ = try clone(from: source, into: graph)
      } else {
        _ = try graph.copy(from: source, CopyRequest())
      }
    }
    let folder = other.folder.url.lastPathComponent
    let message = error?.failures[0].message ?? ""
    #expect(
      message.contains("\(folder)/.library_SUPPORT/_EXTERNAL_DATA/\(LibraryStore.coverName)"), "\(message)")
  }

  @Test("leave no folder behind where another one is missing in the source's")
  func takenBack() throws {
    let store = try LibraryStore()
    let other = try LibraryStore.twice(
      scale: "50", cover: "CAST(x'02' || '\(Self.otherName)' || x'00' AS BLOB)")
    try other.addCoverFile()
    let (source, graph) = (try source(other), try store.graph())
    #expect(throws: CloneError.self) { _ = try graph.copy(from: source, CopyRequest()) }
    #expect(!FileManager.default.fileExists(atPath: store.folder.file(".library_SUPPORT").path))
  }

  @Test("are compared with the rows of an import by their bytes", arguments: [false, true])
  func comparison(isChanged: Bool) throws {
    let store = try LibraryStore()
    try store.addCoverFile()
    let bytes = Data((isChanged ? "another cover" : "a large cover").utf8).base64EncodedString()
    let file = try store.folder.write("title,cover\nTwo,\(bytes)\n".utf8, to: "rows.csv")
    let mapping = try ImportMapping(yaml: "entity: Atlas\nattributes: {title: '@title', cover: '@cover'}")
    try store.write { graph in
      _ = try graph.importFile(
        file.path, mapping: mapping,
        options: ImportOptions(existing: .update, identifiedBy: ["Atlas": ["title"]]),
        transferOptions: TransferOptions())
    }
    try store.expect(
      "SELECT Z_OPT, hex(substr(ZCOVER, 1, 1)) FROM ZBOOK WHERE Z_PK = 2", [isChanged ? "3|01" : "2|02"])
  }

  @Test("decide between duplicates by their bytes", arguments: [("x", "y", 2), ("y", "x", 4)])
  func tie(second: String, fourth: String, staying: Int) throws {
    let store = try LibraryStore.twice(
      scale: "50", cover: "CAST(x'02' || '\(Self.otherName)' || x'00' AS BLOB)")
    try store.addCoverFile(holding: second)
    try store.addCoverFile(Self.otherName, holding: fourth)
    let report = try store.write {
      try $0.dedupe(DedupeRequest(identifiedBy: Self.byTitle), options: TransferOptions())
    }
    try store.expect("SELECT Z_PK FROM ZBOOK WHERE ZTITLE = 'Two'", ["\(staying)"])
    #expect(report.skipped?.compactMap { $0.givenUp?["cover"] }.count == 1)
  }

  @Test("that are equal are not given up")
  func equalBytes() throws {
    let store = try LibraryStore.twice(
      scale: "50", cover: "CAST(x'02' || '\(Self.otherName)' || x'00' AS BLOB)")
    try store.addCoverFile()
    try store.addCoverFile(Self.otherName)
    let report = try store.write {
      try $0.dedupe(DedupeRequest(identifiedBy: Self.byTitle), options: TransferOptions())
    }
    try store.expect("SELECT count(*) FROM ZBOOK WHERE ZTITLE = 'Two'", ["1"])
    #expect((report.skipped ?? []).compactMap { $0.givenUp?["cover"] } == [])
  }
}
