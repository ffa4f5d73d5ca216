import Foundation
import GRDB
import MOCloneKit
import TestSupport
import Testing

@Suite("moclone copy, clone --into and seed")
struct CopyCommandTests {
  private let temporary: TemporaryFolder
  private var folder: String { temporary.path }

  init() throws {
    temporary = try TemporaryFolder()
    try Data(Self.model.utf8).write(to: URL(fileURLWithPath: folder + "/shop.yml"))
    let model = try ObjectModel(contentsOf: URL(fileURLWithPath: folder + "/shop.yml"))
    for name in ["a", "b"] { try StoreFile(folder + "/\(name).sqlite").place(emptyFor: model) }
    let graph = try SQLiteGraph(path: folder + "/a.sqlite", model: model)
    for name in ["Ann", "Bob"] {
      let customer = try graph.insert("Customer", ["name": .string(name)])
      let town = try graph.findOrCreate("Town", ["name": .string("Town of " + name)]).object
      try customer.set(town, for: "town")
      for number in 1...2 {
        let order = try graph.insert("Order", ["number": .string("\(name)-\(number)")])
        try order.set(customer, for: "customer")
      }
    }
    try graph.close()
  }

  private static let model = """
    version: 1
    name: Shop
    entities:
      Town:
        attributes: {name: String}
        relationships: {customers: {destination: Customer, toMany: true, inverse: town}}
        uniquenessConstraints: [[name]]
      Customer:
        attributes: {name: String, modified: Date?}
        relationships:
          town: {destination: Town, optional: true, inverse: customers}
          orders: {destination: Order, toMany: true, inverse: customer}
        uniquenessConstraints: [[name]]
      Order:
        attributes: {number: String}
        relationships: {customer: {destination: Customer, optional: true, inverse: orders}}
        uniquenessConstraints: [[number]]
    """

  private func moclone(_ arguments: String...) throws -> Finished {
    try run("moclone", arguments + ["--model", folder + "/shop.yml"])
  }

  private func path(_ name: String) -> String { folder + "/\(name).sqlite" }

  private func rows(_ name: String, _ sql: String) throws -> [String] {
    let queue = try DatabaseQueue(path: path(name))
    return try queue.read { try String.fetchAll($0, sql: sql) }
  }

  @Test("copies, and a second time finds everything")
  func copies() throws {
    let first = try moclone("copy", "--from", path("a"), "--into", path("b"), "--format", "json")
    #expect(first.status == 0)
    #expect(first.output.contains(#""created":{"Customer":2,"Order":4,"Town":2}"#))
    let second = try moclone("copy", "--from", path("a"), "--into", path("b"), "customer")
    #expect(second.output == "found  2  Customer\nfound  4  Order\nfound  2  Town\n")
    #expect(try rows("b", "SELECT number FROM \"order\" ORDER BY 1") == ["Ann-1", "Ann-2", "Bob-1", "Bob-2"])
  }

  @Test(
    "A key that nothing makes identifies objects once it has an attribute, which is what a refusal says",
    arguments: ["TEXT", "INTEGER"], [false, true])
  func keysWithoutAttributes(type: String, isComposite: Bool) throws {
    let key =
      isComposite
      ? "[{column: code, generate: none}, {column: part, generate: none}]" : "{column: code, generate: none}"
    func write(_ attributes: String) throws {
      let text = """
        version: 1
        name: Places
        entities:
          Land:
            primaryKey: \(key)
            attributes: {\(attributes)label: String}
        """
      try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/shop.yml"))
    }
    try write("")
    for (name, codes) in [("c", [5, 6]), ("d", [5])] {
      try DatabaseQueue(path: path(name)).write { db in
        let parts = isComposite ? ("part \(type) NOT NULL, ", "code, part") : ("", "code")
        try db.execute(
          sql: """
            CREATE TABLE land(code \(type) NOT NULL, \(parts.0)label TEXT NOT NULL, PRIMARY KEY(\(parts.1)))
            """)
        for code in codes {
          try db.execute(
            sql: "INSERT INTO land VALUES (\(code), \(isComposite ? "1, " : "")'\(name)\(code)')")
        }
      }
    }
    let columns =
      isComposite
      ? "attributes for the key columns 'code' and 'part'" : "an attribute for the key column 'code'"
    let advice = "declare \(columns), so that the key identifies objects"
    let refused = try moclone("copy", "--from", path("c"), "--into", path("d"))
    #expect(refused.status == 1)
    #expect(refused.errors.contains(advice) && !refused.errors.contains("trigger"), "\(refused.errors)")
    let named = try moclone("copy", "--from", path("c"), "--into", path("d"), "--by", "Land=code")
    #expect(named.status == 64)
    #expect(named.errors.contains(advice), "\(named.errors)")
    let found = try run("moclone", ["validate", folder + "/shop.yml", "--identities"]).output
    #expect(
      found.contains(advice) && found.contains("'copy' and 'import' will not find its objects"), "\(found)")
    let kind = type == "TEXT" ? "String" : "Integer 64"
    try write("code: \(kind), " + (isComposite ? "part: \(kind), " : ""))
    #expect(
      try !run("moclone", ["validate", folder + "/shop.yml", "--identities"]).output.contains("no-identity"))
    for _ in 1...2 {
      #expect(try moclone("copy", "--from", path("c"), "--into", path("d")).status == 0)
      #expect(try rows("d", "SELECT label FROM land ORDER BY code") == ["d5", "c6"])
    }
  }

  @Test("a condition brings one customer and what belongs to it; a dry run changes nothing; --once is once")
  func conditions() throws {
    let arguments = ["copy", "--from", path("a"), "--into", path("b"), "--where", "Customer:name=Ann"]
    let dry = try run("moclone", arguments + ["--dry-run", "--model", folder + "/shop.yml"])
    #expect(dry.output == "would create  1  Customer\nwould create  2  Order\nwould create  1  Town\n")
    #expect(try rows("b", "SELECT name FROM customer").isEmpty)
    for _ in 0..<2 { _ = try run("moclone", arguments + ["--once", "ann", "--model", folder + "/shop.yml"]) }
    #expect(try rows("b", "SELECT name FROM customer") == ["Ann"])
  }

  @Test("names that nothing has end with 64, a store that does not fit with the differences")
  func refusals() throws {
    let wrong = try moclone("copy", "--from", path("a"), "--into", path("b"), "--by", "Custmer=name")
    #expect(wrong.status == 64)
    #expect(wrong.errors.contains("did you mean 'Customer'"))
    try DatabaseQueue(path: path("b")).write { try $0.execute(sql: "DROP TABLE town") }
    let unfit = try moclone("copy", "--from", path("a"), "--into", path("b"))
    #expect(unfit.status == 1)
    #expect(unfit.errors.contains("The store does not match the model: the store has no table 'town'"))
  }

  @Test(
    "a row that the store refuses, at whichever place, leaves nothing",
    arguments: ["town", "customer", "order"])
  func failures(table: String) throws {
    for place in 1...2 {
      try DatabaseQueue(path: path("b")).write {
        try $0.execute(
          sql: """
            CREATE TRIGGER stop BEFORE INSERT ON "\(table)" WHEN (SELECT count(*) FROM "\(table)") >= \(place - 1)
            BEGIN SELECT RAISE(ABORT, 'full'); END
            """)
      }
      let failed = try moclone("copy", "--from", path("a"), "--into", path("b"))
      #expect(failed.status != 0)
      #expect(failed.errors.contains("full"))
      for other in ["town", "customer", "order"] {
        #expect(try rows("b", "SELECT 'row' FROM \"\(other)\"").isEmpty)
      }
      try DatabaseQueue(path: path("b")).write { try $0.execute(sql: "DROP TRIGGER stop") }
    }
  }

  @Test("--whole copies to a new place only")
  func whole() throws {
    #expect(try moclone("copy", "--whole", "--from", path("a"), "--into", path("b")).status != 0)
    let into = ["b", "c"].map { ["copy", "--whole", "--from", path("a"), "--into", path($0), "--dry-run"] }
    #expect(try run("moclone", into[0]).errors.contains("already exists"))
    let planned = try run("moclone", into[1])
    #expect(planned.status == 0 && planned.errors.contains("would be an exact copy"), "\(planned.errors)")
    #expect(!FileManager.default.fileExists(atPath: path("c")))
    let copied = try moclone("copy", "--whole", "--from", path("a"), "--into", path("c"))
    #expect(copied.status == 0)
    #expect(copied.errors.contains("no objects were matched"))
    #expect(try rows("c", "SELECT name FROM customer ORDER BY id") == ["Ann", "Bob"])
  }

  @Test("A condition on a sub-entity of what is named says which entities to name")
  func conditionsOnSubEntities() throws {
    let model = """
      version: 1
      name: Docs
      entities:
        Doc:
          abstract: true
          attributes: {title: String}
          uniquenessConstraints: [[title]]
        Text: {parent: Doc, attributes: {body: {type: String, optional: true}}}
        Sheet: {parent: Doc}
      """
    try Data(model.utf8).write(to: URL(fileURLWithPath: folder + "/docs.yml"))
    let docs = try ObjectModel(contentsOf: URL(fileURLWithPath: folder + "/docs.yml"))
    for name in ["from", "into"] { try StoreFile(path(name)).place(emptyFor: docs) }
    let graph = try SQLiteGraph(path: path("from"), model: docs)
    for body in ["x", "y"] { try graph.insert("Text", ["title": .string(body), "body": .string(body)]) }
    try graph.insert("Sheet", ["title": "s"])
    try graph.close()
    func copy(_ arguments: String...) throws -> Finished {
      let call = ["copy", "--from", path("from"), "--into", path("into"), "--model", folder + "/docs.yml"]
      return try run("moclone", call + arguments)
    }
    let refused = try copy("Doc", "--where", "Text:body=x")
    #expect(refused.status == 64)
    #expect(refused.errors.contains("but is copied as a sub-entity of 'Doc' only"), "\(refused.errors)")
    #expect(refused.errors.contains("that are to be copied instead of 'Doc'"), "\(refused.errors)")
    #expect(try copy("Text", "Sheet", "--where", "Text:body=x").status == 0)
    #expect(try rows("into", "SELECT title FROM doc ORDER BY title") == ["s", "x"])
  }

  @Test("A run that happens once says that the source has nothing for it")
  func onceWithoutObjects() throws {
    let run = try moclone(
      "copy", "--from", path("a"), "--into", path("b"), "--once", "m", "Town", "--where", "Town:name=nope")
    #expect(run.status == 1)
    #expect(run.errors.contains("The source has no objects to copy, so nothing was done"), "\(run.errors)")
  }

  @Test("--whole gives programs a report, and refuses what has no effect on a file")
  func wholeOptions() throws {
    let call = ["copy", "--whole", "--from", path("a"), "--into", path("c")]
    for (option, isDryRun) in [("--dry-run", true), ("--quiet", false)] {
      let copied = try run("moclone", call + ["--format", "json", option])
      let report = try JSONDecoder().decode(TransferReport.self, from: Data(copied.output.utf8))
      #expect(copied.status == 0 && report == TransferReport(.copy, isDryRun: isDryRun), "\(copied)")
    }
    for options in [["--follow", "all"], ["--newest", "modified"], ["--write-core-data"]] {
      let refused = try run("moclone", call + options)
      #expect(refused.status == 64 && refused.errors.contains("--whole copies the whole file"), "\(refused)")
    }
  }

  @Test("a customer is cut out into a new store with tables, indexes and triggers, keys as they were")
  func copySubtree() throws {
    try DatabaseQueue(path: path("a")).write {
      try $0.execute(
        sql: """
          CREATE INDEX by_number ON "order"(number);
          CREATE TRIGGER watch AFTER INSERT ON town BEGIN UPDATE town SET name = name || '!' WHERE id = NEW.id; END
          """)
    }
    let cut = try moclone(
      "clone", "customer", "2", "--store", path("a"), "--into", path("new"), "--keep-keys")
    #expect(cut.status == 0)
    #expect(cut.output == "2\n")
    #expect(try rows("new", "SELECT name FROM customer WHERE id = 2") == ["Bob"])
    #expect(try rows("new", "SELECT id || number FROM \"order\" ORDER BY id") == ["3Bob-1", "4Bob-2"])
    #expect(try rows("new", "SELECT name FROM town") == ["Town of Bob"])
    #expect(
      try rows("new", "SELECT name FROM sqlite_schema WHERE name IN ('by_number', 'watch') ORDER BY 1")
        == ["by_number", "watch"])
  }

  @Test("the store that a subtree is cloned out of is named by --from as for copies, once")
  func subtreeFrom() throws {
    let clone = ["clone", "customer", "2", "--from", path("a"), "--model", folder + "/shop.yml"]
    let cut = try run("moclone", clone + ["--into", path("new"), "--keep-keys"])
    #expect(cut.output == "2\n", "\(cut)")
    #expect(try rows("new", "SELECT name FROM customer") == ["Bob"])
    let alone = try run("moclone", clone)
    #expect(alone.status == 64 && alone.errors.contains("with --into only"), "\(alone)")
    let twice = try run("moclone", clone + ["--store", path("a"), "--into", path("c")])
    #expect(twice.status == 64 && twice.errors.contains("give one of them"), "\(twice)")
  }

  @Test("a cut-out says what its root does not refer to any more, and nothing of owners that come")
  func cutOutWithoutTown() throws {
    let model = Self.model.replacing(
      "inverse: customers}", with: "inverse: customers, userInfo: {exclude: \"\"}}"
    )
    .replacing("inverse: orders}", with: "inverse: orders, userInfo: {exclude: \"\"}}")
    try Data(model.utf8).write(to: URL(fileURLWithPath: folder + "/shop.yml"))
    let cut = try moclone(
      "clone", "customer", "2", "--store", path("a"), "--into", path("new"), "--keep-keys")
    #expect(cut.status == 0)
    #expect(
      cut.errors.contains("Not taken along, because the model excludes it: 'Customer.town'."), "\(cut.errors)"
    )
  }

  @Test(
    "a cut-out says what is left behind, also of objects like those that come, and nothing where there is none"
  )
  func cutOutWithoutChildren() throws {
    let file = folder + "/boxes.yml"
    let text = """
      version: 1
      name: Boxes
      entities:
        Box:
          attributes: {name: String}
          relationships: {folders: {destination: Folder, toMany: true, inverse: box}}
        Folder:
          attributes: {name: String}
          relationships:
            box: {destination: Box, optional: true, inverse: folders}
            parent: {destination: Folder, optional: true, inverse: children}
            children: {destination: Folder, toMany: true, inverse: parent, userInfo: {exclude: ""}}
      """
    try Data(text.utf8).write(to: URL(fileURLWithPath: file))
    try StoreFile(path("boxes")).place(emptyFor: ObjectModel(contentsOf: URL(fileURLWithPath: file)))
    let queue = try DatabaseQueue(path: path("boxes"))
    try queue.write {
      try $0.execute(
        sql: """
          INSERT INTO box(id, name) VALUES (1, 'box');
          INSERT INTO folder(id, name, box_id, parent_id)
            VALUES (1, 'a', 1, NULL), (2, 'b', 1, 1), (3, 'c', NULL, 2);
          """)
    }
    func cut(_ name: String, _ arguments: String...) throws -> Finished {
      let options = [
        "--model", file, "--store", path("boxes"), "--into", path(name), "--keep-keys", "--missing", "null",
      ]
      return try run("moclone", ["clone"] + arguments + options)
    }
    let note = "Not taken along, because the model excludes it: 'Folder.children'."
    let box = try cut("one", "box", "1")
    #expect(box.status == 0 && box.errors.contains(note), "\(box.errors)")
    #expect(try rows("one", "SELECT name FROM folder ORDER BY 1") == ["a", "b"])
    try queue.write { try $0.execute(sql: "DELETE FROM folder WHERE id = 3") }
    let whole = try cut("two", "box", "1")
    #expect(whole.status == 0 && !whole.errors.contains("Not taken along"), "\(whole.errors)")
    // What one root leaves behind is the other one.
    let both = try cut("three", "folder", "1", "2")
    #expect(both.status == 0 && !both.errors.contains("Not taken along"), "\(both.errors)")
    let parent = try cut("four", "folder", "1")
    #expect(parent.status == 0 && parent.errors.contains(note), "\(parent.errors)")
  }

  @Test("a mapping lists the keys of clones in both stores, and is written over neither of them")
  func mappingIntoAnotherStore() throws {
    let clone = ["clone", "customer", "2", "--store", path("a"), "--model", folder + "/shop.yml"]
    func mapped(to file: String, into store: String, _ more: String...) throws -> Finished {
      try run("moclone", clone + ["--missing", "create", "--into", store, "--mapping", file] + more)
    }
    let done = try mapped(to: folder + "/map.tsv", into: path("b"))
    #expect(done.status == 0 && done.output == "1\n", "\(done.errors)")
    let text = try String(contentsOfFile: folder + "/map.tsv", encoding: .utf8)
    #expect(text == "entity\toriginal\tclone\nCustomer\t2\t1\nOrder\t3\t1\nOrder\t4\t2\n")
    for store in ["b", "new"] {
      let over = try mapped(to: path(store), into: path(store))
      #expect(over.status == 1 && over.errors.contains("[needed-file]"), "\(over.errors)")
    }
    #expect(try rows("b", "SELECT name FROM customer") == ["Bob"])
    #expect(try mapped(to: folder + "/map.tsv", into: path("b"), "--keep-keys").status == 64)
  }

  @Test("a cut-out says what it leaves with the original, since linking would take it away")
  func cutOutWithoutLinkedOrders() throws {
    let model = Self.model.replacing(
      "inverse: customer}", with: "inverse: customer, userInfo: {onClone: link}}")
    try Data(model.utf8).write(to: URL(fileURLWithPath: folder + "/shop.yml"))
    let cut = try moclone(
      "clone", "customer", "2", "--store", path("a"), "--into", path("new"), "--keep-keys")
    #expect(cut.status == 0)
    let told = "'onClone: link', and the foreign key is in the related object: 'Customer.orders'."
    #expect(cut.errors.contains("Not taken along, because the model says \(told)"), "\(cut.errors)")
  }

  @Test("a cut-out counts clones apart from what is made beside them, and its dry run says the same")
  func subtreeCounts() throws {
    let clone = [
      "clone", "customer", "1", "--store", path("a"), "--into", path("b"), "--model", folder + "/shop.yml",
      "--missing", "create",
    ]
    let counts = #""cloned":{"Customer":1,"Order":2},"created":{"Town":1},"linked":{}"#
    let dry = try run("moclone", clone + ["--dry-run", "--format", "json"])
    #expect(dry.output == "{\(counts),\"version\":1}\n", "\(dry.errors)")
    let text = try run("moclone", clone + ["--dry-run"])
    #expect(text.output == "would clone  1  Customer\nwould clone  2  Order\nwould create  1  Town\n")
    let done = try run("moclone", clone + ["--format", "json"])
    #expect(done.output == "{\(counts),\"root\":1,\"roots\":[1],\"version\":1}\n", "\(done.errors)")
    let again = try run("moclone", clone + ["--set", "name=New", "--exclude", "orders", "--dry-run"])
    #expect(again.output == "would clone  1  Customer\nwould link  1  Town\n", "\(again.errors)")
  }

  @Test("a condition without a value is refused, since nothing equals null or an empty text")
  func emptyConditions() throws {
    for condition in ["Customer:name=", "Customer:modified="] {
      let copied = try moclone("copy", "--from", path("a"), "--into", path("b"), "--where", condition)
      #expect(copied.status == 64, "\(copied.errors)")
      #expect(copied.errors.contains("with a value that is not empty"), "\(copied.errors)")
    }
    try Data("name\nAnn\n".utf8).write(to: URL(fileURLWithPath: folder + "/towns.csv"))
    let synced = try moclone(
      "sync", folder + "/towns.csv", "--entity", "Town", "--predicate", "name=", "--store", path("a"))
    #expect(synced.status == 64, "\(synced.errors)")
    #expect(synced.errors.contains("'--predicate name=' has no value"), "\(synced.errors)")
    #expect(try rows("b", "SELECT name FROM customer").isEmpty)
  }

  @Test("a linked object that the other store lacks: refused with its name, left empty, or made")
  func missing() throws {
    let clone = [
      "clone", "customer", "1", "--store", path("a"), "--into", path("b"), "--model", folder + "/shop.yml",
    ]
    let refused = try run("moclone", clone + ["--keep-keys"])
    #expect(refused.status == 1)
    #expect(refused.errors.contains("Town 1, which the subtree is linked to, is not in the store"))
    #expect(try rows("b", "SELECT name FROM customer").isEmpty)
    #expect(try run("moclone", clone + ["--keep-keys", "--missing", "null"]).status == 0)
    #expect(try rows("b", "SELECT name FROM customer WHERE town_id IS NULL") == ["Ann"])
    let again = try run("moclone", clone + ["--keep-keys", "--missing", "null"])
    #expect(again.status == 1)
    #expect(again.errors.contains("let new keys be made, or delete that object first"), "\(again.errors)")
    let other = try run(
      "moclone",
      [
        "clone", "customer", "2", "--store", path("a"), "--into", path("b"), "--set", "name=New", "--missing",
        "create",
      ]
        + ["--exclude", "orders", "--model", folder + "/shop.yml"])
    #expect(other.status == 0)
    #expect(
      try rows("b", "SELECT c.name || ' in ' || t.name FROM customer c JOIN town t ON t.id = c.town_id")
        == ["New in Town of Bob"])
  }

  @Test("a unique value of the subtree's own objects that is taken calls for another value, not for --by")
  func takenValue() throws {
    #expect(try moclone("copy", "--from", path("a"), "--into", path("b")).status == 0)
    let clone = ["clone", "customer", "1", "--store", path("a"), "--into", path("b")]
    for identity in [[], ["--by", "Customer=name"]] {
      let refused = try run("moclone", clone + identity + ["--model", folder + "/shop.yml"])
      #expect(refused.status == 1)
      #expect(refused.errors.contains("give a root another value with --set name=..."), "\(refused.errors)")
      #expect(!refused.errors.contains("--by"))
    }
  }

  @Test("a unique value that several roots are set is to be set in one at a time")
  func repeatedValue() throws {
    let clone = ["clone", "customer", "1", "--store", path("a"), "--into", path("b"), "--set", "name=New"]
    let model = ["--model", folder + "/shop.yml", "--missing", "create", "--exclude", "orders"]
    let refused = try run("moclone", clone + ["--count", "2"] + model)
    #expect(refused.status == 1)
    #expect(
      refused.errors.contains("; set another value, and clone one root at a time, without --count. ["),
      "\(refused.errors)")
    #expect(try run("moclone", clone + model).status == 0)
  }

  @Test("a number in the key of a clone that is taken in the other store calls for another number")
  func takenNumber() throws {
    let model = folder + "/issues.yml"
    try """
    version: 1
    name: Issues
    entities:
      Project:
        attributes: {name: String}
        relationships:
          issues: {destination: Issue, toMany: true, inverse: project}
        uniquenessConstraints: [[name]]
      Issue:
        primaryKey: [{column: project_id}, {column: number, generate: max}]
        attributes: {number: Integer 64}
        relationships:
          project: {destination: Project, inverse: issues, column: project_id}
        uniquenessConstraints: [[project, number]]
    """.write(toFile: model, atomically: true, encoding: .utf8)
    for (name, values) in [("m", (project: 1, number: 7)), ("n", (project: 9, number: 2))] {
      #expect(try run("moclone", ["store", "init", "--store", path(name), "--model", model]).status == 0)
      try DatabaseQueue(path: path(name)).write {
        try $0.execute(
          sql: """
            INSERT INTO project(id, name) VALUES (\(values.project), 'a');
            INSERT INTO issue(project_id, number) VALUES (\(values.project), \(values.number));
            """)
      }
    }
    func clone(_ number: Int, _ options: String...) throws -> Finished {
      try run(
        "moclone",
        ["clone", "issue", "1,7", "--store", path("m"), "--into", path("n"), "--model", model]
          + ["--set", "number=\(number)"] + options)
    }
    let refused = try clone(2)
    #expect(refused.status == 1)
    #expect(refused.errors.contains("--set number=..., or use `moclone copy`"), "\(refused.errors)")
    let repeated = try clone(5, "--count", "2")
    #expect(repeated.status == 1)
    #expect(
      repeated.errors.contains("; set another value, and clone one root at a time, without --count. ["),
      "\(repeated.errors)")
    #expect(try clone(5).output == "9,5\n")
  }

  @Test(
    "a number that is the whole key of a clone is the one that is set, and one that is taken calls for another"
  )
  func takenWholeKey() throws {
    let model = folder + "/tickets.yml"
    try """
    version: 1
    name: Tickets
    entities:
      Ticket:
        primaryKey: [{column: number, generate: max}]
        attributes: {number: Integer 64}
        uniquenessConstraints: [[number]]
    """.write(toFile: model, atomically: true, encoding: .utf8)
    for (name, number) in [("m", 7), ("n", 2)] {
      #expect(try run("moclone", ["store", "init", "--store", path(name), "--model", model]).status == 0)
      try DatabaseQueue(path: path(name)).write {
        try $0.execute(sql: "INSERT INTO ticket(number) VALUES (\(number))")
      }
    }
    func clone(_ options: String...) throws -> Finished {
      try run(
        "moclone",
        ["clone", "ticket", "7", "--store", path("m"), "--into", path("n"), "--model", model] + options)
    }
    let refused = try clone("--set", "number=2")
    #expect(refused.status == 1)
    #expect(refused.errors.contains("--set number=..., or use `moclone copy`"), "\(refused.errors)")
    #expect(try clone("--set", "number=5").output == "5\n")
    #expect(try clone().output == "6\n")
  }

  @Test(
    "a seed merges a store, dates what is new, and removes the source when every object has its counterpart")
  func seeds() throws {
    let nothing = try moclone("seed", "--from", path("none"), "--into", path("b"))
    #expect(nothing.status == 0)
    #expect(nothing.errors.contains("does not exist, so nothing was done"))
    let seeded = try moclone("seed", "--from", path("a"), "--into", path("b"), "--remove-source", "--yes")
    #expect(seeded.status == 0)
    #expect(!FileManager.default.fileExists(atPath: path("a")))
    #expect(
      try rows("b", "SELECT name FROM customer WHERE modified IS NOT NULL ORDER BY 1") == ["Ann", "Bob"])
  }

  @Test("a source with an object that nothing identifies is kept")
  func keptSource() throws {
    try DatabaseQueue(path: path("a")).write { try $0.execute(sql: "INSERT INTO town(name) VALUES ('')") }
    let seeded = try moclone("seed", "--from", path("a"), "--into", path("b"), "--remove-source", "--yes")
    #expect(seeded.status == 1)
    #expect(seeded.errors.contains("is kept"))
    #expect(FileManager.default.fileExists(atPath: path("a")))
  }

  @Test("a source is kept as long as names of its metadata are not in the other store")
  func keptMetadata() throws {
    let (source, target) = (StoreFile(path("a")), StoreFile(path("b")))
    for name in ["device-id", "default data"] { try source.setMetadata("4711", for: name) }
    try source.setMetadata(OnceMark(.done).text, for: "first data")
    try target.setMetadata("another value", for: "default data")
    let seeded = try moclone("seed", "--from", path("a"), "--into", path("b"), "--remove-source", "--yes")
    #expect(seeded.status == 1)
    #expect(seeded.errors.contains("is kept") && seeded.errors.contains("\n  metadata 'device-id', which"))
    #expect(!seeded.errors.contains("default data"))
    #expect(source.exists)
    #expect(try target.metadata()["first data"] == source.metadata()["first data"])
    try target.setMetadata("4711", for: "device-id")
    let again = try moclone("seed", "--from", path("a"), "--into", path("b"), "--remove-source", "--yes")
    #expect(again.status == 0, "\(again.errors)")
    #expect(!source.exists)
  }

  @Test("a source with another value is kept and the object named; what the other store lacks is filled")
  func differentValues() throws {
    try DatabaseQueue(path: path("b")).write {
      try $0.execute(
        sql:
          "INSERT INTO customer(name, modified) VALUES ('Ann', NULL); INSERT INTO town(name) VALUES ('Other');"
          + "UPDATE customer SET town_id = 1")
    }
    let seeded = try moclone("seed", "--from", path("a"), "--into", path("b"), "--remove-source", "--yes")
    #expect(seeded.status == 1)
    #expect(seeded.errors.contains("Customer 1: town"))
    #expect(FileManager.default.fileExists(atPath: path("a")))
  }

  @Test("copy and seed refuse a marker without a name", arguments: ["copy", "seed"])
  func onceWithoutName(_ command: String) throws {
    let refused = try moclone(command, "--from", path("a"), "--into", path("b"), "--once", "")
    #expect(refused.status == 64 && refused.errors.contains("'--once' has no name"), "\(refused)")
    #expect(try rows("b", "SELECT name FROM customer").isEmpty)
  }

  @Test("the dry run of a seed says whether the source would be kept, as the run does, and changes nothing")
  func triedRemoval() throws {
    let seed = ["seed", "--from", path("a"), "--into", path("b"), "--remove-source", "--yes"]
    let options = ["--model", folder + "/shop.yml"]
    let free = try run("moclone", seed + options + ["--dry-run"])
    #expect(free.status == 0 && free.errors.contains("would be removed"), "\(free.errors)")
    #expect(free.output.hasPrefix("would create  2  Customer\n"), "\(free.output)")
    try DatabaseQueue(path: path("b")).write {
      try $0.execute(
        sql:
          "INSERT INTO customer(name, modified) VALUES ('Ann', NULL); INSERT INTO town(name) VALUES ('Other');"
          + "UPDATE customer SET town_id = 1")
    }
    let kept = try run("moclone", seed + options + ["--dry-run"])
    #expect(kept.status == 1, "\(kept.errors)")
    #expect(
      kept.errors.contains("would be kept") && kept.errors.contains("Customer 1: town"), "\(kept.errors)")
    #expect(try rows("b", "SELECT name FROM customer") == ["Ann"])
    #expect(FileManager.default.fileExists(atPath: path("a")))
    let seeded = try run("moclone", seed + options)
    #expect(seeded.status == 1 && seeded.errors.contains("Customer 1: town"), "\(seeded.errors)")
  }

  @Test(
    "the dry run of a seed compares values in the notations that other programs wrote, as the run does",
    arguments: [
      ("price TEXT", "'1.50'", "'1.5'"), ("price", "1.5", "'1.5'"), ("number", "1.0", "'1'"),
      ("number", "'01'", "'1'"), ("done", "1", "'1'"),
      ("day TEXT", "'2020-01-01T00:00:00Z'", "'2020-01-01T00:00:00.000Z'"),
      ("ref TEXT", "'000000aa-0000-4000-8000-00000000000a'", "'000000AA-0000-4000-8000-00000000000A'"),
    ])
  func triedNotations(declaration: String, here: String, there: String) throws {
    let column = declaration.replacing(" TEXT", with: "")
    let types = ["price": "Decimal", "number": "Integer 64", "done": "Boolean", "day": "Date", "ref": "UUID"]
    let model = """
      version: 1
      name: Products
      entities:
        Product:
          attributes:
            name: String
            \(column): \(types[column]!)?
          uniquenessConstraints: [[name]]
      """
    try Data(model.utf8).write(to: URL(fileURLWithPath: folder + "/products.yml"))
    for (value, isKept) in [(here, false), (there, true)] {
      for (store, value) in [("c", here), ("d", value)] {
        try? FileManager.default.removeItem(atPath: path(store))
        try DatabaseQueue(path: path(store)).write {
          try $0.execute(
            sql: """
              CREATE TABLE product(id INTEGER PRIMARY KEY, name TEXT, \(declaration));
              INSERT INTO product VALUES (1, 'Tea', \(value));
              """)
        }
      }
      let seed = ["seed", "--from", path("c"), "--into", path("d"), "--remove-source", "--yes"]
      let options = ["--model", folder + "/products.yml"]
      for tried in [["--dry-run"], []] {
        let seeded = try run("moclone", seed + options + tried)
        #expect(seeded.status == (isKept ? 1 : 0), "\(seeded.errors)")
        #expect(seeded.errors.contains("Product 1: \(column)") == isKept, "\(seeded.errors)")
      }
    }
  }

  @Test("the dry run of a seed keeps the source for a join row that leads nowhere, as the run does")
  func triedJoinRows() throws {
    let model = """
      version: 1
      name: Notes
      entities:
        Note:
          attributes: {name: String}
          relationships: {tags: {destination: Tag, optional: true, toMany: true, inverse: notes}}
          uniquenessConstraints: [[name]]
        Tag:
          attributes: {name: String}
          relationships: {notes: {destination: Note, optional: true, toMany: true, inverse: tags}}
          uniquenessConstraints: [[name]]
      """
    try Data(model.utf8).write(to: URL(fileURLWithPath: folder + "/notes.yml"))
    let options = ["--model", folder + "/notes.yml"]
    for store in ["c", "d"] {
      #expect(try run("moclone", ["store", "init", "--store", path(store)] + options).status == 0)
    }
    try DatabaseQueue(path: path("c")).writeWithoutTransaction {
      try $0.execute(
        sql: """
          PRAGMA foreign_keys = OFF; INSERT INTO note VALUES (1, 'a'); INSERT INTO tag VALUES (1, 'b');
          INSERT INTO note_tag VALUES (1, 9);
          """)
    }
    for tried in [["--dry-run"], []] {
      let seed = ["seed", "--from", path("c"), "--into", path("d"), "--remove-source", "--yes"]
      let seeded = try run("moclone", seed + options + tried)
      #expect(seeded.status == 1 && seeded.errors.contains("1 dangling references"), "\(seeded.errors)")
    }
  }

  @Test("what the model does not name is told, and keeps the source")
  func unnamed() throws {
    try DatabaseQueue(path: path("a")).write {
      try $0.execute(
        sql: """
          ALTER TABLE customer ADD COLUMN secret; UPDATE customer SET secret = 'kept';
          ALTER TABLE customer ADD COLUMN empty;
          CREATE TABLE extra(x); INSERT INTO extra VALUES (1); CREATE TABLE hollow(x);
          """)
    }
    let copied = try moclone("copy", "--from", path("a"), "--into", path("b"))
    #expect(copied.status == 0)
    #expect(
      copied.errors.contains(
        "because the model does not name it: the column 'secret' of the table 'customer', the table 'extra'.\n"
      ))
    let seeded = try moclone("seed", "--from", path("a"), "--into", path("b"), "--remove-source", "--yes")
    #expect(seeded.status == 1)
    #expect(seeded.errors.contains("is kept") && seeded.errors.contains("  the table 'extra'"))
    #expect(FileManager.default.fileExists(atPath: path("a")))
  }

  @Test("a clone into another store tells what the model does not name and that store has no place for")
  func unnamedOfClone() throws {
    try DatabaseQueue(path: path("a")).write {
      try $0.execute(sql: "ALTER TABLE customer ADD COLUMN secret; UPDATE customer SET secret = 'kept'")
    }
    let clone = [
      "clone", "customer", "--store", path("a"), "--into", path("b"), "--missing", "create", "--model",
      folder + "/shop.yml",
    ]
    let told =
      "moclone: Not copied, because the model does not name it: the column 'secret' of the table 'customer'.\n"
    for option in [[], ["--keep-keys"]] {
      let dry = try run("moclone", clone + ["1", "--dry-run"] + option)
      #expect(dry.status == 0 && dry.errors == told, "\(dry.errors)")
    }
    let cut = try run("moclone", clone + ["1"])
    #expect(cut.status == 0 && cut.errors == told, "\(cut.errors)")
    try DatabaseQueue(path: path("b")).write {
      try $0.execute(sql: "ALTER TABLE customer ADD COLUMN secret")
    }
    let whole = try run("moclone", clone + ["2"])
    #expect(whole.status == 0 && whole.errors.isEmpty, "\(whole.errors)")
    #expect(try rows("b", "SELECT secret FROM customer WHERE name = 'Bob'") == ["kept"])
  }

  @Test("a source that is a symbolic link is removed with what it leads to")
  func linkedSource() throws {
    try FileManager.default.createSymbolicLink(atPath: path("link"), withDestinationPath: "a.sqlite")
    let seeded = try moclone("seed", "--from", path("link"), "--into", path("b"), "--remove-source", "--yes")
    #expect(seeded.status == 0)
    let left = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    #expect(left == ["b.sqlite", "shop.yml"])
  }

  @Test("a source that another connection has locked stays: what is copied is said to be committed")
  func lockedSource() throws {
    let holder = try DatabaseQueue(path: path("a"))
    try holder.writeWithoutTransaction { db in
      try db.execute(sql: "BEGIN IMMEDIATE")
      let seeded = try moclone("seed", "--from", path("a"), "--into", path("b"), "--remove-source", "--yes")
      #expect(seeded.status == 75)
      #expect(seeded.errors.contains("are copied into") && seeded.errors.contains("committed"))
      try db.execute(sql: "ROLLBACK")
    }
    #expect(try rows("a", "SELECT name FROM customer ORDER BY 1") == ["Ann", "Bob"])
    #expect(try rows("b", "SELECT name FROM customer ORDER BY 1") == ["Ann", "Bob"])
  }

  @Test(
    "a source that another process merely has open is kept and said to be open, until it is closed there",
    arguments: ["WAL", "DELETE"])
  func openSource(mode: String) throws {
    let holder = try DatabaseQueue(path: path("a"))
    let set = try holder.writeWithoutTransaction { db in
      try String.fetchOne(db, sql: "PRAGMA journal_mode = \(mode)")
    }
    #expect(set == mode.lowercased())
    func seed() throws -> Finished {
      try moclone("seed", "--from", path("a"), "--into", path("b"), "--remove-source", "--yes")
    }
    let seeded = try seed()
    #expect(seeded.status == 75)
    #expect(
      seeded.errors.contains("'\(path("a"))' is kept, but its objects are copied into"), "\(seeded.errors)")
    #expect(seeded.errors.contains("'\(path("a"))' is open in or locked by another process"))
    #expect(try holder.read { try String.fetchAll($0, sql: "SELECT name FROM customer") } == ["Ann", "Bob"])
    #expect(try rows("b", "SELECT name FROM customer ORDER BY 1") == ["Ann", "Bob"])
    try holder.close()
    #expect(try seed().status == 0)
    #expect(!FileManager.default.fileExists(atPath: path("a")))
  }

  @Test("a store is not copied into itself, whatever its name", arguments: [["copy"], ["seed", "--yes"]])
  func itself(command: [String]) throws {
    #expect(Foundation.link(path("a"), path("hard")) == 0)
    try FileManager.default.createSymbolicLink(atPath: path("symbolic"), withDestinationPath: "a.sqlite")
    for name in ["hard", "symbolic"] {
      let stores = ["--from", path("a"), "--into", path(name), "--model", folder + "/shop.yml"]
      let copied = try run("moclone", command + stores + ["--timeout", "0"])
      #expect(copied.status == 64, "\(name): \(copied.errors)")
      #expect(copied.errors.contains("cannot be copied into itself"), "\(copied.errors)")
    }
  }

  @Test("a source with a virtual table gives a new store that has it, too")
  func virtualTable() throws {
    try DatabaseQueue(path: path("a")).write {
      try $0.execute(sql: "CREATE VIRTUAL TABLE words USING fts5(text)")
    }
    let cut = try moclone(
      "clone", "customer", "2", "--store", path("a"), "--into", path("new"), "--keep-keys")
    #expect(cut.status == 0, "\(cut.errors)")
    #expect(try rows("new", "SELECT name FROM sqlite_schema WHERE name = 'words'") == ["words"])
  }
}
