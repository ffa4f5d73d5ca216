import MOCloneKit
import Testing

/// Schemas of several tenants, in which every foreign key holds the tenant too.
@Suite struct TenantSchemaTests {
  /// Keys of tenant and number: the optional reviewer is declared before what decides the tenant.
  static let composite = """
    entities:
      Tenant:
        relationships:
          people: {destination: Person, toMany: true, inverse: tenant}
          notes: {destination: Note, toMany: true, inverse: tenant}
      Person:
        primaryKey: [tenant_id, {column: id, generate: uuid}]
        attributes: {name: String?}
        relationships:
          reviews: {destination: Item, toMany: true, inverse: reviewer}
          tenant: {destination: Tenant, inverse: people}
      Note:
        primaryKey: [tenant_id, {column: id, generate: uuid}]
        attributes: {name: String?}
        relationships:
          tenant: {destination: Tenant, inverse: notes}
          items: {destination: Item, toMany: true, inverse: note}
          readers: {destination: Person, toMany: true, userInfo: {onClone: link}, joinTable: {table: reader, column: [tenant_id, note_id], inverseColumn: [tenant_id, person_id]}}
      Item:
        attributes: {name: String?}
        relationships:
          reviewer: {destination: Person, optional: true, inverse: reviews, userInfo: {onClone: link}, column: [tenant_id, reviewer_id], references: [tenant_id, id]}
          note: {destination: Note, inverse: items, column: [tenant_id, note_id], references: [tenant_id, id]}
    """
  static let compositeTables = """
    CREATE TABLE tenant(id INTEGER PRIMARY KEY);
    CREATE TABLE person(tenant_id INTEGER NOT NULL REFERENCES tenant(id), id TEXT NOT NULL, name TEXT,
      PRIMARY KEY(tenant_id, id));
    CREATE TABLE note(tenant_id INTEGER NOT NULL REFERENCES tenant(id), id TEXT NOT NULL, name TEXT,
      PRIMARY KEY(tenant_id, id));
    CREATE TABLE item(id INTEGER PRIMARY KEY, tenant_id INTEGER NOT NULL, note_id TEXT NOT NULL, reviewer_id TEXT,
      name TEXT, FOREIGN KEY(tenant_id, note_id) REFERENCES note, FOREIGN KEY(tenant_id, reviewer_id) REFERENCES person);
    CREATE TABLE reader(tenant_id INTEGER, note_id TEXT, person_id TEXT, PRIMARY KEY(tenant_id, note_id, person_id),
      FOREIGN KEY(tenant_id, note_id) REFERENCES note, FOREIGN KEY(tenant_id, person_id) REFERENCES person);
    INSERT INTO tenant VALUES (1), (2);
    INSERT INTO person VALUES (1, 'p', 'Ann'), (1, 'q', 'Bob'), (2, 'p', 'Zoe');
    INSERT INTO note VALUES (1, 'n', 'N'), (2, 'n', 'M');
    INSERT INTO item VALUES (1, 1, 'n', 'p', 'a'), (2, 1, 'n', NULL, 'b'), (3, 2, 'n', 'p', 'z');
    INSERT INTO reader VALUES (1, 'n', 'p'), (1, 'n', 'q'), (2, 'n', 'p');
    """

  static let items = """
    SELECT i.tenant_id, i.name, n.name, p.name FROM item i JOIN note n ON n.id = i.note_id AND n.tenant_id = i.tenant_id
      LEFT JOIN person p ON p.id = i.reviewer_id AND p.tenant_id = i.tenant_id WHERE i.id > 3 ORDER BY i.tenant_id, i.id
    """
  static let readers = """
    SELECT r.tenant_id, n.name, p.name FROM reader r JOIN note n ON n.id = r.note_id AND n.tenant_id = r.tenant_id
      JOIN person p ON p.id = r.person_id AND p.tenant_id = r.tenant_id ORDER BY 1, 2, 3
    """

  private func tenants() throws -> StoreFixture { try StoreFixture(Self.composite, Self.compositeTables) }

  @Test func aConstraintOfANewStoreNamesAColumnOfTwoReferencesOnce() throws {
    let model = try ObjectModel(
      yaml: "version: 1\nname: Test\n" + Self.composite + "\n    uniquenessConstraints: [[note, reviewer]]")
    let tables = try SchemaWriter(model).statements().joined()
    #expect(tables.contains(#"UNIQUE ("tenant_id", "note_id", "reviewer_id")"#), "\(tables)")
  }

  @Test func aTenantWithAllThatRefersInsideIt() throws {
    let store = try tenants()
    let result = try store.clone("Tenant", 1, CloneRequest(count: 2))
    #expect(result.cloned == ["Tenant": 2, "Person": 4, "Note": 2, "Item": 4])
    #expect(result.linked == [:])
    #expect(try store.rows(Self.items) == ["3|a|N|Ann", "3|b|N|-", "4|a|N|Ann", "4|b|N|-"])
    #expect(
      try store.rows(Self.readers)
        == [
          "1|N|Ann", "1|N|Bob", "2|M|Zoe", "3|N|Ann", "3|N|Bob", "4|N|Ann", "4|N|Bob",
        ])
  }

  @Test func aNoteOfATenantSharesItsPeople() throws {
    let store = try tenants()
    let result = try store.clone("Note", [1, "n"], CloneRequest(exclude: ["readers"]))
    #expect(result.cloned == ["Note": 1, "Item": 2])
    #expect(result.linked == ["Person": 1, "Tenant": 1])
    #expect(try store.rows(Self.items) == ["1|a|N|Ann", "1|b|N|-"])
  }

  @Test func anItemAloneKeepsItsTenant() throws {
    let store = try tenants()
    try store.clone("Item", 1)
    try store.clone("Item", 2)
    try store.clone("Item", 1, CloneRequest(exclude: ["reviewer"]))
    #expect(try store.rows(Self.items) == ["1|a|N|Ann", "1|b|N|-", "1|a|N|-"])
    try store.clone("Item", 1, CloneRequest(unset: ["reviewer"]))
    try store.clone("Item", 2, CloneRequest(set: ["reviewer": "1,q"]))
    #expect(try store.rows(Self.items).suffix(2) == ["1|a|N|-", "1|b|N|Bob"])
  }

  @Test func aLeafJoinedWithinItsTenant() throws {
    let store = try tenants()
    #expect(try store.clone("Note", [1, "n"]).linked == ["Person": 2, "Tenant": 1])
    #expect(try store.rows(Self.readers) == ["1|N|Ann", "1|N|Ann", "1|N|Bob", "1|N|Bob", "2|M|Zoe"])
    let error = try store.refusal("Tenant", 1, CloneRequest(exclude: ["people", "reviewer"]))
    #expect(error?.failures.first?.property == "readers")
  }

  @Test func referencesThatDisagreeAboutTheTenantAreRefused() throws {
    let store = try tenants()
    let other = CloneRequest(set: ["reviewer": "2,p"])
    #expect(try store.refusal("Item", 2, other)?.failures.first?.message.contains("tenant_id") == true)
    // The people stay behind: a new tenant's items cannot be reviewed by them.
    let error = try store.refusal("Tenant", 1, CloneRequest(exclude: ["people", "readers"]))
    #expect(error?.code == .constraintFailed)
    #expect(error?.failures.first?.object == ObjectID("Item", key: 1))
    #expect(
      try store.clone("Tenant", 1, CloneRequest(exclude: ["people", "readers", "reviewer"])).cloned
        == ["Tenant": 1, "Note": 1, "Item": 2])
    #expect(try store.rows(Self.items) == ["3|a|N|-", "3|b|N|-"])
  }

  @Test func theGraphEmptiesAReferenceAndKeepsTheTenant() throws {
    let store = try tenants()
    let graph = SQLiteGraph(store.writer, model: store.model)
    try graph.object("Item", key: 1).setDestinations([], for: "reviewer")
    #expect(try store.rows("SELECT tenant_id, note_id, reviewer_id FROM item WHERE id = 1") == ["1|n|-"])
    let item = try graph.insert("Item", ["note": "1,n", "name": "c"])
    try item.set(graph.object("Person", key: [1, "q"]), for: "reviewer")
    #expect(try store.rows(Self.items) == ["1|c|N|Bob"])
    #expect(throws: CloneError.self) { try item.set(graph.object("Person", key: [2, "p"]), for: "reviewer") }
    #expect(throws: CloneError.self) { try graph.insert("Item", ["note": "1,n", "reviewer": "2,p"]) }
    let note = try graph.object("Note", key: [1, "n"])
    #expect(throws: CloneError.self) {
      try note.setDestinations([graph.object("Person", key: [2, "p"])], for: "readers")
    }
    try note.setDestinations([graph.object("Person", key: [1, "q"])], for: "readers")
    #expect(try store.rows(Self.readers) == ["1|N|Bob", "2|M|Zoe"])
    try graph.delete(graph.object("Person", key: [1, "q"]))
    #expect(try store.rows(Self.items) == ["1|c|N|-"])
  }

  // MARK: Numbers of their own

  /// The same with keys of one column, referenced together with the tenant.
  static let unique = """
    entities:
      Tenant:
        relationships:
          people: {destination: Person, toMany: true, inverse: tenant}
          folders: {destination: Folder, toMany: true, inverse: tenant}
      Person:
        attributes: {name: String?}
        relationships:
          tenant: {destination: Tenant, inverse: people}
          owned: {destination: Folder, toMany: true, inverse: owner}
      Folder:
        attributes: {name: String?}
        relationships:
          owner: {destination: Person, optional: true, inverse: owned, column: [tenant_id, owner_id], references: [tenant_id, id], userInfo: {onClone: link}}
          parent: {destination: Folder, optional: true, inverse: folders, column: [tenant_id, parent_id], references: [tenant_id, id]}
          tenant: {destination: Tenant, inverse: folders}
          folders: {destination: Folder, toMany: true, inverse: parent}
    """
  static let uniqueTables = """
    CREATE TABLE tenant(id INTEGER PRIMARY KEY);
    CREATE TABLE person(id INTEGER PRIMARY KEY, tenant_id INTEGER NOT NULL REFERENCES tenant(id), name TEXT,
      UNIQUE(tenant_id, id));
    CREATE TABLE folder(id INTEGER PRIMARY KEY, tenant_id INTEGER NOT NULL REFERENCES tenant(id), parent_id INTEGER,
      owner_id INTEGER, name TEXT, UNIQUE(tenant_id, id), FOREIGN KEY(tenant_id, parent_id) REFERENCES folder(tenant_id, id),
      FOREIGN KEY(tenant_id, owner_id) REFERENCES person(tenant_id, id));
    INSERT INTO tenant VALUES (1), (2);
    INSERT INTO person VALUES (1, 1, 'Ann'), (2, 2, 'Zoe');
    INSERT INTO folder VALUES (1, 1, NULL, 1, 'top'), (2, 1, 1, NULL, 'sub'), (3, 1, 2, 1, 'leaf'), (4, 2, NULL, 2, 'z');
    """
  static let folders = """
    SELECT f.tenant_id, f.name, u.name, p.name FROM folder f
      LEFT JOIN folder u ON u.id = f.parent_id AND u.tenant_id = f.tenant_id
      LEFT JOIN person p ON p.id = f.owner_id AND p.tenant_id = f.tenant_id WHERE f.id > 4 ORDER BY 1, f.id
    """

  @Test func aTenantOfCompositeUniqueKeys() throws {
    let store = try StoreFixture(Self.unique, Self.uniqueTables)
    #expect(
      try store.clone("Tenant", 1, CloneRequest(count: 2)).cloned == ["Tenant": 2, "Person": 2, "Folder": 6])
    #expect(
      try store.rows(Self.folders)
        == [
          "3|top|-|Ann", "3|sub|top|-", "3|leaf|sub|Ann", "4|top|-|Ann", "4|sub|top|-", "4|leaf|sub|Ann",
        ])
  }

  @Test func aSubtreeAndALeafOfCompositeUniqueKeys() throws {
    let store = try StoreFixture(Self.unique, Self.uniqueTables)
    #expect(try store.clone("Folder", 2).cloned == ["Folder": 2])
    #expect(try store.rows(Self.folders) == ["1|sub|top|-", "1|leaf|sub|Ann"])
    #expect(try store.clone("Folder", 3).linked == ["Folder": 1, "Person": 1, "Tenant": 1])
    #expect(try store.rows(Self.folders).last == "1|leaf|sub|Ann")
    #expect(try store.refusal("Folder", 3, CloneRequest(set: ["tenant": 2]))?.code == .constraintFailed)
    try store.clone("Folder", 3, CloneRequest(set: ["tenant": 2, "parent": 4, "owner": 2]))
    #expect(try store.rows(Self.folders).last == "2|leaf|z|Zoe")
  }

  @Test func aTreeWhoseTenantIsNoRelationshipKeepsIt() throws {
    let store = try StoreFixture(
      """
      entities:
        Folder:
          attributes: {name: String?}
          relationships:
            parent: {destination: Folder, optional: true, inverse: folders, column: [tenant_id, parent_id], references: [tenant_id, id]}
            folders: {destination: Folder, toMany: true, inverse: parent}
      """, Self.uniqueTables)
    try store.clone("Folder", 1)
    #expect(
      try store.rows("SELECT tenant_id, name, parent_id FROM folder WHERE id > 4") == [
        "1|top|-", "1|sub|5", "1|leaf|6",
      ])
    #expect(try store.refusal("Folder", 2, CloneRequest(set: ["parent": 4]))?.code == .constraintFailed)
  }

  @Test func twoReferencesInTheSameColumnsAreRefused() throws {
    #expect(throws: ModelError.self) {
      try ObjectModel(yaml: "version: 1\nname: T\n" + Self.unique.replacing("owner_id", with: "parent_id"))
    }
  }
}
