import MOCloneModel

// The keys of the mapping file of an import.
extension FormatMap {
  static let importMapping = FormatMap(
    "import", "A mapping: how the rows of a file become objects.",
    keys: [
      FormatKey("version", .version, "The version of the format: 1."),
      FormatKey("entity", .text, "The entity that each row makes an object of.", isRequired: true),
      FormatKey(
        "rows", .text,
        "Where the rows lie: the XML element's name, or the names down to it divided by '/'; the members of JSON that lead to the list, divided by dots; nothing for CSV and for JSON with an object a line."
      ),
      FormatKey(
        "ignore", .texts,
        "Names in the file that mean nothing; any other that neither the mapping nor the model knows is an error."
      ),
      FormatKey(
        "trim", .flag, "Whether blanks at the ends of texts are left out; texts are else kept as they are."),
      FormatKey("null", .anyValue, "The text that means null, such as NULL."),
      FormatKey("delimiter", .text, "The sign between the values of CSV; default a comma."),
    ] + importKeys)

  static let importRelationship: FormatMap = FormatMap(
    "importRelationship", "What a relationship leads to: an object that is found by its identity, or made.",
    keys: [
      FormatKey("entity", .text, "The entity, where the relationship's destination has sub-entities."),
      FormatKey(
        "rows", .text,
        "Where nested rows lie: a child element or a member with an object or a list; without it the values stand in the same row."
      ),
    ] + importKeys)

  private static let importKeys: [FormatKey] = [
    FormatKey(
      "attributes", .named(.anyValue),
      "The attributes: '@name' takes the XML attribute or child element, column or member of that name, '@' the row's own text; anything else is the value itself."
    ),
    FormatKey("set", .named(.anyValue), "Values that every object is given."),
    FormatKey(
      "relationships", .named(.later { importRelationship }),
      "What the objects are related to, by relationship."),
  ]
}
