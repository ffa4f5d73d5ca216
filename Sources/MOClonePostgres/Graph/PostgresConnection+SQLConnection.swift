import Foundation
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

extension PostgresConnection: SQLConnection {
  package var dialect: Dialect { .postgres }

  package func schema(of tables: [String], _ mapping: SchemaMapping) throws -> StoreSchema {
    try schemas.schema(of: tables, in: self)
  }

  /// The server tells the constraint, and the table says which columns it is about.
  package func refusal(
    _ error: any Error, writing table: TableSchema?, of entities: [String], mapping: SchemaMapping
  ) -> ConstraintFailure? {
    guard let error = error as? PostgresError, error.sqlState.hasPrefix("23") else { return nil }
    let name = table?.name.split(separator: ".").last.map(String.init)
    let isOfTable = table == nil || error.table == name
    let index = isOfTable ? table?.indexes.first { $0.name == error.constraint } : nil
    let columns = index?.columns.compactMap(\.name) ?? [error.column].compactMap { isOfTable ? $0 : nil }
    return ConstraintFailure(
      isUnique: error.sqlState == "23505" && isOfTable, message: error.words, columns: columns, of: entities,
      mapping)
  }

  package func insert(_ row: [String: StoredValue], into entity: EntityMapping) throws -> [StoredValue] {
    let (sql, arguments) = insertion(row, into: entity)
    let key = entity.keyColumns.map(dialect.name).list
    return try rows("\(sql) RETURNING \(key)", arguments.values).first ?? []
  }

  package func makesKey(_ column: String, of table: String) throws -> Bool {
    let found = try schemas.schema(of: [table], in: self)[table]?.column(column)
    return found?.sequence != nil || found?.hasDefault == true
  }

  /// An error ends a transaction, but for a savepoint.
  package func attempting<Result>(_ body: () throws -> Result) throws -> Result { try inTransaction(body) }

  package func declaredType(of column: String, in table: String) throws -> String? { nil }

  package func deferForeignKeys() throws {
    try execute("SET CONSTRAINTS ALL DEFERRED")
  }

  package func externalFile(named name: String) throws -> Data {
    throw CloneError(
      .storeMismatch,
      "the file '\(name)' is beside a store of Core Data, and a PostgreSQL database has no such files")
  }
}

extension PostgresError {
  /// What the server says, with the values that it names.
  var words: String { [message, detail].compactMap { $0 }.joined(separator: ": ") }
}
