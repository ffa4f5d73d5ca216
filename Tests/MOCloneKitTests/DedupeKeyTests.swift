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

  @Test("A reference that fills what stays leads to the key that its object gets", arguments: [true, false])
  func filled(isDeclared: Bool) throws {
    let model = try ObjectModel(
      yaml: """
        version: 1
        name: Boxes
        entities:
          Slot:
            primaryKey: [box_id, code]
            attributes: {label: String}
            relationships:
              box: {destination: Box, inverse: slots}
              mainOf: {destination: Box, toMany: true, inverse: main}
          Box:
            attributes: {name: String}
            relationships:
              slots: {destination: Slot, toMany: true, inverse: box}
              main: {destination: Slot, optional: true, inverse: mainOf, column: [main_box, main_code]}
            uniquenessConstraints: [[name]]
        """)
    let main = isDeclared ? ", FOREIGN KEY(main_box, main_code) REFERENCES slot(box_id, code)" : ""
    let queue = try DatabaseQueue()
    try queue.write {
      try $0.execute(
        sql: """
          CREATE TABLE box(id INTEGER PRIMARY KEY, name TEXT, main_box INT, main_code TEXT\(main));
          CREATE TABLE slot(box_id INT\(isDeclared ? " REFERENCES box(id)" : ""), code TEXT, label TEXT,
            PRIMARY KEY(box_id, code));
          INSERT INTO box VALUES (1, 'A', NULL, NULL), (2, 'A', NULL, NULL);
          INSERT INTO slot VALUES (2, 'b', 'L');
          UPDATE box SET main_box = 2, main_code = 'b' WHERE id = 2;
          """)
    }
    let report = try SQLiteGraph(queue, model: model).dedupe(DedupeRequest(entities: ["Box"]))
    #expect(report.updated == ["Box": 1])
    #expect(try rows(queue, "SELECT id || main_box || main_code FROM box") == ["11b"])
    #expect(try rows(queue, "SELECT box_id || code FROM slot") == ["1b"])
  }

  @Test(
    "A reference that holds its row's own key follows what else the key of its object holds",
    arguments: [["Region"], ["Region", "Customer"]])
  func followingBack(entities: [String]) throws {
    let model = try ObjectModel(
      yaml: """
        version: 1
        name: Shop
        entities:
          Region:
            attributes: {title: String}
            relationships: {contacts: {destination: Contact, toMany: true, inverse: region}}
            uniquenessConstraints: [[title]]
          Customer:
            attributes: {name: String, modified: Date?}
            relationships:
              contacts: {destination: Contact, toMany: true, inverse: customer}
              main:
                destination: Contact
                optional: true
                inverse: mainOf
                column: [main_region, id]
                references: [region_id, customer_id]
            uniquenessConstraints: [[name]]
          Contact:
            primaryKey: [region_id, customer_id]
            attributes: {phone: String}
            relationships:
              region: {destination: Region, inverse: contacts}
              customer: {destination: Customer, inverse: contacts}
              mainOf: {destination: Customer, optional: true, inverse: main}
        """)
    let queue = try DatabaseQueue()
    try queue.write {
      try $0.execute(
        sql: """
          CREATE TABLE region(id INTEGER PRIMARY KEY, title TEXT);
          CREATE TABLE customer(id INTEGER PRIMARY KEY, name TEXT, modified TEXT, main_region INT);
          CREATE TABLE contact(region_id INT, customer_id INT, phone TEXT, PRIMARY KEY(region_id, customer_id));
          INSERT INTO region VALUES (1, 'n'), (2, 'n');
          INSERT INTO customer VALUES (10, 'Ann', '2020-01-01T00:00:00.000Z', 2),
            (11, 'Ann', '2020-01-02T00:00:00.000Z', NULL), (12, 'Bob', '2020-01-02T00:00:00.000Z', 2);
          INSERT INTO contact VALUES (2, 10, '555'), (2, 12, '666');
          """)
    }
    try SQLiteGraph(queue, model: model).dedupe(DedupeRequest(entities: entities))
    let led = entities.count == 1 ? ["1,10", "1,12"] : ["1,11", "1,12"]
    #expect(
      try rows(queue, "SELECT main_region || ',' || id FROM customer WHERE main_region > 0 ORDER BY id")
        == led)
    #expect(
      try rows(queue, "SELECT region_id || ',' || customer_id FROM contact ORDER BY customer_id") == led)
  }

  @Test("A unique one-to-one reference goes over to what stays, also where its key holds what is merged")
  func unique() throws {
    let model = try ObjectModel(
      yaml: """
        version: 1
        name: Office
        entities:
          Person:
            attributes: {name: String, modified: Date?}
            relationships:
              leads: {destination: Team, toMany: true, inverse: lead, deleteRule: cascade}
              desk:
                destination: Desk
                optional: true
                inverse: person
                column: [desk_lead, desk_team, desk_place]
            uniquenessConstraints: [[name]]
          Team:
            primaryKey: [lead_id, code]
            attributes: {code: String}
            relationships:
              lead: {destination: Person, inverse: leads}
              desks: {destination: Desk, toMany: true, inverse: team, deleteRule: cascade}
          Desk:
            primaryKey: [lead_id, team_code, place]
            attributes: {place: String, modified: Date?}
            relationships:
              team: {destination: Team, inverse: desks, column: [lead_id, team_code]}
              person: {destination: Person, optional: true, inverse: desk}
        """)
    let queue = try DatabaseQueue()
    try queue.write {
      try $0.execute(
        sql: """
          CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT, modified TEXT,
            desk_lead INT, desk_team TEXT, desk_place TEXT, UNIQUE(desk_lead, desk_team, desk_place));
          CREATE TABLE team(lead_id INT, code TEXT, PRIMARY KEY(lead_id, code));
          CREATE TABLE desk(lead_id INT, team_code TEXT, place TEXT, modified TEXT,
            PRIMARY KEY(lead_id, team_code, place));
          INSERT INTO person VALUES (1, 'Ed', NULL, NULL, NULL, NULL), (2, 'Flo', NULL, NULL, NULL, NULL),
            (31, 'Ann', '2020-01-01T00:00:00.000Z', 1, 'R', 'T'),
            (32, 'Ann', '2020-01-02T00:00:00.000Z', 2, 'U', 'Q');
          INSERT INTO team VALUES (1, 'R'), (2, 'U');
          INSERT INTO desk VALUES (1, 'R', 'T', '2020-01-05T00:00:00.000Z'),
            (2, 'U', 'Q', '2020-01-03T00:00:00.000Z');
          """)
    }
    let request = DedupeRequest(entities: ["Person", "Team", "Desk"])
    try SQLiteGraph(queue, model: model).dedupe(request)
    #expect(
      try rows(queue, "SELECT desk_lead || desk_team || desk_place FROM person WHERE id > 2") == ["1RT"])
    #expect(try rows(queue, "SELECT lead_id || team_code || place FROM desk") == ["1RT"])
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
