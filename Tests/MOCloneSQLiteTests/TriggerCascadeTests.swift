import Foundation
import GRDB
import MOCloneKit
import TestSupport
import Testing

/// A trigger that counts in an owner runs the one that counts in the owner's owner.
@Suite("Counters that triggers keep by way of others")
struct TriggerCascadeTests {
  private static let model = """
    entities:
      Customer:
        attributes: {name: String, total: Integer 64, orderCount: {type: Integer 64, column: order_count}}
        relationships: {orders: {destination: Order, toMany: true, inverse: customer}}
        uniquenessConstraints: [[name]]
      Order:
        table: orders
        attributes: {code: UUID, total: Integer 64}
        relationships:
          customer: {destination: Customer, inverse: orders}
          lines: {destination: Line, toMany: true, inverse: order}
        uniquenessConstraints: [[code]]
      Line:
        attributes: {amount: Integer 64, code: UUID}
        relationships: {order: {destination: Order, inverse: lines, column: order_id}}
        uniquenessConstraints: [[code]]
    """

  private static let tables = """
    CREATE TABLE customer(id INTEGER PRIMARY KEY, name TEXT, total INTEGER NOT NULL DEFAULT 0, order_count INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE orders(id INTEGER PRIMARY KEY, code TEXT, customer_id INTEGER REFERENCES customer, total INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE line(id INTEGER PRIMARY KEY, code TEXT, order_id INTEGER REFERENCES orders, amount INTEGER);
    CREATE TRIGGER a AFTER INSERT ON line BEGIN
      UPDATE orders SET total = total + NEW.amount WHERE id = NEW.order_id; END;
    CREATE TRIGGER b AFTER UPDATE OF total ON orders BEGIN
      UPDATE customer SET total = total + NEW.total - OLD.total WHERE id = NEW.customer_id; END;
    CREATE TRIGGER c AFTER INSERT ON orders BEGIN
      UPDATE customer SET order_count = order_count + 1 WHERE id = NEW.customer_id; END;
    """

  private static let rows = """
    INSERT INTO customer(id, name) VALUES (1, 'Ann');
    INSERT INTO orders(id, code, customer_id) VALUES (1, '00000000-0000-4000-8000-000000000001', 1),
      (2, '00000000-0000-4000-8000-000000000002', 1);
    INSERT INTO line VALUES (1, '00000000-0000-4000-8000-000000000011', 1, 10),
      (2, '00000000-0000-4000-8000-000000000012', 1, 4), (3, '00000000-0000-4000-8000-000000000013', 2, 16);
    """

  private static let annotated = model.replacing(
    "code: UUID", with: "code: {type: UUID, userInfo: {rebuild: uuid}}"
  )
  .replacing("name: String", with: "name: {type: String, userInfo: {}}")

  private static let totals =
    "SELECT total, order_count, (SELECT group_concat(total) FROM (SELECT total FROM orders WHERE customer_id = c.id ORDER BY id)) FROM customer c ORDER BY id"

  @Test("A clone of a member counts for the owner that it is linked to")
  func clonedMember() throws {
    let model = Self.annotated.replacing("total: Integer 64", with: "total: {type: Integer 64, default: 0}")
    let store = try StoreFixture(model, Self.tables + Self.rows)
    try store.clone("Order", 1)
    #expect(try store.rows(Self.totals) == ["44|3|14,16,14"])
  }

  @Test("An owner without what is counted further below begins at nothing")
  func clonedWithout() throws {
    let store = try StoreFixture(Self.annotated, Self.tables + Self.rows)
    try store.clone("Customer", 1, CloneRequest(exclude: ["Order.lines"], set: ["name": "Bob"]))
    #expect(try store.rows(Self.totals) == ["30|2|14,16", "0|2|0,0"])
  }

  private static let accounts = """
    entities:
      Account:
        attributes: {name: String, balance: {type: Integer 64, default: 0}}
        relationships: {entries: {destination: Entry, toMany: true, inverse: account}}
      Entry:
        attributes: {amount: Integer 64, after: Integer 64?}
        relationships: {account: {destination: Account, inverse: entries}}
    """

  private static let accountTables = """
    CREATE TABLE account(id INTEGER PRIMARY KEY, name TEXT, balance INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE entry(id INTEGER PRIMARY KEY, account_id INTEGER REFERENCES account, amount INTEGER, after INTEGER);
    CREATE INDEX a ON entry(account_id);
    CREATE TRIGGER t AFTER INSERT ON entry BEGIN
      UPDATE account SET balance = balance + NEW.amount WHERE id = NEW.account_id;
      UPDATE entry SET after = (SELECT balance FROM account WHERE id = NEW.account_id) WHERE id = NEW.id;
    END;

    """

  @Test("A total that a trigger writes into each member runs on from the beginning")
  func runningTotal() throws {
    let store = try StoreFixture(
      Self.accounts,
      Self.accountTables + """
        INSERT INTO account(id, name) VALUES (1, 'a');
        INSERT INTO entry(account_id, amount) VALUES (1, 10), (1, -3), (1, 5);
        """)
    try store.clone("Account", 1)
    let rows =
      "SELECT balance, (SELECT group_concat(after) FROM entry e WHERE e.account_id = a.id) FROM account a"
    #expect(try store.rows(rows) == ["12|10,7,12", "12|10,7,12"])
    let target = try StoreFixture(Self.accounts, Self.accountTables)
    try SQLiteGraph(target.writer, model: target.model).copy(
      from: SQLiteGraph(store.writer, model: store.model))
    #expect(try target.rows(rows) == ["12|10,7,12", "12|10,7,12"])
  }

  @Test(
    "What looks at a number on its way sees no other than the last",
    arguments: ["CHECK (balance >= 0)", "UNIQUE", ", state TEXT NOT NULL DEFAULT 'open'"])
  func lookers(more: String) throws {
    let hasState = more.contains("state")
    let state = """
      CREATE TRIGGER s AFTER UPDATE OF balance ON account WHEN NEW.balance < 0 BEGIN
        UPDATE account SET state = 'closed' WHERE id = NEW.id; END;

      """
    let tables =
      Self.accountTables.replacing("NULL DEFAULT 0);", with: "NULL DEFAULT 0 \(more));")
      + (hasState ? state : "")
    let store = try StoreFixture(
      Self.accounts,
      tables + """
        INSERT INTO account(id, name, balance) VALUES (1, 'a', 100), (2, 'b', 200);
        INSERT INTO entry(account_id, amount) VALUES (1, -30), (1, 50);
        """)
    let target = try StoreFixture(Self.accounts, tables)
    try SQLiteGraph(target.writer, model: target.model).copy(
      from: SQLiteGraph(store.writer, model: store.model))
    let rows = "SELECT balance\(hasState ? " || state" : "") FROM account ORDER BY id"
    #expect(try target.rows(rows) == store.rows(rows))
    guard more != "UNIQUE" else { return }
    try store.clone("Account", 1)
    #expect(try Set(store.rows(rows)).count == 2)
  }

  @Test("An opening value that no member explains is there as well")
  func openingValue() throws {
    let store = try StoreFixture(
      Self.accounts,
      Self.accountTables + """
        INSERT INTO account(id, name, balance) VALUES (1, 'a', 100);
        INSERT INTO entry(account_id, amount) VALUES (1, 10);
        """)
    try store.clone("Account", 1)
    #expect(try store.rows("SELECT balance FROM account") == ["110", "110"])
  }

  @Test("An opening value is there as well where all excluded members come by another way, and only there")
  func openingValueOfLedger() throws {
    let store = try StoreFixture(
      SharedModel.ledger(amount: "Integer 64", zero: "0"),
      """
      CREATE TABLE ledger(id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE account(id INTEGER PRIMARY KEY, ledger_id INTEGER REFERENCES ledger, balance INTEGER NOT NULL DEFAULT 0);
      CREATE TABLE sheet(id INTEGER PRIMARY KEY, ledger_id INTEGER REFERENCES ledger, name TEXT);
      CREATE TABLE entry(id INTEGER PRIMARY KEY, sheet_id INTEGER REFERENCES sheet, account_id INTEGER REFERENCES account, amount INTEGER);
      CREATE INDEX a ON entry(account_id);
      CREATE TRIGGER t AFTER INSERT ON entry BEGIN
        UPDATE account SET balance = balance + NEW.amount WHERE id = NEW.account_id; END;
      INSERT INTO ledger VALUES (1, 'main'), (2, 'other');
      INSERT INTO account VALUES (1, 1, 100), (2, 1, 200);
      INSERT INTO sheet(id, ledger_id) VALUES (1, 1), (2, 2);
      INSERT INTO entry(sheet_id, account_id, amount) VALUES (1, 1, -10), (1, 2, 10), (1, 1, -1), (2, 2, 5);
      """)
    try store.clone("Ledger", 1)
    #expect(try store.rows("SELECT balance FROM account ORDER BY id") == ["89", "215", "89", "10"])
  }

  @Test("A clone has its original's")
  func cloned() throws {
    let store = try StoreFixture(Self.annotated, Self.tables + Self.rows)
    try store.clone("Customer", 1, CloneRequest(set: ["name": "Bob"]))
    #expect(try store.rows(Self.totals) == ["30|2|14,16", "30|2|14,16"])
  }

  @Test("The same where only the first of them is said to be kept by triggers")
  func clonedWithKeptOnes() throws {
    let kept = Self.annotated.replacing(
      "total: Integer 64}", with: "total: {type: Integer 64, default: 0, derived: trigger}}")
    let store = try StoreFixture(kept, Self.tables + Self.rows)
    try store.clone("Customer", 1, CloneRequest(set: ["name": "Bob"]))
    #expect(try store.rows(Self.totals) == ["30|2|14,16", "30|2|14,16"])
  }

  @Test("Totals of a tree are right at every level, however deep it is")
  func tree() throws {
    let store = try StoreFixture(
      """
      entities:
        Folder:
          attributes: {total: Integer 64}
          relationships:
            above: {destination: Folder, optional: true, inverse: below}
            below: {destination: Folder, toMany: true, inverse: above}
            files: {destination: File, toMany: true, inverse: folder}
        File:
          attributes: {size: Integer 64}
          relationships: {folder: {destination: Folder, inverse: files}}
      """,
      """
      CREATE TABLE folder(id INTEGER PRIMARY KEY, above_id INTEGER REFERENCES folder, total INTEGER NOT NULL DEFAULT 0);
      CREATE TABLE file(id INTEGER PRIMARY KEY, folder_id INTEGER REFERENCES folder, size INTEGER);
      CREATE TRIGGER a AFTER INSERT ON file BEGIN
        UPDATE folder SET total = total + NEW.size WHERE id = NEW.folder_id; END;
      CREATE TRIGGER b AFTER UPDATE OF total ON folder WHEN NEW.above_id IS NOT NULL BEGIN
        UPDATE folder SET total = total + NEW.total - OLD.total WHERE id = NEW.above_id; END;
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9)
      INSERT INTO folder SELECT i, nullif(i - 1, 0), 0 FROM n;
      INSERT INTO file VALUES (1, 9, 10), (2, 4, 5), (3, 8, 1);
      """)
    try store.clone("Folder", 1)
    let totals = try store.rows("SELECT total FROM folder WHERE id < 10 ORDER BY id")
    #expect(try store.rows("SELECT total FROM folder WHERE id > 9 ORDER BY id") == totals)
    #expect(Set(totals).count > 2)
  }

  @Test("A copy has its source's")
  func copied() throws {
    let source = try StoreFixture(Self.model, Self.tables + Self.rows)
    let target = try StoreFixture(Self.model, Self.tables)
    for _ in 0..<2 {
      try SQLiteGraph(target.writer, model: target.model).copy(
        from: SQLiteGraph(source.writer, model: source.model))
      #expect(try target.rows(Self.totals) == ["30|2|14,16"])
    }
  }
}
