import Foundation
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

extension PostgresConnection: SQLConnection {
  package var dialect: Dialect { .postgres }

  package func schema(of tables: [String], _ mapping: SchemaMapping) throws -> StoreSchema {
    try schemas.schema(of: tables, in: self)
  }

  package func columns(of tables: [String]) throws -> StoreSchema {
    try schemas.schema(of: tables, in: self)
  }

  /// The server tells the constraint, and the table says which columns it is about.
  package func refusal(
    _ error: any Error, writing table: TableSchema?, of entities: [String], mapping: SchemaMapping
  ) -> ConstraintFailure? {
    guard let error = error as? PostgresError, error.refusesRow else { return nil }
    let name = table?.name.split(separator: ".").last.map(String.init)
    let constraint = error.table == name ? error.constraint : name.flatMap { dividedIndex(error, of: $0) }
    let isOfTable = table == nil || error.table == name || constraint != nil
    let index = table?.indexes.first { $0.name == constraint }
    let columns = index?.columns.compactMap(\.name) ?? [error.column].compactMap { isOfTable ? $0 : nil }
    let key = error.table == name ? table?.foreignKeys.first { $0.name == error.constraint } : nil
    return ConstraintFailure(
      isUnique: error.sqlState == "23505" && isOfTable, isOfNull: error.sqlState == "23502" && isOfTable,
      message: error.words, columns: columns, others: key?.columns ?? table?.column(of: error) ?? [],
      index: index, foreignKey: error.sqlState == "23503" ? key : nil, refusingKey: error.foreignKey,
      of: entities, mapping)
  }

  /// The index of a table that is divided into partitions, one of whose own has refused a row.
  private func dividedIndex(_ error: PostgresError, of table: String) -> String? {
    guard let constraint = error.constraint, let schema = error.schema else { return nil }
    let above = """
      WITH RECURSIVE above(oid) AS (
        SELECT c.oid FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relname = $constraint AND n.nspname = $schema AND c.relkind = 'i'
        UNION ALL
        SELECT h.inhparent FROM above a JOIN pg_catalog.pg_inherits h ON h.inhrelid = a.oid
      )
      SELECT c.relname FROM above a
      JOIN pg_catalog.pg_class c ON c.oid = a.oid
      JOIN pg_catalog.pg_index i ON i.indexrelid = a.oid
      JOIN pg_catalog.pg_class t ON t.oid = i.indrelid
      WHERE t.relname = $table
      """
    let names = ["constraint": constraint, "schema": schema, "table": table].mapValues(StoredValue.text)
    // Nothing can be asked in a transaction that has failed.
    return (try? rows(above, names))?.first?.first?.string
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

extension TableSchema {
  /// The one column of the domain that has refused a value, of which the server names neither table nor column.
  fileprivate func column(of error: PostgresError) -> [String]? {
    guard error.table == nil, let domain = error.dataType else { return nil }
    let names = [domain, Dialect.postgres.name(domain)]
    let found = columns.filter { column in
      column.type.split(separator: ".").last.map { names.contains(String($0)) } ?? false
    }
    return found.count == 1 ? found.map(\.name) : nil
  }
}

extension PostgresError {
  /// The foreign key that refused a row, with the schema of its table, which need not be on the search path.
  fileprivate var foreignKey: ForeignKeyName? {
    guard sqlState == "23503", let constraint, let schema, let table else { return nil }
    return ForeignKeyName(constraint, of: "\(schema).\(table)")
  }

  /// What the server says, with the values that it names, and what a trigger proposes.
  var words: String {
    [message, detail].compactMap { $0 }.joined(separator: ": ") + (hint.map { " Hint: \($0)" } ?? "")
  }
}
