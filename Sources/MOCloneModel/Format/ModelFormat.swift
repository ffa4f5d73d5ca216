// The keys of the model file.
extension FormatMap {
  package static let model = FormatMap(
    "model", "A model: entities with their attributes, relationships and annotations.",
    keys: [
      FormatKey("version", .version, "The version of the format: 1.", isRequired: true),
      FormatKey("name", .string, "The name of the model."),
      FormatKey(
        "userInfoKeys", .map(userInfoKeys),
        "Other names for the annotation keys, for projects that already use one of these words."),
      FormatKey("store", .map(store), "How the model is stored in SQL; every key has a default."),
      FormatKey("entities", .named(.map(entity)), "The entities by their names.", isRequired: true),
    ])

  package static let userInfoKeys = FormatMap(
    "userInfoKeys", "Other names for the annotation keys.",
    keys: [
      FormatKey("exclude", .string, "The key that leaves a property out of copies; default exclude."),
      FormatKey("rebuild", .string, "The key that produces a new value; default rebuild."),
      FormatKey("followParent", .string, "The key that takes an ancestor's value; default followParent."),
      FormatKey(
        "withoutParent", .string, "The key for objects without such an ancestor; default withoutParent."),
    ])

  package static let store = FormatMap(
    "store", "How the model is stored in SQL, unless entities and attributes override it.",
    keys: [
      FormatKey(
        "naming", .choice(of: NamingConvention.self),
        "How names become tables and columns: snakeCase (item_data.create_date, the default), asWritten, grdb (itemData.createDate), or coreData (ZITEMDATA.ZCREATEDATE, the tables of a Core Data store)."
      ),
      FormatKey(
        "primaryKey", .string,
        "The key column of entities without a primaryKey; default id, in coreData Z_PK."),
      FormatKey(
        "dates", .choice(of: DateStorage.self),
        "How dates are stored: iso8601 (the default), sqlite (the default of grdb), unix, unixMilliseconds, or referenceDate (seconds since 2001; the default of coreData)."
      ),
      FormatKey(
        "uuids", .choice(of: UUIDStorage.self),
        "How UUIDs are stored: text (upper case, the default), lowercaseText, compactText (lower case without hyphens), or blob (the default of grdb and coreData)."
      ),
      FormatKey(
        "unmapped", .choice(of: UnmappedColumns.self),
        "The value of a copy in columns that the model does not name: copy (the original's, the default), default (the database's), or refuse."
      ),
    ])

  package static let entity = FormatMap(
    "entity", "An entity: a kind of object, and its table.",
    keys: [
      FormatKey("parent", .string, "The entity whose properties and table this one inherits."),
      FormatKey(
        "abstract", .boolean, "Whether the entity has no objects of its own, only its sub-entities have."),
      FormatKey("attributes", .named(.attribute), "The attributes by their names."),
      FormatKey("relationships", .named(.map(relationship)), "The relationships by their names."),
      FormatKey(
        "uniquenessConstraints", .listOfStrings,
        "Properties that are unique, each a name or a list of names that are unique together."),
      FormatKey("configurations", .strings, "The Core Data configurations that the entity belongs to."),
      FormatKey("renamedFrom", .string, "The entity's name in older stores."),
      FormatKey("userInfo", .userInfo([]), "Your own notes; annotations belong to the properties."),
      FormatKey("table", .string, "The table, if its name does not follow from the store's naming."),
      FormatKey(
        "primaryKey", .columns(keyColumn), "The column of the key, or the list of columns of a composite one."
      ),
      FormatKey(
        "discriminator", .map(discriminator),
        "How rows of this entity are distinguished from others in the table."),
    ])

  package static let keyColumn = FormatMap(
    "keyColumn", "A column of a primary key.",
    keys: [
      FormatKey("column", .string, "The column.", isRequired: true),
      FormatKey(
        "generate", .choice(of: KeyGeneration.self),
        "How the key of a copy is generated: rowid, uuid, max (the greatest number plus one, in a composite key within its other parts), or none (the original's, or a given one)."
      ),
    ])

  package static let discriminator = FormatMap(
    "discriminator", "How rows of an entity are distinguished from those of others in the same table.",
    keys: [
      FormatKey("column", .string, "The discriminator column; named once, by the root entity."),
      FormatKey("value", .string, "Its value in rows of this entity; default the entity's name."),
    ])
}
