import Foundation
import GRDB
import MOCloneKit
import Testing

/// What a seed found in the other store, and yet differs there, keeps the source from being removed.
@Suite("What a source would lose with its removal after a seed")
struct SeedLossTests {
  private static let model = """
    entities:
      Bed:
        attributes: {name: String}
        relationships: {plants: {destination: Plant, toMany: true, ordered: true, inverse: bed}}
        uniquenessConstraints: [[name]]
      Plant:
        attributes: {name: String, code: UUID?}
        relationships:
          bed: {destination: Bed, optional: true, inverse: plants}
          tags:
            {destination: Tag, toMany: true, ordered: true, inverse: plants, joinTable: {table: plant_tag, orderColumn: place}}
        uniquenessConstraints: [[name]]
      Tag:
        attributes: {name: String}
        relationships: {plants: {destination: Plant, toMany: true, inverse: tags}}
        uniquenessConstraints: [[name]]
    """
  private static let tables = """
    CREATE TABLE bed(id INTEGER PRIMARY KEY, name TEXT UNIQUE COLLATE NOCASE);
    CREATE TABLE plant(
      id INTEGER PRIMARY KEY, name TEXT UNIQUE, code TEXT, bed_id INTEGER, bed_id_order INTEGER, extra TEXT);
    CREATE TABLE tag(id INTEGER PRIMARY KEY, name TEXT UNIQUE);
    CREATE TABLE plant_tag(
      plant_id INTEGER, tag_id INTEGER, place INTEGER, remark TEXT, PRIMARY KEY (plant_id, tag_id));
    INSERT INTO bed VALUES (1, 'North');
    INSERT INTO plant(id, name, bed_id, bed_id_order) VALUES (1, 'rose', 1, 1), (2, 'fern', 1, 2);
    INSERT INTO tag VALUES (1, 'red'), (2, 'tall');
    INSERT INTO plant_tag VALUES (1, 1, 1, 'x'), (1, 2, 2, NULL);
    """

  private static let changes: [(sql: String, lacking: String)] = [
    ("UPDATE bed SET name = 'NORTH'", "Bed 1: name"),
    ("UPDATE plant SET extra = 'old' WHERE id = 1", "Plant 1: extra"),
    ("UPDATE plant_tag SET remark = 'other' WHERE tag_id = 1", "Plant.tags, join rows or their values: 1"),
    ("UPDATE plant_tag SET place = 3 - place", "Plant.tags, join rows in another order: 2"),
    ("UPDATE plant SET bed_id_order = 3 - bed_id_order", "Plant.bed, members in another order: 2"),
  ]

  @Test("It is said and kept", arguments: changes)
  func isSaid(_ change: String, _ expected: String) throws {
    // The target's own values are kept, so the source's are only in the source.
    let source = try StoreFixture(Self.model, Self.tables + "UPDATE plant SET extra = 'mine' WHERE id = 1;")
    let target = try StoreFixture(
      Self.model, Self.tables + "UPDATE plant SET extra = 'mine' WHERE id = 1;" + change)
    let graph = SQLiteGraph(target.writer, model: target.model)
    let from = SQLiteGraph(source.writer, model: source.model)
    let report = try graph.seed(from: from)
    #expect(try graph.lacking(of: from, seeded: report) == [expected])
  }

  @Test("Nothing is said where everything is there, identities in another notation included")
  func exists() throws {
    let code = "7D444840-9DC0-11D1-B245-5FFDCE74FAD2"
    let source = try StoreFixture(Self.model, Self.tables + "UPDATE plant SET code = '\(code)' WHERE id = 1;")
    let target = try StoreFixture(
      Self.model, Self.tables + "UPDATE plant SET code = '\(code.lowercased())' WHERE id = 1;")
    let graph = SQLiteGraph(target.writer, model: target.model)
    let from = SQLiteGraph(source.writer, model: source.model)
    let report = try graph.seed(from: from, identifiedBy: ["Plant": ["name"]])
    #expect(try graph.lacking(of: from, seeded: report) == ["Plant 1: code"])
    let again = try StoreFixture(Self.model, Self.tables)
    let same = SQLiteGraph(again.writer, model: again.model)
    let unchanged = try StoreFixture(Self.model, Self.tables)
    let own = SQLiteGraph(unchanged.writer, model: unchanged.model)
    #expect(try same.lacking(of: own, seeded: same.seed(from: own)) == [])
  }

  @Test(
    "Siblings that share a column for their references: a merge and a copy leave another entity's rows alone")
  func siblings() throws {
    let model = """
      entities:
        Post:
          attributes: {name: String}
          relationships: {note: {destination: PostNote, optional: true, inverse: post, deleteRule: cascade}}
          uniquenessConstraints: [[name]]
        Photo:
          attributes: {name: String}
          relationships: {note: {destination: PhotoNote, optional: true, inverse: photo, deleteRule: cascade}}
          uniquenessConstraints: [[name]]
        Note:
          abstract: true
          attributes: {text: String}
          discriminator: {column: kind}
          uniquenessConstraints: [[text]]
        PostNote:
          parent: Note
          discriminator: {value: post}
          relationships: {post: {destination: Post, optional: true, inverse: note, column: subject_id}}
        PhotoNote:
          parent: Note
          discriminator: {value: photo}
          relationships: {photo: {destination: Photo, optional: true, inverse: note, column: subject_id}}
      """
    let tables = """
      CREATE TABLE post(id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE photo(id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE note(id INTEGER PRIMARY KEY, kind TEXT, text TEXT, subject_id INTEGER);
      """
    let rows = """
      INSERT INTO post VALUES (1, 'a'), (2, 'a'), (3, 'b');
      INSERT INTO photo VALUES (1, 'p'), (2, 'q');
      INSERT INTO note VALUES (1, 'post', 'of post', 2), (2, 'photo', 'of photo', 2), (3, 'photo', 'other', 1);
      """
    let store = try StoreFixture(model, tables + rows)
    let graph = SQLiteGraph(store.writer, model: store.model)
    try graph.dedupe(DedupeRequest(entities: ["Post"]))
    #expect(
      try store.rows("SELECT kind, text, subject_id FROM note ORDER BY id")
        == ["post|of post|1", "photo|of photo|2", "photo|other|1"])
    let target = try StoreFixture(model, tables + "INSERT INTO photo VALUES (1, 'x'), (2, 'y'), (3, 'p');")
    try SQLiteGraph(target.writer, model: target.model).copy(from: graph)
    #expect(
      try target.rows(
        "SELECT n.text, p.name, f.name FROM note n LEFT JOIN post p ON n.kind = 'post' AND p.id = n.subject_id "
          + "LEFT JOIN photo f ON n.kind = 'photo' AND f.id = n.subject_id ORDER BY n.text")
        == ["of photo|-|q", "of post|a|-", "other|-|p"])
  }
}
