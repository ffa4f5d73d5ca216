import MOCloneKit
import TestSupport
import Testing

@testable import MOClonePostgres

@Suite(
  "Numbers of sequences for objects that are reached in several ways",
  .enabled(if: TestDatabase.isAvailable, "\(TestDatabase.comment)"))
struct ContiguousKeyTests {
  private func boxes() throws -> DatabaseFixture {
    try DatabaseFixture(
      """
      version: 1
      name: Boxes
      entities:
        Root:
          attributes: {name: String}
          relationships:
            items: {destination: Item, toMany: true, inverse: root}
            boxes: {destination: Box, toMany: true, inverse: root}
        Box:
          attributes: {name: String}
          relationships:
            root: {destination: Root, optional: true, inverse: boxes}
            items: {destination: Item, toMany: true, inverse: box}
        Item:
          attributes: {name: String}
          relationships:
            root: {destination: Root, optional: true, inverse: items}
            box: {destination: Box, optional: true, inverse: items}
      """,
      """
      CREATE TABLE root(id bigserial PRIMARY KEY, name text NOT NULL);
      CREATE TABLE box(id bigserial PRIMARY KEY, name text NOT NULL, root_id bigint REFERENCES root);
      CREATE TABLE item(id bigserial PRIMARY KEY, name text NOT NULL, root_id bigint REFERENCES root,
        box_id bigint REFERENCES box);
      INSERT INTO root(name) VALUES ('r'); INSERT INTO box(name, root_id) VALUES ('b', 1);
      INSERT INTO item(name, root_id, box_id) VALUES ('deep', NULL, 1), ('both', 1, 1), ('also', 1, 1)
      """)
  }

  @Test("New keys are contiguous and ascend by generation", arguments: [true, false])
  func generations(keepsMapping: Bool) throws {
    let database = try boxes()
    for _ in 0..<2 {
      _ = try Cloner(keepsMapping: keepsMapping).clone("Root", keys: [1], in: database.graph)
    }
    #expect(
      try database.rows("SELECT id, name FROM item WHERE id > 3 ORDER BY id")
        == ["4|both", "5|also", "6|deep", "7|both", "8|also", "9|deep"])
    try database.clone("Root", 1, CloneRequest(count: 2))
    #expect(try database.rows("SELECT count(*), max(id) FROM item WHERE id > 9") == ["6|15"])
  }

  @Test("So are those of objects that refer to each other")
  func cycles() throws {
    let database = try DatabaseFixture(
      """
      version: 1
      name: People
      entities:
        Person:
          attributes: {name: String}
          relationships:
            parent: {destination: Person, optional: true, inverse: children}
            children: {destination: Person, toMany: true, inverse: parent}
            teacher: {destination: Person, optional: true, inverse: pupils}
            pupils: {destination: Person, toMany: true, inverse: teacher}
      """,
      """
      CREATE TABLE person(id bigserial PRIMARY KEY, name text NOT NULL, parent_id bigint REFERENCES person,
        teacher_id bigint REFERENCES person);
      INSERT INTO person(name, parent_id, teacher_id) VALUES ('a', NULL, NULL), ('b', 1, 1), ('c', 2, 1), ('d', 3, 2), ('e', 2, 3)
      """)
    for _ in 0..<2 { try database.clone("Person", 1) }
    #expect(
      try database.rows("SELECT id, name FROM person WHERE id > 5 ORDER BY id")
        == ["6|a", "7|b", "8|c", "9|d", "10|e", "11|a", "12|b", "13|c", "14|d", "15|e"])
  }
}
