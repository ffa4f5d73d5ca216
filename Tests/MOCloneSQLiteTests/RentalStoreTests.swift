import Foundation
import MOCloneKit
import Testing

/// Clones in a store with cyclic foreign keys, whose integer keys are no row numbers.
@Suite struct RentalStoreTests {
  enum Origin: String {
    case own, shared

    static let name = "sakila_schema_only"
    static var all: [Origin] {
      FileManager.default.fileExists(atPath: RealData.path(name)) ? [.own, .shared] : [.own]
    }
  }

  private static let model = """
    entities:
      Store:
        primaryKey: {column: store_id, generate: max}
        relationships:
          manager: {destination: Staff, inverse: manages, column: manager_staff_id}
          staff: {destination: Staff, toMany: true, inverse: store}
          customers: {destination: Customer, toMany: true, inverse: store}
      Staff:
        primaryKey: {column: staff_id, generate: max}
        attributes: {firstName: String, username: String}
        relationships:
          store: {destination: Store, inverse: staff}
          manages: {destination: Store, toMany: true, inverse: manager}
      Customer:
        primaryKey: {column: customer_id, generate: max}
        attributes: {firstName: String}
        relationships:
          store: {destination: Store, inverse: customers}
          rentals: {destination: Rental, toMany: true, inverse: customer}
          payments: {destination: Payment, toMany: true, inverse: customer}
      Rental:
        primaryKey: {column: rental_id, generate: max}
        relationships:
          customer: {destination: Customer, inverse: rentals}
          staff: {destination: Staff}
          payments: {destination: Payment, toMany: true, inverse: rental}
      Payment:
        primaryKey: {column: payment_id, generate: max}
        attributes: {amount: Decimal}
        relationships:
          customer: {destination: Customer, inverse: payments}
          rental: {destination: Rental, optional: true, inverse: payments}
    """

  private static let sharedRows = """
    PRAGMA defer_foreign_keys = ON;
    INSERT INTO country VALUES (1, 'c', 'then');
    INSERT INTO city VALUES (1, 'c', 1, 'then');
    INSERT INTO address VALUES (1, 'a', NULL, 'd', 1, NULL, '1', 'then');
    INSERT INTO language VALUES (1, 'l', 'then');
    INSERT INTO film(film_id, title, language_id, last_update) VALUES (1, 'f', 1, 'then');
    INSERT INTO store VALUES (1, 1, 1, 'then');
    INSERT INTO staff VALUES (1, 's', 's', 1, NULL, NULL, 1, 1, 'u', NULL, 'then'),
      (2, 't', 't', 1, NULL, NULL, 1, 1, 'v', NULL, 'then');
    INSERT INTO inventory VALUES (1, 1, 1, 'then'), (2, 1, 1, 'then');
    INSERT INTO customer VALUES (1, 1, 'f', 'l', NULL, 1, 'Y', 'then', 'then');
    INSERT INTO rental VALUES (1, 'd1', 1, 1, NULL, 1, 'then'), (2, 'd2', 2, 1, NULL, 2, 'then');
    INSERT INTO payment VALUES (1, 1, 1, 1, 2.5, 'p', 'then'), (2, 1, 1, NULL, 3.5, 'p', 'then'),
      (3, 1, 2, 2, 4.5, 'p', 'then');
    """

  /// The same shape as this project makes it.
  private static let ownSchema = """
    CREATE TABLE store(
      store_id INT NOT NULL PRIMARY KEY, manager_staff_id SMALLINT NOT NULL REFERENCES staff(staff_id),
      last_update TIMESTAMP NOT NULL);
    CREATE TABLE staff(
      staff_id SMALLINT NOT NULL PRIMARY KEY, first_name VARCHAR(45) NOT NULL, username VARCHAR(16) NOT NULL,
      store_id INT NOT NULL REFERENCES store(store_id));
    CREATE TABLE customer(
      customer_id INT NOT NULL PRIMARY KEY, store_id INT NOT NULL REFERENCES store(store_id),
      first_name VARCHAR(45) NOT NULL, last_update TIMESTAMP NOT NULL);
    CREATE TABLE rental(
      rental_id INT NOT NULL PRIMARY KEY, rental_date TIMESTAMP NOT NULL, inventory_id INT NOT NULL,
      customer_id INT NOT NULL REFERENCES customer(customer_id), staff_id SMALLINT NOT NULL REFERENCES staff(staff_id));
    CREATE TABLE payment(
      payment_id INT NOT NULL PRIMARY KEY, customer_id INT NOT NULL REFERENCES customer(customer_id),
      staff_id SMALLINT NOT NULL REFERENCES staff(staff_id),
      rental_id INT REFERENCES rental(rental_id) ON DELETE SET NULL, amount DECIMAL(5,2) NOT NULL);
    CREATE UNIQUE INDEX rental_once ON rental(rental_date, inventory_id, customer_id);
    CREATE INDEX staff_store ON staff(store_id);
    CREATE INDEX customer_store ON customer(store_id);
    CREATE TRIGGER customer_added AFTER INSERT ON customer BEGIN
      UPDATE customer SET last_update = 'now' WHERE rowid = new.rowid;
    END;
    """

  private static let ownRows = """
    PRAGMA defer_foreign_keys = ON;
    INSERT INTO store VALUES (1, 1, 'then');
    INSERT INTO staff VALUES (1, 's', 'u', 1), (2, 't', 'v', 1);
    INSERT INTO customer VALUES (1, 1, 'f', 'then');
    INSERT INTO rental VALUES (1, 'd1', 1, 1, 1), (2, 'd2', 2, 1, 2);
    INSERT INTO payment VALUES (1, 1, 1, 1, 2.5), (2, 1, 1, NULL, 3.5), (3, 1, 2, 2, 4.5);
    """

  private func store(_ origin: Origin) throws -> StoreFixture {
    let isOwn = origin == .own
    let store =
      try isOwn ? StoreFixture(Self.model, Self.ownSchema) : StoreFixture(copyOf: Origin.name, Self.model)
    try store.execute(isOwn ? Self.ownRows : Self.sharedRows)
    return store
  }

  @Test(arguments: Origin.all) func aStoreWhoseStaffAndManagerAreInARing(origin: Origin) throws {
    let store = try store(origin)
    let result = try store.cloneKeepingAll("Store", 1, CloneRequest(exclude: ["rentals", "payments"]))
    #expect(result.cloned == ["Store": 1, "Staff": 2, "Customer": 1])
    #expect(
      try store.rows(
        "SELECT s.username FROM store x JOIN staff s ON s.staff_id = x.manager_staff_id "
          + "AND s.store_id = x.store_id WHERE x.store_id <> 1") == ["u"])
    #expect(try store.rows("SELECT count(*) FROM staff GROUP BY store_id") == ["2", "2"])
  }

  @Test(arguments: Origin.all) func aCustomerWhoseRentalsAreUnique(origin: Origin) throws {
    let store = try store(origin)
    // (rental_date, inventory_id, customer_id) is unique, and the customer is new.
    let result = try store.cloneKeepingAll("Customer", 1)
    let staff = result.cloned["Staff"] ?? 0
    #expect(result.cloned["Rental"] == 2 && result.cloned["Payment"] == 3)
    #expect(staff == 2, "a relationship without inverse is cloned")
    #expect(
      try store.rows(
        "SELECT p.amount, r.rental_date FROM payment p LEFT JOIN rental r USING (rental_id) "
          + "WHERE p.customer_id <> 1 AND (r.rental_id IS NULL OR r.customer_id = p.customer_id) ORDER BY 1")
        == ["2.5|d1", "3.5|-", "4.5|d2"])
  }
}
