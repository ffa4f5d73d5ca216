import Foundation
import GRDB
import TestSupport
import Testing

@Suite("Calls by mistake, and what is said of them")
struct MistakenCallTests {
  @Test("A database that is named as a model is not to be saved as UTF-8", arguments: ["validate", "diff"])
  func databases(command: String) throws {
    let space = try Workspace()
    let files = Array(repeating: "notes.sqlite", count: command == "diff" ? 2 : 1)
    let run = try run("moclone", [command] + files, in: space.folder)
    #expect(run.status != 0)
    let text = run.output + run.errors
    #expect(text.contains("'notes.sqlite' is a SQLite database, not a model"), "\(run.errors)")
    #expect(text.contains("`moclone model import notes.sqlite`") && !text.contains("UTF-8"))
  }

  @Test("A mistyped subcommand has its nearest name; other faults of a call have no hint about entities")
  func hints() throws {
    let space = try Workspace()
    let mistyped = try moclone("model", "shw", in: space.folder)
    #expect(mistyped.status == 64)
    #expect(mistyped.errors.contains("'model' has no subcommand 'shw'; did you mean 'show'?"))
    let deeper = try moclone("store", "metadata", "lst", in: space.folder)
    #expect(
      deeper.errors.contains("'metadata' has no subcommand 'lst'; did you mean 'list'?"), "\(deeper.errors)")
    let incomplete = try moclone("sync", "items.csv", "--by", "name", in: space.folder)
    #expect(incomplete.status == 64 && !incomplete.errors.contains("clone an entity"))
    let help = try moclone("help", "dedup", in: space.folder)
    #expect(help.status == 64 && help.output.isEmpty)
    #expect(help.errors.contains("There is no command 'dedup'; did you mean 'dedupe'?"), "\(help.errors)")
    #expect(try moclone("help", "store", "metadata", "set", in: space.folder).status == 0)
    #expect(try moclone("store", "1", in: space.folder).errors.contains("use `moclone clone store KEY`"))
  }

  @Test("What is neither a key nor a value of an attribute is shown as it was typed")
  func neither() throws {
    let space = try Workspace()
    let run = try moclone("show", "note", "foo=Tx1", in: space.folder)
    #expect(run.status == 64)
    #expect(
      run.errors.hasPrefix("moclone: 'foo=Tx1' is not a key of Note, and Note has no attribute 'foo'"),
      "\(run.errors)")
    let model =
      "version: 1\nname: P\nentities:\n  Doc:\n    primaryKey: {column: code, generate: none}\n"
      + "    attributes: {code: String}\n"
    try model.write(to: space.folder.appendingPathComponent("doc.yml"), atomically: true, encoding: .utf8)
    let queue = try DatabaseQueue(path: space.folder.appendingPathComponent("doc.sqlite").path)
    try queue.write { try $0.execute(sql: "CREATE TABLE doc(code TEXT PRIMARY KEY NOT NULL)") }
    let missing = try moclone(
      "show", "doc", "name=Tx1", "--model", "doc.yml", "--store", "doc.sqlite", in: space.folder)
    #expect(missing.status == 66)
    #expect(missing.errors.contains("'name=Tx1' is not a key of Doc, and Doc has no"), "\(missing.errors)")
  }

  @Test("A store is advised to be created where it is to be written, and not where it is to be read")
  func creating() throws {
    let space = try Workspace()
    let source = try moclone("copy", "--from", "none.sqlite", "--into", "notes.sqlite", in: space.folder)
    #expect(source.status == 66 && source.errors.contains("'none.sqlite' does not exist"), "\(source.errors)")
    #expect(!source.errors.contains("store init"), "\(source.errors)")
    let target = try moclone("copy", "--from", "notes.sqlite", "--into", "none.sqlite", in: space.folder)
    #expect(target.status == 66 && target.errors.contains("`moclone store init`"), "\(target.errors)")
  }

  @Test("No store is made for no keys")
  func noKeys() throws {
    let space = try Workspace()
    let made = space.folder.appendingPathComponent("new.sqlite").path
    let run = try moclone("clone", "note", "-", "--into", "new.sqlite", "--keep-keys", in: space.folder)
    #expect(run.status == 0 && run.output.isEmpty, "\(run)")
    #expect(!FileManager.default.fileExists(atPath: made))
    let some = try moclone(
      "clone", "note", "-", "--into", "new.sqlite", "--keep-keys", input: "42\n", in: space.folder)
    #expect(some.status == 0 && FileManager.default.fileExists(atPath: made), "\(some)")
  }

  @Test("validate ends as other commands do where the store is missing or locked")
  func stores() throws {
    let space = try Workspace()
    let missing = try moclone("validate", "--store", "none.sqlite", in: space.folder)
    #expect(missing.status == 66 && !missing.errors.contains("names a database that can be read"))
    let queue = try DatabaseQueue(path: space.store)
    try queue.inDatabase { db in
      try db.execute(sql: "BEGIN EXCLUSIVE")
      let locked = try moclone("validate", "--store", "notes.sqlite", "--timeout", "0", in: space.folder)
      #expect(locked.status == 75, "\(locked.errors)")
      try db.execute(sql: "ROLLBACK")
    }
  }

  @Test("What is not JSON is not called a number")
  func brokenJSON() throws {
    let space = try Workspace()
    try "hello world\n".write(
      to: space.folder.appendingPathComponent("x.ndjson"), atomically: true, encoding: .utf8)
    try "entity: Item\nattributes: {name: '@name'}\n"
      .write(to: space.folder.appendingPathComponent("map.yml"), atomically: true, encoding: .utf8)
    let run = try moclone("import", "x.ndjson", "--mapping", "map.yml", in: space.folder)
    #expect(run.status == 1)
    #expect(run.errors.contains("x.ndjson:1:1: expected a value") && !run.errors.contains("found a number"))
  }

  @Test(
    "Numbers below zero are values of their options",
    arguments: [
      "note 42 --count -1", "note 42 --timeout -1", "show note 42 --depth -1",
      "sync x.csv --entity note --max-delete -1", "copy --from a --into b --limit -1",
      "validate --simulate --graphs -1",
    ])
  func negativeNumbers(call: String) throws {
    let space = try Workspace()
    let run = try run("moclone", call.split(separator: " ").map(String.init), in: space.folder)
    #expect(run.status == 64)
    #expect(run.errors.contains("-1") && !run.errors.contains("Missing value"), "\(run.errors)")
  }

  @Test("A negative key is told from an option where it is named by --key")
  func negativeKeys() throws {
    let space = try Workspace()
    let run = try moclone("note", "-1", in: space.folder)
    #expect(run.status == 64)
    #expect(run.errors.contains("To name the key -1, write `moclone note --key -1`."), "\(run.errors)")
    #expect(try moclone("note", "--key", "-1", in: space.folder).status == 66)
  }

  @Test(
    "The format of a file that is named by --format is advised as --file-format",
    arguments: [
      "import - --mapping map.yml --format csv", "import x.csv --mapping map.yml --format=csv",
      "sync - --entity note --format csv",
    ])
  func fileFormat(call: String) throws {
    let space = try Workspace()
    let run = try run("moclone", call.split(separator: " ").map(String.init), in: space.folder)
    #expect(run.status == 64)
    #expect(run.errors.contains("did you mean --file-format csv?"), "\(run.errors)")
  }

  @Test(
    "Options without effect are refused",
    arguments: [
      "model import notes.sqlite --version 2", "model import notes.sqlite --model-file X.xcdatamodel",
      "model schema --settings --import",
    ])
  func optionsWithoutEffect(call: String) throws {
    let space = try Workspace()
    let run = try run("moclone", call.split(separator: " ").map(String.init), in: space.folder)
    #expect(run.status == 64 && run.output.isEmpty, "\(run.errors)")
  }

  @Test("A result in a folder that does not exist is refused by name")
  func missingFolders() throws {
    let space = try Workspace()
    let run = try moclone("model", "import", "notes.sqlite", "-o", "none/notes.yml", in: space.folder)
    #expect(run.status == 2)
    #expect(
      run.errors.contains("'none/notes.yml' cannot be written: its folder does not exist"), "\(run.errors)")
  }

  @Test(
    "Names of files that SQLite would take for something else", arguments: ["file:notes.sqlite", ":memory:"])
  func namesOfStores(name: String) throws {
    let space = try Workspace()
    try FileManager.default.moveItem(
      at: URL(fileURLWithPath: space.store), to: space.folder.appendingPathComponent(name))
    #expect(try moclone("note", "42", "--store", name, in: space.folder).output == "43\n")
    let files = try FileManager.default.contentsOfDirectory(atPath: space.folder.path).sorted()
    #expect(files == [name, "moclone.yml"].sorted())
  }

  @Test(
    "A subtree says which references led to missing rows; other tables come along without generated columns")
  func danglingReferences() throws {
    let space = try Workspace()
    let queue = try DatabaseQueue(path: space.store)
    try queue.inDatabase { db in
      try db.execute(
        sql: """
          PRAGMA foreign_keys = OFF;
          INSERT INTO memo_tag(memo_id, tag_id) VALUES (2, 77);
          CREATE TABLE log(a INTEGER, b INTEGER GENERATED ALWAYS AS (a + 1) VIRTUAL);
          INSERT INTO log(a) VALUES (1);
          """)
    }
    let run = try moclone(
      "clone", "note", "42", "--into", "new.sqlite", "--keep-keys", "--with-table", "log", in: space.folder)
    #expect(run.status == 0, "\(run.errors)")
    #expect(
      run.errors.contains("References to missing rows were left out: 1 of 'Memo.tags'."), "\(run.errors)")
    let copy = try DatabaseQueue(path: space.folder.appendingPathComponent("new.sqlite").path)
    #expect(try copy.read { try Int.fetchOne($0, sql: "SELECT b FROM log") } == 2)
  }
}
