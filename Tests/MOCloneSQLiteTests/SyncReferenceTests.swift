import Foundation
import GRDB
import MOCloneKit
import Testing

/// The store need not declare the foreign key.
@Suite("Rows of a sync that name an object by its key")
struct SyncReferenceTests {
  private func store() throws -> StoreFixture {
    try StoreFixture(
      """
      entities:
        City:
          attributes: {name: String?}
          relationships: {people: {destination: Person, toMany: true, inverse: city}}
          uniquenessConstraints: [[name]]
        Person:
          attributes: {email: String}
          relationships:
            city: {destination: City, optional: true, inverse: people}
            boss: {destination: Person, optional: true, inverse: staff}
            staff: {destination: Person, toMany: true, inverse: boss}
          uniquenessConstraints: [[email]]
      """,
      """
      CREATE TABLE city(id INTEGER PRIMARY KEY, name TEXT UNIQUE);
      CREATE TABLE person(id INTEGER PRIMARY KEY, email TEXT UNIQUE, city_id INTEGER, boss_id INTEGER);
      INSERT INTO city VALUES (1, 'Bern'), (2, 'Oslo');
      INSERT INTO person VALUES (1, 'a', 1, NULL);
      """)
  }

  private func refusal(_ rows: [[String: AttributeValue]], overwriting: [String] = []) throws -> CloneError? {
    let store = try store()
    let before = try store.contents()
    let error = #expect(throws: CloneError.self) {
      try SQLiteGraph(store.writer, model: store.model).update(
        SyncRequest(entity: "Person", overwriting: overwriting, isConfirmed: true), from: rows)
    }
    #expect(try store.contents() == before)
    return error
  }

  @Test("A key that no object has is refused with its row, in new objects and in others")
  func missing() throws {
    for value: AttributeValue in [99, "Bern"] {
      let error = try refusal([["email": "a", "city": 1], ["email": "b", "city": value]])
      #expect(error?.failures.map(\.code) == [.noSuchObject])
      #expect(error?.failures.first?.message.contains("row 2: 'city' takes a key") == true)
      #expect(
        try refusal([["email": "a", "city": value]], overwriting: ["city"])?.failures.map(\.code)
          == [.noSuchObject])
      #expect(
        try refusal([["email": "a", "boss": value]], overwriting: ["boss"])?.failures.map(\.code)
          == [.noSuchObject])
    }
  }

  @Test("An object that the same rows make can be named, one that they delete cannot")
  func within() throws {
    let rows: [[String: AttributeValue]] = [["email": "a"], ["email": "b", "boss": 2]]
    let store = try store()
    try SQLiteGraph(store.writer, model: store.model).update(SyncRequest(entity: "Person"), from: rows)
    #expect(try store.rows("SELECT email, coalesce(boss_id, 0) FROM person ORDER BY 1") == ["a|0", "b|2"])
    #expect(try refusal([["email": "b", "boss": 1]])?.failures.map(\.code) == [.noSuchObject])
  }

  @Test("What is there is related, and a value that is not overwritten does not count")
  func present() throws {
    let store = try store()
    let graph = SQLiteGraph(store.writer, model: store.model)
    try graph.update(
      SyncRequest(entity: "Person", overwriting: ["city"]),
      from: [["email": "a", "city": 2, "boss": 99], ["email": "b", "city": .null, "boss": 1]])
    #expect(
      try store.rows("SELECT email, coalesce(city_id, 0), coalesce(boss_id, 0) FROM person ORDER BY 1") == [
        "a|2|0", "b|0|1",
      ])
  }
}
