import MOCloneEngine
import MOCloneModel

/// When two stored values of an attribute are equal, whatever notation each is written in: the one place that says so.
///
/// Its counterpart in memory is the equality of `AttributeValue` after `ValueCoding` has decoded both.
extension AttributeColumn {
  /// Whether a store may hold one value in several notations, as programs write them that know no model.
  var hasNotations: Bool {
    switch type {
    case .uuid, .decimal, .boolean: true
    case .date: dates == .iso8601 || dates == .sqlite
    default: false
    }
  }

  /// The value of a column in the one form that equal values share, and that sorts dates.
  func canonical(_ sql: String) -> String {
    guard hasNotations else { return sql }
    return switch type {
    case .uuid: "CASE typeof(\(sql)) WHEN 'blob' THEN moclone_uuid_as(\(sql), 0) ELSE upper(\(sql)) END"
    case .date: "julianday(\(sql))"
    case .decimal: "moclone_decimal(\(sql))"
    default: "(\(sql) <> 0)"
    }
  }

  /// Whether an index of the column finds a value in every notation.
  var isFoundByIndex: Bool { !hasNotations || type == .uuid }

  /// Whether a column holds a value of any notation; where `isFoundByIndex`, an index of the column serves.
  func equal(_ column: String, _ value: String) -> String {
    guard hasNotations else { return "\(column) = \(value)" }
    guard type == .uuid else { return "\(canonical(column)) = \(canonical(value))" }
    let text = canonical(value)
    return "\(column) IN (\(text), lower(\(text)), moclone_uuid_as(\(text), 2))"
  }

  /// A condition that holds where values of a column can be equal though their bytes differ; nil where they never can.
  ///
  /// UUIDs of one notation are compared byte by byte.
  func mixesNotations(_ column: String, in rows: String) -> String? {
    guard hasNotations else { return nil }
    guard type == .uuid else { return "1" }
    let form =
      "CASE WHEN typeof(\(column)) = 'blob' THEN 0 WHEN \(column) = upper(\(column)) THEN 1 "
      + "WHEN \(column) = lower(\(column)) THEN 2 ELSE 3 END"
    return "(SELECT min(f) <> max(f) OR max(f) = 3 FROM (SELECT \(form) AS f \(rows)))"
  }
}
