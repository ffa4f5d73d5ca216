import Foundation
import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

extension Database: SQLConnection {
  package var dialect: Dialect { .sqlite }

  @discardableResult
  package func execute(_ sql: String, _ arguments: [String: StoredValue]) throws -> Int {
    let statement = try cachedStatement(sql: sql)
    try statement.execute(arguments: statement.pick(from: arguments))
    return changesCount
  }

  package func rows(_ sql: String, _ arguments: [String: StoredValue]) throws -> [[StoredValue]] {
    let statement = try cachedStatement(sql: sql)
    return try Row.fetchAll(statement, arguments: statement.pick(from: arguments)).map(\.stored)
  }

  package func stream(_ sql: String, body: ([StoredValue]) throws -> Void) throws {
    let rows = try Row.fetchCursor(self, sql: sql)
    while let row = try rows.next() { try body(row.stored) }
  }

  package func schema(of tables: [String], _ mapping: SchemaMapping) throws -> StoreSchema {
    try SchemaReader(db: self, mapping: mapping).schema(of: tables)
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

extension Row {
  /// The values of the row, in the order of its columns.
  package var stored: [StoredValue] { databaseValues.map(\.stored) }
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
  package var stored: StoredValue {
    switch storage {
    case .null: .null
    case .int64(let number): .integer(number)
    case .double(let number): .real(number)
    case .string(let text): .text(text)
    case .blob(let bytes): .blob(bytes)
    }
  }

  /// The value as SQL text.
  var sqlLiteral: String { Dialect.sqlite.literal(stored) }
}

extension AttributeValue {
  /// A value as the store holds it, for keys.
  init(raw value: DatabaseValue) {
    self.init(raw: value.stored)
  }
}

extension ValueCoding {
  /// What the store holds for a value of the attribute's type.
  func encode(_ value: AttributeValue) -> DatabaseValue {
    let stored: StoredValue = encode(value)
    return stored.databaseValue
  }

  /// Reads what the store holds; nil where it is no value of the attribute's type.
  package func decode(_ value: DatabaseValue) -> AttributeValue? { decode(value.stored) }
}
