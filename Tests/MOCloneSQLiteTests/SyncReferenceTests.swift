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
      try SQLiteGraph(store.writer, model: store.model).sync(
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
    try SQLiteGraph(store.writer, model: store.model).sync(SyncRequest(entity: "Person"), from: rows)
    #expect(try store.rows("SELECT email, coalesce(boss_id, 0) FROM person ORDER BY 1") == ["a|0", "b|2"])
    #expect(try refusal([["email": "b", "boss": 1]])?.failures.map(\.code) == [.noSuchObject])
  }

  @Test("What is there is related, and a value that is not overwritten does not count")
  func present() throws {
    let store = try store()
    let graph = SQLiteGraph(store.writer, model: store.model)
    try graph.sync(
      SyncRequest(entity: "Person", overwriting: ["city"]),
      from: [["email": "a", "city": 2, "boss": 99], ["email": "b", "city": .null, "boss": 1]])
    #expect(
      try store.rows("SELECT email, coalesce(city_id, 0), coalesce(boss_id, 0) FROM person ORDER BY 1") == [
        "a|2|0", "b|0|1",
      ])
  }

  /// Documents that refer to people by their logins, which tell these apart beside their names.
  private func documents(identifiedBy identity: String) throws -> StoreFixture {
    try StoreFixture(
      """
      entities:
        U:
          attributes: {name: String, login: String?}
          relationships: {ds: {destination: D, toMany: true, inverse: u}}
          uniquenessConstraints: [[name], [login]]
        D:
          attributes: {t: String}
          relationships: {u: {destination: U, optional: true, inverse: ds, column: [{column: login, references: login}]}}
          uniquenessConstraints: [[\(identity)]]
      """,
      """
      CREATE TABLE u(id INTEGER PRIMARY KEY, name TEXT NOT NULL, login TEXT UNIQUE);
      CREATE TABLE d(id INTEGER PRIMARY KEY, t TEXT NOT NULL, login TEXT REFERENCES u(login));
      INSERT INTO u VALUES (1, 'Ann', NULL), (2, 'Bob', 'bob');
      INSERT INTO d VALUES (1, 'one', 'bob');
      """)
  }

  @Test("A relationship that references a unique column takes its value, and a key there is told to be none")
  func uniqueColumn() throws {
    let store = try documents(identifiedBy: "t")
    let graph = SQLiteGraph(store.writer, model: store.model)
    let error = #expect(throws: CloneError.self) {
      try graph.sync(SyncRequest(entity: "D"), from: [["t": "one"], ["t": "two", "u": 2]])
    }
    #expect(
      error?.failures.first?.message.contains(
        "'u' references 'login' and takes its value, and the store has no U with the 'login' '2'") == true)
    try graph.sync(SyncRequest(entity: "D"), from: [["t": "one"], ["t": "two", "u": "bob"]])
    #expect(try store.rows("SELECT t, login FROM d ORDER BY t") == ["one|bob", "two|bob"])
  }

  @Test("A new object of an object that lacks the value is refused")
  func emptyUniqueColumn() throws {
    let store = try documents(identifiedBy: "u, t")
    let before = try store.contents()
    let error = #expect(throws: CloneError.self) {
      try SQLiteGraph(store.writer, model: store.model).sync(
        SyncRequest(entity: "D", identifiedBy: ["D": ["u.name", "t"]]),
        from: [["u.name": "Bob", "t": "one"], ["u.name": "Ann", "t": "two"]])
    }
    #expect(
      error?.failures.first?.message.contains(
        "'u' of D refers to its object by the column 'login', which is empty there") == true)
    #expect(try store.contents() == before)
  }
}
