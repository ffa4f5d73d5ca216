import MOCloneKit
import Testing

/// Clones to which nothing could refer, since a value that rows refer to would be null.
@Suite struct EmptyKeyTests {
  private func profiles(_ key: String) throws -> StoreFixture {
    try StoreFixture(
      """
      entities:
        User:
          relationships: {profile: {destination: Profile, optional: true, inverse: user}}
        Profile:
          primaryKey: [user_id]
          relationships:
            user: {destination: User, optional: true, inverse: profile, column: user_id}
            notes: {destination: Note, toMany: true, inverse: profile}
        Note: {relationships: {profile: {destination: Profile, optional: true, inverse: notes}}}
      """,
      """
      CREATE TABLE user(id INTEGER PRIMARY KEY);
      CREATE TABLE profile(user_id \(key) PRIMARY KEY REFERENCES user(id));
      CREATE TABLE note(id INTEGER PRIMARY KEY, profile_id INTEGER REFERENCES profile(user_id));
      INSERT INTO user VALUES (1), (2), (3);
      INSERT INTO profile VALUES (1), (2);
      INSERT INTO note VALUES (1, 1), (2, 1);
      """)
  }

  /// SQLite would make a number of its own, which is the key of another user.
  @Test func aKeyThatIsAForeignKeyIsNotLeftEmpty() throws {
    for store in [try profiles("INTEGER"), try profiles("INT")] {
      for request in [CloneRequest(exclude: ["user"]), CloneRequest(unset: ["user"])] {
        let error = try store.refusal("Profile", 1, request)
        #expect(error?.code == .keyNeedsValue)
        #expect(error?.failures.first?.property == "user")
      }
      try store.clone("Profile", 1, CloneRequest(set: ["user": "3"]))
      #expect(try store.rows("SELECT * FROM note WHERE id > 2") == ["3|3", "4|3"])
    }
  }

  @Test func aPartOfAKeyThatIsAForeignKeyIsNotLeftEmpty() throws {
    let store = try StoreFixture(
      """
      entities:
        Tenant: {relationships: {orders: {destination: Order, toMany: true, inverse: tenant}}}
        Order:
          primaryKey: [tenant_id, {column: number, generate: max}]
          relationships: {tenant: {destination: Tenant, optional: true, inverse: orders}}
      """,
      """
      CREATE TABLE tenant(id INTEGER PRIMARY KEY);
      CREATE TABLE "order"(tenant_id INTEGER REFERENCES tenant(id), number INTEGER, PRIMARY KEY (tenant_id, number));
      INSERT INTO tenant VALUES (1);
      INSERT INTO "order" VALUES (1, 1);
      """)
    let error = try store.refusal("Order", ObjectKey([1, 1]), CloneRequest(exclude: ["tenant"]))
    #expect(error?.code == .keyNeedsValue)
  }

  private func codes() throws -> StoreFixture {
    try StoreFixture(
      """
      entities:
        Note:
          attributes: {code: {type: String, optional: true, userInfo: {exclude: ""}}}
          relationships: {items: {destination: Item, toMany: true, inverse: note}}
          uniquenessConstraints: [[code]]
        Item:
          relationships:
            note: {destination: Note, optional: true, inverse: items,
              column: [{column: note_code, references: code}]}
      """,
      """
      CREATE TABLE note(id INTEGER PRIMARY KEY, code TEXT UNIQUE);
      CREATE TABLE item(id INTEGER PRIMARY KEY, note_code TEXT REFERENCES note(code));
      INSERT INTO note VALUES (1, 'a'), (2, NULL);
      INSERT INTO item VALUES (1, 'a');
      """)
  }

  @Test func aReferencedColumnIsNotLeftEmpty() throws {
    let store = try codes()
    for request in [
      CloneRequest(), CloneRequest(count: 2), CloneRequest(unset: ["code"]),
      CloneRequest(set: ["code": .null]),
    ] {
      let error = try store.refusal("Note", 1, request)
      #expect(error?.code == .requiredLeftEmpty)
      #expect(error?.failures.first?.property == "items" || error?.failures.first?.property == "note")
    }
    try store.clone("Note", 1, CloneRequest(set: ["code": "b"]))
    #expect(try store.rows("SELECT * FROM item WHERE id > 1") == ["2|b"])
    // Where nothing refers to it, it may be empty.
    try store.clone("Note", 1, CloneRequest(exclude: ["items", "note"]))
    #expect(try store.rows("SELECT * FROM note WHERE id > 3") == ["4|-"])
  }

  @Test func aGivenDestinationHasWhatIsReferenced() throws {
    let store = try codes()
    #expect(try store.refusal("Item", 1, CloneRequest(set: ["note": "2"]))?.code == .invalidValue)
  }
}
