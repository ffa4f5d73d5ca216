import Foundation
import GRDB
import MOCloneKit
import TestSupport
import Testing

/// Foreign keys that lead to a unique key of which a part is a key or a reference itself, so that it is another one in
/// another store.
@Suite("References to unique keys that are renewed")
struct UniqueReferenceTests {
  private static let model = """
    entities:
      User:
        attributes: {name: String}
        relationships: {doctor: {destination: Doctor, optional: true, inverse: user}}
        uniquenessConstraints: [[name]]
      Doctor:
        attributes: {spec: String}
        relationships:
          user: {destination: User, inverse: doctor}
          appointments: {destination: Appointment, toMany: true, inverse: doctor}
        uniquenessConstraints: [[spec], [user]]
      Appointment:
        attributes: {note: String}
        relationships:
          doctor: {destination: Doctor, inverse: appointments, column: [{column: doctor_user_id, references: user_id}]}
        uniquenessConstraints: [[note]]
      Tenant:
        attributes: {name: String}
        relationships:
          tasks: {destination: Task, toMany: true, inverse: tenant}
          comments: {destination: Comment, toMany: true, inverse: tenant}
        uniquenessConstraints: [[name]]
      Task:
        attributes: {title: String}
        relationships:
          tenant: {destination: Tenant, inverse: tasks}
          comments: {destination: Comment, toMany: true, inverse: task}
        uniquenessConstraints: [[title]]
      Comment:
        attributes: {text: String}
        relationships:
          tenant: {destination: Tenant, inverse: comments}
          task:
            destination: Task
            inverse: comments
            column: [{column: tenant_id, references: tenant_id}, {column: task_id, references: id}]
        uniquenessConstraints: [[text]]
    """

  private static let tables = """
    CREATE TABLE user(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
    CREATE TABLE doctor(id INTEGER PRIMARY KEY, spec TEXT NOT NULL UNIQUE, user_id INTEGER NOT NULL UNIQUE REFERENCES user);
    CREATE TABLE appointment(id INTEGER PRIMARY KEY, note TEXT NOT NULL UNIQUE,
      doctor_user_id INTEGER NOT NULL REFERENCES doctor(user_id));
    CREATE TABLE tenant(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
    CREATE TABLE task(id INTEGER PRIMARY KEY, title TEXT NOT NULL UNIQUE, tenant_id INTEGER NOT NULL REFERENCES tenant,
      UNIQUE (tenant_id, id));
    CREATE TABLE comment(id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE, tenant_id INTEGER NOT NULL REFERENCES tenant,
      task_id INTEGER NOT NULL, FOREIGN KEY (tenant_id, task_id) REFERENCES task(tenant_id, id));
    """

  private static let theirs = """
    INSERT INTO user VALUES (1, 'a'), (2, 'b'); INSERT INTO doctor VALUES (5, 'sa', 1), (6, 'sb', 2);
    INSERT INTO appointment VALUES (1, 'of a', 1), (2, 'of b', 2);
    INSERT INTO tenant VALUES (1, 'ta'), (2, 'tb'); INSERT INTO task VALUES (7, 'x', 1), (8, 'y', 2);
    INSERT INTO comment VALUES (1, 'cx', 1, 7), (2, 'cy', 2, 8);
    """

  /// Other objects with the same keys, and some of the same.
  private static let ours = """
    INSERT INTO user VALUES (1, 'p'), (2, 'q'), (3, 'b'); INSERT INTO doctor VALUES (5, 'sp', 1), (6, 'sb', 3);
    INSERT INTO tenant VALUES (1, 'tp'), (2, 'tq'), (3, 'tb');
    INSERT INTO task VALUES (7, 'm', 1), (8, 'n', 2), (9, 'y', 3);
    """

  private func store(_ rows: String) throws -> (store: StoreFixture, graph: SQLiteGraph) {
    let store = try StoreFixture(Self.model, Self.tables + rows)
    return (store, SQLiteGraph(store.writer, model: store.model))
  }

  private func links(_ store: StoreFixture) throws -> [String] {
    try store.rows(
      """
      SELECT a.note || '-' || d.spec || '-' || u.name FROM appointment a
      JOIN doctor d ON d.user_id = a.doctor_user_id JOIN user u ON u.id = d.user_id
      UNION ALL SELECT c.text || '-' || t.title || '-' || n.name FROM comment c
      JOIN task t ON t.id = c.task_id AND t.tenant_id = c.tenant_id JOIN tenant n ON n.id = t.tenant_id ORDER BY 1
      """) + store.rows("SELECT * FROM pragma_foreign_key_check")
  }

  private static let expected = ["cx-x-ta", "cy-y-tb", "of a-sa-a", "of b-sb-b"]

  @Test("A copy leads them to the copies, and to what was there")
  func copied() throws {
    let (source, target) = (try store(Self.theirs), try store(Self.ours))
    try target.graph.copy(from: source.graph)
    #expect(try links(target.store) == Self.expected)
    #expect(try target.graph.copy(from: source.graph).changes == 0)
  }

  @Test("So does a copy through memory, and one in a transaction of the caller's")
  func staged() throws {
    let source = try store(Self.theirs)
    let memory = MemoryGraph(model: source.graph.model)
    try memory.copy(from: source.graph)
    let (first, second) = (try store(Self.ours), try store(Self.ours))
    try first.graph.copy(from: memory)
    #expect(try links(first.store) == Self.expected)
    try second.store.writer.write { db in
      try SQLiteGraph.with(db, model: source.graph.model) { _ = try $0.copy(from: source.graph) }
    }
    #expect(try links(second.store) == Self.expected)
  }

  @Test("A subtree brings its own, into a new file as well", arguments: [false, true])
  func copySubtree(isNew: Bool) throws {
    let (source, target) = (try store(Self.theirs), try store(isNew ? "" : Self.ours))
    for entity in ["User", "Tenant"] {
      let plan = try source.graph.plan(entity, CloneRequest())
      for key in isNew ? [1, 2] : [1] as [ObjectKey] {
        let root = try source.graph.object(entity, key: key).id
        try target.graph.clone(plan, roots: [root], from: source.graph, SubtreeRequest(missing: .create))
      }
    }
    let expected = isNew ? Self.expected : ["cx-x-ta", "of a-sa-a"]
    #expect(try links(target.store) == expected)
  }

  @Test("What others refer to by a value that no key holds comes with them", arguments: ["NOT NULL", ""])
  func values(ofReferences required: String) throws {
    let model = """
      entities:
        User:
          attributes: {username: String}
          relationships: {posts: {destination: Post, toMany: true, inverse: author}}
          uniquenessConstraints: [[username]]
        Post:
          attributes: {text: String}
          relationships:
            author: {destination: User, optional: true, inverse: posts, column: [{column: author, references: username}]}
      """
    let tables = """
      CREATE TABLE user(id INTEGER PRIMARY KEY, username TEXT NOT NULL UNIQUE);
      CREATE TABLE post(id INTEGER PRIMARY KEY, author TEXT \(required) REFERENCES user(username), text TEXT NOT NULL);

      """
    let source = try StoreFixture(
      model,
      tables
        + "INSERT INTO user VALUES (5, 'a'), (6, 'b'); INSERT INTO post VALUES (7, 'a', 'x'), (8, 'a', 'y');")
    let target = try StoreFixture(model, tables)
    let from = SQLiteGraph(source.writer, model: source.model)
    try SQLiteGraph(target.writer, model: target.model).clone(
      from.plan("User", CloneRequest()), roots: [from.object("User", key: 5).id], from: from, SubtreeRequest()
    )
    #expect(try target.rows("SELECT * FROM user") == ["1|a"])
    #expect(try target.rows("SELECT * FROM post ORDER BY id") == ["1|a|x", "2|a|y"])
  }

  @Test("A key of which a part is null leads nowhere, and its other parts stay", arguments: [false, true])
  func halves(keepsKeys: Bool) throws {
    let model = """
      entities:
        Parent:
          primaryKey: [a, b]
          attributes: {a: {type: Integer 64, column: a}, b: {type: Integer 64, column: b}, name: String}
          relationships: {children: {destination: Child, toMany: true, inverse: parent}}
          uniquenessConstraints: [[name]]
        Child:
          attributes: {text: String}
          relationships: {parent: {destination: Parent, optional: true, inverse: children, column: [pa, pb]}}
          uniquenessConstraints: [[text]]
      """
    let tables = """
      CREATE TABLE parent(a INTEGER, b INTEGER, name TEXT UNIQUE, PRIMARY KEY (a, b));
      CREATE TABLE child(id INTEGER PRIMARY KEY, text TEXT UNIQUE, pa INTEGER, pb INTEGER,
        FOREIGN KEY (pa, pb) REFERENCES parent(a, b));
      """
    let source = try StoreFixture(
      model,
      tables
        + "INSERT INTO parent VALUES (1, 1, 'p'); INSERT INTO child VALUES (1, 'x', 1, 1), (2, 'y', 1, NULL), (3, 'z', NULL, 1);"
    )
    let target = try StoreFixture(model, tables)
    let (from, into) = (
      SQLiteGraph(source.writer, model: source.model), SQLiteGraph(target.writer, model: source.model)
    )
    if keepsKeys {
      let roots = try ["x", "y", "z"].map { try from.object("Child", attribute: "text", equals: $0).id }
      let request = SubtreeRequest(missing: .create, keepsKeys: true)
      try into.clone(from.plan("Child", CloneRequest()), roots: roots, from: from, request)
    } else {
      try into.copy(from: from)
    }
    #expect(
      try target.rows("SELECT * FROM child ORDER BY id") == source.rows("SELECT * FROM child ORDER BY id"))
  }

  @Test("A part that is the key of another object is left empty, and counted")
  func halvesOfOthers() throws {
    let model = """
      entities:
        Tenant:
          attributes: {name: String}
          relationships: {regions: {destination: Region, toMany: true, inverse: tenant}}
          uniquenessConstraints: [[name]]
        Region:
          primaryKey: [tenant_id, code]
          attributes: {code: {type: String, column: code}}
          relationships:
            tenant: {destination: Tenant, inverse: regions}
            addresses: {destination: Address, toMany: true, inverse: region}
          uniquenessConstraints: [[tenant, code]]
        Address:
          attributes: {text: String}
          relationships: {region: {destination: Region, optional: true, inverse: addresses, column: [tenant_id, region]}}
          uniquenessConstraints: [[text]]
      """
    let tables = """
      CREATE TABLE tenant(id INTEGER PRIMARY KEY, name TEXT UNIQUE);
      CREATE TABLE region(tenant_id INTEGER REFERENCES tenant, code TEXT, PRIMARY KEY (tenant_id, code));
      CREATE TABLE address(id INTEGER PRIMARY KEY, text TEXT UNIQUE, tenant_id INTEGER, region TEXT,
        FOREIGN KEY (tenant_id, region) REFERENCES region);

      """
    let source = try StoreFixture(
      model,
      tables
        + "INSERT INTO tenant VALUES (1, 'a'); INSERT INTO region VALUES (1, 'N'); "
        + "INSERT INTO address VALUES (1, 'x', 1, 'N'), (2, 'y', 1, NULL), (3, 'z', NULL, 'N');")
    let target = try StoreFixture(model, tables + "INSERT INTO tenant VALUES (1, 'other');")
    let report = try SQLiteGraph(target.writer, model: target.model)
      .copy(from: SQLiteGraph(source.writer, model: source.model))
    #expect(
      try target.rows("SELECT text, coalesce(tenant_id, '-'), coalesce(region, '-') FROM address ORDER BY 1")
        == ["x|2|N", "y|-|-", "z|-|N"])
    #expect(report.skipped?.map(\.place) == ["the column 'tenant_id' of the table 'address'"])
  }

  @Test("An import leads rows to a key of several columns")
  func importedTwoColumns() throws {
    let target = try store(Self.ours)
    let mapping = try ImportMapping(
      yaml: """
        entity: Comment
        attributes: {text: '@text'}
        relationships:
          tenant: {attributes: {name: '@tenant'}}
          task:
            attributes: {title: '@title'}
            relationships: {tenant: {attributes: {name: '@tenant'}}}
        """)
    let rows = Data("text,title,tenant\nc1,y,tb\nc2,new,tq\nc3,new2,tn\n".utf8)
    try target.graph.importData(rows, format: .csv, mapping: mapping)
    #expect(try links(target.store) == ["c1-y-tb", "c2-new-tq", "c3-new2-tn"])
  }

  @Test("A list whose links hold each other is copied into an empty store")
  func linkedList() throws {
    let model = """
      entities:
        Node:
          attributes: {name: String}
          relationships:
            next:
              destination: Node
              optional: true
              column: [{column: next_id, references: id}, {column: id, references: prev_id}]
            prev: {destination: Node, optional: true, column: prev_id}
          uniquenessConstraints: [[name]]
      """
    let tables = """
      CREATE TABLE node(id INTEGER PRIMARY KEY, name TEXT UNIQUE, next_id INTEGER, prev_id INTEGER REFERENCES node,
        UNIQUE (id, prev_id), FOREIGN KEY (next_id, id) REFERENCES node(id, prev_id));
      """
    let source = try StoreFixture(
      model, tables + "INSERT INTO node VALUES (4, 'a', 5, NULL), (5, 'b', NULL, 4);")
    let target = try StoreFixture(model, tables)
    try SQLiteGraph(target.writer, model: source.model).copy(
      from: SQLiteGraph(source.writer, model: source.model))
    let links = "SELECT a.name, b.name FROM node a JOIN node b ON b.id = a.next_id AND b.prev_id = a.id"
    #expect(try target.rows(links) == ["a|b"])
  }

  @Test("A column that only keys of several columns hold follows the one that leads somewhere")
  func sharedColumn() throws {
    let model = """
      entities:
        Tenant: {attributes: {name: String}, uniquenessConstraints: [[name]]}
        Customer:
          attributes: {name: String}
          relationships: {tenant: {destination: Tenant}, orders: {destination: Purchase, toMany: true, inverse: customer}}
          uniquenessConstraints: [[name]]
        Product:
          attributes: {name: String}
          relationships: {tenant: {destination: Tenant}, orders: {destination: Purchase, toMany: true, inverse: product}}
          uniquenessConstraints: [[name]]
        Purchase:
          attributes: {code: String}
          relationships:
            customer: {destination: Customer, optional: true, inverse: orders, column: [{column: tenant_id, references: tenant_id}, {column: customer_id, references: id}]}
            product: {destination: Product, optional: true, inverse: orders, column: [{column: tenant_id, references: tenant_id}, {column: product_id, references: id}]}
          uniquenessConstraints: [[code]]
      """
    let tables = """
      CREATE TABLE tenant(id INTEGER PRIMARY KEY, name TEXT UNIQUE);
      CREATE TABLE customer(id INTEGER PRIMARY KEY, name TEXT UNIQUE, tenant_id INTEGER REFERENCES tenant, UNIQUE (tenant_id, id));
      CREATE TABLE product(id INTEGER PRIMARY KEY, name TEXT UNIQUE, tenant_id INTEGER REFERENCES tenant, UNIQUE (tenant_id, id));
      CREATE TABLE purchase(id INTEGER PRIMARY KEY, code TEXT UNIQUE, tenant_id INTEGER NOT NULL, customer_id INTEGER,
        product_id INTEGER, FOREIGN KEY (tenant_id, customer_id) REFERENCES customer(tenant_id, id),
        FOREIGN KEY (tenant_id, product_id) REFERENCES product(tenant_id, id));
      """
    let source = try StoreFixture(
      model,
      tables + """
        INSERT INTO tenant VALUES (1, 't'); INSERT INTO customer VALUES (3, 'c', 1); INSERT INTO product VALUES (4, 'p', 1);
        INSERT INTO purchase VALUES (1, 'both', 1, 3, 4), (2, 'product', 1, NULL, 4), (3, 'customer', 1, 3, NULL);
        """)
    let target = try StoreFixture(model, tables + "INSERT INTO tenant VALUES (1, 'other'), (2, 'more');")
    try SQLiteGraph(target.writer, model: source.model).copy(
      from: SQLiteGraph(source.writer, model: source.model))
    #expect(
      try target.rows(
        """
        SELECT code, t.name, coalesce(c.name, '-'), coalesce(p.name, '-') FROM purchase o JOIN tenant t ON t.id = o.tenant_id
        LEFT JOIN customer c ON c.id = customer_id LEFT JOIN product p ON p.id = product_id ORDER BY 1
        """) == ["both|t|c|p", "customer|t|c|-", "product|t|-|p"])
  }

  private static let tenants = """
    entities:
      Tenant: {attributes: {name: String}, uniquenessConstraints: [[name]]}
      Project:
        primaryKey: [tenant_id, {column: id, generate: max}]
        attributes: {title: String}
        relationships: {tenant: {destination: Tenant}}
        uniquenessConstraints: [[tenant, title]]
      Task:
        primaryKey: [tenant_id, {column: id, generate: max}]
        attributes: {text: String}
        relationships:
          project: {destination: Project, column: [tenant_id, project_id]}
          after: {destination: Task, optional: true, column: [tenant_id, after_id]}
        uniquenessConstraints: [[text]]
    """

  /// Tasks that have their tenant by way of a project, and follow each other.
  private static func tenantTables(key: String) -> String {
    """
    CREATE TABLE tenant(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
    CREATE TABLE project(tenant_id INTEGER NOT NULL REFERENCES tenant, title TEXT NOT NULL, id INTEGER NOT NULL,
      PRIMARY KEY (tenant_id, id), UNIQUE (tenant_id, title));
    CREATE TABLE task(id INTEGER \(key), tenant_id INTEGER NOT NULL, project_id INTEGER NOT NULL, after_id INTEGER,
      text TEXT NOT NULL UNIQUE, UNIQUE (tenant_id, id), FOREIGN KEY (tenant_id, project_id) REFERENCES project(tenant_id, id),
      FOREIGN KEY (tenant_id, after_id) REFERENCES task(tenant_id, id));
    INSERT INTO tenant VALUES (1, 'Ann'), (2, 'Bob');

    """
  }

  @Test(
    "Members follow their own kind among their tenant's, with and without a key of their own",
    arguments: [false, true])
  func tenantsMembers(haveOwnKeys: Bool) throws {
    let own = "{column: id, generate: max}"
    let model =
      haveOwnKeys
      ? Self.tenants.replacing(
        "primaryKey: [tenant_id, \(own)]\n    attributes: {text", with: "attributes: {text"
      ).replacing(
        "column: [tenant_id, after_id]",
        with:
          "column: [{column: tenant_id, references: tenant_id}, {column: after_id, references: id}]")
      : Self.tenants
    let tables = Self.tenantTables(key: haveOwnKeys ? "PRIMARY KEY" : "NOT NULL")
    let source = try StoreFixture(
      model,
      tables + """
        INSERT INTO project VALUES (1, 'P', 1), (2, 'P', 1);
        INSERT INTO task(tenant_id, id, project_id, after_id, text)
          VALUES (1, 1, 1, NULL, 'a'), (1, 2, 1, 1, 'b'), (2, 3, 1, NULL, 'c');
        """)
    let target = try StoreFixture(
      model,
      tables + "UPDATE tenant SET name = 'x' || id; UPDATE tenant SET name = iif(id = 1, 'Bob', 'Ann');")
    try SQLiteGraph(target.writer, model: target.model).copy(
      from: SQLiteGraph(source.writer, model: source.model))
    #expect(
      try target.rows(
        """
        SELECT n.name, p.title, k.text, coalesce(a.text, '-') FROM task k JOIN tenant n ON n.id = k.tenant_id
        JOIN project p ON p.tenant_id = k.tenant_id AND p.id = k.project_id
        LEFT JOIN task a ON a.tenant_id = k.tenant_id AND a.id = k.after_id ORDER BY k.text
        """) == ["Ann|P|a|-", "Ann|P|b|a", "Bob|P|c|-"])
    #expect(try target.rows("SELECT * FROM pragma_foreign_key_check").isEmpty)
  }

  @Test("A store that is made from the model has what they refer to")
  func made() throws {
    let source = try store(Self.theirs)
    let graph = try SQLiteGraph.temporary(source.graph.model)
    try graph.copy(from: source.graph)
    #expect(try graph.count("Comment") == 2)
  }

  @Test("A row that only finds what it refers to need not know the rest of it")
  func foundByAnotherValue() throws {
    let target = try store(Self.ours)
    let mapping = try ImportMapping(
      yaml: """
        entity: Appointment
        attributes: {note: '@note'}
        relationships: {doctor: {attributes: {spec: '@spec'}}}
        """)
    try target.graph.importData(Data("note,spec\nn1,sb\n".utf8), format: .csv, mapping: mapping)
    #expect(try links(target.store) == ["n1-sb-b"])
  }

  @Test("An import leads rows to what they make and find")
  func imported() throws {
    let target = try store(Self.ours)
    let mapping = try ImportMapping(
      yaml: """
        entity: Appointment
        attributes: {note: '@note'}
        relationships:
          doctor:
            attributes: {spec: '@spec'}
            relationships: {user: {attributes: {name: '@user'}}}
        """)
    let rows = Data("note,spec,user\nn1,sb,b\nn2,new,z\nn3,new,z\n".utf8)
    try target.graph.importData(rows, format: .csv, mapping: mapping)
    #expect(try links(target.store) == ["n1-sb-b", "n2-new-z", "n3-new-z"])
  }

  @Test("What finds its partner taken is not referred to by that partner: its members refer to nothing")
  func taken() throws {
    let model = """
      entities:
        Board:
          attributes: {name: String}
          relationships: {cover: {destination: Cover, optional: true, inverse: board}}
          uniquenessConstraints: [[name]]
        Cover:
          attributes: {title: String}
          relationships:
            board: {destination: Board, optional: true, inverse: cover, column: board_id}
            stickers: {destination: Sticker, toMany: true, inverse: cover}
          uniquenessConstraints: [[title], [board]]
        Sticker:
          attributes: {text: String}
          relationships:
            cover: {destination: Cover, optional: true, inverse: stickers, column: [{column: cover_board, references: board_id}]}
          uniquenessConstraints: [[text]]
      """
    let tables = """
      CREATE TABLE board(id INTEGER PRIMARY KEY, name TEXT UNIQUE);
      CREATE TABLE cover(id INTEGER PRIMARY KEY, title TEXT UNIQUE, board_id INTEGER UNIQUE REFERENCES board);
      CREATE TABLE sticker(id INTEGER PRIMARY KEY, text TEXT UNIQUE, cover_board INTEGER REFERENCES cover(board_id));
      """
    let source = try StoreFixture(
      model,
      tables + """
        INSERT INTO board VALUES (1, 'a'), (2, 'b'); INSERT INTO cover VALUES (1, 'red', 1), (2, 'blue', 2);
        INSERT INTO sticker VALUES (1, 'on red', 1), (2, 'on blue', 2);
        """)
    let target = try StoreFixture(
      model, tables + "INSERT INTO board VALUES (7, 'a'); INSERT INTO cover VALUES (8, 'green', 7);")
    try SQLiteGraph(target.writer, model: target.model).copy(
      from: SQLiteGraph(source.writer, model: source.model))
    #expect(
      try target.rows(
        "SELECT text, coalesce(title, '-') FROM sticker LEFT JOIN cover ON board_id = cover_board ORDER BY 1")
        == ["on blue|blue", "on red|-"])
    #expect(
      try target.rows("SELECT title, coalesce(board_id, 0) FROM cover WHERE title = 'red'") == ["red|0"])
  }
}
