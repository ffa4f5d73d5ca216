import GRDB
import MOCloneKit
import Testing

@Suite("Objects found in stores that other programs wrote")
struct IdentityStoreTests {
  @Test(
    "A value is found in every form that the store may hold it in",
    arguments: [
      (AttributeType.uuid, "'7d444840-9dc0-11d1-b245-5ffdce74fad2'", "7D444840-9DC0-11D1-B245-5FFDCE74FAD2"),
      (.decimal, "'1.50'", "1.5"), (.decimal, "1.5", "1.5"), (.boolean, "7", "true"),
      (.date, "'2025-01-31 12:00:00'", "2025-01-31T12:00:00Z"),
    ])
  func forms(type: AttributeType, stored: String, given: String) throws {
    let model = try ObjectModel(
      name: "Forms",
      entities: [
        EntityDescription(
          name: "Thing", attributes: [AttributeDescription(name: "value", type: type)],
          uniquenessConstraints: [["value"]])
      ])
    let queue = try DatabaseQueue()
    try queue.write {
      try $0.execute(sql: "CREATE TABLE thing(id INTEGER PRIMARY KEY, value NOT NULL UNIQUE)")
      try $0.execute(sql: "INSERT INTO thing(value) VALUES (\(stored))")
    }
    let graph = SQLiteGraph(queue, model: model)
    #expect(try !graph.findOrCreate("Thing", ["value": .string(given)]).isNew)
    #expect(try graph.count("Thing") == 1)
  }

  @Test("The collation of a column decides which texts are equal")
  func collation() throws {
    let model = try ObjectModel(
      name: "Forms",
      entities: [
        EntityDescription(
          name: "Thing", attributes: [AttributeDescription(name: "name", type: .string)],
          uniquenessConstraints: [["name"]])
      ])
    let queue = try DatabaseQueue()
    try queue.write {
      try $0.execute(
        sql: "CREATE TABLE thing(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE COLLATE NOCASE)")
      try $0.execute(sql: "INSERT INTO thing(name) VALUES ('Milk')")
    }
    let graph = SQLiteGraph(queue, model: model)
    #expect(try !graph.findOrCreate("Thing", ["name": "MILK"]).isNew)
  }
}
