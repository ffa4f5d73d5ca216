import MOCloneModel

extension Explanation {
  /// What a database's tables and columns are.
  static let database: [DiagnosticCode: Explanation] = [
    .storeMismatch: Explanation(
      "The database lacks a table or column of the model, or its key is of another kind.",
      why:
        "Names follow from the model's naming. `moclone validate --store` shows which name was derived from which; write "
        + "`table:` or `column:` if they differ. A key of UUIDs whose column holds numbers does not fit either.",
      model: "Note: {attributes: {name: String?}}",
      bad: "CREATE TABLE note(id INTEGER PRIMARY KEY, title TEXT)",
      good: "CREATE TABLE note(id INTEGER PRIMARY KEY, name TEXT)"),
    .columnType: Explanation(
      "A column is declared for another kind of value than its attribute has.",
      why:
        "SQLite converts what it can: '007' in an INTEGER column, or in one of the type STRING, becomes 7. A UUID or "
        + "date in another form than the other values of the column is not found among them.",
      model: "Note: {attributes: {code: String?}}",
      bad: "CREATE TABLE note(id INTEGER PRIMARY KEY, code INTEGER)",
      good: "CREATE TABLE note(id INTEGER PRIMARY KEY, code TEXT)"),
    .columnRequired: Explanation(
      "A column is NOT NULL, but the model can leave it empty.",
      why:
        "Where an annotation leaves it empty, every clone fails, because the model's default counts, not the "
        + "database's. Where the property is only optional, setting it to null fails.",
      model: "Note: {attributes: {tint: {type: String, optional: true, userInfo: {exclude: \"\"}}}}",
      bad: "CREATE TABLE note(id INTEGER PRIMARY KEY, tint TEXT NOT NULL)",
      good: "CREATE TABLE note(id INTEGER PRIMARY KEY, tint TEXT)"),
    .requiredNull: Explanation(
      "Rows hold null where the model requires a value.",
      why:
        "A clone copies the null, and code that reads the attribute finds nothing where it expects a value.",
      model: "Note: {attributes: {name: String}}",
      bad: "CREATE TABLE note(id INTEGER PRIMARY KEY, name TEXT);\nINSERT INTO note VALUES (1, NULL)",
      good: "CREATE TABLE note(id INTEGER PRIMARY KEY, name TEXT);\nINSERT INTO note VALUES (1, 'n')"),
    .nullKey: Explanation(
      "A row has no key.",
      why:
        "SQLite allows null in a primary key that is not an INTEGER. Such a row cannot be named, and a clone cannot refer "
        + "to it. Fill the column, and declare it NOT NULL.",
      model: "Note: {primaryKey: {column: code, generate: uuid}, attributes: {name: String?}}",
      bad: "CREATE TABLE note(code TEXT PRIMARY KEY, name TEXT);\nINSERT INTO note VALUES (NULL, 'n')",
      good: "CREATE TABLE note(code TEXT PRIMARY KEY NOT NULL, name TEXT);\n"
        + "INSERT INTO note VALUES ('9F0C2A6E-0000-4000-8000-000000000001', 'n')"),
    .unknownUnique: Explanation(
      "A unique index that the model does not name would refuse a clone.",
      why:
        "All columns of the index are copied unchanged, so the clone has the same values as its original. Partial indexes "
        + "and those on expressions count as well, and so do those of join tables.",
      model: "Note: {attributes: {name: String}}",
      bad: "CREATE TABLE note(id INTEGER PRIMARY KEY, name TEXT NOT NULL);\n"
        + "CREATE UNIQUE INDEX one_name ON note(lower(name))",
      good: "CREATE TABLE note(id INTEGER PRIMARY KEY, name TEXT NOT NULL);\n"
        + "CREATE INDEX by_name ON note(lower(name))"),
    .missingUnique: Explanation(
      "The database does not enforce a uniqueness constraint of the model.",
      why:
        "Equal values can be written, by a clone as well. The finding shows the index that refuses them, if the "
        + "table can have it.",
      model:
        "Note: {attributes: {uid: {type: UUID, userInfo: {rebuild: uuid}}}, uniquenessConstraints: [[uid]]}",
      bad: "CREATE TABLE note(id INTEGER PRIMARY KEY, uid TEXT NOT NULL)",
      good: "CREATE TABLE note(id INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE)"),
    .insertTrigger: Explanation(
      "A trigger runs for every row that a clone inserts.",
      why:
        "It was written for new rows. In a clone it can change dates, count something again or add rows that are "
        + "also copied; if it ignores a row, the clone fails.",
      model: "Note: {attributes: {made: Date?}}",
      bad: "CREATE TABLE note(id INTEGER PRIMARY KEY, made TEXT);\n"
        + "CREATE TRIGGER dated AFTER INSERT ON note BEGIN\n"
        + "  UPDATE note SET made = strftime('%Y-%m-%dT%H:%M:%fZ') WHERE id = new.id;\nEND",
      good: "CREATE TABLE note(id INTEGER PRIMARY KEY, made TEXT DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ')))"),
    .insertRefused: Explanation(
      "Inserting a row needs something that the connection does not have.",
      why:
        "A trigger, a generated column, a CHECK or an index calls a function that only the app has, or a foreign key "
        + "references a table that does not exist. SQLite refuses every row of the table then, so a clone is refused "
        + "before it writes anything. From code, on the app's own connection, its functions are there.",
      model: "Note: {attributes: {name: String?, key: {type: String, optional: true, derived: trigger}}}",
      bad: keyedNote("app_key(name)"), good: keyedNote("lower(name)")),
    .generatedColumn: Explanation(
      "An attribute or reference has a generated column.",
      why:
        "The database computes it, so no annotation has an effect there, and a clone, an import or a sync that gives it a "
        + "value is refused. Mark it `derived: true`.",
      model: "Note: {attributes: {name: String?, size: Integer 64?}}",
      bad: "CREATE TABLE note(id INTEGER PRIMARY KEY, name TEXT, size INTEGER AS (length(name)))",
      good: "CREATE TABLE note(id INTEGER PRIMARY KEY, name TEXT, size INTEGER)"),
    .derivedColumn: Explanation(
      "A derived attribute has a plain column.",
      why: "Nothing computes it for the clone: the original's value is copied, and may be wrong there.",
      model: "Note: {attributes: {name: String?, size: {type: Integer 64, optional: true, derived: true}}}",
      bad: "CREATE TABLE note(id INTEGER PRIMARY KEY, name TEXT, size INTEGER)",
      good: "CREATE TABLE note(id INTEGER PRIMARY KEY, name TEXT, size INTEGER AS (length(name)))"),
    .triggerColumn: Explanation(
      "A trigger writes a column whose value is copied.",
      why:
        "A copied counter counts the members of the original, and the triggers count those of the copy, so the result is "
        + "wrong where a copy has other members, or doubled. With `derived: trigger` every insert writes the default and "
        + "the triggers do the rest. A value that a trigger sets now and then, or makes of the one that is given, is right as it is "
        + "copied. Dates that a trigger only sets are not checked.",
      model:
        "Note: {attributes: {count: {type: Integer 64, default: 0}}, relationships: {items: {destination: Item, "
        + "toMany: true, inverse: note}}}\nItem: {relationships: {note: {destination: Note, inverse: items}}}",
      bad: notesWithCount + ";\nCREATE TRIGGER added AFTER INSERT ON item BEGIN\n"
        + "  UPDATE note SET count = count + 1 WHERE id = new.note_id;\nEND",
      good: notesWithCount),
    .triggerMissing: Explanation(
      "No trigger writes a column that triggers should maintain.",
      why:
        "With `derived: trigger` every insert writes the attribute's default. If no trigger changes it, every copy holds "
        + "the default.",
      model: "Note: {attributes: {name: String?, count: {type: Integer 64, default: 0, derived: trigger}}}",
      bad: "CREATE TABLE note(id INTEGER PRIMARY KEY, name TEXT, count INTEGER NOT NULL)",
      good: "CREATE TABLE note(id INTEGER PRIMARY KEY, name TEXT, count INTEGER NOT NULL);\n"
        + "CREATE TRIGGER counted AFTER UPDATE OF name ON note BEGIN\n"
        + "  UPDATE note SET count = count + 1 WHERE id = new.id;\nEND"),
    .unmappedColumn: Explanation(
      "A table has a column that the model does not name.",
      why:
        "With `store: {unmapped: copy}` a clone holds the original's value there, with `default` the database's "
        + "default, and with `refuse` it is an error. A unique column cannot be copied.",
      model: "Note: {attributes: {name: String?}}",
      bad: "CREATE TABLE note(id INTEGER PRIMARY KEY, name TEXT, etag TEXT)",
      good: "CREATE TABLE note(id INTEGER PRIMARY KEY, name TEXT)"),
    .unmappedTable: Explanation(
      "The database has tables that the model does not name.",
      why: "Nothing is copied there. That is right for caches, logs and other data that nobody copies.",
      model: "Note: {attributes: {name: String?}}",
      bad: "CREATE TABLE note(id INTEGER PRIMARY KEY, name TEXT);\nCREATE TABLE log(line TEXT)",
      good: "CREATE TABLE note(id INTEGER PRIMARY KEY, name TEXT)"),
  ]

  private static func keyedNote(_ key: String) -> String {
    "CREATE TABLE note(id INTEGER PRIMARY KEY, name TEXT, key TEXT);\n"
      + "CREATE TRIGGER keyed AFTER INSERT ON note BEGIN\n"
      + "  UPDATE note SET key = \(key) WHERE id = new.id;\nEND"
  }

  private static let notesWithCount =
    "CREATE TABLE note(id INTEGER PRIMARY KEY, count INTEGER NOT NULL DEFAULT 0);\n"
    + "CREATE TABLE item(id INTEGER PRIMARY KEY, note_id INTEGER NOT NULL REFERENCES note(id));\n"
    + "CREATE INDEX item_on_note_id ON item(note_id)"

  /// How a database's tables refer to each other.
  static let databaseKeys: [DiagnosticCode: Explanation] = [
    .foreignKeyMismatch: Explanation(
      "A foreign key of the database references another table, or other columns, than the model's relationship.",
      why:
        "A clone looks for rows where the database does not, so it would lack what refers to its objects; where "
        + "it writes such a reference, the database refuses it or finds another row.",
      model: items,
      bad: tables("note_id INTEGER NOT NULL REFERENCES item(id)"),
      good: tables("note_id INTEGER NOT NULL REFERENCES note(id)")),
    .missingForeignKey: Explanation(
      "The database declares no foreign key for a relationship.",
      why: "Clones are right without it, but other writers may leave dangling references.",
      model: items, bad: tables("note_id INTEGER NOT NULL"),
      good: tables("note_id INTEGER NOT NULL REFERENCES note(id)")),
    .deleteAction: Explanation(
      "The database deletes by another rule than the model.",
      why: "One would keep what the other deletes, and which rule applies depends on who deletes.",
      model: items, bad: tables("note_id INTEGER NOT NULL REFERENCES note(id) ON DELETE CASCADE"),
      good: tables("note_id INTEGER NOT NULL REFERENCES note(id)")),
    .unknownReference: Explanation(
      "A table references a table of the model, but not by a relationship.",
      why:
        "Rows of a table without an entity are not copied with their owner; a reference without a "
        + "relationship keeps pointing at the original.",
      model: "Note: {attributes: {name: String?}}",
      bad: "CREATE TABLE note(id INTEGER PRIMARY KEY, name TEXT);\n"
        + "CREATE TABLE page(id INTEGER PRIMARY KEY, note_id INTEGER REFERENCES note(id))",
      good: "CREATE TABLE note(id INTEGER PRIMARY KEY, name TEXT)"),
    .missingIndex: Explanation(
      "Following a relationship scans a table, because an index is missing.",
      why:
        "To find the related objects, SQLite reads the whole table, once for each object. The finding shows "
        + "the statement that makes the index.",
      model: items,
      bad: "CREATE TABLE note(id INTEGER PRIMARY KEY);\n"
        + "CREATE TABLE item(id INTEGER PRIMARY KEY, note_id INTEGER NOT NULL REFERENCES note(id))",
      good: tables("note_id INTEGER NOT NULL REFERENCES note(id)")),
    .malformedValue: Explanation(
      "Stored values cannot be read as the type of their attribute, or most UUIDs have another form than new ones.",
      why:
        "A clone copies them bit for bit, but whoever reads them gets an error, and no value is found by them. Mostly another "
        + "program writes another form, which `store` or the attribute's `storage` can name. So it is with UUIDs in columns "
        + "of texts: new ones in another case are other texts for programs that compare them.",
      model: "Note: {attributes: {created: Date}}",
      bad: "CREATE TABLE note(id INTEGER PRIMARY KEY, created TEXT NOT NULL);\n"
        + "INSERT INTO note VALUES (1, 'yesterday')",
      good: "CREATE TABLE note(id INTEGER PRIMARY KEY, created TEXT NOT NULL);\n"
        + "INSERT INTO note VALUES (1, '2025-01-31T12:34:56.789Z')"),
    .foreignKeyViolation: Explanation(
      "Rows reference missing rows.",
      why:
        "They were written while foreign keys were off. A clone with such a dangling reference is refused.",
      model: items,
      bad: "PRAGMA foreign_keys = OFF;\n" + tables("note_id INTEGER NOT NULL REFERENCES note(id)")
        + ";\nINSERT INTO item VALUES (1, 7)",
      good: tables("note_id INTEGER NOT NULL REFERENCES note(id)")
        + ";\nINSERT INTO note VALUES (7);\nINSERT INTO item VALUES (1, 7)"),
  ]

  private static let items =
    "Note: {relationships: {items: {destination: Item, toMany: true, inverse: note}}}\n"
    + "Item: {relationships: {note: {destination: Note, inverse: items}}}"

  private static func tables(_ column: String) -> String {
    "CREATE TABLE note(id INTEGER PRIMARY KEY);\nCREATE TABLE item(id INTEGER PRIMARY KEY, \(column));\n"
      + "CREATE INDEX item_on_note_id ON item(note_id)"
  }
}
