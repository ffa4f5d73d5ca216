/// A shop's store of a given size, out of which one customer is taken: always the same one, with as much behind it.
struct LargeShop {
  let count: Int
  /// What the customer who is taken has; so has every other one.
  let orders: Int

  /// The customer, the orders with a line each, and the products in them.
  var taken: Int { 1 + 3 * orders }
  var store: String { "shop-\(count).sqlite" }
  private var customers: Int { max(2, (count - products) / (2 * orders + 1)) }
  private var products: Int { max(orders, count / 50) }

  static let key: Int64 = 2
  static let name = "customer 2"

  static let model = """
    version: 1
    name: Shop
    entities:
      Customer:
        attributes: {name: String, city: String?}
        relationships: {orders: {destination: Order, toMany: true, inverse: customer}}
      Order:
        table: orders
        attributes: {number: Integer 64, note: String?}
        relationships:
          customer: {destination: Customer, inverse: orders}
          lines: {destination: Line, toMany: true, inverse: order}
      Line:
        attributes: {quantity: Integer 32}
        relationships:
          order: {destination: Order, inverse: lines}
          product: {destination: Product, inverse: lines}
      Product:
        attributes: {name: String, price: Double}
        relationships: {lines: {destination: Line, toMany: true, inverse: product}}
        uniquenessConstraints: [[name]]
    """

  /// Makes the store that is taken from beside an empty one.
  func make(at path: String) throws {
    try Connection(path).makeTables(Self.model)
    let source = try Connection(CopiedItems.source(of: path))
    try source.execute("PRAGMA journal_mode = WAL; BEGIN")
    try source.makeTables(Self.model)
    func fill(_ table: String, _ count: Int, _ values: String) throws {
      try source.execute(
        """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
        INSERT INTO \(table) SELECT \(values) FROM n
        """)
    }
    try fill("product(id, name, price)", products, "i, 'product ' || i, i / 4.0")
    try fill("customer(id, name, city)", customers, "i, 'customer ' || i, 'a city'")
    let all = customers * orders
    try fill(
      "orders(id, number, note, customer_id)", all,
      "i, 1000000 + i, 'some forty letters that an order says too', (i - 1) / \(orders) + 1")
    // Each customer has other lines of the same products: each product as often as any other.
    try fill("line(id, quantity, order_id, product_id)", all, "i, i % 9, i, i % \(products) + 1")
    try source.execute("CREATE INDEX customer_name ON customer(name)")
    try source.execute("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)")
  }

  /// The target must hold the customer with all behind it, and nothing else.
  func check(_ path: String, _ name: String) throws {
    let checks = try StoreChecks(path, of: name)
    try checks.expect("SELECT count(*) FROM customer", 1)
    try checks.expect("SELECT count(*) FROM orders", orders)
    try checks.expect("SELECT count(*) FROM line", orders)
    try checks.expect("SELECT count(*) FROM product", orders)
    try checks.connection.execute("ATTACH '\(CopiedItems.source(of: path))' AS s")
    let content = """
      SELECT c.name, c.city, o.number, o.note, l.quantity, p.name, p.price FROM %.customer c
      JOIN %.orders o ON o.customer_id = c.id JOIN %.line l ON l.order_id = o.id JOIN %.product p ON p.id = l.product_id
      WHERE c.name = '\(Self.name)' ORDER BY o.number
      """
    try checks.expectEqual(
      content.replacing("%", with: "main"), content.replacing("%", with: "s"), rows: orders)
    try checks.expectForeignKeysHold()
  }
}
