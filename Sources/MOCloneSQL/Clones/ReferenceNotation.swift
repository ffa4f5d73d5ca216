import MOCloneModel

/// Compares the values of a foreign key with each other: rows that write one key in several ways, as `abc` and `ABC` or
/// `1` and `01`, refer to one object.
///
/// ```sql
/// CAST(s."list_id" AS NUMERIC)
/// s."list_id" COLLATE "NOCASE"
/// ```
struct ReferenceNotation: Sendable {
  private let column: ColumnSchema?
  private let referenced: ColumnSchema?
  private let dialect: Dialect

  /// - Parameters:
  ///   - column: that of the foreign key; nil where the table has none of the name.
  ///   - referenced: the one that it holds a value of.
  init(_ column: ColumnSchema?, to referenced: ColumnSchema?, _ dialect: Dialect) {
    self.column = column
    self.referenced = referenced
    self.dialect = dialect
  }

  /// - Parameters:
  ///   - table: where the foreign key lies.
  ///   - reference: the column of the destination's table that it holds a value of.
  init(
    _ column: String, in table: TableSchema, to reference: String, of destination: String,
    layout: CloneLayout
  ) {
    self.init(
      table.column(column), to: layout.schema[layout.mapping[destination].table]?.column(reference),
      layout.dialect)
  }

  /// Whether the database compares the two columns: one with types may have no operator for it.
  var isComparable: Bool {
    guard let own = column?.base, let other = referenced?.base else { return !dialect.hasTypes }
    return own == other
      || [TypedColumns.isInteger, TypedColumns.isText].contains { $0(own) && $0(other) }
  }

  /// Whether the columns are compared with each other as they are with values, which take on the type and the collation of
  /// the column beside them.
  var comparesAsValues: Bool {
    guard let column, let referenced else { return !dialect.hasTypes }
    return column.collation == referenced.collation
      && (dialect.hasTypes ? column.base == referenced.base : column.comparison == referenced.comparison)
  }

  /// A value of the column as the referenced column compares it; the value itself where there is but one way to write
  /// it.
  func asReferenced(_ sql: String) -> String {
    guard let column, let referenced else { return sql }
    // Bytes and untyped values are compared as they are.
    let isPlain = [column.comparison, "BLOB"].contains(referenced.comparison)
    let value = isPlain ? sql : "CAST(\(sql) AS \(referenced.comparison))"
    if [column, referenced].allSatisfy({ $0.collation == "BINARY" }) { return value }
    return dialect.collate(value, referenced.collation)
  }
}

extension CloneLayout {
  /// Whether columns of a table may reference a missing row of an entity: the schema does not declare them a foreign
  /// key, and the database can look for the row.
  ///
  /// - Parameter references: the columns of the entity's table, in step with `columns`.
  func mayDangle(
    _ columns: [String], in table: TableSchema, to references: [String], of entity: String
  ) -> Bool {
    schema[mapping[entity].table] != nil && table.foreignKey(on: columns) == nil
      && zip(columns, references).allSatisfy {
        ReferenceNotation($0, in: table, to: $1, of: entity, layout: self).isComparable
      }
  }
}

extension ColumnSchema {
  /// The column's affinity, where all that make numbers of strings are one.
  var comparison: String {
    ["INTEGER", "REAL", "NUMERIC"].contains(affinity) ? "NUMERIC" : affinity
  }
}
