import Foundation
import GRDB
import TestSupport
import Testing

@Suite("moclone sync and dedupe")
struct SyncCommandTests {
  /// A folder with a model of channels and a store of two.
  private final class Channels {
    private let temporary: TemporaryFolder
    var folder: URL { temporary.url }
    var store: String { folder.appendingPathComponent("radio.sqlite").path }

    init() throws {
      temporary = try TemporaryFolder()
      try write("moclone.yml", "version: 1\nmodel: radio.yml\nstore: radio.sqlite\n")
      try writeModel()
      #expect(try run("store", "init").status == 0)
      try execute(
        """
        INSERT INTO channel(id, name, base_url, display_name) VALUES
          (1, 'one', 'http://one', 'My one'), (2, 'two', 'http://two', 'My two'), (3, 'three', 'http://three', 'My three')
        """)
    }

    /// - Parameters:
    ///   - relationships: those of the channels.
    ///   - entity: what they lead to.
    func writeModel(relationships: String = "", entity: String = "") throws {
      try write(
        "radio.yml",
        """
        version: 1
        name: Radio
        entities:
          Channel:
            attributes: {name: String, baseURL: URI?, displayName: String?, modified: Date?}
            relationships: {\(relationships)}
            uniquenessConstraints: [[name]]
          \(entity)
        """)
    }

    func write(_ name: String, _ text: String) throws {
      try text.write(to: folder.appendingPathComponent(name), atomically: true, encoding: .utf8)
    }

    func run(_ arguments: String...) throws -> Finished {
      try CommandTests.run("moclone", arguments, in: folder)
    }

    func execute(_ sql: String) throws {
      let queue = try DatabaseQueue(path: store)
      try queue.write { try $0.execute(sql: sql) }
      try queue.close()
    }

    func rows() throws -> [String] {
      try DatabaseQueue(path: store).read { db in
        try Row.fetchAll(db, sql: "SELECT id, name, base_url, display_name FROM channel ORDER BY id").map {
          row in
          row.databaseValues.map { $0.isNull ? "-" : "\($0)".trimmingCharacters(in: ["\""]) }.joined(
            separator: " ")
        }
      }
    }

    func bytes() throws -> Data { try Data(contentsOf: URL(fileURLWithPath: store)) }
  }

  @Test(
    "The address is overwritten, the name on display kept, from every format",
    arguments: [
      (
        "c.csv", "name,baseURL,displayName\none,https://one,One\ntwo,https://two,Two\nfour,https://four,\n",
        []
      ),
      (
        "c.txt", "name,baseURL,displayName\none,https://one,One\ntwo,https://two,Two\nfour,https://four,\n",
        ["--file-format", "csv"]
      ),
      (
        "c.ndjson",
        "{\"name\":\"one\",\"baseURL\":\"https://one\",\"displayName\":\"One\"}\n"
          + "{\"name\":\"two\",\"baseURL\":\"https://two\"}\n{\"name\":\"four\",\"baseURL\":\"https://four\"}\n",
        []
      ),
      (
        "c.json",
        "{\"one\":{\"baseURL\":\"https://one\",\"displayName\":\"One\"},\"two\":{\"baseURL\":\"https://two\"},"
          + "\"four\":{\"baseURL\":\"https://four\"}}", []
      ),
      (
        "c.xml",
        "<all><channel name='one' baseURL='https://one' displayName='One'/><channel name='two' baseURL='https://two'/>"
          + "<channel name='four' baseURL='https://four'/></all>", ["--rows", "channel"]
      ),
    ])
  func formats(name: String, text: String, options: [String]) throws {
    let space = try Channels()
    try space.write(name, text)
    let arguments =
      ["sync", name, "--entity", "channel", "--overwriting", "baseURL", "--format", "json"] + options
    let run = try CommandTests.run("moclone", arguments, in: space.folder)
    #expect(run.status == 0, "\(run.errors)")
    #expect(
      run.output
        == #"{"created":{"Channel":1},"deleted":{"Channel":1},"dryRun":false,"operation":"sync","updated":{"Channel":2},"version":1}"#
        + "\n")
    #expect(
      try space.rows() == ["1 one https://one My one", "2 two https://two My two", "4 four https://four -"])
  }

  @Test("Standard input is read in the format that --file-format names")
  func standardInput() throws {
    let space = try Channels()
    let rows = "name,baseURL\none,https://one\ntwo,https://two\nthree,https://three\n"
    func sync(_ options: String...) throws -> Finished {
      let call = ["sync", "-", "--entity", "channel", "--overwriting", "baseURL"]
      return try CommandTests.run("moclone", call + options, input: rows, in: space.folder)
    }
    let nameless = try sync("--format", "json")
    #expect(nameless.status == 64 && nameless.errors.contains("pass --file-format"), "\(nameless.errors)")
    let run = try sync("--file-format", "csv", "--format", "json")
    #expect(run.status == 0 && run.output.contains(#""updated":{"Channel":3}"#), "\(run.errors)")
  }

  @Test("A column that is ignored says nothing, also where the model has its name")
  func ignoredColumn() throws {
    let space = try Channels()
    for (ignored, expected) in [(["--ignore", "displayName"], "-"), ([], "Own")] {
      try space.write("all.csv", "name,baseURL,displayName\none,x,A\ntwo,x,B\nthree,x,C\nnew,x,Own\n")
      try space.execute("DELETE FROM channel WHERE name = 'new'")
      let call = ["sync", "all.csv", "--entity", "Channel"] + ignored
      let run = try CommandTests.run("moclone", call, in: space.folder)
      #expect(run.status == 0, "\(run.errors)")
      #expect(try space.rows().last?.hasSuffix(" new x \(expected)") == true)
    }
  }

  @Test("A column to be overwritten may be empty in every row; one that no row or header names is refused")
  func emptyColumn() throws {
    let space = try Channels()
    try space.write("c.csv", "name,baseURL\none,\ntwo,\nthree,\n")
    let run = try space.run("sync", "c.csv", "--entity", "Channel", "--overwriting", "baseURL")
    #expect(run.status == 0 && run.output == "unchanged  3  Channel\n", "\(run.errors)")
    try space.write("c.csv", "name\none\ntwo\nthree\n")
    #expect(try space.run("sync", "c.csv", "--entity", "Channel", "--overwriting", "baseURL").status == 64)
    try space.write("c.json", "{\"one\": {}, \"two\": {}, \"three\": {}}")
    #expect(try space.run("sync", "c.json", "--entity", "Channel", "--overwriting", "baseURL").status == 64)
  }

  @Test("A column for a value of a related object is told from a misspelt one")
  func valueOfRelatedObject() throws {
    let space = try Channels()
    try space.writeModel(
      relationships: "station: {destination: Station, optional: true, inverse: channels}",
      entity: """
        Station:
            attributes: {code: String}
            relationships: {channels: {destination: Channel, toMany: true, inverse: station}}
        """)
    try space.execute(
      "CREATE TABLE station(id INTEGER PRIMARY KEY, code TEXT); ALTER TABLE channel ADD COLUMN station_id INTEGER"
    )
    try space.write("c.csv", "name,station.code\none,x\n")
    let run = try space.run("sync", "c.csv", "--entity", "Channel", "--overwriting", "station")
    #expect(run.status == 64 && run.errors.contains("rows of a sync give 'station' itself"), "\(run.errors)")
    #expect(run.errors.contains("--existing update"), "\(run.errors)")
  }

  @Test("An empty cell of a table says nothing; null in JSON is null")
  func emptyCell() throws {
    let space = try Channels()
    try space.write("c.csv", "name,baseURL\none,\ntwo,https://two\nthree,\nfour,\n")
    let run = try space.run("sync", "c.csv", "--entity", "Channel", "--overwriting", "baseURL")
    #expect(run.output == "created  1  Channel\nupdated  1  Channel\nunchanged  2  Channel\n")
    #expect(
      try space.rows() == [
        "1 one http://one My one", "2 two https://two My two", "3 three http://three My three", "4 four - -",
      ])
    try space.write("c.json", "{\"one\": {\"baseURL\": null}, \"two\": {}, \"three\": {}, \"four\": {}}")
    #expect(try space.run("sync", "c.json", "--entity", "Channel", "--overwriting", "baseURL").status == 0)
    #expect(try space.rows().first == "1 one - My one")
  }

  @Test(
    "A trigger that swallows rows is named, and nothing is written",
    arguments: ["UPDATE", "INSERT", "DELETE"])
  func ignored(_ change: String) throws {
    let space = try Channels()
    try space.execute("CREATE TRIGGER quiet BEFORE \(change) ON channel BEGIN SELECT raise(ignore); END")
    let before = try space.rows()
    try space.write("c.csv", "name,baseURL\none,https://one\ntwo,http://two\nfour,http://four\n")
    let run = try space.run("sync", "c.csv", "--entity", "Channel", "--overwriting", "baseURL")
    #expect(run.status != 0 && run.errors.contains("[row-count]"), "\(run.errors)")
    #expect(try space.rows() == before)
  }

  @Test("A second sync leaves the file as it is, byte for byte")
  func unchanged() throws {
    let space = try Channels()
    try space.write("c.csv", "name,baseURL\none,https://one\ntwo,http://two\nthree,http://three\n")
    #expect(try space.run("sync", "c.csv", "--entity", "Channel", "--overwriting", "baseURL").status == 0)
    let before = try space.bytes()
    let again = try space.run("sync", "c.csv", "--entity", "Channel", "--overwriting", "baseURL")
    #expect(again.status == 0 && again.output == "unchanged  3  Channel\n")
    #expect(try space.bytes() == before)
  }

  @Test("A file without rows, and one that deletes more than half, are refused unless meant")
  func refusals() throws {
    let space = try Channels()
    let before = try space.bytes()
    try space.write("empty.csv", "name,baseURL\n")
    try space.write("empty.json", "[]")
    try space.write("nothing.csv", "")
    try space.write("one.csv", "name\none\n")
    for (file, code) in [
      ("empty.csv", "empty-input"), ("empty.json", "empty-input"), ("nothing.csv", "broken-file"),
      ("one.csv", "too-many-deletions"),
    ] {
      let run = try space.run("sync", file, "--entity", "Channel")
      #expect(run.status == 1 && run.errors.contains("[\(code)]"), "\(file): \(run.errors)")
    }
    let half = try space.run("sync", "one.csv", "--entity", "Channel")
    #expect(half.errors.contains("To confirm, pass --yes or --max-delete 2. ["), "\(half.errors)")
    for confirmed in [[], ["--yes"]] {
      let call = ["sync", "one.csv", "--entity", "Channel", "--max-delete", "1"] + confirmed
      let many = try CommandTests.run("moclone", call, in: space.folder)
      #expect(many.status == 1)
      #expect(many.errors.contains("To confirm, pass --max-delete 2. ["), "\(many.errors)")
    }
    try space.write("near.csv", "name,displayNam\none,x\n")
    let near = try space.run("sync", "near.csv", "--entity", "Channel")
    #expect(
      near.errors.contains(
        "the file has the column 'displayNam', but Channel has no attribute of that name; "
          + "did you mean 'displayName'? To ignore the column, pass --ignore displayNam."), "\(near.errors)")
    #expect(try space.bytes() == before)
    let dry = try space.run("sync", "one.csv", "--entity", "Channel", "--max-delete", "2", "--dry-run")
    #expect(dry.status == 0 && dry.output.contains("would delete  2  Channel"))
    #expect(try space.bytes() == before)
    #expect(try space.run("sync", "one.csv", "--entity", "Channel", "--no-delete").status == 0)
    #expect(try space.rows().count == 3)
    #expect(try space.run("sync", "one.csv", "--entity", "Channel", "--max-delete", "2").status == 0)
    #expect(try space.run("sync", "empty.csv", "--entity", "Channel", "--yes").status == 0)
    #expect(try space.rows() == [])
  }

  @Test("Bad rows and columns are named with their places, and change nothing")
  func badRows() throws {
    let space = try Channels()
    let before = try space.bytes()
    try space.write("twice.csv", "name\none\ntwo\none\n")
    let twice = try space.run("sync", "twice.csv", "--entity", "Channel")
    #expect(twice.status == 1 && twice.errors.contains("twice.csv:2, 4"))
    try space.write("empty.csv", "name,displayName\n" + String(repeating: "x,\n", count: 25))
    let empty = try space.run("sync", "empty.csv", "--entity", "Channel", "--by", "displayName")
    #expect(empty.errors.contains("empty.csv: 5 more rows are refused"), "\(empty.errors)")
    try space.write("date.csv", "name,modified\none,soon\ntwo,later\n")
    let date = try space.run("sync", "date.csv", "--entity", "Channel")
    #expect(
      date.status == 1 && date.errors.contains("date.csv:2:5:") && date.errors.contains("date.csv:3:5:"))
    try space.write("column.csv", "name,baseUrl\none,x\n")
    try space.write("outside.csv", "name,displayName\none,My one\ntwo,My two\n")
    let outside = try space.run(
      "sync", "outside.csv", "--entity", "Channel", "--predicate", "displayName=My one")
    #expect(
      outside.status == 1 && outside.errors.contains("outside.csv:3: 'displayName'")
        && outside.errors.contains("[bad-row]"), "\(outside.errors)")
    let column = try space.run("sync", "column.csv", "--entity", "Channel")
    #expect(column.status == 64 && column.errors.contains("did you mean 'baseURL'"))
    #expect(try space.run("sync", "no.csv", "--entity", "Channel").status == 66)
    #expect(try space.run("sync", "twice.csv", "--entity", "Chanel").status == 64)
    #expect(try space.bytes() == before)
  }

  @Test("Rows of new objects that do not give what these require are refused, each with its place")
  func lackingRows() throws {
    let space = try Channels()
    try space.write(
      "radio.yml",
      """
      version: 1
      name: Radio
      entities:
        Channel: {attributes: {name: String, kind: String}, uniquenessConstraints: [[name]]}
      """)
    try space.execute("ALTER TABLE channel ADD COLUMN kind TEXT NOT NULL DEFAULT 'x'")
    let before = try space.bytes()
    try space.write("new.csv", "name\none\nfour\nfive\n")
    let run = try space.run("sync", "new.csv", "--entity", "Channel", "--no-delete")
    #expect(
      run.status == 1 && run.errors.contains("new.csv:3: 'kind' of Channel is required"), "\(run.errors)")
    #expect(run.errors.contains("new.csv:4: 'kind'"), "\(run.errors)")
    #expect(try space.bytes() == before)
  }

  @Test("A row of an object may say again what it is called, but nothing else")
  func namedRows() throws {
    let space = try Channels()
    let before = try space.bytes()
    try space.write("other.json", #"{"one": {"name": "x"}, "two": {}, "three": {}}"#)
    let run = try space.run("sync", "other.json", "--entity", "Channel")
    #expect(run.status == 1 && run.errors.contains("[bad-row]"), "\(run.errors)")
    #expect(run.errors.contains("'name' is 'x', but the row is called 'one'"), "\(run.errors)")
    try space.write("same.json", #"{"one": {"name": "one"}, "two": {}, "three": {}}"#)
    #expect(try space.run("sync", "same.json", "--entity", "Channel").output == "unchanged  3  Channel\n")
    #expect(try space.bytes() == before)
  }

  @Test("Duplicates are merged, told first by --dry-run, and a second run has nothing to do")
  func dedupe() throws {
    let space = try Channels()
    try space.execute(
      """
      UPDATE channel SET display_name = 'Same' WHERE id < 3;
      UPDATE channel SET modified = '2025-01-01T00:00:00.000Z' WHERE id = 2
      """)
    let before = try space.bytes()
    let dry = try space.run("dedupe", "Channel", "--by", "displayName", "--dry-run")
    #expect(dry.status == 0 && dry.output.contains("would merge  1  Channel"), "\(dry.errors)")
    #expect(try space.bytes() == before)
    let run = try space.run("dedupe", "channel", "--by", "displayName", "--format", "json")
    #expect(run.status == 0)
    #expect(
      run.output.contains(
        #""groups":[{"entity":"Channel","identity":["Same"],"merged":["1"],"survivor":"2"}]"#))
    #expect(try space.rows() == ["2 two http://two Same", "3 three http://three My three"])
    let after = try space.bytes()
    #expect(try space.run("dedupe", "--by", "displayName").output == "nothing changed\n")
    #expect(try space.bytes() == after)
  }

  @Test("Where nothing identifies objects, dedupe says that nothing was compared")
  func dedupeWithoutIdentities() throws {
    let space = try Channels()
    try space.write(
      "radio.yml",
      "version: 1\nname: Radio\nentities: {Channel: {attributes: {name: String, baseURL: URI?}}}\n")
    let run = try space.run("dedupe")
    #expect(run.status == 0 && run.output == "nothing changed\n")
    #expect(run.errors.contains("No entity has a uniqueness constraint, so nothing was compared;"))
    #expect(try !space.run("dedupe", "--by", "Channel=name").errors.contains("nothing was compared"))
  }

  @Test(
    "Rows name the objects that theirs belong to, in a column or a member",
    arguments: [
      ("t.csv", "text,article.name,language.code\nSalz,salt,de\nle pain,bread,fr\n"),
      ("t.tsv", "text\tarticle.name\tlanguage.code\nSalz\tsalt\tde\nle pain\tbread\tfr\n"),
      (
        "t.json",
        """
        [{"text": "Salz", "article.name": "salt", "language.code": "de"},
         {"text": "le pain", "article.name": "bread", "language.code": "fr"}]
        """
      ),
    ])
  func relatedObjects(name: String, text: String) throws {
    let folder = try Channels()
    try folder.write(
      "words.yml",
      """
      version: 1
      name: Words
      entities:
        Article: {attributes: {name: String}, uniquenessConstraints: [[name]]}
        Language: {attributes: {code: String}, uniquenessConstraints: [[code]]}
        Translation:
          attributes: {text: String}
          relationships: {article: {destination: Article}, language: {destination: Language}}
      """)
    try folder.write(name, text)
    let words = ["--model", "words.yml", "--store", "words.sqlite"]
    #expect(try CommandTests.run("moclone", ["store", "init"] + words, in: folder.folder).status == 0)
    let queue = try DatabaseQueue(path: folder.folder.appendingPathComponent("words.sqlite").path)
    try queue.write {
      try $0.execute(
        sql: """
          INSERT INTO article(name) VALUES ('bread'), ('salt'); INSERT INTO language(code) VALUES ('de'), ('fr');
          INSERT INTO translation(text, article_id, language_id) VALUES ('Brot', 1, 1), ('pain', 1, 2), ('sel', 2, 2)
          """)
    }
    let sync =
      [
        "sync", name, "--entity", "translation", "--by", "article.name,language.code", "--overwriting",
        "text",
      ] + words
    let refused = try CommandTests.run("moclone", sync, in: folder.folder)
    #expect(
      refused.status == 1
        && refused.errors.contains(
          "2 of 3 objects of Translation would be deleted, which is more than half of them")
    )
    let done = try CommandTests.run("moclone", sync + ["--max-delete", "2"], in: folder.folder)
    #expect(
      done.output == "created  1  Translation\nupdated  1  Translation\ndeleted  2  Translation\n",
      "\(done.errors)")
    let rows = try queue.read {
      try String.fetchAll($0, sql: "SELECT text || article_id || language_id FROM translation ORDER BY 1")
    }
    #expect(rows == ["Salz21", "le pain12"])
    let again = try CommandTests.run("moclone", sync, in: folder.folder)
    #expect(again.output == "unchanged  2  Translation\n")
    try folder.write("more.csv", text + "Milch,milk,de\n")
    let missing = try CommandTests.run(
      "moclone", ["sync", "more.csv"] + sync.dropFirst(2), in: folder.folder)
    if name == "t.csv" {
      #expect(
        missing.status != 0
          && missing.errors.contains("more.csv:4: the store has no Article whose name is 'milk'"))
    }
  }

  @Test("A row cannot name by an identity what a cascade takes along with a deleted object")
  func relatedObjectsOfCascades() throws {
    let space = try Channels()
    try space.writeModel(
      relationships: """
        feed: {destination: Feed, inverse: channels, optional: true},
              owned: {destination: Feed, inverse: owner, toMany: true, deleteRule: cascade}
        """,
      entity: """
        Feed:
            attributes: {url: String}
            relationships:
              channels: {destination: Channel, inverse: feed, toMany: true}
              owner: {destination: Channel, inverse: owned, optional: true}
            uniquenessConstraints: [[url]]
        """)
    try space.execute(
      """
      CREATE TABLE feed(id INTEGER PRIMARY KEY, url TEXT, owner_id INTEGER);
      ALTER TABLE channel ADD feed_id INTEGER;
      INSERT INTO feed VALUES (1, 'u1', 1), (2, 'u2', 2);
      UPDATE channel SET feed_id = min(id, 2);
      """)
    func sync(_ feed: String) throws -> Finished {
      let rows = [("two", "u2"), ("three", "u2"), ("four", feed)].map { name, feed in
        #"{"name": "\#(name)", "feed.url": "\#(feed)"}"# + "\n"
      }
      try space.write("channels.ndjson", rows.joined())
      return try space.run(
        "sync", "channels.ndjson", "--entity", "Channel", "--by", "name,feed.url", "--yes")
    }
    let before = try space.rows()
    let refused = try sync("u1")
    #expect(refused.status == 66, "\(refused.errors)")
    #expect(
      refused.errors.contains("channels.ndjson:3: the store has no Feed whose url is 'u1'"),
      "\(refused.errors)")
    #expect(try space.rows() == before)
    let done = try sync("u2")
    #expect(done.status == 0 && done.output.contains("created  1  Channel"), "\(done.errors)")
  }
}
