// The keys of the model file.
extension FormatMap {
  package static let model = FormatMap(
    "model", summary: "A model: entities with their attributes, relationships and annotations.",
    keys: [
      FormatKey("version", value: .version, summary: "The version of the format: 1.", isRequired: true),
      FormatKey("name", value: .string, summary: "The name of the model."),
      FormatKey(
        "userInfoKeys", value: .map(userInfoKeys),
        summary: "Other names for the annotation keys, for projects that already use one of these words."),
      FormatKey(
        "store", value: .map(store), summary: "How the model is stored in SQL; every key has a default."),
      FormatKey(
        "entities", value: .named(.map(entity)), summary: "The entities by their names.", isRequired: true),
    ])

  package static let userInfoKeys = FormatMap(
    "userInfoKeys", summary: "Other names for the annotation keys.",
    keys: [
      FormatKey(
        "exclude", value: .string, summary: "The key that leaves a property out of copies; default exclude."),
      FormatKey("rebuild", value: .string, summary: "The key that produces a new value; default rebuild."),
      FormatKey(
        "followParent", value: .string,
        summary: "The key that takes an ancestor's value; default followParent."),
      FormatKey(
        "withoutParent", value: .string,
        summary: "The key for objects without such an ancestor; default withoutParent."),
    ])

  package static let store = FormatMap(
    "store", summary: "How the model is stored in SQL, unless entities and attributes override it.",
    keys: [
      FormatKey(
        "naming", value: .choice(of: NamingConvention.self),
        summary:
          "How names become tables and columns: snakeCase (item_data.create_date, the default), asWritten, grdb (itemData.createDate), or coreData (ZITEMDATA.ZCREATEDATE, the tables of a Core Data store)."
      ),
      FormatKey(
        "schema", value: .string,
        summary:
          "The schema of a PostgreSQL database in which the tables are that are named without one, also those that 'table' names; default: those along the search path."
      ),
      FormatKey(
        "primaryKey", value: .string,
        summary: "The key column of entities without a primaryKey; default id, in coreData Z_PK."),
      FormatKey(
        "dates", value: .choice(of: DateStorage.self),
        summary:
          "How dates are stored: iso8601 (the default), sqlite (the default of grdb), both also with whole seconds (iso8601Seconds, sqliteSeconds), day (without a time), unix, unixMilliseconds, or referenceDate (seconds since 2001; the default of coreData)."
      ),
      FormatKey(
        "uuids", value: .choice(of: UUIDStorage.self),
        summary:
          "How UUIDs are stored: text (upper case, the default), lowercaseText, compactText (lower case without hyphens), or blob (the default of grdb and coreData)."
      ),
      FormatKey(
        "unmapped", value: .choice(of: UnmappedColumns.self),
        summary:
          "The value of a copy in columns that the model does not name: copy (the original's, the default), default (the database's), or refuse."
      ),
    ])

  package static let entity = FormatMap(
    "entity", summary: "An entity: a kind of object, and its table.",
    keys: [
      FormatKey(
        "parent", value: .string, summary: "The entity whose properties and table this one inherits."),
      FormatKey(
        "abstract", value: .boolean,
        summary: "Whether the entity has no objects of its own, only its sub-entities have."),
      FormatKey("attributes", value: .named(.attribute), summary: "The attributes by their names."),
      FormatKey(
        "relationships", value: .named(.map(relationship)), summary: "The relationships by their names."),
      FormatKey(
        "uniquenessConstraints", value: .listOfStrings,
        summary: "Properties that are unique, each a name or a list of names that are unique together."),
      FormatKey(
        "configurations", value: .strings, summary: "The Core Data configurations that the entity belongs to."
      ),
      FormatKey("renamedFrom", value: .string, summary: "The entity's name in older stores."),
      FormatKey(
        "userInfo", value: .userInfo([]), summary: "Your own notes; annotations belong to the properties."),
      FormatKey(
        "table", value: .string, summary: "The table, if its name does not follow from the store's naming."),
      FormatKey(
        "primaryKey", value: .columns(keyColumn),
        summary: "The column of the key, or the list of columns of a composite one."
      ),
      FormatKey(
        "discriminator", value: .map(discriminator),
        summary: "How rows of this entity are distinguished from others in the table."),
    ])

  package static let keyColumn = FormatMap(
    "keyColumn", summary: "A column of a primary key.",
    keys: [
      FormatKey("column", value: .string, summary: "The column.", isRequired: true),
      FormatKey(
        "generate", value: .choice(of: KeyGeneration.self),
        summary:
          "How the key of a copy is generated: rowid, uuid, max (the greatest number plus one, in a composite key within its other parts), or none (the original's, or a given one)."
      ),
    ])

  package static let discriminator = FormatMap(
    "discriminator",
    summary: "How rows of an entity are distinguished from those of others in the same table.",
    keys: [
      FormatKey(
        "column", value: .string, summary: "The discriminator column; named once, by the root entity."),
      FormatKey(
        "value", value: .string, summary: "Its value in rows of this entity; default the entity's name."),
    ])
}
