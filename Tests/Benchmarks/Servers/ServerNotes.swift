#if PostgreSQL
  /// Notes of 21 rows in a PostgreSQL database of their own, and the best statement by hand that clones one.
  enum ServerNotes {
    /// So many that the server looks rows up in indexes from the first clone on.
    static let notes = 3000
    private static let name = "moclone_benchmark"

    /// Makes the database on a server.
    ///
    /// - Returns: its location.
    static func make(on server: String) throws -> String {
      let connection = try ServerConnection(server)
      try connection.run("DROP DATABASE IF EXISTS \(name) WITH (FORCE)")
      try connection.run("CREATE DATABASE \(name)")
      let location = "\(server) dbname=\(name)"
      try ServerConnection(location).run(tables)
      return location
    }

    /// Takes away all clones, so that each run finds the tables as the first one did.
    static func reset(_ location: String) throws {
      let connection = try ServerConnection(location)
      try connection.run("TRUNCATE note, item, itemdata, memo, tag, memo_tag RESTART IDENTITY")
      try connection.run(rows)
      try connection.run("VACUUM ANALYZE")
    }

    static let model = """
      version: 1
      name: Notes
      entities:
        Note:
          attributes:
            uuid: {type: UUID, userInfo: {rebuild: uuid}}
            name: String
            createDate: {type: Date, userInfo: {rebuild: now}}
          relationships:
            items: {destination: Item, toMany: true, inverse: note}
            memos: {destination: Memo, toMany: true, inverse: note, ordered: true, orderColumn: position}
          uniquenessConstraints: [[uuid]]
        Item:
          attributes:
            noteUuid: {type: UUID, userInfo: {followParent: Note.uuid, withoutParent: keep}}
            name: String
            payload: String?
          relationships:
            note: {destination: Note, inverse: items}
            data: {destination: ItemData, toMany: true, inverse: item}
        ItemData:
          table: itemdata
          attributes:
            createDate: {type: Date, userInfo: {rebuild: now}}
            value: Double?
            text: String?
          relationships:
            item: {destination: Item, inverse: data}
        Memo:
          attributes: {text: String?}
          relationships:
            note: {destination: Note, inverse: memos}
            tags: {destination: Tag, toMany: true, inverse: memos, joinTable: {table: memo_tag, column: memo_id, inverseColumn: tag_id}}
        Tag:
          attributes: {name: String}
          relationships:
            memos: {destination: Memo, toMany: true, inverse: tags}
      """

    private static let tables = """
      CREATE TABLE note(id bigserial PRIMARY KEY, uuid uuid NOT NULL UNIQUE, name text NOT NULL, create_date timestamptz NOT NULL);
      CREATE TABLE item(id bigserial PRIMARY KEY, note_id bigint NOT NULL REFERENCES note, note_uuid uuid, name text NOT NULL, payload text);
      CREATE TABLE itemdata(id bigserial PRIMARY KEY, item_id bigint NOT NULL REFERENCES item, create_date timestamptz, value double precision, text text);
      CREATE TABLE memo(id bigserial PRIMARY KEY, note_id bigint NOT NULL REFERENCES note, position bigint, text text);
      CREATE TABLE tag(id bigserial PRIMARY KEY, name text NOT NULL UNIQUE);
      CREATE TABLE memo_tag(memo_id bigint NOT NULL REFERENCES memo, tag_id bigint NOT NULL REFERENCES tag, PRIMARY KEY(memo_id, tag_id));
      CREATE INDEX ON item(note_id); CREATE INDEX ON itemdata(item_id); CREATE INDEX ON memo(note_id);
      CREATE INDEX ON memo_tag(tag_id);
      """

    private static let rows = """
      INSERT INTO tag(name) SELECT 't' || g FROM generate_series(1, 100) g;
      INSERT INTO note(uuid, name, create_date) SELECT gen_random_uuid(), 'n' || g, now() FROM generate_series(1, \(notes)) g;
      INSERT INTO item(note_id, note_uuid, name) SELECT id, uuid, 'i' FROM note, generate_series(1, 6);
      INSERT INTO itemdata(item_id, create_date, value) SELECT id, now(), 1 FROM item;
      INSERT INTO memo(note_id, position, text) SELECT id, g, 'm' FROM note, generate_series(1, 4) g;
      INSERT INTO memo_tag SELECT id, id % 100 + 1 FROM memo;
      """

    static let byHand = """
      WITH n AS (INSERT INTO note(uuid, name, create_date) SELECT gen_random_uuid(), name, now() FROM note WHERE id = $1 RETURNING id, uuid),
        mi AS MATERIALIZED (SELECT id AS old, nextval('item_id_seq') AS new FROM (SELECT id FROM item WHERE note_id = $1 ORDER BY id) s),
        mm AS MATERIALIZED (SELECT id AS old, nextval('memo_id_seq') AS new FROM (SELECT id FROM memo WHERE note_id = $1 ORDER BY id) s),
        i AS (INSERT INTO item(id, note_id, note_uuid, name, payload) SELECT m.new, n.id, n.uuid, s.name, s.payload FROM n, mi m JOIN item s ON s.id = m.old),
        d AS (INSERT INTO itemdata(item_id, create_date, value, text) SELECT m.new, now(), s.value, s.text FROM mi m JOIN itemdata s ON s.item_id = m.old ORDER BY m.new, s.id),
        e AS (INSERT INTO memo(id, note_id, position, text) SELECT m.new, n.id, s.position, s.text FROM n, mm m JOIN memo s ON s.id = m.old),
        g AS (INSERT INTO memo_tag(memo_id, tag_id) SELECT m.new, s.tag_id FROM mm m JOIN memo_tag s ON s.memo_id = m.old ORDER BY s.tag_id)
      SELECT id FROM n
      """
  }
#endif
