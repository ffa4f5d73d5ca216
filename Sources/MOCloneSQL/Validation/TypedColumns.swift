import MOCloneModel

/// Which types of PostgreSQL hold the values of an attribute.
enum TypedColumns {
  /// Whether values of a type are read as those of an attribute, and new ones can be written.
  ///
  /// - Parameter base: the type by PostgreSQL's own name of it; what is no plain type, such as an enum, holds strings.
  static func accepts(_ base: String, type: AttributeType, dates: DateStorage, uuids: UUIDStorage)
    -> Bool
  {
    switch type {
    case .string, .uri: !numbers.union(["numeric", "bool", "bytea"]).contains(base)
    case .boolean: integers.union(["bool"]).contains(base)
    case .integer16, .integer32, .integer64: integers.contains(base)
    case .double, .float: numbers.contains(base)
    case .decimal: numbers.union(texts).union(["numeric"]).contains(base)
    case .binary, .transformable: base == "bytea"
    case .uuid: texts.union(["uuid"]).contains(base) || uuids.isWritten(in: base)
    case .date:
      dates.isNumber
        ? numbers.contains(base) : texts.union(["timestamptz", "timestamp", "date"]).contains(base)
    }
  }

  private static let integers: Set = ["int2", "int4", "int8", "oid"]
  private static let numbers = integers.union(["float4", "float8"])
  private static let texts: Set = ["text", "varchar", "bpchar", "citext", "name"]

  static func isText(_ base: String) -> Bool { texts.contains(base) }
  static func isInteger(_ base: String) -> Bool { integers.contains(base) }
}
