import Foundation
import MOCloneModel

/// How the values of a column are written, where a type has several ways.
package enum StorageForm: Hashable, Sendable {
  case plain
  case date(DateStorage)
  case uuid(UUIDStorage)
  /// Bytes behind a byte that says whether they are the value or name the file that holds it.
  case external
  /// Text that the database makes a value of the column's type of.
  case typed

  package init(_ column: AttributeColumn) {
    if column.isTyped && !column.isWritten {
      self = .typed
      return
    }
    switch column.type {
    case .date: self = .date(column.dates)
    case .uuid: self = .uuid(column.uuids)
    case .binary, .transformable: self = column.isExternal ? .external : .plain
    default: self = .plain
    }
  }

  /// The name that SQL gives to the conversion function.
  package var name: String {
    switch self {
    case .plain: "plain"
    case .date(let dates): dates.rawValue
    case .uuid(let uuids): uuids.rawValue
    case .external: "external"
    case .typed: "typed"
    }
  }

  package init?(name: String) {
    if let dates = DateStorage(rawValue: name) {
      self = .date(dates)
    } else if let uuids = UUIDStorage(rawValue: name) {
      self = .uuid(uuids)
    } else if let form = [StorageForm.external, .typed].first(where: { $0.name == name }) {
      self = form
    } else {
      return nil
    }
  }

  /// SQL that turns a value of this form into another form.
  package func convert(_ sql: String, to form: StorageForm, dialect: Dialect) -> String {
    self == form ? sql : dialect.convert(sql, self, form)
  }
}

extension AttributeColumn {
  /// Whether its dates are numbers, which no type of the database represents.
  package var isNumericDate: Bool { type == .date && dates.isNumber }

  /// Whether a database with types holds its values as the model says, without a type that represents them.
  fileprivate var isWritten: Bool {
    switch type {
    case .binary, .transformable: true
    case .date: isNumericDate
    case .uuid: uuids.isWritten(in: base)
    default: false
    }
  }
}

extension UUIDStorage {
  /// Whether a column of a database with types holds UUIDs in this form; others hold them in their own.
  ///
  /// - Parameter base: the column's type; nil where nobody has looked.
  package func isWritten(in base: String?) -> Bool {
    guard let base else { return false }
    return self == .blob ? base == "bytea" : TypedColumns.isText(base)
  }
}

extension DateStorage {
  package var isNumber: Bool {
    switch self {
    case .iso8601, .iso8601Seconds, .sqlite, .sqliteSeconds, .day: false
    case .unix, .unixMilliseconds, .referenceDate: true
    }
  }
}
