import GRDB
import MOCloneKit
import Testing

@Suite("Keys that hold a reference to what is merged")
struct DedupeKeyTests {
  /// Slots are told apart within their box, uses within their slot.
  private static let model = try! ObjectModel(
    yaml: """
      version: 1
      name: Boxes
      entities:
        Slot:
          primaryKey: [box_id, code]
          attributes: {label: String, weight: Integer 32}
          relationships:
            box: {destination: Box, inverse: slots}
            uses: {destination: Use, toMany: true, inverse: slot}
            tags:
              destination: Tag
              toMany: true
              inverse: slots
              joinTable: {table: slot_tag, column: [box_id, code], inverseColumn: tag_id}
          uniquenessConstraints: [[label]]
        Box:
          attributes: {name: String}
          relationships: {slots: {destination: Slot, toMany: true, inverse: box}}
          uniquenessConstraints: [[name]]
        Tag:
          attributes: {name: String}
          relationships: {slots: {destination: Slot, toMany: true, inverse: tags}}
        Use:
          primaryKey: [s_box, s_code, number]
          attributes: {name: String}
          relationships:
            slot: {destination: Slot, inverse: uses, column: [s_box, s_code], references: [box_id, code]}
            logs: {destination: Log, toMany: true, inverse: use}
        Log:
          attributes: {name: String}
          relationships:
            use:
              destination: Use
              optional: true
              inverse: logs
              column: [u_box, u_code, u_number]
              references: [s_box, s_code, number]
      """)

  /// Slot 1,b, and another one in a second box of the same name; each with a tag, a use and a log.
  ///
  /// - Parameter other: code, label and weight of the other slot.
  private func store(_ other: (String, String, Int), isDeclared: Bool) throws -> DatabaseQueue {
    func key(_ columns: String, _ table: String, _ references: String) -> String {
      isDeclared ? ", FOREIGN KEY(\(columns)) REFERENCES \(table)(\(references))" : ""
    }
    let (code, label, weight) = other
    let queue = try DatabaseQueue()
    try queue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE box(id INTEGER PRIMARY KEY, name TEXT);
          CREATE TABLE slot(box_id INT, code TEXT, label TEXT, weight INT,
            PRIMARY KEY(box_id, code)\(key("box_id", "box", "id")));
          CREATE TABLE tag(id INTEGER PRIMARY KEY, name TEXT);
          CREATE TABLE slot_tag(box_id INT, code TEXT, tag_id INT,
            PRIMARY KEY(box_id, code, tag_id)\(key("box_id, code", "slot", "box_id, code")));
          CREATE TABLE "use"(s_box INT, s_code TEXT, number INT, name TEXT,
            PRIMARY KEY(s_box, s_code, number)\(key("s_box, s_code", "slot", "box_id, code")));
          CREATE TABLE log(id INTEGER PRIMARY KEY, name TEXT, u_box INT, u_code TEXT, u_number INT
            \(key("u_box, u_code, u_number", "\"use\"", "s_box, s_code, number")));
          CREATE TABLE note(box_id INT, code TEXT\(key("box_id, code", "slot", "box_id, code")));
          INSERT INTO box VALUES (1, 'A'), (2, 'A');
          INSERT INTO slot VALUES (1, 'b', 'L', 5), (2, '\(code)', '\(label)', \(weight));
          INSERT INTO tag VALUES (1, 'red'), (2, 'blue');
          INSERT INTO slot_tag VALUES (1, 'b', 1), (2, '\(code)', 2);
          INSERT INTO "use" VALUES (1, 'b', 1, 'u'), (2, '\(code)', 2, 'v');
          INSERT INTO log VALUES (1, 'k', 1, 'b', 1), (2, 'l', 2, '\(code)', 2);
          """)
      if isDeclared { try db.execute(sql: "INSERT INTO note VALUES (2, '\(code)')") }
    }
    return queue
  }

  private func rows(_ queue: DatabaseQueue, _ query: String) throws -> [String] {
    try queue.read { try String.fetchAll($0, sql: query) }
  }

  @Test("Join rows and references follow a row whose key becomes another one with its owner")
  func followers() throws {
    for other in [("c", "M", 1), ("b", "L", 1), ("b", "L", 9)] {
      for isDeclared in [true, false] { try checkFollowers(of: other, isDeclared: isDeclared) }
    }
  }

  private func checkFollowers(of other: (String, String, Int), isDeclared: Bool) throws {
    let queue = try store(other, isDeclared: isDeclared)
    try SQLiteGraph(queue, model: Self.model).dedupe(DedupeRequest(entities: ["Box", "Slot"]))
    let code = other.0
    let both = ["1b1", "1\(code)2"]
    #expect(try rows(queue, "SELECT id || '' FROM box") == ["1"])
    #expect(
      try rows(queue, "SELECT box_id || code FROM slot ORDER BY 1") == (code == "b" ? ["1b"] : ["1b", "1c"]))
    #expect(try rows(queue, "SELECT box_id || code || tag_id FROM slot_tag ORDER BY tag_id") == both)
    #expect(try rows(queue, "SELECT s_box || s_code || number FROM \"use\" ORDER BY number") == both)
    #expect(try rows(queue, "SELECT u_box || u_code || u_number FROM log ORDER BY id") == both)
    #expect(try rows(queue, "SELECT box_id || code FROM note") == (isDeclared ? ["1\(code)"] : []))
  }

  @Test("Rows that nothing but their keys would make equal are refused by name, and nothing changes")
  func collisions() throws {
    for isMoved in [true, false] {
      let queue = try store(("b", "M", 1), isDeclared: false)
      if isMoved {
        try queue.write {
          try $0.execute(sql: "INSERT INTO box VALUES (3, 'A'); UPDATE slot SET box_id = 3 WHERE box_id = 1")
        }
      }
      let error = #expect(throws: CloneError.self) {
        try SQLiteGraph(queue, model: Self.model).dedupe(DedupeRequest(entities: ["Box"]))
      }
      #expect(error?.code == .uniqueValue)
      for object in ["Slot \(isMoved ? 3 : 1),b", "Slot 2,b", "(box_id, code)"] {
        #expect("\(error!)".contains(object))
      }
      #expect(
        try rows(queue, "SELECT box_id || code FROM slot ORDER BY 1")
          == (isMoved ? ["2b", "3b"] : ["1b", "2b"]))
    }
  }
}
