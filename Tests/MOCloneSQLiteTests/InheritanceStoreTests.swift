import MOCloneKit
import Testing

/// Entities that share a table.
@Suite struct InheritanceStoreTests {
  private func shapes(_ discriminators: (String, String), column: String) throws -> StoreFixture {
    try StoreFixture(
      """
      entities:
        Drawing:
          relationships: {shapes: {destination: Shape, toMany: true, inverse: drawing}}
        Shape:
          abstract: true
          discriminator: {column: kind}
          attributes: {name: String?}
          relationships: {drawing: {destination: Drawing, optional: true, inverse: shapes}}
        Circle:
          parent: Shape
          discriminator: {value: \(discriminators.0)}
          attributes: {radius: {type: Double, optional: true, default: 3, userInfo: {exclude: ""}}}
        Square:
          parent: Shape
          discriminator: {value: \(discriminators.1)}
          attributes: {side: Double?}
          relationships: {dots: {destination: Dot, toMany: true, inverse: square}}
        Dot:
          relationships: {square: {destination: Square, inverse: dots}}
      """,
      """
      CREATE TABLE drawing(id INTEGER PRIMARY KEY);
      CREATE TABLE shape(id INTEGER PRIMARY KEY, kind \(column), name TEXT, radius REAL, side REAL,
        drawing_id INTEGER REFERENCES drawing(id));
      CREATE TABLE dot(id INTEGER PRIMARY KEY, square_id INTEGER NOT NULL REFERENCES shape(id));
      INSERT INTO drawing VALUES (1), (2);
      INSERT INTO shape VALUES (1, '\(discriminators.0)', 'c', 9, NULL, 1), (2, '\(discriminators.1)', 's', NULL, 8, 1);
      INSERT INTO dot VALUES (1, 2), (2, 2);
      """)
  }

  @Test func textAndIntegerDiscriminators() throws {
    for (values, column) in [
      (("circle", "square"), "TEXT"), (("1", "2"), "INTEGER"), (("1", "2"), "TEXT"), (("1", "2"), ""),
    ] {
      let store = try shapes(values, column: column)
      let result = try store.clone("Drawing", 1)
      #expect(result.cloned == ["Drawing": 1, "Circle": 1, "Square": 1, "Dot": 2], "\(values) \(column)")
      #expect(
        try store.rows("SELECT * FROM shape WHERE id > 2 ORDER BY id")
          == ["3|\(values.0)|c|3.0|-|3", "4|\(values.1)|s|-|8.0|3"])
      #expect(try store.rows("SELECT square_id FROM dot WHERE id > 2") == ["4", "4"])
      #expect(try store.rows("SELECT count(DISTINCT typeof(kind)) FROM shape") == ["1"])
      #expect(try store.clone("Shape", 2).root == ObjectID("Square", key: 5))
    }
  }

  @Test(arguments: ["'triangle'", "NULL", "'Shape'", "'CIRCLE'"])
  func aValueThatMarksNoEntityIsRefused(value: String) throws {
    let store = try shapes(("circle", "square"), column: "TEXT")
    try store.execute("INSERT INTO shape VALUES (3, \(value), 'x', 1, 1, 1)")
    #expect(try store.refusal("Drawing", 1)?.code == .unknownDiscriminator)
    #expect(try store.clone("Drawing", 2).cloned == ["Drawing": 1])
  }
}
