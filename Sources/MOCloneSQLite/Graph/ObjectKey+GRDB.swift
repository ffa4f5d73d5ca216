import Foundation
import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// Keys as arguments and columns of GRDB: a key of one part is that part, a key of several its text.
///
/// ```swift
/// let name = try String.fetchOne(db, sql: "SELECT name FROM note WHERE id = ?", arguments: [result.root.key])
/// ```
///
/// A UUID is written as GRDB writes one, as a blob; for a store of UUIDs as text pass `key.description`.
extension ObjectKey: DatabaseValueConvertible {
  /// The value of the only part; the string of the whole key where there are several.
  public var databaseValue: DatabaseValue {
    guard parts.count == 1 else { return description.databaseValue }
    return switch parts[0] {
    case .null: .null
    case .bool(let value): value.databaseValue
    case .integer(let value): value.databaseValue
    case .double(let value): value.databaseValue
    case .decimal(let value): value.databaseValue
    case .string(let value): value.databaseValue
    case .date(let value): value.databaseValue
    case .uuid(let value): value.databaseValue
    case .binary(let value): value.databaseValue
    }
  }

  /// A key of one part that holds the value as it is stored; nil for NULL.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> ObjectKey? {
    value.isNull ? nil : ObjectKey([AttributeValue(raw: value.stored)])
  }
}
