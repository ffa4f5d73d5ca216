// The keys of attributes and relationships.
extension FormatMap {
  package static let attribute = FormatMap(
    "attribute", summary: "An attribute; its short form is only the type, as in String or Date?.",
    keys: [
      FormatKey(
        "type", value: .type, summary: "The type; with a question mark the attribute is optional.",
        isRequired: true),
      FormatKey("optional", value: .boolean, summary: "Whether the attribute may be empty; default false."),
      FormatKey(
        "default", value: .anyValue,
        summary: "The value of new objects and of excluded attributes; dates in ISO 8601, bytes in base64."),
      FormatKey(
        "transient", value: .boolean, summary: "Whether the attribute is not stored, and so not copied."),
      FormatKey(
        "derived", value: .booleanOr([Derivation.trigger.rawValue]),
        summary:
          "Whether the value is computed from others (true), or maintained by the store's triggers (trigger): inserts write the default."
      ),
      FormatKey("min", value: .number, summary: "The least value, or the least length of a String."),
      FormatKey("max", value: .number, summary: "The greatest value, or the greatest length of a String."),
      FormatKey(
        "pattern", value: .string, summary: "A regular expression that the whole of a String matches."),
      FormatKey("renamedFrom", value: .string, summary: "The attribute's name in older stores."),
      FormatKey(
        "userInfo", value: .userInfo(attributeAnnotations),
        summary: "Annotations and your own notes; all of them are strings."),
      FormatKey(
        "column", value: .string, summary: "The column, if its name does not follow from the store's naming."),
      FormatKey(
        "storage",
        value: .choice(DateStorage.words + UUIDStorage.words),
        summary: "How this attribute's dates or UUIDs are stored, if it differs from the store's form."),
    ])

  package static let attributeAnnotations = [
    excludeAnnotation,
    FormatKey(
      "rebuild", value: .annotation(RebuildRule.words),
      summary: "The copy gets another value: "
        + RebuildRule.allCases.map { "\($0.rawValue) (\($0.summary))" }.alternatives + "."),
    FormatKey(
      "followParent", value: .string,
      summary: "The copy takes the value of this attribute from its nearest ancestor: id, or Note.id."),
    FormatKey(
      "withoutParent", value: .annotation(ParentFallback.words),
      summary:
        "The value if there is no such ancestor: keep (as without followParent) or blank (the default, else null)."
    ),
  ]

  package static let relationship = FormatMap(
    "relationship", summary: "A relationship: its destination, its inverse, and its columns in SQL.",
    keys: [
      FormatKey(
        "destination", value: .string, summary: "The entity of the related objects.", isRequired: true),
      FormatKey("toMany", value: .boolean, summary: "Whether it has many destinations; default false."),
      FormatKey(
        "optional", value: .boolean,
        summary: "Whether a to-one may be empty; a to-many may, unless minCount is set."),
      FormatKey("ordered", value: .boolean, summary: "Whether the order of a to-many is kept."),
      FormatKey(
        "inverse", value: .string,
        summary:
          "The destination's relationship back to this entity. If it is to-many, destinations are linked; else they are cloned."
      ),
      FormatKey(
        "deleteRule", value: .choice(of: DeleteRule.self),
        summary:
          "What happens to the destinations when the object is deleted: nullify (the default), cascade, deny, or noAction."
      ),
      FormatKey("minCount", value: .integer, summary: "The least number of destinations of a to-many."),
      FormatKey("maxCount", value: .integer, summary: "The greatest number of destinations of a to-many."),
      FormatKey(
        "userInfo", value: .userInfo([excludeAnnotation, onCloneAnnotation]),
        summary: "Annotations and your own notes; all of them are strings."),
      FormatKey(
        "column", value: .columns(foreignKeyColumn),
        summary: "The foreign key: of a to-one, or in the destination's table of a to-many without inverse."),
      FormatKey(
        "references", value: .strings,
        summary: "The columns that the foreign key's columns reference, in the same order."),
      FormatKey(
        "orderColumn", value: .string, summary: "The column with the position in an ordered to-many."),
      FormatKey(
        "joinTable", value: .map(joinTable),
        summary: "The join table of a many-to-many, described on one side of it."),
    ])

  private static let excludeAnnotation = FormatKey(
    "exclude", value: .string,
    summary: "Left out of copies, whatever the value: an attribute gets its default, else null.")
  private static let onCloneAnnotation = FormatKey(
    AnnotationKeys.onClone, value: .annotation(OnClone.words),
    summary: "What happens to the destinations in a copy, whatever the inverse: clone or link.")

  package static let foreignKeyColumn = FormatMap(
    "foreignKeyColumn", summary: "A column of a foreign key.",
    keys: [
      FormatKey("column", value: .string, summary: "The column.", isRequired: true),
      FormatKey(
        "references", value: .string,
        summary: "The column it references, if that is not the corresponding column of the key."
      ),
    ])

  package static let joinTable = FormatMap(
    "joinTable", summary: "The join table of a many-to-many relationship.",
    keys: [
      FormatKey("table", value: .string, summary: "The table; default the names of both tables in order."),
      FormatKey(
        "column", value: .strings,
        summary: "The columns with the key of the object that has the relationship."),
      FormatKey("inverseColumn", value: .strings, summary: "The columns with the key of the destination."),
      FormatKey("orderColumn", value: .string, summary: "The column with the position in this side's list."),
    ])
}
