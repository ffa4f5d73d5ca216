import MOCloneModel

// The keys of the mapping file of an import.
extension FormatMap {
  static let importMapping = FormatMap(
    "import", summary: "A mapping: how the rows of a file become objects.",
    keys: [
      FormatKey("version", value: .version, summary: "The version of the format: 1."),
      FormatKey(
        "entity", value: .string, summary: "The entity of the objects that the rows become.", isRequired: true
      ),
      FormatKey(
        "rows", value: .string,
        summary:
          "Where the rows are: the XML element's name, or its path separated by '/'; the path of the list in JSON, separated by dots; not given for CSV and for JSON with one object per line."
      ),
      FormatKey(
        "ignore", value: .strings,
        summary:
          "Names in the file that are ignored; any other name that neither the mapping nor the model has is an error."
      ),
      FormatKey(
        "trim", value: .boolean,
        summary: "Whether blanks at both ends of a string are removed; by default strings are kept unchanged."
      ),
      FormatKey("null", value: .anyValue, summary: "The string that means null, such as NULL."),
      FormatKey(
        "delimiter", value: .string, summary: "The character between the values of CSV; default a comma."),
    ] + importKeys)

  static let importRelationship: FormatMap = FormatMap(
    "importRelationship",
    summary: "The destination of a relationship: an object that is matched by its identity, or inserted.",
    keys: [
      FormatKey(
        "entity", value: .string, summary: "The entity, if the relationship's destination has sub-entities."),
      FormatKey(
        "rows", value: .string,
        summary:
          "Where nested rows are: a child element, or a member with an object or a list; without it the values are in the same row."
      ),
    ] + importKeys)

  private static let importKeys: [FormatKey] = [
    FormatKey(
      "attributes", value: .named(.anyValue),
      summary:
        "The attributes: '@name' takes the XML attribute or child element, column or member of that name, '@' the row's own text content; anything else is a constant value."
    ),
    FormatKey("set", value: .named(.anyValue), summary: "Constant values for every object."),
    FormatKey(
      "relationships", value: .named(.later { importRelationship }),
      summary: "The related objects, by relationship."),
  ]
}
