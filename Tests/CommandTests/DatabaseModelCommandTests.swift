import GRDB
import TestSupport
import Testing

@Suite("Models of databases on the command line")
struct DatabaseModelCommandTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    let queue = try DatabaseQueue(path: folder.file("shop.sqlite").path)
    try queue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
          CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers, placed TEXT);
          CREATE TABLE order_lines (id INTEGER PRIMARY KEY, order_id INTEGER NOT NULL REFERENCES orders, amount INTEGER);
          CREATE INDEX o ON orders (customer_id); CREATE INDEX l ON order_lines (order_id);
          CREATE VIEW big AS SELECT * FROM orders;
          INSERT INTO customers VALUES (1, 'Ann'); INSERT INTO orders VALUES (7, 1, NULL); INSERT INTO order_lines VALUES (1, 7, 3), (2, 7, 4);
          """)
    }
    try queue.close()
  }

  private func run(_ arguments: String...) throws -> Finished {
    try CommandTests.run("moclone", arguments, in: folder.url)
  }

  @Test func anImportedModelIsValidAndItsObjectsAreCloned() throws {
    let imported = try run("model", "import", "shop.sqlite", "-o", "shop.yml")
    #expect(imported.status == 0)
    #expect(imported.errors.contains("The model has no place for views: 'big'."))
    #expect(try run("validate", "shop.yml", "--store", "shop.sqlite", "--fail-on", "warning").status == 0)
    let clone = try run(
      "clone", "order", "7", "--model", "shop.yml", "--store", "shop.sqlite", "--format", "json")
    #expect(
      clone.output.contains("\"cloned\":{\"Order\":1,\"OrderLine\":2}"), "\(clone.output)\(clone.errors)")
  }

  @Test func aFileThatIsNoDatabaseIsRefused() throws {
    try folder.write("not a database at all".utf8, to: "broken.sqlite")
    let run = try run("model", "import", "broken.sqlite")
    #expect(run.status == 1)
    #expect(run.output.isEmpty && !run.errors.isEmpty)
  }
}
