import Foundation
import GRDB
import TestSupport
import Testing

@Suite("Keys are printed as the store writes them")
struct KeyFormTests {
  @Test("A UUID in lower case is read in either case, printed in lower case, and can be fed back")
  func lowerCase() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      """
      version: 1
      name: Notes
      store: {uuids: lowercaseText}
      entities:
        Note:
          primaryKey: {column: id, generate: uuid}
          attributes: {id: UUID, name: {type: String, optional: true}}
          relationships: {items: {destination: Item, toMany: true, inverse: note}}
        Item:
          primaryKey: {column: id, generate: uuid}
          attributes: {name: {type: String, optional: true}}
          relationships: {note: {destination: Note, optional: true, inverse: items}}
      """.utf8, to: "model.yml")
    try folder.write("version: 1\nmodel: model.yml\nstore: s.sqlite\n".utf8, to: "moclone.yml")
    let (note, item) = ("6a0d5a6e-0000-4000-8000-0000000000ab", "6a0d5a6e-0000-4000-8000-0000000000cd")
    try DatabaseQueue(path: folder.file("s.sqlite").path).write { db in
      try db.execute(
        sql: """
          CREATE TABLE note(id TEXT PRIMARY KEY NOT NULL, name TEXT);
          CREATE TABLE item(id TEXT PRIMARY KEY NOT NULL, name TEXT, note_id TEXT REFERENCES note(id));
          INSERT INTO note VALUES ('\(note)', 'n');
          INSERT INTO item VALUES ('\(item)', 'i', '\(note)');
          """)
    }
    func run(_ arguments: String...) throws -> Finished {
      try CommandTests.run("moclone", arguments, in: folder.url)
    }
    let shown = try run("show", "note", note.uppercased())
    #expect(shown.output == "Note \(note)  id=\(note)  name=\"n\"\n  items: Item \(item)  name=\"i\"\n")
    #expect(try run("show", "note", note, "--format", "json").output.contains("\"key\" : \"\(note)\""))
    let cloned = try run("note", note.uppercased(), "--mapping", "map.tsv")
    let new = cloned.output.trimmingCharacters(in: .newlines)
    #expect(new == new.lowercased() && new.count == 36, "\(cloned.errors)")
    let mapping = try String(contentsOf: folder.file("map.tsv"), encoding: .utf8)
    #expect(
      mapping == mapping.replacing(new.uppercased(), with: "") && mapping.contains("Note\t\(note)\t\(new)\n"))
    #expect(!mapping.contains("6A0D"))
    let json = try run("note", new, "--format", "json").output
    #expect(json == json.replacing(/"root":"[0-9a-f-]{36}"/) { $0.output } && json.contains("\"root\":\""))
    #expect(json.contains(/"root":"[0-9a-f-]{36}"/))
    let failed = try run("item", item.uppercased(), "--set", "note=\(item)")
    #expect(
      failed.status == 66 && failed.errors.contains("no Note with the key '\(item)'"), "\(failed.errors)")
  }
  @Test(
    "What clone prints is read as the key itself",
    arguments: [
      "code=w", "p,q", #"a\"#, #"a\,b"#, #"a\=b"#, #"\u{A}"#, "two\nlines", "tab\tr\r\n", #"\\srv\x"#, "YQ==",
      #"a\\,\=,\"#,
    ])
  func fedBack(key: String) throws {
    let folder = try TemporaryFolder()
    let model = """
      version: 1
      name: T
      entities:
        A:
          primaryKey: {column: code, generate: none}
          attributes: {code: String, v: String?}
      """
    try folder.write(model.utf8, to: "model.yml")
    try folder.write("version: 1\nmodel: model.yml\nstore: s.sqlite\n".utf8, to: "moclone.yml")
    try DatabaseQueue(path: folder.file("s.sqlite").path).write { db in
      try db.execute(
        sql: """
          CREATE TABLE a(code TEXT PRIMARY KEY NOT NULL, v TEXT);
          INSERT INTO a VALUES ('1', 'one'), ('w', 'a stranger');
          """)
    }
    let cloned = try moclone("clone", "a", "1", "--set", "code=\(key)", in: folder.url)
    #expect(cloned.output.split(separator: "\n").count == 1 && cloned.status == 0, "\(cloned.errors)")
    for finished in [
      try moclone("show", "a", "-", "--format", "json", input: cloned.output, in: folder.url),
      try moclone("show", "a", String(cloned.output.dropLast()), "--format", "json", in: folder.url),
    ] {
      #expect(finished.output.contains("\"v\" : \"one\""), "\(finished.errors)")
    }
    #expect(try moclone("show", "a", "code=w", in: folder.url).output.contains("a stranger"))
  }

  @Test(
    "New keys are printed in the order of the keys, however these are given",
    arguments: [
      (["note", "--key", "-1", "1", "2"], ["-1", "1", "2"]),
      (["note", "1", "--key=-1", "2"], ["1", "-1", "2"]),
      (["note", "2", "--count", "1", "--key", "1", "--key", "-1", "3"], ["2", "1", "-1", "3"]),
      (["clone", "--key", "2", "note", "-", "--key", "-1"], ["2", "1", "-1"]),
    ])
  func order(arguments: [String], keys: [String]) throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "version: 1\nname: T\nentities: {Note: {attributes: {name: String}}}\n".utf8, to: "model.yml")
    try folder.write("version: 1\nmodel: model.yml\nstore: s.sqlite\n".utf8, to: "moclone.yml")
    let store = folder.file("s.sqlite").path
    try DatabaseQueue(path: store).write { db in
      try db.execute(
        sql: """
          CREATE TABLE note(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
          INSERT INTO note VALUES (-1, '-1'), (1, '1'), (2, '2'), (3, '3');
          """)
    }
    let cloned = try run("moclone", arguments, input: "1\n", in: folder.url)
    let new = cloned.output.split(separator: "\n").compactMap { Int64($0) }
    let names = try DatabaseQueue(path: store).read { db in
      try new.compactMap {
        try String.fetchOne(db, sql: "SELECT name FROM note WHERE id = ?", arguments: [$0])
      }
    }
    #expect(names == keys, "\(cloned.errors)")
  }

  @Test(
    "A to-one is set by a key with a comma or an equals sign, within the store and into another one",
    arguments: [("a,b", #"a\,b"#), ("a=b", #"a\=b"#), ("a=b", "a=b")])
  func setToOne(code: String, key: String) throws {
    let folder = try TemporaryFolder()
    let model = """
      version: 1
      name: Words
      entities:
        Language:
          primaryKey: {column: code, generate: none}
          attributes: {code: String}
          relationships: {words: {destination: Word, toMany: true, inverse: language}}
        Word:
          attributes: {text: String}
          relationships: {language: {destination: Language, inverse: words}}
      """
    try folder.write(model.utf8, to: "model.yml")
    try folder.write("version: 1\nmodel: model.yml\nstore: s.sqlite\n".utf8, to: "moclone.yml")
    #expect(try moclone("store", "init", in: folder.url).status == 0)
    try DatabaseQueue(path: folder.file("s.sqlite").path).write { db in
      try db.execute(
        sql: """
          INSERT INTO language VALUES ('en'), ('\(code)');
          INSERT INTO word(id, text, language_id) VALUES (1, 'x', 'en');
          """)
    }
    for into in [[], ["--into", "other.sqlite", "--missing", "create"]] {
      let store = into.isEmpty ? "s.sqlite" : "other.sqlite"
      let clone = ["clone", "word", "1", "--set", "language=\(key)"]
      let cloned = try run("moclone", clone + into, in: folder.url)
      #expect(cloned.status == 0, "\(cloned.errors)")
      let codes = try DatabaseQueue(path: folder.file(store).path).read {
        try String.fetchAll($0, sql: "SELECT language_id FROM word ORDER BY id DESC LIMIT 1")
      }
      #expect(codes == [code])
    }
  }

  @Test(
    "A key of integers is read between blanks, as columns of other programs have it, and in other notations",
    arguments: [" 1 ", "1 ", "     1", "1.0", "01", "+1"])
  func otherNotations(key: String) throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "version: 1\nname: T\nentities: {A: {attributes: {name: String}}}\n".utf8, to: "model.yml")
    try folder.write("version: 1\nmodel: model.yml\nstore: s.sqlite\n".utf8, to: "moclone.yml")
    try DatabaseQueue(path: folder.file("s.sqlite").path).write { db in
      try db.execute(
        sql: "CREATE TABLE a(id INTEGER PRIMARY KEY, name TEXT NOT NULL); INSERT INTO a VALUES (1, 'one')")
    }
    let shown = try moclone("show", "a", key, in: folder.url)
    #expect(shown.output == "A 1  name=\"one\"\n", "\(shown.errors)")
    let cloned = try moclone("clone", "a", "-", "--dry-run", input: key + "\n", in: folder.url)
    #expect(cloned.output == "would clone  1  A\n", "\(cloned.errors)")
  }

  @Test("Bytes are printed as they are read, alone and among other parts", arguments: ["\\x000242", "\\x"])
  func bytes(key: String) throws {
    let folder = try TemporaryFolder()
    let model = """
      version: 1
      name: T
      entities:
        A:
          primaryKey: {column: id, generate: none}
          attributes: {id: Binary, v: String?}
        B:
          primaryKey: [id, n]
          attributes: {id: Binary, n: Integer 64, v: String?}
      """
    try folder.write(model.utf8, to: "model.yml")
    try folder.write("version: 1\nmodel: model.yml\nstore: s.sqlite\n".utf8, to: "moclone.yml")
    try DatabaseQueue(path: folder.file("s.sqlite").path).write { db in
      try db.execute(
        sql: """
          CREATE TABLE a(id BLOB PRIMARY KEY NOT NULL, v TEXT);
          CREATE TABLE b(id BLOB NOT NULL, n INTEGER NOT NULL, v TEXT, PRIMARY KEY (id, n));
          INSERT INTO a VALUES (x'\(key.dropFirst(2))', 'one'), (x'ff', 'another'), ('AAEC', 'a text');
          INSERT INTO b VALUES (x'\(key.dropFirst(2))', 1, 'two');
          """)
    }
    #expect(try moclone("show", "a", key, in: folder.url).output.hasPrefix("A \(key) "))
    #expect(try moclone("show", "b", key + ",1", in: folder.url).output.hasPrefix("B \(key),1 "))
    let cloned = try moclone("clone", "a", key, "--set", "id=AAED", in: folder.url)
    #expect(cloned.output == "\\x000103\n", "\(cloned.errors)")
    let shown = try moclone("show", "a", "-", "--format", "json", input: cloned.output, in: folder.url)
    #expect(shown.output.contains("\"v\" : \"one\""), "\(shown.errors)")
    #expect(try moclone("show", "a", "AAEC", in: folder.url).output.contains("a text"))
  }
}
