import GRDB
import MOCloneKit
import Testing

/// Tables that join, and the order of lists.
@Suite struct JoinTableTests {
  private func notes(_ join: String, ordered: Bool, _ pairs: String) throws -> StoreFixture {
    let order = ordered ? "ordered: true, " : ""
    let columns = ordered ? ", orderColumn: place" : ""
    let inverse = ordered ? ", orderColumn: tag_place" : ""
    return try StoreFixture(
      """
      entities:
        Note:
          attributes: {name: String?}
          relationships:
            tags: {destination: Tag, toMany: true, \(order)inverse: notes,
              joinTable: {table: pair, column: note, inverseColumn: tag\(columns)}}
        Tag:
          attributes: {name: String?}
          relationships: {notes: {destination: Note, toMany: true, \(order)inverse: tags\(inverse)}}
      """,
      """
      CREATE TABLE note(id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE tag(id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE pair(\(join), note INTEGER REFERENCES note(id), tag INTEGER REFERENCES tag(id));
      INSERT INTO note VALUES (1, 'n'), (2, 'm');
      INSERT INTO tag VALUES (1, 'a'), (2, 'b'), (3, 'c');
      INSERT INTO pair VALUES \(pairs);
      """)
  }

  @Test func anOwnKeyIsCountedAnewAndOtherColumnsAreCopied() throws {
    let store = try notes(
      "id INTEGER PRIMARY KEY, weight REAL NOT NULL",
      ordered: false, "(10, 0.5, 1, 2), (11, 1.5, 1, 1), (12, 2.5, 2, 1)")
    try store.clone("Note", 1, CloneRequest(count: 2))
    #expect(
      try store.rows("SELECT * FROM pair WHERE id > 12 ORDER BY id")
        == ["13|0.5|3|2", "14|1.5|3|1", "15|0.5|4|2", "16|1.5|4|1"])
  }

  @Test(arguments: [150, 0])
  func rowsWithAnOwnKeyComeInTheOrderOfTheOriginals(smallClosure: Int) throws {
    let store = try notes("id INTEGER PRIMARY KEY", ordered: false, "(10, 1, 2), (11, 1, 3), (12, 1, 1)")
    try store.execute("CREATE UNIQUE INDEX once ON pair(note, tag)")
    let graph = SQLiteGraph(store.writer, model: store.model)
    var options = CloneOptions(keepsMapping: true)
    options.smallClosure = smallClosure
    let plan = try graph.plan("Note", CloneRequest())
    _ = try graph.run(plan, roots: [ObjectID("Note", key: 1)], options: options, saves: true)
    #expect(try store.rows("SELECT tag FROM pair WHERE note = 3 ORDER BY id") == ["2", "3", "1"])
  }

  @Test(
    "A unique column that clones repeat is found on both sides, and a clone names the relationship whose rows these are",
    arguments: [150, 0])
  func uniqueColumns(smallClosure: Int) throws {
    let store = try notes(
      "id INTEGER PRIMARY KEY, code TEXT UNIQUE", ordered: false, "(10, 'x', 1, 2), (11, 'y', 1, 1)")
    let graph = SQLiteGraph(store.writer, model: store.model)
    let found = try graph.storeFindings().filter { $0.code == .unknownUnique }
    #expect(
      found.map { $0.path.components.dropFirst().joined(separator: ".") }
        == ["Note.relationships.tags", "Tag.relationships.notes"])
    #expect(found.allSatisfy { $0.severity == .warning && $0.message.contains("code") }, "\(found)")
    var options = CloneOptions()
    options.smallClosure = smallClosure
    for (entity, name) in [("Note", "tags"), ("Tag", "notes")] {
      let plan = try graph.plan(entity, CloneRequest())
      let error = #expect(throws: CloneError.self) {
        try graph.run(plan, roots: [ObjectID(entity, key: 1)], options: options, saves: true)
      }
      let failure = error?.failures.first
      #expect(failure?.code == .uniqueValue && failure?.entity == entity && failure?.property == name)
      #expect(failure?.problem.contains("'code' in the table 'pair' is unique") == true, "\(failure!)")
      #expect(failure?.help == "leave the relationship out with --exclude \(entity).\(name)")
      try store.clone(entity, 1, CloneRequest(exclude: ["\(entity).\(name)"]))
    }
  }

  @Test(
    "A unique index of a join table that holds something new in each clone is none that clones repeat",
    arguments: [("note, code", 1), ("note, tag", 0), ("tag", 1), ("code) WHERE (code > ''", 2)])
  func otherUniqueColumns(columns: String, count: Int) throws {
    let store = try notes("id INTEGER PRIMARY KEY, code TEXT", ordered: false, "(10, 'x', 1, 2)")
    try store.execute("CREATE UNIQUE INDEX u ON pair(\(columns))")
    let found = try SQLiteGraph(store.writer, model: store.model).storeFindings()
    #expect(found.count { $0.code == .unknownUnique } == count, "\(found)")
  }

  @Test func rowsWithAnOwnKeyComeInTheirOrderIntoAnotherStore() throws {
    let source = try notes("id INTEGER PRIMARY KEY", ordered: false, "(10, 1, 2), (11, 1, 3), (12, 1, 1)")
    let target = try notes("id INTEGER PRIMARY KEY", ordered: false, "(1, 2, 1)")
    for store in [source, target] { try store.execute("CREATE UNIQUE INDEX once ON pair(note, tag)") }
    let from = SQLiteGraph(source.writer, model: source.model)
    try SQLiteGraph(target.writer, model: target.model).clone(
      from.plan("Note", CloneRequest()), roots: [from.object("Note", key: 1).id], from: from,
      SubtreeRequest(missing: .create))
    let names = "SELECT tag.name FROM pair JOIN tag ON tag.id = pair.tag WHERE note = 3 ORDER BY pair.id"
    #expect(try target.rows(names) == ["b", "c", "a"])
  }

  /// A source that is attached, and one whose rows are staged.
  private func copy(_ source: StoreFixture, into target: StoreFixture, inTransaction: Bool) throws {
    let from = SQLiteGraph(source.writer, model: source.model)
    guard inTransaction else {
      try SQLiteGraph(target.writer, model: target.model).copy(from: from)
      return
    }
    try target.writer.writeWithoutTransaction { db in
      try db.inTransaction {
        try SQLiteGraph.with(db, model: target.model) { graph in _ = try graph.copy(from: from) }
        return .commit
      }
    }
  }

  @Test(
    arguments: ["INTEGER PRIMARY KEY AUTOINCREMENT", "INTEGER PRIMARY KEY", "BIGINT PRIMARY KEY"],
    [true, false])
  func aNumberThatRowsHaveOfTheirOwnIsCountedAnewInACopy(key: String, inTransaction: Bool) throws {
    let source = try notes("id \(key)", ordered: false, "(10, 1, 2), (11, 1, 3), (12, 1, 1)")
    let target = try notes("id \(key)", ordered: false, "(10, 2, 1), (11, 1, 1)")
    for store in [source, target] { try store.execute("CREATE UNIQUE INDEX once ON pair(note, tag)") }
    try copy(source, into: target, inTransaction: inTransaction)
    #expect(
      try target.rows("SELECT id, note, tag FROM pair WHERE id > 11 ORDER BY id")
        == ["12|3|5", "13|3|6", "14|3|4"])
  }

  @Test(arguments: [true, false])
  func aUUIDThatRowsHaveOfTheirOwnIsKeptInACopyWhereItIsFree(inTransaction: Bool) throws {
    let source = try notes("id TEXT PRIMARY KEY", ordered: false, "('p', 1, 2), ('q', 1, 3)")
    let target = try notes("id TEXT PRIMARY KEY", ordered: false, "('p', 2, 1)")
    try copy(source, into: target, inTransaction: inTransaction)
    #expect(
      try target.rows(
        "SELECT CASE length(id) WHEN 36 THEN 'new' ELSE id END, note, tag FROM pair ORDER BY note, tag")
        == ["p|2|1", "new|3|5", "q|3|6"])
  }

  @Test func aNumberThatRowsHaveOfTheirOwnIsKeptWithTheKeys() throws {
    let source = try notes("id INTEGER PRIMARY KEY", ordered: false, "(10, 1, 2), (11, 1, 1)")
    let target = try notes("id INTEGER PRIMARY KEY", ordered: false, "(1, 2, 1)")
    try target.execute("DELETE FROM pair; DELETE FROM note; DELETE FROM tag")
    let from = SQLiteGraph(source.writer, model: source.model)
    try SQLiteGraph(target.writer, model: target.model).clone(
      from.plan("Note", CloneRequest()), roots: [from.object("Note", key: 1).id], from: from,
      SubtreeRequest(missing: .create, keepsKeys: true))
    #expect(try target.rows("SELECT id, note, tag FROM pair ORDER BY id") == ["10|1|2", "11|1|1"])
  }

  @Test func aJoinRowThatTheStoreRefusesIsToldWithItsTable() throws {
    let source = try notes("code TEXT UNIQUE", ordered: false, "('x', 1, 2)")
    let target = try notes("code TEXT UNIQUE", ordered: false, "('x', 2, 1)")
    let error = #expect(throws: CloneError.self) {
      try copy(source, into: target, inTransaction: false)
    }
    #expect(error?.code == .uniqueValue && error?.failures.first?.property == "tags")
    #expect(error?.description.contains("'code' in the table 'pair' is unique") == true)
    #expect(error?.description.contains("--exclude Note.tags") == true)
  }

  @Test func aUniqueColumnOfAPairIsRefused() throws {
    let store = try notes("code TEXT UNIQUE", ordered: false, "('x', 1, 2)")
    #expect(try store.refusal("Note", 1)?.code == .uniqueValue)
  }

  @Test(arguments: [
    "BEFORE INSERT ON pair WHEN new.tag = 2 BEGIN SELECT RAISE(IGNORE); END",
    "AFTER INSERT ON pair WHEN new.tag = 2 BEGIN DELETE FROM pair WHERE note = new.note AND tag = 2; END",
  ])
  func aTriggerThatIgnoresOrRemovesAJoinRowIsRefused(_ trigger: String) throws {
    let store = try notes("code TEXT", ordered: false, "('x', 1, 2), ('x', 1, 1)")
    try store.execute("CREATE TRIGGER t \(trigger)")
    #expect(try store.refusal("Note", 1)?.code == .rowCount)
  }

  @Test func listsOnBothSidesKeepTheirOrder() throws {
    let store = try notes(
      "place INTEGER, tag_place INTEGER", ordered: true,
      "(3, 1, 1, 1), (1, 7, 1, 2), (NULL, 2, 1, 3), (1, 9, 2, 2), (2, 8, 2, 1)")
    let copies = try store.clone("Note", 1, CloneRequest(count: 2)).roots
    let graph = SQLiteGraph(store.writer, model: store.model)
    let tags = try graph.object("Note", key: 1).destinations("tags").map(\.id)
    #expect(tags.map(\.key) == [3, 2, 1])
    for copy in copies {
      #expect(try graph.object("Note", key: copy.key).destinations("tags").map(\.id) == tags)
    }
    // The clones stand behind all others in each tag's list.
    let lists = try (1...3).map { key in
      try graph.object("Tag", key: [.integer(Int64(key))]).destinations("notes").map(\.id.key)
    }
    #expect(lists == [[1, 2, 3, 4], [1, 2, 3, 4], [1, 3, 4]])
    #expect(try store.rows("SELECT * FROM pair WHERE note < 3 ORDER BY note, tag").count == 5)
  }

  @Test func aListWithEqualAndNullPositionsKeepsTheOrderOfItsKeys() throws {
    let store = try StoreFixture(
      """
      entities:
        Note:
          relationships: {items: {destination: Item, toMany: true, ordered: true, inverse: note, orderColumn: place}}
        Item:
          attributes: {name: String?}
          relationships: {note: {destination: Note, optional: true, inverse: items}}
      """,
      """
      CREATE TABLE note(id INTEGER PRIMARY KEY);
      CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, note_id INTEGER REFERENCES note(id), place INTEGER);
      INSERT INTO note VALUES (1);
      INSERT INTO item VALUES (1, 'd', 1, 5), (2, 'c', 1, 4), (3, 'a', 1, NULL), (4, 'e', 1, 5), (5, 'b', 1, NULL);
      """)
    try store.clone("Note", 1, CloneRequest(count: 2))
    let graph = SQLiteGraph(store.writer, model: store.model)
    for key in 1...3 {
      let items = try graph.object("Note", key: [.integer(Int64(key))]).destinations("items")
      #expect(try items.map { try $0.value("name").description } == ["a", "b", "c", "d", "e"], "note \(key)")
    }
    // An item cloned alone joins its note's list at the end.
    let item = try store.clone("Item", 2).root
    #expect(try graph.object("Note", key: 1).destinations("items").last?.id == item)
  }

  private func folders(_ keys: String, _ folders: String, items: String = "") throws -> StoreFixture {
    try StoreFixture(
      """
      entities:
        Folder:
          primaryKey: [{column: id\(keys)}]
          attributes: {name: String?}
          relationships:
            parent: {destination: Folder, optional: true, inverse: children}
            children: {destination: Folder, toMany: true, ordered: true, orderColumn: place, inverse: parent}
            items: {destination: Item, toMany: true, ordered: true, orderColumn: place, inverse: folder}
        Item:
          primaryKey: [{column: id\(keys)}]
          attributes: {name: String?}
          relationships: {folder: {destination: Folder, optional: true, inverse: items}}
      """,
      """
      CREATE TABLE folder(id PRIMARY KEY NOT NULL, name TEXT, parent_id REFERENCES folder(id), place INTEGER);
      CREATE TABLE item(id PRIMARY KEY NOT NULL, name TEXT, folder_id REFERENCES folder(id), place INTEGER);
      INSERT INTO folder VALUES \(folders);
      \(items)
      """.replacing("id PRIMARY", with: keys.isEmpty ? "id INTEGER PRIMARY" : "id TEXT PRIMARY"))
  }

  @Test func aClonedTreeKeepsItsPositions() throws {
    let tree = """
      (1, 'root', NULL, NULL), (2, 'dev', 1, 0), (3, 'c', 2, 20), (4, 'a', 2, 0), (5, 'b', 2, 1), (6, 'x', 3, 0)
      """
    let store = try folders("", tree)
    try store.clone("Folder", 2)
    // The root itself joins the list of its original.
    let added = "SELECT parent_id, place, name FROM folder WHERE id > 6 ORDER BY 1, 2"
    #expect(try store.rows(added) == ["1|1|dev", "7|0|a", "7|1|b", "7|20|c", "8|0|x"])
    let copies = try folders("", tree)
    try copies.clone("Folder", 2, CloneRequest(count: 2))
    let places = "SELECT place, name FROM folder WHERE id > 6 AND parent_id > 6 ORDER BY 1, 2"
    #expect(
      try copies.rows(places) == ["0|a", "0|a", "0|x", "0|x", "1|b", "1|b", "20|c", "20|c"])
  }

  @Test func listsOfRandomKeysKeepPositionsThatOrderThem() throws {
    let store = try folders(
      ", generate: uuid", "('f', 'f', NULL, NULL), ('g', 'g', 'f', 0)",
      items: """
        INSERT INTO item VALUES ('1', 'c', 'f', 20), ('2', 'a', 'f', 0), ('3', 'b', 'f', 1),
          ('4', 'd', 'g', 7), ('5', 'e', 'g', 7), ('6', 'f', 'g', 7);
        """)
    try store.clone("Folder", ObjectKey(["f"]))
    // Equal positions are read in the order of the keys, so the new members are numbered.
    #expect(
      try store.rows("SELECT place, name FROM item WHERE length(folder_id) > 1 ORDER BY name")
        == ["0|a", "1|b", "20|c", "1|d", "2|e", "3|f"])
  }

  @Test(arguments: ["", "WITHOUT ROWID"])
  func pairsWithinOneTable(option: String) throws {
    let store = try StoreFixture(
      """
      entities:
        Page:
          attributes: {name: String?}
          relationships:
            links: {destination: Page, toMany: true, inverse: linkedBy,
              joinTable: {table: link, column: source, inverseColumn: target}}
            linkedBy: {destination: Page, toMany: true, inverse: links}
            children: {destination: Page, toMany: true, inverse: parent}
            parent: {destination: Page, optional: true, inverse: children}
      """,
      """
      CREATE TABLE page(id INTEGER PRIMARY KEY, name TEXT, parent_id INTEGER REFERENCES page(id));
      CREATE TABLE link(target INTEGER REFERENCES page(id), source INTEGER REFERENCES page(id),
        PRIMARY KEY(source, target)) \(option);
      INSERT INTO page VALUES (1, 'a', NULL), (2, 'b', 1), (3, 'other', NULL);
      INSERT INTO link(source, target) VALUES (1, 2), (2, 1), (1, 1), (1, 3), (3, 2), (3, 3);
      """)
    try store.clone("Page", 1)
    #expect(
      try store.rows("SELECT source, target FROM link WHERE source > 3 OR target > 3 ORDER BY 1, 2")
        == ["3|5", "4|3", "4|4", "4|5", "5|4"])
    #expect(try store.rows("SELECT count(*) FROM link WHERE source < 4 AND target < 4") == ["6"])
  }
}
