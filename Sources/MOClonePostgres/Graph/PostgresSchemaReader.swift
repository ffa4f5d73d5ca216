import MOCloneModel
import MOCloneSQL

struct PostgresSchemaReader {
  let connection: PostgresConnection
  init(_ connection: PostgresConnection) { self.connection = connection }
  func schema(of tables: some Sequence<String>) throws -> StoreSchema {
    StoreSchema(try tables.compactMap(table), others: [:], dialect: .postgres)
  }
  private func text(_ v: StoredValue) -> String { AttributeValue(raw: v).description }
  private func table(_ name: String) throws -> TableSchema? {
    let reg = Dialect.postgres.text(Dialect.postgres.table(name))
    guard let oid = try connection.rows("SELECT to_regclass(\(reg))::oid").first?[0], oid != .null else { return nil }
    let o = text(oid)
    let cols = try connection.rows("""
      SELECT attname, format_type(atttypid, atttypmod), attnotnull, attgenerated <> '', atthasdef OR attidentity <> '',
        pg_get_serial_sequence(\(reg), attname) FROM pg_attribute WHERE attrelid = \(o) AND attnum > 0 AND NOT attisdropped ORDER BY attnum
      """)
    let columns = cols.map { r -> ColumnSchema in
      let type = text(r[1])
      let kind = ["smallint", "integer", "bigint"].contains(type) ? "INTEGER" : type.hasPrefix("char") || type == "text" ? "TEXT" : type.hasPrefix("numeric") ? "NUMERIC" : type.hasPrefix("double") || type == "real" ? "REAL" : "BLOB"
      return ColumnSchema(name: text(r[0]), type: type, collation: "BINARY", isRequired: r[2].number == 1, isGenerated: r[3].number == 1, hasDefault: r[4].number == 1, sequence: r[5] == .null ? nil : Dialect.postgres.text(text(r[5])), kind: kind)
    }
    let keys = try connection.rows("""
      SELECT (SELECT string_agg(attname, ',' ORDER BY u.o) FROM unnest(conkey) WITH ORDINALITY u(k, o) JOIN pg_attribute ON attrelid = conrelid AND attnum = k),
        confrelid::regclass::text,
        (SELECT string_agg(attname, ',' ORDER BY u.o) FROM unnest(confkey) WITH ORDINALITY u(k, o) JOIN pg_attribute ON attrelid = confrelid AND attnum = k), condeferrable
      FROM pg_constraint WHERE conrelid = \(o) AND contype = 'f'
      """).map { r in ForeignKeySchema(columns: text(r[0]).split(separator: ",").map(String.init), table: text(r[1]), references: text(r[2]).split(separator: ",").map(String.init), isDeferrable: r[3].number == 1) }
    let indexes = try connection.rows("""
      SELECT c.relname, indisunique, indisprimary, (SELECT string_agg(attname, ',' ORDER BY u.o) FROM unnest(indkey::int2[]) WITH ORDINALITY u(k, o) JOIN pg_attribute ON attrelid = indrelid AND attnum = k), indpred IS NOT NULL
      FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE indrelid = \(o)
      """).map { r in IndexSchema(name: text(r[0]), isUnique: r[1].number == 1, isPrimaryKey: r[2].number == 1, columns: text(r[3]).split(separator: ",").map { IndexedColumn(name: String($0), text: String($0), collation: "BINARY") }, condition: r[4].number == 1 ? "?" : nil) }
    return TableSchema(name: name, columns: columns, isAutoincrement: false, isWithoutRowid: true, isStrict: true, foreignKeys: keys, indexes: indexes, triggers: [], leavesConflictsToTriggers: true)
  }
}
