/// What a database says of its tables, as a value: SQL is rendered from it without a connection.
public struct StoreSchema: Sendable, Equatable {
  private var tables: [String: TableSchema] = [:]

  public init(_ tables: [TableSchema] = []) {
    for table in tables { self.tables[table.name.lowercased()] = table }
  }

  /// A table by its name, compared as SQL compares names; nil where there is none.
  public subscript(table: String) -> TableSchema? { tables[table.lowercased()] }

  public var names: [String] { tables.values.map(\.name).sorted() }
}

/// One table of a database.
public struct TableSchema: Sendable, Equatable {
  public var name: String
  public var columns: [ColumnSchema]
  /// The column that is SQLite's INTEGER PRIMARY KEY.
  public var rowidColumn: String?
  public var isAutoincrement: Bool
  public var isWithoutRowid: Bool
  public var foreignKeys: [ForeignKeySchema]
  /// The columns of each unique index and of the primary key.
  public var uniqueColumns: [[String]]
  /// Whether triggers run when its rows change.
  public var hasTriggers: Bool
  /// Whether a constraint of the table says itself what to do about conflicts.
  public var hasConflictClause: Bool

  /// How a row is inserted so that a conflict is an error whatever the table says.
  ///
  /// The policy of a statement holds in the triggers that it runs too, in place of their own `INSERT OR IGNORE`. So it
  /// is left out where it makes no difference to the table itself.
  var insertInto: String {
    "\(hasTriggers && !hasConflictClause ? "INSERT" : "INSERT OR ABORT") INTO \(SQL.main(name))"
  }

  public func column(_ name: String) -> ColumnSchema? {
    columns.first { $0.name.lowercased() == name.lowercased() }
  }

  /// Whether a column holds the row's number, by its own name or by SQLite's.
  public func isRowid(_ column: String) -> Bool {
    if let rowidColumn { return rowidColumn.lowercased() == column.lowercased() }
    return !isWithoutRowid && self.column(column) == nil
      && ["rowid", "_rowid_", "oid"].contains(column.lowercased())
  }
}

public struct ColumnSchema: Sendable, Equatable {
  public var name: String
  /// As declared; empty where nothing is.
  public var type: String
  public var collation: String
  public var isRequired: Bool
  public var isGenerated: Bool

  /// The column's affinity, by the rules of "Datatypes In SQLite", section 3.1.
  var affinity: String {
    let type = type.uppercased()
    if type.contains("INT") { return "INTEGER" }
    if ["CHAR", "CLOB", "TEXT"].contains(where: type.contains) { return "TEXT" }
    if type.isEmpty || type.contains("BLOB") { return "BLOB" }
    if ["REAL", "FLOA", "DOUB"].contains(where: type.contains) { return "REAL" }
    return "NUMERIC"
  }
}

public struct ForeignKeySchema: Sendable, Equatable {
  public var columns: [String]
  public var table: String
  /// Empty stands for the primary key.
  public var references: [String]
}
