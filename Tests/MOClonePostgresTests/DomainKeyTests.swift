import MOCloneEngine
import MOCloneModel
import TestSupport
import Testing

/// Keys of domains that refuse nulls, which a key holds as long as a part of it is not known.
@Suite(.enabled(if: TestDatabase.isAvailable, "\(TestDatabase.comment)"))
struct DomainKeyTests {
  private static let yaml = """
    version: 1
    name: Boxes
    entities:
      Box:
        attributes: {name: String}
        relationships: {slots: {destination: Slot, toMany: true, inverse: box, deleteRule: cascade}}
      Slot:
        primaryKey: [box_id, code]
        attributes: {code: String, label: String}
        relationships:
          box: {destination: Box, inverse: slots}
          uses: {destination: Use, toMany: true, inverse: slot, deleteRule: cascade}
      Use:
        attributes: {name: String}
        relationships:
          slot: {destination: Slot, optional: true, inverse: uses, column: [box_id, code], references: [box_id, code]}
    """

  private func fixture(_ domain: String) throws -> DatabaseFixture {
    try DatabaseFixture(
      Self.yaml,
      """
      CREATE DOMAIN pk AS \(domain); CREATE SEQUENCE boxes;
      CREATE TABLE box(id pk PRIMARY KEY DEFAULT nextval('boxes'), name text NOT NULL);
      CREATE TABLE slot(box_id pk REFERENCES box, code text NOT NULL, label text NOT NULL, PRIMARY KEY (box_id, code));
      CREATE TABLE use(id serial PRIMARY KEY, name text NOT NULL, box_id int, code text,
        FOREIGN KEY (box_id, code) REFERENCES slot);
      INSERT INTO box(name) VALUES ('A'); INSERT INTO slot VALUES (1, 'c', 'L');
      INSERT INTO use(name, box_id, code) VALUES ('u', 1, 'c');
      """)
  }

  @Test("A clone settles keys of a domain that refuses nulls", arguments: [1, 2])
  func clones(count: Int) throws {
    for domain in ["integer NOT NULL", "integer CHECK (VALUE IS NOT NULL)"] {
      let fixture = try fixture(domain)
      let result = try fixture.clone("Box", 1, CloneRequest(count: count))
      #expect(result.cloned == ["Box": count, "Slot": count, "Use": count])
      let all = (1...(1 + count)).map { "\($0)|c" }
      #expect(try fixture.rows("SELECT box_id, code FROM slot ORDER BY 1") == all)
      #expect(try fixture.rows("SELECT box_id, code FROM use ORDER BY 1") == all)
    }
  }
}
