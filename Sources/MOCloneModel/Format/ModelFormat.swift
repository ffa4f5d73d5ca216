// The keys of the model file.
extension FormatMap {
  package static let model = FormatMap(
    "model", "A model: entities with their attributes, relationships and annotations.",
    keys: [
      FormatKey("version", .version, "The version of the format: 1.", isRequired: true),
      FormatKey("name", .text, "The name of the model."),
      FormatKey(
        "userInfoKeys", .map(userInfoKeys),
        "Other names for the annotation keys, where a project already uses one of these words."),
      FormatKey("store", .map(store), "How the model lies in SQL; every line has a default."),
      FormatKey("entities", .named(.map(entity)), "The entities by their names.", isRequired: true),
    ])

  package static let userInfoKeys = FormatMap(
    "userInfoKeys", "Other names for the annotation keys.",
    keys: [
      FormatKey("exclude", .text, "The key that leaves a property out of copies; default exclude."),
      FormatKey("rebuild", .text, "The key that makes a value anew; default rebuild."),
      FormatKey("followParent", .text, "The key that takes an ancestor's value; default followParent."),
      FormatKey(
        "withoutParent", .text, "The key for where there is no such ancestor; default withoutParent."),
    ])

  package static let store = FormatMap(
    "store", "How the model lies in SQL, where entities and attributes do not say otherwise.",
    keys: [
      FormatKey(
        "naming", .choice(of: NamingConvention.self),
        "How names become tables and columns: snakeCase (item_data.create_date, the default), asWritten, or grdb (itemData.createDate)."
      ),
      FormatKey("primaryKey", .text, "The key column of entities that name none; default id."),
      FormatKey(
        "dates", .choice(of: DateStorage.self),
        "How dates are stored: iso8601 (the default), sqlite (the default of grdb), unix, unixMilliseconds, or referenceDate (seconds since 2001)."
      ),
      FormatKey(
        "uuids", .choice(of: UUIDStorage.self),
        "How UUIDs are stored: text (upper case, the default), lowercaseText, or blob (the default of grdb)."),
      FormatKey(
        "unmapped", .choice(of: UnmappedColumns.self),
        "What a copy holds in columns that the model does not name: copy (the original's, the default), default (the database's), or refuse."
      ),
    ])

  package static let entity = FormatMap(
    "entity", "An entity: a kind of object, and the table it lies in.",
    keys: [
      FormatKey("parent", .text, "The entity whose properties and table this one inherits."),
      FormatKey("abstract", .flag, "Whether no object is of this entity itself, only of those that inherit."),
      FormatKey("attributes", .named(.attribute), "The attributes by their names."),
      FormatKey("relationships", .named(.map(relationship)), "The relationships by their names."),
      FormatKey(
        "uniquenessConstraints", .listOfTexts,
        "Properties that are unique, each a name or a list of names that are unique together."),
      FormatKey("configurations", .texts, "The Core Data configurations that the entity belongs to."),
      FormatKey("renamedFrom", .text, "The entity's name in older stores."),
      FormatKey("userInfo", .userInfo([]), "Notes of your own; annotations stand at the properties."),
      FormatKey("table", .text, "The table, where it is not the name as the store's naming writes it."),
      FormatKey(
        "primaryKey", .columns(keyColumn), "The column of the key, or the list of columns of a composite one."
      ),
      FormatKey(
        "discriminator", .map(discriminator), "How rows of this entity are told from others in the table."),
    ])

  package static let keyColumn = FormatMap(
    "keyColumn", "A column of a primary key.",
    keys: [
      FormatKey("column", .text, "The column.", isRequired: true),
      FormatKey(
        "generate", .choice(of: KeyGeneration.self),
        "Where a copy's value comes from: rowid, uuid, max (the greatest number and one, in a composite key within its other parts), or none (the original's, or a given one)."
      ),
    ])

  package static let discriminator = FormatMap(
    "discriminator", "How rows of an entity are told from those of others in the same table.",
    keys: [
      FormatKey("column", .text, "The column that tells; said once, by the uppermost entity."),
      FormatKey("value", .text, "Its value in rows of this entity; default the entity's name."),
    ])
}
