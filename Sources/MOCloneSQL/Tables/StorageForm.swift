import Foundation
import MOCloneModel

/// How the values of a column are written, where a type has several ways.
package enum StorageForm: Hashable, Sendable {
  case plain
  case date(DateStorage)
  case uuid(UUIDStorage)

  package init(_ column: AttributeColumn) {
    switch column.type {
    case .date: self = .date(column.dates)
    case .uuid: self = .uuid(column.uuids)
    default: self = .plain
    }
  }

  /// The name that SQL gives to the conversion function.
  package var name: String {
    switch self {
    case .plain: "plain"
    case .date(let dates): dates.rawValue
    case .uuid(let uuids): uuids.rawValue
    }
  }

  package init?(name: String) {
    if let dates = DateStorage(rawValue: name) {
      self = .date(dates)
    } else if let uuids = UUIDStorage(rawValue: name) {
      self = .uuid(uuids)
    } else {
      return nil
    }
  }

  /// SQL that turns a value of this form into another form.
  package func convert(_ sql: String, to form: StorageForm, _ dialect: Dialect) -> String {
    self == form ? sql : dialect.convert(sql, self, form)
  }
}
