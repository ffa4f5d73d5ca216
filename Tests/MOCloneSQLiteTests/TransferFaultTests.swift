import Foundation
import MOCloneKit
import TestSupport
import Testing

/// Rare shapes of data and of stores in which moves must be right, too.
@Suite("Moves in rare shapes")
struct TransferFaultTests {
  private static let model = """
    entities:
      Note:
        attributes: {name: String, text: String?}
        relationships:
          items: {destination: Item, toMany: true, inverse: note, deleteRule: cascade}
          tags: {destination: Tag, toMany: true, inverse: notes,
            joinTable: {table: note_tag, column: note_id, inverseColumn: tag_id}}
        uniquenessConstraints: [[name]]
      Item:
        attributes: {name: String, text: String?}
        relationships: {note: {destination: Note, optional: true, inverse: items}}
        uniquenessConstraints: [[name]]
      LongItem: {parent: Item, attributes: {more: String?}}
      Tag:
        attributes: {name: String}
        relationships: {notes: {destination: Note, toMany: true, inverse: tags}}
        uniquenessConstraints: [[name]]
    """
  private static let tables = """
    CREATE TABLE note(id INTEGER PRIMARY KEY, name TEXT UNIQUE, text TEXT);
    CREATE TABLE item(id INTEGER PRIMARY KEY, entity TEXT NOT NULL DEFAULT 'Item', name TEXT, text TEXT, more TEXT,
      note_id INTEGER);
    CREATE TABLE tag(id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE note_tag(note_id INTEGER, tag_id INTEGER, PRIMARY KEY (note_id, tag_id));

    """

  private func store(_ sql: String) throws -> StoreFixture { try StoreFixture(Self.model, Self.tables + sql) }
  private func graph(_ store: StoreFixture) -> SQLiteGraph { SQLiteGraph(store.writer, model: store.model) }

  @Test(
    "A subtree is cloned into another store whose values its unique ones do not meet")
  func uniqueValuesOfTheSource() throws {
    let source = try store(
      "INSERT INTO note VALUES (1, 'a', NULL); INSERT INTO item VALUES (1, 'Item', 'i', NULL, NULL, 1);")
    let target = try store("")
    let from = graph(source)
    try graph(target).clone(
      from.plan("Note", CloneRequest()), roots: [from.object("Note", key: 1).id], from: from, SubtreeRequest()
    )
    #expect(try target.rows("SELECT n.name, i.name FROM note n JOIN item i ON i.note_id = n.id") == ["a|i"])
  }

  @Test("What only clones would violate refuses no copy, because a copy keeps values")
  func rulesOfClones() throws {
    func store(_ sql: String) throws -> StoreFixture {
      try StoreFixture(
        """
        entities:
          Note:
            attributes: {name: String, code: {type: String, optional: true, userInfo: {exclude: ""}}}
            relationships: {items: {destination: Item, toMany: true, inverse: note, deleteRule: cascade}}
          Item:
            attributes: {name: String}
            relationships: {note: {destination: Note, inverse: items}}
        """,
        """
        CREATE TABLE note(id INTEGER PRIMARY KEY, name TEXT, code TEXT NOT NULL);
        CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, note_id INTEGER);

        """ + sql)
    }
    let source = try store(
      "INSERT INTO note VALUES (1, 'n', 'c'); INSERT INTO item VALUES (1, 'a', 1), (2, 'b', 1);")
    let target = try store("")
    let report = try graph(target).copy(from: graph(source))
    #expect(report.created == ["Note": 1, "Item": 2])
    #expect(try target.rows("SELECT n.code, i.name FROM note n JOIN item i ORDER BY 2") == ["c|a", "c|b"])
    let again = #expect(throws: CloneError.self) { try graph(target).copy(from: graph(source)) }
    #expect(again?.code == .uniqueValue)
  }

  @Test(
    "A trigger that ignores the change of a row refuses the copy that makes it")
  func ignoredUpdates() throws {
    let source = try store(
      "INSERT INTO note VALUES (1, 'a', NULL); INSERT INTO item VALUES (1, 'Item', 'i', NULL, NULL, 1);")
    let target = try store(
      """
      INSERT INTO item VALUES (1, 'Item', 'i', NULL, NULL, NULL);
      CREATE TRIGGER guard BEFORE UPDATE ON item BEGIN SELECT RAISE(IGNORE); END;
      """)
    let error = #expect(throws: CloneError.self) { try graph(target).copy(from: graph(source)) }
    #expect(error?.code == .rowCount)
    #expect(try target.rows("SELECT count(*) FROM note") == ["0"])
  }

  @Test(
    "A trigger that gives new rows another destination refuses the copy that makes them",
    arguments: ["9", "NULL"])
  func movedRows(destination: String) throws {
    let source = try store(
      "INSERT INTO note VALUES (1, 'a', NULL); INSERT INTO item VALUES (1, 'Item', 'i', NULL, NULL, 1);")
    let target = try store(
      """
      INSERT INTO note VALUES (9, 'b', NULL);
      CREATE TRIGGER moving AFTER INSERT ON item BEGIN
        UPDATE item SET note_id = \(destination) WHERE id = new.id;
      END;
      """)
    let error = #expect(throws: CloneError.self) { try graph(target).copy(from: graph(source)) }
    #expect(error?.code == .rowCount)
    #expect("\(error!)".contains("'Item.note' of 1 new row"), "\(error!)")
    #expect(try target.rows("SELECT count(*) FROM note") == ["1"])
  }

  @Test("A trigger that ignores the change of a row refuses the sync that makes it")
  func ignoredUpdatesOfSyncs() throws {
    let store = try store(
      """
      INSERT INTO item VALUES (1, 'Item', 'i', 'old', NULL, NULL);
      CREATE TRIGGER guard BEFORE UPDATE ON item BEGIN SELECT RAISE(IGNORE); END;
      """)
    let error = #expect(throws: CloneError.self) {
      try graph(store).sync(
        SyncRequest(entity: "Item", overwriting: ["text"]), from: [["name": "i", "text": "new"]])
    }
    #expect(error?.code == .rowCount)
  }

  @Test("A sync tells which objects a trigger kept from holding what their rows give, and no others")
  func revertedUpdatesOfSyncs() throws {
    let store = try store(
      """
      INSERT INTO item VALUES (1, 'Item', 'i', 'old', NULL, NULL), (2, 'Item', 'j', 'old', NULL, NULL);
      CREATE TRIGGER guard AFTER UPDATE ON item WHEN old.name = 'i' BEGIN
        UPDATE item SET text = old.text WHERE id = old.id;
      END;
      """)
    let report = try graph(store).sync(
      SyncRequest(entity: "Item", overwriting: ["text"]),
      from: [["name": "i", "text": "new"], ["name": "j", "text": "new"]])
    #expect(report.skipped?.map(\.place) == ["\(ObjectID("Item", key: 1))"])
    #expect(report.text().contains("a trigger of the store kept or replaced values that its row gives"))
    #expect(try store.rows("SELECT name, text FROM item ORDER BY 1") == ["i|old", "j|new"])
  }

  @Test(
    "A trigger that ignores the emptying of a reference refuses the deletion, whether keys are enforced or not"
  )
  func ignoredReleases() throws {
    let store = try store(
      """
      INSERT INTO note VALUES (1, 'a', NULL), (2, 'b', NULL);
      INSERT INTO item VALUES (1, 'Item', 'i', NULL, NULL, 1);
      CREATE TRIGGER guard BEFORE UPDATE ON item BEGIN SELECT RAISE(IGNORE); END;
      """)
    let model = try ObjectModel(
      name: store.model.name,
      entities: store.model.entities.map { entity in
        var entity = entity
        for i in entity.relationships.indices { entity.relationships[i].deleteRule = .nullify }
        return entity
      })
    let error = #expect(throws: CloneError.self) {
      try SQLiteGraph(store.writer, model: model).sync(
        SyncRequest(entity: "Note"), from: [["name": "b"]])
    }
    #expect(error?.code == .rowCount)
    #expect(try store.rows("SELECT count(*) FROM note") == ["2"])
  }

  @Test("A trigger that ignores the deletion of a row refuses the sync that makes it")
  func ignoredDeletions() throws {
    let store = try store(
      """
      INSERT INTO item VALUES (1, 'Item', 'i', NULL, NULL, NULL), (2, 'Item', 'j', NULL, NULL, NULL);
      CREATE TRIGGER guard BEFORE DELETE ON item BEGIN SELECT RAISE(IGNORE); END;
      """)
    let error = #expect(throws: CloneError.self) {
      try graph(store).sync(SyncRequest(entity: "Item"), from: [["name": "i"]])
    }
    #expect(error?.code == .rowCount)
  }

  @Test(
    "The report of an import counts objects by their own entities")
  func importsOfSubEntities() throws {
    let store = try store("INSERT INTO item VALUES (1, 'LongItem', 'i', NULL, NULL, NULL);")
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("moclone-fault-\(UUID()).csv")
    try Data("name\ni\n".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let mapping = try ImportMapping(yaml: "entity: Item\nattributes: {name: '@name'}")
    let report = try graph(store).importFile(file.path, mapping: mapping)
    #expect(report?.found == ["LongItem": 1])
  }

  @Test(
    "A sync is refused where an object that has a row would go with one that has none")
  func cascadesOfSyncs() throws {
    let store = try StoreFixture(
      SharedModel.namedTree,
      """
      CREATE TABLE folder(id INTEGER PRIMARY KEY, name TEXT, parent_id INTEGER, box INTEGER REFERENCES folder ON DELETE CASCADE);
      INSERT INTO folder VALUES (1, 'a', NULL, NULL), (2, 'b', 1, NULL), (3, 'c', NULL, 4), (4, 'd', NULL, NULL);
      """)
    let all = try store.rows("SELECT * FROM folder")
    func refusal(_ names: [String]) throws -> CloneError? {
      let error = #expect(throws: CloneError.self) {
        try graph(store).sync(SyncRequest(entity: "Folder"), from: names.map { ["name": .string($0)] })
      }
      #expect(try store.rows("SELECT * FROM folder") == all)
      #expect(error?.code == .deleteDenied)
      return error
    }
    #expect("\(try refusal(["c", "d", "b"])!)".contains("3: Folder 2 would be deleted by a cascade"))
    #expect("\(try refusal(["a", "b", "c"])!)".contains("delete 1 more objects of Folder, which have rows"))
    let report = try graph(store).sync(
      SyncRequest(entity: "Folder"), from: ["a", "c", "d"].map { ["name": $0] })
    #expect(report.deleted == ["Folder": 1] && report.unchanged == ["Folder": 3])
  }

  @Test(
    "What keeps a clone out of another store names the original; a unique value that is set is told as such")
  func namesOfOriginals() throws {
    let model = """
      entities:
        Code:
          attributes: {code: String, text: String?}
          uniquenessConstraints: [[code]]
      """
    func table(_ type: String) -> String {
      "CREATE TABLE code(id INTEGER PRIMARY KEY, code TEXT UNIQUE, text \(type));"
    }
    let source = try StoreFixture(
      model, table("TEXT") + "INSERT INTO code VALUES (5, 'ab', '007'), (6, 'cd', 'x');")
    let target = try graph(StoreFixture(model, table("NUMERIC")))
    let graph = graph(source)
    let plan = try ClonePlan(model: graph.model, entity: "Code", request: CloneRequest(set: ["code": "new"]))
    let root = try graph.object("Code", key: 5).id
    let refusal = #expect(throws: CloneError.self) { try target.clone(plan, roots: [root], from: graph) }
    #expect("\(refusal!)".contains("'007' of Code 5"), "\(refusal!)")
    #expect(refusal?.failures.first?.object == root)
    let repeated = #expect(throws: CloneError.self) {
      try Cloner().clone("Code", keys: [5, 6], in: graph, request: CloneRequest(set: ["code": "new"]))
    }
    #expect(
      repeated?.code == .uniqueValue && "\(repeated!)".contains("--set gives a new root"), "\(repeated!)")
  }

  @Test("A row that holds a dangling reference is filled, also where foreign keys are on")
  func danglingRowsUnderForeignKeys() throws {
    let store = try StoreFixture(
      Self.model,
      "PRAGMA foreign_keys = OFF;"
        + Self.tables.replacing(
          "note_id INTEGER);\nCREATE TABLE tag",
          with: "note_id INTEGER REFERENCES note(id));\nCREATE TABLE tag"))
    try store.writer.writeWithoutTransaction { db in
      try db.execute(
        sql: """
          PRAGMA foreign_keys = OFF;
          INSERT INTO item VALUES (1, 'Item', 'i', NULL, NULL, 99);
          PRAGMA foreign_keys = ON;
          """)
    }
    let request = SyncRequest(entity: "Item", overwriting: ["text"])
    try graph(store).sync(request, from: [["name": "i", "text": "new"]])
    #expect(try store.rows("SELECT text, note_id FROM item") == ["new|99"])
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("moclone-fault-\(UUID()).csv")
    try Data("name,more\ni,m\n".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let mapping = try ImportMapping(yaml: "entity: Item\nattributes: {name: '@name', text: '@more'}")
    try graph(store).importFile(file.path, mapping: mapping, options: ImportOptions(existing: .update))
    #expect(try store.rows("SELECT text, note_id FROM item") == ["m|99"])
  }

  @Test("A new object gets no key that a join row without its objects holds")
  func keysOfDanglingJoinRows() throws {
    let rows =
      "INSERT INTO note VALUES (1, 'a', NULL); INSERT INTO tag VALUES (1, 't'); INSERT INTO note_tag VALUES (1, 1);"
    let (source, target) = (try store(rows), try store("INSERT INTO note_tag VALUES (1, 1);"))
    try graph(target).copy(from: graph(source))
    #expect(try target.rows("SELECT count(*) FROM note_tag") == ["2"])
    #expect(
      try target.rows(
        "SELECT n.name, t.name FROM note_tag JOIN note n ON n.id = note_id JOIN tag t ON t.id = tag_id") == [
          "a|t"
        ])
  }

  /// `INSERT OR ABORT` would make its policy that of the triggers' statements, too.
  @Test(
    "A trigger whose statement says OR REPLACE or OR IGNORE does what it does for the app",
    arguments: ["REPLACE", "IGNORE"])
  func conflictsInTriggers(policy: String) throws {
    let trigger = """
      CREATE TABLE seen(name TEXT PRIMARY KEY, id INTEGER);
      CREATE TRIGGER note_added AFTER INSERT ON item BEGIN
        INSERT OR \(policy) INTO seen VALUES ('item', new.id);
      END;
      INSERT INTO note(id, name) VALUES (1, 'a');
      INSERT INTO item(id, name, note_id) VALUES (1, 'i', 1), (2, 'j', 1);
      """
    let store = try StoreFixture(
      Self.model.replacing("    uniquenessConstraints: [[name]]\n", with: ""), Self.tables + trigger)
    #expect(try store.clone("Note", 1, CloneRequest(set: ["name": "b"])).cloned["Item"] == 2)
    let target = try self.store(trigger.replacing("INSERT INTO item(", with: "-- "))
    let source = try self.store("INSERT INTO item(id, name) VALUES (1, 'x'), (2, 'y');")
    #expect(try graph(target).copy(from: graph(source)).created == ["Item": 2])
  }

  @Test(
    "An attribute that triggers keep is what they make it, in new objects and in those that exist")
  func countersOfTriggers() throws {
    let model = """
      entities:
        Note:
          attributes: {name: String, count: {type: Integer 64, default: 0, derived: trigger}}
          relationships: {items: {destination: Item, toMany: true, inverse: note}}
          uniquenessConstraints: [[name]]
        Item:
          attributes: {name: String}
          relationships: {note: {destination: Note, optional: true, inverse: items}}
          uniquenessConstraints: [[name]]
      """
    let tables = """
      CREATE TABLE note(id INTEGER PRIMARY KEY, name TEXT, count INTEGER NOT NULL DEFAULT 0);
      CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, note_id INTEGER);
      CREATE TRIGGER added AFTER INSERT ON item BEGIN
        UPDATE note SET count = count + 1 WHERE id = new.note_id;
      END;
      CREATE TRIGGER moved AFTER UPDATE OF note_id ON item BEGIN
        UPDATE note SET count = count - 1 WHERE id = old.note_id;
        UPDATE note SET count = count + 1 WHERE id = new.note_id;
      END;
      """
    let source = try StoreFixture(
      model,
      tables
        + "INSERT INTO note VALUES (1, 'a', 0), (2, 'b', 0); INSERT INTO item VALUES (1, 'i', 1), (2, 'j', 1), (3, 'k', 2);"
    )
    let target = try StoreFixture(
      model, tables + "INSERT INTO note VALUES (7, 'a', 0); INSERT INTO item VALUES (9, 'i', 7), (8, 'z', 7);"
    )
    try graph(target).copy(from: graph(source))
    #expect(try target.rows("SELECT name, count FROM note ORDER BY name") == ["a|3", "b|1"])
  }

  // MARK: Several tenants

  private static func tenants(number: String, _ rows: String) throws -> StoreFixture {
    try StoreFixture(
      SharedModel.tenants(uuids: "blob", number: number),
      """
      CREATE TABLE tenant(id BLOB PRIMARY KEY, name TEXT);
      CREATE TABLE shelf(tenant_id BLOB, number \(number == "max" ? "INTEGER" : ""), name TEXT, PRIMARY KEY (tenant_id, number));
      CREATE TABLE item(tenant_id BLOB, number \(number == "max" ? "INTEGER" : ""), shelf_number, name TEXT, PRIMARY KEY (tenant_id, number));
      INSERT INTO tenant VALUES (x'A0000000000040008000000000000001', 'T');
      \(rows.replacing("T,", with: "x'A0000000000040008000000000000001',"))
      """)
  }

  @Test(
    "A copy counts numbers within a tenant that exists"
  )
  func numbersWithinATenant() throws {
    let source = try Self.tenants(number: "max", "INSERT INTO shelf VALUES (T, 1, 'b');")
    let target = try Self.tenants(number: "max", "INSERT INTO shelf VALUES (T, 1, 'a');")
    try graph(target).copy(from: graph(source))
    #expect(try target.rows("SELECT number, name FROM shelf ORDER BY 1") == ["1|a", "2|b"])
  }

  @Test(
    "A sync counts numbers within a tenant")
  func numbersOfSyncs() throws {
    let store = try Self.tenants(number: "max", "INSERT INTO item VALUES (T, 1, NULL, 'a');")
    let tenant = try #require(try graph(store).objects("Tenant").first).id.key.parts[0]
    try graph(store).sync(
      SyncRequest(entity: "Item"), from: [["tenant": tenant, "name": "a"], ["tenant": tenant, "name": "b"]])
    #expect(try store.rows("SELECT number, name FROM item ORDER BY 1") == ["1|a", "2|b"])
  }

  @Test(
    "A copy fills an empty reference that shares the tenant with the key")
  func sharedReferences() throws {
    let source = try Self.tenants(
      number: "uuid",
      "INSERT INTO shelf VALUES (T, x'01', 'a'); INSERT INTO item VALUES (T, x'02', x'01', 'i');")
    let target = try Self.tenants(
      number: "uuid",
      "INSERT INTO shelf VALUES (T, x'03', 'a'); INSERT INTO item VALUES (T, x'04', NULL, 'i');")
    try graph(target).copy(from: graph(source))
    #expect(try target.rows("SELECT number, shelf_number FROM item") == ["04|03"])
  }

  @Test(
    "The scope of a sync is an object whose key is a UUID in a blob")
  func scopesByBlobs() throws {
    let store = try Self.tenants(
      number: "uuid", "INSERT INTO item VALUES (T, x'02', NULL, 'a'), (T, x'03', NULL, 'b');")
    let tenant = try #require(try graph(store).objects("Tenant").first).id.key.parts[0]
    var request = SyncRequest(entity: "Item")
    request.scope = ["tenant": tenant]
    let report = try graph(store).sync(request, from: [["name": "a"]])
    #expect(report.unchanged == ["Item": 1] && report.deleted == ["Item": 1] && report.created == nil)
    #expect(try store.rows("SELECT count(*) FROM item JOIN tenant t ON t.id = tenant_id") == ["1"])
  }

  @Test(
    "An index that does not keep all rows apart by their columns is named, and its columns are no identity",
    arguments: [
      (
        "member(team, upper(name))",
        "'team' and what the index 'once' computes of Member are unique together, but"
      ),
      (
        "member(team) WHERE role = 'owner'",
        "'team' of Member is unique among the rows of the index 'once' (WHERE role = 'owner'), but"
      ),
    ])
  func specialIndexes(index: String, words: String) throws {
    func store(_ sql: String) throws -> StoreFixture {
      try StoreFixture(
        "entities: {Member: {attributes: {name: String, role: String, team: Integer 64}}}",
        """
        CREATE TABLE member(id INTEGER PRIMARY KEY, name TEXT, role TEXT, team INTEGER);
        CREATE UNIQUE INDEX once ON \(index);
        \(sql)
        """)
    }
    let source = try store("INSERT INTO member VALUES (1, 'Ann', 'owner', 7), (2, 'Bob', 'guest', 7);")
    let target = try store("")
    try graph(target).copy(from: graph(source))
    let error = #expect(throws: CloneError.self) { try graph(target).copy(from: graph(source)) }
    let text = error?.failures.first?.message ?? ""
    #expect(error?.failures.map(\.code) == [.uniqueValue])
    #expect(
      text.contains(words) && text.hasSuffix("with --by by what tells all its objects apart"), "\(text)")
    let cloned = try source.refusal("Member", 1)?.failures.first?.message ?? ""
    #expect(cloned.contains("the index 'once'"), "\(cloned)")
  }

  @Test("A linked object without an identity: what could be one is named, and copying it first is no advice")
  func linkedWithoutIdentity() throws {
    func store(_ sql: String) throws -> StoreFixture {
      try StoreFixture(
        """
        entities:
          User:
            primaryKey: [{column: id, generate: uuid}]
            attributes: {id: UUID, name: String}
            relationships: {notes: {destination: Note, toMany: true, inverse: user}}
          Note:
            attributes: {text: String}
            relationships: {user: {destination: User, inverse: notes}}
        """,
        """
        CREATE TABLE user(id TEXT PRIMARY KEY, name TEXT);
        CREATE TABLE note(id INTEGER PRIMARY KEY, text TEXT, user_id TEXT REFERENCES user);
        \(sql)
        """)
    }
    let user = "INSERT INTO user VALUES ('00000000-0000-4000-8000-00000000000A', 'Ann');"
    let source = try store(
      user + "INSERT INTO note VALUES (1, 'a', '00000000-0000-4000-8000-00000000000A');")
    let (from, target) = (graph(source), try store(user))
    let (plan, root) = (try from.plan("Note", CloneRequest()), try from.object("Note", key: 1).id)
    let error = #expect(throws: CloneError.self) {
      try graph(target).clone(plan, roots: [root], from: from, SubtreeRequest())
    }
    let text = error?.failures.first?.message ?? ""
    #expect(text.contains("as in --by User=id") && !text.contains("copy it first"), "\(text)")
    try graph(target).clone(
      plan, roots: [root], from: from, SubtreeRequest(identifiedBy: ["User": ["id"]]))
    #expect(try target.rows("SELECT name FROM user JOIN note ON user_id = user.id") == ["Ann"])
  }
}
