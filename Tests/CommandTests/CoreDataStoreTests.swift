import Foundation
import GRDB
import MOCloneKit
import TestSupport
import Testing

@Suite("A store that Core Data made")
struct CoreDataStoreTests {
  private let folder: TemporaryFolder
  private var store: String { folder.file("app.sqlite").path }
  private var other: String { folder.file("other.sqlite").path }

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(
      """
      version: 1
      name: App
      store: {primaryKey: Z_PK}
      entities:
        Note:
          table: ZNOTE
          attributes:
            name: {type: String, column: ZNAME}
          uniquenessConstraints: [[name]]
      """.utf8, to: "model.yml")
    try folder.write("version: 1\nmodel: model.yml\nstore: app.sqlite\n".utf8, to: "moclone.yml")
    try folder.write("name\nnew\n".utf8, to: "notes.csv")
    try folder.write("entity: Note\nattributes: {name: '@name'}\n".utf8, to: "map.yml")
    let tables = "CREATE TABLE ZNOTE(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR)"
    try DatabaseQueue(path: other).write { db in
      try db.execute(sql: tables + "; INSERT INTO ZNOTE VALUES (1, 1, 1, 'elsewhere')")
    }
    try DatabaseQueue(path: store).write { db in
      try db.execute(
        sql: """
          \(tables);
          CREATE TABLE Z_PRIMARYKEY(Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
          INSERT INTO Z_PRIMARYKEY VALUES (1, 'Note', 0, 1);
          INSERT INTO ZNOTE VALUES (1, 1, 1, 'a');
          """)
    }
  }

  static let writing = [
    "note 1", "note 1 --count 2", "clone note 1 --into app.sqlite --store other.sqlite",
    "import notes.csv --mapping map.yml",
    "import notes.csv --mapping map.yml --dry-run", "copy --from other.sqlite --into app.sqlite",
    "copy --from other.sqlite --into app.sqlite --dry-run",
    "sync notes.csv --entity note --yes", "sync notes.csv --entity note --yes --dry-run", "dedupe",
    "dedupe --dry-run", "seed --from other.sqlite --into app.sqlite --yes", "store metadata set a b",
    "store metadata remove a",
  ]

  @Test("is written by no command, and the reason is said", arguments: writing)
  func refused(command: String) throws {
    let before = try Data(contentsOf: folder.file("app.sqlite"))
    let run = try run("moclone", command.split(separator: " ").map(String.init), in: folder.url)
    #expect(run.status == 1, "\(run.errors)")
    #expect(
      run.errors.contains("created by Core Data") && run.errors.contains("Z_MAX, Z_OPT and Z_ENT"),
      "\(run.errors)")
    #expect(run.errors.contains("[core-data-store]") && run.output.isEmpty, "\(run.errors)")
    #expect(try Data(contentsOf: folder.file("app.sqlite")) == before)
    #expect(!FileManager.default.fileExists(atPath: folder.file("new.sqlite").path))
  }

  private func writeCoreDataModel() throws {
    let model =
      "version: 1\nname: App\nstore: {naming: coreData}\nentities:\n  Note: {attributes: {name: String}, uniquenessConstraints: [[name]]}\n"
    try folder.write(model.utf8, to: "model.yml")
  }

  @Test("is the source of a clone into a new store of its layout, which needs no leave but comes with a word")
  func newStore() throws {
    try writeCoreDataModel()
    let new = folder.file("new.sqlite").path
    let dry = try moclone("note", "1", "--into", "new.sqlite", "--keep-keys", "--dry-run", in: folder.url)
    #expect(dry.status == 0 && dry.errors.isEmpty, "\(dry.errors)")
    #expect(!FileManager.default.fileExists(atPath: new))
    let run = try moclone("note", "1", "--into", "new.sqlite", "--keep-keys", in: folder.url)
    #expect(run.status == 0 && run.output == "1\n", "\(run.errors)")
    #expect(run.errors.contains("Apple does not support"), "\(run.errors)")
    let rows = try DatabaseQueue(path: new).read {
      try String.fetchAll($0, sql: "SELECT Z_PK || ' ' || Z_ENT || ' ' || Z_OPT || ' ' || ZNAME FROM ZNOTE")
    }
    #expect(rows == ["1 1 1 a"])
    #expect(
      try moclone("show", "note", "1", "--store", "new.sqlite", in: folder.url).output.contains("\"a\""))
    // What is there is written on request only, as any such store.
    let again = try moclone("note", "1", "--into", "new.sqlite", "--set", "name=b", in: folder.url)
    #expect(again.status == 1 && again.errors.contains("--write-core-data"), "\(again.errors)")
  }

  @Test("is no source of a new store where the model names its tables otherwise")
  func newStoreOfOtherNames() throws {
    let run = try moclone("note", "1", "--into", "new.sqlite", in: folder.url)
    #expect(run.status == 1 && run.errors.contains("naming: coreData"), "\(run.errors)")
    #expect(!FileManager.default.fileExists(atPath: folder.file("new.sqlite").path))
  }

  @Test(
    "is shipped and packed with the files of its large values",
    arguments: ["store init --from app.sqlite --store new.sqlite", "store pack new.sqlite"])
  func files(command: String) throws {
    try folder.write("large".utf8, to: ".app_SUPPORT/_EXTERNAL_DATA/A")
    try folder.write("kept".utf8, to: ".new_SUPPORT/_EXTERNAL_DATA/B")
    let run = try run("moclone", command.split(separator: " ").map(String.init), in: folder.url)
    #expect(run.status == 0, "\(run.errors)")
    for (name, content) in [("A", "large"), ("B", "kept")] {
      let file = folder.file(".new_SUPPORT/_EXTERNAL_DATA/\(name)")
      #expect(try Data(contentsOf: file) == Data(content.utf8))
    }
  }

  @Test(
    "is removed by a seed with the files of its large values that were copied", arguments: [false, true])
  func removedFiles(hasOther: Bool) throws {
    let model = """
      version: 1
      name: App
      store: {naming: coreData}
      entities:
        Note:
          attributes:
            name: String
            cover: {type: Binary, optional: true, x-coredata: {allowsExternalBinaryDataStorage: YES}}
          uniquenessConstraints: [[name]]
      """
    try folder.write(model.utf8, to: "model.yml")
    let (name, files) = ("0A4D3C3E-6E6A-4B52-8F2E-000000000001", FileManager.default)
    try DatabaseQueue(path: store).write {
      try $0.execute(sql: "ALTER TABLE ZNOTE ADD COLUMN ZCOVER BLOB")
    }
    try files.copyItem(at: folder.file("app.sqlite"), to: folder.file("new.sqlite"))
    try DatabaseQueue(path: store).write {
      try $0.execute(sql: "UPDATE ZNOTE SET ZCOVER = CAST(x'02' || '\(name)' || x'00' AS BLOB)")
    }
    try folder.write("large".utf8, to: ".app_SUPPORT/_EXTERNAL_DATA/\(name)")
    if hasOther { try folder.write("other".utf8, to: ".app_SUPPORT/_EXTERNAL_DATA/B") }
    let seed = "seed --from app.sqlite --into new.sqlite --yes --remove-source --write-core-data"
    let run = try run("moclone", seed.split(separator: " ").map(String.init), in: folder.url)
    #expect(run.status == 0, "\(run.errors)")
    #expect(!files.fileExists(atPath: store))
    func names(_ path: String) -> [String]? { try? files.contentsOfDirectory(atPath: folder.file(path).path) }
    #expect(names(".app_SUPPORT/_EXTERNAL_DATA") == (hasOther ? ["B"] : nil))
    #expect(names(".new_SUPPORT/_EXTERNAL_DATA")?.count == 1)
  }

  static let reading = [
    "show note 1", "note 1 --set name=b --dry-run", "plan note 1 --set name=b", "plan note --sql",
    "store info", "store metadata list",
    "validate --fail-on error --store app.sqlite", "copy --from app.sqlite --into other.sqlite",
    "store pack packed.sqlite",
  ]

  @Test("is read by every command that reads", arguments: reading)
  func read(command: String) throws {
    let before = try Data(contentsOf: folder.file("app.sqlite"))
    let run = try run("moclone", command.split(separator: " ").map(String.init), in: folder.url)
    #expect(run.status == 0, "\(run.errors)")
    #expect(try Data(contentsOf: folder.file("app.sqlite")) == before)
  }

  @Test("is not changed either by a refusal while something lies in its -wal")
  func wal() throws {
    try DatabaseQueue(path: store).writeWithoutTransaction { db in
      _ = try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL")
      try db.execute(sql: "UPDATE ZNOTE SET ZNAME = 'b'")
      for ending in ["", "-wal"] {
        try FileManager.default.copyItem(
          atPath: store + ending, toPath: folder.file("left.sqlite").path + ending)
      }
    }
    let before = try Data(contentsOf: folder.file("left.sqlite"))
    let run = try moclone("note", "1", "--store", "left.sqlite", in: folder.url)
    #expect(run.status == 1 && run.errors.contains("[core-data-store]"))
    #expect(try Data(contentsOf: folder.file("left.sqlite")) == before)
    #expect(
      try moclone("show", "note", "1", "--store", "left.sqlite", in: folder.url).output.contains("\"b\""))
  }

  @Test("is not written on request either where the model names its tables otherwise")
  func otherNaming() throws {
    let run = try moclone("note", "1", "--write-core-data", in: folder.url)
    #expect(run.status == 1 && run.errors.contains("naming: coreData"), "\(run.errors)")
  }

  static let asked = [
    "note 1 --set name=b --write-core-data", "import notes.csv --mapping map.yml --write-core-data",
    "sync notes.csv --entity note --yes --write-core-data",
    "copy --from other.sqlite --into app.sqlite --write-core-data",
  ]

  @Test("is written on request with what Core Data keeps, and a dry run leaves it alone", arguments: asked)
  func written(command: String) throws {
    try writeCoreDataModel()
    let arguments = command.split(separator: " ").map(String.init)
    let before = try Data(contentsOf: folder.file("app.sqlite"))
    let dry = try run("moclone", arguments + ["--dry-run"], in: folder.url)
    #expect(dry.status == 0, "\(dry.errors)")
    #expect(try Data(contentsOf: folder.file("app.sqlite")) == before)
    let done = try run("moclone", arguments, in: folder.url)
    #expect(done.status == 0, "\(done.errors)")
    let rows = try DatabaseQueue(path: store).read { db in
      try String.fetchAll(db, sql: "SELECT Z_PK || ' ' || Z_ENT || ' ' || Z_OPT FROM ZNOTE WHERE Z_PK > 1")
    }
    #expect(rows == ["2 1 1"])
    let greatest = try DatabaseQueue(path: store).read {
      try Int.fetchOne($0, sql: "SELECT Z_MAX FROM Z_PRIMARYKEY")
    }
    #expect(greatest == 2)
  }

  @Test("has metadata that is changed on request, so that a mark of --once can be taken back")
  func metadata() throws {
    let set = try moclone("store", "metadata", "set", "a", "b", "--write-core-data", in: folder.url)
    #expect(set.status == 0, "\(set.errors)")
    #expect(try moclone("store", "metadata", "get", "a", in: folder.url).output == "b\n")
    let remove = ["store", "metadata", "remove", "a"]
    #expect(try run("moclone", remove, in: folder.url).errors.contains("pass --write-core-data"))
    #expect(try run("moclone", remove + ["--write-core-data"], in: folder.url).status == 0)
    #expect(try moclone("store", "metadata", "list", in: folder.url).output.isEmpty)
  }

  @Test("is not created from a model: an empty one of the app is copied and filled")
  func creation() throws {
    let refused = try moclone("store", "init", "--core-data", "--store", "made.sqlite", in: folder.url)
    #expect(refused.status == 1 && refused.errors.contains("store init --from"), "\(refused.errors)")
    try writeCoreDataModel()
    #expect(try moclone("store", "init", "--store", "made.sqlite", in: folder.url).status == 1)
    #expect(
      try moclone("store", "init", "--from", "app.sqlite", "--store", "made.sqlite", in: folder.url).status
        == 0)
    let filled = try moclone(
      "import", "notes.csv", "--mapping", "map.yml", "--store", "made.sqlite", "--write-core-data",
      in: folder.url)
    #expect(filled.status == 0, "\(filled.errors)")
    #expect(
      try DatabaseQueue(path: folder.file("made.sqlite").path).read {
        try Int.fetchOne($0, sql: "SELECT count(*) FROM ZNOTE")
      } == 2)
  }

  @Test(
    "has triggers that keep derived attributes: none is called copied or set, and what lacks its trigger is named"
  )
  func derived() throws {
    try folder.write(
      """
      version: 1
      name: App
      store: {naming: coreData}
      entities:
        Note: {attributes: {name: String, lower: {type: String, optional: true, derived: true}}}
      """.utf8, to: "model.yml")
    try DatabaseQueue(path: store).write {
      try $0.execute(
        sql: """
          ALTER TABLE ZNOTE ADD ZLOWER VARCHAR;
          CREATE TRIGGER Z_DA AFTER INSERT ON ZNOTE BEGIN
            UPDATE ZNOTE SET ZLOWER = lower(NEW.ZNAME) WHERE Z_PK = NEW.Z_PK; END;
          """)
    }
    let set = try moclone("note", "1", "--set", "lower=x", "--write-core-data", in: folder.url)
    #expect(set.status != 0 && set.errors.contains("maintained by the store's triggers"), "\(set.errors)")
    let clone = try moclone("note", "1", "--set", "name=B", "--write-core-data", in: folder.url)
    #expect(clone.status == 0 && !clone.errors.contains("derived"), "\(clone.errors)")
    let lower = try DatabaseQueue(path: store).read {
      try String.fetchAll($0, sql: "SELECT ZLOWER FROM ZNOTE WHERE Z_PK > 1")
    }
    #expect(lower == ["b"])
    let validate = ["validate", "--store", "app.sqlite"]
    let found = try run("moclone", validate, in: folder.url).output
    #expect(!found.contains("[derived-column]") && !found.contains("[insert-trigger]"), "\(found)")
    try DatabaseQueue(path: store).write { try $0.execute(sql: "DROP TRIGGER Z_DA") }
    let lacking = try run("moclone", validate, in: folder.url).output
    #expect(
      lacking.contains("[derived-column]") && lacking.contains("let the app open the store"), "\(lacking)")
  }

  @Test("is opened by the library for reading only")
  func library() throws {
    let model = try ObjectModel(contentsOf: folder.file("model.yml"))
    let error = #expect(throws: CloneError.self) { try SQLiteGraph(path: store, model: model) }
    #expect(error?.code == .coreDataStore)
    let graph = try SQLiteGraph(path: store, model: model, isReadOnly: true)
    #expect(try graph.object("Note", key: 1).value("name") == "a")
    #expect(throws: CloneError.self) { try graph.checkWritable() }
    #expect(throws: CloneError.self) { try StoreFile(store).setMetadata("b", for: "a") }
  }
}
