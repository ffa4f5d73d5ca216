import Foundation
import GRDB
import TestSupport
import Testing

@Suite("model import --update")
struct ModelUpdateCommandTests {
  private let folder: TemporaryFolder
  private var model: URL { folder.file("shop.yml") }

  init() throws {
    folder = try TemporaryFolder()
    try execute(
      """
      CREATE TABLE customer(id INTEGER PRIMARY KEY, name TEXT NOT NULL, isVIP INTEGER NOT NULL DEFAULT 0);
      CREATE TABLE "order"(id INTEGER PRIMARY KEY, day TEXT, customer_id INTEGER NOT NULL REFERENCES customer);
      CREATE VIEW names AS SELECT name FROM customer;
      """)
    let run = try moclone("model", "import", "shop.sqlite", "-o", "shop.yml", in: folder.url)
    #expect(run.status == 0, "\(run.errors)")
  }

  private func execute(_ sql: String) throws {
    let queue = try DatabaseQueue(path: folder.file("shop.sqlite").path)
    try queue.write { try $0.execute(sql: sql) }
    try queue.close()
  }

  private func edit(_ edit: (String) -> String) throws {
    let text = try String(contentsOf: model, encoding: .utf8)
    let edited = edit(text)
    #expect(edited != text)
    try edited.write(to: model, atomically: true, encoding: .utf8)
  }

  private func update() throws -> (run: Finished, before: String, after: String) {
    let before = try String(contentsOf: model, encoding: .utf8)
    let run = try moclone("model", "import", "shop.sqlite", "--update", "shop.yml", in: folder.url)
    return (run, before, try String(contentsOf: model, encoding: .utf8))
  }

  @Test func nothingChangesWhereTheDatabaseDidNot() throws {
    try edit {
      $0.replacing("orders:", with: "purchases:").replacing("inverse: orders", with: "inverse: purchases")
    }
    let date = try FileManager.default.attributesOfItem(atPath: model.path)[.modificationDate] as? Date
    let (run, before, after) = try update()
    #expect(run.status == 0, "\(run.errors)")
    #expect(after == before)
    #expect(run.errors.contains("'shop.yml' is up to date"))
    #expect(try FileManager.default.attributesOfItem(atPath: model.path)[.modificationDate] as? Date == date)
  }

  @Test func aMigrationComesInAndTheResultFitsTheDatabase() throws {
    try edit {
      $0.replacing(
        "      name: String\n",
        with: "      # how we call them\n      name: {type: String, userInfo: {for: print}}\n")
    }
    try execute(
      """
      ALTER TABLE customer ADD COLUMN phone TEXT;
      ALTER TABLE "order" DROP COLUMN day;
      CREATE TABLE line(id INTEGER PRIMARY KEY, order_id INTEGER NOT NULL REFERENCES "order", text TEXT NOT NULL);
      CREATE INDEX line_order ON line(order_id);
      """)
    let (run, _, after) = try update()
    #expect(run.status == 0, "\(run.errors)")
    for change in [
      "Added 'Customer.phone' (String?)",
      "Commented out 'Order.day', because the column 'day' no longer exists",
      "Added 'Order.lines' (many Line)",
      "Added 'Line'",
    ] {
      #expect(run.errors.contains(change), "\(change): \(run.errors)")
    }
    #expect(after.contains("      # how we call them\n      name: {type: String, userInfo: {for: print}}\n"))
    #expect(after.contains("# gone from the source: the column 'day'\n"))
    let valid = try validation()
    #expect(valid.status == 0, "\(valid.output)")
    #expect(try update().run.errors.contains("up to date"))
  }

  private func validation() throws -> Finished {
    try moclone("validate", "shop.yml", "--store", "shop.sqlite", "--model", "shop.yml", in: folder.url)
  }

  @Test func aForeignKeyThatReferencesAnotherColumnComesIn() throws {
    try execute(
      """
      DROP VIEW names; DROP TABLE "order"; DROP TABLE customer;
      CREATE TABLE customer(
        id INTEGER PRIMARY KEY, code INTEGER NOT NULL UNIQUE, name TEXT NOT NULL,
        isVIP INTEGER NOT NULL DEFAULT 0);
      CREATE TABLE "order"(
        id INTEGER PRIMARY KEY, day TEXT, customer_id INTEGER NOT NULL REFERENCES customer(code));
      """)
    let (run, _, after) = try update()
    #expect(run.errors.contains("Changed 'Order.customer': customer_id references code"), "\(run.errors)")
    #expect(after.contains("column: [{column: customer_id, references: code}]"), "\(after)")
    let valid = try validation()
    #expect(!valid.output.contains("foreign-key-mismatch"), "\(valid.output)")
    #expect(try update().run.errors.contains("up to date"))
  }

  @Test func aForeignKeyThatGetsAnotherColumnKeepsItsRelationshipsAndAnnotations() throws {
    try edit { $0.replacing("inverse: customer}", with: "inverse: customer, userInfo: {exclude: \"\"}}") }
    try execute(
      """
      ALTER TABLE customer ADD COLUMN tenant INTEGER NOT NULL DEFAULT 1;
      CREATE UNIQUE INDEX customer_tenant ON customer(tenant, id);
      DROP TABLE "order";
      CREATE TABLE "order"(
        id INTEGER PRIMARY KEY, day TEXT, tenant INTEGER NOT NULL, customer_id INTEGER NOT NULL,
        FOREIGN KEY(tenant, customer_id) REFERENCES customer(tenant, id));
      """)
    let (run, _, after) = try update()
    #expect(
      run.errors.contains(
        "Changed 'Order.customer': tenant references tenant, customer_id references id"), "\(run.errors)")
    #expect(after.contains("inverse: customer, userInfo: {exclude: \"\"}}"), "\(after)")
    #expect(!after.contains("orders2") && !after.contains("customer2"), "\(after)")
    let valid = try validation()
    #expect(valid.status == 0, "\(valid.output)")
    #expect(try update().run.errors.contains("up to date"))
    try execute(
      """
      DROP TABLE "order";
      CREATE TABLE "order"(
        id INTEGER PRIMARY KEY, day TEXT, tenant INTEGER NOT NULL,
        customer_id INTEGER NOT NULL REFERENCES customer);
      """)
    let back = try update()
    #expect(back.run.errors.contains("Added 'Order.tenant'"), "\(back.run.errors)")
    #expect(back.run.errors.contains("Changed 'Order.customer': customer_id references id"))
    #expect(!back.after.contains("orders2"), "\(back.after)")
  }

  @Test func anotherKeyColumnComesIn() throws {
    try execute("ALTER TABLE customer RENAME COLUMN id TO number;")
    let (run, _, after) = try update()
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.errors.contains("Changed 'Customer': the key is number"), "\(run.errors)")
    #expect(after.contains("    primaryKey: number\n") && !after.contains("references:"), "\(after)")
    #expect(try validation().status == 0)
    #expect(try update().run.errors.contains("up to date"))
  }

  @Test func whatDoesNotFitTheDatabaseIsAFindingAndOtherDiscriminatorsComeIn() throws {
    try execute(
      """
      CREATE TABLE remark(
        id INTEGER PRIMARY KEY, body TEXT, remarkable_type TEXT NOT NULL, remarkable_id INTEGER NOT NULL);
      CREATE INDEX remark_on ON remark(remarkable_id, remarkable_type);
      INSERT INTO customer(id, name) VALUES(1, 'a'), (2, 'b');
      INSERT INTO "order"(id, customer_id) VALUES(1, 1), (2, 2);
      INSERT INTO remark VALUES(1, 'c', 'Customer', 1), (2, 'd', 'Customer', 2), (3, 'e', 'Order', 1), (4, 'f', 'Order', 2);
      """)
    #expect(try update().after.contains("discriminator: {value: Customer}"))
    try execute("UPDATE remark SET remarkable_type = 'App::' || remarkable_type;")
    let values = try update()
    #expect(values.run.status == 0, "\(values.run.errors)")
    #expect(values.after.contains("discriminator: {value: \"App::Customer\"}"), "\(values.after)")
    try execute("ALTER TABLE remark RENAME COLUMN remarkable_type TO target_type;")
    for _ in 1...2 {
      let (run, _, _) = try update()
      #expect(run.status == 1)
      #expect(run.errors.contains("no column 'remarkable_type' for the discriminator"), "\(run.errors)")
      #expect(!run.errors.contains("up to date"), "\(run.errors)")
    }
  }

  @Test func annotationsOfARelationshipWhoseJoinTableBecameAnEntityAreToldOf() throws {
    let joins = """
      CREATE TABLE favourite(
        customer_id INTEGER REFERENCES customer, order_id INTEGER REFERENCES "order",
        PRIMARY KEY(customer_id, order_id));
      """
    try execute(joins)
    #expect(try update().run.errors.contains("(many Order)"))
    try edit {
      $0.replacing("inverse: favourite}", with: "inverse: favourite, userInfo: {team: sales}}")
    }
    try execute("DROP TABLE favourite; CREATE TABLE favourite(customer_id INTEGER REFERENCES customer);")
    let gone = try update()
    #expect(
      gone.run.errors.contains("because the column 'order_id' of the table 'favourite' no longer exists"),
      "\(gone.run.errors)")
    #expect(!gone.run.errors.contains("do NOT apply"), "\(gone.run.errors)")
    try execute("DROP TABLE favourite;" + joins)
    for _ in 1...2 {
      let back = try update()
      #expect(back.run.errors.contains("Kept 'Favourite': the annotations"), "\(back.run.errors)")
      #expect(back.run.errors.contains("do NOT apply to it"), "\(back.run.errors)")
    }
  }

  /// A table whose rows are on rows of several others, and what its first rows are on.
  private func addComments(on types: [String]) throws {
    try execute(
      """
      CREATE TABLE zone(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
      CREATE TABLE actor(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
      INSERT INTO customer(id, name) VALUES (1, 'a');
      INSERT INTO zone VALUES (1, 'a');
      INSERT INTO actor VALUES (1, 'a');
      INSERT INTO "order" VALUES (1, NULL, 1);
      CREATE TABLE comment(
        id INTEGER PRIMARY KEY, body TEXT, commentable_type TEXT NOT NULL, commentable_id INTEGER NOT NULL);
      CREATE INDEX comments ON comment(commentable_id, commentable_type);
      """)
    try comment(on: types)
  }

  private func comment(on types: [String]) throws {
    for type in types {
      try execute("INSERT INTO comment(body, commentable_type, commentable_id) VALUES ('c', '\(type)', 1)")
    }
  }

  @Test(arguments: [["Zone"], ["Zone", "Actor"]], [false, true])
  func newTypesOfAReferenceToSeveralTablesLeaveTheOthersAsTheyAre(_ types: [String], isRenamed: Bool) throws {
    try addComments(on: ["Customer", "Order"])
    #expect(try update().run.status == 0)
    let known = "commentable: {destination: Customer, inverse: comments}"
    let renamed = "subject: {destination: Customer, inverse: remarks, column: commentable_id}"
    if isRenamed {
      try edit {
        $0.replacing(known, with: renamed).replacing("CustomerComment", with: "Remark")
          .replacing(
            "comments: {destination: Remark, toMany: true, inverse: commentable}",
            with: "remarks: {destination: Remark, toMany: true, inverse: subject}")
      }
    }
    try comment(on: types)
    let (run, before, after) = try update()
    #expect(run.status == 0, "\(run.errors)")
    let added = types.flatMap { ["'\($0)Comment'", "'\($0).comments' (many \($0)Comment)"] }
    for part in added { #expect(run.errors.contains("Added \(part)."), "\(run.errors)") }
    #expect(run.errors.contains("\(added.count) added.\n"), "\(run.errors)")
    #expect(after.contains(isRenamed ? renamed : known))
    for line in before.split(separator: "\n") { #expect(after.contains(line), "\(after)") }
    for type in types {
      #expect(after.contains("commentable: {destination: \(type), inverse: comments}"), "\(after)")
    }
    let check = try moclone("validate", "shop.yml", "--store", "shop.sqlite", in: folder.url)
    #expect(check.status == 0, "\(check.errors)")
    #expect(try update().run.errors.contains("is up to date"))
  }

  @Test func anEntityThatTheSourceDividesStaysWholeAndIsReported() throws {
    try addComments(on: [])
    #expect(try update().run.status == 0)
    try comment(on: ["Customer", "Order"])
    let (run, before, after) = try update()
    #expect(run.status == 0, "\(run.errors)")
    #expect(
      run.errors.contains(
        "Kept 'Comment': the source has sub-entities of it, each with a reference of its own."),
      "\(run.errors)")
    #expect(after == before)
  }

  @Test func theResultCanGoIntoAnotherFile() throws {
    try execute("ALTER TABLE customer ADD COLUMN phone TEXT;")
    let before = try String(contentsOf: model, encoding: .utf8)
    let run = try moclone(
      "model", "import", "shop.sqlite", "--update", "shop.yml", "-o", "new.yml", in: folder.url)
    #expect(run.status == 0, "\(run.errors)")
    #expect(try String(contentsOf: model, encoding: .utf8) == before)
    #expect(try String(contentsOf: folder.file("new.yml"), encoding: .utf8).contains("phone: String?"))
    let again = try moclone(
      "model", "import", "shop.sqlite", "--update", "shop.yml", "-o", "new.yml", in: folder.url)
    #expect(again.status == 1)
  }

  @Test func whatAPersonMustDecideIsAFindingInTheUpdatedFile() throws {
    try edit {
      $0.replacing(
        "      day: String?\n",
        with:
          "      day: {type: String, optional: true, userInfo: {followParent: Customer.name, withoutParent: keep}}\n"
      )
    }
    try execute("ALTER TABLE customer RENAME COLUMN name TO title;")
    let (run, _, after) = try update()
    #expect(run.status == 1)
    #expect(run.errors.contains("shop.yml:"), "\(run.errors)")
    #expect(after.contains("title: String"))
  }

  @Test func theAnnotationsOfAColumnThatIsAwayForOneRunComeBack() throws {
    try edit {
      $0.replacing(
        "      day: String?\n",
        with: "      # not for copies\n"
          + "      secret: {type: String, optional: true, column: day, userInfo: {exclude: \"\"}}   # review\n"
      )
    }
    try execute("ALTER TABLE \"order\" RENAME COLUMN day TO week;")
    let (_, original, gone) = try update()
    #expect(gone.contains("# secret: {type: String"), "\(gone)")
    try execute("ALTER TABLE \"order\" RENAME COLUMN week TO day;")
    let (run, _, back) = try update()
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.errors.contains("Added 'Order.secret' (as it was commented out)"), "\(run.errors)")
    for line in original.split(separator: "\n") { #expect(back.contains(line), "\(back)") }
    #expect(!back.contains("day: String?") && !back.contains("# secret"), "\(back)")
  }

  @Test func aDatabaseWithoutTablesLeavesTheFileAsItIs() throws {
    let empty = try DatabaseQueue(path: folder.file("empty.sqlite").path)
    try empty.write { try $0.execute(sql: "CREATE VIEW v AS SELECT 1") }
    try empty.close()
    let before = try String(contentsOf: model, encoding: .utf8)
    let run = try moclone("model", "import", "empty.sqlite", "--update", "shop.yml", in: folder.url)
    #expect(run.status == 2)
    #expect(run.errors == "moclone: 'empty.sqlite' has no tables to make a model of; create them first.\n")
    #expect(try String(contentsOf: model, encoding: .utf8) == before)
  }

  @Test func aFileWithErrorsStaysAsItIs() throws {
    try edit { $0.replacing("attributes:", with: "atributes:") }
    let (run, before, after) = try update()
    #expect(run.status == 1)
    #expect(before == after)
  }
}
