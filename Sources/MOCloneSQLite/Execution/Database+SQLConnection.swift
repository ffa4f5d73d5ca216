import Foundation
import GRDB
import GRDBSQLite
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

extension Database: SQLConnection {
  package var dialect: Dialect { .sqlite }

  @discardableResult
  package func execute(_ sql: String, _ arguments: [String: StoredValue]) throws -> Int {
    let statement = try cachedStatement(sql: sql)
    try statement.bind(arguments)
    try statement.execute()
    return changesCount
  }

  package func rows(_ sql: String, _ arguments: [String: StoredValue]) throws -> [[StoredValue]] {
    let statement = try cachedStatement(sql: sql)
    return try statement.stored(arguments)
  }

  package func stream(_ sql: String, body: ([StoredValue]) throws -> Void) throws {
    try makeStatement(sql: sql).eachStored(body: body)
  }

  package func schema(of tables: [String], _ mapping: SchemaMapping) throws -> StoreSchema {
    try SchemaReader(db: self, mapping: mapping).schema(of: tables)
  }

  package func columns(of tables: [String]) throws -> StoreSchema {
    try ConnectionState.of(self).columns(of: tables, in: self)
  }

  package func declaredType(of column: String, in table: String) throws -> String? {
    try? columns(in: table, in: "main").first { $0.name.sqlName == column.sqlName }?.type
  }

  package func refusal(
    _ error: any Error, writing table: TableSchema?, of entities: [String], mapping: SchemaMapping
  ) -> ConstraintFailure? {
    (error as? DatabaseError).flatMap {
      ConstraintFailure($0, writing: table, of: entities, mapping: mapping)
    }
  }

  package func insert(_ row: [String: StoredValue], into entity: EntityMapping) throws -> [StoredValue] {
    let (sql, arguments) = insertion(row, into: entity)
    try execute(sql, arguments.values)
    return entity.key.map { row[$0.column] ?? .integer(lastInsertedRowID) }
  }

  /// GRDB keeps what it is asked: a key with an index of its own is no row number, though it be declared INTEGER (`DESC`,
  /// `WITHOUT ROWID`).
  package func makesKey(_ column: String, of table: String) throws -> Bool {
    guard try primaryKey(table, in: "main").rowIDColumn?.sqlName == column.sqlName else { return false }
    return try !indexes(on: table, in: "main").contains { $0.origin == .primaryKeyConstraint }
  }

  /// A statement that fails leaves nothing, and the transaction goes on.
  package func attempting<Result>(_ body: () throws -> Result) throws -> Result { try body() }

  package func deferForeignKeys() throws {
    try execute(sql: "PRAGMA defer_foreign_keys = ON")
  }

  package func externalFile(named name: String) throws -> Data {
    try ExternalFiles(of: storePath()).read(name)
  }

  /// The file of the store; empty in memory.
  func storePath() throws -> String {
    try String.fetchOne(self, sql: "SELECT file FROM pragma_database_list WHERE name = 'main'") ?? ""
  }
}

extension Statement {
  /// All rows, byte for byte.
  func stored(_ arguments: [String: StoredValue]) throws -> [[StoredValue]] {
    var rows: [[StoredValue]] = []
    try eachStored(arguments) { rows.append($0) }
    return rows
  }

  /// Goes through the rows past GRDB, which ends a text at a U+0000 and fixes what is no UTF-8.
  func eachStored(_ arguments: [String: StoredValue] = [:], body: ([StoredValue]) throws -> Void) throws {
    try bind(arguments)
    let rows = try Row.fetchCursor(self)
    while try rows.next() != nil {
      try body((0..<sqlite3_column_count(sqliteStatement)).map { RawValue(sqliteStatement, $0).stored })
    }
  }
}

// MARK: - Values

extension StoredValue {
  package var databaseValue: DatabaseValue {
    switch self {
    case .null: .null
    case .integer(let number): number.databaseValue
    case .real(let number): number.databaseValue
    case .text(let text): text.databaseValue
    case .blob(let bytes): bytes.databaseValue
    }
  }
}

extension DatabaseValue {
  /// A value that GRDB has read, up to a U+0000.
  var stored: StoredValue {
    switch storage {
    case .null: .null
    case .int64(let number): .integer(number)
    case .double(let number): .real(number)
    case .string(let text): .text(text)
    case .blob(let bytes): .blob(bytes)
    }
  }
}
