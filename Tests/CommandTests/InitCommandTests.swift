import Foundation
import GRDB
import TestSupport
import Testing

@Suite("The first minute")
struct InitCommandTests {
  /// A folder with a database of a newcomer.
  private func folder(_ sql: String, named name: String = "music.sqlite") throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    let queue = try DatabaseQueue(path: folder.file(name).path)
    try queue.write { try $0.execute(sql: sql) }
    try queue.close()
    return folder
  }

  private static let music = """
    CREATE TABLE genre(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
    CREATE TABLE artist(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
    CREATE TABLE album(id INTEGER PRIMARY KEY, title TEXT NOT NULL, artist_id INTEGER NOT NULL REFERENCES artist);
    CREATE TABLE track(id INTEGER PRIMARY KEY, title TEXT NOT NULL, album_id INTEGER NOT NULL REFERENCES album);
    INSERT INTO genre VALUES (1, 'Jazz');
    INSERT INTO artist VALUES (1, 'Nobody'), (7, 'Nina');
    INSERT INTO album VALUES (1, 'Blue', 7);
    INSERT INTO track VALUES (1, 'One', 1), (2, 'Two', 1);
    """

  /// Types the last line of what was printed.
  private func typeNext(_ printed: String, in folder: URL) throws -> (command: String, run: Finished) {
    let command = try #require(printed.split(separator: "\n").last).trimmingCharacters(in: .whitespaces)
    #expect(command.hasPrefix("moclone "))
    let path = "\(programs.path):/bin:/usr/bin"
    let run = try run("sh", ["-c", command], in: folder, environment: ["PATH": path], path: "/bin")
    return (command, run)
  }

  @Test(
    "Of a database without tables no model is made, and no file",
    arguments: ["PRAGMA user_version = 1", "CREATE VIEW v AS SELECT 1"])
  func noTables(sql: String) throws {
    let folder = try folder(sql)
    let run = try moclone("init", "music.sqlite", in: folder.url)
    #expect(run.status == 2)
    #expect(run.errors == "moclone: 'music.sqlite' has no tables to make a model of; create them first.\n")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["music.sqlite"])
  }

  @Test("Of a database of which no model could be read none is written", arguments: ["init", "model import"])
  func tooManyColumns(command: String) throws {
    let columns = (1..<2000).map { "c\($0)" }.joined(separator: ", ")
    let folder = try folder("CREATE TABLE wide(id INTEGER PRIMARY KEY, \(columns), UNIQUE (c1, c2))")
    let output = command == "init" ? [] : ["-o", "music.yml"]
    let arguments = command.split(separator: " ").map(String.init) + ["music.sqlite"] + output
    let run = try CommandTests.run("moclone", arguments, in: folder.url)
    #expect(run.status == 1 && run.errors.contains("[too-many-values]"), "\(run)")
    #expect(run.errors.contains("help: make a copy of the database without the tables"), "\(run)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["music.sqlite"])
  }

  @Test func theOnlyDatabaseIsSetUpAndTheNextCommandWorks() throws {
    let folder = try folder(Self.music)
    let run = try moclone("init", in: folder.url)
    #expect(run.status == 0, "\(run.errors)")
    #expect(
      run.output == """
        Worth cloning:
          Artist  2 objects  with Album, Track

        Next, copy one with everything that belongs to it, 4 objects in all:
          moclone artist 7

        """)
    #expect(run.errors.contains("Wrote 'music.moclone.yml' (4 entities) and 'moclone.yml'"))
    let settings = try String(contentsOf: folder.file("moclone.yml"), encoding: .utf8)
    #expect(settings == "version: 1\nmodel: music.moclone.yml\nstore: music.sqlite\n")
    let next = try typeNext(run.output, in: folder.url)
    #expect(next.run.status == 0)
    #expect(next.run.output == "8\n")
    let queue = try DatabaseQueue(path: folder.file("music.sqlite").path)
    #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM track") } == 4)
    #expect(try moclone("validate", in: folder.url).status == 0)
  }

  @Test func settingUpOnlyReadsTheDatabase() throws {
    let folder = try folder(Self.music)
    let before = try Data(contentsOf: folder.file("music.sqlite"))
    #expect(try moclone("init", in: folder.url).status == 0)
    #expect(try Data(contentsOf: folder.file("music.sqlite")) == before)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(names == ["moclone.yml", "music.moclone.yml", "music.sqlite"])
  }

  @Test func whatCannotBeWrittenLeavesNoFileAndCanBeDoneAgain() throws {
    let folder = try folder(Self.music)
    let program = programs.appendingPathComponent("moclone").path
    let limited = try run(
      "sh", ["-c", "ulimit -f 0; exec \"$0\" init music.sqlite", program], in: folder.url, path: "/bin")
    #expect(limited.status == 2)
    #expect(
      limited.errors == "moclone: 'music.moclone.yml' cannot be written: File too large. [unwritable-file]\n")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["music.sqlite"])
    #expect(try moclone("init", in: folder.url).status == 0)
  }

  @Test func aModelIsNamedForChangesOnlyWhereThereIsOne() throws {
    let folder = try folder(Self.music)
    try folder.write("mine".utf8, to: "moclone.yml")
    #expect(try !moclone("init", in: folder.url).errors.contains("--update"))
    try folder.write("mine".utf8, to: "music.moclone.yml")
    #expect(
      try moclone("init", in: folder.url).errors
        .contains("moclone model import music.sqlite --update music.moclone.yml"))
  }

  @Test(arguments: ["moclone.yml", "music.moclone.yml"])
  func aFileThatExistsIsNeverWrittenOver(name: String) throws {
    let folder = try folder(Self.music)
    try folder.write("mine".utf8, to: name)
    let run = try moclone("init", in: folder.url)
    #expect(run.status == 1 && run.errors.hasSuffix("[store-exists]\n"))
    #expect(run.errors.contains("'\(name)' already exists"))
    #expect(try String(contentsOf: folder.file(name), encoding: .utf8) == "mine")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
  }

  @Test("What appears in the place of moclone.yml is not replaced, and the model is taken back")
  func appearingFile() throws {
    let folder = try folder(Self.music)
    // A link to itself is no file that exists, and is in the way of a new one.
    let settings = folder.file("moclone.yml").path
    try FileManager.default.createSymbolicLink(atPath: settings, withDestinationPath: "moclone.yml")
    let run = try moclone("init", in: folder.url)
    #expect(run.status == 1 && run.errors.contains("'moclone.yml' already exists"), "\(run.errors)")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: settings) == "moclone.yml")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(names == ["moclone.yml", "music.sqlite"])
  }

  @Test func withoutOneDatabaseItAsksForAName() throws {
    let folder = try folder(Self.music)
    try folder.write("no database".utf8, to: "notes.db")
    #expect(try moclone("init", "gone.sqlite", in: folder.url).status == 66)
    try folder.write(Data(contentsOf: folder.file("music.sqlite")), to: "other.db")
    let two = try moclone("init", in: folder.url)
    #expect(two.status == 64)
    #expect(
      two.errors.contains("has 2 databases (music.sqlite, other.db); name one: `moclone init music.sqlite`"))
    #expect(try moclone("init", "other.db", in: folder.url).status == 0)
    let bare = try TemporaryFolder()
    let none = try moclone("init", in: bare.url)
    #expect(none.status == 64)
    #expect(none.errors.contains("no SQLite database"))
  }

  @Test func aDatabaseElsewhereAndOneWithBlanksInItsName() throws {
    let folder = try folder(Self.music, named: "my 'music'.sqlite")
    let other = try TemporaryFolder()
    let run = try moclone("init", folder.file("my 'music'.sqlite").path, in: other.url)
    #expect(run.status == 0, "\(run.errors)")
    #expect(try typeNext(run.output, in: other.url).run.output == "8\n")
  }

  @Test func aDatabaseThatDeclaresNoForeignKeysIsSaidToAndWhatNamesSuggestIsNext() throws {
    let folder = try folder(
      """
      CREATE TABLE library_id(id INTEGER PRIMARY KEY, uuid TEXT);
      CREATE TABLE authors(id INTEGER PRIMARY KEY, name TEXT); CREATE TABLE books(id INTEGER PRIMARY KEY, author_id INTEGER);
      INSERT INTO library_id VALUES (1, 'x'); INSERT INTO authors VALUES (1, 'a'), (2, 'b'); INSERT INTO books VALUES (1, 2), (2, 1);
      """)
    let run = try moclone("init", in: folder.url)
    #expect(run.output.contains("The database declares no foreign keys"))
    #expect(run.output.contains("Names and values suggest 1 relationship."))
    let next = try typeNext(run.output, in: folder.url)
    #expect(next.command == "moclone model import music.sqlite --infer")
    #expect(next.run.output.contains("author: {destination: Author"))
  }

  @Test func anExampleIsNoSingleRowOfSettings() throws {
    let folder = try folder(
      """
      CREATE TABLE library_id(id INTEGER PRIMARY KEY, uuid TEXT); CREATE TABLE word(id INTEGER PRIMARY KEY, text TEXT);
      INSERT INTO library_id VALUES (1, 'x'); INSERT INTO word VALUES (1, 'a'), (2, 'b');
      """)
    let run = try moclone("init", in: folder.url)
    #expect(try typeNext(run.output, in: folder.url).command == "moclone word 1")
  }

  @Test func anEntityNamedLikeACommandAndAKeyThatAShellWouldRead() throws {
    let folder = try folder(
      """
      CREATE TABLE store(name TEXT PRIMARY KEY NOT NULL);
      CREATE TABLE shelf(id INTEGER PRIMARY KEY, store TEXT NOT NULL REFERENCES store);
      CREATE TABLE seed(id INTEGER PRIMARY KEY);
      CREATE TABLE bag(id INTEGER PRIMARY KEY, seed_id INTEGER NOT NULL REFERENCES seed);
      CREATE TABLE lot(id INTEGER PRIMARY KEY, bag_id INTEGER NOT NULL REFERENCES bag);
      INSERT INTO store VALUES ('it''s $HOME, 1=1');
      INSERT INTO shelf VALUES (1, 'it''s $HOME, 1=1');
      INSERT INTO seed VALUES (-5);
      INSERT INTO bag VALUES (1, -5);
      INSERT INTO lot VALUES (1, 1);
      """)
    let run = try moclone("init", in: folder.url)
    let next = try typeNext(run.output, in: folder.url)
    #expect(next.command == "moclone clone seed --key -5")
    #expect(next.run.status == 0, "\(next.run.errors)")
  }

  @Test func aRootThatCannotBeCopiedIsNotProposed() throws {
    let folder = try folder(
      """
      CREATE TABLE account(id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE);
      CREATE TABLE letter(id INTEGER PRIMARY KEY, account_id INTEGER NOT NULL REFERENCES account);
      CREATE TABLE line(id INTEGER PRIMARY KEY, letter_id INTEGER NOT NULL REFERENCES letter);
      CREATE TABLE album(id INTEGER PRIMARY KEY);
      CREATE TABLE page(id INTEGER PRIMARY KEY, album_id INTEGER NOT NULL REFERENCES album);
      INSERT INTO account VALUES (1, 'a@b.c');
      INSERT INTO letter VALUES (1, 1);
      INSERT INTO line VALUES (1, 1);
      INSERT INTO album VALUES (3);
      INSERT INTO page VALUES (1, 3);
      """)
    let run = try moclone("init", in: folder.url)
    #expect(run.output.contains("  Account  1 object  with Letter, Line\n"))
    let next = try typeNext(run.output, in: folder.url)
    #expect(next.command == "moclone album 3")
    #expect(next.run.status == 0)
  }

  @Test func anEmptyDatabaseAndOneOfSingleObjectsHaveANextStepToo() throws {
    let empty = try folder(
      Self.music.split(separator: "\n").filter { !$0.hasPrefix("INSERT") }.joined(separator: "\n"))
    let run = try moclone("init", in: empty.url)
    #expect(run.output.contains("Artist  0 objects"))
    let next = try typeNext(run.output, in: empty.url)
    #expect(next.command == "moclone plan artist")
    #expect(next.run.status == 0)
    let single = try folder(
      "CREATE TABLE note(id INTEGER PRIMARY KEY, text TEXT); INSERT INTO note VALUES (1, 'a');")
    let alone = try moclone("init", in: single.url)
    #expect(alone.status == 0)
    #expect(try typeNext(alone.output, in: single.url).run.output == "2\n")
  }

  /// A clone of the cover would take its book along, but the cover does not own it.
  @Test func whatOwnsAnotherOneToOneIsWorthCloning() throws {
    let folder = try folder(
      """
      CREATE TABLE book(id INTEGER PRIMARY KEY, title TEXT);
      CREATE TABLE cover(book_id INTEGER PRIMARY KEY REFERENCES book ON DELETE CASCADE, color TEXT);
      CREATE TABLE shelf(id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE board(id INTEGER PRIMARY KEY, shelf_id INTEGER NOT NULL REFERENCES shelf, width INTEGER);
      INSERT INTO book VALUES (1, 'A'); INSERT INTO cover VALUES (1, 'red');
      """)
    let run = try moclone("init", in: folder.url)
    #expect(run.output.contains(" with Cover\n"), "\(run.output)")
  }

  /// A genre is chosen from, and its clone would take all of its workspaces along.
  @Test func whatCanBeWithoutWhatTakesItAlongIsWorthCloningFirst() throws {
    let folder = try folder(
      """
      CREATE TABLE genre(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
      CREATE TABLE workspace(id INTEGER PRIMARY KEY, title TEXT NOT NULL, genre_id INTEGER REFERENCES genre ON DELETE SET NULL);
      CREATE TABLE page(id INTEGER PRIMARY KEY, workspace_id INTEGER NOT NULL REFERENCES workspace ON DELETE CASCADE);
      INSERT INTO genre VALUES (1, 'one'); INSERT INTO workspace VALUES (1, 'a', 1), (2, 'b', 1); INSERT INTO page VALUES (1, 1);
      """)
    let run = try moclone("init", in: folder.url)
    #expect(run.output.hasPrefix("Worth cloning:\n  Workspace  2 objects  with Page\n"), "\(run.output)")
    #expect(run.output.contains("  Genre      1 object   with Workspace, Page\n"), "\(run.output)")
    #expect(try typeNext(run.output, in: folder.url).command == "moclone workspace 1")
  }

  @Test func aTreeIsWorthCloning() throws {
    let folder = try folder(
      """
      CREATE TABLE folder(id INTEGER PRIMARY KEY, name TEXT NOT NULL, parent_id INTEGER REFERENCES folder);
      INSERT INTO folder VALUES (1, 'Leaf', 2), (2, 'Root', NULL);
      """)
    let run = try moclone("init", in: folder.url)
    #expect(run.output.contains("  Folder  2 objects  with Folder\n"))
    let next = try typeNext(run.output, in: folder.url)
    #expect(next.command == "moclone folder 2")
    #expect(next.run.output == "3\n")
  }

  @Test func suggestedAnnotationsAreAppliedUnlessTheyAreRefused() throws {
    let sql = """
      CREATE TABLE note(id INTEGER PRIMARY KEY, uuid TEXT NOT NULL UNIQUE);
      CREATE TABLE item(id INTEGER PRIMARY KEY, note_id INTEGER NOT NULL REFERENCES note);
      INSERT INTO note VALUES (1, '7D444840-9DC0-11D1-B245-5FFDCE74FAD2'), (2, '3F2504E0-4F89-41D3-9A0C-0305E82C3301'),
        (3, '2C8E9A5F-6D1B-4B7E-8F3A-91D0C4E57A26');
      INSERT INTO item VALUES (1, 1);
      """
    let applied = try folder(sql)
    let run = try moclone("init", in: applied.url)
    #expect(run.errors.contains("1 annotation applied with the reasons"), "\(run.errors)")
    #expect(try typeNext(run.output, in: applied.url).run.output == "4\n")
    let refused = try folder(sql)
    #expect(try moclone("init", "--no-annotate", in: refused.url).errors.contains("1 annotation suggested"))
    let model = try String(contentsOf: refused.file("music.moclone.yml"), encoding: .utf8)
    #expect(model.contains("# Suggested: userInfo: {rebuild: uuid}"))
  }
}
