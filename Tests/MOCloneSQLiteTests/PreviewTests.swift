import MOCloneKit
import Testing

@Suite("What a run would do, without doing it")
struct PreviewTests {
  private func bases() throws -> StoreFixture {
    try StoreFixture(
      """
      entities:
        Base:
          attributes: {n: String?}
          relationships:
            prof: {destination: Prof, optional: true, inverse: base}
            own: {destination: Own, optional: true, inverse: bases}
        Prof:
          attributes: {t: String?}
          relationships: {base: {destination: Base, inverse: prof, column: base_id}}
        Own:
          attributes: {n: String?}
          relationships: {bases: {destination: Base, toMany: true, inverse: own}}
      """,
      """
      CREATE TABLE own(id INTEGER PRIMARY KEY, n TEXT);
      CREATE TABLE base(id INTEGER PRIMARY KEY, n TEXT, own_id INTEGER REFERENCES own(id));
      CREATE TABLE prof(id INTEGER PRIMARY KEY, t TEXT, base_id INTEGER UNIQUE REFERENCES base(id));
      INSERT INTO own VALUES (1, 'o'), (2, 'p');
      INSERT INTO base VALUES (1, 'b', 1), (2, 'c', NULL);
      INSERT INTO prof VALUES (1, 'p', 1);
      """)
  }

  private func preview(
    _ entity: String, _ key: ObjectKey, _ request: CloneRequest, in store: StoreFixture
  ) throws -> CloneResult {
    let graph = SQLiteGraph(store.writer, model: store.model)
    let plan = try ClonePlan(model: store.model, entity: entity, request: request)
    return try graph.preview(plan, roots: [ObjectID(entity, key: key)])
  }

  @Test func aDestinationThatHasItsRelatedObjectIsRefused() throws {
    let store = try bases()
    for request in [CloneRequest(set: ["base": 1]), CloneRequest(count: 2, set: ["base": 2])] {
      let error = #expect(throws: CloneError.self) { try preview("Prof", 1, request, in: store) }
      #expect(error?.code == .uniqueValue)
      #expect(try store.refusal("Prof", 1, request)?.failures == error?.failures)
    }
    #expect(try preview("Prof", 1, CloneRequest(set: ["base": 2]), in: store).cloned == ["Prof": 1])
  }

  @Test func whatTheRootIsGivenIsLinked() throws {
    let store = try bases()
    for key: ObjectKey in [1, 2] {
      let request = CloneRequest(set: ["own": 2])
      #expect(try preview("Base", key, request, in: store).linked == ["Own": 1])
      #expect(try store.clone("Base", key, request).linked == ["Own": 1])
    }
  }
}
