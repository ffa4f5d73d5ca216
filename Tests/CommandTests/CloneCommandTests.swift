import Foundation
import GRDB
import TestSupport
import Testing

struct CloneCommandTests {
  @Test func printsTheNewKeyAndNothingElse() throws {
    let space = try Workspace()
    let run = try moclone("note", "42", "--exclude", "memos", in: space.folder)
    #expect(run.status == 0)
    #expect(run.output == "43\n")
    #expect(run.errors == "")
    #expect(try space.number("SELECT count(*) FROM item WHERE note_id = 43") == 2)
    #expect(try space.number("SELECT count(*) FROM memo") == 1)
  }

  @Test func sourceOfTheSlogan() throws {
    let space = try Workspace()
    let run = try moclone("note", "42", "--exclude", "note", in: space.folder)
    #expect(run.status == 0)
    #expect(run.output == "43\n" && run.errors == "")
    #expect(try space.number("SELECT count(*) FROM item WHERE note_id = 43") == 2)
    #expect(try space.number("SELECT count(*) FROM item WHERE note_id = 42") == 2)
  }

  @Test("An exclusion that leaves nothing out is said by --verbose and by plan")
  func exclusionWithoutEffect() throws {
    let space = try Workspace()
    let words = "'--exclude note' has no effect: the clone would be the same without it.\n"
    for arguments in [
      ["note", "42", "--exclude", "note", "--verbose", "--dry-run"],
      ["note", "42", "-v", "--exclude", "note"],
      ["plan", "note", "--exclude", "note"],
    ] {
      let run = try run("moclone", arguments, in: space.folder)
      #expect(run.status == 0 && run.errors.contains(words), "\(arguments): \(run.errors)")
    }
    #expect(
      !(try moclone("note", "42", "-v", "--exclude", "memos", in: space.folder).errors.contains("no effect")))
  }

  @Test func anItemWithoutItsNoteKeepsTheUUIDAndBlanksTheName() throws {
    let space = try Workspace()
    let run = try moclone("item", "7", "--exclude", "note", in: space.folder)
    #expect(run.output == "8\n")
    #expect(
      try space.number(
        "SELECT count(*) FROM item WHERE pk = 8 AND note_id IS NULL AND note_uuid LIKE '7D44%' AND note_name IS NULL"
      )
        == 1)
  }

  @Test func jsonHoldsRootsAndCounts() throws {
    let space = try Workspace()
    let run = try moclone("note", "42", "--format", "json", in: space.folder)
    let json = try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
    #expect(json["version"] as? Int == 1)
    #expect(json["root"] as? Int == 43)
    #expect(json["cloned"] as? [String: Int] == ["Note": 1, "Item": 2, "Memo": 1])
    #expect(json["linked"] as? [String: Int] == ["Tag": 1])
  }

  @Test("A derived value that is copied because its column is plain is said before the run")
  func derivedValueInAPlainColumn() throws {
    let folder = try TemporaryFolder()
    let model = """
      version: 1
      name: T
      entities:
        A:
          attributes: {n: String, g: {type: Integer 64, optional: true, derived: true}}
      """
    try folder.write(model.utf8, to: "model.yml")
    try folder.write("version: 1\nmodel: model.yml\nstore: s.sqlite\n".utf8, to: "moclone.yml")
    try DatabaseQueue(path: folder.file("s.sqlite").path).write { db in
      try db.execute(
        sql: "CREATE TABLE a(id INTEGER PRIMARY KEY, n TEXT, g INTEGER); INSERT INTO a VALUES (1, 'x', 3)")
    }
    let words =
      "'A.g' is derived, but the column 'g' of the table 'a' is not generated, so its value is copied"
    for command in [["plan", "a", "1"], ["a", "1", "--dry-run"], ["a", "1"]] {
      let run = try run("moclone", command, in: folder.url)
      #expect(run.status == 0 && run.errors.contains(words), "\(command): \(run.errors)")
    }
    for more in [["--exclude", "g"], ["--set", "g=9"]] {
      let run = try run("moclone", ["a", "1"] + more, in: folder.url)
      #expect(run.status == 0 && run.errors.isEmpty, "\(more): \(run.errors)")
    }
  }

  @Test func keysFromStandardInputCanBeFedBack() throws {
    let space = try Workspace()
    let first = try moclone("note", "42", "--count", "2", in: space.folder)
    #expect(first.output == "43\n44\n")
    let second = try moclone("note", "-", input: first.output, in: space.folder)
    #expect(second.output == "45\n46\n")
  }

  @Test func aKeyThatFailsLeavesNothingOfTheOthers() throws {
    let space = try Workspace()
    let before = try space.bytes()
    let run = try moclone("note", "42", "999", in: space.folder)
    #expect(run.status == 66)
    #expect(run.output == "")
    #expect(run.errors.contains("The store has no Note with the key '999'."))
    #expect(try space.bytes() == before)
  }

  @Test func anObjectByAttribute() throws {
    let space = try Workspace()
    let run = try moclone("note", "id=7d444840-9dc0-11d1-b245-5ffdce74fad2", in: space.folder)
    #expect(run.output == "43\n")
    #expect(try moclone("note", "name=Nothing", in: space.folder).status == 66)
  }

  @Test func mappingListsOldAndNewKeys() throws {
    let space = try Workspace()
    let run = try moclone("note", "42", "--mapping", "map.tsv", in: space.folder)
    #expect(run.status == 0)
    let text = try String(contentsOf: space.folder.appendingPathComponent("map.tsv"), encoding: .utf8)
    #expect(text == "entity\toriginal\tclone\nNote\t42\t43\nItem\t6\t8\nItem\t7\t9\nMemo\t2\t3\n")
  }

  @Test func dryRunWritesNothing() throws {
    let space = try Workspace()
    let before = try space.bytes()
    let run = try moclone("note", "42", "--dry-run", in: space.folder)
    #expect(run.status == 0)
    #expect(run.output.contains("would clone  2  Item"))
    #expect(try space.bytes() == before)
  }

  @Test func setAndUnset() throws {
    let space = try Workspace()
    let run = try moclone("item", "7", "--set", "name=Cream", "--unset", "note", in: space.folder)
    #expect(run.output == "8\n")
    #expect(
      try space.number("SELECT count(*) FROM item WHERE pk = 8 AND name = 'Cream' AND note_id IS NULL") == 1)
  }

  @Test(arguments: [
    (["nota", "42"], 64, "The model has no entity 'nota'; did you mean 'Note'?"),
    (["valdate"], 64, "the command 'validate'"),
    (["note", "42", "--exclude", "memoes"], 64, "did you mean 'memos'?"),
    (["note", "42", "--set", "nam=x"], 64, "did you mean 'name'?"),
    (["note", "42", "--set", "index=many"], 64, "'many' is not a valid Integer 32 for 'index' of Note"),
    (["note", "42", "--set", "memos=1"], 64, "to-many"),
    (["note", "42", "--exclude", "Note.name"], 1, "required and has no default"),
    (["note", "42", "--count", "0"], 64, "at least 1"),
    (["note", "42", "--count", "4611686018427387904"], 64, "at most 1000000000"),
    (["plan", "note", "42", "--count", "9223372036854775807"], 64, "at most 1000000000"),
    (["plan", "note", "--count", "9223372036854775807"], 64, "at most 1000000000"),
    (["note", "42", "--dry-run", "--count", "4611686018427387904"], 64, "at most 1000000000"),
    (["note", "--key=-1"], 66, "no Note with the key '-1'"),
    (["note", "9223372036854775808"], 66, "The store has no Note with the key '9223372036854775808'"),
    (["note", "nam=x"], 64, "Note has no attribute 'nam'; did you mean 'name'?"),
    (["note", "42,1"], 64, "'42,1' is not a valid key of Note"),
    (["note", "abc"], 64, "'abc' is not a valid key of Note, whose keys are integers"),
    (["note"], 64, "expected `moclone note KEY`"),
    (["store", "1"], 64, "moclone clone store"),
    (["undo", "1"], 64, "reserved"),
    (["note", "42", "--store", "nowhere.sqlite"], 66, "does not exist"),
    (["note", "42", "--model", "nowhere.yml"], 66, "nowhere.yml"),
    (["note", "42", "--frobnicate"], 64, "Unknown option"),
  ])
  func wrongCallsSayWhatToDo(_ arguments: [String], _ status: Int32, _ words: String) throws {
    let space = try Workspace()
    let before = try space.bytes()
    let run = try run("moclone", arguments, in: space.folder)
    #expect(run.status == status, "\(run.errors)")
    #expect(run.errors.contains(words), "\(run.errors)")
    #expect(run.output == "")
    #expect(try space.bytes() == before)
  }

  @Test func aLockedStoreIsBusy() throws {
    let space = try Workspace()
    let holder = try DatabaseQueue(path: space.store)
    try holder.writeWithoutTransaction { db in
      try db.beginTransaction(.exclusive)
      let run = try moclone("note", "42", in: space.folder)
      #expect(run.status == 75)
      #expect(run.errors.contains("locked"))
      try db.rollback()
    }
  }

  @Test func aStoreThatIsNoDatabase() throws {
    let space = try Workspace()
    try "no database at all, but long enough".write(toFile: space.store, atomically: true, encoding: .utf8)
    let run = try moclone("note", "42", in: space.folder)
    #expect(run.status == 2)
    #expect(run.errors.contains("not a SQLite database"))
  }
}
