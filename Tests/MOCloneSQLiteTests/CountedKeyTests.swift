import MOCloneKit
import Testing

/// Integer keys that are no row numbers, and numbers within the other parts of a key.
@Suite struct CountedKeyTests {
  static let notes = """
    entities:
      Note:
        primaryKey: note_id
        attributes: {name: String?}
        relationships:
          items: {destination: Item, toMany: true, inverse: note}
          parent: {destination: Note, optional: true, inverse: notes, column: parent_id}
          notes: {destination: Note, toMany: true, inverse: parent}
      Item:
        primaryKey: item_id
        attributes: {name: String?}
        relationships:
          note: {destination: Note, inverse: items, column: note_id}
    """

  @Test(arguments: [
    "note_id INT PRIMARY KEY", "note_id INTEGER NOT NULL PRIMARY KEY DESC",
    "note_id SMALLINT NOT NULL PRIMARY KEY",
    "note_id numeric NOT NULL PRIMARY KEY", "note_id INTEGER PRIMARY KEY",
  ])
  func keysThatAreNoRowNumbersAreCounted(key: String) throws {
    for ending in ["", " WITHOUT ROWID"] where !(key.hasSuffix("INTEGER PRIMARY KEY") && ending.isEmpty) {
      let store = try StoreFixture(
        Self.notes,
        """
        CREATE TABLE note(\(key), name TEXT, parent_id INT REFERENCES note(note_id))\(ending);
        CREATE TABLE item(item_id INT NOT NULL PRIMARY KEY, note_id INT NOT NULL REFERENCES note(note_id), name TEXT)\(ending);
        INSERT INTO note VALUES (7, 'top', NULL), (3, 'a', 7), (5, 'b', 7), (4, 'c', 5), (9, 'other', NULL);
        INSERT INTO item VALUES (20, 3, 'x'), (10, 4, 'y'), (15, 7, 'z'), (30, 9, 'o');
        """)
      let result = try store.clone("Note", 7, CloneRequest(count: 2))
      #expect(result.roots.map(\.key) == [10, 14])
      #expect(
        try store.rows("SELECT note_id, name, parent_id FROM note WHERE note_id > 9 ORDER BY 1")
          == [
            "10|top|-", "11|a|10", "12|b|10", "13|c|12", "14|top|-", "15|a|14", "16|b|14", "17|c|16",
          ])
      #expect(
        try store.rows("SELECT item_id, note_id, name FROM item WHERE item_id > 30 ORDER BY 1")
          == ["31|10|z", "32|11|x", "33|13|y", "34|14|z", "35|15|x", "36|17|y"])
      try store.clone("Item", 10)
      let graph = SQLiteGraph(store.writer, model: store.model)
      #expect(try graph.insert("Item", ["note": 9]).id.key == 38)
      #expect(try graph.object("Item", key: 37).destination("note")?.id.key == 4)
    }
  }

  @Test(arguments: [
    "INTEGER NOT NULL PRIMARY KEY DESC", "INTEGER PRIMARY KEY) WITHOUT ROWID; --",
    "INT NOT NULL PRIMARY KEY", "INTEGER PRIMARY KEY AUTOINCREMENT",
  ])
  func theGraphMakesTheKeyWhereSQLiteDoesNot(key: String) throws {
    let store = try StoreFixture(
      "entities: {Note: {}}", "CREATE TABLE note(id \(key));\nINSERT INTO note VALUES (7)")
    let graph = SQLiteGraph(store.writer, model: store.model)
    #expect(try graph.insert("Note").id.key == 8)
    #expect(try store.rows("SELECT id FROM note ORDER BY id") == ["7", "8"])
  }

  @Test func aKeyOfAnotherKindIsRefused() throws {
    let store = try StoreFixture(
      Self.notes,
      """
      CREATE TABLE note(note_id INT PRIMARY KEY, name TEXT, parent_id INT);
      CREATE TABLE item(item_id TEXT PRIMARY KEY, note_id INT, name TEXT);
      INSERT INTO note VALUES ('ALFKI', 'a', NULL), (1, 'b', NULL);
      """)
    #expect(try store.refusal("Note", 1)?.code == .storeMismatch)
    #expect(try store.refusal("Note", 1, CloneRequest(exclude: ["items"]))?.code == .storeMismatch)
    let graph = SQLiteGraph(store.writer, model: store.model)
    #expect(throws: CloneError.self) { try graph.insert("Item", ["note": 1]) }
    #expect(try graph.count("Item") == 0)
  }

  @Test func aKeyWithoutRoomAboveItIsRefused() throws {
    let store = try StoreFixture(
      Self.notes,
      """
      CREATE TABLE note(note_id INT PRIMARY KEY, name TEXT, parent_id INT);
      CREATE TABLE item(item_id INT PRIMARY KEY, note_id INT, name TEXT);
      INSERT INTO note VALUES (9223372036854775806, 'a', NULL), (1, 'b', NULL);
      """)
    #expect(try store.refusal("Note", 1, CloneRequest(count: 2))?.code == .noRoomForKeys)
    #expect(try store.clone("Note", 1).root.key == [.integer(.max)])
    #expect(try store.refusal("Note", 1)?.code == .noRoomForKeys)
    let graph = SQLiteGraph(store.writer, model: store.model)
    #expect(throws: CloneError.self) { try graph.insert("Note", [:]) }
  }

  @Test func aKeyThatIsGivenBesideCountedOnes() throws {
    for key in ["INTEGER PRIMARY KEY", "INT PRIMARY KEY"] {
      let store = try StoreFixture(
        """
        entities:
          Note:
            attributes: {number: {type: Integer 64, column: id}}
            relationships:
              parent: {destination: Note, optional: true, inverse: notes}
              notes: {destination: Note, toMany: true, inverse: parent}
        """,
        """
        CREATE TABLE note(id \(key), parent_id INTEGER REFERENCES note(id));
        INSERT INTO note VALUES (1, NULL), (2, 1), (3, 2);
        """)
      try store.clone("Note", 1, CloneRequest(set: ["number": 4]))
      #expect(try store.rows("SELECT * FROM note WHERE id > 3 ORDER BY id") == ["4|-", "5|4", "6|5"])
      try store.clone("Note", 1, CloneRequest(set: ["number": -5]))
      #expect(
        try store.rows("SELECT * FROM note WHERE id > 6 OR id < 0 ORDER BY id") == ["-5|-", "7|-5", "8|7"])
    }
  }

  // MARK: Within the other parts

  static let invoices = """
    entities:
      Tenant:
        relationships: {invoices: {destination: Invoice, toMany: true, inverse: tenant}}
      Invoice:
        primaryKey: [tenant_id, {column: number, generate: max}]
        attributes: {number: Integer 64, name: String?}
        relationships:
          tenant: {destination: Tenant, inverse: invoices}
          lines: {destination: Line, toMany: true, inverse: invoice}
          replaces: {destination: Invoice, optional: true, inverse: replacements, column: [tenant_id, replaced]}
          replacements: {destination: Invoice, toMany: true, inverse: replaces}
      Line:
        primaryKey: [tenant_id, number, {column: line, generate: max}]
        attributes: {name: String?}
        relationships: {invoice: {destination: Invoice, inverse: lines, column: [tenant_id, number]}}
    """
  static let invoiceTables = """
    CREATE TABLE tenant(id INTEGER PRIMARY KEY);
    CREATE TABLE invoice(tenant_id INTEGER NOT NULL REFERENCES tenant(id), number INTEGER NOT NULL, name TEXT,
      replaced INTEGER, PRIMARY KEY(tenant_id, number), FOREIGN KEY(tenant_id, replaced) REFERENCES invoice);
    CREATE TABLE line(tenant_id INTEGER NOT NULL, number INTEGER NOT NULL, line INTEGER NOT NULL, name TEXT,
      PRIMARY KEY(tenant_id, number, line), FOREIGN KEY(tenant_id, number) REFERENCES invoice) WITHOUT ROWID;
    INSERT INTO tenant VALUES (1), (2);
    INSERT INTO invoice VALUES (1, 10, 'a', NULL), (1, 12, 'b', 10), (2, 5, 'c', NULL);
    INSERT INTO line VALUES (1, 10, 1, 'x'), (1, 10, 4, 'y'), (1, 12, 2, 'z'), (2, 5, 1, 'o');
    """

  @Test func numbersPerTenant() throws {
    let store = try StoreFixture(Self.invoices, Self.invoiceTables)
    let result = try store.clone("Tenant", 1, CloneRequest(count: 2))
    #expect(result.cloned == ["Tenant": 2, "Invoice": 4, "Line": 6])
    #expect(
      try store.rows("SELECT * FROM invoice WHERE tenant_id > 2 ORDER BY 1, 2")
        == ["3|1|a|-", "3|2|b|1", "4|1|a|-", "4|2|b|1"])
    #expect(
      try store.rows("SELECT * FROM line WHERE tenant_id > 2 ORDER BY 1, 2, 3")
        == ["3|1|1|x", "3|1|2|y", "3|2|1|z", "4|1|1|x", "4|1|2|y", "4|2|1|z"])
  }

  @Test func anInvoiceWithinItsTenant() throws {
    let store = try StoreFixture(Self.invoices, Self.invoiceTables)
    let result = try store.clone("Invoice", [1, 10], CloneRequest(exclude: ["replacements"], count: 2))
    #expect(result.roots.map(\.key) == [[1, 13], [1, 14]])
    #expect(try store.rows("SELECT line, name FROM line WHERE number = 14 ORDER BY 1") == ["1|x", "2|y"])
    // With its replacement, whose tenant is linked and would be another one.
    #expect(
      try store.refusal("Invoice", [1, 10], CloneRequest(set: ["tenant": 2]))?.code == .constraintFailed)
    let again = try store.clone("Invoice", [1, 10])
    #expect(again.root.key == [1, 15])
    #expect(try store.rows("SELECT * FROM invoice WHERE number > 14") == ["1|15|a|-", "1|16|b|15"])
    let moved = try store.clone(
      "Invoice", [1, 10], CloneRequest(exclude: ["replacements"], set: ["tenant": 2]))
    #expect(moved.root.key == [2, 6])
    #expect(try store.clone("Invoice", [2, 5], CloneRequest(set: ["number": 40])).root.key == [2, 40])
    #expect(try store.refusal("Invoice", [2, 5], CloneRequest(set: ["number": 6]))?.code == .uniqueValue)
    #expect(try store.clone("Line", [2, 5, 1]).root.key == [2, 5, 2])
  }

  @Test func theGraphCountsWithinTheOtherParts() throws {
    let store = try StoreFixture(Self.invoices, Self.invoiceTables)
    let graph = SQLiteGraph(store.writer, model: store.model)
    #expect(try graph.insert("Invoice", ["tenant": 1]).id.key == [1, 13])
    #expect(try graph.insert("Invoice", ["tenant": 2]).id.key == [2, 6])
    #expect(try graph.insert("Invoice", key: [2, 30], ["tenant": 2]).id.key == [2, 30])
    #expect(try graph.insert("Line", ["invoice": "2,30"]).id.key == [2, 30, 1])
    let made = try graph.insert("Invoice", ["tenant": 2, "number": 50])
    #expect(made.id.key == [2, 50])
  }

  @Test func noRoomWithinTheOtherParts() throws {
    let store = try StoreFixture(Self.invoices, Self.invoiceTables)
    try store.execute("INSERT INTO invoice VALUES (1, 9223372036854775807, 'z', NULL)")
    #expect(try store.refusal("Invoice", [1, 10])?.code == .noRoomForKeys)
    let graph = SQLiteGraph(store.writer, model: store.model)
    #expect(throws: CloneError.self) { try graph.insert("Invoice", ["tenant": 1]) }
  }

  @Test func theNumberOfStatementsDoesNotDependOnTheRows() throws {
    func statements(_ rows: Int) throws -> Int {
      let store = try StoreFixture(Self.invoices, Self.invoiceTables)
      try store.execute(
        "WITH RECURSIVE n(i) AS (SELECT 20 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows + 20)) "
          + "INSERT INTO invoice SELECT 1, i, 'n', NULL FROM n")
      let timer = CloneTimer()
      var cloner = Cloner()
      cloner.timer = timer
      let request = CloneRequest(exclude: ["replacements"])
      try cloner.clone(
        "Tenant", keys: [1], in: SQLiteGraph(store.writer, model: store.model), request: request)
      #expect(try store.rows("SELECT count(*) FROM invoice WHERE tenant_id = 3") == ["\(rows + 3)"])
      return timer.statements
    }
    #expect(try statements(10) == statements(1000))
  }

  // MARK: The model

  @Test(arguments: [
    "primaryKey: [{column: a, generate: max}, {column: b, generate: max}]",
    "primaryKey: {column: name, generate: max}",
  ])
  func keysThatCannotBeCountedAreFindings(key: String) {
    #expect(throws: ModelError.self) {
      try ObjectModel(
        yaml: "version: 1\nname: T\nentities:\n  Note:\n    \(key)\n    attributes: {name: String}\n")
    }
  }

  @Test func aNewStoreCountsToo() throws {
    let model = try ObjectModel(yaml: "version: 1\nname: T\n" + Self.invoices)
    let graph = try SQLiteGraph.temporary(model)
    let tenant = try graph.insert("Tenant")
    let invoices = try (0..<2).map { _ in try graph.insert("Invoice", ["tenant": tenant.reference]) }
    #expect(invoices.map(\.id.key) == [[1, 1], [1, 2]])
  }
}

extension ManagedObject {
  fileprivate var reference: AttributeValue { id.key.parts[0] }
}
