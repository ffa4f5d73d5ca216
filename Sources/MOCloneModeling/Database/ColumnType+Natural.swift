import MOCloneModel

/// Databases whose columns have types.
extension TypeChoice {
  /// The type of an attribute for a type of PostgreSQL; what is of another kind is left to the database, and clones copy
  /// it as it is.
  ///
  /// Strings may be UUIDs by chance, so the name has to say so, too; how they are written counts for new keys in any case.
  func naturalType(_ base: String) -> ColumnType? {
    if isEnumeration { return ColumnType(.string) }
    switch base {
    case "json", "jsonb":
      var type = ColumnType(.string)
      type.isJSON = true
      return type
    case "date":
      return ColumnType(.date, dates: .day)
    case "text", "varchar", "bpchar", "citext", "name":
      let uuid = textUUID
      if isUUID, let uuid { return uuid }
      var type = ColumnType(.string)
      type.uuids = uuid?.uuids
      return type
    default: return Self.naturalTypes[base].map { ColumnType($0) }
    }
  }

  /// By PostgreSQL's own names of its types.
  private static let naturalTypes: [String: AttributeType] = [
    "bool": .boolean, "int2": .integer16, "int4": .integer32, "int8": .integer64, "oid": .integer64,
    "float4": .float, "float8": .double, "numeric": .decimal, "uuid": .uuid, "bytea": .binary,
    "timestamp": .date, "timestamptz": .date,
  ]
}
