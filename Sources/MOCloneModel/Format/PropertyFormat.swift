// The keys of attributes and relationships.
extension FormatMap {
  package static let attribute = FormatMap(
    "attribute", "An attribute; its short form is only the type, as in String or Date?.",
    keys: [
      FormatKey(
        "type", .type, "The type; with a question mark the attribute is optional.", isRequired: true),
      FormatKey("optional", .boolean, "Whether the attribute may be empty; default false."),
      FormatKey(
        "default", .anyValue,
        "The value of new objects and of excluded attributes; dates in ISO 8601, bytes in base64."),
      FormatKey("transient", .boolean, "Whether the attribute is not stored, and so not copied."),
      FormatKey(
        "derived", .booleanOr([Derivation.trigger.rawValue]),
        "Whether the value is computed from others (true), or maintained by the store's triggers (trigger): inserts write the default."
      ),
      FormatKey("min", .number, "The least value, or the least length of a String."),
      FormatKey("max", .number, "The greatest value, or the greatest length of a String."),
      FormatKey("pattern", .string, "A regular expression that the whole of a String matches."),
      FormatKey("renamedFrom", .string, "The attribute's name in older stores."),
      FormatKey(
        "userInfo", .userInfo(attributeAnnotations),
        "Annotations and your own notes; all of them are strings."),
      FormatKey("column", .string, "The column, if its name does not follow from the store's naming."),
      FormatKey(
        "storage", .choice(DateStorage.allCases.map(\.rawValue) + UUIDStorage.allCases.map(\.rawValue)),
        "How this attribute's dates or UUIDs are stored, if it differs from the store's form."),
    ])

  package static let attributeAnnotations = [
    excludeAnnotation,
    FormatKey(
      "rebuild", .annotation(RebuildRule.allCases.map(\.rawValue)),
      "The copy gets a new value: uuid (one per object) or now (one per operation)."),
    FormatKey(
      "followParent", .string,
      "The copy takes the value of this attribute from its nearest ancestor: id, or Note.id."),
    FormatKey(
      "withoutParent", .annotation(ParentFallback.allCases.map(\.rawValue)),
      "The value if there is no such ancestor: keep (as without followParent) or blank (the default, else null)."
    ),
  ]

  package static let relationship = FormatMap(
    "relationship", "A relationship: its destination, its inverse, and its columns in SQL.",
    keys: [
      FormatKey("destination", .string, "The entity of the related objects.", isRequired: true),
      FormatKey("toMany", .boolean, "Whether it has many destinations; default false."),
      FormatKey(
        "optional", .boolean, "Whether a to-one may be empty; a to-many may, unless minCount is set."),
      FormatKey("ordered", .boolean, "Whether the order of a to-many is kept."),
      FormatKey(
        "inverse", .string,
        "The destination's relationship back to this entity. If it is to-many, destinations are linked; else they are cloned."
      ),
      FormatKey(
        "deleteRule", .choice(of: DeleteRule.self),
        "What happens to the destinations when the object is deleted: nullify (the default), cascade, deny, or noAction."
      ),
      FormatKey("minCount", .integer, "The least number of destinations of a to-many."),
      FormatKey("maxCount", .integer, "The greatest number of destinations of a to-many."),
      FormatKey(
        "userInfo", .userInfo([excludeAnnotation, onCloneAnnotation]),
        "Annotations and your own notes; all of them are strings."),
      FormatKey(
        "column", .columns(foreignKeyColumn),
        "The foreign key: of a to-one, or in the destination's table of a to-many without inverse."),
      FormatKey(
        "references", .strings, "The columns that the foreign key's columns reference, in the same order."),
      FormatKey("orderColumn", .string, "The column with the position in an ordered to-many."),
      FormatKey(
        "joinTable", .map(joinTable), "The join table of a many-to-many, described on one side of it."),
    ])

  private static let excludeAnnotation = FormatKey(
    "exclude", .string, "Left out of copies, whatever the value: an attribute gets its default, else null.")
  private static let onCloneAnnotation = FormatKey(
    AnnotationKeys.onClone, .annotation(OnClone.allCases.map(\.rawValue)),
    "What happens to the destinations in a copy, whatever the inverse: clone or link.")

  package static let foreignKeyColumn = FormatMap(
    "foreignKeyColumn", "A column of a foreign key.",
    keys: [
      FormatKey("column", .string, "The column.", isRequired: true),
      FormatKey(
        "references", .string, "The column it references, if that is not the corresponding column of the key."
      ),
    ])

  package static let joinTable = FormatMap(
    "joinTable", "The join table of a many-to-many relationship.",
    keys: [
      FormatKey("table", .string, "The table; default the names of both tables in order."),
      FormatKey("column", .strings, "The columns with the key of the object that has the relationship."),
      FormatKey("inverseColumn", .strings, "The columns with the key of the destination."),
      FormatKey("orderColumn", .string, "The column with the position in this side's list."),
    ])
}
