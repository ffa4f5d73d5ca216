/// How a model is in SQL, where entities and attributes do not say otherwise.
public struct StoreOptions: Sendable, Hashable {
  /// How names of entities and properties become names of tables and columns.
  public var naming: NamingConvention
  /// The schema of a server's database in which the tables are that are named without one; nil for those along the search path.
  public var schema: String?
  /// The key column of entities that name none.
  public var primaryKey: String
  /// How dates are stored in columns that do not say otherwise.
  public var dates: DateStorage
  /// How UUIDs are stored in columns that do not say otherwise.
  public var uuids: UUIDStorage
  /// What becomes of columns that the model does not name.
  public var unmapped: UnmappedColumns

  /// Creates options; what is nil follows from the naming: `id`, `.iso8601` and `.text`, in `.grdb` `.sqlite` and `.blob`, in
  /// `.coreData` `Z_PK`, `.referenceDate` and `.blob`.
  public init(
    naming: NamingConvention = .snakeCase, primaryKey: String? = nil, dates: DateStorage? = nil,
    uuids: UUIDStorage? = nil, unmapped: UnmappedColumns = .copy, schema: String? = nil
  ) {
    self.naming = naming
    self.schema = schema
    self.primaryKey = primaryKey ?? naming.primaryKey
    self.dates = dates ?? naming.dates
    self.uuids = uuids ?? naming.uuids
    self.unmapped = unmapped
  }

  /// The name of a table with its schema: the store's, where it is named without one.
  func table(_ name: String) -> String {
    guard let schema, !name.contains(".") else { return name }
    return "\(schema).\(name)"
  }

  /// The name of a table where there are no schemas: without the store's.
  func plainTable(_ name: String) -> String {
    guard let schema, name.contains("."), String(name.prefix { $0 != "." }).sqlName == schema.sqlName else {
      return name
    }
    return String(name.dropFirst(schema.count + 1))
  }
}

/// How names of the model become names of tables and columns.
public enum NamingConvention: String, Sendable, Hashable, Codable, CaseIterable {
  /// `ItemData.createDate` is `item_data.create_date`.
  case snakeCase
  /// `ItemData.createDate` is `ItemData.createDate`.
  case asWritten
  /// `ItemData.createDate` is `itemData.createDate`.
  case grdb
  /// `ItemData.createDate` is `ZITEMDATA.ZCREATEDATE`: the tables of a Core Data store.
  case coreData
}

extension NamingConvention {
  fileprivate var primaryKey: String { self == .coreData ? CoreDataMapping.keyColumn : "id" }

  fileprivate var dates: DateStorage {
    switch self {
    case .snakeCase, .asWritten: .iso8601
    case .grdb: .sqlite
    case .coreData: .referenceDate
    }
  }

  fileprivate var uuids: UUIDStorage {
    switch self {
    case .snakeCase, .asWritten: .text
    case .grdb, .coreData: .blob
    }
  }
}

/// How a Date is stored.
public enum DateStorage: String, Sendable, Hashable, Codable, CaseIterable {
  /// `2025-01-31T12:34:56.789Z`
  case iso8601
  /// `2025-01-31 12:34:56.789`, in UTC
  case sqlite
  /// `2025-01-31T12:34:56Z`; a fraction of a second is written where a date has one
  case iso8601Seconds
  /// `2025-01-31 12:34:56`, in UTC, as `CURRENT_TIMESTAMP` is; a fraction of a second is written where a date has one
  case sqliteSeconds
  /// `2025-01-31`, the day in UTC; a time is not stored
  case day
  /// Seconds since 1970
  case unix
  /// Whole milliseconds since 1970
  case unixMilliseconds
  /// Seconds since 2001-01-01 UTC
  case referenceDate
}

/// How a UUID is stored.
public enum UUIDStorage: String, Sendable, Hashable, Codable, CaseIterable {
  /// Upper case, 36 characters
  case text
  /// Lower case, 36 characters
  case lowercaseText
  /// 16 bytes
  case blob
  /// Lower case, 32 characters without hyphens
  case compactText
}

/// What a clone holds in the columns of its table that the model does not name.
public enum UnmappedColumns: String, Sendable, Hashable, Codable, CaseIterable {
  /// The original's values.
  case copy
  /// The database's defaults.
  case `default`
  /// Nothing: a clone of such a table is an error.
  case refuse
}
