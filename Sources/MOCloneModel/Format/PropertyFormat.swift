// The keys of attributes and relationships.
extension FormatMap {
  package static let attribute = FormatMap(
    "attribute", "An attribute; its short form is the type alone, as in String or Date?.",
    keys: [
      FormatKey(
        "type", .type, "The type; with a question mark the attribute is optional.", isRequired: true),
      FormatKey("optional", .flag, "Whether the attribute may be empty; default false."),
      FormatKey(
        "default", .anyValue,
        "The value of new objects and of excluded attributes; dates in ISO 8601, bytes in base64."),
      FormatKey("transient", .flag, "Whether the attribute is not stored, and so not copied."),
      FormatKey(
        "derived", .flagOr([Derivation.trigger.rawValue]),
        "Whether the value is computed from others (true), or kept by the store's triggers (trigger): inserts write the default."
      ),
      FormatKey("min", .number, "The least value, or the least length of a String."),
      FormatKey("max", .number, "The greatest value, or the greatest length of a String."),
      FormatKey("pattern", .text, "A regular expression that the whole of a String matches."),
      FormatKey("renamedFrom", .text, "The attribute's name in older stores."),
      FormatKey(
        "userInfo", .userInfo(attributeAnnotations), "Annotations and notes of your own, texts all of them."),
      FormatKey("column", .text, "The column, where it is not the name as the store's naming writes it."),
      FormatKey(
        "storage", .choice(DateStorage.allCases.map(\.rawValue) + UUIDStorage.allCases.map(\.rawValue)),
        "How this attribute's dates or UUIDs are stored, where it is not as the store says."),
    ])

  package static let attributeAnnotations = [
    excludeAnnotation,
    FormatKey(
      "rebuild", .text, "The copy's value is made anew: uuid (one per object) or now (one per operation)."),
    FormatKey(
      "followParent", .text,
      "The copy has the value of this attribute in its nearest ancestor: id, or Note.id."),
    FormatKey(
      "withoutParent", .text,
      "Where there is no such ancestor: keep (as without followParent) or blank (the default, else nothing)."
    ),
  ]

  package static let relationship = FormatMap(
    "relationship", "A relationship: where it leads, its inverse, and where it lies in SQL.",
    keys: [
      FormatKey("destination", .text, "The entity it leads to.", isRequired: true),
      FormatKey("toMany", .flag, "Whether it leads to many objects; default false."),
      FormatKey("optional", .flag, "Whether a to-one may be empty; a to-many may, unless minCount is set."),
      FormatKey("ordered", .flag, "Whether the order of a to-many is kept."),
      FormatKey(
        "inverse", .text,
        "The destination's relationship that leads back. Where it is to-many, copies link; else they clone."),
      FormatKey(
        "deleteRule", .choice(of: DeleteRule.self),
        "What happens to the destinations on deletion: nullify (the default), cascade, deny, or noAction."),
      FormatKey("minCount", .integer, "The least number of destinations of a to-many."),
      FormatKey("maxCount", .integer, "The greatest number of destinations of a to-many."),
      FormatKey(
        "userInfo", .userInfo([excludeAnnotation, onCloneAnnotation]),
        "Annotations and notes of your own, texts all of them."),
      FormatKey(
        "column", .columns(foreignKeyColumn),
        "The foreign key: of a to-one, or in the destination's table of a to-many without inverse."),
      FormatKey(
        "references", .texts, "The columns that the foreign key's columns reference, in step with them."),
      FormatKey("orderColumn", .text, "Where the position in an ordered to-many lies."),
      FormatKey(
        "joinTable", .map(joinTable), "The table of a many-to-many, written on one side of the pair."),
    ])

  private static let excludeAnnotation = FormatKey(
    "exclude", .text, "Left out of copies, whatever the value: an attribute gets its default, else nothing.")
  private static let onCloneAnnotation = FormatKey(
    AnnotationKeys.onClone, .text,
    "What a copy does with the destinations, whatever the inverse: clone or link.")

  package static let foreignKeyColumn = FormatMap(
    "foreignKeyColumn", "A column of a foreign key.",
    keys: [
      FormatKey("column", .text, "The column.", isRequired: true),
      FormatKey("references", .text, "The column it references, where that is not the key's at its place."),
    ])

  package static let joinTable = FormatMap(
    "joinTable", "The table of a many-to-many relationship.",
    keys: [
      FormatKey("table", .text, "The table; default both tables' names in order."),
      FormatKey("column", .texts, "The columns with the key of the object that has the relationship."),
      FormatKey("inverseColumn", .texts, "The columns with the key of the destination."),
      FormatKey("orderColumn", .text, "Where the position in this side's list lies."),
    ])
}
